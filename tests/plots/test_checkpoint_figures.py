"""The figures of lesson 12: their alt text carries the numbers, and odd tokens do no harm."""

from course_lib.plots.checkpoints import next_token_bars, what_is_left


def test_the_bars_say_each_share_and_the_rest():
    alt = next_token_bars(["␣the", "$x$", "<C3>"], [0.5, 0.25, 0.125], "to $be$").alt
    for words in ("␣the 50.00%", "$x$ 25.00%", "<C3> 12.50%", "All other tokens together: 12.50%"):
        assert words in alt


def test_another_share_changes_the_picture():
    one = next_token_bars(["a", "b"], [0.5, 0.25], "x").png
    assert one == next_token_bars(["a", "b"], [0.5, 0.25], "x").png
    assert one != next_token_bars(["a", "b"], [0.5, 0.26], "x").png


def test_what_is_cut_is_said():
    alt = what_is_left(["a", "b"], {"all": [0.6, 0.2], "top-k 1": [1.0, 0.0]}).alt
    assert "all: a 60.0%, 2 of these 2 left" in alt
    assert "top-k 1: a 100.0%, 1 of these 2 left" in alt
