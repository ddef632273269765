from __future__ import annotations

import pathlib
from collections.abc import Iterator

import pytest

import morabase

#: Four against four, won in nine plies; only d6-b6 wins.
FOUR_FOUR = "W:Wd6,d7,f4,f6:Bb4,d3,g1,g4"


@pytest.fixture(scope="session")
def tables() -> Iterator[morabase.Tablebase]:
    """The tables inside the package."""
    with morabase.Tablebase() as opened:
        yield opened


@pytest.fixture(scope="session")
def plain(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    """A directory with the tables of up to seven cows under the rules `plain`."""
    directory = tmp_path_factory.mktemp("plain")
    morabase.build(directory, max_cows=7, rules="plain")
    return directory
