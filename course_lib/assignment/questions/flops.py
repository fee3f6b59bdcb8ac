"""Exercise 5 of the lesson: attention's share of GPT-2 small's FLOPs at long contexts."""

from __future__ import annotations

from course_lib.assignment.short_answers import WHOLE, Known, Question, Sheet
from course_lib.counting.gpt2 import (
    attention_flops_per_token,
    attention_share,
    context_for_attention_share,
    weight_flops_per_token,
)

V, d, L = 50_257, 768, 12
CONTEXTS = (4_096, 32_768, 131_072)


def judge_shares(sheet: Sheet) -> None:
    """The share at three contexts, and the context at which it reaches 90 %."""
    weights = weight_flops_per_token(V, d, L)
    for T in CONTEXTS:
        attention = attention_flops_per_token(T, d, L)
        blocks = weights - 2 * V * d
        half = attention / 2
        sheet.number(
            f"share_{T}", 0.4, attention_share(V, T, d, L), 5e-4, title=f"The share at T = {T:,}",
            known=(
                Known(attention / weights, "attention is divided by the weights' FLOPs",
                      "Divide by all FLOPs, attention's included: a share lies between 0 and 1."),
                Known(attention / (attention + blocks), "the head is missing from the whole",
                      "The head's matmul costs 2Vd, tied or not."),
                Known(attention / (attention + weights + 2 * V * d), "the lookup is counted",
                      "A lookup copies a row and costs no FLOPs: Vd counts once, for the head."),
                Known(half / (half + weights), "half of attention is missing",
                      "Scores and mix cost 2Td each, 4Td together, over the full T × T matrix."),
                Known(attention / (attention + 16 * L * d * d),
                      "attention is compared with the MLP",
                      "The whole has projections and head as well."),
            ),
        )  # fmt: skip
    expected = context_for_attention_share(V, d, L, 0.9)
    per_position = attention_flops_per_token(1, d, L)
    sheet.number(
        "context_90", 0.8, expected, 1.5 / expected, title="Where it reaches 90 %",
        digits=WHOLE,
        known=(
            Known(0.9 * weights / per_position, "attention is 0.9 of the weights' FLOPs there",
                  "It is to be 0.9 of everything: 9 times the weights' FLOPs."),
            Known(10 * weights / per_position, "attention is 10 times the weights' FLOPs there",
                  "0.9 of the whole is 9 times the rest."),
            Known(9 * (weights - 2 * V * d) / per_position, "the head is missing from the whole",
                  "The head's matmul costs 2Vd, tied or not."),
            Known(2 * expected, "half of attention is missing",
                  "Scores and mix cost 2Td each, 4Td together."),
        ),
    )  # fmt: skip


QUESTIONS = (
    Question("long_context", "04_flops, long contexts",
             (*(f"share_{T}" for T in CONTEXTS), "context_90"), 2, judge_shares),
)  # fmt: skip
