"""axe-core finds nothing to object to, whatever is shown, in both themes and at any width."""

from __future__ import annotations

import pytest

pytestmark = pytest.mark.browser

STATES = {
    "first look": "",
    "side by side": "#model=Phi-2&compare=DeepSeek-V3+(main,+no+MTP)&part=experts",
    "edited, without the part": '#edits={"L":3,"tied":false}&compare=GPT-1&part=head',
}


@pytest.mark.parametrize(
    ("state", "theme"),
    [
        ("first look", "light"),
        ("first look", "dark"),
        ("side by side", "dark"),
        ("edited, without the part", "light"),
    ],
)
def test_no_violation(open_page, violations, state, theme):
    assert violations(open_page(STATES[state], color_scheme=theme)) == []


def test_no_violation_on_a_phone(open_page, violations):
    page = open_page(STATES["side by side"], viewport={"width": 360, "height": 740})
    assert violations(page) == []


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_no_violation_with_everything_open_and_something_wrong(open_page, violations, theme):
    page = open_page(color_scheme=theme)
    for summary in page.locator("summary").all():
        summary.click()
    page.locator("[id$='-config-h']").fill("7")
    page.locator("[id$='-config-h']").press("Enter")
    page.get_by_label("Sequence length T").fill("2000")
    page.get_by_label("Sequence length T").press("Enter")
    assert page.locator(".error:not(:empty)").count() == 2
    assert violations(page) == []


def test_axe_is_awake(open_page, violations):
    """The same check on a page with a mistake in it."""
    page = open_page()
    page.evaluate("document.querySelector('.bar').setAttribute('aria-label', '')")
    assert any("role-img-alt" in v for v in violations(page))
