"""Nothing that a student writes acts in nbgrader's formgrader, which shows HTML as it stands."""

from __future__ import annotations

import json
import re
from functools import cache
from html import unescape
from pathlib import Path

import nbformat
import pytest
from nbconvert.exporters import HTMLExporter
from nbgrader.server_extensions.formgrader import handlers
from traitlets.config import Config

from course_lib.grading.grade import grade_job
from course_lib.grading.job import Job
from course_lib.grading.judge.assembly import MOST_WORDS
from course_lib.grading.judge.written import LONGEST, as_typed, harmless
from course_lib.grading.nbgrader_plugin.lms_names import Parsed, names_of_people
from tests.grading.core.judged import (
    SHORT,
    as_bytes,
    by_hand,
    checked,
    graded_cell,
    judged,
    solution,
)
from tests.grading.feedback.attacks import ATTACKS

IMG = "<img src=x onerror=hit()>"
HOOK = "<script>window.hits = 0; window.hit = () => { window.hits += 1 }</script>"
# What Markdown, its formulas and its diagrams add to the ways of HTML.
IN_MARKDOWN = {
    "mermaid": f"```mermaid\ngraph TD\n{IMG}\n```",
    "mermaid in capitals of entities": f"~~~ &#109;ermaid x\n{IMG}\n~~~",
    "mermaid in a list": f"- a\n\n  ```mermaid\n  {IMG}\n  ```",
    "mermaid in a quotation": f"> ```mermaid\n> {IMG}\n> ```",
    "mermaid link": '```mermaid\ngraph TD\nA-->B\nclick A href "javascript:hit()"\n```',
    "reference": "[x][r]\n\n[r]: javascript:hit()",
    "reference, next line": "[x]\n\n[x]:\n  javascript:hit()",
    "reference in a quotation": "> [x]\n>\n> [x]: <javascript:hit()>",
    "reference after its use": "![x][r]\n\n[r]: data:image/svg+xml,<svg/onload=hit()>",
    "automatic link": "<javascript:hit()>",
    "automatic link with attributes": "<div>\n<https://x/onfocus=hit()/autofocus/tabindex=1>\n",
    "link in entities": "[x](&#x6A;avascript&colon;hit())",
    "link in percent signs": "[x](%6Aavascript:hit())",
    "link with escapes": "[x](java\\script:hit())",
    "link with a tab": "[x](java&Tab;script:hit())",
    "link with a control character": "[x](\x01javascript:hit())",
    "link in capitals": "[x](JaVaScRiPt:hit())",
    "link to the server": "[x](/formgrader/api/assignments)",
    "link without a scheme": "[x](//evil.example)",
    "link around a picture": "[![y](x)](javascript:hit())",
    "title of a link": '[x](https://a.b "\\"onmouseover=hit() ")',
    "address of a link": "[x](https://a.b/\"onmouseover=hit()//)",
    "description of a picture": '![" onerror=hit() x="](x)',
    "attachment that is missing": "![x](attachment:x.png)",
    "picture from the server": "![x](/logout)",
    "html after code": f"`` ` ``\n{IMG}",
    "html between formulas": f"a $ b\n\n{IMG}\n\n$ c",
    "html in a formula": f"$$ {IMG} $$ and ${IMG}$",
    "html in an environment": f"\\begin{{align}}{IMG}\\end{{align}}",
    "html across a formula": f"<b $\n{IMG}$>",
    "html in a fence that is none": f"a ``` b\n{IMG}\n```",
    "html in a fence that ends early": f"```\n```\n{IMG}\n```",
    "html in a code span that is none": f"\\`{IMG}`",
    "html in a heading": f"# a {IMG}\n\nb {IMG}\n===",
    "html in a table": f"| a | b |\n|---|---|\n| {IMG} | `x|{IMG}` |",
    "html in a list": f"- [ ] {IMG}\n- {IMG}\n\n      {IMG}",
    "html in a definition": f"term {IMG}\n: what {IMG}",
    "html in a deep quotation": "> " * 30 + IMG,
    "html over two paragraphs": '<b title="\n\n"><img src=x onerror=hit()>',
    "html after an allowed tag": f"<b>\n{IMG}\n</b>",
    "allowed tag with an attribute": "<b onmouseover=hit()>x</b><br/onclick=hit()>",
    "allowed tag that goes on": "<b/onmouseover=hit()>x</b>",
    "instruction": f"<?x {IMG}?><!X {IMG}><![CDATA[{IMG}]]>",
    "closed comment": f"<!-- --!>{IMG} -->",
    "entities of a tag": "&lt;img src=x onerror=hit()&gt; &#60;script&#62;hit()&#60;/script&#62;",
    "formula with a link": "$\\href{javascript:hit()}{x}$",
    "formula with a link in entities": "$\\&#104;ref{javascript:hit()}{x}$ \\hr\0ef{javascript:0}",
    "formula with a style": "\\begin{align}\\style{position:fixed}{x}\\end{align}",
    "formula with a class": "$$\\class{total}{\\cssId{overview}{\\unicode{x61}}}$$",
    "formula with a token": '$\\mmlToken{mi}[href="javascript:hit()"]{x}$',
    "formula that loads": "$\\require{html}\\let\\a=\\href\\a{javascript:hit()}{x}$",
    "too long": "a " * LONGEST + IMG,
    "too tangled": "x" + " " * 500 + IMG,
    "code of any language": f"```html\n{IMG}\n```\n```{IMG}\nx\n```",
}  # fmt: skip
PAYLOADS = ATTACKS | IN_MARKDOWN
ORDINARY = {
    "heading": ("# Title\n\nSome *text* and **more**.", "<em>text</em>"),
    "lists": ("- one\n- two\n\n1. three", "<li>one</li>"),
    "formula": ("For $a<b$ and $$x < y \\frac{1}{2}$$ it holds.", "$a&lt;b$"),
    "environment": ("\\begin{align}a &< b \\\\ c &= d\\end{align}", "a &amp;&lt; b"),
    "comparison": ("It is i < j, and i<j & j > k.", "i &lt; j, and i&lt;j"),
    "code": ("`<eos>` and `a & b`", "<code>&lt;eos&gt;</code>"),
    "fence": ("```html\n<b onclick=x>\n```", "onclick"),
    "links": ("[x](https://a.b/c?d=e&f) <https://g.h> [r]\n\n[r]: http://i.j", 'href="http://i.j"'),
    "link in the text": ("see [below](#title) or [me](mailto:a@b.c)", 'href="#title"'),
    "table": ("| a | b |\n|---|---|\n| 1<br>2 | H<sub>2</sub>O |", "1<br/>2"),
    "picture": ("![x](data:image/png;base64,iVBORw0KGgo=)", "data:image/png;base64,iVBORw0KGgo="),
    "ticks": ("- [ ] open\n- [x] done", "open"),
}


