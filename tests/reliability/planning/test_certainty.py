"""How certain an item is after so many labels."""

import raters
from raters import examples


def test_certainty_under_fitted_raters():
    ann = examples.demo()
    answer = raters.plan(ann, consensus=raters.consensus(ann, "dawid_skene", restarts=0), certainty=0.95, resamples=200)
    row = answer["labels per item for certainty"]
    shares = row.details["shares"]
    assert shares[int(row.value) - 1] >= 0.95 > shares[int(row.value) - 2]
    assert "certainty" in answer.sentences[-1]
