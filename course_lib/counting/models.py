"""The published models of models.csv, by name: `MODELS["gpt2"].d` is 768."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from functools import cached_property
from pathlib import Path

from course_lib.counting.config import ModelConfig

_TABLE = Path(__file__).with_name("models.csv")
_TEXTS = ("name", "source", "note", "norm", "placement", "parallel", "qk_norm", "positions")
_FLAGS = ("gated", "final_norm", "embedding_norm", "tied")
_SUFFIXES = ("-hf", "-instruct", "-it", "-chat", "-base", "-v0.1")


class UnknownModelError(KeyError):
    """No model of that name; the message lists the nearest names."""

    def __str__(self) -> str:
        """The message without the quotes that KeyError puts around it."""
        return str(self.args[0])


class ModelTable(Mapping[str, ModelConfig]):
    """Every model of models.csv, read at the first look-up.

    Names are compared without regard to case, spaces, dashes and the owner's name, so "GPT-2 XL",
    "gpt2-xl" and "openai-community/gpt2-xl" are the same model. Iterating gives the table's names.
    """

    def __getitem__(self, name: str) -> ModelConfig:
        if not isinstance(name, str):
            raise TypeError(f"name must be a string such as 'gpt2', got {name!r}")
        for key in _spellings(name):
            if key in self._names:
                return self._models[self._names[key]]
        near = get_close_matches(_normal(name), self._names, n=8, cutoff=0.4)
        shown = list(dict.fromkeys(self._names[key] for key in near))[:5] or list(self._models)[:5]
        raise UnknownModelError(
            f"no model is called {name!r}; near it: {', '.join(shown)} ({len(self)} in all)"
        )

    def __iter__(self) -> Iterator[str]:
        return iter(self._models)

    def __len__(self) -> int:
        return len(self._models)

    @cached_property
    def _rows(self) -> list[dict[str, str]]:
        with _TABLE.open(encoding="utf-8", newline="") as file:
            return list(csv.DictReader(file))

    @cached_property
    def _models(self) -> dict[str, ModelConfig]:
        return {row["name"]: _config(row) for row in self._rows}

    @cached_property
    def _names(self) -> dict[str, str]:
        names: dict[str, str] = {}
        for row in self._rows:
            for spelling in (row["name"], *filter(None, row["aliases"].split("|"))):
                if names.setdefault(_normal(spelling), row["name"]) != row["name"]:
                    raise ValueError(f"models.csv: two models are called {spelling!r}")
        return names


MODELS = ModelTable()


def _normal(name: str) -> str:
    return "".join(c for c in name.lower().rpartition("/")[2] if c.isalnum() or c == ".")


def _spellings(name: str) -> Iterator[str]:
    """The name, then the name without endings that do not change the shape of the model."""
    yield _normal(name)
    name = name.lower()
    while ending := next((s for s in _SUFFIXES if name.endswith(s)), ""):
        name = name.removesuffix(ending)
        yield _normal(name)


def _config(row: dict[str, str]) -> ModelConfig:
    values: dict[str, object] = {}
    for column, text in row.items():
        if column in _TEXTS:
            values[column] = text
        elif column in _FLAGS:
            values[column] = {"yes": True, "no": False}[text]
        elif column == "biases":
            values[column] = frozenset(text.split())
        elif column == "dense_first":
            values["dense_blocks"] = frozenset(range(int(text or 0)))
        elif column != "aliases" and text:
            values[column] = int(text)
    return ModelConfig(**values)  # type: ignore[arg-type]  # ModelConfig checks every field
