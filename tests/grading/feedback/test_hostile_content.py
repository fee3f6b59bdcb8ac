"""Nothing that a student writes acts in a page, wherever it stands."""

from __future__ import annotations

import copy
import json
import re
from dataclasses import asdict, replace

import pytest

from course_lib.grading.feedback import render_page
from course_lib.grading.feedback.clean import TAGS
from course_lib.grading.feedback.formula import ATTRIBUTES, ELEMENTS
from course_lib.grading.marks import Mark
from course_lib.grading.result import CellScore, Mistake
from tests.grading.feedback.attacks import ATTACKS
from tests.grading.feedback.conftest import elements, graded_notebook, marks_of
from tests.grading.marks.browser import violations
from tests.grading.marks.scratch_course import cell, notebook

OURS = TAGS | {"html", "head", "meta", "title", "style", "body", "header", "main", "section"}


def stream(text):
    return {"output_type": "stream", "name": "stdout", "text": text}


def rich(kind, text, metadata=None):
    data = {kind: text, "text/plain": text}
    return {"output_type": "display_data", "data": data, "metadata": metadata or {}}


def everywhere(attack: str):
    """A notebook with the text in every place, and its marks."""
    score = asdict(
        CellScore("f", "code", 0.0, 4, "failed", attack, (Mistake("m", attack, attack),), attack)
    )
    error = {"output_type": "error", "ename": attack, "evalue": attack, "traceback": [attack]}
    outputs = [
        stream(attack), error, rich("text/html", attack), rich("image/svg+xml", attack),
        rich("image/png", attack, {"image/png": {"width": attack}}), rich("text/latex", attack),
        rich("application/javascript", "hit()"), rich("text/markdown", attack),
    ]  # fmt: skip
    made = notebook(
        cell("text", f"# {attack}\n\n{attack}"),
        cell("answer", attack, attack, outputs=copy.deepcopy(outputs)),
        cell("test", attack, attack, 4, outputs=copy.deepcopy(outputs)),
        cell("written", f"{attack}\n\n```\n{attack}\n```\n\n${attack}$\n\n- {attack}", "w", 1),
        cell("code", attack, outputs=copy.deepcopy(outputs)),
        title=attack,
        widgets={"application/vnd.jupyter.widget-state+json": {"state": attack}},
        judge={"remarks": [{"kind": attack, "text": attack, "needs_look": True}]},
    )
    made["cells"][2]["metadata"]["judge"] = {"score": score, "public": outputs}
    for one in made["cells"]:
        one["metadata"] |= {"tags": [attack], "name": attack}
        one["id"] = attack[:60]
        one["attachments"] = {attack: {"image/png": attack}}
    marks = {attack: Mark(attack, 0, 4, 0.0), "w": Mark("w", 0, 1, None, waiting=True)}
    given = marks_of(
        student=attack, notebook=attack, marks=marks, comments={attack: attack, "w": attack}
    )
    return made, given


@pytest.mark.parametrize("attack", ATTACKS.values(), ids=ATTACKS)
def test_a_page_has_no_element_and_no_attribute_that_acts(attack):
    made, marks = everywhere(attack)
    found = elements(render_page(made, marks, attack))
    plain = elements(render_page(graded_notebook(), marks_of(), "hw"))
    assert {tag for tag, _ in found} <= OURS | ELEMENTS
    for tag, attributes in found:
        assert tag not in ELEMENTS or attributes.keys() <= ATTRIBUTES
    assert sum(tag == "style" for tag, _ in found) == 1
    assert [a for t, a in found if t == "meta"][:1] == [a for t, a in plain if t == "meta"][:1]
    assert sum(tag == "meta" for tag, _ in found) == sum(tag == "meta" for tag, _ in plain)
    assert sum("id" in a and a["id"] == "overview" for _, a in found) == 1
    assert sum(a.get("class") == "total" for _, a in found) == 1
    for tag, attributes in found:
        assert not [name for name in attributes if name.startswith("on") or name == "style"]
        assert re.match(r"(https?:|mailto:|#part\d+$|$)", attributes.get("href") or "")
        if tag == "img":
            assert (attributes["src"] or "").startswith("data:image/png;base64,iVBORw0KGgo")


