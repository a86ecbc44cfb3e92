"""``brief`` says the same as ``snapshot``, without moves and trace."""

import pytest
from msgspec.structs import replace

from nimdesk.games import parse_position
from nimdesk.limit import Limit
from nimdesk.search import BriefSearcher
from nimdesk.search.mcts import MctsSearcher
from nimdesk.search.options import MctsOptions, UctOptions
from nimdesk.search.uct import UctSearcher


@pytest.mark.parametrize("text", ["nim:3,4,5", "mnk:5,5,4 c3", "mnk:7,6,4:gravity"])
@pytest.mark.parametrize("iterations", [1, 50, 700])
def test_the_brief_is_the_snapshot_without_the_rest(text: str, iterations: int) -> None:
    uct = UctSearcher(UctOptions(iterations=iterations))
    mcts = MctsSearcher(MctsOptions(iterations=iterations))
    for searcher in (uct, mcts):
        assert isinstance(searcher, BriefSearcher)
        searcher.start(parse_position(text), seed=5)
        searcher.advance(Limit())
        brief, whole = searcher.brief(), replace(searcher.snapshot(), moves=(), trace=None)
        for name in brief.__struct_fields__:
            assert getattr(brief, name) == getattr(whole, name), name
