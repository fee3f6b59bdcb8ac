"""Chromium for pages on disk, in a thread of its own so that other browser tests do not meet it."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
Look = Callable[[Any], Any]


@pytest.fixture(scope="session")
def visit() -> Iterator[Callable[..., Any]]:
    """visit(path, look, **context): open a page offline and return look(page).

    Any error in the console, any dialog and any request beyond the page itself fails the test.
    """
    sync = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    path = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
    if not path:
        pytest.skip("no Chromium here; name one in CHROMIUM")
    with ThreadPoolExecutor(1) as thread:
        driver = thread.submit(lambda: sync.sync_playwright().start()).result()
        browser = thread.submit(
            lambda: driver.chromium.launch(executable_path=path, args=ARGUMENTS)
        ).result()

        def visited(page_file: Path, look: Look, **options: Any) -> Any:
            return thread.submit(_visit, browser, page_file, look, options).result()

        yield visited
        thread.submit(browser.close).result()
        thread.submit(driver.stop).result()


def _visit(browser: Any, page_file: Path, look: Look, options: dict[str, Any]) -> Any:
    options = {"viewport": {"width": 1280, "height": 900}, "offline": True} | options
    trouble: list[str] = []
    context = browser.new_context(**options)
    try:
        page = context.new_page()
        page.set_default_timeout(5000)
        page.on("pageerror", lambda error: trouble.append(f"error: {error}"))
        page.on("console", lambda m: trouble.append(m.text) if m.type == "error" else None)
        page.on("dialog", lambda d: (trouble.append(f"dialog: {d.message}"), d.dismiss()))
        wanted = page_file.as_uri()
        page.on(
            "request",
            lambda r: (
                None
                if r.url.split("#")[0] == wanted or r.url.startswith("data:image/png")
                else trouble.append(f"request: {r.url[:100]}")
            ),
        )
        page.goto(wanted)
        seen = look(page)
    finally:
        context.close()
    assert not trouble, "\n".join(trouble)
    return seen


def violations(page: Any) -> list[str]:
    """Say what axe-core objects to, ready to read."""
    if find_spec("axe_playwright_python") is None:
        pytest.skip("axe-playwright-python, which brings axe-core, is not installed")
    page.evaluate((files("axe_playwright_python") / "axe.min.js").read_text(encoding="utf-8"))
    found = page.evaluate("(rules) => axe.run(document, { runOnly: rules })", RULES)
    return [
        f"{v['id']}: {v['help']}: {node['html'][:200]} {node.get('failureSummary', '')}"
        for v in found["violations"]
        for node in v["nodes"]
    ]
