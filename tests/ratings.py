"""Tables of ratings, items by raters."""

import numpy as np

import raters


def wide(rows, scale="interval", **more):
    return raters.read(np.asarray(rows), layout="wide", scale=scale, **more)


def replications(items=353, raters_each=13, icc=0.574, seed=0):
    """Two replications with the paper's reliability of single ratings; columns are not the same people throughout."""
    rng = np.random.default_rng(seed)
    truth = rng.normal(size=(items, 1)) * np.sqrt(icc)
    return [truth + rng.normal(size=(items, raters_each)) * np.sqrt(1 - icc) for _ in range(2)]
