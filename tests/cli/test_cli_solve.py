"""``nimdesk solve``: the exact value on the command line."""

import json
import re
from pathlib import Path

import pytest

from nimdesk import cli
from nimdesk.cli.analyse import solve
from nimdesk.disk.paths import data_dir
from nimdesk.errors import NimdeskError
from nimdesk.games import parse_position
from nimdesk.games.kit import win_in


def run(*arguments: str) -> int:
    return cli.run(arguments, lambda *_: 0, lambda _out: [])


def test_json_has_the_documented_keys(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("solve", "nim:3,4,5", "--json") == 0
    data = json.loads(capsys.readouterr().out)
    assert list(data) == ["position", "value", "distance", "nodes", "elapsed_s", "moves", "threats", "finding", "made"]
    assert (data["position"], data["value"], data["distance"]) == ("nim:3,4,5", "win", 11)
    assert {tuple(move) for move in data["moves"]} == {("move", "value", "distance")}
    winning = [move["move"] for move in data["moves"] if move["value"] == "win"]
    assert winning == ["1-2"], "the one winning move of 3-4-5"
    assert len(data["moves"]) == 12


def test_tic_tac_toe_is_a_draw_with_every_first_move(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("solve", "mnk:3,3,3", "--time-s", "60", "--json") == 0
    data = json.loads(capsys.readouterr().out)
    assert data["value"] == "draw"
    assert [move["value"] for move in data["moves"]] == ["draw"] * 9
    assert data["nodes"] > 0


def test_a_budget_that_is_too_small_says_unknown(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("solve", "mnk:15,15,5", "--time-s", "0.01", "--json") == 0
    data = json.loads(capsys.readouterr().out)
    assert data["value"] == "unknown"
    assert data["distance"] is None


def test_what_takes_long_goes_on_where_it_ended(capsys: pytest.CaptureFixture[str]) -> None:
    nodes = []
    for _ in range(2):
        solve(parse_position("mnk:9,4,4"), 0.1, as_json=True, keep_s=0.05)
        told = capsys.readouterr()
        nodes.append(json.loads(told.out)["nodes"])
        assert "the same command goes on from there" in told.err
    (part,) = (data_dir() / "solve").iterdir()
    assert nodes[0] < nodes[1]
    part.write_bytes(b"of another version")
    solve(parse_position("mnk:9,4,4"), 0.01, as_json=True)
    told = capsys.readouterr()
    assert json.loads(told.out)["nodes"] < nodes[1]
    assert f"what was kept in “{part}” is damaged or of another version of nimdesk" in told.err


def test_people_read_a_sentence_a_table_and_the_reason(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("solve", "nim:21:max3:misere") == 0
    out = capsys.readouterr().out
    assert "Second can win in 11 plies, whatever First plays." in out
    assert "21 mod 4 = 1" in out


def test_many_moves_alike_are_a_line_and_the_few_that_parry_are_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("solve", "mnk:9,9,5 d5 d6 e5 a1 f5 c2 a9", "--time-s", "1") == 0
    rows = re.findall(r"^(\w+)( moves)? +(unknown|loss) ", capsys.readouterr().out, re.MULTILINE)
    assert [name for name, _, value in rows if value == "unknown"] == ["c5", "g5"]
    lost = [(name, many) for name, many, value in rows if value == "loss"]
    assert len(lost) < 40
    assert sum(int(name) if many else 1 for name, many in lost) == 81 - 7 - 2


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("nim:0",), "a pile holds 1 to 127"),
        (("nim:1 1-1",), "nothing to solve"),
        (("nim:3,4,5", "--time-s", "0"), "0.01 to 86400"),
        (("nim:3,4,5", "--time-s", "soon"), "“soon”"),
        (("nim:3,4,5", "--tmie-s", "1"), "--time-s"),
    ],
)
def test_bad_input_gives_one_sentence(arguments: tuple[str, ...], says: str) -> None:
    with pytest.raises(NimdeskError) as caught:
        run("solve", *arguments)
    assert says in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_certificate_is_written_and_checked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "draw.cert"
    assert run("solve", "mnk:4,4,4", "--certificate", str(path)) == 0
    assert capsys.readouterr().err == f"{path}: proves that mnk:4,4,4 is a draw.\n"
    assert run("verify", str(path)) == 0
    assert "Proven: mnk:4,4,4 is a draw" in capsys.readouterr().out
    path.write_bytes(path.read_bytes()[:-2])
    assert run("verify", str(path)) == 1
    assert "NOT PROVEN: the file is damaged" in capsys.readouterr().out


def test_the_proof_of_another_position_is_a_guide(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    guide, path = tmp_path / "guide.cert", tmp_path / "win.cert"
    assert run("solve", "mnk:11,11,5 f6 a1 e5 k11", "--time-s", "0.3", "--certificate", str(guide)) == 0
    assert capsys.readouterr().out.endswith(
        "The certificate proves that mnk:11,11,5 f6 a1 e5 k11 is won by the first side.\n"
    )
    position = "mnk:11,11,5 f6 a2 e5 k11"
    assert win_in(parse_position(position)) is None, "or no guide would be wanted"
    assert run("solve", position, "--time-s", "0.3", "--certificate", str(path), "--guide", str(guide), "--json") == 0
    printed = capsys.readouterr()
    assert printed.err.endswith(f"{path}: proves that {position} is won by the first side.\n")
    told = json.loads(printed.out)
    assert told["value"] == "win", "though the solver alone has not proven it in the time"
    assert told["finding"] == f"The certificate proves that {position} is won by the first side."
    with pytest.raises(NimdeskError, match="it goes with it"):
        run("solve", position, "--guide", str(guide))
    with pytest.raises(NimdeskError, match="The guide cannot be followed: it is of mnk:"):
        run("solve", "mnk:4,4,4", "--certificate", str(path), "--guide", str(guide))
    path.write_text("no proof")
    with pytest.raises(NimdeskError, match="The guide cannot be followed: this is not a certificate"):
        run("solve", position, "--time-s", "0.3", "--certificate", str(tmp_path / "new.cert"), "--guide", str(path))


@pytest.mark.parametrize(
    ("position", "file", "says"),
    [
        ("nim:3,4,5", "draw.cert", "no certificates for nim:3,4,5"),
        ("mnk:4,4,4", "nowhere/draw.cert", "is not a folder"),
    ],
)
def test_no_certificate_is_said_in_one_sentence(position: str, file: str, says: str, tmp_path: Path) -> None:
    with pytest.raises(NimdeskError, match=says):
        run("solve", position, "--certificate", str(tmp_path / file))
    assert not list(tmp_path.iterdir())
