"""The widget in JupyterLab, in a real browser: one server and one notebook for all tests."""

from __future__ import annotations

import json
import os
import re
import secrets
import socket
import subprocess
import sys
import time
import urllib.request
from importlib.util import find_spec
from pathlib import Path

import pytest

from course_lib.counting import MODELS, params
from tests.anatomy.test_saved_page import (
    GPT2_PARTS,
    choose,
    edit,
    meet_all_challenges_by_keyboard,
    select,
    set_T,
    solved,
    tab_to,
)

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(find_spec("jupyterlab") is None, reason="jupyterlab is not installed"),
]

ROOT = Path(__file__).parents[2]
CELLS = [
    "from course_lib.anatomy import Anatomy\nanatomy = Anatomy('gpt2', T=8)\nanatomy",
    "print(anatomy, anatomy.part, anatomy.solved, f'{anatomy.config.L} blocks')",
    "anatomy.T = 64\nanatomy.part = 'head'",
    "Anatomy('tiny')",
]

SETTINGS = {
    "apputils-extension/notification": {"fetchNews": "false", "checkForUpdates": False},
    "notebook-extension/tracker": {"windowingMode": "none"},  # every cell stays in the page
}


def _notebook(sources):
    cells = [
        {
            "cell_type": "code",
            "id": f"c{i}",
            "metadata": {},
            "source": source,
            "outputs": [],
            "execution_count": None,
        }
        for i, source in enumerate(sources)
    ]
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    return json.dumps(
        {"cells": cells, "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5}
    )


@pytest.fixture(scope="module")
def lab_address(tmp_path_factory):
    """The address of a notebook on a JupyterLab with its own folders and settings."""
    home = tmp_path_factory.mktemp("lab")
    work = home / "work"
    work.mkdir()
    (work / "anatomy.ipynb").write_text(_notebook(CELLS), encoding="utf-8")
    for name, values in SETTINGS.items():
        file = home / "settings" / "@jupyterlab" / f"{name}.jupyterlab-settings"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(values), encoding="utf-8")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    token = secrets.token_hex(16)
    own = {"CONFIG_DIR": "config", "DATA_DIR": "data", "RUNTIME_DIR": "runtime"}
    environment = {
        **os.environ,
        **{f"JUPYTER_{key}": str(home / folder) for key, folder in own.items()},
        "JUPYTERLAB_SETTINGS_DIR": str(home / "settings"),
        "JUPYTERLAB_WORKSPACES_DIR": str(home / "workspaces"),
        "IPYTHONDIR": str(home / "ipython"),
        "PYTHONPATH": str(ROOT),
    }
    command = [
        *(sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root"),
        *(f"--ServerApp.port={port}", "--ServerApp.port_retries=0", "--ServerApp.ip=127.0.0.1"),
        *(f"--IdentityProvider.token={token}", f"--ServerApp.root_dir={work}"),
    ]
    log = (home / "log").open("w")
    server = subprocess.Popen(command, env=environment, stdout=log, stderr=log)
    address = f"http://127.0.0.1:{port}"
    try:
        deadline = time.monotonic() + 60
        while True:
            try:
                urllib.request.urlopen(f"{address}/api?token={token}", timeout=2).close()
                break
            except OSError:
                if server.poll() is not None or time.monotonic() > deadline:
                    pytest.fail(f"JupyterLab did not start: {(home / 'log').read_text()[-2000:]}")
                time.sleep(0.2)
        yield f"{address}/lab/tree/anatomy.ipynb?token={token}&reset"
    finally:
        server.terminate()
        server.wait(20)
        log.close()


@pytest.fixture(scope="module")
def lab(chromium, lab_address):
    """The notebook with the widget in its first output."""
    page = chromium.new_page(viewport={"width": 1400, "height": 1000})
    page.set_default_timeout(30_000)
    page.goto(lab_address)
    page.get_by_text("| Idle").wait_for(timeout=60_000)
    _run(page, 0)
    page.locator(".anatomy .details").wait_for(timeout=60_000)
    yield page
    page.close()


def _run(page, cell):
    page.locator(".jp-Notebook .jp-Cell").nth(cell).locator(
        ".jp-Cell-inputArea .cm-content"
    ).click()
    page.keyboard.press("Shift+Enter")


def _python_side(page):
    """What the second cell prints about the widget's traits, run anew."""
    cell = page.locator(".jp-Notebook .jp-Cell").nth(1)
    prompt = cell.locator(".jp-InputArea-prompt")
    before = prompt.inner_text()
    _run(page, 1)
    page.wait_for_function(
        """(before) => {
            const cell = document.querySelectorAll(".jp-Notebook .jp-Cell")[1];
            const now = cell.querySelector(".jp-InputArea-prompt").innerText;
            return /\\d/.test(now) && now !== before;
        }""",
        arg=before,
        timeout=10_000,
    )
    return cell.locator(".jp-OutputArea-output").last.inner_text()


def _figure(page, name="Parameters"):
    row = page.locator(".overview").first.locator(".figures > div", has_text=name)
    return row.locator(".value").inner_text()


def _panel(page):
    return page.locator(".details").first.inner_text()


def test_the_widget_shows_the_documents_figures(lab):
    assert "2,362,368 parameters a block, 28,348,416 in all 12" in _panel(lab)
    assert _figure(lab) == "124,439,808"
    assert _python_side(lab).startswith("Anatomy(model='GPT-2 small', T=8) attention [] 12 blocks")


def test_the_mouse_selects_and_python_knows(lab):
    lab.locator(".picture [data-part=mlp]").click()
    assert "4,722,432 parameters a block" in _panel(lab)
    assert " mlp " in _python_side(lab)


def test_the_keyboard_selects_and_the_notebook_keeps_out_of_it(lab):
    lab.locator(".picture [data-part=mlp]").focus()
    cells = lab.locator(".jp-Notebook .jp-Cell").count()
    for key in ("ArrowDown", "Enter"):
        lab.keyboard.press(key)
    assert lab.evaluate("document.activeElement.dataset.part") == "final-norm"
    assert "1,536 parameters" in _panel(lab)
    for key in ("Home", "Enter"):
        lab.keyboard.press(key)
    assert "38,597,376 parameters" in _panel(lab)
    lab.get_by_label("Sequence length T").focus()
    lab.keyboard.press("Control+A")
    lab.keyboard.type("1024")
    lab.keyboard.press("Enter")
    assert lab.locator(".jp-Notebook .jp-Cell").count() == cells
    assert "T=1024) token-embedding" in _python_side(lab)


@pytest.mark.parametrize(
    "focus", ["[data-part=mlp]", "select", "input[type=range]", ".own > summary"]
)
def test_the_notebooks_one_letter_commands_do_not_reach_the_widget(lab, focus):
    """Typing "m" in the list of models once turned the cell into Markdown."""
    lab.locator(f".anatomy {focus}").first.focus()
    state = """() => [...document.querySelectorAll(".jp-Notebook .jp-Cell")].map((cell) =>
        [cell.classList.contains("jp-CodeCell"),
         cell.querySelector(".jp-InputArea-prompt").innerText])"""
    before = lab.evaluate(state)
    for key in ("a", "b", "m", "r", "d", "d", "Control+Enter", "Alt+Enter"):
        lab.keyboard.press(key)
        assert lab.evaluate("Boolean(document.activeElement.closest('.anatomy'))"), key
    lab.wait_for_timeout(300)
    assert lab.evaluate(state) == before
    choose(lab, "GPT-2 small")


def test_two_widgets_keep_their_labels_apart(lab):
    _run(lab, 3)
    lab.locator(".anatomy").nth(1).wait_for()
    ids = lab.evaluate("[...document.querySelectorAll('.anatomy [id]')].map((e) => e.id)")
    assert len(ids) > 100
    assert len(ids) == len(set(ids))
    second = lab.locator(".anatomy").nth(1)
    second.get_by_text("Side by side with").click()
    assert second.evaluate("(e) => e.contains(document.activeElement)")
    lab.locator(".jp-Notebook .jp-Cell").nth(3).locator(".cm-content").click()
    lab.keyboard.press("Control+A")
    lab.keyboard.type("None")
    lab.keyboard.press("Shift+Enter")
    second.wait_for(state="detached")


def test_python_sets_and_the_widget_follows(lab):
    _run(lab, 2)
    lab.locator(".details[data-details=head]").wait_for()
    assert "64 × 50,257" in _panel(lab)


def test_another_model_and_one_beside_it(lab):
    lab.get_by_label("Model", exact=True).select_option("Llama 3 8B")
    lab.get_by_label("Side by side with").select_option("Llama 3.1 8B")
    assert _figure(lab) == f"{params(MODELS['llama-3-8b']):,}"
    assert lab.locator(".picture").count() == 2
    assert "twins" in _python_side(lab)
    lab.get_by_label("Side by side with").select_option("")


def _open(page, text):
    if page.locator(".own").get_attribute("open") is None:
        page.locator(".own > summary").click()
    page.get_by_label("Drop a config.json here").set_input_files(
        {"name": "config.json", "mimeType": "application/json", "buffer": text.encode()}
    )


def test_python_reads_a_config_file_and_refuses_a_broken_one(lab):
    _open(lab, json.dumps({"model_type": "gpt2", "n_layer": 3}))
    lab.locator(".picture-name", has_text="config.json").wait_for()
    assert _figure(lab) == f"{124_439_808 - 9 * 7_087_872:,}"
    assert "3 blocks" in _python_side(lab)
    _open(lab, '{"model_type": "mistrall"}')
    reason = lab.locator(".drop .error", has_text="refused")
    reason.wait_for()
    assert '"mistrall" cannot be counted; did you mean mistral?' in reason.inner_text()
    assert _figure(lab) == f"{124_439_808 - 9 * 7_087_872:,}"


def test_all_challenges_and_python_knows(lab):
    choose(lab, "GPT-2 small", "")
    for part in GPT2_PARTS:
        select(lab, part)
    choose(lab, "Pythia 14M")
    set_T(lab, 257)
    choose(lab, "Llama 3.1 405B")
    select(lab, "attention")
    choose(lab, "Llama 3.1 8B")
    set_T(lab, 131072)
    choose(lab, "Llama 3.1 8B", "Llama 3 8B")
    choose(lab, "Qwen3 235B-A22B", "")
    choose(lab, "GPT-2 small")
    edit(lab, "tied", False)
    choose(lab, "GPT-2 small")
    edit(lab, "h_kv", 3)
    assert len(solved(lab)) == 10
    printed = _python_side(lab)
    for challenge in ("sum", "scores", "mlp", "grouped", "long", "vocabulary", "twins", "sparse"):
        assert repr(challenge) in printed
    assert "'untie'" in printed
    assert "'cache'" in printed


def test_all_challenges_by_keyboard_alone(lab):
    choose(lab, "GPT-2 small", "")
    lab.get_by_label("Model", exact=True).focus()
    tab_to(lab, ".challenges button")  # start over
    lab.keyboard.press("Enter")
    assert solved(lab) == set()
    cells = lab.locator(".jp-Notebook .jp-Cell").count()
    meet_all_challenges_by_keyboard(lab)
    assert len(solved(lab)) == 10
    assert lab.locator(".jp-Notebook .jp-Cell").count() == cells
    tab_to(lab, ".anatomy select[id$='-compare']")  # two models side by side
    lab.keyboard.type("Llama 3 70B")
    assert lab.locator(".picture").count() == 2
    lab.keyboard.press("Home")
    assert "'cache'" in _python_side(lab)


@pytest.mark.parametrize("theme", ["Dark", "Light"])
def test_it_wears_the_colours_of_the_theme(lab, theme):
    lab.get_by_role("menuitem", name="Settings", exact=True).click()
    lab.get_by_text("Theme", exact=True).hover()
    command = "[data-command='apputils:change-theme']"
    lab.locator(command).filter(has_text=re.compile(f"^JupyterLab {theme}$")).click()
    is_light = str(theme == "Light").lower()
    lab.wait_for_function(f"document.body.dataset.jpThemeLight === '{is_light}'")
    lab.wait_for_function(
        """() => {
            const [, ...rgb] = getComputedStyle(document.querySelector(".anatomy"))
                .backgroundColor.match(/(\\d+), (\\d+), (\\d+)/).map(Number);
            return (Math.min(...rgb) > 200) === (document.body.dataset.jpThemeLight === "true");
        }"""
    )


@pytest.mark.parametrize("theme", ["Dark", "Light"])
def test_axe_finds_no_violation_in_the_widget(lab, violations, theme):
    test_it_wears_the_colours_of_the_theme(lab, theme)
    assert violations(lab, ".anatomy") == []


def test_without_a_kernel_a_file_is_refused_with_the_reason_and_the_rest_works(lab):
    lab.get_by_role("menuitem", name="Kernel", exact=True).click()
    lab.get_by_text("Restart Kernel…", exact=True).click()
    lab.get_by_role("button", name="Confirm Kernel Restart").click()
    lab.locator(".jp-Dialog").wait_for(state="detached")
    lab.wait_for_timeout(1500)
    _open(lab, json.dumps({"model_type": "gpt2"}))
    reason = lab.locator(".drop .error", has_text="refused")
    reason.wait_for()
    assert "kernel" in reason.inner_text()
    select(lab, "mlp")
    assert "4,722,432 parameters a block" in _panel(lab)
