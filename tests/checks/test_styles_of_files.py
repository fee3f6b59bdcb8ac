"""Files in styles that the way they are run must not mind."""

import pytest

from course_lib.checks.behind_the_wall import check_behind_the_wall, wall_is_here
from course_lib.checks.run_file import check_file

TYPED = '''
"""Everything typed."""
from __future__ import annotations

import logging
from dataclasses import dataclass

import numpy as np

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Softmax:
    axis: int = -1

    def __call__(self, s: np.ndarray) -> np.ndarray:
        e = np.exp(s - s.max(axis=self.axis, keepdims=True))
        return e / e.sum(axis=self.axis, keepdims=True)


def causal_attention(Q: np.ndarray, K: np.ndarray, V: np.ndarray) -> np.ndarray:
    scores = Q @ np.swapaxes(K, -1, -2) / np.sqrt(Q.shape[-1])
    seen = np.tri(Q.shape[-2], dtype=bool)
    log.debug("scores %s", scores.shape)
    return Softmax()(np.where(seen, scores, -np.inf)) @ V
'''
EINSUM = """
import numpy as np

def causal_attention(Q, K, V):
    s = np.einsum("...ic,...jc->...ij", Q, K, optimize=True) / np.sqrt(Q.shape[-1])
    s[..., np.triu(np.ones(s.shape[-2:], bool), 1)] = -np.inf
    e = np.exp(s - s.max(-1, keepdims=True))
    return np.einsum("...ij,...jc->...ic", e / e.sum(-1, keepdims=True), V, optimize="greedy")
"""
# NumPy's own lines grow with the number of positions here, the file's do not.
SPLIT = """
import numpy as np

def causal_attention(Q, K, V):
    s = Q @ np.swapaxes(K, -1, -2) / np.sqrt(Q.shape[-1])
    s = np.where(np.tri(Q.shape[-2], dtype=bool), s, -1e30)
    s = np.concatenate(np.split(s, s.shape[-2], axis=-2), axis=-2)
    e = np.exp(s - s.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True) @ V
"""
STYLES = pytest.mark.parametrize("source", [TYPED, EINSUM, SPLIT], ids=["typed", "einsum", "split"])


@STYLES
@pytest.mark.skipif(not wall_is_here(), reason="this machine has no wall")
def test_behind_the_wall(source, tmp_path):
    file = tmp_path / "mine.py"
    file.write_text(source, encoding="utf-8")
    report = check_behind_the_wall("causal_attention", file, seed=3, limit=30)
    assert not report["error"]
    assert report["score"] == report["max_score"], report["text"]


@STYLES
def test_where_there_is_none(source, tmp_path):
    file = tmp_path / "mine.py"
    file.write_text(source, encoding="utf-8")
    report, text = check_file("causal_attention", file, seed=3)
    assert report["score"] == report["max_score"], text


def test_a_variance_in_one_pass_loses_its_digits_far_from_zero(tmp_path):
    file = tmp_path / "mine.py"
    file.write_text("""
import numpy as np
def layer_norm(x, g, b):
    m = x.mean(-1, keepdims=True)
    return g * (x - m) / np.sqrt((x * x).mean(-1, keepdims=True) - m * m + 1e-5) + b
""")
    for seed in range(5):
        report, text = check_file("layer_norm", file, seed=seed)
        assert report["score"] == report["max_score"] - 0.25, text
        assert "The variance is taken as E[x²] − E[x]²" in text
