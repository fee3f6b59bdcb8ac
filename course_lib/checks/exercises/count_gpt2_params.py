"""The exercise `count_gpt2_params`: every term of the count, and the mistakes in each.

To add a mistake: a `switch` (see the list below) that replaces one of the methods of `Count`.
"""

# ruff: noqa: D102 - each method is one term of the count
from __future__ import annotations

from typing import Any

from course_lib.checks.exercise import Case, Exercise, Part, switch
from course_lib.checks.exercises.formula_cases import GPT2_SMALL, GPT3, case, sizes, tell_terms

LESSON = "03_parameter_count"


class Count:
    """Vd + Td + L(12d² + 13d) + 2d, term by term."""

    def answer(self, V: int, T: int, d: int, L: int, tied: bool = True, bias: bool = True) -> Any:
        self.V, self.T, self.d, self.L, self.tied, self.bias = V, T, d, L, tied, bias
        return self.result(self.total())

    def total(self) -> int:
        return self.tables() + self.stack() + self.final_norm() + self.head()

    def tables(self) -> int:
        return self.tokens() + self.positions()

    def tokens(self) -> int:
        return self.V * self.d

    def positions(self) -> int:
        return self.T * self.d

    def stack(self) -> int:
        return self.L * self.block()

    def block(self) -> int:
        biases = self.linear_biases() if self.bias else 0
        return self.block_norms() + self.attention() + self.mlp() + biases

    def attention(self) -> int:
        return 4 * self.d**2

    def mlp(self) -> int:
        return 8 * self.d**2

    def linear_biases(self) -> int:
        return self.attention_biases() + self.mlp_biases()

    def attention_biases(self) -> int:
        return 4 * self.d

    def mlp_biases(self) -> int:
        return 5 * self.d

    def block_norms(self) -> int:
        return 2 * self.norm()

    def norm(self) -> int:
        return 2 * self.d if self.bias else self.d

    def final_norm(self) -> int:
        return self.norm()

    def head(self) -> int:
        return 0 if self.tied else self.V * self.d

    def result(self, total: int) -> Any:
        return total


def make_cases(seed: int) -> list[Case]:
    """Draw sizes: enough for every term to be solved for, and all four tied × bias cases."""
    names = "V T d L tied bias"
    drawn = sizes(seed, 24)
    cases = [case(f"size{i}", s, names, "the terms of the count") for i, s in enumerate(drawn[:18])]
    for i, s in enumerate(drawn[18:20]):
        cases.append(case(f"untied{i}", (*s, False), names, "what tied=False adds"))
        cases.append(case(f"no_bias{i}", (*s, True, False), names, "what bias=False drops"))
        cases.append(case(f"neither{i}", (*s, False, False), names,
                          "tied=False together with bias=False"))  # fmt: skip
        cases.append(case(f"both{i}", (*s, True, True), names, "the terms of the count"))
    cases.append(case("one_block", (*drawn[20][:3], 1), names, "a single block"))
    cases.append(case("short", (7, 40, 12, 3), names, "a vocabulary smaller than the context"))
    cases.append(case("ones", (1, 1, 1, 1, False, False), names, "the smallest sizes"))
    for name, s in (("gpt2", GPT2_SMALL), ("gpt3", GPT3)):
        cases += [case(name, s, names), case(f"{name}_untied", (*s, False), names),
                  case(f"{name}_no_bias", (*s, True, False), names)]  # fmt: skip
    return cases


