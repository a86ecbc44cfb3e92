"""``nimdesk grundy``: values, period and outcome, as text, JSON, CSV and a figure."""

import json
from pathlib import Path

import pytest

from nimdesk import cli
from nimdesk.errors import NimdeskError

KAYLES = [0, 1, 2, 3, 1, 4, 3, 2, 1, 4, 2, 6]


def run(*arguments: str) -> int:
    return cli.run(arguments, lambda *_: 0, lambda _out: [])


def test_it_prints_the_values_and_the_proven_period(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("grundy", "octal:0.77", "--to", "100000", "--heaps", "100000,2,9") == 0
    out = capsys.readouterr().out
    assert out.startswith("0.77 (Kayles): Take 1 or 2 from a heap and leave nothing, one heap or two heaps of it.\n")
    assert f"\n     0: {' '.join(map(str, KAYLES))}\n" in out
    assert "Period 12 from heap 71 on, proven by the 256 values worked out (Guy and Smith)." in out
    assert "Heaps 100000, 2, 9: nim-sum 7, whoever is to move wins in normal play." in out  # 1 ^ 2 ^ 4


def test_json_and_csv_have_every_value(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "kayles.csv"
    assert run("grundy", "0.77", "--to", "11", "--json", "--csv", str(file)) == 0
    data = json.loads(capsys.readouterr().out)
    assert (data["rule"], data["name"], data["to"], data["values"]) == ("0.77", "Kayles", 11, KAYLES)
    assert data["period"] is None, "twelve values prove nothing"
    lines = file.read_text().splitlines()
    assert lines[:3] == ["heap,value,outcome", "0,0,loss", "1,1,win"]
    assert [int(line.split(",")[1]) for line in lines[1:]] == KAYLES
    assert json.loads((tmp_path / "kayles.csv.made.json").read_text())["rule"] == "0.77"


def test_the_sequence_is_drawn_for_print(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("grundy", "{1,3,4}", "--to", "60", "--figure", str(tmp_path / "values.svg")) == 0
    assert "They repeat every 7 from heap 0 on (proven)." in capsys.readouterr().err
    assert (tmp_path / "values.svg").stat().st_size > 1_000


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("0.9",), "The rule “0.9” is not understood; write a set of takes like {1,3,4}, an octal code like 0.77"),
        (("0.77", "--to", "100001"), "A heap of 100001 is out of bounds; it may have 1 to 100,000."),
        (("0.77", "--to", "many"), "“many” is not a size of a heap; give a whole number up to 100,000."),
        (("0.77", "--heaps", "3,0"), "A heap of 0 is out of bounds"),
        (("wythoff",), "Wythoff's game has no sequence of values"),
    ],
)
def test_wrong_input_is_told_in_one_sentence(arguments: tuple[str, ...], sentence: str) -> None:
    with pytest.raises(NimdeskError, match=sentence.replace("{", r"\{").replace(".", r"\.")):
        run("grundy", *arguments)
