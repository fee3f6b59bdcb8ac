"""Where one cost overtakes another: exercises 1 to 3 of the lesson, as functions.

`crossover_context`, `crossover_depth`, `tying_fraction` and `growth_when_doubled`. To add a
mistake: a `switch` that replaces a method of the exercise's class.
"""

# ruff: noqa: D102 - each method is one piece of a one-line formula
from __future__ import annotations

from math import ceil
from typing import Any

from course_lib.checks.exercise import Case, Exercise, Part, switch
from course_lib.checks.exercises.formula_cases import GPT2_SMALL, GPT3, case, sizes

FLOPS = "04_flops, the crossover"
COUNT = "03_parameter_count"


# ---------------------------------------------------------------- crossover_context


class CrossoverContext:
    """The T at which 4Td = 16d²."""

    def answer(self, d: int) -> Any:
        self.d = d
        return self.result(self.mlp() / self.attention())

    def mlp(self) -> Any:
        return 16 * self.d**2

    def attention(self) -> Any:
        return 4 * self.d

    def result(self, T: float) -> Any:
        return float(T)


def crossover_context_cases(seed: int) -> list[Case]:
    """Draw widths, and those of the toy model, GPT-2 small and GPT-3."""
    widths = [d for _, _, d, _ in sizes(seed, 4)] + [64, 768, 12288]
    return [case(f"width{i}", (d,), "d", "the crossover") for i, d in enumerate(widths)]


CROSSOVER_CONTEXT = Exercise(
    name="crossover_context",
    contract="crossover_context(d) returns the T at which attention's QKᵀ and AV cost as much as "
    "the MLP",
    section=FLOPS,
    reference=CrossoverContext,
    make_cases=crossover_context_cases,
    parts=(Part("whole", "The crossover at every width", 1),),
    switches=(
        switch("one_mlp_matrix", "Half of the MLP, or FLOPs on one side and weights on the other",
               "The MLP has two matrices of 4d², at two FLOPs a weight: 16d².", FLOPS, "whole",
               mlp=lambda m: 8 * m.d**2),
        switch("one_attention_matrix", "Only one of QKᵀ and AV is counted",
               "Each costs 2Td: 4Td together.", FLOPS, "whole", attention=lambda m: 2 * m.d),
        switch("whole_block", "Attention is compared with the whole block, not with the MLP",
               "The question is where QKᵀ and AV reach the MLP's 16d².", FLOPS, "whole",
               mlp=lambda m: 24 * m.d**2),
        switch("projections", "Attention is compared with its own projections",
               "The question is where QKᵀ and AV reach the MLP's 16d².", FLOPS, "whole",
               mlp=lambda m: 12 * m.d**2),
        switch("width_itself", "The factor 4 is missing",
               "4Td = 16d² gives T = 4d.", FLOPS, "whole", mlp=lambda m: 4 * m.d**2),
        switch("width_only_factor", "The crossover does not grow with the width",
               "4Td = 16d²: one d is left on the right.", FLOPS, "whole",
               {"result": lambda m, T: 4.0}, {"result": lambda m, T: 3072.0},
               {"result": lambda m, T: 256.0}, {"result": lambda m, T: 0.25}),
        switch("width_squared", "The crossover grows with the square of the width",
               "4Td = 16d²: divide both sides by 4d.", FLOPS, "whole",
               {"result": lambda m, T: float(4 * m.d**2)},
               {"result": lambda m, T: float(16 * m.d**2)},
               {"result": lambda m, T: float(m.d**2)}),
        switch("inverted", "The ratio is upside down",
               "Solve 4Td = 16d² for T.", FLOPS, "whole",
               {"result": lambda m, T: 1 / T}, {"result": lambda m, T: m.d / 4}),
        switch("d_ff", "d_ff is not 4d",
               "The MLP is 4d wide: 2 · 2 · d · 4d = 16d².", FLOPS, "whole",
               {"mlp": lambda m: 32 * m.d**2 * 2}, {"mlp": lambda m: 20 * m.d**2},
               {"mlp": lambda m: 32 * m.d**2 * 4}),
        switch("off_by_one", "The crossover is off by one",
               "At T = 4d exactly the two are equal.", FLOPS, "whole",
               {"result": lambda m, T: T + 1}, {"result": lambda m, T: T - 1}),
        switch("causal_half", "Only the causal half of the matrix is counted",
               "Here the full T × T matrix is counted, as it is computed.", FLOPS, "whole",
               {"result": lambda m, T: 2 * T - 1}),
    ),
    arguments=("d",),
)  # fmt: skip


