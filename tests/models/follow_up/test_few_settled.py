"""Labels of which hardly any item is settled are counted in a phrase of their own."""

import raters
from raters.models.follow_up.why import few_settled


def crowd(hate: int):
    """Forty clear items without hate, twelve disputed ones, and some clear ones with it."""
    clear = [(f"n{i}", f"r{j}", "no") for i in range(40) for j in range(7)]
    open_ = [(f"d{i}", f"r{j}", "hate" if j < 4 else "no") for i in range(12) for j in range(7)]
    sure = [(f"h{i}", f"r{j}", "hate") for i in range(hate) for j in range(7)]
    return raters.consensus(raters.read([*clear, *open_, *sure]), "majority")


def test_none_only_some_or_nothing_to_say():
    none, some, most = (few_settled(crowd(n), 0.9) for n in (0, 2, 30))
    assert none == 'none of the 12 labelled "hate"'
    assert some == 'only 2 of the 14 labelled "hate"'
    assert most == ""
