"""The notebooks of both sides, answers to hand in, and a scratch course to grade them in."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
LESSON = "lesson-14"
Notebook = dict[str, Any]

# Half of an answer, for each of these cells.
MISTAKES = {
    # everything right but the causal mask
    "gpt_logits_answer": '''
def gpt_logits(P, idx, n_head):
    """No mask."""
    def norm(x, g, b):
        return (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + 1e-5) * g + b

    B, T = idx.shape
    x = P["wte"][idx] + P["wpe"][:T]
    d = x.shape[-1]
    for p in P["blocks"]:
        q, k, v = (
            part.reshape(B, T, n_head, d // n_head).transpose(0, 2, 1, 3)
            for part in np.split(norm(x, p["ln1_g"], p["ln1_b"]) @ p["w_qkv"] + p["b_qkv"], 3, -1)
        )
        scores = q @ k.swapaxes(-1, -2) / np.sqrt(d // n_head)
        weights = np.exp(scores - scores.max(-1, keepdims=True))
        mixed = weights / weights.sum(-1, keepdims=True) @ v
        x = x + mixed.transpose(0, 2, 1, 3).reshape(B, T, d) @ p["w_o"] + p["b_o"]
        u = norm(x, p["ln2_g"], p["ln2_b"]) @ p["w_fc"] + p["b_fc"]
        u = 0.5 * u * (1 + np.tanh(np.sqrt(2 / np.pi) * (u + 0.044715 * u**3)))
        x = x + u @ p["w_proj"] + p["b_proj"]
    return norm(x, P["lnf_g"], P["lnf_b"]) @ P["wte"].T
''',
    "layer_norm_answer": '''
def layer_norm(x, g, b):
    """Stops, in this very line."""
    return g * no_such_name + b
''',
    "gpt3_tying_answer": """
tied_total, untied_total = 174_563_733_504, 175_181_291_520
fraction_saved = 617_558_016 / 174_563_733_504
""",
}


def load(side: str) -> dict[str, Notebook]:
    """Read the notebooks of solutions/ or exercises/, by name."""
    folder = ROOT / side / LESSON
    return {
        p.stem: json.loads(p.read_text(encoding="utf-8")) for p in sorted(folder.glob("*.ipynb"))
    }


def source(cell: dict[str, Any]) -> str:
    return "".join(cell["source"])


def grading(cell: dict[str, Any]) -> dict[str, Any]:
    """Give nbgrader's metadata of a cell; empty if it has none."""
    return cell["metadata"].get("nbgrader", {})


def filled_in(exercise: Notebook, answers: dict[str, str]) -> Notebook:
    """Write answers into a student's notebook, by grade id."""
    copy = json.loads(json.dumps(exercise))
    for cell in copy["cells"]:
        answer = answers.get(grading(cell).get("grade_id", ""))
        if answer is not None:
            cell["source"] = answer
    return copy


def solution_answers(solutions: dict[str, Notebook]) -> dict[str, str]:
    """Give what stands in the solution cells, without the markers."""
    return {
        grading(cell)["grade_id"]: re.sub(r"(?m)^ *### (BEGIN|END) SOLUTION\n?", "", source(cell))
        for notebook in solutions.values()
        for cell in notebook["cells"]
        if grading(cell).get("solution")
    }


@pytest.fixture(scope="module")
def solutions() -> dict[str, Notebook]:
    return load("solutions")


@pytest.fixture(scope="module")
def exercises() -> dict[str, Notebook]:
    return load("exercises")


class Course:
    """A scratch course of an instructor, and nbgrader's command line in it."""

    def __init__(self, root: Path) -> None:
        self.root = root
        shutil.copy(ROOT / "nbgrader_config.py", root)
        shutil.copytree(ROOT / "solutions" / LESSON, root / "solutions" / LESSON,
                        ignore=shutil.ignore_patterns(".*"))  # fmt: skip

    def nbgrader(self, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
        path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
        added = {"PATH": path, "PYTHONPATH": str(ROOT), "JUPYTER_PLATFORM_DIRS": "1"} | environment
        return subprocess.run(
            [sys.executable, "-m", "nbgrader", *arguments], cwd=self.root, check=False, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=dict(os.environ) | added,
        )  # fmt: skip

    def submit(self, student: str, notebooks: dict[str, Notebook]) -> None:
        folder = self.root / "submitted" / student / LESSON
        folder.mkdir(parents=True)
        for name, notebook in notebooks.items():
            (folder / f"{name}.ipynb").write_text(json.dumps(notebook), encoding="utf-8")

    def graded(self, student: str, name: str) -> Notebook:
        path = self.root / "autograded" / student / LESSON / f"{name}.ipynb"
        return json.loads(path.read_text(encoding="utf-8"))

    def feedback(self, student: str, name: str) -> str:
        path = self.root / "feedback" / student / LESSON / f"{name}.html"
        return path.read_text(encoding="utf-8")
