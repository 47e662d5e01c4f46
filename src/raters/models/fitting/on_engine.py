r"""EM inside the database: one join and two GROUP BYs per iteration, for tables larger than memory.

The M step of a model of confusion matrices needs only the expected number of times that each rater gave each label for
each truth, and how many items have each truth: :math:`R K^2 + K` numbers. The engine computes them from the parameters;
the M step is the model's own, run in memory on one item for each truth, which represents all items with that truth.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from raters.annotations import Annotations, Engine
from raters.engines.duckdb import DuckDBEngine, gathered, spooled, write_parquet
from raters.engines.spark import SparkEngine
from raters.errors import DataError, UsageError, listed
from raters.items.folding import Query, check_repeats
from raters.models.base.probabilities import Params, log
from raters.models.base.votes import Votes
from raters.models.families import dawid_skene, one_coin
from raters.models.families.spec import EM, Model, Settings, Task, had
from raters.models.fitting import em
from raters.writing import brief_folder, filled

Array = NDArray[Any]
EACH = {"duckdb": "unnest", "spark": "explode"}
OWN = "array_agg(cell) AS cells, count(*) AS n"
"""The cells of an item go with its posterior, so that they need no second join to meet it."""
MODELS: Mapping[str, Model] = {row.name: row for row in (dawid_skene.MODEL, one_coin.MODEL)}


@dataclass(frozen=True)
class EngineFit:
    """The parameters, and the labels as a view of the engine."""

    model: str
    raters: tuple[Any, ...]
    labels: tuple[Any, ...]
    params: Params
    confusion: Array
    """(rater, true label, given label)."""
    log_likelihoods: tuple[float, ...]
    objectives: tuple[float, ...]
    converged: bool
    reason: str
    assigned: Engine
    """Its view ``annotations``: item, label (its place in ``labels``), certainty."""

    @property
    def log_likelihood(self) -> float:
        return self.log_likelihoods[-1]

    @property
    def accuracy(self) -> Array:
        """(rater,): the probability of a right label, for items distributed by the model's prevalence."""
        right: Array = np.einsum("rtt,t->r", self.confusion, self.params["prevalence"])
        return right

    def settled(self, at: float) -> tuple[int, int]:
        """How many items there are, and how many have a label with at least this probability."""
        got = self.assigned.query(
            f"SELECT count(*) AS n, count(CASE WHEN certainty >= {float(at)!r} THEN 1 END) AS sure FROM annotations"
        )
        return int(got["n"][0]), int(got["sure"][0])

    def write(self, path: str | Path, force: bool = False) -> Path:
        """The label of every item with its probability, as Parquet written by the engine: a file, or a folder if Spark
        writes it.
        """
        names = {"code": np.arange(len(self.labels)), "name": np.array([str(x) for x in self.labels], dtype=object)}
        named = self.assigned.derive(
            "SELECT item, names.name AS label, certainty FROM annotations JOIN names ON annotations.label = names.code",
            names=names,
        )
        if isinstance(named, SparkEngine):
            return named.write_parquet(Path(path), force)
        if not isinstance(named, DuckDBEngine):
            raise UsageError("labels cannot be exported from this engine: use fit.assigned.")
        with filled(Path(path), force) as (part, _):
            write_parquet(named, "SELECT * FROM annotations ORDER BY item", part)
        return Path(path)


