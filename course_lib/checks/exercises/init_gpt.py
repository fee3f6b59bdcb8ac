"""The exercise `init_gpt`: what can be said of random parameters without knowing their numbers.

The digest reduces several draws to facts: names, shapes, dtypes, constants, the standard
deviation and the form of each distribution, and whether seeds do what they should. A mistake is
then named as everywhere: by a variant with the same facts. To add one: a `switch` that replaces
a method of `Init`.
"""

# ruff: noqa: D102 - each method is one rule of the initialisation
from __future__ import annotations

import math
from typing import Any

import numpy as np

from course_lib.checks.compare import Facts, Raised
from course_lib.checks.exercise import Case, Exercise, Part, switch
from course_lib.checks.observe import differences
from course_lib.gpt_parameters import parameter_shapes

LESSON = "05_initialisation"
RESIDUAL = "05_initialisation, the residual projections"
Array = Any

MODEL_NAMES, BLOCK_NAMES = map(tuple, parameter_shapes(1, 1, 1))
SIZES = {"V": 211, "T": 37, "d": 48, "L": 3}


class Init:
    """GPT-2's initialisation, one method a rule."""

    def answer(self, V: int, T: int, d: int, L: int, seed: int) -> Any:
        self.V, self.T, self.d, self.L = V, T, d, L
        self.rng = self.generator(seed)
        model, block = self.shapes()
        P: dict[str, Any] = {name: self.tensor(name, shape) for name, shape in model.items()}
        P["blocks"] = self.blocks(block)
        return self.result(P)

    def generator(self, seed: int) -> Any:
        return np.random.default_rng(seed)

    def shapes(self) -> Any:
        return parameter_shapes(self.V, self.T, self.d)

    def blocks(self, shapes: dict[str, Any]) -> Any:
        return [self.block(shapes) for _ in range(self.L)]

    def block(self, shapes: dict[str, Any]) -> Any:
        return {name: self.tensor(name, shape) for name, shape in shapes.items()}

    def tensor(self, name: str, shape: Any) -> Array:
        if name.endswith("_g"):
            return self.gain(shape)
        if name.endswith("_b"):
            return self.norm_bias(shape)
        if name.startswith("b_"):
            return self.bias(shape)
        return self.draw(name, shape) * self.std(name, shape)

    def gain(self, shape: Any) -> Array:
        return np.ones(shape)

    def norm_bias(self, shape: Any) -> Array:
        return np.zeros(shape)

    def bias(self, shape: Any) -> Array:
        return np.zeros(shape)

    def draw(self, name: str, shape: Any) -> Array:
        return self.rng.standard_normal(shape)

    def std(self, name: str, shape: Any) -> float:
        if name in ("wte", "wpe"):
            return self.table_std(name)
        return (
            self.residual_std(name) if name in ("w_o", "w_proj") else self.matrix_std(name, shape)
        )

    def table_std(self, name: str) -> float:
        return 0.02

    def matrix_std(self, name: str, shape: Any) -> float:
        return 0.02

    def residual_std(self, name: str) -> float:
        return 0.02 / math.sqrt(2 * self.L)

    def result(self, P: Any) -> Any:
        return P


# ---------------------------------------------------------------- from draws to facts


def facts(values: list[Any]) -> Any:
    """Reduce [a draw, its seed again, another seed, the first seed again] to facts."""
    for value in values:
        if isinstance(value, Raised) or not isinstance(value, dict):
            return value
    first, again, other, last = (_flat(P) for P in values)
    found = {part: Facts() for part in ("form", "draws", "constants", "residual", "seed")}
    found["form"]["the names in P"] = _names(values[0], (*MODEL_NAMES, "blocks"))
    found["form"]["P['blocks']"] = _count_blocks(values[0])
    blocks = values[0].get("blocks")
    for i, block in enumerate(blocks if isinstance(blocks, list) else []):
        found["form"][f"the names in P['blocks'][{i}]"] = _names(block, BLOCK_NAMES)
    for name, x in first.items():
        found["form"] |= {f"the {what} of {name}": fact for what, fact in _form(x).items()}
        found[_part(name)] |= {f"the {what} of {name}": fact for what, fact in _spread(x).items()}
    found["seed"] |= {
        "the same seed gives the same draw": bool(first)
        and _same(first, again)
        and _same(first, last),
        "another seed gives another draw": bool(first)
        and not any(
            _same({k: first[k]}, {k: other[k]}) for k in first if k in other and _random(first[k])
        ),
        "every tensor is drawn anew": _independent(first),
    }
    return Facts(found)


