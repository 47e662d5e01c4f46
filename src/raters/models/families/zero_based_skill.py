r"""Zero-based skill: a weighted vote and the raters' agreement with it, alternated a hundred times.

.. math:: s_j \leftarrow s_j + \lambda \left( \frac{\#\{i: y_{ij} = v_i(s)\}}{\#\{i: y_{ij}\}} - s_j \right)

with :math:`v_i(s)` the label with the most weight, with ties to the first in label order, and :math:`\lambda` = 1, halved in rounds 20, 40,
60, 80 and 100. All skills start at 1/K + 1e-5; a last weighted vote gives the shares. No round is skipped even if nothing
changes any more. Parameters: ``skill`` (rater,). As in crowd-kit 1.4.2; see :mod:`raters.models.families.wawa`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from raters.models.families import voting, wawa
from raters.models.families.probabilities import Params, rows_to_one
from raters.models.families.spec import Vote
from raters.models.families.task import Task

Array = NDArray[Any]
ROUNDS, HALVED_EVERY, ABOVE_CHANCE = 100, 20, 1e-5


def skills(task: Task) -> Params:
    """How often each rater agrees with the weighted vote that these skills give.

    >>> from raters.models.votes import Votes
    >>> votes = Votes.of_codes([0, 0, 0, 1, 1, 1], [0, 1, 2] * 2, [0, 0, 1, 1, 1, 1], labels=("no", "yes"))
    >>> skills(Task(votes))["skill"].tolist()
    [1.0, 1.0, 0.5]
    """
    v = task.votes
    used = int((v.per_rater.sum(0) > 0).sum())
    skill, rate = np.full(v.n_raters, 1 / max(used, 1) + ABOVE_CHANCE), 1.0
    for turn in range(1, ROUNDS + 1):
        rate = rate / 2 if turn % HALVED_EVERY == 0 else rate
        totals = v.summed(v.table.data * skill[v.rater_of])
        skill = skill + rate * (wawa.agreement(task, totals) - skill)
    return {"skill": skill}


MODEL = voting.model(
    Vote(skills, wawa.weigh, rows_to_one, f"{ROUNDS} rounds of weighted votes"),
    name="zero_based_skill",
    rank=1.5,
    title="Zero-based skill",
    rater="a rate of agreement with the weighted vote",
    reference="Ustalov, Pavlichenko & Tseitlin (2024), JOSS 9(96), 6227 (crowd-kit)",
    sampler=wawa.NOT_DRAWN,
    by_rater=("skill",),
    unknown_raters=wawa.STRANGERS,
    certainty="share of the weighted vote",
)