def fit_on_engine(
    ann: Annotations,
    model: str = "dawid_skene",
    *,
    smoothing: float = 0.01,
    prevalence: str | None = None,
    tolerance: float = 1e-13,
    max_iter: int = 5000,
    progress: em.Progress | None = None,
) -> EngineFit:
    """Fit a model by SQL from the start ``votes``, in DuckDB (which spills to disk) or on Spark, with the same
    likelihood as in memory.

    >>> from raters import consensus, examples
    >>> ann = examples.demo()
    >>> fit, here = (f(ann, "one_coin", max_iter=5, **more) for f, more in ((fit_on_engine, {}), (consensus, {"start": "votes"})))
    >>> bool(abs(fit.log_likelihood - here.log_likelihood) < 1e-9)
    True
    """
    if model not in MODELS:
        raise UsageError(f"model={model!r} is not fitted by SQL; use one of {listed(MODELS)}.")
    if not ann.n_raters:
        raise UsageError("the table does not say who gave which label, so there is no model of raters to fit.")
    if ann.scale.of_sets:
        raise UsageError("sets of labels are fitted label by label, in memory: raters.consensus.")
    check_repeats(ann, "rater", None)
    if ann.n_annotations <= ann.n_items:
        raise DataError("no item has labels from two raters, so nothing can be learned about them.")
    row = MODELS[model]
    uniform = row.uniform if prevalence is None else prevalence == "uniform"
    problem = _Problem(row, ann, Settings(smoothing, uniform))
    method = _em(row)
    got = em.run(
        problem,
        problem.start(),
        rule=em.Rule(max(tolerance, method.tolerance), max_iter),
        name="votes",
        progress=progress,
    )
    confusion = had(row.confusion)(problem.task(), got.params)
    return EngineFit(
        model,
        problem.raters,
        ann.labels,
        got.params,
        confusion,
        got.log_likelihoods,
        got.objectives,
        got.converged,
        got.reason,
        problem.assigned(got.params),
    )


def _em(row: Model) -> EM:
    if not isinstance(row.method, EM):
        raise UsageError(f"{row.name} is not fitted by EM.")
    return row.method


@dataclass(frozen=True)
class _Expected:
    """The result of an E step: (rater * given label, true label) counts, and (true label,) items."""

    cells: Array
    items: Array


