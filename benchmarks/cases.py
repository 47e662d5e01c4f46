"""What is measured: for each case the data, and how every program is asked for the same figure.

Runs in the environment of one program, so nothing but numpy is imported at the top. ``prepare`` puts the labels into
the form that the program itself takes (not timed); the call is timed. raters starts from the bare matrix: its reading
is timed.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

RATERS = 5
Matrix = np.ndarray[Any, Any]


def categories(n: int, missing: float, raters: int = RATERS, labels: int = 5) -> Matrix:
    """Items by raters: labels 1, 2, ... of which three in four are the true one."""
    rng = np.random.default_rng(n)
    truth = rng.integers(1, labels + 1, n)
    m = np.where(rng.random((n, raters)) < 0.75, truth[:, None], rng.integers(1, labels + 1, (n, raters)))
    if not missing:
        return m
    found = m.astype(float)
    found[rng.random((n, raters)) < missing] = np.nan
    return found


def measurements(n: int, whole: bool) -> Matrix:
    """Items by raters: a value in 0 to 100 with error, rounded to whole numbers (a slider) or not."""
    rng = np.random.default_rng(n)
    x = rng.uniform(0, 100, n)[:, None] + rng.normal(0, 12, (n, RATERS))
    return np.clip(np.rint(x), 0, 100) if whole else x


@dataclass(frozen=True)
class Case:
    """One question to several programs."""

    title: str
    data: Callable[[int], Matrix]
    peers: tuple[str, ...]
    note: str


CASES = {
    "alpha, 10,000 replicates": Case(
        "Nominal alpha, 30 % missing; raters with 10,000 bootstrap replicates, the others the point alone",
        lambda n: categories(n, 0.3),
        ("krippendorff", "simpledorff", "nltk"),
        "irrCAC is in the next table: it gives a standard error.",
    ),
    "alpha": Case(
        "Nominal alpha, 30 % missing; the point alone (irrCAC, and raters beside it, with standard error and interval)",
        lambda n: categories(n, 0.3),
        ("krippendorff", "simpledorff", "nltk", "irrCAC"),
        "",
    ),
    "slider": Case(
        "Interval alpha of a slider, 0 to 100; the point alone",
        lambda n: measurements(n, True),
        ("krippendorff", "simpledorff", "nltk"),
        "",
    ),
    "continuous": Case(
        "Interval alpha of continuous values; the point alone",
        lambda n: measurements(n, False),
        ("krippendorff", "nltk"),
        "",
    ),
    "fleiss": Case(
        "Fleiss' kappa from raw labels; statsmodels with its counting (aggregate_raters)",
        lambda n: categories(n, 0.0),
        ("statsmodels", "irrCAC"),
        "irrCAC, and raters beside it, with standard error and interval.",
    ),
    "gwet": Case(
        "Gwet's AC1, 30 % missing, with standard error and interval",
        lambda n: categories(n, 0.3),
        ("irrCAC",),
        "",
    ),
    "cohen": Case(
        "Cohen's kappa of two raters, quadratic weights; the point alone",
        lambda n: categories(n, 0.0, raters=2),
        ("scikit-learn", "nltk"),
        "",
    ),
    "icc": Case(
        "ICC(A,1) with F, p and interval; both programs compute all six forms",
        lambda n: measurements(n, False),
        ("pingouin",),
        "",
    ),
}


def long(m: Matrix) -> tuple[Matrix, Matrix, Matrix]:
    """Item, rater and label of every label there is."""
    item, rater = np.nonzero(~np.isnan(m))
    return item, rater, m[item, rater]


def with_raters(case: str, m: Matrix, peer: str) -> float:
    """raters, from the bare matrix."""
    import raters

    scale = "interval" if case in ("slider", "continuous", "icc") else "ordinal" if case == "cohen" else "nominal"
    ann = raters.read(m, layout="wide", scale=scale)
    if case == "icc":
        return next(e.value for e in raters.icc(ann) if e.name == "ICC(A,1)")
    name = {"fleiss": "fleiss", "gwet": "gwet", "cohen": "cohen"}.get(case, "krippendorff")
    options: dict[str, Any] = {"interval": "delta" if peer == "irrCAC" else None}
    if case == "alpha, 10,000 replicates":
        options = {"interval": "bootstrap", "resamples": 10_000}
    if case == "cohen":
        options["weights"] = "quadratic"
    return raters.agreement(ann, name, **options).value


def prepare(peer: str, case: str, m: Matrix) -> Any:
    """The labels in the form that a program takes."""
    if peer in ("raters", "scikit-learn", "statsmodels"):
        return m
    if peer == "krippendorff":
        return np.ascontiguousarray(m.T)
    if peer == "nltk":
        item, rater, label = long(m)
        return list(zip(rater.tolist(), item.tolist(), label.tolist(), strict=True))
    import pandas as pd

    if peer == "irrCAC":
        return pd.DataFrame(m)
    item, rater, label = long(m)
    return pd.DataFrame({"item": item, "rater": rater, "label": label})


def ask(peer: str, case: str, data: Any) -> float:
    """The figure, by one of the peers."""
    numeric = case in ("slider", "continuous")
    if peer == "krippendorff":
        import krippendorff

        return float(krippendorff.alpha(data, level_of_measurement="interval" if numeric else "nominal"))
    if peer == "simpledorff":
        import simpledorff
        from simpledorff.metrics import interval_metric, nominal_metric

        metric = interval_metric if numeric else nominal_metric
        return float(
            simpledorff.calculate_krippendorffs_alpha_for_df(
                data, experiment_col="item", annotator_col="rater", class_col="label", metric_fn=metric
            )
        )
    if peer == "nltk":
        from nltk.metrics.agreement import AnnotationTask
        from nltk.metrics.distance import binary_distance, interval_distance

        task = AnnotationTask(data, distance=interval_distance if numeric or case == "cohen" else binary_distance)
        return float(task.weighted_kappa() if case == "cohen" else task.alpha())
    if peer == "irrCAC":
        from irrCAC.raw import CAC

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = getattr(CAC(data, digits=15), {"alpha": "krippendorff"}.get(case, case))()
        return float(found["est"]["coefficient_value"])
    if peer == "statsmodels":
        from statsmodels.stats.inter_rater import aggregate_raters, fleiss_kappa

        return float(fleiss_kappa(aggregate_raters(data)[0]))
    if peer == "scikit-learn":
        from sklearn.metrics import cohen_kappa_score

        return float(cohen_kappa_score(data[:, 0], data[:, 1], weights="quadratic"))
    import pingouin

    found = pingouin.intraclass_corr(data, targets="item", raters="rater", ratings="label").set_index("Type")
    return float(found.loc[next(t for t in found.index if t in ("ICC(A,1)", "ICC2")), "ICC"])
