"""The saved page misused: forged addresses, files beside the mark, two windows, undoing."""

from __future__ import annotations

import json

import pytest

from course_lib.counting import MODELS
from tests.anatomy.test_saved_page import choose, details, edit, select, weights

pytestmark = pytest.mark.browser

MEMORY = "localStorage.getItem('transformer-anatomy')"


def _said(page):
    return page.locator(".controls > .error").inner_text()


def _score(page):
    return page.locator(".score").inner_text().split("\n")[0]


@pytest.mark.parametrize(
    ("address", "reason"),
    [
        ("#model=GPT-5", "No model is called “GPT-5” here. GPT-2 small is shown."),
        ("#compare=GPT-5", "No model is called “GPT-5” here. GPT-2 small is shown."),
        ('#edits={"V":-3}', "V must be a whole number of at least 1, got -3. GPT-2 small is shown"),
    ],
)
def test_an_address_that_cannot_be_shown_says_so_and_forgets_nothing(open_page, address, reason):
    page = open_page()
    choose(page, "Pythia 14M")
    page.wait_for_timeout(200)  # until it is remembered
    plain = page.url.partition("#")[0]
    page.goto("about:blank")  # a page that is open would put its own address right by itself
    page.goto(plain + address)
    assert reason in _said(page)
    page.wait_for_timeout(200)
    assert _score(page) == "1 of 10 done"
    assert "vocabulary" in page.evaluate(MEMORY)


def test_an_address_runs_no_script(open_page):
    forged = json.dumps({"name": "<img src=x onerror='document.title=1'>", "L": 3})
    page = open_page(f"#edits={forged}&part=<img src=x>&model=<script>")
    assert page.locator(".picture-name").inner_text().startswith("<img")
    assert page.locator(".anatomy img, .anatomy script").count() == 0
    assert page.title() == "Anatomy of a decoder"


def test_only_challenges_that_there_are_count_as_done(open_page):
    page = open_page()
    page.wait_for_timeout(200)  # nothing is left to be written
    memory = json.dumps({"solved": ["of an older page", 3, None, "sum"], "visited": [{}]})
    page.evaluate("(text) => localStorage.setItem('transformer-anatomy', text)", memory)
    page.reload()
    assert _score(page) == "1 of 10 done"


def test_two_windows_share_what_is_done(open_page):
    first = open_page()
    second = first.context.new_page()
    second.goto(first.url.partition("#")[0])
    choose(first, "Pythia 14M")
    second.locator(".score", has_text="1 of 10 done").wait_for()
    choose(second, "Qwen3 235B-A22B")
    first.locator(".score", has_text="4 of 10 done").wait_for()
    assert first.locator(".picture-name").inner_text() == "Pythia 14M", "each shows its own model"
    first.reload()
    assert _score(first) == "4 of 10 done"


def test_a_file_dropped_beside_its_place_is_read_all_the_same(open_page):
    page = open_page()
    page.evaluate(
        """(text) => {
            const dataTransfer = new DataTransfer();
            dataTransfer.items.add(new File([text], "config.json"));
            const init = { dataTransfer, bubbles: true, cancelable: true };
            const target = document.querySelector(".picture");
            for (const kind of ["dragover", "drop"]) {
                if (target.dispatchEvent(new DragEvent(kind, init))) {
                    throw new Error("the browser would leave the page");
                }
            }
        }""",
        json.dumps({"model_type": "gpt2", "n_layer": 5}),
    )
    page.locator(".picture-name", has_text="config.json").wait_for()
    assert "in all 5" in details(page).inner_text()


def test_what_is_changed_back_is_the_released_model_again(open_page):
    page = open_page()
    edit(page, "V", 50258)
    assert page.locator(".picture-name").inner_text() == "GPT-2 small, edited"
    edit(page, "h_kv", 12)
    edit(page, "V", "50,257")
    assert page.locator(".picture-name").inner_text() == "GPT-2 small"
    assert "Equals the published total" in page.locator(".provenance").inner_text()
    edit(page, "tied", False)
    edit(page, "tied", True)
    assert page.locator(".picture-name").inner_text() == "GPT-2 small"


def test_the_untied_head_is_asked_for_not_its_number_by_other_means(open_page):
    page = open_page()
    edit(page, "V", 50_257 + 50_257)
    assert "163,037,184 parameters" in page.locator(".overview").inner_text()
    assert _score(page) == "0 of 10 done"


