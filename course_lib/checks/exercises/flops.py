"""The exercises on FLOPs: `flops_per_token`, `attention_share`, `context_for_attention_share`.

To add a mistake: a `switch` that replaces one of the methods of `Flops`.
"""

# ruff: noqa: D102 - each method is one term of the count
from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from math import ceil
from typing import Any

from course_lib.checks.exercise import Case, Exercise, Part, Switch, switch
from course_lib.checks.exercises.formula_cases import GPT2_SMALL, GPT3, sizes, tell_terms
from course_lib.checks.exercises.formula_cases import case as formula_case

LESSON = "04_flops"


class Flops:
    """2(12Ld² + Vd) + 4TdL forward, three times that in training."""

    def answer(self, V: int, T: int, d: int, L: int, train: bool = False) -> Any:
        self.V, self.T, self.d, self.L = V, T, d, L
        return self.result(self.forward() * (self.training() if train else 1))

    def forward(self) -> Any:
        return self.weights() + self.attention()

    def weights(self) -> Any:
        return self.per_weight() * (self.matrices() + self.head())

    def per_weight(self) -> int:
        return 2

    def matrices(self) -> Any:
        return 12 * self.L * self.d**2

    def head(self) -> Any:
        return self.V * self.d

    def attention(self) -> Any:
        return 4 * self.T * self.d * self.L

    def training(self) -> Any:
        return 3

    def result(self, flops: Any) -> Any:
        return float(flops)


def make_cases(seed: int) -> list[Case]:
    """Draw sizes, with and without training."""
    names, drawn = "V T d L train", sizes(seed, 24)

    def case(name: str, args: tuple[Any, ...], names: str, box: str = "") -> Case:
        return formula_case(name, args, names, box, tolerance=1e-13)

    cases = [case(f"size{i}", s, names, "the terms of the forward pass")
             for i, s in enumerate(drawn[:18])]  # fmt: skip
    cases += [
        case(f"forward{i}", (*s, False), names, "train=False") for i, s in enumerate(drawn[18:20])
    ]
    cases += [
        case(f"train{i}", (*s, True), names, "train=True") for i, s in enumerate(drawn[20:23])
    ]
    cases += [case("gpt2", GPT2_SMALL, names), case("gpt3", (*GPT3, True), names)]
    return cases


