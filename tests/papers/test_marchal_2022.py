"""Marchal, Scholman, Yung & Demberg (2022), Establishing Annotation Quality in Multi-label Annotations, COLING."""

from typing import Any

import numpy as np
import pytest
from coded_sets import KAPPAS, TABLE_1, measures, table

from raters import simulate
from raters.reliability.sets.multilabel import multilabel


def test_table_1() -> None:
    each = [multilabel(table([row]), interval=None) for row in TABLE_1]
    turned = [multilabel(table([row]), who=["c2", "c1"], interval=None) for row in TABLE_1]
    assert [t["boot_match"].observed for t in each] == [1, 1, 1] == [t["soft_match"].observed for t in each]
    assert [t["augmented"].observed for t in each] == [0.5, 0.25, 0.5]
    assert [round(t["boot_f1"].observed, 2) for t in each] == [0.67, 0.5, 1]
    # the paper's table lists precision and recall of c2 against c1
    assert [t["boot_precision"].observed for t in turned] == [0.5, 0.5, 1]
    assert [t["boot_recall"].observed for t in turned] == [1, 0.5, 1]
    assert multilabel(table(TABLE_1), interval=None)["augmented"].expected == pytest.approx(0.39, abs=0.005)


def over_datasets(n: int = 60, **options: Any) -> dict[str, np.ndarray]:
    found = [measures(simulate.multilabel(100, seed=s, **options)) for s in range(n)]
    return {name: np.mean([f[name] for f in found], 0) for name in found[0]}


@pytest.mark.parametrize(("share", "adjusted"), [(0.6, 0.50), (0.75, 0.69), (0.9, 0.87)])
def test_no_doubles(share: float, adjusted: float) -> None:
    found = over_datasets(double=0, intersection=share)
    for name in KAPPAS:
        assert found[name] == pytest.approx([share, 0.205, adjusted], abs=0.007)


def test_all_doubles() -> None:
    five = over_datasets(double=1, intersection=0.75)
    assert five["boot_match"] == pytest.approx([0.75, 0.70, 0.17], abs=0.008)
    assert five["soft_match"][1] == pytest.approx(0.205, abs=0.003)
    ten = over_datasets(n_labels=10, double=1, intersection=0.75)
    assert ten["boot_match"] == pytest.approx([0.75, 0.38, 0.60], abs=0.008)
    assert over_datasets(n_labels=10, double=0, intersection=0.75)["boot_match"][1] == pytest.approx(0.11, abs=0.006)
    assert over_datasets(double=1, intersection=0.9)["boot_match"][2] == pytest.approx(0.67, abs=0.01)


def test_a_quarter_doubles() -> None:
    found = over_datasets(double=0.25, intersection=0.9)
    assert found["augmented"] == pytest.approx([0.69, 0.205, 0.61], abs=0.01)


def test_lower_entropy_raises_chance() -> None:
    """Section 5.2: more so for soft-match than for augmented, where labels are doubled."""
    even, uneven = (over_datasets(20, double=0.5, intersection=0.75, entropy=h) for h in (np.log2(5), 1.5))
    assert all(uneven[name][1] > even[name][1] + 0.05 for name in KAPPAS)
    assert uneven["soft_match"][1] > uneven["augmented"][1] + 0.02
