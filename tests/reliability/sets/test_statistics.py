"""Intervals of the measures on sets: items are drawn, and items are left out."""

from dataclasses import replace

import numpy as np
import pytest
from coded_sets import drawn, measures, table

from raters import simulate
from raters.reliability.sets.multilabel import multilabel


def test_bootstrap_is_that_of_items() -> None:
    """Delta and jackknife against each other, and the bootstrap against samples of items made by hand."""
    ann = drawn(80)
    delta, jackknife, boot = (multilabel(ann, interval=i) for i in ("delta", "jackknife", "bootstrap"))
    for a, b, c in zip(delta, jackknife, boot, strict=True):
        assert a.se == pytest.approx(b.se, rel=0.05)
        assert a.se == pytest.approx(c.se, rel=0.12)
        assert c.low < c.value < c.high
    rng, data = np.random.default_rng(0), simulate.multilabel(80, 5, double=(0.2, 0.5), intersection=0.8, seed=0)
    values = []
    for _ in range(200):
        at = rng.integers(0, 80, 80)
        values.append(measures(replace(data, first=data.first[at], second=data.second[at]))["boot_match"][2])
    assert boot["boot_match"].se == pytest.approx(np.std(values), rel=0.2)


def test_jackknife_leaves_out_items() -> None:
    pairs = [("A", "AB"), ("B", "B"), ("C", "BC"), ("AC", "A"), ("B", "C"), ("A", "A")]
    whole = multilabel(table(pairs), interval="jackknife")
    without = [multilabel(table(pairs[:i] + pairs[i + 1 :]), interval=None) for i in range(6)]
    for name in ("soft_match", "augmented", "boot_match", "boot_f1"):
        left = np.array([found[name].value for found in without])
        assert whole[name].se == pytest.approx(np.sqrt(5 / 6 * ((left - left.mean()) ** 2).sum()), rel=1e-9)