_TERMS = (
    switch("no_factor_2", "A multiply-add is counted as one operation",
           "Each weight costs a multiplication and an addition: 2 FLOPs.", LESSON, "weights",
           {"per_weight": lambda m: 1}, {"per_weight": lambda m: 1,
            "attention": lambda m: 2 * m.T * m.d * m.L}),
    switch("no_head", "The head's matmul is not counted",
           "The head multiplies by a d × V matrix, tied or not: 2Vd.", LESSON, "weights",
           head=lambda m: 0),
    switch("lookup_counted", "The embedding lookup is counted as a matmul",
           "A lookup copies a row and costs no arithmetic; only the head's Vd counts.", LESSON,
           "weights", {"head": lambda m: 2 * m.V * m.d},
           {"head": lambda m: (m.V + m.T) * m.d}, {"head": lambda m: (2 * m.V + m.T) * m.d}),
    switch("head_width", "The head's matmul has the wrong size",
           "The head multiplies by a d × V matrix: 2Vd FLOPs a token.", LESSON, "weights",
           {"head": lambda m: m.V}, {"head": lambda m: m.V * m.T},
           {"head": lambda m: m.V * m.d * m.L}, {"head": lambda m: m.V * m.d / 2},
           {"head": lambda m: m.d * m.d}),
    switch("all_parameters", "All parameters are counted: 2N, biases and norms included",
           "Count matmuls only: 2(12Ld² + Vd). Biases, norms and tables are left out.", LESSON,
           "weights",
           {"matrices": lambda m: m.L * (12 * m.d**2 + 13 * m.d) + 2 * m.d},
           {"matrices": lambda m: m.L * (12 * m.d**2 + 13 * m.d)},
           {"matrices": lambda m: m.L * (12 * m.d**2 + 9 * m.d)},
           {"matrices": lambda m: m.L * (12 * m.d**2 + 9 * m.d) + 2 * m.d},
           {"matrices": lambda m: m.L * (12 * m.d**2 + 13 * m.d) + 2 * m.d + m.T * m.d},
           {"forward": lambda m: 2 * (
               m.L * (12 * m.d**2 + 13 * m.d) + 2 * m.d + (m.T + m.V) * m.d)}),
    switch("only_mlp", "Only part of a block's matrices is counted",
           "A block has 12d²: 4d² in the attention and 8d² in the MLP.", LESSON, "weights",
           {"matrices": lambda m: 8 * m.L * m.d**2}, {"matrices": lambda m: 4 * m.L * m.d**2},
           {"matrices": lambda m: 11 * m.L * m.d**2}, {"matrices": lambda m: 9 * m.L * m.d**2},
           {"matrices": lambda m: 10 * m.L * m.d**2}, {"matrices": lambda m: 0},
           {"matrices": lambda m: 6 * m.L * m.d**2}),
    switch("blocks_not_times_L", "The blocks' matrices are not multiplied by L",
           "All L blocks run for each token.", LESSON, "weights",
           {"matrices": lambda m: 12 * m.d**2},
           {"matrices": lambda m: 12 * m.d**2, "attention": lambda m: 4 * m.T * m.d}),
    switch("matrix_once_squared", "The blocks' matrices grow with the wrong power",
           "12Ld²: the width is squared, the depth is not.", LESSON, "weights",
           {"matrices": lambda m: 12 * m.L * m.d}, {"matrices": lambda m: 12 * m.L**2 * m.d**2},
           {"matrices": lambda m: 12 * m.L * m.d**3}),
    switch("no_attention", "The attention matrices QKᵀ and AV are not counted",
           "They have no weights but cost 4Td in each layer: 4TdL.", LESSON, "attention",
           attention=lambda m: 0),
    switch("attention_once", "Only one of QKᵀ and AV is counted, or half of the matrix",
           "Each costs 2Td per token and layer, 4Td together; the full T × T matrix is counted.",
           LESSON, "attention",
           {"attention": lambda m: 2 * m.T * m.d * m.L},
           {"attention": lambda m: 2 * (m.T + 1) * m.d * m.L}),
    switch("attention_doubled", "The attention matrices are counted twice",
           "QKᵀ and AV cost 2Td each: 4Td per token and layer.", LESSON, "attention",
           {"attention": lambda m: 8 * m.T * m.d * m.L},
           {"attention": lambda m: 6 * m.T * m.d * m.L},
           {"attention": lambda m: 12 * m.T * m.d * m.L}),
    switch("attention_half", "The attention term lacks the factors 2",
           "QKᵀ and AV cost 2Td each, a multiplication and an addition for each entry.", LESSON,
           "attention", attention=lambda m: m.T * m.d * m.L),
    switch("attention_one_layer", "The attention term is not multiplied by L",
           "Every layer has its own QKᵀ and AV.", LESSON, "attention",
           {"attention": lambda m: 4 * m.T * m.d}, {"attention": lambda m: 2 * m.T * m.d}),
    switch("attention_squared", "The attention term is that of a whole sequence, or has T²",
           "Per token each layer costs 4Td; T² appears only for all T tokens together.", LESSON,
           "attention",
           {"attention": lambda m: 4 * m.T**2 * m.d * m.L},
           {"attention": lambda m: 2 * m.T**2 * m.d * m.L},
           {"attention": lambda m: 4 * m.T**2 * m.L}, {"attention": lambda m: 4 * m.T * m.L},
           {"attention": lambda m: 4 * m.T * m.d**2 * m.L}),
    switch("attention_of_heads", "The attention term uses a fixed head size or head number",
           "Summed over the heads the width is d again: 4TdL whatever the number of heads.", LESSON,
           "attention",
           {"attention": lambda m: 4 * m.T * 64 * m.L},
           {"attention": lambda m: 4 * m.T * m.d * m.L * 12},
           {"attention": lambda m: 4 * m.T * m.d * m.L / 12}),
    switch("softmax_counted", "More than the matmuls is counted",
           "Softmax, norms and activations are left out: matmuls only.", LESSON, "attention",
           {"attention": lambda m: 4 * m.T * m.d * m.L + m.T * m.L},
           {"attention": lambda m: 4 * m.T * m.d * m.L + 3 * m.T * m.L},
           {"attention": lambda m: 4 * m.T * m.d * m.L + 5 * m.T * m.L},
           {"attention": lambda m: 5 * m.T * m.d * m.L}),
    switch("whole_sequence", "The FLOPs of the whole sequence are given, not per token",
           "Do not multiply by T.", LESSON, "weights",
           {"forward": lambda m: m.T * Flops.forward(m)},
           {"weights": lambda m: m.T * Flops.weights(m)}),
)  # fmt: skip

