"""Tables of votes and models fitted to them."""

import numpy as np
from scipy import sparse

import raters
from raters.agree.agreement_spec import request
from raters.items import Items
from raters.reliability.krr.aggregates import Aggregate, majority
from raters.reliability.krr.vote_model.simplex import free_points, grid_points
from raters.reliability.krr.vote_model.tilted import Calibrated, moments

MAJORITY = Aggregate("majority", "random", shares=majority)
PLAIN = request("krippendorff")


def points_for(counts, weight, seed):
    q = counts.shape[1]
    if q in (2, 3):
        return grid_points(q, int(counts.sum(1).max()))
    return free_points(counts, weight, np.random.default_rng(seed))


def table(seed, q=3, n=6, items=200):
    rng = np.random.default_rng(seed)
    counts = rng.multinomial(n, rng.dirichlet(np.full(q, 0.6), items)).astype(float)
    rows, weight = np.unique(counts, axis=0, return_counts=True)
    return rows, weight.astype(float)


def calibrated(seed, q=5, n=6, items=300):
    counts, weight = table(seed, q, n, items)
    points = points_for(counts, weight, seed)
    ann = raters.read(np.arange(4 * q).reshape(q, 4) % q, layout="wide", scale="nominal", labels=list(range(q)))
    bag = Items(weight, sparse.csr_array(counts), ann.labels, (None,))
    return Calibrated(counts, weight, points, moments(PLAIN, ann, MAJORITY, bag, points, n, seed), seed)