@cache
def _exporter(template: str) -> HTMLExporter:
    settings = Config()
    settings.HTMLExporter.template_name = template
    settings.HTMLExporter.extra_template_basedirs = [handlers.template_path]
    return HTMLExporter(config=settings)


def page_of(notebook, template="formgrade") -> str:
    """Render as the formgrader does."""
    resources = {
        "assignment_id": "hw", "notebook_id": "nb", "submission_id": "s", "index": 0, "total": 1,
        "base_url": "", "student": "ada", "last_name": "", "first_name": "", "notebook_path": "nb",
    }  # fmt: skip
    made = nbformat.from_dict(notebook)
    return _exporter(template).from_notebook_node(made, resources=resources)[0]


def shown(text: str, template: str = "formgrade") -> str:
    cell = {"cell_type": "markdown", "metadata": {}, "id": "c", "source": text}
    return page_of({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [cell]}, template)


def graded_with(texts):
    """A graded notebook whose student wrote the texts wherever text can stand."""
    handed_out = [solution("f_answer", "f = 1"), checked("f", "assert f == 1")]
    handed_out += [by_hand(f"why{n}", "YOUR ANSWER HERE") for n, _ in enumerate(texts)]
    printing = f"f = 1\nfor text in {texts!r}:\n    print(text, '\\x1b[31m' + text + '\\x1b[0m')"
    written = [("code", printing, handed_out[0][2]), handed_out[1]]
    for number, text in enumerate(texts):
        kind, _, marks = handed_out[2 + number]
        written.append((kind, text, marks))
        written += [("markdown", text, {}), ("raw", text, {"raw_mimetype": "text/html"})]
    shows = [f"class Shown:\n    def __repr__(self): return {text!r}\nShown()" for text in texts]
    raises = [f"raise ValueError({text!r})" for text in texts]
    written += [("code", code, {}) for code in (*shows, *raises)]
    return grade_job(Job(as_bytes(handed_out), as_bytes(written), 0, SHORT)).notebook


def without(page: str, blank: str) -> str:
    """Take a page's own scripts and styles out, which want a server; those of a student stay."""
    for own in re.findall(r"(?s)<script\b.*?</script>|<link\b[^>]*>", blank):
        page = page.replace(own, "", 1)
    return page


