"""How far an item is settled after so many labels."""

import raters
from raters import examples


def test_settled_under_fitted_raters():
    ann = examples.demo()
    answer = raters.plan(ann, consensus=raters.consensus(ann, "dawid_skene", restarts=0), settled=0.95, resamples=200)
    row = answer["labels per item until settled"]
    shares = row.details["shares"]
    assert shares[int(row.value) - 1] >= 0.95 > shares[int(row.value) - 2]
    assert "settled at 0.95" in answer.sentences[-1]


def test_no_rater_labels_an_item_twice():
    """More labels than raters take new raters, and the sentence says how many."""
    from types import SimpleNamespace

    import numpy as np

    from raters.reliability.planning.plan import _raters, labels_until_settled

    order = _raters(5, np.random.default_rng(0))
    assert all(len(set(row[:5])) == 5 for row in order.tolist())
    one = np.array([[0.8, 0.2], [0.2, 0.8]])
    fitted = SimpleNamespace(confusion=np.stack([one] * 5), prevalence=np.array([0.5, 0.5]))
    row, sentence = labels_until_settled(fitted, 0.99, 0)
    assert row.value > 5 and f"There are 5 raters here; with {row.value - 5:.0f} more raters like them" in sentence
    _, enough = labels_until_settled(fitted, 0.7, 0)
    assert enough.startswith("With the fitted raters") and "if raters err independently and no item is hard" in enough
