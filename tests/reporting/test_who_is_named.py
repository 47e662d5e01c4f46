"""The report as a whole names somebody among raters who are alike in at most 5 % of tables; and the reader of one
report reads one verdict.
"""

import pytest
from alike import table

from raters.reporting.context import Context


def stands_out(seed: int, accuracies: list[float]) -> Context:
    return Context(table(40, seed, accuracies, "abc"), interval=None)


@pytest.mark.long("null rate")
def test_few_reports_name_anybody_among_raters_who_are_alike():
    named = [stands_out(seed, [0.7] * 4).standing_out for seed in range(30)]
    assert sum(bool(out.disagree or out.usage) for out in named) <= 4  # 5 % of 30, and two standard errors


def test_both_questions_about_raters_share_five_percent():
    from inspect import signature

    from raters.agree.explaining import RATERS_ALPHA
    from raters.agree.label_use import label_use

    assert signature(label_use).parameters["alpha"].default + RATERS_ALPHA <= 0.05


def test_a_rater_at_random_is_named():
    assert stands_out(1, [0.9] * 4 + [0.0]).standing_out.disagree == ("r4",)