def _part(name: str) -> str:
    """Return the part of the exercise that a parameter's numbers belong to."""
    last = name.rpartition("[")[2].strip("']")
    if last in ("w_o", "w_proj"):
        return "residual"
    return "constants" if last.endswith(("_g", "_b")) or last.startswith("b_") else "draws"


def _names(tensors: Any, listed: tuple[str, ...]) -> str:
    """Say which names are not in the list, and which are missing."""
    if not isinstance(tensors, dict):
        return f"a {type(tensors).__name__}"
    surplus = [f"{name} (not in the list)" for name in map(str, tensors) if name not in listed]
    missing = [f"no {name}" for name in listed if name not in tensors]
    return ", ".join(sorted(surplus) + missing) or "those of the list"


def _flat(P: dict[str, Any]) -> dict[str, Any]:
    flat = {f"P[{k!r}]": v for k, v in P.items() if k != "blocks"}
    blocks = P.get("blocks")
    for i, block in enumerate(blocks if isinstance(blocks, (list, tuple)) else []):
        if isinstance(block, dict):
            flat |= {f"P['blocks'][{i}][{k!r}]": v for k, v in block.items()}
    return flat


def _count_blocks(P: dict[str, Any]) -> str:
    blocks = P.get("blocks")
    if not isinstance(blocks, (list, tuple)):
        return f"a {type(blocks).__name__}"
    return f"a list of {len(blocks)}"


def _random(x: Any) -> bool:
    return isinstance(x, np.ndarray) and x.size > 1 and x.dtype.kind == "f" and x.std() > 0


def _same(a: Any, b: Any) -> bool:
    return next(differences("", a, b), None) is None


def _independent(flat: dict[str, Any]) -> bool:
    """Say whether no two tensors begin with the same numbers, up to their scale."""
    starts = np.array(
        [x.ravel()[:12] / x.std() for x in flat.values() if _random(x) and x.size >= 12]
    )
    if len(starts) < 2:
        return False
    apart = np.abs(starts[:, None] - starts[None]).max(axis=-1)  # (tensors, tensors)
    return bool((apart[np.triu_indices(len(starts), k=1)] > 0.3).all())


def _form(x: Any) -> dict[str, str]:
    """Return type, shape and dtype of a parameter."""
    if not isinstance(x, np.ndarray):
        return {"type": type(x).__name__}
    return {"shape": str(x.shape), "dtype": str(x.dtype)}


def _spread(x: Any) -> dict[str, Any]:
    """Return the constant, or the kind of distribution and its standard deviation."""
    if not isinstance(x, np.ndarray) or x.dtype.kind not in "fiu" or x.size == 0:
        return {"values": "no numbers"}
    if not np.isfinite(x).all():
        return {"values": "not all finite"}
    mean, std = float(x.mean()), float(x.std())
    if std == 0 or np.ptp(x) == 0:
        return {"values": f"all {x.flat[0]:.6g}"}
    centred = abs(mean) <= 5 * std / math.sqrt(x.size)
    return {
        "values": "random",
        "mean": "about 0" if centred else f"{mean:.2g}",
        "distribution": _distribution((x - mean) / std) if x.size >= 1000 else "any",
        "standard deviation": float(f"{std:.4g}"),
    }


def _distribution(z: Array) -> str:
    squares = z * z
    kurtosis, largest = float((squares * squares).mean()), float(np.sqrt(squares.max()))
    if kurtosis < 2.1:
        return "uniform"
    if largest < 2.45 and kurtosis < 2.65:
        return "normal, cut off"
    return "normal" if 2.5 < kurtosis < 3.6 else "neither normal nor uniform"


