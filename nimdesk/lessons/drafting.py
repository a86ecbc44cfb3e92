"""Lessons that are made by the program: of a game's review, with what was missed as questions."""

from __future__ import annotations

from collections.abc import Sequence

from nimdesk.agents import Agent
from nimdesk.games.base import describe_turn
from nimdesk.lessons.model import AgentPart, ChoiceTask, Lesson, MoveTask, Show, Step, Task
from nimdesk.play.game import GameInProgress
from nimdesk.play.review import Mark, MoveReview, findings

_MOST_QUESTIONS = 30
_SEARCHES = "mcts"
"""Who searches beside the questions, where a person wants to see why."""


def part_of(agent: Agent, seed: int = 1) -> AgentPart:
    """The agent as a step of a lesson names it: how far it searches is said by the step."""
    return AgentPart(agent=agent.name, options=agent.character, seed=seed)


def lesson_of_review(game: GameInProgress, moves: Sequence[MoveReview]) -> Lesson:
    """The review of a game as a lesson: what was missed is asked, position by position.

    A move is judged by the truth where all is proven; elsewhere a person chooses between what was played and what the
    search found better.
    """
    last = game.last_position
    told = "\n\n".join(findings(last, moves))
    start = Show(position=last.text, agents=[AgentPart(agent=_SEARCHES)])
    first = Step(title="The game", text=f"{describe_turn(last)}.\n\n{told}", show=start)
    missed = sorted((each for each in moves if each.mark is not Mark.NONE and each.best), key=lambda each: each.ply)
    steps = [_step(game, each) for each in missed[:_MOST_QUESTIONS]]
    return Lesson(
        title=f"{game.game.title}: what was missed",
        about="Which moves gave something away in this game, and what was better?",
        minutes=max(1, 2 * len(steps)),
        steps=[first, *steps],
    )


def _step(game: GameInProgress, move: MoveReview) -> Step:
    side = game.game.side_name(move.side)
    return Step(
        title=f"Move {move.ply}, {side}",
        text=f"{side} played {move.move.text} here, and gave something away. What was better?",
        show=Show(position=game.position_at(move.ply - 1).text, truth="after"),
        task=_task(move),
        right=move.sentence,
        wrong=move.sentence if not move.exact else "",
    )


def _task(move: MoveReview) -> Task:
    if move.exact and move.complete:
        return MoveTask()
    choices = sorted([move.move.text, move.best[0].text])
    return ChoiceTask(choices=choices, right=choices.index(move.best[0].text) + 1)
