"""The pages on the package are run, and what they print is compared."""

from __future__ import annotations

import contextlib
import doctest
import io
import pathlib
import re
import subprocess
import sys
from typing import Any

import pytest

import morabase
from conftest import needed

PACKAGE = pathlib.Path(__file__).parents[1]
PAGE = PACKAGE.parents[1] / "docs" / "python.md"
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def sessions(page: str) -> list[tuple[str, str]]:
    """The Python blocks of a page, each with the text block right after it, which is what it prints."""
    found: list[tuple[str, str]] = []
    end = -1
    for block in BLOCK.finditer(page):
        language, text = block.groups()
        if language == "python":
            found.append((text, ""))
        elif language == "text" and page[end : block.start()].strip() == "":
            found[-1] = (found[-1][0], text)
        end = block.end()
    return found


def test_the_page_prints_what_stands_below_its_code() -> None:
    found = sessions(PAGE.read_text(encoding="utf-8"))
    assert len(found) >= 8
    names: dict[str, Any] = {}
    for code, expected in found:
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(code, str(PAGE), "exec"), names)
        assert printed.getvalue() == expected


def test_the_recipe_for_several_processes_prints_what_the_page_says(tmp_path: pathlib.Path) -> None:
    page = PAGE.read_text(encoding="utf-8")
    recipe = page.split("```python recipe\n")[1].split("```")[0]
    script = tmp_path / "recipe.py"
    script.write_text(recipe, encoding="utf-8")
    done = subprocess.run([sys.executable, str(script)], check=True, capture_output=True, text=True)
    assert f"It prints `{done.stdout.strip()}`." in page


def test_the_examples_in_docstrings_are_right() -> None:
    runner = doctest.DocTestRunner()
    tried = 0
    for name in ["", *morabase.__all__]:
        value = getattr(morabase, name) if name else morabase
        text = value.__doc__ or ""
        if ">>>" in text:
            test = doctest.DocTestParser().get_doctest(text, dict(vars(morabase), morabase=morabase), name, None, 0)
            result = runner.run(test)
            assert result.failed == 0, name
            tried += result.attempted
    assert tried >= 5


def test_every_public_name_has_a_docstring() -> None:
    for name in morabase.__all__:
        value = getattr(morabase, name)
        assert value.__doc__, name
        if not isinstance(value, type) or value.__module__ != "morabase" or issubclass(value, (Exception, tuple)):
            continue
        for member, thing in vars(value).items():
            if not member.startswith("_") and not isinstance(thing, value):
                assert thing.__doc__, f"{name}.{member}"


def test_the_page_lists_every_exception() -> None:
    page = PAGE.read_text(encoding="utf-8")
    for name in morabase.__all__:
        if name.endswith("Error"):
            assert f"`{name}`" in page or name == "Error", name


def test_stubs_say_what_is_there(tmp_path: pathlib.Path) -> None:
    stubtest = needed("mypy.stubtest")
    # The `__new__` of an enum that is a text too is made by `enum`, and looks up members.
    allowed = tmp_path / "allowed"
    allowed.write_text("morabase._verdict.Verdict.__new__\n", encoding="utf-8")
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        status = stubtest.test_stubs(stubtest.parse_options(["morabase", "--concise", "--allowlist", str(allowed)]))
    assert status == 0, printed.getvalue()


def test_the_tests_and_examples_agree_with_the_types(tmp_path: pathlib.Path) -> None:
    api = needed("mypy.api")
    options = ["--strict", "--ignore-missing-imports", "--cache-dir", str(tmp_path)]
    out, err, status = api.run([*options, str(PACKAGE / "tests"), str(PACKAGE / "examples")])
    assert status == 0, out + err


def test_the_example_plots_a_histogram(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    matplotlib = needed("matplotlib")
    matplotlib.use("Agg")
    script = PACKAGE / "examples" / "dtc_histogram.py"
    picture = tmp_path / "histogram.png"
    monkeypatch.setattr("sys.argv", [str(script), "4-4", str(picture)])
    exec(compile(script.read_text(encoding="utf-8"), str(script), "exec"), {"__name__": "__main__"})
    assert picture.read_bytes().startswith(b"\x89PNG")