_TRAINING = (
    switch("training_factor", "Training is not three times the forward pass",
           "The backward pass costs about twice the forward, so the sum is three times.", LESSON,
           "train",
           {"training": lambda m: 2}, {"training": lambda m: 6}, {"training": lambda m: 4},
           {"training": lambda m: 1.5}),
    switch("train_ignored", "train=True changes nothing",
           "Training costs three times the forward pass.", LESSON, "train",
           training=lambda m: 1),
    switch("train_always", "Training is always assumed",
           "Without train=True the forward pass alone is asked for.", LESSON, "train",
           forward=lambda m: 3 * Flops.forward(m), training=lambda m: 1),
    switch("train_inverted", "train is taken the wrong way round",
           "train=True gives three times the forward pass.", LESSON, "train",
           forward=lambda m: 3 * Flops.forward(m), training=lambda m: Fraction(1, 3),
           result=lambda m, flops: int(flops)),
    switch("train_weights_only", "Training triples only the weights' term",
           "The attention matrices are differentiated too: three times the whole.", LESSON, "train",
           {"training": lambda m: Fraction(3 * m.weights() + m.attention(), m.forward()),
            "result": lambda m, flops: int(flops)}),
    switch("train_attention_only", "Training triples only the attention's term",
           "Three times the whole.", LESSON, "train",
           {"training": lambda m: Fraction(m.weights() + 3 * m.attention(), m.forward()),
            "result": lambda m, flops: int(flops)}),
    switch("giga", "The result is in another unit",
           "Return FLOPs, not GFLOPs.", LESSON, "whole",
           {"result": lambda m, flops: flops / 1e9}, {"result": lambda m, flops: flops / 1e6},
           {"result": lambda m, flops: flops / 1e12}),
)  # fmt: skip

FLOPS = Exercise(
    name="flops_per_token",
    contract="flops_per_token(V, T, d, L, train=False) returns an int",
    section=LESSON,
    reference=Flops,
    make_cases=make_cases,
    parts=(
        Part("whole", "The count in every case", 1),
        Part("weights", "The weights' matmuls", 0.75),
        Part("attention", "The attention matrices", 0.75),
        Part("train", "Training", 0.5),
    ),
    switches=(*_TERMS, *_TRAINING),
    arguments=("V", "T", "d", "L", "train"),
    locate=tell_terms({
        "V·d": "the head", "L·d²": "the matrices of the blocks", "T·d·L": "QKᵀ and AV",
    }),
)  # fmt: skip


# ---------------------------------------------------------------- the share


class Share(Flops):
    """4TdL over the forward FLOPs."""

    def answer(self, V: int, T: int, d: int, L: int) -> Any:  # type: ignore[override]
        self.V, self.T, self.d, self.L = V, T, d, L
        return self.result(self.top() / self.bottom())

    def top(self) -> Any:
        return self.attention()

    def bottom(self) -> Any:
        return self.forward()


def _for_a_ratio(without: set[str]) -> list[Switch]:
    """Return the switches on terms that also show where only the ratio of the terms counts."""
    kept = {"attention_once": (0,), "attention_doubled": (1, 2), "head_width": (0, 1, 3, 4)}
    found = []
    for s in _TERMS:
        forms = [f for f in s.forms if "forward" not in f]
        title = s.title
        if s.id == "no_factor_2":
            title = "The weights' FLOPs lack a factor 2, or the attention's have one too many"
            forms = forms[:1]
        forms = [forms[i] for i in kept.get(s.id, range(len(forms)))]
        if s.id not in without and forms:
            found.append(replace(s, title=title, forms=tuple(forms)))
    return found


