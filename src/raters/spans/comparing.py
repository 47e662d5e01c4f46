"""Two projects of spans, pools of raters, and models beside people: differences of figures, paired on documents."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray
from scipy import special

from raters.errors import UsageError, listed
from raters.estimate import Estimate, EstimateTable, Result, jsonable, shown
from raters.inference.bounded import LEAST
from raters.inference.limits import IntervalSpec, student
from raters.io.any_table import either
from raters.notes.note import Note
from raters.options import asks
from raters.options.declared import OfSpans
from raters.spans.asking import asked
from raters.spans.measures import DEFAULT, MEASURES, Asked, Figure, measure_name, of_figure, of_matched
from raters.spans.pairs import MATCHES, Pairing
from raters.spans.statistics import pooled_f1
from raters.spans.units import Spans, spans

Array = NDArray[Any]
MARGIN = 0.05


def joined(first: Spans, second: Spans, apart: bool = True) -> tuple[Spans, list[str], list[str]]:
    """Two projects as one, and the raters of each under their names there; those who are in both get the name of the source too."""
    shared = set(first.raters) & set(second.raters) if apart else set()
    names = {r: f"{r} ({second.source})" if r in shared else r for r in second.raters}
    units = first.units() + [u._replace(rater=names[u.rater]) for u in second.units()]
    views = first.views() + [(d, names[r]) for d, r in second.views()]
    lengths = {d: int(n) for x in (second, first) for d, n in zip(x.documents, x.length, strict=True) if n >= 0}
    texts = {d: t for x in (second, first) for d, t in zip(x.documents, x.texts, strict=True) if t is not None}
    source = f"{first.source} and {second.source}"
    made = spans(units, views, lengths=lengths, texts=texts, source=source)
    return made, list(first.raters), [names[r] for r in second.raters]


def figures(found: Spans, name: str, how: Asked, sides: Sequence[tuple[list[str], list[str]]]) -> list[Figure]:
    """F1 over the pairs of each side: one rater of the first list, the other of the second."""
    row = MEASURES[measure_name(name)]
    if not row.of_pairs:
        of_pairs = listed([m.name for m in MEASURES.values() if m.of_pairs])
        raise UsageError(f"{row.name} is not computed pair by pair; use one of {of_pairs}.")
    matched = MATCHES[row.name](found, Pairing(found), how.threshold)
    made = []
    for one, other in sides:
        a, b = (np.isin(np.array(found.raters)[matched.pairing.raters], x) for x in (one, other))
        chosen = (a[:, 0] & b[:, 1]) | (a[:, 1] & b[:, 0])
        made.append(of_matched(matched, bool(how.pooled), chosen))
    return made


def value_of(figure: Figure) -> float:
    """The figure; nan if it has none."""
    return float("nan") if figure.stat is None else float(figure.stat.parts(figure.stat.weight[None, :]).value[0])


@dataclass(frozen=True)
class Gap:
    """A difference of two figures, with its interval."""

    value: float
    low: float = np.nan
    high: float = np.nan
    se: float = np.nan
    p: float = np.nan
    notes: tuple[Note, ...] = ()


def gap(first: Figure, second: Figure, names: tuple[Sequence[str], Sequence[str]], spec: IntervalSpec | None) -> Gap:
    """The difference of two figures: on shared documents by a paired jackknife, otherwise from both errors."""
    values = value_of(first), value_of(second)
    value = values[0] - values[1]
    if spec is None or first.stat is None or second.stat is None or not np.isfinite(value):
        return Gap(value)
    left = [
        {names_of[i]: x for i, x in zip(f.at.tolist(), f.stat.left_out().tolist(), strict=True)}
        for f, names_of in zip((first, second), names, strict=True)
        if f.stat is not None
    ]
    paired = bool(set(left[0]) & set(left[1]))
    d = len(set(left[0]) | set(left[1])) if paired else min(map(len, left))
    if d < LEAST:
        return Gap(value, notes=(Note("few_documents", {"n": d, "least": LEAST, "unit": "document"}),))
    se, df = _paired(left, values) if paired else _apart([np.array(list(x.values())) for x in left])
    if not np.isfinite(se):
        return Gap(value, notes=(Note("one_document_matters", {"unit": "document"}),))
    wide = IntervalSpec("jackknife", spec.level, spec.resamples, spec.seed, -2.0, 2.0)
    found = student(value, se, df + 1, wide, "jackknife")
    p = float(2 * special.stdtr(df, -abs(value) / se)) if se else 1.0 if value == 0 else 0.0
    return Gap(value, found.low, found.high, se, p)


def _paired(left: Sequence[dict[str, float]], values: tuple[float, float]) -> tuple[float, float]:
    """The standard error and degrees of freedom of a difference on the same documents."""
    every = sorted(set(left[0]) | set(left[1]))
    out = np.array([left[0].get(d, values[0]) - left[1].get(d, values[1]) for d in every])
    return float(np.sqrt((len(every) - 1) / len(every) * ((out - out.mean()) ** 2).sum())), float(len(every) - 1)


def _apart(left: Sequence[Array]) -> tuple[float, float]:
    """The same on different documents: summed squares, and Welch's degrees of freedom."""
    parts = [(len(x) - 1) / len(x) * float(((x - x.mean()) ** 2).sum()) for x in left]
    within = sum(v**2 / (len(x) - 1) for v, x in zip(parts, left, strict=True))
    return float(np.sqrt(sum(parts))), float(sum(parts) ** 2 / within) if within else float(len(left[0]) - 1)