# ---------------------------------------------------------------- crossover_depth


class CrossoverDepth:
    """The depth L at which L · 12d² = V · d."""

    def answer(self, V: int, d: int) -> Any:
        self.V, self.d = V, d
        return self.result(self.table() / self.block())

    def table(self) -> Any:
        return self.V * self.d

    def block(self) -> Any:
        return 12 * self.d**2

    def result(self, N: float) -> Any:
        return float(N)


def crossover_depth_cases(seed: int) -> list[Case]:
    """Draw vocabularies and widths; the lesson's 50,000 and 768."""
    drawn = [(37 * V + 11, d) for V, _, d, _ in sizes(seed, 4)] + [(50000, 768), (50257, 12288)]
    return [case(f"table{i}", s, "V d", "the crossover") for i, s in enumerate(drawn)]


CROSSOVER_DEPTH = Exercise(
    name="crossover_depth",
    contract="crossover_depth(V, d) returns L, not rounded: the number of blocks at which "
    "12Ld² = Vd",
    section=COUNT + ", exercise 1",
    reference=CrossoverDepth,
    make_cases=crossover_depth_cases,
    parts=(Part("whole", "The crossover at every size", 1),),
    switches=(
        switch("rounded", "The crossover is rounded to a whole number",
               "Return the exact quotient; rounding comes when you compare with a model.",
               COUNT, "whole",
               {"result": lambda m, N: float(round(N))}, {"result": lambda m, N: float(ceil(N))},
               {"result": lambda m, N: float(int(N))}, {"result": lambda m, N: round(N, 2)},
               {"result": lambda m, N: round(N, 1)}, {"result": lambda m, N: round(N, 3)},
               {"result": lambda m, N: float(int(N) + 1)}),
        switch("both_tables", "The table is counted twice (an untied head)",
               "Compare the blocks with one table of V·d.", COUNT, "whole",
               table=lambda m: 2 * m.V * m.d),
        switch("biases_too", "Biases and norms are counted in the block",
               "The question compares matrices: 12d² a block.", COUNT, "whole",
               {"block": lambda m: 12 * m.d**2 + 13 * m.d},
               {"block": lambda m: 12 * m.d**2 + 9 * m.d}),
        switch("part_of_block", "Only the attention or only the MLP is counted",
               "A block has 4d² in the attention and 8d² in the MLP.", COUNT, "whole",
               {"block": lambda m: 4 * m.d**2}, {"block": lambda m: 8 * m.d**2},
               {"block": lambda m: m.d**2}, {"block": lambda m: 3 * m.d**2},
               {"block": lambda m: 11 * m.d**2}),
        switch("d_not_cancelled", "One power of d is lost",
               "12Ld² = Vd gives L = V / (12d).", COUNT, "whole",
               {"block": lambda m: 12 * m.d**3}, {"block": lambda m: 12 * m.d},
               {"block": lambda m: 12 * m.d * m.d, "table": lambda m: m.V}),
        switch("inverted", "The ratio is upside down",
               "L = V / (12d).", COUNT, "whole", result=lambda m, N: 1 / N),
        switch("multiplied", "12 stands in the numerator",
               "L = V / (12d).", COUNT, "whole", {"block": lambda m: m.d**2 / 12}),
        switch("positions_too", "The position table is counted as well",
               "The question compares with the token table alone.", COUNT, "whole",
               table=lambda m: (m.V + 1024) * m.d),
    ),
    arguments=("V", "d"),
)  # fmt: skip


