"""HTML that is safe to show: an allow-list of plain elements, and nothing that acts or styles.

nh3 (the Rust crate ammonia) parses as browsers do. bleach, which nbconvert brings along, has been
without maintenance since June 2026.
"""

from __future__ import annotations

import base64
import binascii
import re
from functools import lru_cache

import nh3

from course_lib.grading.pictures import is_small_png

# No <style>, <svg>, <math>, <form>, <iframe>, no id, class or style attribute: whatever is not here
# is taken out. The page's own stylesheet lays the rest out.
TAGS = frozenset((
    "a", "abbr", "b", "blockquote", "br", "caption", "code", "dd", "del", "details", "div",
    "dl", "dt", "em", "figcaption", "figure", "h1", "h2", "h3", "h4", "h5", "h6", "hr", "i", "img",
    "ins", "kbd", "li", "mark", "ol", "p", "pre", "q", "s", "samp", "small", "span", "strong",
    "sub", "summary", "sup", "table", "tbody", "td", "tfoot", "th", "thead", "tr", "u", "ul",
    "var",
))  # fmt: skip
ATTRIBUTES = {
    "a": {"href"},
    "abbr": {"title"},
    "img": {"src", "alt"},
    "ol": {"start"},
    "td": {"colspan", "rowspan"},
    "th": {"colspan", "rowspan"},
}
GONE_WITH_CONTENT = frozenset((
    "iframe", "math", "noembed", "noframes", "noscript", "object", "script", "style", "svg",
    "template", "textarea", "title",
))  # fmt: skip
MOST_TAGS, LONGEST = 20_000, 3_000_000
SMALL = 20_000  # characters of a piece that is worth remembering: most are the same for all
PNG_URL = re.compile(r"data:image/png;base64,([A-Za-z0-9+/=\s]+)")
CONTROLS = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")
# What turns the direction of reading: it can make code look like other code.
DIRECTIONS = re.compile("[\u202a-\u202e\u2066-\u2069]")
# As the cleaner writes them: what is within the quotes has no quote.
WRITTEN_ATTRIBUTE = re.compile(r' ([a-z]++)="([^"]*+)"')
IMAGE = re.compile(r'<img((?: [a-z]++="[^"]*+")*)>')
ANSI = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\-_])")


def _attribute(tag: str, name: str, value: str) -> str | None:
    if (tag, name) == ("img", "src"):
        found = PNG_URL.fullmatch(value)
        return f"data:image/png;base64,{found[1]}" if found and png(found[1]) else None
    if (tag, name) == ("a", "href"):
        return value if re.match(r"(?i)(https?|mailto):", value) else None
    if name in ("colspan", "rowspan", "start"):
        return value if re.fullmatch(r"[0-9]{1,3}", value) else None
    return value


_cleaner = nh3.Cleaner(
    tags=TAGS,
    clean_content_tags=GONE_WITH_CONTENT,
    attributes=ATTRIBUTES,
    attribute_filter=_attribute,
    url_schemes={"http", "https", "mailto", "data"},
    url_relative="deny",
    link_rel="noopener noreferrer",
)


def clean_html(html: str) -> str:
    """Return what may stay of a piece of HTML, balanced and ready to be put into a page.

    Of what has too many tags only a note stays: deep nesting takes time with the square of it.
    """
    if html.count("<") > MOST_TAGS or len(html) > LONGEST:
        return "<p>This report is too long to be shown here.</p>"
    return _remembered(html) if len(html) < SMALL else _cleaned(html)


def _cleaned(html: str) -> str:
    cleaned = _cleaner.clean(plain_text(html))
    return IMAGE.sub(_described, cleaned)


def _described(image: re.Match[str]) -> str:
    """Return a picture, or the description of one that may not be shown."""
    attributes = dict(WRITTEN_ATTRIBUTE.findall(image[1]))
    return image[0] if "src" in attributes else attributes.get("alt", "")


_remembered = lru_cache(maxsize=512)(_cleaned)


def without_headings(html: str) -> str:
    """Make bold lines of the headings in clean HTML: those of a page are its own."""
    return re.sub(r"</h[1-6]>", "</b></div>", re.sub(r"<h[1-6]>", "<div><b>", html))


def plain_text(text: str) -> str:
    """Take out what is no text: terminal colours, control characters, turned directions."""
    return DIRECTIONS.sub("", CONTROLS.sub("\ufffd", ANSI.sub("", text)))


def png(encoded: object) -> str:
    """Return a picture's base64 text if it is one of a PNG file, else ""."""
    text = "".join(encoded) if isinstance(encoded, list) else encoded
    if not isinstance(text, str):
        return ""
    text = re.sub(r"\s+", "", text)
    try:
        head = base64.b64decode(text[:32], validate=True)
    except (binascii.Error, ValueError):
        return ""
    whole = re.fullmatch(r"[A-Za-z0-9+/]*={0,2}", text)
    return text if whole and is_small_png(head) else ""
