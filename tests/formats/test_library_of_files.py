"""Files of other programs in the library: opened, converted, and as openings of matches."""

from pathlib import Path

import pytest

import nimdesk as nd
from nimdesk.errors import OptionError, RecordError

PSQ = "Piskvorky 15x15, 11:11, 0\n8,8,456\n9,7,4500\n8,9,60\nOne\nTwo\n-1\n"


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.psq").write_text(PSQ)
    (tmp_path / "four.txt").write_text("4453\n1234\n")
    return tmp_path


def test_a_game_of_another_program_is_opened() -> None:
    game = nd.open("a.psq")
    assert isinstance(game, nd.PlayedGame)
    assert game.last_position.text == "mnk:15,15,5 h8 i9 h7"
    assert [(ply.by, ply.elapsed_s) for ply in game.plies] == [("One", 0.456), ("Two", 4.5), ("One", 0.06)]
    with pytest.raises(RecordError, match=r"four\.txt” has 2 games; nd\.convert"):
        nd.open("four.txt")
    with pytest.raises(RecordError, match=r"ends in one of \.nimdesk, .*\.db, \.cert, \.psq"):
        nd.open("a.png")


def test_files_are_converted_as_by_the_command(here: Path) -> None:
    written = nd.convert("a.psq", "a.sgf")
    assert written == (1, (Path("a.sgf"),), ("A file in SGF has no place for times, which were left out.",))
    assert nd.open("a.sgf").last_position.text == nd.open("a.psq").last_position.text  # type: ignore[union-attr]
    assert nd.convert(["a.psq", Path("four.txt")], "games/").files == tuple(
        Path("games", name) for name in ("a.nimdesk", "four-1.nimdesk", "four-2.nimdesk")
    )
    nd.convert("four.txt", "again.txt", form="positions", columns_from=0)
    assert (here / "again.txt").read_text().splitlines()[0] == "mnk:7,6,4:gravity e1 e2 f1 d1"
    with pytest.raises(OptionError, match="cannot be written as well"):
        nd.convert("a.psq", here / "a.psq")
    assert (here / "a.psq").read_text() == PSQ


@pytest.mark.parametrize(
    ("text", "position"),
    [
        ("4453", "mnk:7,6,4:gravity d1 d2 e1 c1"),
        ("mnk:15,15,5 h8i9", "mnk:15,15,5 h8 i9"),
        ("nim:1,2 1-1", "nim:1,2 1-1"),
    ],
)
def test_a_position_may_be_written_as_other_programs_do(text: str, position: str) -> None:
    assert nd.position(text).text == position


def test_games_begin_from_a_file_of_openings(here: Path) -> None:
    (here / "lines.txt").write_text("1-1\n# left out\n2-2\n")
    lines, found = Path("lines.txt"), ["nim:1,2 1-1", "nim:1,2 2-2"]
    for results in (
        nd.match(["random", "random"], "nim:1,2", games=1, openings=lines, threads=1),
        nd.rate(["random", "random"], "nim:1,2", games=1, openings=lines, threads=1),
    ):
        assert sorted(set(results.to_pandas()["position"])) == found
    tuned = nd.tune("uct:iterations=5", "exploration=1,2", "nim:1,2", openings=lines, games=1, confirm=1, threads=1)
    assert tuned.found.schedule.plan.matches[0].positions == found
    (here / "whole.txt").write_text("nim:1,2\n")
    alone = nd.match(["random", "random"], games=1, openings=Path("whole.txt"), threads=1)
    assert set(alone.to_pandas()["position"]) == {"nim:1,2"}