def share_cases(seed: int) -> list[Case]:
    """Draw sizes, and GPT-2 small at the lesson's three contexts."""
    names, case = "V T d L", formula_case
    V, _, d, L = GPT2_SMALL
    cases = [case(f"share{i}", s, names, "the ratio") for i, s in enumerate(sizes(seed, 6))]
    cases += [
        case(f"context{T}", (V, T, d, L), names, "the ratio") for T in (1024, 4096, 32768, 131072)
    ]
    return cases


_SHARE_SWITCHES = (
    *_for_a_ratio({"attention_half", "whole_sequence", "softmax_counted", "no_attention"}),
    switch("share_of_weights", "The attention's FLOPs are divided by the weights' alone",
           "Lesson 14's 15.27 % is that ratio. A share is a part of the whole: divide by all "
           "forward FLOPs, the attention's own included.", LESSON, "whole",
           bottom=lambda m: m.weights()),
    switch("share_inverted", "The share is upside down, or that of the rest",
           "Attention over all: 4TdL / flops_per_token.", LESSON, "whole",
           {"result": lambda m, share: 1 / share}, {"result": lambda m, share: 1 - share},
           {"top": lambda m: m.weights(), "bottom": lambda m: m.attention()}),
    switch("percent", "The share is in percent",
           "Return a fraction between 0 and 1.", LESSON, "whole",
           {"result": lambda m, share: 100 * share},
           {"result": lambda m, share: 100 * round(share, 4)}),
    switch("share_rounded", "The share is rounded",
           "Return the ratio as it is.", LESSON, "whole",
           *({"result": lambda m, share, n=n: round(share, n)} for n in (2, 3, 4, 5, 6, 1)),
           tolerance=1e-9),
    switch("share_whole", "The share is cut to a whole number, by // or int",
           "Integer division gives 0 for any share below 1: divide with /.", LESSON, "whole",
           {"result": lambda m, share: int(share)}, {"result": lambda m, share: round(share)}),
    switch("share_of_training", "The training FLOPs are in the denominator",
           "Both numbers are those of the forward pass.", LESSON, "whole",
           bottom=lambda m: 3 * m.forward()),
    switch("share_of_attention_layer", "The attention's projections are counted as attention",
           "The share is that of QKᵀ and AV, which have no weights: 4TdL.", LESSON, "whole",
           {"top": lambda m: m.attention() + 8 * m.L * m.d**2},
           {"top": lambda m: 8 * m.L * m.d**2}),
    switch("share_top_halved", "Numerator and denominator count the attention differently",
           "Use the same 4TdL above and below.", LESSON, "whole",
           {"top": lambda m: m.attention() / 2}, {"top": lambda m: m.attention() / 4},
           {"top": lambda m: m.attention() * m.T}, {"top": lambda m: m.attention() / m.L},
           {"top": lambda m: 2 * m.attention()}),
    switch("share_of_parameters", "FLOPs are divided by parameters",
           "Divide by the forward FLOPs.", LESSON, "whole",
           {"bottom": lambda m: m.matrices() + m.head()}),
)  # fmt: skip

SHARE = Exercise(
    name="attention_share",
    contract="attention_share(V, T, d, L) returns a float between 0 and 1",
    section=LESSON + ", long contexts",
    reference=Share,
    make_cases=share_cases,
    parts=(
        Part("whole", "The share at every size", 1),
        Part("weights", "The weights' FLOPs", 0.25),
        Part("attention", "The attention's FLOPs", 0.25),
    ),
    switches=_SHARE_SWITCHES,
    arguments=("V", "T", "d", "L"),
)


# ---------------------------------------------------------------- the context for a share


class ContextForShare(Flops):
    """The smallest T at which the attention's share reaches `share`."""

    def answer(self, V: int, d: int, L: int, share: float = 0.9) -> Any:  # type: ignore[override]
        self.V, self.T, self.d, self.L = V, 1, d, L
        self.share = Fraction(str(share))
        return self.result(self.odds() * Fraction(self.weights()) / Fraction(self.attention()))

    def odds(self) -> Any:
        return self.share / (1 - self.share)

    def result(self, T: Any) -> Any:
        return float(max(1, ceil(T)))