def _padded(step: int) -> dict[str, Any]:
    def answer(m: Count, V: int, *rest: Any) -> Any:
        return Count.answer(m, -(-V // step) * step, *rest)

    return {"answer": answer}


SWITCHES = (
    switch("no_positions", "The position table is not counted",
           "GPT-2 learns its positions: T·d parameters.", LESSON, "tables",
           positions=lambda m: 0),
    switch("no_tokens", "The token table is not counted",
           "The embedding holds V·d parameters, a third of GPT-2 small.", LESSON, "tables",
           tokens=lambda m: 0),
    switch("no_embeddings", "Neither table is counted (non-embedding parameters)",
           "Kaplan et al. (2020) leave the tables out; here V·d and T·d are counted.", LESSON,
           "tables", tables=lambda m: 0),
    switch("positions_squared", "The position table has the wrong shape",
           "It has T rows of width d.", LESSON, "tables",
           {"positions": lambda m: m.T}, {"positions": lambda m: m.T**2},
           {"positions": lambda m: m.V * m.T}, {"positions": lambda m: 2 * m.T * m.d},
           {"positions": lambda m: m.d}),
    switch("tables_per_block", "A table is counted in every block",
           "The model has one token table and one position table (T·d), whatever the number of "
           "blocks: they are not multiplied by L.", LESSON, "tables",
           {"positions": lambda m: m.T * m.d * m.L}, {"tokens": lambda m: m.V * m.d * m.L},
           {"tables": lambda m: m.L * Count.tables(m)},
           {"total": lambda m: m.L * (m.tables() + m.block()) + m.final_norm() + m.head()},
           {"positions": lambda m: m.T * m.d * (m.L + 1)}),
    switch("tokens_wrong", "The token table has the wrong shape",
           "It has V rows of width d.", LESSON, "tables",
           {"tokens": lambda m: m.V}, {"tokens": lambda m: (m.V + 1) * m.d},
           {"tokens": lambda m: m.V**2}),
    switch("vocab_padded", "The vocabulary is padded to a multiple of 64 or 128",
           "nanoGPT's training code pads 50,257 to 50,304 for speed. The exact count has V rows.",
           LESSON, "tables",
           *(_padded(step) for step in (64, 128, 8, 256)),
           *({"tokens": lambda m, n=n: -(-m.V // n) * n * m.d} for n in (64, 128, 8, 256))),
    switch("table_bias", "An embedding table is given a bias",
           "wte and wpe are looked up, not multiplied: an embedding has no bias, only V·d and T·d.",
           LESSON, "tables",
           {"tables": lambda m: Count.tables(m) + (2 * m.d if m.bias else 0)},
           {"tables": lambda m: Count.tables(m) + (m.d if m.bias else 0)},
           {"tables": lambda m: Count.tables(m) + 2 * m.d},
           {"tables": lambda m: Count.tables(m) + (m.V + m.T if m.bias else 0)},
           {"tables": lambda m: Count.tables(m) + (m.T if m.bias else 0)}),
    switch("embedding_norm", "The embedding is given a layer norm",
           "GPT-2 has none between the embedding and the first block (BERT has).", LESSON, "norms",
           tables=lambda m: Count.tables(m) + m.norm()),
    switch("head_counted_when_tied", "The tied head is counted a second time",
           "With tied=True the head is the token table itself; it is counted once.", LESSON,
           "tied", head=lambda m: m.V * m.d),
    switch("head_never_counted", "tied=False does not add the head",
           "An untied head is a matrix of its own: V·d more.", LESSON, "tied",
           head=lambda m: 0),
    switch("tied_inverted", "tied is taken the wrong way round",
           "The head is added when tied is False.", LESSON, "tied",
           head=lambda m: m.V * m.d if m.tied else 0),
    switch("head_bias", "The untied head is given a bias",
           "The head has no bias: V·d, not V·d + V.", LESSON, "tied",
           {"head": lambda m: 0 if m.tied else m.V * m.d + m.V},
           {"head": lambda m: 0 if m.tied else m.V * m.d + (m.V if m.bias else 0)},
           {"head": lambda m: 0 if m.tied else m.V * m.d + (m.d if m.bias else 0)}),
    switch("bias_of_tied_head", "The head is given a bias even when tied",
           "GPT-2's head has no bias.", LESSON, "tied",
           {"head": lambda m: m.V + (0 if m.tied else m.V * m.d)},
           {"head": lambda m: (m.V if m.bias else 0) + (0 if m.tied else m.V * m.d)}),
    switch("untied_positions", "tied=False adds the position table as well",
           "Only the head is added: V·d.", LESSON, "tied",
           head=lambda m: 0 if m.tied else (m.V + m.T) * m.d),
    switch("head_of_positions", "tied=False adds T·d, not V·d: V and T are swapped",
           "The head scores the V tokens of the vocabulary: a V × d matrix.", LESSON, "tied",
           head=lambda m: 0 if m.tied else m.T * m.d),
    switch("head_shape", "The untied head has the wrong size",
           "It is a V × d matrix.", LESSON, "tied",
           {"head": lambda m: 0 if m.tied else m.d**2},
           {"head": lambda m: 0 if m.tied else m.V},
           {"head": lambda m: 0 if m.tied else m.V * m.T},
           {"head": lambda m: 0 if m.tied else 2 * m.V * m.d},
           {"head": lambda m: 0 if m.tied else m.V * m.d * m.L},
           {"head": lambda m: 0 if m.tied else -m.V * m.d}),
    switch("no_final_norm", "The final layer norm is not counted",
           "After the last block comes one more layer norm.", LESSON, "norms",
           final_norm=lambda m: 0),
    switch("final_norm_per_block", "The final layer norm is counted in every block",
           "There is one final layer norm in the model, after the last block.", LESSON, "norms",
           {"final_norm": lambda m: m.L * m.norm()}),
    switch("no_block_norms", "The layer norms of the blocks are not counted",
           "Each block has two layer norms, each with gains and biases of length d.", LESSON,
           "norms", block_norms=lambda m: 0),
    switch("no_norms", "No layer norm is counted",
           "Two in each block and one at the end, each with gains and biases of length d.",
           LESSON, "norms", norm=lambda m: 0),
    switch("one_norm_per_block", "Only one layer norm is counted in each block",
           "A block has two: before the attention and before the MLP.", LESSON, "norms",
           block_norms=lambda m: m.norm()),
    switch("three_norms_per_block", "Too many layer norms are counted in each block",
           "A block has two: before the attention and before the MLP.", LESSON, "norms",
           {"block_norms": lambda m: 3 * m.norm()}, {"block_norms": lambda m: 4 * m.norm()}),
    switch("norms_without_bias", "The layer norms have gains but no biases",
           "With bias=True a layer norm has a gain and a bias: 2d.", LESSON, "norms",
           {"norm": lambda m: m.d}),
    switch("final_norm_without_bias", "The final layer norm has a gain but no bias",
           "With bias=True it has both: 2d.", LESSON, "norms",
           final_norm=lambda m: m.d),
    switch("norms_keep_bias", "bias=False leaves the biases of the layer norms",
           "bias=False drops those of the layer norms too; only the gains stay.", LESSON, "bias",
           {"norm": lambda m: 2 * m.d}),
    switch("final_norm_keeps_bias", "bias=False leaves the bias of the final layer norm",
           "bias=False drops that one too; only the gain stays.", LESSON, "bias",
           {"final_norm": lambda m: 2 * m.d}),
    switch("block_norms_keep_bias", "bias=False leaves the biases of the blocks' layer norms",
           "bias=False drops those too; only the gains stay.", LESSON, "bias",
           {"block_norms": lambda m: 4 * m.d}),
    switch("norms_lose_gain", "bias=False drops the gains of the layer norms as well",
           "Only biases are dropped; the gains stay.", LESSON, "bias",
           {"norm": lambda m: 2 * m.d if m.bias else 0}),
    switch("final_norm_loses_gain", "bias=False drops the final layer norm altogether",
           "Its gain stays: d.", LESSON, "bias",
           {"final_norm": lambda m: 2 * m.d if m.bias else 0}),
    switch("block_norms_lose_gain", "bias=False drops the blocks' layer norms altogether",
           "Their gains stay: 2d in each block.", LESSON, "bias",
           {"block_norms": lambda m: 4 * m.d if m.bias else 0}),
    switch("bias_ignored", "bias=False changes nothing",
           "It drops the biases of all linear layers and layer norms.", LESSON, "bias",
           {"norm": lambda m: 2 * m.d,
            "block": lambda m: m.block_norms() + m.attention() + m.mlp() + m.linear_biases()}),
    switch("linear_bias_stays", "bias=False drops only the layer norms' biases",
           "It drops the biases of the linear layers as well.", LESSON, "bias",
           {"block": lambda m: m.block_norms() + m.attention() + m.mlp() + m.linear_biases()}),
    switch("mlp_bias_stays", "bias=False leaves the biases of the MLP",
           "It drops the biases of all linear layers.", LESSON, "bias",
           {"mlp": lambda m: 8 * m.d**2 + (0 if m.bias else 5 * m.d)}),
    switch("attention_bias_stays", "bias=False leaves biases of the attention, or some of the MLP",
           "It drops the biases of all linear layers.", LESSON, "bias",
           {"attention": lambda m: 4 * m.d**2 + (0 if m.bias else 4 * m.d)},
           {"attention": lambda m: 4 * m.d**2 + (0 if m.bias else m.d)},
           {"attention": lambda m: 4 * m.d**2 + (0 if m.bias else 3 * m.d)}),
    switch("one_bias_stays", "bias=False leaves the bias of some linear layers",
           "It drops the biases of all linear layers: b_qkv, b_o, b_fc and b_proj.", LESSON, "bias",
           {"mlp": lambda m: 8 * m.d**2 + (0 if m.bias else 7 * m.d)},
           {"mlp": lambda m: 8 * m.d**2 + (0 if m.bias else 6 * m.d)},
           {"mlp": lambda m: 8 * m.d**2 + (0 if m.bias else 8 * m.d)}),
    switch("bias_inverted", "bias is taken the wrong way round",
           "The biases are dropped when bias is False.", LESSON, "bias",
           {"answer": lambda m, V, T, d, L, tied=True, bias=True: Count.answer(
               m, V, T, d, L, tied, not bias)}),
    switch("no_linear_bias", "The biases of the linear layers are not counted",
           "With bias=True every linear layer has one: 9d in each block.", LESSON, "blocks",
           linear_biases=lambda m: 0),
    switch("no_bias_at_all", "No bias is counted, whatever the argument says",
           "With bias=True every linear layer and every layer norm has one.", LESSON, "blocks",
           linear_biases=lambda m: 0, norm=lambda m: m.d),
    switch("no_attention_bias", "4d biases a block are missing: the attention's, or the MLP's b_fc",
           "b_qkv has 3d entries and b_o has d; b_fc has 4d. Leaving the attention's out gives the "
           "36,864 that Lesson 14's formula misses in GPT-2 small.", LESSON, "blocks",
           attention_biases=lambda m: 0),
    switch("no_qkv_bias", "3d biases a block are missing: b_qkv, or b_fc counted with d entries",
           "A bias is as long as its matrix has columns: b_qkv has 3d entries, b_fc has 4d.",
           LESSON, "blocks", attention_biases=lambda m: m.d),
    switch("no_output_bias", "d biases a block are missing: b_o, or the MLP's b_proj",
           "Both output projections have a bias of d entries.", LESSON, "blocks",
           attention_biases=lambda m: 3 * m.d),
    switch("bias_lengths", "A bias of the blocks is counted with the wrong length",
           "A bias is as long as its matrix has columns: b_qkv 3d, b_o d, b_fc 4d, b_proj d.",
           LESSON, "blocks",
           {"attention_biases": lambda m: 2 * m.d}, {"attention_biases": lambda m: 5 * m.d},
           {"attention_biases": lambda m: 6 * m.d}, {"attention_biases": lambda m: 7 * m.d},
           {"attention_biases": lambda m: 8 * m.d}, {"mlp_biases": lambda m: 4}),
    switch("no_mlp_bias", "The biases of the MLP are not counted",
           "b_fc has 4d entries and b_proj has d: 5d in each block.", LESSON, "blocks",
           mlp_biases=lambda m: 0),
    switch("no_output_projection", "The output projection w_o is not counted",
           "The attention has four matrices: W_Q, W_K, W_V (fused, d × 3d) and w_o (d × d).",
           LESSON, "blocks", {"attention": lambda m: 3 * m.d**2},
           {"attention": lambda m: 3 * m.d**2, "attention_biases": lambda m: 3 * m.d}),
    switch("attention_matrices", "The attention's matrices are miscounted",
           "The fused projection is d × 3d, the output projection d × d: 4d² in all. The number of "
           "heads does not change that.", LESSON, "blocks",
           {"attention": lambda m: m.d**2}, {"attention": lambda m: 2 * m.d**2},
           {"attention": lambda m: 2 * m.d**2, "attention_biases": lambda m: 2 * m.d},
           {"attention": lambda m: m.d**2, "attention_biases": lambda m: m.d},
           {"attention": lambda m: 3 * m.d**2, "attention_biases": lambda m: 2 * m.d},
           {"attention": lambda m: 6 * m.d**2, "attention_biases": lambda m: 6 * m.d},
           {"attention": lambda m: 5 * m.d**2, "attention_biases": lambda m: 5 * m.d},
           {"attention": lambda m: 5 * m.d**2}, {"attention": lambda m: 6 * m.d**2},
           {"attention": lambda m: 3 * m.d * max(1, m.d // 12) + m.d**2,
            "attention_biases": lambda m: 3 * max(1, m.d // 12) + m.d},
           {"attention": lambda m: 3 * m.d * max(1, m.d // 12) + m.d**2},
           {"attention": lambda m: 3 * m.d * 64 + m.d**2,
            "attention_biases": lambda m: 3 * 64 + m.d},
           {"attention": lambda m: 3 * m.d * 64 + m.d**2},
           {"attention": lambda m: 36 * m.d**2 + m.d**2},
           {"attention": lambda m: 12 * 4 * m.d**2}, {"attention": lambda m: 4 * m.d},
           {"attention": lambda m: 12 * 4 * m.d**2, "attention_biases": lambda m: 48 * m.d}),
    switch("half_mlp", "4d² a block are missing: one matrix of the MLP, or the attention",
           "w_fc is d × 4d and w_proj is 4d × d: 8d² in all; the attention holds another 4d².",
           LESSON, "blocks",
           {"mlp": lambda m: 4 * m.d**2},
           {"mlp": lambda m: 4 * m.d**2, "mlp_biases": lambda m: 4 * m.d},
           {"mlp": lambda m: 4 * m.d**2, "mlp_biases": lambda m: m.d},
           {"attention": lambda m: 0, "attention_biases": lambda m: 0}),
    switch("mlp_matrices", "The MLP's matrices are miscounted",
           "w_fc is d × 4d and w_proj is 4d × d: 8d² in all.", LESSON, "blocks",
           {"mlp": lambda m: 2 * m.d**2}, {"mlp": lambda m: 8 * m.d},
           {"mlp": lambda m: 16 * m.d**2},
           {"mlp": lambda m: 12 * m.d**2},
           {"mlp": lambda m: 4 * m.d**2, "mlp_biases": lambda m: 3 * m.d},
           {"mlp": lambda m: 0}, {"mlp": lambda m: 0, "mlp_biases": lambda m: 0},
           {"mlp": lambda m: 2 * m.d**2, "mlp_biases": lambda m: 2 * m.d},
           {"mlp": lambda m: 6 * m.d**2, "mlp_biases": lambda m: 4 * m.d}),
    switch("one_block_only", "The blocks are not multiplied by L",
           "All L blocks have parameters of their own.", LESSON, "blocks",
           stack=lambda m: m.block()),
    switch("block_count", "The number of blocks is off by one",
           "There are L blocks.", LESSON, "blocks",
           {"stack": lambda m: (m.L + 1) * m.block()}, {"stack": lambda m: (m.L - 1) * m.block()},
           {"stack": lambda m: 2 * m.L * m.block()}),
    switch("no_blocks", "The blocks are not counted",
           "Each of the L blocks holds 12d² and some.", LESSON, "blocks", stack=lambda m: 0),
    switch("rule_of_thumb", "This is the rule of thumb 12Ld², not the exact count",
           "The exact count has tables, biases and layer norms besides the matrices.", LESSON,
           "blocks",
           {"total": lambda m: 12 * m.L * m.d**2},
           {"total": lambda m: 12 * m.L * m.d**2 + m.V * m.d},
           {"total": lambda m: 12 * m.L * m.d**2 + 2 * m.V * m.d},
           also=("tables", "norms", "tied", "bias")),
    switch("rule_of_thumb_and_head",
           "This is the rule of thumb 12Ld² with Vd, not the exact count",
           "The exact count has positions, biases and layer norms besides.", LESSON, "blocks",
           {"total": lambda m: 12 * m.L * m.d**2 + m.V * m.d + m.head()},
           also=("tables", "norms", "bias")),
    switch("rule_of_thumb_and_tables",
           "This is the rule of thumb 12Ld² with the tables, not the exact count",
           "The exact count has biases and layer norms besides.", LESSON, "blocks",
           {"total": lambda m: 12 * m.L * m.d**2 + m.tables() + m.head()},
           also=("norms", "bias")),
    switch("lesson_formula", "Lesson 14's formula: it leaves the attention biases out",
           "The lesson's convention omits 4d in each block; the exact count has them.", LESSON,
           "blocks",
           {"block": lambda m: 12 * m.d**2 + 9 * m.d}),
    switch("mask_counted", "The causal mask is counted as a parameter",
           "The mask is a buffer: nothing in it is learned.", LESSON, "blocks",
           {"block": lambda m: Count.block(m) + m.T**2},
           {"total": lambda m: Count.total(m) + m.T**2}),
    switch("rounded", "The count is rounded",
           "The exact count is asked for, down to the last parameter: no round to millions.",
           LESSON, "whole",
           *({"result": lambda m, total, n=n: round(total, n)} for n in (-6, -3, -5, -4, -2, -1)),
           *({"result": lambda m, total, n=n: total // 10**n * 10**n} for n in (6, 3)),
           *({"result": lambda m, total, n=n: -(-total // 10**n) * 10**n} for n in (6, 3)),
           {"result": lambda m, total: round(total / 1e6)},
           {"result": lambda m, total: total // 10**6}, {"result": lambda m, total: total // 1000}),
    switch("not_whole", "The count is not a whole number",
           "Use whole numbers throughout: // instead of /.", LESSON, "whole",
           {"result": lambda m, total: total / 1e6}, {"result": lambda m, total: total / 1e9}),
    switch("bytes", "Bytes are returned, not parameters",
           "Count numbers, not the memory they take.", LESSON, "whole",
           {"result": lambda m, total: 4 * total}, {"result": lambda m, total: 2 * total},
           {"result": lambda m, total: 8 * total}),
    switch("overflow", "The count overflows 32 bits",
           "Python's own int has no limit; NumPy's int32 has.", LESSON, "whole",
           result=lambda m, total: (total + 2**31) % 2**32 - 2**31),
)  # fmt: skip

EXERCISE = Exercise(
    name="count_gpt2_params",
    contract="count_gpt2_params(V, T, d, L, tied=True, bias=True) returns an exact int",
    section=LESSON,
    reference=Count,
    make_cases=make_cases,
    parts=(
        Part("whole", "The exact count in every case", 1),
        Part("tables", "The two tables", 0.5),
        Part("blocks", "The blocks", 1),
        Part("norms", "The layer norms", 0.5),
        Part("tied", "tied=False", 0.5),
        Part("bias", "bias=False", 0.5),
    ),
    switches=SWITCHES,
    arguments=("V", "T", "d", "L", "tied", "bias"),
    locate=tell_terms({
        "V·d": "the token table and the head", "T·d": "the positions",
        "L·d²": "the matrices of the blocks", "L·d": "the biases and norms of the blocks",
        "d": "the final layer norm",
    }),
)  # fmt: skip