class _Problem:
    """A model and the encoded table: item and cell, which is rater * labels + label."""

    def __init__(self, row: Model, ann: Annotations, settings: Settings) -> None:
        query = Query(ann, group="rater")
        self.row, self.settings, self.raters, self.labels = row, settings, query.groups, ann.labels
        self.k, self.width = len(ann.labels), len(query.groups) * len(ann.labels)
        if self.width > ann.engine.room:
            raise UsageError(
                f"{len(self.raters):,} raters with {self.k:,} labels are more than this engine can join in SQL"
                f" ({ann.engine.room:,} cells)."
            )
        rows, tables = query.coded("label_codes.code AS k")
        sql = f"SELECT item, CAST(g * {self.k} + k AS INTEGER) AS cell FROM ({rows}) AS r"
        self.engine = _stored(ann.engine.derive(sql, **tables), ann.used.n_annotations)

    def start(self) -> _Expected:
        """The shares of the votes."""
        each = ", ".join(
            f"avg(CASE WHEN cell % {self.k} = {t} THEN CAST(1 AS DOUBLE) ELSE CAST(0 AS DOUBLE) END) AS q{t}"
            for t in range(self.k)
        )
        return self._asked(f"SELECT {OWN}, {each}, CAST(0 AS DOUBLE) AS ll FROM annotations GROUP BY item", {})[0]

    def expect(self, params: Params) -> tuple[_Expected, float]:
        """One query: posteriors of the items, their likelihood, and the sums of both by cell and overall."""
        return self._asked(self._posterior(params), self._logs(params))

    def maximise(self, expected: _Expected, params: Params | None) -> Params:
        return _em(self.row).maximise(self.task(expected), np.eye(self.k), params)

    def penalty(self, params: Params) -> float:
        return _em(self.row).penalty(self.task(), params)

    def task(self, expected: _Expected | None = None) -> Task:
        """One item for each truth, weighted by the number of items with that truth."""
        if expected is None:
            table, weight = sparse.csr_array((self.k, self.width)), np.zeros(self.k)
        else:
            weight = expected.items
            table = sparse.csr_array(expected.cells.T / np.maximum(weight, 1e-300)[:, None])
        votes = Votes(tuple(range(self.k)), self.raters, self.labels, table, weight)
        return Task.of(votes, None, self.settings)

    def assigned(self, params: Params) -> Engine:
        """The view of items with their labels."""
        qs = [f"q{t}" for t in range(self.k)]
        best = f"greatest({', '.join(qs)})" if self.k > 1 else "q0"
        which = " ".join(f"WHEN q{t} = {best} THEN {t}" for t in range(self.k))
        sql = f"SELECT item, CASE {which} END AS label, {best} AS certainty FROM ({self._posterior(params)}) AS q"
        return self.engine.derive(sql, **self._logs(params))

    def _logs(self, params: Params) -> dict[str, dict[str, Array]]:
        logs = np.maximum(log(had(self.row.confusion)(self.task(), params)), -1e300)  # (rater, true, given)
        by_cell = logs.swapaxes(1, 2).reshape(self.width, self.k)
        return {"logs": {"place": np.arange(self.width), **{f"l{t}": by_cell[:, t] for t in range(self.k)}}}

    def _posterior(self, params: Params) -> str:
        """SQL: item, cells, n, q0, q1, ..., ll."""
        ts = range(self.k)
        prior = np.maximum(log(params["prevalence"]), -1e300).tolist()
        sums = ", ".join(f"sum(l{t}) + CAST('{prior[t]!r}' AS DOUBLE) AS s{t}" for t in ts)
        # the hint is for Spark, where the table of the raters goes to the annotations, whatever its size
        scores = (
            f"SELECT /*+ BROADCAST(logs) */ item, {OWN}, {sums} FROM annotations JOIN logs ON annotations.cell ="
            " logs.place GROUP BY item"
        )
        top = f"greatest({', '.join(f's{t}' for t in ts)})" if self.k > 1 else "s0"
        parts = ", ".join(f"exp(s{t} - top) AS e{t}" for t in ts)
        total = " + ".join(f"e{t}" for t in ts)
        shares = ", ".join(f"e{t} / ({total}) AS q{t}" for t in ts)
        return (
            f"SELECT item, cells, n, {shares}, top + ln({total}) AS ll FROM "
            f"(SELECT item, cells, n, top, {parts} FROM (SELECT *, {top} AS top FROM ({scores}) AS a) AS b) AS c"
        )

    def _asked(self, posterior: str, tables: dict[str, dict[str, Array]]) -> tuple[_Expected, float]:
        """The sums by cell; an item counts in each of its n cells for 1/n, so that the sums over all cells are those
        over all items.
        """
        ts = range(self.k)
        sums = ", ".join(f"sum(q{t}) AS q{t}, sum(q{t} / n) AS i{t}" for t in ts)
        each = f"{EACH[self.engine.name]}(cells) AS cell"
        got = self.engine.query(
            f"SELECT cell, {sums}, sum(ll / n) AS ll FROM (SELECT *, {each} FROM ({posterior}) AS p) AS q GROUP BY"
            " cell",
            **tables,
        )
        cells = np.zeros((self.width, self.k))
        cells[got["cell"].astype(np.int64)] = np.stack([got[f"q{t}"] for t in ts], -1)
        return _Expected(cells, np.array([math.fsum(got[f"i{t}"]) for t in ts])), math.fsum(got["ll"])


def _stored(engine: Engine, rows: int) -> Engine:
    """The encoded table: stored in our database, which spills to disk; kept by Spark's workers; a view in the user's
    own database.
    """
    if isinstance(engine, SparkEngine):
        return engine.persisted("item", rows)
    if not isinstance(engine, DuckDBEngine):
        return engine
    with brief_folder() as folder:
        if not spooled(engine, "SELECT item, cell FROM annotations", folder / "encoded.parquet"):
            return engine
        return DuckDBEngine("SELECT * FROM source", gathered([folder / "encoded.parquet"], engine))
