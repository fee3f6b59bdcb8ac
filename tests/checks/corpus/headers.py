"""Read the first lines of a corpus file, and judge a diagnosis by them (format: README.md).

Called by test_corpus.py, and by whoever measures the checks on this corpus:

    wrong = read_header(path)
    wrong.named_by([f"{d['title']} {d['message']}" for d in diagnoses])
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).parent
EXERCISES = (
    "gpt_logits",
    "tied_lm_loss_and_grad",
    "count_gpt2_params",
    "init_gpt",
    "layer_norm",
    "causal_attention",
    "flops_per_token",
    "attention_share",
    "crossover_context",
)
SHOWS = ("values", "mutation", "state", "type", "loop")


@dataclass(frozen=True)
class Header:
    """What the first lines of a wrong submission say about it."""

    mistake: str
    accept: tuple[tuple[str, ...], ...]  # one entry for each mistake: the words that name it
    shows: str  # where it shows: one of SHOWS

    def named_by(self, diagnoses: Iterable[str]) -> bool:
        """Whether the diagnoses (title and message of each) name every mistake in the file."""
        texts = [plain(text) for text in diagnoses]
        return all(
            any(_names(alternative, text) for alternative in alternatives for text in texts)
            for alternatives in self.accept
        )


def corpus_files(exercise: str, kind: str) -> list[Path]:
    """All files of one exercise, `kind` being "right" or "wrong", in the order of their names."""
    return sorted((FOLDER / exercise / kind).glob("*.py"))


def read_header(path: Path) -> Header:
    """Read `# mistake:`, `# accept:` and `# shows:` from the comment lines at the top of a file.

    Raises:
        ValueError: a line of the header is missing or says something unknown.
    """
    mistake, accept, shows = "", [], "values"
    for line in path.read_text(encoding="utf-8").splitlines():
        if not line.startswith("# ") or ": " not in line:
            break
        key, _, value = line[2:].partition(": ")
        if key == "mistake":
            mistake = value.strip()
        elif key == "accept":
            accept.append(tuple(a.strip() for a in value.split(";") if a.strip()))
        elif key == "shows":
            shows = value.strip()
        else:
            raise ValueError(f"{path.name}: unknown header line {key!r}")
    if not mistake or not accept or not all(accept) or shows not in SHOWS:
        raise ValueError(f"{path.name} needs `# mistake:`, `# accept:` and shows in {SHOWS}")
    return Header(mistake, tuple(accept), shows)


def plain(text: str) -> str:
    """Level out spelling: case, ε, roots, hyphens, minus signs, products, -ize and LayerNorm."""
    text = text.lower().replace("−", "-").replace("‑", "-").replace("·", "*").replace("ε", "eps")
    text = re.sub(r"\b(?:np\.|math\.)?sqrt\s*", "√", text)
    text = re.sub(r"√\s*\(\s*(\w+)\s*\)", r"√\1", text)
    text = re.sub(r"(?<=\w)-(?=[^\W\d]{2})", " ", text)  # off-by-one, but not d-1 or V-d
    text = re.sub(r"(?<=\w)iz(?=e|i|a)", "is", text)
    text = text.replace("normalz", "normals").replace("layer norm", "layernorm")
    text = re.sub(r"\bd_?k\b", "d_k", text)
    text = re.sub(r"(?<=\w)\s*[*×]\s*(?=\w{1,2}\b)", "", text)  # 4·T·d·L is 4TdL
    return re.sub(r"\s+", " ", text)


def _names(alternative: str, text: str) -> bool:
    return all(_stands_in(part.strip(), text) for part in alternative.split("&"))


def _stands_in(part: str, text: str) -> bool:
    """Whether a part begins a word of the text, or with a final $ is one.

    Numbers, single letters and roots are always whole: √d does not stand in √d_k, nor 1 in 16.
    """
    whole = part.endswith("$")
    part = plain(part.removesuffix("$"))
    whole = whole or re.search(r"[\dᵀ]$|√\w+$|^\w$", part) is not None
    start = r"(?<!\w)" if re.match(r"\w", part) else ""
    return re.search(start + re.escape(part) + (r"(?!\w)" if whole else ""), text) is not None
