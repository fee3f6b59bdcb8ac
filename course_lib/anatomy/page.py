"""The explorer as one page that needs nothing else: no server, no network, no Python."""

from __future__ import annotations

import json
from pathlib import Path

from course_lib.anatomy.payload import payload
from course_lib.anatomy.source import module, style

# The policy lets the page load nothing at all; what it needs stands in it.
_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy"
 content="default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'">
<title>Anatomy of a decoder</title>
<style>
{style}</style>
</head>
<body>
<main id="explorer">
<p>This page counts the parameters of transformers; it needs JavaScript.</p>
</main>
<script type="application/json" id="data">{data}</script>
<script type="module">
{script}
const data = JSON.parse(document.getElementById("data").textContent);
openPage(document.getElementById("explorer"), data);
</script>
</body>
</html>
"""


def page() -> str:
    """The HTML of the page."""
    data = json.dumps(payload(), ensure_ascii=False, separators=(",", ":"))
    return _PAGE.format(
        style=style("page.css", "style.css"),
        data=data.replace("<", "\\u003c"),  # no text in it may end the script element
        script=module("page.js"),
    )


def write_page(path: str | Path) -> Path:
    """Write the page to `path`, making its folder if need be; gives the path back."""
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(page(), encoding="utf-8")
    return path