@asks()
def compare(
    first: Spans, second: Any = None, coefficient: str = DEFAULT, **options: Unpack[OfSpans]
) -> tuple[Estimate, Estimate, Estimate, float, bool, int]:
    """One measure of two projects: both figures, their difference, p, whether they are paired, and on how many
    documents.
    """
    if second is None:
        raise UsageError("compare of spans takes two projects: compare(first, second).")
    other = either(second)
    if not isinstance(other, Spans):
        raise UsageError(f"{first.source} holds spans, and {other.source} holds labels of given items; compare alike.")
    how, row = asked(options), MEASURES[measure_name(coefficient)]
    figures_of = [row.figure(x, row, how) for x in (first, other)]
    names = (
        (first.source, other.source)
        if first.source != other.source
        else (f"{first.source} (first)", f"{first.source} (second)")
    )
    each = [of_figure(x, row, f, how, n) for x, f, n in zip((first, other), figures_of, names, strict=True)]
    found = gap(figures_of[0], figures_of[1], (first.documents, other.documents), how.spec)
    shared = len(set(first.documents) & set(other.documents))
    return each[0], each[1], difference(found, row.name, each[0], how), found.p, shared > 0, shared


def difference(found: Gap, name: str, like: Estimate, how: Asked) -> Estimate:
    """A difference as an estimate."""
    return Estimate(
        "difference",
        found.value,
        found.low,
        found.high,
        found.se,
        level=how.spec.level if how.spec else 0.95,
        interval=None if how.spec is None else "jackknife",
        notes=found.notes,
        coefficient=name,
        title=f"difference of {like.title}",
        sampled="documents",
        n_items=like.n_items,
    )


@dataclass(frozen=True, repr=False)
class SpanJudge(Result):
    """A model beside people: its agreement with them, theirs among each other, and whether it marks too much."""

    judge: str
    verdicts: dict[str, str]
    """By measure: yes, no or unclear; empty if there is no agreement between people to compare with."""
    margin: float
    estimates: tuple[Estimate, ...]
    against: tuple[tuple[str, float, float], ...]
    """(person, precision, recall) by exact units."""
    notes: tuple[Note, ...] = ()

    @property
    def table(self) -> EstimateTable:
        return EstimateTable(self.estimates, of="figure")

    @property
    def verdict(self) -> str:
        """The verdict of both measures; "depends" where they differ, none if there is none."""
        found = set(self.verdicts.values())
        return found.pop() if len(found) == 1 else "depends" if found else "none"

    @property
    def sentence(self) -> str:
        """The verdict, for each question in words."""
        made = []
        for name in ("exact", "overlap"):
            by = {e.details["part"]: e for e in self.estimates if e.coefficient == name}
            there = f"{MEASURES[name].title} with people is {shown(by['with people'].value, 3)}"
            if "difference" in by:
                e = by["difference"]
                limits = f" ({shown(e.low, 3)} to {shown(e.high, 3)})" if np.isfinite(e.low) else ""
                there += f", between people {shown(by['between people'].value, 3)}: {shown(e.value, 3)}{limits}"
            made.append(there)
        said = {
            "yes": f"agrees with people at most {self.margin:g} less than they do among themselves, by both measures",
            "no": f"agrees with people clearly more than {self.margin:g} less than they do among themselves",
            "unclear": f"may agree with people more than {self.margin:g} less than they do among themselves",
            "depends": "stands beside people by one measure and not by the other, so it depends on the question",
            "none": "is compared with one person alone, so there is no verdict",
        }[self.verdict]
        return f"{self.judge} {said}. {'. '.join(made)}."

    def to_dict(self) -> dict[str, Any]:
        return {
            "judge": self.judge,
            "verdict": self.verdict,
            "verdicts": self.verdicts,
            "margin": self.margin,
            "estimates": [e.to_dict() for e in self.estimates],
            "against": [{"person": p, "precision": jsonable(a), "recall": jsonable(b)} for p, a, b in self.against],
        }

    def to_columns(self) -> dict[str, list[Any]]:
        return self.table.to_columns()

    def __str__(self) -> str:
        return f"{self.sentence}\n{self.table}"


