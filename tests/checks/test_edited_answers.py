"""A right file with one line changed as students change it: the name that the change must get."""

from pathlib import Path

import pytest

from course_lib.checks.run_file import check_file

RIGHT = Path(__file__).parent / "corpus" / "gpt_logits" / "right" / "typed_with_asserts.py"
CUBE = "math.sqrt(2.0 / math.pi) * (x + 0.044715 * x**3)"
NORM = "    return g * (x - mean) / np.sqrt(var + eps) + b"
MASK = "scores = np.where(np.tri(t, dtype=bool), scores, -np.inf)"


@pytest.mark.parametrize(
    ("line", "instead", "name"),
    [
        (CUBE, "math.sqrt(2.0 / math.pi) * x + 0.044715 * x**3", "gelu_brackets"),
        (CUBE, "math.sqrt(2.0 / math.pi) * (x + 0.044715 * x) ** 3", "gelu_brackets"),
        (CUBE, "math.sqrt(2.0 / math.pi) * (x + 0.044715 * x**2)", "gelu_square"),
        (NORM, "    x -= mean\n    x /= np.sqrt(var + eps)\n    return g * x + b",
         "residual_from_normalised"),
        (MASK, "scores = np.tril(scores)\n    scores[scores == 0] = -np.inf", "mask_by_zero"),
        (MASK, "scores = np.tril(scores)\n    scores[scores == 0] = -1e9", "mask_by_zero"),
    ],
)  # fmt: skip
def test_the_name(line, instead, name, tmp_path):
    source = RIGHT.read_text(encoding="utf-8")
    assert source.count(line) == 1
    file = tmp_path / "mine.py"
    file.write_text(source.replace(line, instead), encoding="utf-8")
    for seed in (1, 2):
        report, text = check_file("gpt_logits", file, seed=seed)
        assert [told["id"] for told in report["diagnoses"]] == [name], text
        assert 0 < report["score"] < report["max_score"]
