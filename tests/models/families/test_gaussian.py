"""The model for numbers: bias and variance of each rater."""

import csv
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import raters
from raters.models.base.votes import Votes
from raters.models.families.gaussian import Gaussian
from raters.models.fitting import em


@settings(max_examples=15)
@given(seed=st.integers(0, 10**6), gold=st.booleans())
def test_the_gaussian_objective_never_falls(seed: int, gold: bool) -> None:
    rng = np.random.default_rng(seed)
    values = tuple(np.unique(rng.normal(5, 2, 40).round(1)).tolist())
    votes = Votes.of_codes(
        rng.integers(0, 15, 60), rng.integers(0, 5, 60), rng.integers(0, len(values), 60), labels=values
    ).with_items([99])
    known = np.where(rng.random(votes.n_items) < 0.3, 5.0, np.nan) if gold else None
    model = Gaussian(votes, known)
    fit = em.run(model, model.start(), rule=em.Rule(1e-12, 100))
    assert np.diff(fit.objectives).min(initial=0) >= -1e-9 * abs(fit.objectives[-1])


@pytest.mark.shared
def test_gaussian_on_word_similarity(data_dir: Path) -> None:
    with (data_dir / "snow2008" / "wordsim.standardized.tsv").open() as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    ann = raters.read([(r["orig_id"], r["!amt_worker_ids"], float(r["response"])) for r in rows], scale="interval")
    truth = {r["orig_id"]: float(r["gold"]) for r in rows}
    c = raters.consensus(ann, model="gaussian")
    gold = [truth[i] for i in c.items]
    mean = Gaussian(c.votes).start()[0]
    assert round(float(np.corrcoef(mean, gold)[0, 1]), 4) == 0.9519
    assert np.corrcoef(c.posterior[:, 0], gold)[0, 1] > 0.94


def test_gaussian_log_likelihood_by_the_multivariate_normal() -> None:
    values = (1.0, 2.0, 3.5, 4.0)
    votes = Votes.of_codes([0, 0, 0, 1, 1], [0, 1, 1, 0, 2], [0, 1, 2, 3, 2], labels=values)
    params = {
        k: np.array(x)
        for k, x in {"center": [2.0], "spread": [1.5], "bias": [0.2, -0.1, 0.3], "variance": [0.5, 1.0, 2.0]}.items()
    }
    (mean, variance), found = Gaussian(votes).expect(params)
    total = 0.0
    for rows in ([(0, 1.0), (1, 2.0), (1, 3.5)], [(0, 4.0), (2, 3.5)]):
        off = np.array([y - params["bias"][j] - 2.0 for j, y in rows])
        cov = np.diag([params["variance"][j] for j, _ in rows]) + 1.5
        total -= (off @ np.linalg.solve(cov, off) + np.linalg.slogdet(2 * np.pi * cov)[1]) / 2
    assert found == pytest.approx(total)
    cov = np.diag([0.5, 1.0, 1.0]) + 1.5
    assert mean[0] == pytest.approx(2.0 + 1.5 * np.linalg.solve(cov, np.array([1 - 0.2, 2.1, 3.6]) - 2.0).sum())
    assert variance[0] == pytest.approx(1.5 - 1.5**2 * np.linalg.inv(cov).sum())
