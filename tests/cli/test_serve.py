"""``nimdesk serve``: what other programs ask, and what they are told."""

from __future__ import annotations

import dataclasses
import io
import json
import os
import random
import signal
import subprocess
import sys
import threading
from functools import cache
from types import SimpleNamespace
from typing import Any

import pytest
from calling import Nimdesk
from serving import Service

from nimdesk.__main__ import main
from nimdesk.cli.oracle.lines import MOST_BYTES, answer_all, schema
from nimdesk.cli.oracle.questions import METHODS, Oracle
from nimdesk.games import AnyPosition, parse_position


def told(*lines: bytes | dict[str, Any]) -> list[dict[str, Any]]:
    """The answers to these lines."""
    data = b"\n".join(line if isinstance(line, bytes) else json.dumps(line).encode() for line in lines)
    answers: list[bytes] = []
    answer_all(io.BytesIO(data), answers.append, Oracle())
    assert all(answer.endswith(b"\n") and answer.count(b"\n") == 1 for answer in answers)
    return [json.loads(answer) for answer in answers]


def asked(method: str, **params: object) -> Any:
    """The result of one question."""
    (answer,) = told({"id": 7, "method": method, "params": params})
    assert answer.keys() == {"id", "result"}, answer
    assert answer["id"] == 7
    return answer["result"]


def test_a_process_greets_answers_and_ends_with_its_input() -> None:
    with Service() as service:
        assert service.ask("hello")["methods"] == ["hello", "truth", "judge", "analyse", "games", "render"]
        assert service.ask("truth", position="nim:3,4,5")["best"] == ["1-2"]
        assert service.say("nonsense")["error"]["kind"] == "request"
        assert service.ask("judge", position="nim:3,4,5", move="1-1")["lost"] == 1.0
    assert service.process.returncode == 0


@pytest.mark.skipif(os.name == "nt", reason="it knows no such signals")
@pytest.mark.usefixtures("signals_are_heard")
@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, -signal.SIGTERM)])
def test_a_signal_ends_it_without_a_word(number: signal.Signals, code: int) -> None:
    command = [sys.executable, "-m", "nimdesk", "serve"]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(command, **pipes, text=True) as process:  # type: ignore[call-overload]
        process.stdin.write('{"method": "hello"}\n')
        process.stdin.flush()
        assert "protocol" in process.stdout.readline()
        process.send_signal(number)
        assert process.wait(60) == code
        assert (process.stdout.read(), process.stderr.read()) == ("", "")


@cache
def worth(position: AnyPosition) -> tuple[float, int]:
    """The score for the side to move and the plies to the end, by looking at everything."""
    if position.outcome is not None:
        return position.outcome.score(position.turn), 0
    after = [(1 - score, 1 + plies) for score, plies in (worth(position.play(move)) for move in position.legal_moves)]
    best = max(score for score, _ in after)
    plies = [plies for score, plies in after if score == best]
    return best, min(plies) if best == 1 else max(plies)


def test_a_move_is_judged_as_brute_force_does() -> None:
    chance, names = random.Random(1), {1.0: "win", 0.5: "draw", 0.0: "loss"}
    for game in ("mnk:3,3,3", "nim:2,3,4:misere", "mnk:4,3,3:gravity"):
        for _ in range(40):
            position = parse_position(game)
            for _ in range(chance.randrange(2, 7)):
                if position.outcome is None:
                    position = position.play(chance.choice(position.legal_moves))
            if position.outcome is not None:
                continue
            move = chance.choice(position.legal_moves)
            score, plies = worth(position)
            scores = {each.text: 1 - worth(position.play(each))[0] for each in position.legal_moves}
            distances = {each.text: 1 + worth(position.play(each))[1] for each in position.legal_moves}
            found = asked("judge", position=position.text, move=move.text)
            assert (found["before"], found["after"]) == (names[score], names[scores[move.text]])
            assert found["lost"] == score - scores[move.text]
            assert sorted(found["best"]) == sorted(each for each in scores if scores[each] == score)
            assert (found["distance_before"], found["distance_after"]) == (plies, distances[move.text])
            kept = scores[move.text] == score
            wanted = abs(distances[move.text] - plies) if kept and score != 0.5 else 0 if kept else None
            assert found["distance_lost"] == wanted
            assert found["complete"]
            assert found["sentence"].startswith(move.text)


