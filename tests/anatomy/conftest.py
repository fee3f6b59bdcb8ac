"""A browser for the explorer's tests, and the page as a reader gets it: a file, offline."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from importlib.resources import files
from importlib.util import find_spec
from typing import Any

import pytest

from course_lib.anatomy.page import write_page
from course_lib.anatomy.source import module

ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    """Debian's Chromium, headless; CHROMIUM names another one."""
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    path = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
    if not path:
        pytest.skip("no Chromium here; name one in CHROMIUM")
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=path, args=ARGUMENTS)
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def saved_page(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The address of the page, written as `python -m course_lib.anatomy --out` writes it."""
    return write_page(tmp_path_factory.mktemp("anatomy") / "page.html").as_uri()


@pytest.fixture
def open_page(chromium: Any, saved_page: str) -> Iterator[Any]:
    """A function that opens the page in a fresh profile; any script error fails the test."""
    contexts, errors = [], []

    def opened(address: str = "", **options: Any) -> Any:
        options = {"viewport": {"width": 1280, "height": 900}, "offline": True} | options
        context = chromium.new_context(**options)
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(5000)
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.on("console", lambda m: errors.append(m.text) if m.type == "error" else None)
        page.goto(saved_page + address)
        return page

    yield opened
    for context in contexts:
        context.close()
    assert not errors


@pytest.fixture(scope="session")
def violations() -> Callable[..., list[str]]:
    """A function that says what axe-core objects to in a part of a page, ready to read."""
    if find_spec("axe_playwright_python") is None:
        pytest.skip("axe-playwright-python, which brings axe-core, is not installed")
    axe = (files("axe_playwright_python") / "axe.min.js").read_text(encoding="utf-8")
    rules = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]

    def found(page: Any, within: str = "body") -> list[str]:
        page.evaluate(axe)
        result = page.evaluate(
            "([within, rules]) => axe.run(within, { runOnly: rules })", [within, rules]
        )
        return [
            f"{v['id']}: {v['help']}: {node['html'][:200]} {node.get('failureSummary', '')}"
            for v in result["violations"]
            for node in v["nodes"]
        ]

    return found


@pytest.fixture(scope="session")
def counting_in_browser(chromium: Any) -> Iterator[Any]:
    """A page that holds the explorer's arithmetic as `lib`, without any picture."""
    page = chromium.new_page()
    page.goto("about:blank")
    source = module("count.js", "hub_config.js", "parts.js")
    page.evaluate(
        """async (source) => {
            const address = URL.createObjectURL(new Blob([source], { type: "text/javascript" }));
            globalThis.lib = await import(address);
        }""",
        source,
    )
    yield page
    page.close()
