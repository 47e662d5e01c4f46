"""Models that ask only whether a label is right, against whole confusion matrices."""

import numpy as np
import pytest
from small_crowds import coin, crowd

from raters.models import consensus
from raters.models.base.probabilities import log
from raters.models.families import one_coin
from raters.models.families.dawid_skene import by_matrices, expected_counts


@pytest.mark.parametrize("name", ["one_coin", "mace"])
def test_a_label_and_whether_it_is_right_against_whole_matrices(name: str) -> None:
    """The E step of one-coin and MACE is that of Dawid-Skene with their matrices; hits are the diagonal of its
    counts.
    """
    table, _ = crowd(np.stack([coin(a, 4) for a in (0.9, 0.6, 0.4, 0.2)]), 80, share=0.7)
    c = consensus(table, name, start="votes", prevalence="learned")
    q, total = by_matrices(c.task, c.params, log(c.confusion))
    assert np.allclose(q, c.posterior, atol=1e-9) and total == pytest.approx(c.log_likelihood)
    counts = expected_counts(table, q)
    assert np.allclose(one_coin.hits(table, q), np.einsum("rkk->rk", counts), atol=1e-12)