# ---------------------------------------------------------------- cases and mistakes


def make_cases(seed: int) -> list[Case]:
    """Ask for four draws of a small model: a seed, the same again, another, the first again."""
    rng = np.random.default_rng([seed, 6209])
    a, b = (int(s) for s in rng.choice(np.arange(1, 10_000), 2, replace=False))

    def case(name: str, sizes: dict[str, int], why: str, box: str) -> Case:
        args = tuple(sizes.values())
        words = ", ".join(f"{k} = {v}" for k, v in sizes.items())
        calls = tuple((*args, seed) for seed in (a, a, b, a))
        return Case(name, calls, why, secret=words, box=box, tolerance=0.13)

    return [
        case("three", SIZES, "four draws of a model with three blocks", "the parameters"),
        case("one", {**SIZES, "L": 1, "V": 97, "T": 150}, "four draws of a model with one block",
             "the parameters"),
        case("deep", {**SIZES, "L": 6}, "four draws of a model with six blocks",
             "the residual projections"),
    ]  # fmt: skip


def _small(m: Init) -> float:
    return 0.02 / math.sqrt(2 * m.L)


def _uniform(m: Init, name: str, shape: Any) -> Array:
    return m.rng.uniform(-1, 1, shape)


def _without(*names: str) -> Any:
    return {
        "block": lambda m, s: {k: v for k, v in Init.block(m, s).items() if k not in names},
        "result": lambda m, P: {k: v for k, v in P.items() if k not in names},
    }


def _transposed(*names: str) -> Any:
    return {"tensor": lambda m, n, s: Init.tensor(m, n, s[::-1] if n in names else s)}