def _solution(V: int, d: int, L: int, share: float) -> float:
    """Return the T, not rounded, at which attention takes `share` of the FLOPs."""
    return share / (1 - share) * 2 * (12 * L * d**2 + V * d) / (4 * d * L)


def context_cases(seed: int) -> list[Case]:
    """Draw sizes and shares; GPT-2 small at 90 %."""
    shares = (0.9, 0.5, 0.75, 0.35, 0.99)
    # far enough from a whole number for rounding errors not to matter
    drawn = [(V, d, L) for V, _, d, L in sizes(seed, 80)
             if all(0.02 < _solution(V, d, L, q) % 1 < 0.98 for q in shares)][:5]  # fmt: skip
    V, _, d, L = GPT2_SMALL
    case = formula_case
    return [
        *(case(f"context{i}", (*s, q), "V d L share", "the solution for T")
          for i, (s, q) in enumerate(zip(drawn, shares, strict=True))),
        case("default", drawn[1], "V d L", "the default share, 0.9"),
        case("gpt2", (V, d, L, 0.9), "V d L share"),
    ]  # fmt: skip


def _share_reached(
    cases: Sequence[Case], values: Sequence[Any], expected: Sequence[Any], visible: bool
) -> str:
    """Say which share attention has at the T that was returned, on the first wrong case."""
    for known, T, right in zip(cases, values, expected, strict=True):
        if type(T) in (int, float) and 0 < T < 1e15 and right != T:
            V, d, L, *given = known.calls[0]
            attention, weights = 4 * T * d * L, 2 * (12 * L * d**2 + V * d)
            share = attention / (attention + weights)
            side = "small" if right > T else "large"
            if not visible:
                return f"On the first input that goes wrong T is too {side}."
            return (f"At T = {T:,.10g} attention's share is {share:.4g}, asked for was "
                    f"{given[0] if given else 0.9}: T is too {side}.")  # fmt: skip
    return ""


CONTEXT = Exercise(
    name="context_for_attention_share",
    contract="context_for_attention_share(V, d, L, share=0.9) returns the smallest T, an int",
    section=LESSON + ", long contexts",
    reference=ContextForShare,
    make_cases=context_cases,
    parts=(Part("whole", "The context at every size", 1),),
    switches=(
        *_for_a_ratio({"whole_sequence", "attention_squared", "softmax_counted", "no_attention"}),
        switch("no_odds", "The share is used in place of share / (1 − share)",
               "Attention is `share` of the whole, so it is share / (1 − share) times the weights.",
               LESSON, "whole", {"odds": lambda m: m.share}, {"odds": lambda m: 1 / m.share},
               {"odds": lambda m: 1 / (1 - m.share)}, {"odds": lambda m: (1 - m.share) / m.share}),
        switch("share_unused", "The argument share is not used: T is that for 0.9",
               "0.9 is the default; another share may be asked for.", LESSON, "whole",
               odds=lambda m: Fraction(9)),
        switch("rounded_down", "T is rounded down",
               "At the whole number below, the share is not reached yet: round up.", LESSON,
               "whole",
               {"result": lambda m, T: int(T)}, {"result": lambda m, T: round(T)},
               {"result": lambda m, T: int(T) + 1 if int(T) == T else int(T)}),
        switch("not_rounded", "T is not a whole number",
               "Return the smallest whole T: round up with math.ceil.", LESSON, "whole",
               result=lambda m, T: float(T)),
        switch("one_too_far", "T is one too large",
               "The smallest T that reaches the share is asked for.", LESSON, "whole",
               result=lambda m, T: int(T) + 2 if int(T) != T else int(T) + 1),
        switch("power_of_two", "T is rounded to a power of two or to a step",
               "The smallest T itself is asked for.", LESSON, "whole",
               {"result": lambda m, T: 1 << (ceil(T) - 1).bit_length()},
               {"result": lambda m, T: -(-ceil(T) // 1024) * 1024},
               {"result": lambda m, T: -(-ceil(T) // 100) * 100},
               {"result": lambda m, T: -(-ceil(T) // 1000) * 1000}),
    ),
    arguments=("V", "d", "L", "share"),
    locate=_share_reached,
)  # fmt: skip
