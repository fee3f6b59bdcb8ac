"""Write docs/models.md: every model of the table, computed and published, and what is counted.

Usage: python scripts/write_models_page.py
"""

from __future__ import annotations

import sys
from pathlib import Path
from textwrap import fill

REPOSITORY = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(REPOSITORY))

from course_lib.counting import ATTENTION, CONVENTIONS  # noqa: E402  (needs the path above)
from course_lib.counting.hub_families import FAMILIES  # noqa: E402
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

{table}
## Any other model, from its config.json

`python -m course_lib.counting config.json` and the explorer read a file of these {number} model
types, and give the same count and the same words:

{families}.

What a count cannot answer for is refused or said:

- A file is refused whose class (`architectures`) is none of its model type's own, or that has a key
  which bears on shapes by its name and which this type does not have (`num_experts` in a LLaMA
  file), unless the key is off or restates a size. Which classes, keys and words these are, stands
  in `course_lib/counting/hub_known.json`.
- A note lists the sizes, and the tie of the head, that the file leaves to the defaults; the keys
  that were not read; the parts that stand beside the text model, for images or sound.
- Quantised files are counted by their parameters, and a note says that the bytes are not theirs.
"""


def page() -> str:
    """The text of the page."""
    return _PAGE.format(
        conventions=_rows(CONVENTIONS),
        attention=_rows(ATTENTION),
        table=table_markdown(),
        number=len(FAMILIES),
        families=fill(", ".join(f"`{family}`" for family in FAMILIES), 100),
    )


def _rows(meanings: dict[str, str]) -> str:
    return "\n".join(f"| {name} | {meaning} |" for name, meaning in meanings.items())


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
    print(f"wrote {PAGE.relative_to(REPOSITORY)}")
