"""The error rate of a data set from a checked sample: exact limits, sample sizes, strata, and a sheet to fill in.

Clopper & Pearson (1934), Biometrika 26, 404-413; strata by MOVER: Zou & Donner (2008), Stat. Med. 27, 1693-1702.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from textwrap import wrap
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaincinv, gammaln

from raters.annotations import counted
from raters.errors import DataError, UsageError, brief, listed
from raters.estimate import Estimate, EstimateTable, text_table
from raters.io.table import best
from raters.models.checking.evaluation import clopper_pearson
from raters.notes.note import Note, either, in_json
from raters.options import asks
from raters.options.declared import Seed
from raters.reliability.soft.soft_labels import columns_in, spelled

Array = NDArray[Any]
ALLOWED = (0, 1, 2, 3)
ANSWER, STRATUM, SIZE = "answer", "stratum", "of"


@dataclass(frozen=True, repr=False)
class Checked(EstimateTable):
    """The error rate of all labels (first row), and of each stratum."""

    bound: float = math.nan
    """One-sided upper limit: with this confidence, at most this share is wrong."""
    goal: float | None = None
    """The share that was to be shown."""
    notes: tuple[Note, ...] = ()

    @property
    def shown(self) -> bool:
        """Whether at most the goal is shown to be wrong."""
        return self.goal is not None and self.bound <= self.goal

    @property
    def sentence(self) -> str:
        e = self[0]
        if not math.isfinite(e.value):
            return f"The error rate is unknown: {e.undefined}."
        n, x = e.n_annotations, e.details["errors"]
        said = f"{x:,} of {n:,} checked labels {'is' if x == 1 else 'are'} wrong: {e.value:.1%} ({e.low:.1%} to {e.high:.1%})"
        said += f"; at most {self.bound:.1%} with {e.level:.0%} confidence." if math.isfinite(self.bound) else "."
        if self.goal is None:
            return said
        return f"{said} This {'shows' if self.shown else 'does not show'} that at most {self.goal:.1%} are wrong."

    def to_dict(self) -> dict[str, Any]:
        more = {
            "sentence": self.sentence,
            "at_most": None if math.isnan(self.bound) else self.bound,
            "shown": self.shown,
        }
        return super().to_dict() | more | in_json(self.notes)

    def __str__(self) -> str:
        lines = wrap(self.sentence, 80)
        if len(self) > 1:
            rows = [
                [
                    e.name,
                    f"{e.details['errors']:,}",
                    f"{e.n_annotations:,}",
                    f"{e.value:.1%}",
                    f"{e.low:.1%} to {e.high:.1%}",
                ]
                for e in self
            ]
            lines += ["", *text_table(["", "wrong", "checked", "rate", f"{self[0].level:.0%} interval"], rows)]
        return "\n".join([*lines, *(x for n in self.notes for x in wrap(f"{n}.", 80))])


def finite_limits(errors: int, checked: int, population: int, level: float = 0.95) -> tuple[float, float]:
    """Exact limits of the share of errors in a population of known size, by the tails of the hypergeometric.

    >>> finite_limits(3, 100, 500)
    (0.008, 0.078)
    """
    m = np.arange(errors, population - (checked - errors) + 1)  # errors that the population may have
    each = np.array([_tails(errors, checked, int(k), population) for k in m])
    a = (1 - level) / 2
    there = m[(each > a).all(1)]
    return float(there.min() / population), float(there.max() / population)


def _tails(x: int, n: int, m: int, population: int) -> tuple[float, float]:
    """P(X >= x) and P(X <= x) of the errors among n labels, if m of the population are errors."""
    k = np.arange(max(0, n - (population - m)), min(n, m) + 1)
    log = _choose(m, k) + _choose(population - m, n - k) - _choose(population, n)
    p = np.exp(log)
    return float(p[k >= x].sum()), float(p[k <= x].sum())


def _choose(n: int, k: Any) -> Any:
    return gammaln(n + 1) - gammaln(np.asarray(k) + 1) - gammaln(n - np.asarray(k) + 1)


def sample_size(at_most: float, allowed: int = 0, level: float = 0.95) -> int:
    """The labels to check so that, with ``allowed`` errors among them, at most this share of all is wrong.

    >>> [sample_size(0.02, c) for c in (0, 1, 2, 3)]
    [149, 236, 313, 386]
    """
    _share(at_most)
    low, high = allowed, max(10, int(20 * (allowed + 3) / at_most))
    while high - low > 1:
        n = (low + high) // 2
        low, high = (low, n) if betaincinv(allowed + 1, n - allowed, level) <= at_most else (n, high)
    return high


def _share(at_most: float) -> None:
    if not 0 < at_most < 1:
        raise UsageError(f"at_most={at_most} is not a share between 0 and 1, such as 0.02.")


@asks()
def check(
    sheet: Any = None,
    *,
    errors: int | Sequence[int] | None = None,
    checked: int | Sequence[int] | None = None,
    population: int | Sequence[int] | None = None,
    at_most: float | None = None,
    level: float = 0.95,
) -> Checked:
    """The error rate of a data set, from labels of it that somebody checked.

    ``sheet``: a completed sheet (``item, answer, label``, and ``stratum, of`` for strata): a label is wrong where the
    answer is another one; rows without an answer are not checked. Or ``errors`` and ``checked``, numbers or one for each
    stratum. ``population``: the number of all labels (of each stratum). ``at_most``: the share of errors to be shown.
    Limits are exact for a random sample, whatever the error rate.

    >>> found = check(errors=3, checked=100)
    >>> [round(x, 4) for x in (found[0].value, found[0].low, found[0].high, found.bound)]
    [0.03, 0.0062, 0.0852, 0.0757]
    """
    if not 0 < level < 1:
        raise UsageError(f"level={level} is not between 0 and 1; 0.95 is usual.")
    if (sheet is None) == (errors is None or checked is None):
        raise UsageError("pass a completed sheet, or errors= and checked=.")
    if at_most is not None:
        _share(at_most)
    strata, notes = (
        _of_sheet(sheet, population) if sheet is not None else (_of_numbers(errors, checked, population), [])
    )
    for name, x, n, size in strata:
        if not 0 <= x <= n or (size is not None and n > size):
            raise UsageError(f"{name or 'the sample'}: {x} errors among {n} checked of {size or 'all'} cannot be.")
    if len(strata) == 1:
        e, bound = _estimate(strata[0], level), _bound(strata[0], level)
        return Checked((e,), of="stratum", bound=bound, goal=at_most, notes=tuple(notes))
    return replace(_strata(strata, at_most, level), notes=tuple(notes))


class Stratum(NamedTuple):
    """The labels of a stratum that were checked, and how many it has, if that is known."""

    name: str
    wrong: int
    checked: int
    size: int | None


def _bound(s: Stratum, level: float) -> float:
    """The one-sided upper limit of the share that is wrong; nan if nothing was checked."""
    if s.wrong < s.checked:
        return float(betaincinv(s.wrong + 1, s.checked - s.wrong, level))
    return 1.0 if s.checked else math.nan


def _estimate(s: Stratum, level: float) -> Estimate:
    name, x, n, size = s
    low, high = clopper_pearson(x, n, level)
    if size is not None and 0 < n <= size <= MOST_FINITE:
        low, high = finite_limits(x, n, size, level)
    said = () if n else (Note("stratum_unchecked"),)
    return Estimate(name or "all", x / n if n else math.nan, low, high, level=level, interval="exact", n_items=size or 0, n_annotations=n,
                    coefficient="error_rate", title=f"error rate{f' of {name}' if name else ''}", notes=said, details={"errors": x})  # fmt: skip


MOST_FINITE = 20_000
"""In larger populations, those that were checked hardly matter."""


def _strata(strata: Sequence[Stratum], at_most: float | None, level: float) -> Checked:
    """All strata together: rates weighted by size, limits by MOVER on exact limits of each."""
    each = [_estimate(s, level) for s in strata]
    _, wrong, n, sizes = zip(*strata, strict=True)
    if None in sizes:
        raise UsageError("the sizes of the strata are unknown: pass population=, or a sheet with a column 'of'.")
    weight = np.array(sizes, float) / sum(sizes)
    if not all(n):
        lost = [e.name for e in each if not e.n_annotations]
        whole = Estimate("all", math.nan, level=level, n_annotations=sum(n), coefficient="error_rate", notes=(Note("strata_unchecked", {"strata": lost}),), details={"errors": sum(wrong)})  # fmt: skip
        return Checked((whole, *each), of="stratum", goal=at_most)
    rate = np.array(wrong) / np.array(n)
    limits = np.array([clopper_pearson(x, k, level) for x, k in zip(wrong, n, strict=True)])
    one_sided = np.array([_bound(s, level) for s in strata])
    value = float(weight @ rate)
    low, high, bound = (
        value + s * math.sqrt(float((weight**2) @ (x - rate) ** 2))
        for s, x in ((-1, limits[:, 0]), (1, limits[:, 1]), (1, one_sided))
    )
    whole = Estimate("all", value, max(low, 0.0), min(high, 1.0), level=level, interval="exact", n_items=sum(sizes), n_annotations=sum(n),
                     coefficient="error_rate", title="error rate", details={"errors": sum(wrong)})  # fmt: skip
    return Checked((whole, *each), of="stratum", bound=min(bound, 1.0), goal=at_most)


def _of_numbers(errors: Any, checked: Any, population: Any) -> list[Stratum]:
    lists = [list(x) if isinstance(x, Sequence | np.ndarray) else [x] for x in (errors, checked, population)]
    size = len(lists[0])
    lists[2] = lists[2] * size if lists[2] == [None] else lists[2]
    if {len(x) for x in lists} != {size}:
        raise UsageError("errors=, checked= and population= need one number for each stratum.")
    names = [""] if size == 1 else [f"stratum {i}" for i in range(1, size + 1)]
    return list(map(Stratum, names, *lists))


def _of_sheet(sheet: Any, population: Any) -> tuple[list[Stratum], list[Note]]:
    """Errors, checked labels and sizes of each stratum, and what has to be said of the answers."""
    columns = sheet if isinstance(sheet, Mapping) else columns_in(sheet)
    if ANSWER not in columns or "label" not in columns:
        raise DataError(f"the sheet has no columns 'answer' and 'label'; there are {listed(columns)}.")
    rows = _rows(columns)
    answers, labels = ({row[i] for row in rows} - {""} for i in (0, 1))
    if not answers:
        raise DataError("the sheet has no answers yet: fill in the column 'answer'.")
    if len({x.casefold() for x in labels}) == len(labels):  # No is no, if labels do not differ in that alone
        rows = [(a.casefold(), b.casefold(), *rest) for a, b, *rest in rows]
        labels |= {x for x in answers if x.casefold() in {y.casefold() for y in labels}}
    other = sorted(answers - labels)
    return _strata_in(rows, population), [Note("answers_not_labels", {"answers": other})] if other else []


def _strata_in(rows: Sequence[tuple[Any, ...]], population: Any) -> list[Stratum]:
    """The strata in their order, with the sizes that are given, or that stand in the rows."""
    each: dict[str, list[tuple[Any, ...]]] = {}
    for row in rows:
        each.setdefault(row[2], []).append(row)
    known = [[int(x) for *_, x in some if x is not None and x == x] for some in each.values()]
    sizes: list[int | None] = [x[0] if x else None for x in known]
    if population is not None:
        sizes = list(population) if isinstance(population, Sequence) else [population]
    if len(sizes) != len(each):
        raise UsageError(f"population= has {len(sizes)} numbers for {len(each)} strata: {listed(each)}.")
    wrong = [sum(answer not in ("", label) for answer, label, *_ in some) for some in each.values()]
    checked = [sum(answer != "" for answer, *_ in some) for some in each.values()]
    return list(map(Stratum, each, wrong, checked, sizes))


def _rows(columns: Mapping[str, list[Any]]) -> list[tuple[Any, ...]]:
    """Answer, label, stratum and its size of each row; a spreadsheet leaves empty rows below."""
    n = len(columns[ANSWER])
    answers, labels = ([_typed(x) for x in columns[c]] for c in (ANSWER, "label"))
    strata = list(map(str, columns[STRATUM])) if STRATUM in columns else [""] * n
    return [row for row in zip(answers, labels, strata, columns.get(SIZE, [None] * n), strict=True) if row[1]]


def _typed(x: Any) -> str:
    """A cell of a sheet without the mark that keeps a spreadsheet from taking it for a formula."""
    return "" if x is None or x != x else spelled(str(x).strip().removeprefix("'"))


def sheet_of(labels: Any, n: int, by: str | None = None, seed: Seed = 0) -> dict[str, list[Any]]:
    """A random sample of a data set's items with their labels, an empty column for answers, and the texts beside them;
    equally many of each stratum, or all of a small one."""
    columns = labels if isinstance(labels, Mapping) else columns_in(labels)
    item, label = _roles(columns)
    if by is not None and by not in columns:
        raise UsageError(f"no column {by!r} for the strata; columns found: {listed(columns, 30)}.")
    items = columns[item]
    _check_twice(items)
    if n > len(items):
        raise UsageError(f"{counted(n, 'label')} were asked for, but there are {len(items):,}.")
    strata = [str(x) for x in columns[by]] if by else [""] * len(items)
    chosen = _drawn(np.array(strata), n, seed)
    rest = [c for c in columns if c not in (item, label, by, ANSWER, "label", STRATUM, SIZE)]
    texts = [c for c in rest if any(isinstance(x, str) for x in columns[c])]
    made = {"item": [items[i] for i in chosen], **{c: [columns[c][i] for i in chosen] for c in texts}}
    made |= {ANSWER: [""] * len(chosen), "label": [columns[label][i] for i in chosen]}
    if by:
        made[STRATUM] = [strata[i] for i in chosen]
    size = Counter(strata)
    return made | {SIZE: [size[strata[i]] for i in chosen]}


def _check_twice(items: Sequence[Any]) -> None:
    """Refuse several labels of one item."""
    twice = next((x for x, k in Counter(map(str, items)).items() if k > 1), None)
    if twice is not None:
        raise DataError(
            f"item {brief(twice)} has several labels; check one final label an item, such as "
            + either("raters.consensus gives.", "raters consensus -o gold.csv writes.")
        )


def _drawn(strata: Array, n: int, seed: int) -> list[int]:
    """The rows of a random sample: equally many of each stratum, or all of a small one."""
    names, sizes = np.unique(strata, return_counts=True)
    each = next(k for k in range(math.ceil(n / len(names)), n + 1) if np.minimum(sizes, k).sum() >= n)
    rng = np.random.default_rng(seed)
    chosen = [rng.permutation(np.flatnonzero(strata == s))[:each] for s in names]
    return np.concatenate(chosen).tolist()  # type: ignore[no-any-return]


def _roles(columns: Mapping[str, list[Any]]) -> tuple[str, str]:
    """The columns of the item and of its label."""
    found = best(columns, "item")
    label = next(iter(best([c for c in columns if c not in found[:1]], "label")), None)
    if not found or label is None:
        raise UsageError(
            f"no columns look like the item and its label; columns found: {listed(columns, 30)}. Call them 'item' and 'label'."
        )
    return found[0], label
