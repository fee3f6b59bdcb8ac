"""The references that are cut into pieces give what the engine gives."""

import numpy as np
import pytest

import course_lib.counting as counting
from course_lib import gpt, layers, tied
from course_lib.checks.exercises import EXERCISES

ENGINE = {
    "layer_norm": layers.layer_norm,
    "causal_attention": layers.causal_attention,
    "gpt_logits": gpt.gpt_logits,
    "tied_lm_loss_and_grad": tied.tied_lm_loss_and_grad,
    "count_gpt2_params": counting.count_gpt2_params,
    "flops_per_token": counting.flops_per_token,
    "attention_share": counting.attention_share,
    "context_for_attention_share": counting.context_for_attention_share,
    "crossover_context": counting.crossover_context,
    "crossover_depth": counting.crossover_depth,
    "tying_fraction": counting.tying_fraction,
}


@pytest.mark.parametrize("seed", [14, 0, 99])
@pytest.mark.parametrize("name", ENGINE)
def test_reference_and_engine_agree(name, seed):
    exercise = EXERCISES[name]
    for case in exercise.make_cases(seed):
        for args in case.calls:
            ours = exercise.reference().answer(*args)
            theirs = ENGINE[name](*args)
            for a, b in zip(*((x if isinstance(x, tuple) else (x,)) for x in (ours, theirs)),
                            strict=True):  # fmt: skip
                scale = np.abs(b).max()
                np.testing.assert_allclose(a, b, rtol=0, atol=case.tolerance * scale * 0.1)


def test_published_figures():
    count = EXERCISES["count_gpt2_params"].reference()
    assert count.answer(50257, 1024, 768, 12) == 124_439_808
    assert count.answer(50257, 1024, 1024, 24) == 354_823_168
    share = EXERCISES["attention_share"].reference()
    assert share.answer(50257, 4096, 768, 12) == pytest.approx(0.3792, abs=5e-4)
    assert EXERCISES["crossover_context"].reference().answer(768) == 3072
    assert EXERCISES["crossover_depth"].reference().answer(50000, 768) == pytest.approx(
        5.425, abs=1e-3
    )


@pytest.mark.parametrize("name", EXERCISES)
def test_other_seeds_draw_other_inputs_and_the_same_seed_the_same(name):
    make = EXERCISES[name].make_cases

    def fingerprint(seed):
        return [repr(case.calls) for case in make(seed)]

    assert fingerprint(3) == fingerprint(3)
    assert fingerprint(3) != fingerprint(4) or name == "rows_that_change"