# ---------------------------------------------------------------- tying_fraction


class TyingFraction:
    """Vd / (12Ld² + 2Vd)."""

    def answer(self, V: int, d: int, L: int) -> Any:
        self.V, self.d, self.L = V, d, L
        return self.result(self.saved() / self.untied())

    def saved(self) -> Any:
        return self.V * self.d

    def blocks(self) -> Any:
        return 12 * self.L * self.d**2

    def untied(self) -> Any:
        return self.blocks() + 2 * self.V * self.d

    def result(self, fraction: float) -> Any:
        return float(fraction)


def tying_fraction_cases(seed: int) -> list[Case]:
    """Draw sizes; GPT-2 small and GPT-3."""
    drawn = [(V, d, L) for V, _, d, L in (*sizes(seed, 4), GPT2_SMALL, GPT3)]
    return [case(f"model{i}", s, "V d L", "the fraction") for i, s in enumerate(drawn)]


TYING_FRACTION = Exercise(
    name="tying_fraction",
    contract="tying_fraction(V, d, L) returns the fraction by which tying reduces 12Ld² + 2Vd",
    section=COUNT + ", weight tying",
    reference=TyingFraction,
    make_cases=tying_fraction_cases,
    parts=(Part("whole", "The fraction at every size", 1),),
    switches=(
        switch("of_tied_total", "The saving is divided by the tied total",
               "By what fraction is the untied total reduced? Divide by the total before tying.",
               COUNT, "whole", untied=lambda m: m.blocks() + m.V * m.d),
        switch("what_remains", "The part that remains is returned",
               "Return what is saved: 1 minus that.", COUNT, "whole",
               result=lambda m, f: 1 - f),
        switch("both_tables_saved", "Both tables are counted as saved",
               "Tying saves one of the two.", COUNT, "whole", saved=lambda m: 2 * m.V * m.d),
        switch("percent", "The fraction is in percent",
               "Return a number between 0 and 1.", COUNT, "whole",
               result=lambda m, f: 100 * f),
        switch("of_blocks", "The saving is divided by the blocks alone",
               "Divide by the whole untied total.", COUNT, "whole", untied=lambda m: m.blocks()),
        switch("inverted", "The ratio is upside down", "Saved over total.", COUNT, "whole",
               result=lambda m, f: 1 / f),
        switch("amount", "The number of parameters is returned, not a fraction",
               "Divide by the untied total.", COUNT, "whole",
               {"result": lambda m, f: float(m.V * m.d)}, {"result": lambda m, f: m.untied()}),
        switch("depth_missing", "The blocks are not multiplied by L",
               "12d² for each of the L blocks.", COUNT, "whole", blocks=lambda m: 12 * m.d**2),
        switch("width_not_squared", "The blocks' parameters grow with d, not d²",
               "12Ld².", COUNT, "whole", blocks=lambda m: 12 * m.L * m.d),
        switch("other_blocks", "The blocks do not hold 12d²",
               "4d² in the attention and 8d² in the MLP.", COUNT, "whole",
               {"blocks": lambda m: 8 * m.L * m.d**2}, {"blocks": lambda m: 4 * m.L * m.d**2},
               {"blocks": lambda m: m.L * m.d**2}, {"blocks": lambda m: 16 * m.L * m.d**2}),
        switch("exact_count", "Biases and norms are counted as well",
               "Here the matrices and tables alone are asked for: 12Ld² + 2Vd.", COUNT, "whole",
               {"blocks": lambda m: m.L * (12 * m.d**2 + 13 * m.d) + 2 * m.d},
               {"blocks": lambda m: m.L * (12 * m.d**2 + 13 * m.d)},
               {"blocks": lambda m: m.L * (12 * m.d**2 + 9 * m.d) + 2 * m.d}),
        switch("fraction_rounded", "The fraction is rounded",
               "Return the quotient as it is.", COUNT, "whole",
               *({"result": lambda m, f, n=n: round(f, n)} for n in (2, 3, 4, 5, 6)),
               tolerance=1e-9),
    ),
    arguments=("V", "d", "L"),
)  # fmt: skip


