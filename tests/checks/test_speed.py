"""In a warm process a right `gpt_logits` costs at most 0.3 s of CPU and a wrong one 2 s."""

import time

import numpy as np
import pytest

from course_lib import gpt
from course_lib.checks import check
from course_lib.checks.exercises import EXERCISES

from .right_gpt_logits import forward, gelu, plain_attention


def cpu_seconds(function):
    start = time.process_time()
    function()
    return time.process_time() - start


@pytest.fixture(autouse=True)
def warm():
    check("gpt_logits", gpt.gpt_logits, seed=1)


def test_a_right_answer_is_checked_in_a_third_of_a_second():
    assert (
        min(cpu_seconds(lambda: check("gpt_logits", gpt.gpt_logits, seed=1)) for _ in range(3))
        < 0.3
    )


def test_a_wrong_answer_is_named_in_two_seconds_the_first_time_too():
    exact = EXERCISES["gpt_logits"].switches[-1].forms[0]
    model = type("Wrong", (EXERCISES["gpt_logits"].reference,), dict(exact))()
    assert cpu_seconds(lambda: check("gpt_logits", model.answer, seed=21)) < 2


def test_what_no_switch_explains_is_given_up_in_time():
    def strange(P, idx, n_head):
        def act(x):
            return gelu(x) + 0.1 * np.sin(3 * x)

        def attention(b, x, h):
            return plain_attention(b, np.tanh(x), h)

        return np.tanh(forward(P, idx, n_head, attention, act=act))

    assert cpu_seconds(lambda: check("gpt_logits", strange, seed=22)) < 2.5
