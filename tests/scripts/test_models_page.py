"""docs/models.md is what the counting gives today."""

import runpy
from pathlib import Path

from course_lib.counting import MODELS, params

ROOT = Path(__file__).parents[2]
COMMAND = "python scripts/write_models_page.py"


def test_the_page_is_not_stale():
    script = runpy.run_path(str(ROOT / "scripts" / "write_models_page.py"))
    text = (ROOT / "docs" / "models.md").read_text(encoding="utf-8")
    assert text == script["page"](), f"run: {COMMAND}"


def test_every_model_has_a_row_that_says_whether_the_counts_agree():
    text = (ROOT / "docs" / "models.md").read_text(encoding="utf-8")
    for name, config in MODELS.items():
        (row,) = (line for line in text.splitlines() if line.startswith(f"| {name} |"))
        assert f"| {params(config):,} |" in row
        assert ("| yes |" in row) == (config.published is not None)