# ---------------------------------------------------------------- growth_when_doubled


class Growth:
    """How 12Ld² + 2Vd grows when d, or L, is doubled."""

    def answer(self, V: int, d: int, L: int) -> Any:
        self.V, self.d, self.L = V, d, L
        now = self.total(d, L)
        return self.result(
            self.compare(self.total(2 * d, L), now), self.compare(self.total(d, 2 * L), now)
        )

    def total(self, d: int, L: int) -> Any:
        return 12 * L * d**2 + self.tables(d)

    def tables(self, d: int) -> Any:
        return 2 * self.V * d

    def compare(self, grown: Any, now: Any) -> Any:
        return grown / now

    def result(self, width: float, depth: float) -> Any:
        return float(width), float(depth)


def growth_cases(seed: int) -> list[Case]:
    """Draw sizes; GPT-2 small and GPT-3."""
    drawn = [(V, d, L) for V, _, d, L in (*sizes(seed, 4), GPT2_SMALL, GPT3)]
    return [case(f"model{i}", s, "V d L", "the growth") for i, s in enumerate(drawn)]


GROWTH = Exercise(
    name="growth_when_doubled",
    contract="growth_when_doubled(V, d, L) returns (width, depth): the factors by which "
    "12Ld² + 2Vd grows when d, or L, is doubled",
    section=COUNT + ", width and depth",
    reference=Growth,
    make_cases=growth_cases,
    parts=(
        Part("whole", "Both factors at every size", 0.5),
        Part("width", "Doubling the width", 0.25, component=0),
        Part("depth", "Doubling the depth", 0.25, component=1),
    ),
    switches=(
        switch("tables_left_out", "The tables are left out: 4 and 2",
               "Blocks alone grow by 4 and 2; the tables grow by 2 with the width and not with the "
               "depth, so the whole grows by less.", COUNT, "whole",
               {"tables": lambda m, d: 0}, {"result": lambda m, a, b: (4.0, 2.0)}),
        switch("one_table", "One table is counted instead of two",
               "Here the head is untied: 2Vd.", COUNT, "whole", tables=lambda m, d: m.V * d),
        switch("swapped", "Width and depth are swapped",
               "Return the width's factor first.", COUNT, "whole",
               result=lambda m, a, b: (float(b), float(a))),
        switch("increase", "The increase is returned, not the factor",
               "New total over old total.", COUNT, "whole",
               {"compare": lambda m, grown, now: (grown - now) / now},
               {"compare": lambda m, grown, now: float(grown - now)},
               {"compare": lambda m, grown, now: float(grown)}),
        switch("inverted", "The ratio is upside down",
               "New total over old total.", COUNT, "whole",
               compare=lambda m, grown, now: now / grown),
        switch("width_not_squared", "The blocks grow with d, not d²",
               "12Ld²: doubling d makes the blocks four times as large.", COUNT, "width",
               total=lambda m, d, L: 12 * L * d + m.tables(d)),
        switch("tables_stay", "The tables do not grow with the width",
               "They have rows of width d.", COUNT, "width", tables=lambda m, d: 2 * m.V * m.d),
        switch("percent", "The factors are in percent", "Return factors such as 3.7.", COUNT,
               "whole",
               compare=lambda m, grown, now: 100 * grown / now),
    ),
    arguments=("V", "d", "L"),
)  # fmt: skip
