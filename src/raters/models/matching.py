r"""What one-coin, MACE and GLAD share: a label's probability depends only on whether it is the truth.

.. math:: \log p(y \mid z = k) = m + [y = k]\,(h - m)

``hit`` :math:`h` and ``miss`` :math:`m` are one number for each cell, so that both steps cost O(N), not O(N K).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from raters.models.em import log, normalised
from raters.models.votes import Votes

Array = NDArray[Any]
LEAST = -1e4
"""In place of log 0, which a perfect rater has without smoothing: differences stay defined."""


def posterior(votes: Votes, gold: Array | None, hit: Array, miss: Array, prevalence: Array) -> tuple[Array, float]:
    """(item, label) posteriors and the log-likelihood, from the two log probabilities of each cell."""
    n = votes.table.data
    hit, miss = np.maximum(hit, LEAST), np.maximum(miss, LEAST)
    scores = votes.summed(n * (hit - miss))
    scores += np.bincount(votes.item_of, n * miss, votes.n_items)[:, None]
    scores += log(prevalence)
    return normalised(scores, gold, votes.weight)


def cells(votes: Votes, hit: Array, miss: Array) -> Array:
    """(cell, true label): the log probability of each label that was given."""
    table = np.repeat(miss[:, None], votes.n_labels, 1)
    table[np.arange(len(hit)), votes.label_of] = hit
    return table
