"""What a student reads: HTML in the notebook, plain text elsewhere, a dict for machines."""

import json
from html.parser import HTMLParser

import numpy as np

from course_lib import gpt
from course_lib.checks import Report, check
from course_lib.checks.report import Diagnosis, PartResult


class Tags(HTMLParser):
    def __init__(self):
        super().__init__()
        self.open, self.seen = [], []

    def handle_starttag(self, tag, attrs):
        self.seen.append(tag)
        if tag != "br":
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def wrong(P, idx, n_head):
    return gpt.gpt_logits({**P, "wpe": 0 * P["wpe"]}, idx, n_head)


def test_a_right_answer_is_told_in_one_line():
    text = str(check("gpt_logits", gpt.gpt_logits))
    assert text == "gpt_logits: 10 of 10 points, all right."


def test_a_wrong_answer_lists_parts_and_mistakes():
    report = check("gpt_logits", wrong)
    text = repr(report)
    assert "6.5 of 10 points" in text
    assert "✗ Embedding" in text
    assert "✓ The causal mask (1/1)" in text
    assert "The position embedding is missing" in text
    assert "Read again: 01_forward_pass" in text


def test_html_is_well_formed_and_says_the_same():
    report = check("gpt_logits", wrong)
    html = report._repr_html_()
    parser = Tags()
    parser.feed(html)
    assert parser.open == []
    assert "The position embedding is missing" in html
    assert "6.5 of 10" in html


def test_nothing_of_the_student_s_becomes_markup():
    def function(P, idx, n_head):
        raise ValueError("<script>alert(1)</script>")

    html = check("gpt_logits", function)._repr_html_()
    assert "<script" not in html
    assert "&lt;script&gt;" in html


def test_the_dict_is_plain_json():
    data = check("gpt_logits", wrong).to_dict()
    assert json.loads(json.dumps(data)) == data
    assert data["exercise"] == "gpt_logits"
    assert data["passed"] is False
    assert data["score"] == 6.5
    assert data["max_score"] == 10
    assert data["error"] is None
    assert set(data["diagnoses"][0]) == {"id", "title", "message", "section"}
    assert data["diagnoses"][0]["id"] == "no_positions"


def test_the_same_seed_gives_the_same_report_and_is_recorded():
    one, two = (check("gpt_logits", wrong, seed=11) for _ in range(2))
    assert str(one) == str(two)
    assert one.seed == 11
    shown = [str(check("gpt_logits", wrong, seed=seed, visible=True)) for seed in (11, 12)]
    assert shown[0] != shown[1]


def test_hidden_reports_do_not_show_sizes_and_visible_ones_do():
    assert "B = 3" in str(check("gpt_logits", wrong))
    assert "B = 3" not in str(check("gpt_logits", wrong, seed=11))
    assert "B = 3" in str(check("gpt_logits", wrong, seed=11, visible=True))


def test_score_is_the_sum_of_its_parts():
    parts = (PartResult("a", 0.1, 0.1), PartResult("b", 0.2, 0.2), PartResult("c", 1, 0))
    report = Report("x", parts, (Diagnosis("i", "T", "m", ""),))
    assert report.score == 0.3
    assert report.max_score == 1.3
    assert not report.passed
    assert Report("x", parts[:2]).passed
    assert not Report("x", parts[:2], error="stopped").passed


def test_no_message_holds_code_of_the_reference():
    rng = np.random.default_rng(0)
    report = check("gpt_logits", lambda P, i, h: rng.standard_normal((*i.shape, len(P["wte"]))))
    assert "self." not in str(report)
    assert "lambda m" not in str(report)
