"""Three challenges about the models of the table, answered by name and number.

Any model that meets a challenge is right. Numbers are compared with that model's own.
"""

from __future__ import annotations

from course_lib.assignment.short_answers import WHOLE, Known, Question, Sheet
from course_lib.counting import MODELS, ModelConfig, Tensor, params, params_by_part, tensors

SECTION = "03_parameter_count"


def judge_scores(sheet: Sheet) -> None:
    """T² of one head's scores against all attention weights of a block, within the context."""
    model, T = _model(sheet, "scores_model"), sheet["scores_T"]
    if model is None:
        sheet.mark("The model and its T", 1, right=False)
        sheet.mark("The two numbers", 1, right=False)
        return
    attention = [t for t in tensors(model) if t.block == 0 and t.part == "attention"]
    matrices = sum(t.count for t in attention if t.kind == "matrix")
    everything = sum(t.count for t in attention)
    if type(T) is not int or T < 1:
        sheet.remark("no_T", "scores_T is no sequence length", "Give a whole number, T ≥ 1.")
        sheet.mark("The model and its T", 1, right=False)
        sheet.mark("The two numbers", 1, right=False)
        return
    met = everything < T * T and T <= model.T
    if T > model.T:
        sheet.remark("too_long", f"That is more than {model.name} can read",
                     f"Its context is {model.T:,} tokens.")  # fmt: skip
        T = min(T, 10**6)
    elif not met:
        sheet.remark("too_small", "The scores are not more numbers than the weights",
                     f"At T = {T:,} one head has T² = {T * T:,} scores, a block of {model.name} "
                     f"has {everything:,} attention weights.")  # fmt: skip
    sheet.mark("The model and its T", 1, met)
    square = T * T
    sheet.number("score_count", 0.5, square, 0, title="The number of scores", digits=WHOLE, known=(
        Known(square * model.h, "all heads are counted", "The challenge is about one head."),
        *(Known(half, "half of the matrix", "Count the whole T × T matrix.")
          for half in (square // 2, T * (T - 1) // 2, T * (T + 1) // 2)),
    ))  # fmt: skip
    value = sheet["weight_count"]
    expected = matrices if value == matrices else everything  # with or without biases
    sheet.number("weight_count", 0.5, expected, 0, title="The number of weights", digits=WHOLE,
                 known=(
        *(Known(count, "all blocks are counted", "One block is asked for.")
          for count in (everything * model.L, matrices * model.L,
                        params_by_part(model)["attention"])),
        *(Known(t.count, f"this is {_short(t)} alone", "Add all matrices of the attention.")
          for t in attention if t.kind == "matrix"),
    ))  # fmt: skip


def judge_mlp(sheet: Sheet) -> None:
    """A model with more than three quarters of its parameters in MLPs, and the fraction."""
    model = _model(sheet, "mlp_model")
    if model is None:
        sheet.mark("The model", 1, right=False)
        sheet.mark("Its fraction", 1, right=False)
        return
    parts, whole = params_by_part(model), params(model)
    fraction = parts["mlp"] / whole
    if fraction <= 0.75:
        sheet.remark("too_little", f"{model.name} has {fraction:.1%} in its MLPs",
                     "Large models have small tables; a gated MLP has three matrices; "
                     "grouped queries make the attention small.")  # fmt: skip
    sheet.mark("The model", 1, fraction > 0.75)
    tables = parts["token embedding"] + parts.get("position embedding", 0) + parts.get("head", 0)
    sheet.number("mlp_fraction", 1, fraction, 1e-3, title="Its fraction",
                 digits="at least three digits", known=(
        Known(parts["mlp"] / (parts["mlp"] + parts["attention"]), "this is the share of a block",
              "Divide by all parameters: tables, head and norms too."),
        Known(parts["mlp"] / (whole - tables), "the tables are left out",
              "Divide by all parameters: tables, head and norms too."),
    ))  # fmt: skip


def judge_keys(sheet: Sheet) -> None:
    """A model whose W_K is smaller than its W_Q, and the sizes of both."""
    model = _model(sheet, "grouped_model")
    if model is None:
        sheet.mark("The model", 1, right=False)
        sheet.mark("The two sizes", 1, right=False)
        return
    block = next((i for i in range(model.L) if _matrix(model, i, "W_K")), 0)
    key, query = _matrix(model, block, "W_K"), _matrix(model, block, "W_Q")
    if key is None or query is None:
        sheet.remark("latent", f"{model.name} stores no W_K and W_Q",
                     "Its attention goes through a latent vector. Take another model.")  # fmt: skip
        sheet.mark("The model", 1, right=False)
        sheet.mark("The two sizes", 1, right=False)
        return
    if key.count >= query.count:
        sheet.remark("equal", f"In {model.name} both have {key.count:,} entries",
                     "Look for fewer key and value heads (h_kv) than heads (h).")  # fmt: skip
    sheet.mark("The model", 1, key.count < query.count)
    for name, tensor, other in (("key_size", key, query), ("query_size", query, key)):
        sheet.number(name, 0.5, tensor.count, 0, title=f"The entries of {_short(tensor)}",
                     digits=WHOLE, known=(
            Known(tensor.count * model.L, "all blocks are counted", "Take one block."),
            Known(other.count, f"this is {_short(other)}", f"Give {_short(tensor)} here."),
        ))  # fmt: skip


def _model(sheet: Sheet, answer: str) -> ModelConfig | None:
    name = sheet[answer]
    if name is None:
        return None
    if isinstance(name, str):
        name = name[:100]
    try:
        return MODELS[name]
    except (TypeError, KeyError) as error:
        sheet.remark("no_model", f"{answer} names no model of the table", str(error))
        return None


def _matrix(model: ModelConfig, block: int, name: str) -> Tensor | None:
    found = (t for t in tensors(model) if t.block == block and t.name.endswith(f".{name}"))
    return next(found, None)


def _short(tensor: Tensor) -> str:
    return tensor.name.rpartition(".")[2]


QUESTIONS = (
    Question("challenge_scores", SECTION,
             ("scores_model", "scores_T", "score_count", "weight_count"), 2, judge_scores),
    Question("challenge_mlp", SECTION, ("mlp_model", "mlp_fraction"), 2, judge_mlp),
    Question("challenge_keys", SECTION + ", after 2020",
             ("grouped_model", "key_size", "query_size"), 2, judge_keys),
)  # fmt: skip
