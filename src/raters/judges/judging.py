"""``judge``: can a model stand in for people? The whole answer, from the labels of people and of one or several judges."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Unpack

import numpy as np

from raters.annotations import Annotations
from raters.errors import DataError, UsageError, listed
from raters.estimate import EstimateTable
from raters.inference.intervals import IntervalSpec
from raters.io.any_table import Reading, Source, takes_tables
from raters.judges.alt_test_power import Power, power
from raters.judges.alt_test_result import AltTest
from raters.judges.alternative_annotator import LEAST, tested
from raters.judges.biases import Biases, Columns, biases
from raters.judges.confusion import Confidence, class_bias, confusion, stated_confidence
from raters.judges.consistency import consistency
from raters.judges.cross_replication import alpha_in_place, crossed
from raters.judges.judge_result import JudgeReport, JudgeReports
from raters.judges.pair_votes import Ballots, ballots
from raters.judges.people_and_judges import Sides, as_table, sides, two_tables
from raters.judges.preferring import Preferring, preferring
from raters.judges.resampled_sums import checked
from raters.judges.several import several
from raters.judges.verdict import advice, outcome, verdict
from raters.judges.version_drift import Drift, Versions, drifts, versions_of
from raters.judges.with_people import with_people

CONFIDENCE = "confidence"


@takes_tables("people", "model", "before", fixed={"duplicates": "keep"})
def judge(
    people: Source,
    model: Source | None = None,
    *,
    judges: Sequence[str] | None = None,
    judges_from: str | None = None,
    epsilon: float = 0.1,
    similarity: Any = None,
    weights: Any = None,
    q: float = 0.05,
    confidence: str | None = None,
    family: str | Mapping[str, str] | None = None,
    position: str | None = None,
    second: str | None = None,
    length: str | None = None,
    own: str | None = None,
    drift: str | Mapping[str, Sequence[Any]] | None = None,
    before: Source | None = None,
    panel: int = 3,
    interval: str | None = "auto",
    level: float = 0.95,
    resamples: int = 2000,
    seed: int = 0,
    **reading: Unpack[Reading],
) -> JudgeReports:
    """Compare each model with people: agreement relative to people's own, the alternative-annotator test, errors, consistency,
    and a verdict.

    Two tables, or one in which ``judges`` (names) or ``judges_from`` (a column that says model or human) identify the models. If
    a judge labelled an item more than once, its labels are runs: the first run represents the judge, and all runs measure its
    consistency.

    ``epsilon``: .2 for experts, .15 for skilled people, .1 for a crowd. ``weights``: the weights of the pairwise kappas; unweighted by
    default (quadratic beyond 20 different values, MASI for sets). ``confidence``: the column of the judge's stated confidence; a
    column of that name is used by default. ``family``: a column, or judge -> family. ``panel``: the size of the panels to search.
    ``position``, ``second``: for preferences, the columns of the systems shown first and second (labels are winners or a tie),
    identified by names such as ``model_a`` and ``model_b``. The verdict on a pair shown in both orders is the system that won
    both times, otherwise a tie. ``length``, ``own``: columns of the judges' table that reveal biases: the length of the judged
    text, and its family, to be compared with the judge's own. ``drift``: a column of the judges' table with two versions or
    dates (or ``{column: (earlier, later)}``), or ``before``: a table of the same judges' earlier labels. The later version is the
    judge that is reported on; ``report[name].drift`` says what changed since the earlier one.

    >>> from raters.io import read
    >>> rows = [(i, p, "ab"[(i + (p == "ann" and i % 9 == 0)) % 2]) for i in range(90) for p in ("ann", "bob", "cat")]
    >>> report = judge(read(rows), read([(i, "m", "ab"[i % 2]) for i in range(90)]), resamples=200)[0]
    >>> report.outcome, round(report["kappa"].value, 3), round(report["kappa_people"].value, 3)
    ('yes', 0.926, 0.852)
    """
    spec = checked(interval, level, resamples, seed)
    if not 0 <= epsilon < 1:
        raise UsageError(
            f"epsilon={epsilon} is not a share of items: use .2 for experts, .15 for skilled people, .1 for a crowd."
        )
    tables, old = _latest(two_tables(people, model, judges, judges_from), drift, before)
    pairs = ballots(*tables, position, second)
    s = sides(*(pairs.tables if pairs else tables))
    many = 0 if interval is None else resamples
    options: dict[str, Any] = {"interval": interval, "level": level, "resamples": resamples, "seed": seed}
    agreement = with_people(s, weights, spec, many)
    tests, why = _tests(s, epsilon, similarity, q, spec, many)
    moved = _drifts(tables, old, pairs, weights, spec, many, position, second)
    shared, families = _base_rates(s), _families(s, family)
    columns = Columns(length, own)
    reports = []
    for j, name in enumerate(s.judges):
        one = s.only(j) if len(s.judges) > 1 else s
        test = tests[j]
        found = agreement[j] | crossed(one, options) | alpha_in_place(one)
        if test is not None:
            found |= {"winning_rate": test.winning_rate, "advantage": test.advantage}
        ahead = (
            power(s, j, epsilon, similarity=similarity, q=q, seed=seed)
            if test is not None and not test.passed
            else None
        )
        votes = preferring(pairs, name, level) if pairs else None
        seen = biases(one, columns, families, spec, many, votes.orders if votes else None)
        sure = _confidence(one, confidence, spec, many)
        made = _report(name, one, found, test, ahead, why.get(j, ""), sure, seen, votes, spec, many, options, shared)
        reports.append(replace(made, drift=moved.get(name)))
    return JudgeReports(tuple(reports), several(s, spec, many, families, panel), pairs.note if pairs else "")


Tables = tuple[Annotations, Annotations]


def _latest(tables: Tables, column: Versions, before: Any) -> tuple[Tables, Annotations | None]:
    """People and the version of the judges that is reported on; and the earlier version, if drift was requested."""
    if column is not None and before is not None:
        raise UsageError("pass drift= (a column of versions) or before= (a table of the earlier version), not both.")
    if column is not None:
        _, old, new = versions_of(tables[1], column)
        return (tables[0], new), old
    return tables, None if before is None else as_table(before)


def _drifts(
    tables: Tables, old: Annotations | None, pairs: Ballots | None, weights: Any, spec: IntervalSpec, many: int, position: str | None, second: str | None,
) -> dict[str, Drift]:  # fmt: skip
    """What changed since the earlier version; winners of pairs become verdicts in both."""
    if old is None:
        return {}
    people, new = tables
    if pairs is not None:
        earlier = ballots(people, old, position, second)
        if earlier is None:
            raise UsageError(f"{old.source} has no winners of pairs, but {new.source} does; use the same form in both.")
        (people, new), old = pairs.tables, earlier.tables[1]
    return drifts(people, old, new, weights, spec, many)


def _tests(
    s: Sides, epsilon: float, similarity: Any, q: float, spec: IntervalSpec, many: int
) -> tuple[list[AltTest | None], dict[int, str]]:
    """The test of each judge, or why there is none."""
    try:
        return list(tested(s, epsilon, similarity, q, LEAST, "t", spec, many)), {}
    except DataError:
        pass
    tests: list[AltTest | None] = []
    why: dict[int, str] = {}
    for j in range(len(s.judges)):
        try:
            tests.append(tested(s.only(j), epsilon, similarity, q, LEAST, "t", spec, many)[0])
        except DataError as error:
            tests.append(None)
            alone = "there is only one person, but the test compares the model with each person by their agreement with the others"
            why[j] = alone if len(s.people) == 1 else str(error).partition(" Have more items labelled")[0]
    return tests, why


def _report(
    name: str, one: Sides, found: dict[str, Any], test: AltTest | None, ahead: Power | None, why: str, sure: Confidence | None, seen: Biases | None, votes: Preferring | None, spec: IntervalSpec, many: int,
    options: dict[str, Any], shared: dict[str, float],
) -> JudgeReport:  # fmt: skip
    kappa, people, gap = found["kappa"], found["kappa_people"], found["kappa_gap"]
    exact = one.scale not in ("nominal", "sets") and kappa.weights == "identity kappa"
    near = found["kappa_x_gap"] if exact else None
    end = outcome(test, gap, near)
    return JudgeReport(
        name, end, verdict(name, test, kappa, people, gap, why, near, ahead), advice(end, test, ahead, len(one.people), people), EstimateTable(tuple(found.values())), test, ahead,
        confusion(one, spec, many), class_bias(one, spec, many), sure, consistency(one, options), seen, votes, shared, int(one.refusals[0]), tuple(_notes(one)),
    )  # fmt: skip


def _notes(s: Sides) -> list[str]:
    """What was excluded, and what the judge did that no figure shows."""
    notes = []
    if s.left_out:
        notes.append(f"{s.left_out:,} items were labelled only by people or only by judges and were excluded")
    if s.refusals[0]:
        notes.append(
            f"{int(s.refusals[0]):,} verdicts are not numbers; they form a row of the confusion matrix and are in no other figure"
        )
    used = set(np.unique(s.said[s.said[:, 0] >= 0, 0]).tolist())
    own = set(np.flatnonzero(np.asarray(s.counts.sum(0)).ravel() > 0).tolist())
    if len(s.labels) <= 60 and not s.numbers:
        never = [s.labels[k] for k in sorted(own - used)]
        only = [s.labels[k] for k in sorted(used - own)]
        if never:
            notes.append(f"labels that the judge never uses: {listed(never)}")
        if only:
            notes.append(f"labels that only the judge uses: {listed(only)}")
    return notes


def _base_rates(s: Sides) -> dict[str, float]:
    if len(s.labels) > 60:
        return {}
    total = np.asarray(s.counts.sum(0)).ravel()
    return {str(label): float(x) for label, x in zip(s.labels, total / total.sum(), strict=True)}


def _confidence(s: Sides, column: str | None, spec: IntervalSpec, many: int) -> Confidence | None:
    extras = s.tables[1].extras
    if column is not None and column not in extras:
        raise UsageError(f"the table of judges has no column {column!r}; other columns are {listed(extras) or 'none'}.")
    name = column or next((c for c in extras if c.lower() == CONFIDENCE), None)
    return None if name is None else stated_confidence(s, name, spec, many)


def _families(s: Sides, family: str | Mapping[str, str] | None) -> Mapping[str, str] | None:
    if family is None or not isinstance(family, str):
        return family
    model = s.tables[1]
    if family not in model.extras:
        raise UsageError(
            f"the table of judges has no column {family!r}; other columns are {listed(model.extras) or 'none'}."
        )
    got = model.engine.query(
        f"SELECT rater, min(CAST({model.engine.quote(family)} AS STRING)) AS f FROM annotations GROUP BY rater"
    )
    return {str(r): str(f) for r, f in zip(got["rater"].tolist(), got["f"].tolist(), strict=True)}
