"""A table without names gives the same figures."""

import pytest

import raters
from raters import examples
from raters.reporting.anonymous import anonymous


def test_anonymous_tables_give_the_same_figures():
    ann = examples.demo()
    hidden, key = anonymous(ann, seed=1)
    assert sorted(key.values()) == ["ana", "ben", "chi", "dev", "eli"] and set(key) == {f"R{i:03}" for i in range(1, 6)}
    assert raters.agreement(hidden, interval=None).value == raters.agreement(ann, interval=None).value
    by_code = {key[e.name]: e.value for e in raters.per_rater(hidden, interval=None)}
    assert by_code == pytest.approx({e.name: e.value for e in raters.per_rater(ann, interval=None)})
    text = raters.report(hidden, resamples=100).json()
    assert not [name for name in key.values() if f'"{name}"' in text]
