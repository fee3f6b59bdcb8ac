"""Exercises 1 and 3 of the lesson: the crossover for GPT-2 small, and GPT-3 with and without tying.

Both ask for matrices and tables alone (12Ld² and Vd). For GPT-3 the exact count, with biases and
positions, differs by 0.02 %, so the tolerance lets either convention pass.
"""

from __future__ import annotations

from course_lib.assignment.short_answers import Known, Question, Sheet
from course_lib.counting.gpt2 import approximate_params

V, d, L = 50_257, 12_288, 96
TIED, UNTIED = approximate_params(V, d, L), approximate_params(V, d, L, tied=False)
BLOCKS, TABLE = 12 * L * d**2, V * d


def judge_crossover(sheet: Sheet) -> None:
    """V / (12d) for 50,000 tokens and width 768, and on which side twelve blocks lie."""
    exact = 50_000 / (12 * 768)
    sheet.number(
        "crossover_blocks", 0.5, exact, 2e-3, title="The crossover",
        known=(
            Known(6, "rounded up", "Give the quotient itself, such as 7.25."),
            Known(5, "rounded down", "Give the quotient itself, such as 7.25."),
            Known(2 * exact, "two tables are counted", "The question has one table of V·d."),
            Known(50_000 / (4 * 768), "only attention is counted", "A block has 12d², not 4d²."),
            Known(50_000 / (8 * 768), "only the MLP is counted", "A block has 12d², not 8d²."),
            Known(50_000 / 768, "the 12 is missing", "A block has 12d²."),
        ),
    )  # fmt: skip
    side = sheet["gpt2_small_is"]
    said = side.strip().lower() if isinstance(side, str) else side
    if said == "below":
        sheet.remark("side", "GPT-2 small is not below the crossover",
                     "Compare its number of blocks with the one you found.")  # fmt: skip
    elif said not in (None, "above"):
        sheet.remark("side", "gpt2_small_is has no meaning", 'It is "above" or "below".')
    sheet.mark("GPT-2 small", 0.5, said == "above")


def judge_gpt3(sheet: Sheet) -> None:
    """The totals with and without tying, and the fraction that tying saves of the untied one."""
    no_tables = Known(BLOCKS, "the table is missing", "Blocks 12Ld², and one table of V·d if tied.")
    no_12 = "A block has 12 squares of side d: four in the attention, eight in the MLP."
    sheet.number(
        "tied_total", 0.5, TIED, 5e-4, title="The total with tying",
        known=(
            Known(UNTIED, "this is the untied total", "Tied, the head is the token table."),
            no_tables,
            Known(4 * L * d**2 + TABLE, "the MLP is missing", no_12),
            Known(8 * L * d**2 + TABLE, "the attention is missing", no_12),
        ),
    )  # fmt: skip
    sheet.number(
        "untied_total", 0.5, UNTIED, 5e-4, title="The total without tying",
        known=(
            Known(TIED, "this is the tied total",
                  "Untied, the head is a V × d matrix of its own."),
            no_tables,
        ),
    )  # fmt: skip
    sheet.number(
        "fraction_saved", 0.5, TABLE / UNTIED, 5e-4, title="The fraction saved",
        known=(
            Known(TABLE / TIED, "the saving is divided by the tied total",
                  "Tying reduces the untied total: divide by that one."),
            Known(2 * TABLE / UNTIED, "both tables are counted as saved", "Tying saves one."),
            Known(TIED / UNTIED, "this is what remains", "The fraction saved is 1 minus this."),
        ),
    )  # fmt: skip


QUESTIONS = (
    Question("gpt2_crossover", "03_parameter_count", ("crossover_blocks", "gpt2_small_is"), 1,
             judge_crossover),
    Question("gpt3_tying", "03_parameter_count, what tying saves",
             ("tied_total", "untied_total", "fraction_saved"), 1.5, judge_gpt3),
)  # fmt: skip
