from collections.abc import Iterator

import pytest
from example_packages import example_site, installed


@pytest.fixture
def _kayles() -> Iterator[None]:
    """A game of another package, which has its rules and a formula."""
    with installed(example_site("kayles")):
        yield
