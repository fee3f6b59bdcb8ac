"""Write docs/models.md: every model of the table, computed and published, and what is counted.

Usage: python scripts/write_models_page.py
"""

from __future__ import annotations

import sys
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(REPOSITORY))

from course_lib.counting import ATTENTION, CONVENTIONS  # noqa: E402  (needs the path above)
from course_lib.counting.report import table_markdown  # noqa: E402

PAGE = REPOSITORY / "docs" / "models.md"
_PAGE = """# The models, counted

Written by `python scripts/write_models_page.py`; do not edit it by hand. The table is that of
`python -m course_lib.counting --table`. Every count is the sum over the list of the model's stored
tensors, each once: a tied head is the token table and adds nothing, buffers (attention masks,
rotary frequencies) are no parameters, padded rows of a vocabulary are. Where another number is in
print, the note says why.

FLOPs are counted per token, a multiplication and an addition as two. The conventions, by the names
that `course_lib.counting.forward_flops` takes; the explorer uses the first of each list:

| `convention` | what is counted |
| --- | --- |
{conventions}

| `attention` | which scores are counted |
| --- | --- |
{attention}

{table}"""


def page() -> str:
    """The text of the page."""
    return _PAGE.format(
        conventions=_rows(CONVENTIONS), attention=_rows(ATTENTION), table=table_markdown()
    )


def _rows(meanings: dict[str, str]) -> str:
    return "\n".join(f"| {name} | {meaning} |" for name, meaning in meanings.items())


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
    print(f"wrote {PAGE.relative_to(REPOSITORY)}")