@pytest.mark.parametrize(
    ("address", "formula"),
    [
        ("#model=OPT+125M&part=position-embedding", "(T_max + 2) × d = 2,050 × 768"),
        ("#model=GPT-2+small&part=position-embedding", "T_max × d = 1,024 × 768"),
        ("#model=DeepSeek-V2+Lite", "d × (kv_latent + d_rope) = 2,048 × 576"),
        ("#model=DeepSeek-V2+Lite", "kv_latent × h·(d_k - d_rope + d_v) = 512 × 4,096"),
    ],
)
def test_a_shape_reads_as_it_is_computed(open_page, address, formula):
    page = open_page(address)
    shown = details(page).locator("table").first.locator(".shape").all_text_contents()
    assert formula in shown


def test_the_block_names_its_norms_and_both_kinds_of_block(open_page):
    page = open_page("#model=GPT-2+small&part=block")
    rows = details(page).locator("table").first.locator("tbody th").all_text_contents()
    assert [rows[0], rows[10]] == ["norm 1 gain", "norm 2 gain"]
    choose(page, "DeepSeek-V2 Lite")
    select(page, "block", nth=1)
    captions = details(page).locator("caption").all_text_contents()
    assert captions[:2] == ["Weights, in a dense block", "Weights, in a block with experts"]
    assert weights(page)["mlp.router.W"] == ((2048, 64), 131_072)


def test_texts_hold_for_the_model_they_are_about(open_page):
    page = open_page("#model=Qwen3+0.6B&part=mlp")
    assert "holds 60% of a block's parameters" in details(page).inner_text()
    choose(page, "DeepSeek-V2 Lite")
    assert "which only one block has" in details(page).inner_text()
    choose(page, "Phi-2")
    select(page, "block")
    assert "side by side with it" in details(page).inner_text()


def test_english_stays_english_in_a_page_that_runs_from_right_to_left(open_page):
    page = open_page()
    page.evaluate("document.documentElement.dir = 'rtl'")
    assert page.locator(".anatomy").evaluate("(e) => getComputedStyle(e).direction") == "ltr"


def test_without_storage_the_page_works(open_page):
    page = open_page()
    page.add_init_script(
        "Object.defineProperty(window, 'localStorage', { get() { throw new Error('denied'); } })"
    )
    page.reload()
    choose(page, "Pythia 14M")
    assert _score(page) == "1 of 10 done"


def test_a_hurried_reader_ends_where_the_last_choice_was(open_page):
    page = open_page()
    page.evaluate(
        """() => {
            const [model, compare] = document.querySelectorAll("select");
            const names = [...model.options].map((o) => o.value).filter(Boolean);
            const choose = (select, value) => {
                select.value = value;
                select.dispatchEvent(new Event("change"));
            };
            for (let i = 0; i < 200; i += 1) {
                choose(model, names[(7 * i) % names.length]);
                choose(compare, i % 3 ? names[(5 * i) % names.length] : "");
            }
            choose(compare, "");
            choose(model, "Mistral 7B v0.1");
        }"""
    )
    assert page.locator(".picture-name").all_inner_texts() == ["Mistral 7B v0.1"]
    assert f"{MODELS['mistral-7b'].published:,}" in page.locator(".overview").inner_text()


def test_what_is_printed_is_dark_on_light_without_the_line_that_sticks_to_the_screen(open_page):
    page = open_page(color_scheme="dark", viewport={"width": 600, "height": 800})
    page.emulate_media(media="print", color_scheme="dark")
    paper = page.locator(".anatomy").evaluate("(e) => getComputedStyle(e).backgroundColor")
    assert paper == "rgb(255, 255, 255)"
    assert not page.locator(".peek").is_visible()


@pytest.mark.parametrize("width", [320, 640])
def test_wider_spaced_text_stays_within_the_page(open_page, width):
    """WCAG 1.4.12, text spacing."""
    page = open_page("#model=DeepSeek-V2+Lite", viewport={"width": width, "height": 800})
    page.evaluate(
        """for (const e of document.querySelectorAll(".anatomy, .anatomy *")) {
            Object.assign(e.style, {
                letterSpacing: "0.12em", wordSpacing: "0.16em", lineHeight: "1.5",
            });
        }"""
    )
    assert page.evaluate("document.documentElement.scrollWidth") <= width