@dataclass(frozen=True, repr=False)
class SpanJudges(Result):
    """Several models beside the same people."""

    judges: tuple[SpanJudge, ...]
    notes: tuple[Note, ...] = ()

    def __len__(self) -> int:
        return len(self.judges)

    def __iter__(self) -> Any:
        return iter(self.judges)

    def __getitem__(self, key: int | str) -> SpanJudge:
        return next(j for j in self.judges if j.judge == key) if isinstance(key, str) else self.judges[key]

    def to_dict(self) -> dict[str, Any]:
        return {"schema": 1, "judges": [j.to_dict() for j in self.judges]}

    def to_columns(self) -> dict[str, list[Any]]:
        return EstimateTable(tuple(e for j in self.judges for e in j.estimates)).to_columns()

    def __str__(self) -> str:
        return "\n".join(map(str, self.judges))


@asks()
def judge(
    people: Spans,
    model: Any = None,
    *,
    judges: Sequence[str] | None = None,
    margin: float = MARGIN,
    **options: Unpack[OfSpans],
) -> SpanJudges:
    """Each model beside people: mean F1 with each person, mean F1 between people, and their difference, by exact and by
    overlapping units. Two projects, or one in which ``judges`` names the models.
    """
    how = asked(options)
    if model is not None:
        other = either(model)
        if not isinstance(other, Spans):
            raise UsageError(f"{people.source} holds spans, and {other.source} holds labels of given items.")
        both, persons, models = joined(people, other)
    elif judges:
        unknown = [j for j in judges if j not in people.raters]
        if unknown:
            raise UsageError(f"no rater {unknown[0]!r} in {people.source}; there is {listed(people.raters)}.")
        both, models = people, list(judges)
        persons = [r for r in people.raters if r not in models]
    else:
        raise UsageError("say which raters are models: judge(people, model), or judges=['NAME'].")
    return SpanJudges(tuple(_one(both, m, persons, margin, how) for m in models))


def _one(found: Spans, model: str, persons: list[str], margin: float, how: Asked) -> SpanJudge:
    mine = found.of_raters([found.raters.index(r) for r in (model, *persons)])
    estimates, verdicts = [], dict[str, str]()
    for name in ("exact", "overlap"):
        row = MEASURES[name]
        sides = [([model], persons), *([(persons, persons)] if len(persons) > 1 else [])]
        made = figures(mine, name, how, sides)
        for part, figure in zip(("with people", "between people"), made, strict=False):
            estimates.append(of_figure(mine, row, figure, how, f"{row.title} {part}", part=part, judge=model))
        if len(made) > 1:
            between = gap(made[0], made[1], (mine.documents, mine.documents), how.spec)
            e = difference(between, name, estimates[-1], how)
            estimates.append(_named(e, f"{row.title}: with people minus between people", model))
            verdicts[name] = "yes" if between.low > -margin else "no" if between.high < -margin else "unclear"
    return SpanJudge(model, verdicts, margin, tuple(estimates), _precision(mine, model, persons))


def _named(e: Estimate, name: str, model: str) -> Estimate:
    return replace(e, name=name, details={"part": "difference", "judge": model})