def test_what_cannot_be_proven_is_unknown_with_what_was_tried() -> None:
    found = asked("judge", position="mnk:15,15,5 h8", move="h9", time_s=0.05)
    assert (found["before"], found["after"], found["lost"]) == ("unknown", "unknown", None)
    assert found["best"] == []
    assert found["tried"].startswith("The solver looked at ")
    truth = asked("truth", position="mnk:15,15,5 h8", time_s=0.05)
    assert (truth["value"], truth["complete"], truth["best"]) == ("unknown", False, [])


def test_the_truth_of_a_finished_game_is_its_outcome() -> None:
    found = asked("truth", position="mnk:3,3,3 a1 b1 a2 b2 a3")
    assert (found["value"], found["distance"], found["moves"]) == ("loss", 0, [])
    assert found["turn"] == "X wins: 3 in a row"


def test_a_search_is_that_of_the_command(nimdesk: Nimdesk) -> None:
    printed = json.loads(nimdesk("analyse", "nim:3,4,5", "--iterations", "300", "--seed", "5", "--json").out)
    found = asked("analyse", position="nim:3,4,5", budget=300, seed=5)
    for changes in ("elapsed_s", "made"):
        printed.pop(changes)
        found.pop(changes, None)
    assert found == printed
    by_options = asked("analyse", position="nim:3,4,5", agent="uct", options={"iterations": 50, "seed": 2})
    assert sum(move["visits"] for move in by_options["moves"]) == 50


def test_boards_are_drawn_as_text_and_as_svg() -> None:
    found = asked("render", position="mnk:3,3,3 b2 a1")
    assert found["picture"] == "3 . . .\n2 . X .\n1 O . .\n  a b c"
    assert found["turn"] == "X to move"
    assert asked("render", position="nim:3,4,5 1-3")["picture"] == "1\n2 ||||\n3 |||||"
    for position in ("mnk:7,6,4:gravity d1", "nim:3,4,5", "take:0.77:5,7", "take:{1,2}:500"):
        picture = asked("render", position=position, form="svg")["picture"]
        assert picture.startswith("<svg xmlns=")
        assert f"<title>{position}</title>" in picture


def test_games_are_those_that_the_command_lists(nimdesk: Nimdesk) -> None:
    assert asked("games")["games"] == json.loads(nimdesk("games", "--json").out)["games"]


NIM = "nim:3,4,5"
BAD = {
    "no JSON": (b"{", "request"),
    "no object": (b"[1]", "request"),
    "no method": ({"id": 1}, "request"),
    "another field": ({"id": 1, "method": "games", "param": {}}, "request"),
    "no text": (b"\xff\xfe{}", "request"),
    "deep": (b"[" * 100_000, "request"),
    "unknown method": ({"id": 1, "method": "judg"}, "method"),
    "no position": ({"id": 1, "method": "truth"}, "params"),
    "params that are a list": ({"id": 1, "method": "truth", "params": [NIM]}, "params"),
    "another parameter": ({"id": 1, "method": "truth", "params": {"position": NIM, "move": "1-1"}}, "params"),
    "no such game": ({"id": 1, "method": "truth", "params": {"position": "chess"}}, "params"),
    "illegal move": ({"id": 1, "method": "judge", "params": {"position": NIM, "move": "9-9"}}, "params"),
    "finished game": ({"id": 1, "method": "judge", "params": {"position": "nim:1 1", "move": "1"}}, "params"),
    "no time": ({"id": 1, "method": "truth", "params": {"position": NIM, "time_s": 0}}, "params"),
    "no such agent": ({"id": 1, "method": "analyse", "params": {"position": NIM, "agent": "uctt"}}, "params"),
    "bad option": ({"id": 1, "method": "analyse", "params": {"position": NIM, "options": {"x": 1}}}, "params"),
    "no budget": ({"id": 1, "method": "analyse", "params": {"position": NIM, "budget": "much"}}, "params"),
    "nothing to analyse": ({"id": 1, "method": "analyse", "params": {"position": "nim:1 1"}}, "params"),
    "another protocol": ({"id": 1, "method": "hello", "params": {"protocol": 99}}, "params"),
    "no such form": ({"id": 1, "method": "render", "params": {"position": NIM, "form": "png"}}, "params"),
}


