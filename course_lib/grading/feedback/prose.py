"""Markdown as a feedback page shows it: safe HTML, formulas as MathML."""

from __future__ import annotations

import re
from functools import lru_cache
from html import escape
from typing import Any

import mistune

from course_lib.grading.feedback.clean import clean_html, plain_text, without_headings
from course_lib.grading.feedback.formula import set_formulas

LONGEST = 20_000  # characters of one text; what is longer is shown as it was typed
MOST_BLANKS = 200  # one after another in a line: mistune takes time with the square of them
BLANKS = re.compile(rf"[^\S\n]{{{MOST_BLANKS},}}+")
HEADING = re.compile(r"(?m)^ {0,3}#{1,6}[ \t]++([^\n]++)")
LONGEST_HEADING = 1_000  # characters of it that are read


@lru_cache(maxsize=2)
def _markdown(mathjax: bool) -> mistune.Markdown:
    markdown = mistune.create_markdown(
        escape=False, plugins=["table", "strikethrough", "math", "url"]
    )
    begin, end = (r"\(", r"\)") if mathjax else ("", "")

    def formula(_renderer: Any, text: str) -> str:
        # <var> marks TeX through the cleaning; what it becomes is set in afterwards.
        return f"<var>{begin}{escape(text.strip())}{end}</var>"

    def formula_block(renderer: Any, text: str) -> str:
        return f"<div>{formula(renderer, text)}</div>\n"

    assert isinstance(markdown.renderer, mistune.HTMLRenderer)
    markdown.renderer.register("inline_math", formula)
    markdown.renderer.register("block_math", formula_block)
    return markdown


@lru_cache(maxsize=512)
def prose(text: str, stock: bool = False, typed: bool = False) -> str:
    """Turn Markdown into safe HTML; a text too long or too tangled is shown as it was typed.

    stock: for nbgrader's own pages, which load MathJax and have the headings of the notebook.
    typed: shown as it was typed, however short.
    """
    text = plain_text(text)
    if len(text) <= LONGEST and not typed:
        try:
            text = BLANKS.sub(" " * MOST_BLANKS, text)
            html = clean_html(str(_markdown(stock)(text)))
            return html if stock else reachable(set_formulas(without_headings(html)))
        except (RecursionError, ValueError, IndexError, KeyError, TypeError, AttributeError):
            pass
    left = len(text) - LONGEST
    more = f"\n… ({left:,} more characters)" if left > 0 else ""
    return reachable(f"<pre>{escape(text[:LONGEST])}{more}</pre>")


def reachable(html: str) -> str:
    """Let the keyboard reach the code in clean HTML, which scrolls sideways."""
    return html.replace("<pre>", '<pre tabindex="0">')


def heading(text: str) -> str:
    """Return the last heading of a Markdown text as plain words, or ""."""
    body = re.sub(r"(?ms)^(```|~~~).*?^\1", "", text)
    found = HEADING.findall(body)
    if not found:
        return ""
    last = found[-1][:LONGEST_HEADING].rstrip(" \t").rstrip("#").rstrip(" \t")
    return plain_text(re.sub(r"[`*$]|<[^<>]*+>", "", last))[:120].strip()