def _precision(found: Spans, model: str, persons: Sequence[str]) -> tuple[tuple[str, float, float], ...]:
    """For each person, how much of what the model marks that person marked too, and the other way round."""
    pairing = Pairing(found)
    matched = MATCHES["exact"](found, pairing, 0.5)
    each = np.bincount(found.view, minlength=found.n_views)
    at = found.raters.index(model)
    made = []
    for person in persons:
        other = found.raters.index(person)
        rows = np.flatnonzero((pairing.raters[pairing.pair] == sorted((at, other))).all(1))
        views = np.concatenate([pairing.one[rows], pairing.other[rows]])
        own = each[views[found.view_rater[views] == at]].sum()
        theirs = each[views[found.view_rater[views] == other]].sum()
        hit = float(matched.both[rows].sum())
        made.append((person, hit / own if own else np.nan, hit / theirs if theirs else np.nan))
    return tuple(made)


@asks()
def xrr(x: Spans, y: Any = None, *, coefficient: str = DEFAULT, **options: Unpack[OfSpans]) -> EstimateTable:
    """Agreement between two pools of raters, beside that within each: F1 over pairs of raters."""
    if y is None:
        raise UsageError("xrr of spans takes two projects, one for each pool: xrr(x, y).")
    other = either(y)
    if not isinstance(other, Spans):
        raise UsageError(f"{x.source} holds spans, and {other.source} holds labels of given items.")
    how, row = asked(options), MEASURES[measure_name(coefficient)]
    found, first, second = joined(x, other)
    sides = [(first, second), (first, first), (second, second)]
    names = ["between the pools", f"within {x.source}", f"within {other.source}"]
    made = figures(found, row.name, how, sides)
    rows = [of_figure(found, row, f, how, n) for f, n in zip(made, names, strict=True)]
    return EstimateTable(tuple(rows), of="pools")


SPLITS = 100


@asks()
def krr(found: Spans, k: int | None = None, *, replications: int = SPLITS, **options: Unpack[OfSpans]) -> Estimate:
    """Exact F1 between the settled units of k raters and those of k others, over random splits of the raters of each
    document.
    """
    how = asked(options)
    enough = found.views_each[found.views_each >= 2]
    most = int(enough.max() // 2) if len(enough) else 0
    k = k or max(most, 1)
    chosen = found.views_each >= 2 * k
    if k < 1 or not chosen.any():
        least = Note("too_few_for_splits", {"k": k, "needed": 2 * k, "most": int(found.views_each.max(initial=0))})
        return of_figure(found, MEASURES[DEFAULT], Figure(None, notes=(least,)), how, f"krr (k = {k})")
    part = found.of_documents(np.flatnonzero(chosen).tolist())
    both, all_ = _splits(part, k, replications, np.random.default_rng(how.seed))
    figure = _split_figure(both, all_)
    made = of_figure(part, MEASURES[DEFAULT], figure, how, f"krr (k = {k})", k=k, replications=replications)
    return replace(made, title=f"Exact F1 of the consensus of {k} with that of {k} others")


def _split_figure(both: Array, all_: Array) -> Figure:
    there = all_ > 0
    if not there.any():
        return Figure(None, notes=(Note("nobody_marked"),))
    return Figure(pooled_f1(both[there], all_[there]), float(all_.sum()), np.flatnonzero(there))


def _splits(found: Spans, k: int, replications: int, rng: np.random.Generator) -> tuple[Array, Array]:
    """(document,): settled units that both halves share, and those of both, over all splits."""
    first = np.cumsum(found.views_each) - found.views_each
    order = np.argsort(
        np.lexsort(
            (
                rng.random((replications, found.n_views)),
                np.broadcast_to(found.view_document, (replications, found.n_views)),
            ),
            axis=-1,
        ),
        axis=-1,
    )
    place = order - first[found.view_document]
    side = np.where(place < k, 0, np.where(place < 2 * k, 1, -1))[:, found.view]
    q = max(len(found.labels), 1)
    known, key = np.unique(found.bounds * q + found.label, return_inverse=True)
    document = np.zeros(len(known), int)
    document[key] = found.document
    marks = [np.zeros((replications, len(known)), np.int32) for _ in (0, 1)]
    for s in (0, 1):
        rows, units = np.nonzero(side == s)
        np.add.at(marks[s], (rows, key[units]), 1)
    settled = [2 * m > k for m in marks]
    both = np.bincount(document, (settled[0] & settled[1]).sum(0), found.n_documents)
    all_ = np.bincount(document, settled[0].sum(0) + settled[1].sum(0), found.n_documents)
    return both, all_