@pytest.mark.browser
@pytest.mark.slow
@pytest.mark.parametrize("template", ["formgrade", "classic"])
def test_no_payload_runs_in_a_browser(visit, tmp_path, template):
    assert len(PAYLOADS) >= 40
    texts = [text.encode("utf-8", "replace").decode() for text in PAYLOADS.values()]
    notebook = graded_with(texts)
    blank = page_of(notebook | {"cells": []}, template)
    page = without(page_of(notebook, template), blank)
    file = tmp_path / "page.html"
    file.write_text(page.replace("<head>", "<head>" + HOOK), encoding="utf-8")
    assert page.count("onerror=hit()") > 100  # as text: what was typed is there to be read

    def look(page):
        page.wait_for_timeout(300)
        return page.evaluate(
            """() => {
                const root = document.querySelector('#notebook')
                const every = [...root.querySelectorAll('*')]
                for (const kind of ['mouseover', 'focus', 'toggle', 'load', 'error'])
                    every.forEach(one => one.dispatchEvent(new Event(kind)))
                return {
                    hits, address: location.href, scripts: document.scripts.length,
                    handlers: every.filter(one => one.getAttributeNames().some(
                        name => name.startsWith('on'))).map(one => one.outerHTML),
                    tags: [...new Set(every.map(one => one.localName))],
                    links: [...root.querySelectorAll('a')].map(one => one.protocol),
                    pictures: [...root.querySelectorAll('img')].map(one => one.src.slice(0, 15)),
                    formulas: (() => {
                        root.querySelectorAll('pre, code, .highlight').forEach(o => o.remove())
                        return root.textContent
                    })(),
                }
            }"""
        )

    seen = visit(file, look)
    assert (seen["hits"], seen["address"], seen["scripts"]) == (0, file.as_uri(), 1)
    assert seen["handlers"] == []
    assert not {"script", "style", "iframe", "svg", "math", "form", "object"} & set(seen["tags"])
    assert set(seen["links"]) <= {"https:", "http:", "mailto:", "file:"}  # file: of this page
    assert set(seen["pictures"]) <= {"data:image/png;"}
    assert not re.search(r"\\(href|style|class|cssId|mmlToken|require)\b", seen["formulas"])


@pytest.mark.browser
def test_a_payload_does_run_where_nothing_was_done(visit, tmp_path):
    """The page that the other test looks at is one where something could happen."""
    file = tmp_path / "page.html"
    page = without(shown("<svg onload=hit()></svg>"), shown(""))
    file.write_text(page.replace("<head>", "<head>" + HOOK), encoding="utf-8")
    assert visit(file, lambda page: page.evaluate("hits")) == 1


@pytest.mark.parametrize("payload", PAYLOADS.values(), ids=PAYLOADS)
def test_a_harmless_text_stays_as_it_is(payload):
    once = harmless(payload, "markdown")
    assert harmless(once, "markdown") == once or len(payload) > LONGEST or " " * 200 in payload


@pytest.mark.parametrize(("text", "html"), ORDINARY.values(), ids=ORDINARY)
def test_ordinary_words_are_stored_and_shown_as_before(text, html):
    cells = [by_hand("why", "YOUR ANSWER HERE")]
    stored = graded_cell(judged(cells, {"why": text}), "why")["source"]
    assert stored == text
    assert html in shown(stored)


@pytest.mark.parametrize("name", ["heading", "lists", "formula", "code", "fence", "links", "table"])
def test_what_stands_beside_something_harmful_is_shown_as_before(name):
    text, html = ORDINARY[name]
    page = shown(harmless(f"{text}\n\nand {IMG}", "markdown"))
    assert html in page
    assert IMG not in page
    assert "<img src=x onerror=hit()>" in unescape(page)


def test_the_instructors_own_text_is_left_alone():
    own = "<details><summary>Hint</summary>think</details>"
    marked = f"{own}\n\n### BEGIN SOLUTION\nBecause.\n### END SOLUTION"
    handed_out = f"{own}\n\nYOUR ANSWER HERE"
    cells = [by_hand("why", marked), ("markdown", "<div class='note'>Read.</div>", {})]
    result = judged(cells, {"why": handed_out})
    assert graded_cell(result, "why")["source"] == handed_out
    assert result.notebook["cells"][1]["source"] == cells[1][1]


def test_more_words_than_anybody_writes_are_not_looked_at():
    tangled = "<x>" + "\\\\[" * 3000  # most of a second of mistune's time
    cells = [by_hand(f"why{n}", "YOUR ANSWER HERE") for n in range(40)]
    result = judged(cells, {f"why{n}": tangled for n in range(40)})
    stored = [cell["source"] for cell in result.notebook["cells"]]
    looked_at = MOST_WORDS // len(tangled)
    assert all(text == as_typed(tangled) for text in stored[looked_at:])


def test_names_from_an_lms_have_no_markup():
    names = names_of_people([Parsed("1", "nb.ipynb", name='<img src=x onerror="hit()">\\ O\'Neil')])
    assert names == {"1": ("img src=x onerror=hit()", "O'Neil")}


def test_a_graded_file_is_plain_json(tmp_path: Path):
    stored = json.dumps(graded_with([IMG]))
    assert json.loads(stored)["cells"][2]["source"] == "&lt;img src=x onerror=hit()>"


@pytest.mark.parametrize(
    "formula",
    [
        r"\href9{x}", r"\class_1{x}", r"\bbox[position:fixed;top:0]{x}", r"\style{color:red}{x}",
        r"\csname href\endcsname{javascript:alert(1)}{a}", r"\texttip{a}{b}", r"\cssId1{x}",
    ],
)  # fmt: skip
def test_tex_that_speaks_of_the_page_is_shown_as_typed(formula):
    assert harmless(f"so ${formula}$", "markdown") != f"so ${formula}$"


@pytest.mark.parametrize("formula", [r"\urlx", r"\classic", r"\alpha_1 + \frac{1}{2}", r"\dataset"])
def test_other_tex_stays(formula):
    assert harmless(f"so ${formula}$", "markdown") == f"so ${formula}$"