@pytest.mark.parametrize("name", BAD)
def test_a_bad_line_gets_one_sentence_and_the_next_is_answered(name: str) -> None:
    line, kind = BAD[name]
    bad, good = told(line, {"id": 2, "method": "truth", "params": {"position": "nim:1"}})
    assert bad.keys() == {"id", "error"}
    assert bad["id"] == (1 if isinstance(line, dict) else None)
    assert bad["error"]["kind"] == kind
    message = bad["error"]["message"]
    assert message.endswith((".", "?"))
    assert "\n" not in message
    assert good["result"]["value"] == "win"


def test_a_line_without_end_is_refused_and_the_next_is_answered() -> None:
    bad, good = told(b"x" * (3 * MOST_BYTES), {"id": 2, "method": "hello"})
    assert bad["error"]["kind"] == "request"
    assert good["id"] == 2


def test_a_fault_is_told_and_the_next_is_answered(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_oracle: Oracle, _asked: object) -> None:
        raise RuntimeError("broken")

    monkeypatch.setitem(METHODS, "games", dataclasses.replace(METHODS["games"], call=fail))
    bad, good = told({"id": 1, "method": "games"}, {"id": 2, "method": "hello"})
    assert bad["error"]["kind"] == "fault"
    assert "broken" in bad["error"]["message"]
    assert good["id"] == 2


def test_what_else_is_printed_stands_in_no_answer(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    def chat(_oracle: Oracle, _asked: object) -> str:
        os.write(1, b"chatter\n")
        return "silence"

    monkeypatch.setitem(METHODS, "games", dataclasses.replace(METHODS["games"], call=chat))
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(b'{"method": "games"}\n')))
    monkeypatch.setattr(sys, "argv", ["nimdesk", "serve"])
    assert main() == 0
    captured = capfd.readouterr()
    assert captured.out == '{"id":null,"result":"silence"}\n'
    assert captured.err == "chatter\n"


def test_work_is_given_up_when_it_is_told_to_stop() -> None:
    stop = threading.Event()
    oracle = Oracle(stop)
    threading.Timer(0.2, stop.set).start()
    line = json.dumps({"method": "truth", "params": {"position": "mnk:15,15,5", "time_s": 3600}}).encode()
    with pytest.raises(KeyboardInterrupt):
        answer_all(io.BytesIO(line), lambda _data: None, oracle)


def test_the_schema_knows_every_request_and_answer(nimdesk: Nimdesk) -> None:
    printed = json.loads(nimdesk("serve", "--schema").out)
    assert printed == schema()
    assert [each["properties"]["method"]["const"] for each in printed["oneOf"]] == list(METHODS)
    jsonschema = pytest.importorskip("jsonschema")
    checker = jsonschema.Draft202012Validator(printed)
    questions = {
        "hello": {},
        "truth": {"position": NIM},
        "judge": {"position": NIM, "move": "1-1"},
        "analyse": {"position": NIM, "budget": 10},
        "games": {},
        "render": {"position": NIM, "form": "svg"},
    }
    for method, params in questions.items():
        request = {"id": 1, "method": method, "params": params}
        assert checker.is_valid(request)
        answers = printed["answers"][method] | {"$defs": printed["$defs"]}
        jsonschema.validate(asked(method, **params), answers)
    for name, (line, kind) in BAD.items():
        if isinstance(line, dict) and kind in ("request", "method"):
            assert not checker.is_valid(line), name


def test_the_tools_of_the_model_context_protocol_give_the_same_answers() -> None:
    anyio, mcp = pytest.importorskip("anyio"), pytest.importorskip("mcp")
    from nimdesk.cli.oracle.mcp import TOOLS, new_server

    async def converse() -> None:
        async with mcp.Client(new_server(Oracle())) as client:
            assert [tool.name for tool in (await client.list_tools()).tools] == TOOLS
            found = await client.call_tool("judge", {"position": NIM, "move": "1-1"})
            wanted = asked("judge", position=NIM, move="1-1")
            assert found.structured_content | {"elapsed_s": 0} == wanted | {"elapsed_s": 0}
            wrong = await client.call_tool("judge", {"position": NIM, "move": "9-9"})
            assert wrong.is_error
            assert wrong.content[0].text.startswith("The move 9-9 is not legal here")

    anyio.run(converse)


def test_without_the_library_the_option_says_what_brings_it(nimdesk: Nimdesk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "mcp.server.stdio", None)
    result = nimdesk("serve", "--mcp")
    assert result.code == 2
    assert "pip install nimdesk[mcp]" in result.err
