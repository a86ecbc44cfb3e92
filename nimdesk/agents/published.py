"""Agents as published: each with the options that its document gives, named after the document.

Where a document is silent, the note says what was chosen. The documents are: 000, *Monte Carlo Tree Search for Nim*
(multi-pile Nim, normal play); 001, G. Darby, *Nim, Gametrees, and Minimax* (one pile, take 1-3, misère); 002, Alam,
Pacey and Nguyen, *MNK Game* (2022); 003, *Solving the game of Nim using Monte Carlo / Monte Carlo Tree Search* (21
sticks, take 1-3, misère); 004, *Nim (Monte Carlo)* (21 sticks, take 1-3, normal play).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import lru_cache

import msgspec

from nimdesk.agents.agent import Agent
from nimdesk.agents.catalogue import agent_info, make_agent

DEFAULT_AGENT = "mcts"
"""The agent that searches where none is named: in ``nimdesk analyse`` and ``nimdesk.analyse`` alike."""


class PublishedAgent(msgspec.Struct, frozen=True):
    """A published player: ``name`` on the command line, the ``document``, its agent and options, and a note."""

    name: str
    document: str
    agent_name: str
    note: str
    options: Mapping[str, object] = msgspec.field(default_factory=dict)

    @property
    def agent(self) -> Agent:
        """The configured agent."""
        return make_agent(self.agent_name, self.options)

    @property
    def title(self) -> str:
        """The title, such as "MCTS, document 003", with what distinguishes two players of one document."""
        rest = self.name.partition(f"-{self.document}")[2].replace("-", " ").strip()
        return f"{agent_info(self.agent_name).title}, document {self.document}{f', {rest}' if rest else ''}"


PUBLISHED: dict[str, PublishedAgent] = {
    preset.name: preset
    for preset in (
        PublishedAgent(
            "uct-000",
            "000",
            "uct",
            "500 simulations, c = √2, rewards 0 and 1; playouts make the nim-sum zero where they can and otherwise "
            "play the first move. Which untried move is expanded, and which of two moves with equal visits is played, "
            "is not said; here it is a random one.",
            {"iterations": 500, "exploration": math.sqrt(2.0), "playouts": "zeroing"},
        ),
        PublishedAgent(
            "perfect-000",
            "000",
            "perfect",
            "The nim-sum strategy by itself; in a lost position the first legal move.",
            {"when_won": "first", "when_lost": "first"},
        ),
        PublishedAgent("minimax-001", "001", "minimax", "The full tree, +1 and -1 for the first player, no pruning."),
        PublishedAgent(
            "uct-002",
            "002",
            "uct",
            "500 simulations; win 1, tie one half, loss 0; expands the cell with most occupied neighbours, ties "
            "random. The exploration constant is not said; here it is √2. Nor is it said which of two moves with equal "
            "visits is played; here it is a random one.",
            {"iterations": 500, "expansion": "neighbours"},
        ),
        PublishedAgent(
            "alphabeta-002",
            "002",
            "alphabeta",
            "Six moves deep, cells with most occupied neighbours first. What a position at the depth limit is worth "
            "is not said; here it counts as a draw.",
            {"depth": 6, "ordering": "neighbours"},
        ),
        PublishedAgent(
            "alphabeta-002-depth-4",
            "002",
            "alphabeta",
            "The same, four moves deep: AB* in the document's Table 3.",
            {"depth": 4, "ordering": "neighbours"},
        ),
        PublishedAgent(
            "alphabeta-002-plain",
            "002",
            "alphabeta",
            "To the end of the game, cells row by row: the left column of the document's Table 1.",
            {"depth": None, "ordering": "none"},
        ),
        PublishedAgent(
            "perfect-003",
            "003",
            "perfect",
            "Leaves one more than a multiple of four; a random move where that cannot be done.",
            {"when_won": "first", "when_lost": "random"},
        ),
        PublishedAgent(
            "flat-003", "003", "flat", "1,000 random playouts a move.", {"playouts": 1_000, "ties": "first"}
        ),
        PublishedAgent(
            "flat-perfect-003",
            "003",
            "flat-perfect",
            "1,000 playouts a move in which the opponent plays perfectly.",
            {"playouts": 1_000, "ties": "first"},
        ),
        PublishedAgent(
            "uct-003",
            "003",
            "uct",
            "500 simulations; the first untried move is expanded, ln N is that of the root. Its c = 1 on rewards of "
            "±1 is 0.5 on our scale from 0 to 1.",
            {"iterations": 500, "exploration": 0.5, "log_n": "root", "expansion": "first", "ties": "first"},
        ),
        PublishedAgent("value-table-003", "003", "value-table", "Backward induction over all positions."),
        PublishedAgent(
            "flat-004",
            "004",
            "flat",
            "10,000 random playouts a move. Its random move is 1 to 3 whatever is left, so the last one may overshoot.",
            {"playouts": 10_000, "overshoot": True, "ties": "first"},
        ),
    )
}


def agent_with(name: str, options: Mapping[str, object]) -> Agent:
    """The agent of this name, from the catalogue or published, with these options changed; ``OptionError``.

    If seconds are given and no count, time alone ends a search: a default count would end it early.
    """
    own: Mapping[str, object] = {}
    if name in PUBLISHED:
        name, own = PUBLISHED[name].agent_name, PUBLISHED[name].options
    traits = agent_info(name).traits
    if traits.time and options.get(traits.time) is not None and traits.budget and traits.counts == "iterations":
        options = {traits.budget: None, **options}
    return make_agent(name, {**own, **options})


def published_as(agent: Agent) -> PublishedAgent | None:
    """The published player that equals this agent in every option but the seed, if there is one."""
    any_seed = agent.with_seed(None)
    return next((preset for preset in PUBLISHED.values() if preset.agent == any_seed), None)


@lru_cache(maxsize=64)
def named_as_published(agent: Agent) -> PublishedAgent | None:
    """The published player that equals this agent; None if its options are the catalogue's, so its name says all."""
    return published_as(agent) if agent.with_seed(None).changed_options else None
