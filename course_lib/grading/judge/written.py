"""What a student wrote in words, made fit for pages that run whatever HTML they are given.

nbgrader's formgrader hands Markdown through with its HTML, on the instructor's own server.
"""

from __future__ import annotations

import re
from html import escape

LONGEST = 10_000  # characters of one text; mistune takes time with the square of some
MOST_BLANKS = 200  # one after another, as in `feedback.prose`
BLANKS = re.compile(rf"[^\S\n]{{{MOST_BLANKS},}}")
PLAIN = r"/?(?:b|br|del|em|hr|i|ins|kbd|mark|s|small|strong|sub|sup|u) ?/?>"
TAG = re.compile(rf"<(?!\s)(?!{PLAIN})")
WEB = r"(?:https?://|mailto:|#)"
LINK = re.compile(WEB, re.IGNORECASE)
PICTURE = re.compile(r"data:image/png;base64,[A-Za-z0-9+/=]+")
# What TeX can say about the page around a formula.
TEX = re.compile(
    r"\\(?:action|bbox|class|csname|cssId|data|href|includegraphics|mathtip|mmlToken|require|style"
    r"|texttip|toggle|unicode|url)(?![A-Za-z])"
)
# Without any of these, Markdown makes neither a tag of the student's choice nor a link.
SUSPICIOUS = re.compile(rf"[<&\[]|(?i:mermaid)|{TEX.pattern}")
VERBATIM = re.compile(
    r"(?ms)^[ >]*+(`{3,}+|~{3,}+)[^\n]*+\n.*?(?:^[ >]*+\1|\Z)"
    r"|(?<!`)(`++).+?(?<!`)\2(?!`)|\$\$.*?\$\$|\$[^$\n]++\$"
)


def harmless(text: str, cell_type: str, typed: bool = False) -> str:
    """Return a cell's text, changed only where a page that shows it would do more than show it.

    Tags that act and links that lead elsewhere than to the web are shown as they were typed;
    typed: all of a suspicious text is, without looking closer, which takes time.
    """
    text = text.replace("\0", "")  # which browsers skip, so that two halves become one
    if cell_type == "raw":
        acting = TAG.search(text) or "&" in text or TEX.search(text)
        return f"<pre>{escape(text)}</pre>" if acting else text  # it is shown as HTML
    if not SUSPICIOUS.search(text):
        return text
    if not typed and len(text) <= LONGEST and not BLANKS.search(text):
        from course_lib.grading.judge.rendered import acts

        for candidate in (text, _defused(text)):
            if not acts(candidate):
                return candidate
    return as_typed(text)


def as_typed(text: str) -> str:
    """Return Markdown that shows a text as code, whatever is in it."""
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}text\n{text}\n{fence}"


def _defused(text: str) -> str:
    text = re.sub(r"(?im)^([ >]*+(?:`{3,}+|~{3,}+)[ \t]*+)mermaid", r"\1text", text)
    pieces: list[str] = []
    end = 0
    for verbatim in VERBATIM.finditer(text):
        pieces += [_defused_prose(text[end : verbatim.start()]), verbatim[0]]
        end = verbatim.end()
    return "".join([*pieces, _defused_prose(text[end:])])


def _defused_prose(text: str) -> str:
    elsewhere = rf"(?!\s*<?{WEB})"
    text = re.sub(rf"(?i)<(?=[a-z/!?])(?!{PLAIN})(?!https?://[^\s<>]*>)", "&lt;", text)
    text = re.sub(rf"!\[(?![^\]\n]*\]\({PICTURE.pattern}\))", r"\![", text)
    text = re.sub(rf"(?i)\]\((?!{PICTURE.pattern}){elsewhere}", r"]\(", text)
    return re.sub(rf"(?im)^([ >]*+\[[^\]\n]+\]):{elsewhere}", r"\1\:", text)