@pytest.mark.browser
def test_nothing_runs_or_is_fetched_even_without_the_content_policy(visit, tmp_path):
    """All attacks on one page, with the second wall taken away, in a real browser."""
    made, marks = everywhere("\n\n".join(ATTACKS.values()))
    singly = [everywhere(attack)[0]["cells"] for attack in ATTACKS.values()]
    made["cells"] += [one for cells in singly for one in cells]
    page = render_page(made, marks, "hw")
    bare = re.sub(r'<meta http-equiv="Content-Security-Policy"[^>]*>', "", page)
    assert bare != page
    script = "<script>window.hits = 0; window.hit = () => { window.hits += 1 }</script>"
    file = tmp_path / "page.html"
    file.write_bytes(bare.replace("<head>", "<head>" + script).encode("utf-8", "replace"))

    def look(page):
        page.evaluate("document.querySelectorAll('details').forEach(d => { d.open = true })")
        page.wait_for_timeout(200)
        return page.evaluate(
            """() => ({
                hits, address: location.href,
                cover: document.elementFromPoint(640, 60).closest('header') !== null,
                hidden: getComputedStyle(document.querySelector('main')).display,
                scripts: document.scripts.length,
            })"""
        )

    seen = visit(file, look)
    assert seen == {"hits": 0, "address": file.as_uri(), "cover": True, "hidden": "block",
                    "scripts": 1}  # fmt: skip


@pytest.mark.browser
def test_the_content_policy_stops_what_the_cleaning_would_miss(visit, tmp_path):
    page = render_page(graded_notebook(), marks_of(), "hw")
    hostile = (
        "<script>document.title = 'hit'</script><p id='x' style='position:fixed' "
        "onclick=\"document.title = 'hit'\">x</p><style>main{display:none}</style>"
    )
    file = tmp_path / "page.html"
    file.write_text(page.replace("<main>", "<main>" + hostile), encoding="utf-8")

    def look(page):
        page.locator("#x").click()
        return page.evaluate(
            """() => [document.title, getComputedStyle(document.querySelector('main')).display,
                      getComputedStyle(document.querySelector('#x')).position,
                      getComputedStyle(document.body).maxWidth !== 'none']"""
        )

    seen = []
    with pytest.raises(AssertionError, match="Content Security Policy"):  # it says so, too
        visit(file, lambda page: seen.append(look(page)))
    assert seen == [["nb: 2 of 10 points", "block", "static", True]]


@pytest.mark.browser
def test_a_hostile_page_is_still_a_readable_one(visit, tmp_path):
    made, marks = everywhere(ATTACKS["breakout"])
    file = tmp_path / "page.html"
    file.write_text(render_page(made, marks, "hw"), encoding="utf-8")
    assert visit(file, violations) == []


def test_endless_nesting_and_endless_lines_are_cut_short():
    deep = {
        "quotes": ">" * 15_000,
        "brackets": "[" * 15_000,
        "stars": "*a " * 6_000,
        "tags": "<div>" * 3_000 + "x",
        "lists": "\n".join(" " * n + "- a" for n in range(180)),
        "too long": "word " * 2_000_000,
    }
    for text in deep.values():
        made = notebook(
            cell("written", text, "w", 1),
            cell("answer", text, "a", outputs=[stream(text)]),
        )
        marks = marks_of(marks={"w": Mark("w", 0, 1)})
        page = render_page(made, marks)
        assert "</html>" in page
        assert len(page) < 200_000


def test_a_report_of_endless_nesting_is_not_shown():
    report = rich("text/html", "<div>" * 500_000)
    made = notebook(cell("test", "t()", "t", 1, outputs=[report]))
    page = render_page(made, marks_of(marks={"t": Mark("t", 1, 1)}))
    assert "too long to be shown" in page
    assert len(page) < 20_000


def test_what_is_no_notebook_metadata_does_not_stop_a_page():
    made = graded_notebook()
    made["cells"][3]["outputs"] += [
        {"output_type": "display_data", "data": {"image/png": 7}, "metadata": None},
        {"output_type": "display_data", "data": None},
        {"output_type": "error"},
        {"output_type": "stream"},
        {"output_type": "no such type"},
        {},
    ]
    made["cells"].append({"cell_type": "raw", "source": ["<b>raw", "</b>"], "metadata": {}})
    page = render_page(json.loads(json.dumps(made)), replace(marks_of(), notebook="x"))
    assert "no such type" not in page
