"""What Markdown becomes in nbgrader's formgrader: nbconvert's renderer, watched at work.

nbconvert takes a second to import; `written` imports this only for texts that need it.
"""

from __future__ import annotations

import re
from html import unescape

from nbconvert.filters.markdown_mistune import IPythonRenderer, MarkdownWithMath

from course_lib.grading.judge.written import LINK, PICTURE, TAG, TEX

CODE = re.compile(r"(?s)<(pre|code)\b.*?</\1>")  # which MathJax leaves alone


class Watched(IPythonRenderer):
    """Notes in `acts` whether it lets something through that acts; the rest it escapes."""

    acts = False

    def inline_html(self, html: str) -> str:
        """Look at a tag of the student's own."""
        self.acts |= bool(TAG.search(html))
        return html

    block_html = inline_html

    def link(self, text: str, url: str, title: str | None = None) -> str:
        """Look at where a link leads."""
        self.acts |= not LINK.match(unescape(url))
        return str(super().link(text, url, title))

    def image(self, text: str, url: str, title: str | None = None) -> str:
        """Look at where a picture comes from."""
        self.acts |= not PICTURE.fullmatch(unescape(url))
        return text

    def block_mermaidjs(self, code: str) -> str:
        """Object to a diagram: nbconvert does not escape it."""
        self.acts = True
        return code


def acts(text: str) -> bool:
    """Say whether Markdown, once rendered, would do more than show."""
    watched = Watched(escape=False)
    try:
        html = MarkdownWithMath(renderer=watched).render(text)
    except Exception:  # the formgrader would fail as well, whatever it is
        return True
    return watched.acts or bool(TEX.search(unescape(CODE.sub(" ", html))))
