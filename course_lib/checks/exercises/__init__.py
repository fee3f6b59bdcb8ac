"""All exercises by name; each lives in a folder or file of its own here."""

from course_lib.checks.exercise import Exercise
from course_lib.checks.exercises import (
    causality,
    count_gpt2_params,
    crossovers,
    flops,
    gpt_logits,
    init_gpt,
    tied_lm_loss_and_grad,
    warm_ups,
)

EXERCISES: dict[str, Exercise] = {
    e.name: e
    for e in (
        warm_ups.LAYER_NORM,
        warm_ups.CAUSAL_ATTENTION,
        gpt_logits.EXERCISE,
        init_gpt.EXERCISE,
        tied_lm_loss_and_grad.EXERCISE,
        count_gpt2_params.EXERCISE,
        flops.FLOPS,
        flops.SHARE,
        flops.CONTEXT,
        crossovers.CROSSOVER_CONTEXT,
        crossovers.CROSSOVER_DEPTH,
        crossovers.TYING_FRACTION,
        crossovers.GROWTH,
        causality.EXERCISE,
    )
}