SWITCHES = (
    switch("no_residual_scaling", "The residual projections are not scaled by 1/√(2L)",
           "w_o and w_proj write into the residual stream, 2L of them: their deviation is "
           "0.02/√(2L).", RESIDUAL, "residual", residual_std=lambda m, name: 0.02),
    switch("residual_sqrt_L", "The residual projections are scaled by 1/√L, not 1/√(2L)",
           "Each block has two branches that write into the stream: 2L in all.", RESIDUAL,
           "residual", residual_std=lambda m, name: 0.02 / math.sqrt(m.L)),
    switch("residual_no_root", "The residual projections are scaled by 1/(2L), without the root",
           "Variances add up, so the deviation is divided by √(2L).", RESIDUAL, "residual",
           {"residual_std": lambda m, name: 0.02 / (2 * m.L)},
           {"residual_std": lambda m, name: 0.02 / m.L}),
    switch("residual_times", "The residual projections are multiplied by √(2L)",
           "They are made smaller: 0.02/√(2L).", RESIDUAL, "residual",
           {"residual_std": lambda m, name: 0.02 * math.sqrt(2 * m.L)},
           {"residual_std": lambda m, name: 1 / math.sqrt(2 * m.L)}),
    switch("residual_twice", "The residual scaling is applied twice, or with a wrong constant",
           "The deviation of w_o and w_proj is 0.02/√(2L), once.", RESIDUAL, "residual",
           {"residual_std": lambda m, name: 0.0004 / math.sqrt(2 * m.L)},
           {"residual_std": lambda m, name: 0.02 / math.sqrt(2 * m.L * 12)},
           {"residual_std": lambda m, name: 0.02 / math.sqrt(24)}),
    switch("residual_by_layer", "The residual scaling changes from block to block",
           "It is 1/√(2L) with L the number of all blocks, the same in each.", RESIDUAL, "residual",
           {"blocks": lambda m, s: [
               {n: x * math.sqrt(m.L / (i + 1)) if n in ("w_o", "w_proj") else x
                for n, x in m.block(s).items()} for i in range(m.L)]}),
    switch("only_w_o_scaled", "w_proj is not scaled by 1/√(2L)",
           "Two matrices of each block write into the residual stream: w_o and w_proj.", RESIDUAL,
           "residual",
           residual_std=lambda m, name: _small(m) if name == "w_o" else 0.02),
    switch("only_w_proj_scaled", "w_o is not scaled by 1/√(2L)",
           "Two matrices of each block write into the residual stream: w_o and w_proj.", RESIDUAL,
           "residual",
           residual_std=lambda m, name: _small(m) if name == "w_proj" else 0.02),
    switch("all_scaled", "All matrices are scaled by 1/√(2L)",
           "Only the two that write into the residual stream are: w_o and w_proj.", RESIDUAL,
           "residual",
           {"matrix_std": lambda m, name, shape: _small(m)},
           {"matrix_std": lambda m, name, shape: _small(m),
            "table_std": lambda m, name: _small(m)}),
    switch("wrong_matrix_scaled", "Another matrix than w_o and w_proj is scaled",
           "w_qkv and w_fc read from the stream; w_o and w_proj write into it.", RESIDUAL,
           "residual",
           {"matrix_std": lambda m, name, shape: _small(m),
            "residual_std": lambda m, name: 0.02},
           {"matrix_std": lambda m, name, shape: _small(m) if name == "w_fc" else 0.02,
            "residual_std": lambda m, name: _small(m) if name == "w_o" else 0.02},
           {"matrix_std": lambda m, name, shape: _small(m) if name == "w_fc" else 0.02}),
    switch("variance_for_deviation", "0.02 is taken for the variance",
           "N(0, 0.02²) has standard deviation 0.02.", LESSON, "draws",
           {"table_std": lambda m, name: 0.02**0.5, "matrix_std": lambda m, n, s: 0.02**0.5,
            "residual_std": lambda m, name: math.sqrt(0.02 / (2 * m.L))},
           {"table_std": lambda m, name: 0.02**0.5, "matrix_std": lambda m, n, s: 0.02**0.5,
            "residual_std": lambda m, name: math.sqrt(0.02) / math.sqrt(2 * m.L) * 0.02},
           {"table_std": lambda m, name: 0.02**0.5, "matrix_std": lambda m, n, s: 0.02**0.5},
           {"table_std": lambda m, name: 0.02**0.5, "matrix_std": lambda m, n, s: 0.02**0.5,
            "residual_std": lambda m, name: 0.02**0.5},
           {"residual_std": lambda m, name: math.sqrt(0.02 / (2 * m.L))}),
    switch("deviation_squared", "0.02² is taken for the standard deviation",
           "N(0, 0.02²) has variance 0.02² and standard deviation 0.02.", LESSON, "draws",
           {"table_std": lambda m, name: 0.0004, "matrix_std": lambda m, n, s: 0.0004,
            "residual_std": lambda m, name: 0.0004 / math.sqrt(2 * m.L)},
           {"table_std": lambda m, name: 0.0004, "matrix_std": lambda m, n, s: 0.0004,
            "residual_std": lambda m, name: 0.0004 / (2 * m.L)},
           {"table_std": lambda m, name: 0.0004, "matrix_std": lambda m, n, s: 0.0004},
           {"table_std": lambda m, name: 0.0004, "matrix_std": lambda m, n, s: 0.0004,
            "residual_std": lambda m, name: 0.02},
           {"table_std": lambda m, name: 0.0004}, {"matrix_std": lambda m, n, s: 0.0004},
           {"residual_std": lambda m, name: 0.0004}),
    switch("unit_deviation", "The draws are not scaled by 0.02",
           "Multiply the standard normal draws by 0.02.", LESSON, "draws",
           {"table_std": lambda m, name: 1.0, "matrix_std": lambda m, n, s: 1.0,
            "residual_std": lambda m, name: 1 / math.sqrt(2 * m.L)},
           {"table_std": lambda m, name: 1.0, "matrix_std": lambda m, n, s: 1.0,
            "residual_std": lambda m, name: 1.0}),
    switch("other_deviation", "The standard deviation is not 0.02",
           "All matrices and tables are drawn with 0.02 (w_o and w_proj with 0.02/√(2L)).", LESSON,
           "draws",
           *({"table_std": lambda m, n, c=c: c, "matrix_std": lambda m, n, s, c=c: c,
              "residual_std": lambda m, n, c=c: c / math.sqrt(2 * m.L)}
             for c in (0.2, 0.01, 0.002, 0.1, 0.05, 0.04))),
    switch("positions_001", "The position table is drawn with 0.01",
           "OpenAI's own code does that; here all tables are drawn with 0.02.", LESSON, "draws",
           {"table_std": lambda m, name: 0.01 if name == "wpe" else 0.02},
           {"table_std": lambda m, name: 0.01}),
    switch("fan_in", "The matrices are scaled by their size (Xavier or Kaiming)",
           "GPT-2 draws with the fixed deviation 0.02.", LESSON, "draws",
           {"matrix_std": lambda m, n, s: 1 / math.sqrt(s[0])},
           {"matrix_std": lambda m, n, s: math.sqrt(2 / s[0])},
           {"matrix_std": lambda m, n, s: math.sqrt(2 / (s[0] + s[1]))},
           {"std": lambda m, n, s: math.sqrt(2 / (s[0] + s[1]))},
           {"std": lambda m, n, s: math.sqrt(2 / s[0])},
           {"std": lambda m, n, s: 1 / math.sqrt(s[0])}),
    switch("table_deviation", "The tables are drawn with another deviation than 0.02",
           "wte and wpe are drawn with 0.02 too.", LESSON, "draws",
           {"table_std": lambda m, name: 0.1}, {"table_std": lambda m, name: 1.0},
           {"table_std": lambda m, name: 1.0 if name == "wte" else 0.02},
           {"table_std": lambda m, name: 1 / math.sqrt(m.d)},
           {"table_std": lambda m, name: _small(m)}),
    switch("uniform", "The draws are uniform, not normal",
           "Use rng.normal or rng.standard_normal.", LESSON, "draws",
           {"draw": _uniform}, {"draw": lambda m, n, s: m.rng.uniform(0, 1, s)},
           {"draw": lambda m, n, s: math.sqrt(3) * m.rng.uniform(-1, 1, s)},
           {"draw": lambda m, n, s: m.rng.uniform(-0.5, 0.5, s)}),
    switch("truncated", "The normal distribution is cut off",
           "N(0, 0.02²) is not truncated in GPT-2.", LESSON, "draws",
           {"draw": lambda m, n, s: np.clip(m.rng.standard_normal(s), -2, 2)},
           {"draw": lambda m, n, s: _cut(m.rng, s)}),
    switch("positions_zero", "The position table is all zeros, or a sinusoid",
           "Positions are learned in GPT-2: they are drawn like the tokens.", LESSON, "draws",
           {"table_std": lambda m, name: 0.0 if name == "wpe" else 0.02}),
    switch("residual_zero", "The residual projections start at zero",
           "They are drawn with deviation 0.02/√(2L).", RESIDUAL, "residual",
           {"residual_std": lambda m, name: 0.0},
           {"residual_std": lambda m, n: 0.0 if n == "w_proj" else _small(m)}),
    switch("all_zero", "The matrices start at zero or one",
           "They are drawn at random, or all units would stay alike.", LESSON, "draws",
           {"draw": lambda m, n, s: np.zeros(s)}, {"draw": lambda m, n, s: np.ones(s)}),
    switch("bias_random", "The biases of the linear layers are not zero",
           "Biases start at 0.", LESSON, "constants",
           {"bias": lambda m, s: 0.02 * m.rng.standard_normal(s)},
           {"bias": lambda m, s: np.ones(s)},
           {"bias": lambda m, s: 0.02 * m.rng.standard_normal(s),
            "norm_bias": lambda m, s: 0.02 * m.rng.standard_normal(s)},
           {"bias": lambda m, s: np.full(s, 0.01)},
           {"bias": lambda m, s: m.rng.standard_normal(s)}),
    switch("gain_zero", "The gains of the layer norms start at 0, not at 1",
           "A gain of 0 silences its sublayer. Gains start at 1, biases at 0.", LESSON, "constants",
           gain=lambda m, s: np.zeros(s)),
    switch("gain_random", "The gains of the layer norms are drawn at random",
           "Gains start at 1, biases at 0.", LESSON, "constants",
           {"gain": lambda m, s: 0.02 * m.rng.standard_normal(s)},
           {"gain": lambda m, s: 1 + 0.02 * m.rng.standard_normal(s)},
           {"gain": lambda m, s: np.full(s, 0.02)},
           {"gain": lambda m, s: 0.02 * m.rng.standard_normal(s),
            "norm_bias": lambda m, s: 0.02 * m.rng.standard_normal(s)}),
    switch("norm_bias_one", "The biases of the layer norms start at 1, not at 0",
           "Gains start at 1, biases at 0.", LESSON, "constants",
           norm_bias=lambda m, s: np.ones(s)),
    switch("norm_swapped", "Gains and biases of the layer norms are swapped",
           "Gains (…_g) start at 1, biases (…_b) at 0.", LESSON, "constants",
           gain=lambda m, s: np.zeros(s), norm_bias=lambda m, s: np.ones(s)),
    switch("seed_ignored", "The seed is not used: every seed gives the same draw",
           "Pass it on: np.random.default_rng(seed).", LESSON, "seed",
           generator=lambda m, seed: np.random.default_rng(0)),
    switch("no_seed", "Every call draws anew: the seed is not used",
           "The same seed must give the same draw: np.random.default_rng(seed).", LESSON, "seed",
           generator=lambda m, seed: np.random.default_rng()),
    switch("reseeded", "The generator is made anew for each tensor",
           "Then all tensors start with the same numbers. Make it once, before the first draw.",
           LESSON, "seed",
           {"answer": lambda m, V, T, d, L, seed: Init.answer(_at(m, seed), V, T, d, L, seed),
            "draw": lambda m, n, s: np.random.default_rng(m.seed).standard_normal(s)},
           {"blocks": lambda m, s: [_fresh(m).block(s) for _ in range(m.L)],
            "answer": lambda m, V, T, d, L, seed: Init.answer(_at(m, seed), V, T, d, L, seed)}),
    switch("shared_blocks", "All blocks hold the same numbers",
           "[block] * L repeats one block. Draw each block anew: [… for _ in range(L)].", LESSON,
           "seed", blocks=lambda m, s: [m.block(s)] * m.L),
    switch("block_number", "The number of blocks is wrong",
           "P['blocks'] is a list of L dicts.", LESSON, "form",
           {"blocks": lambda m, s: [m.block(s) for _ in range(m.L + 1)]},
           {"blocks": lambda m, s: [m.block(s) for _ in range(m.L - 1)]},
           {"blocks": lambda m, s: m.block(s)}, {"blocks": lambda m, s: [m.block(s)]},
           {"blocks": lambda m, s: {i: m.block(s) for i in range(m.L)}}),
    switch("transposed", "Matrices are stored (output, input)",
           "Here weights are stored (input, output), so that a layer is x @ W + b.", LESSON, "form",
           _transposed("w_qkv", "w_o", "w_fc", "w_proj"), _transposed("w_fc", "w_proj"),
           _transposed("w_qkv"), _transposed("w_fc"), _transposed("w_proj"), _transposed("wte"),
           _transposed("wte", "wpe"), _transposed("wpe")),
    switch("shapes_2d", "Vectors have two axes",
           "Biases and gains have shape (d,), one axis only.", LESSON, "form",
           {"tensor": lambda m, n, s: Init.tensor(m, n, s if len(s) > 1 else (1, *s))}),
    switch("tables_swapped", "wte and wpe have each other's shape",
           "wte is (V, d), wpe is (T, d).", LESSON, "form",
           {"tensor": lambda m, n, s: Init.tensor(
               m, n, {"wte": (m.T, m.d), "wpe": (m.V, m.d)}.get(n, s))}),
    switch("bias_lengths", "A bias has the wrong length",
           "A bias is as long as its matrix has columns: b_qkv 3d, b_fc 4d, the others d.", LESSON,
           "form",
           *({"tensor": lambda m, n, s, k=k: Init.tensor(m, n, (m.d,) if n in k else s)}
             for k in (("b_qkv", "b_fc"), ("b_qkv",), ("b_fc",))),
           {"tensor": lambda m, n, s: Init.tensor(m, n, (4 * m.d,) if n == "b_proj" else s)}),
    switch("missing", "A parameter is missing",
           "P has wte, wpe, blocks, lnf_g and lnf_b; each block has twelve tensors.", LESSON,
           "form",
           _without("lnf_g", "lnf_b"), _without("b_qkv", "b_o", "b_fc", "b_proj"), _without("wpe"),
           _without("b_o"), _without("b_proj"), _without("b_qkv"), _without("b_fc"),
           _without("ln2_g", "ln2_b"), _without("ln1_b", "ln2_b", "lnf_b"), _without("w_o", "b_o"),
           _without("blocks"), _without("lnf_b"), _without("w_o")),
    switch("separate_head", "The head has a matrix of its own",
           "The head is tied to wte: no further parameter.", LESSON, "form",
           *({"result": lambda m, P, k=k, t=t: {**P, k: P["wte"].T if t else P["wte"]}}
             for k in ("lm_head", "w_head", "head", "w_u", "unembed", "wout") for t in (0, 1)),
           {"result": lambda m, P: {**P, "lm_head": m.draw("wte", (m.d, m.V)) * 0.02}}),
    switch("float32", "The parameters, or some of them, are float32 (or float16)",
           "Without further wishes they are float64.", LESSON, "form",
           {"tensor": lambda m, n, s: Init.tensor(m, n, s).astype(np.float32)},
           {"tensor": lambda m, n, s: Init.tensor(m, n, s).astype(
               np.float32 if n.startswith("w") else float)},
           {"tensor": lambda m, n, s: Init.tensor(m, n, s).astype(
               float if n.startswith("w") else np.float32)},
           {"tensor": lambda m, n, s: Init.tensor(m, n, s).astype(
               np.float32 if n in ("wte", "wpe") else float)},
           {"tensor": lambda m, n, s: Init.tensor(m, n, s).astype(
               np.float32 if n.startswith("w_") else float)},
           {"tensor": lambda m, n, s: Init.tensor(m, n, s).astype(np.float16)}),
    switch("integers", "Gains and biases are integers",
           "np.ones(d, dtype=int) makes whole numbers: leave the dtype out.", LESSON, "form",
           {"gain": lambda m, s: np.ones(s, int), "bias": lambda m, s: np.zeros(s, int),
            "norm_bias": lambda m, s: np.zeros(s, int)}),
    switch("returns_tuple", "A tuple is returned, not the dict P",
           "Return P alone.", LESSON, "form",
           {"result": lambda m, P: (P, None)},
           {"result": lambda m, P: (P["wte"], P["wpe"], P["blocks"])}),
)  # fmt: skip


def _cut(rng: Any, shape: Any) -> Array:
    z = rng.standard_normal((4, *shape))
    inside = np.abs(z) < 2
    return np.take_along_axis(z, inside.argmax(axis=0)[None], axis=0)[0]


def _at(m: Any, seed: int) -> Any:
    m.seed = seed
    return m


def _fresh(m: Any) -> Any:
    m.rng = np.random.default_rng(m.seed)
    return m


EXERCISE = Exercise(
    name="init_gpt",
    contract="init_gpt(V, T, d, L, seed) returns the parameter dict P",
    section=LESSON,
    reference=Init,
    make_cases=make_cases,
    parts=(
        Part("whole", "All parameters as they should be", 1),
        Part("form", "Names, shapes and dtypes", 0.5, component="form"),
        Part("draws", "The random matrices and tables", 0.75, component="draws"),
        Part("constants", "Biases 0, gains 1", 0.5, component="constants"),
        Part("residual", "The residual projections", 0.75, component="residual"),
        Part("seed", "Seeds, and every tensor drawn anew", 0.5, component="seed"),
    ),
    switches=SWITCHES,
    arguments=("V", "T", "d", "L", "seed"),
    digest=facts,
    runs=1_000,
)
