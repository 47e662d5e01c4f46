r"""The bits of a rater who is not shown to carry information: by the others' labels alone, as the finding.

The model's own bits rest on posteriors that the rater's labels helped to make. If the others' labels leave an item open, the rater's label decides it and is then
counted as right, so 20 labels given at random may seem to be .1 to .4 bits. Here a rater of skill :math:`\lambda` has the matrix
:math:`\lambda I + (1 - \lambda) m_j` with :math:`m_j` the rater's habit, and the likelihood of the skill is that of :mod:`raters.models.choosing.skill`.
The lower limit is 0, because the tests do not exclude it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtri

from raters.models.choosing.skill import GRID, Skills
from raters.models.entropy import mutual
from raters.models.fitted_model import FittedModel

Array = NDArray[Any]
METHOD = "skill"
NONE = "no information found"
COUNTED = ("not counted", "still counted")
PRINTED = 5e-5
"""A limit below this is printed as 0.0000."""


def skill_bits(known: Skills, prevalence: Array, level: float) -> tuple[Array, Array]:
    """(rater,): the bits to be expected, over what is known of the skill, and those at its upper limit.

    >>> import raters
    >>> from raters.models.choosing.skill import skills
    >>> c = raters.consensus(raters.examples.demo(), "dawid_skene")
    >>> value, high = skill_bits(skills(c), c.prevalence, 0.95)
    >>> bool((value <= high).all())
    True
    """
    each = np.stack([_bits(np.full(len(known.habit), x), known.habit, prevalence) for x in GRID], -1)  # (rater, skill)
    value = (known.posterior * each).sum(1)
    return value, np.maximum(_bits(_upper(known, level), known.habit, prevalence), value)


def _bits(skill: Array, habit: Array, prevalence: Array) -> Array:
    theta = skill[:, None, None] * np.eye(len(prevalence)) + (1 - skill)[:, None, None] * habit[:, None, :]
    return np.asarray(np.maximum(mutual(theta, prevalence), 0))


def _upper(known: Skills, level: float) -> Array:
    """(rater,): the upper limit of the skill, with two equal tails; between two skills of the grid, drops are straight lines."""
    drop = 2 * (known.log_likelihood.max(1, keepdims=True) - known.log_likelihood)  # (rater, skill)
    most = float(chdtri(1, 1 - level))
    last = np.where(drop <= most, np.arange(len(GRID)), 0).max(1)
    each, after = np.arange(len(drop)), np.minimum(last + 1, len(GRID) - 1)
    steep = np.maximum(drop[each, after] - drop[each, last], 1e-12)
    return np.asarray(GRID[last] + (GRID[after] - GRID[last]) * np.clip((most - drop[each, last]) / steep, 0, 1))


def still_counted(c: FittedModel, n: int, labels: float) -> tuple[str, ...]:
    """Why labels in which no information was found count all the same; ``n`` raters with this share of all labels."""
    if not n:
        return ()
    who = f"no information was found in the labels of {n:,} {'rater' if n == 1 else 'raters'} that are still counted"
    if c.choice is None:
        return (f'{who}: a model that you name counts all labels, model="auto" leaves out those beyond doubt',)
    if labels > 0.5 and not c.choice.blind:
        return (
            f"{who}: they gave more than half of all labels, and without those too little would be left to compare",
        )
    return (
        f"{who}: up to one honest rater in twenty is named by chance, so labels are left out only on evidence so strong that this would befall an honest rater in "
        "at most one crowd in twenty",
    )
