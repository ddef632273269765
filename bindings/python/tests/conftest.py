from __future__ import annotations

import importlib
import os
import pathlib
from collections.abc import Iterator
from typing import Any

import pytest

import morabase

#: Four against four, won in nine plies; only d6-b6 wins.
FOUR_FOUR = "W:Wd6,d7,f4,f6:Bb4,d3,g1,g4"


def needed(module: str) -> Any:
    """A module without which the test is left out; in CI (``CI=true``) it must be there."""
    if os.environ.get("CI") == "true":
        return importlib.import_module(module)
    return pytest.importorskip(module)


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
