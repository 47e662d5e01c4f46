"""Watch agreement week after week, with an alarm that may be looked at as often as one likes.

The evidence that agreement fell is an e-process: the mean over all possible starts of the fall of a likelihood ratio with
the level integrated out. Under no fall it exceeds 20 at any time with a probability of at most 5 % (Ville 1939; Ramdas et
al. 2023, Stat. Sci. 38, 576-601). A fixed floor is tested by betting (Waudby-Smith & Ramdas 2024, J. R. Stat. Soc. B 86).
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from itertools import pairwise
from textwrap import wrap
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

from raters.agree.agreement_spec import Request, request
from raters.agree.estimating import entering, kernel_of, statistic
from raters.annotations import Annotations, counted
from raters.errors import DataError, UsageError, listed
from raters.estimate import Estimate, EstimateTable, text_table
from raters.inference.limits import Interval, around
from raters.io.any_table import table
from raters.items import Items, fold
from raters.items.folding import check_repeats
from raters.notes.note import Note, in_json
from raters.options import asks
from raters.options.declared import Seed
from raters.words import whole

Array = NDArray[Any]
ALARM = 20.0
TAU = 0.1
"""The size of a fall that the alarm expects, in the coefficient's units."""
LOOKS, BASELINE = 52, 4
DAY = re.compile(r"(\d{4})-?(\d{2})-?(\d{2})")
EPOCH = re.compile(r"(1[0-9]{9})([0-9]{3}|\.[0-9]+)?")
MOST_WEEKS = 1000
WIDTH = 24


def evidence(
    coefficient: Array, squares: Array, items: Array, baseline: int, looks: int = LOOKS, tau: float = TAU
) -> Array:
    """(look,): the evidence of a fall after each week beyond the baseline.

    ``squares``: for each week, the sum of squared influence values of its items.
    """
    a, n, s = (np.asarray(x, float) for x in (coefficient, items, squares))
    return np.array([_mixed(a[: t + 1], n[: t + 1], s[: t + 1], baseline, looks, tau) for t in range(baseline, len(a))])


def _mixed(a: Array, n: Array, s: Array, baseline: int, looks: int, tau: float) -> float:
    """The mean evidence of all starts; looks that are still to come count 1."""
    t, variance = len(a) - 1, max(float(s.sum() / n.sum()), 1e-6)  # where nobody disagrees, nothing varies
    found = []
    for start in range(baseline, t + 1):
        b, new = slice(None, start), slice(start, None)
        means = [float(n[x] @ a[x] / n[x].sum()) for x in (b, new)]
        spread = sum(float(n[x] @ (a[x] - m) ** 2) for x, m in zip((b, new), means, strict=True)) / variance
        sizes = [(float(n[x].sum()), float((n[x] ** 2).sum())) for x in (b, new)]
        between = max(0.0, variance * (spread - t + 1) / sum(one - two / one for one, two in sizes)) if t > 1 else 0.0
        v = variance * sum(1 / one for one, _ in sizes) + between * sum(two / one**2 for one, two in sizes)
        d = means[1] - means[0]
        log = -0.5 * math.log1p(tau**2 / v) + d**2 * tau**2 / (2 * v * (v + tau**2))
        found.append(2 * math.exp(min(log + float(special.log_ndtr(-d * tau / math.sqrt(v * (v + tau**2)))), 300.0)))
    return sum(found) / looks + 1 - len(found) / looks


def betting(disagreement: Array, floor: float) -> Array:
    """(item,): the evidence after each item that the mean disagreement, in [0, 1], exceeds the floor's."""
    x = np.asarray(disagreement, float)
    count = np.arange(1, len(x) + 1)
    mean = (0.5 + np.concatenate([[0.0], np.cumsum(x)[:-1]])) / count
    variance = (0.25 + np.concatenate([[0.0], np.cumsum((x - mean) ** 2)[:-1]])) / count
    stake = np.clip((mean - floor) / (variance + (mean - floor) ** 2), 0.0, 0.5 / floor)
    return np.asarray(np.exp(np.cumsum(np.log1p(stake * (x - floor)))))


@dataclass(frozen=True, repr=False)
class Watch(EstimateTable):
    """A row for each week; ``details["evidence"]`` above 20 is an alarm."""

    baseline: int = BASELINE
    looks: int = LOOKS
    floor: float | None = None
    notes: tuple[Note, ...] = ()

    @property
    def alarm(self) -> Estimate | None:
        """The first week with an alarm."""
        return next((e for e in self if e.details["evidence"] >= ALARM), None)

    @property
    def sentence(self) -> str:
        last, alarm = self[-1], self.alarm
        before = self.details_of_baseline
        what = (
            f"below {self.floor:g}"
            if self.floor is not None
            else f"below the first {self.baseline} weeks ({before:.2f})"
        )
        if alarm is None:
            return f"No alarm: agreement is not shown to be {what}; the last week ({last.name}) has {last.value:.2f}."
        return f"Alarm since {alarm.name}: agreement is {what}; the last week ({last.name}) has {last.value:.2f}."

    @property
    def details_of_baseline(self) -> float:
        """The mean coefficient of the baseline."""
        first = list(self)[: self.baseline]
        return float(np.average([e.value for e in first], weights=[e.n_items for e in first]))

    def to_dict(self) -> dict[str, Any]:
        more = {
            "sentence": self.sentence,
            "alarm": self.alarm and self.alarm.name,
            "baseline": self.baseline,
            "looks": self.looks,
        }
        return super().to_dict() | more | in_json(self.notes)

    def __str__(self) -> str:
        ends = [(e.low, e.value, e.high) if math.isfinite(e.low) else (e.value,) * 3 for e in self]
        low, high = min(x[0] for x in ends), max(x[2] for x in ends)
        rows = []
        for e, three in zip(self, ends, strict=True):
            at = [round((x - low) / max(high - low, 1e-9) * (WIDTH - 1)) for x in three]
            bar = "".join("o" if i == at[1] else "-" if at[0] <= i <= at[2] else " " for i in range(WIDTH))
            rows.append(
                [
                    e.name[:24],
                    f"{e.n_items:,}",
                    f"{e.value:.2f}",
                    bar,
                    f"{e.details['evidence']:.2f}{' *' if e.details['evidence'] >= ALARM else ''}",
                ]
            )
        head = ["week", "items", "value", f"{low:.2f}{high:>{WIDTH - 4}.2f}", "evidence (alarm at 20)"]
        return "\n".join(
            [*wrap(self.sentence, 80), "", *text_table(head, rows), *(x for n in self.notes for x in wrap(f"{n}.", 80))]
        )


@dataclass(frozen=True, eq=False)
class _Week:
    """A week that can be compared."""

    name: str
    ann: Annotations
    items: Items
    coefficient: str
    value: float
    squares: float
    """The sum of squared influence values."""
    n: float
    """The number of items."""

    def estimate(self, evidence: float) -> Estimate:
        se = math.sqrt(self.squares) / self.n
        limits = around(Interval(self.value - 1.959964 * se, self.value + 1.959964 * se, se, "delta"), self.value)
        return Estimate(self.name, self.value, limits.low, limits.high, limits.se, interval="delta", n_items=int(self.n), notes=limits.notes,
                        coefficient=self.coefficient, title=self.name, details={"evidence": evidence})  # fmt: skip


@asks()
def watch(
    weeks: Any,
    *,
    by: str | None = None,
    baseline: int = BASELINE,
    looks: int = LOOKS,
    floor: float | None = None,
    judge: str | None = None,
    before: Mapping[str, Any] | None = None,
    seed: Seed = 0,
) -> Watch:
    """Watch whether agreement (alpha) falls, week after week, with an alarm that may be looked at every week.

    ``weeks``: tables or folds by name, paths in their order, or one table with a column of dates (``by``). The first
    ``baseline`` weeks are what later weeks are compared with; up to ``looks`` further weeks are planned. In at most 5 %
    of whole streams without a fall there is any alarm. ``floor``: instead, an alarm if agreement is below this value
    (labels that match or do not). ``judge``: the agreement of this rater, a model, with the others. ``before``: what an
    earlier look saw (its ``to_dict()``), to say which weeks have changed since.

    >>> from raters import simulate
    >>> weeks = {f"week {i}": simulate.labels(60, 3, 2, accuracy=0.9 if i < 6 else 0.6, seed=i).annotations() for i in range(12)}
    >>> watch(weeks).alarm is not None, watch(dict(list(weeks.items())[:6])).alarm
    (True, None)
    """
    if baseline < 1 or looks < 1:
        raise UsageError(f"baseline={baseline}, looks={looks}: at least one week of each is needed.")
    if floor is not None and not 0 < floor < 1:
        raise UsageError(f"floor={floor} is not between 0 and 1.")
    seen = None if before is None else before.get("estimates")
    if before is not None and not (isinstance(seen, list) and all(isinstance(e, Mapping) for e in seen)):
        raise UsageError("before= is not what an earlier look wrote: it has no 'estimates'.")
    named = _weeks(weeks, by)
    if len(named) <= baseline:
        raise DataError(
            f"{counted(len(named), 'week')} with a baseline of {baseline}: later weeks are compared with it, so more are needed."
        )
    used = _compared(named, baseline, floor, judge)
    if floor is None:
        value, squares, n = (np.array(x) for x in zip(*((w.value, w.squares, w.n) for w in used), strict=True))
        e = np.concatenate([np.ones(baseline), evidence(value, squares, n, baseline, looks)])
    else:
        e = _by_betting(used, baseline, floor, seed)
    rows = tuple(w.estimate(x) for w, x in zip(used, e.tolist(), strict=True))
    notes = _notes(list(named), used, baseline, looks, before)
    return Watch(rows, of="week", baseline=baseline, looks=looks, floor=floor, notes=tuple(notes))


def _compared(named: Mapping[str, Annotations], baseline: int, floor: float | None, judge: str | None) -> list[_Week]:
    """The weeks that can be compared; an error if they are too few."""
    if floor is not None and (judge is not None or any(a.scale.ordered or a.scale.of_sets for a in named.values())):
        raise UsageError(
            "floor= applies to the agreement of labels that match or do not; read them with scale='nominal'."
        )
    used = [w for name, ann in named.items() if (w := _measured(name, ann, judge)) is not None]
    if judge is not None and not used:
        raise UsageError(f"no rater called {judge!r} labelled the same items as others in any week.")
    if len(used) <= baseline:
        raise DataError("too few weeks have items with two labels that can be compared.")
    return used


def _weeks(weeks: Any, by: str | None) -> dict[str, Annotations]:
    """Week -> its table, in order."""
    if by is not None:
        ann = table(weeks)
        if by not in ann.extras:
            raise UsageError(f"{ann.source}: no column {by!r}; other columns are {listed(ann.extras) or 'none'}.")
        columns = ann.to_columns()
        names = [week_of(x) for x in columns[by]]
        parts: dict[str, list[tuple[Any, ...]]] = {}
        rows = zip(names, columns["item"], columns.get("rater", range(len(names))), columns["label"], strict=True)
        for name, *row in rows:
            if name is not None:
                parts.setdefault(name, []).append(tuple(row))
        if len(parts) > MOST_WEEKS:
            raise DataError(
                f"{ann.source}: column {by!r} has {len(parts):,} values that are no dates, such as {next(iter(parts))!r}; write 2026-11-19."
            )
        return {name: table(parts[name], scale=ann.scale, labels=list(ann.labels)) for name in in_turn(parts)}
    if isinstance(weeks, Mapping):
        return {str(name): table(x) for name, x in weeks.items()}
    if isinstance(weeks, str | bytes) or not isinstance(weeks, Sequence):
        raise UsageError("pass several weeks (files or folds), or one table with by='COLUMN' of dates.")
    return dict(zip(week_names(weeks), map(table, weeks), strict=True))


def week_names(weeks: Sequence[Any]) -> list[str]:
    """The names of files, with their folders if several files have one name; numbers for other weeks.

    >>> week_names(["a/w1.csv", "a/w2.csv"]), week_names(["a/w.csv", "b/w.csv"])
    (['w1.csv', 'w2.csv'], ['a/w.csv', 'b/w.csv'])
    """
    paths = [str(x) if isinstance(x, str) or hasattr(x, "__fspath__") else f"week {i}" for i, x in enumerate(weeks, 1)]
    short = [re.sub(r".*[/\\]", "", path) for path in paths]
    return short if len(set(short)) == len(short) else paths


def in_turn(names: Iterable[str]) -> list[str]:
    """Names in order, with numbers by their size.

    >>> in_turn(["week 10", "week 9"])
    ['week 9', 'week 10']
    """
    return sorted(
        names, key=lambda x: [(int(part), "") if whole(part) else (-1, part) for part in re.split(r"(\d+)", x)]
    )


def week_of(value: Any) -> str | None:
    """The ISO week of a date, or the value itself if it is none.

    >>> week_of("2026-11-19T10:00:00"), week_of("19.11.2026"), week_of(1795082400), week_of("wave 2")
    ('2026-W47', '2026-W47', '2026-W47', 'wave 2')
    """
    if value is None or value != value:
        return None
    text = str(value).strip()
    if (seconds := EPOCH.fullmatch(text)) is not None:
        text = datetime.fromtimestamp(int(seconds[1]), UTC).isoformat()
    if re.match(r"\d{1,2}/\d{1,2}/\d{4}", text):
        raise DataError(f"{text!r} may be the day or the month first; write dates as 2026-11-19.")
    day = DAY.match(re.sub(r"^(\d{1,2})\.(\d{1,2})\.(\d{4})", lambda m: f"{m[3]}-{m[2]:0>2}-{m[1]:0>2}", text))
    try:
        year, week, _ = date(*map(int, day.groups())).isocalendar() if day else (None, None, None)
    except ValueError:
        return text
    return text if year is None else f"{year}-W{week:02}"


def _measured(name: str, ann: Annotations, judge: str | None) -> _Week | None:
    """The coefficient of a week; None if it is undefined."""
    check_repeats(ann, None, None)
    req: Request = request("krippendorff" if judge is None else "cohen")
    kernel = kernel_of(req, ann)
    if judge is None:
        items = entering(req, fold(ann)[None], kernel)
    else:
        whole = fold(ann, group="rater")[None]
        if judge not in map(str, whole.groups):
            return None
        items = whole.regrouped(np.array([int(str(g) != judge) for g in whole.groups]), (judge, "people"))
        items = items.where(np.flatnonzero((items.per_group.toarray() > 0).all(1)))
    if items.weight.sum() < 2:
        return None
    stat = statistic(req, items, kernel, len(items.labels))
    value, n = float(stat.parts(stat.weight[None]).value[0]), float(stat.weight.sum())
    if not np.isfinite(value):
        return None
    slope = stat.influence() * n
    if not np.isfinite(slope).all():
        return None
    return _Week(name, ann, items, req.coefficient.name, value, float(stat.weight @ slope**2), n)


def _by_betting(weeks: Sequence[_Week], baseline: int, floor: float, seed: int) -> Array:
    """(week,): the evidence that agreement is below the floor; chance disagreement is that of the baseline."""
    rng = np.random.default_rng(seed)
    each = []
    for week in weeks:
        c = week.items.merged().counts.toarray()
        k = c.sum(1)
        differ = 1 - (c * (c - 1)).sum(1) / np.maximum(k * (k - 1), 1)
        each.append(rng.permutation(np.repeat(differ, week.items.weight.astype(int))))
    chance = [np.mean(d) / max(1 - w.value, 1e-9) for d, w in zip(each, weeks[:baseline], strict=False)]
    limit = (1 - floor) * float(np.average(chance, weights=[w.n for w in weeks[:baseline]]))
    e = np.maximum.accumulate(betting(np.concatenate(each[baseline:]), min(limit, 0.999)))
    return np.concatenate([np.ones(baseline), e[np.cumsum([len(x) for x in each[baseline:]]) - 1]])


def _notes(
    weeks: list[str], used: Sequence[_Week], baseline: int, looks: int, before: Mapping[str, Any] | None
) -> list[Note]:
    """Weeks that are missing, have other labels, or changed since an earlier look, and what that does to the promise."""
    there, gaps = {w.name for w in used}, _gaps(weeks)
    lost = [name for name in weeks if name not in there]
    said = [Note("weeks_not_compared", {"weeks": lost})] if lost else []
    said += [Note("weeks_missing", {"before": gaps})] if gaps else []
    own = {str(x) for w in used[:baseline] for x in w.ann.labels}
    other = {w.name: sorted({str(x) for x in w.ann.labels} - own) for w in used}
    new = sorted({x for labels in other.values() for x in labels})
    if new:
        said.append(Note("weeks_new_labels", {"labels": new, "weeks": [w for w, labels in other.items() if labels]}))
    grown = [] if before is None else _grown(used, before)
    said += [Note("weeks_grown", {"weeks": grown})] if grown else []
    if len(used) - baseline > looks:
        said.append(Note("more_looks", {"n": len(used) - baseline, "looks": looks}))
    return said


def _gaps(weeks: Sequence[str]) -> list[str]:
    """The weeks before which some are missing, if all names state a date."""
    days = [d for name in weeks if (d := _monday(name)) is not None]
    if len(days) < max(len(weeks), 3) or len(set(days)) < 2:
        return []
    step = min(b - a for a, b in pairwise(days) if b > a)
    return [weeks[i] for i in range(1, len(weeks)) if days[i] - days[i - 1] > 1.5 * step]


def _grown(used: Sequence[_Week], before: Mapping[str, Any]) -> list[str]:
    """The weeks that are not what an earlier look saw, or that came in between."""
    seen = {e.get("name"): (e.get("n_items"), e.get("value")) for e in before["estimates"]}
    last = max((i for i, w in enumerate(used) if w.name in seen), default=-1)
    now = {w.name: (int(w.n), w.value) for w in used}
    same = {w for w, (k, x) in seen.items() if w in now and now[w][0] == k and (x is None or abs(now[w][1] - x) < 1e-9)}
    return [w.name for w in used[: last + 1] if w.name not in same]


def _monday(name: str) -> date | None:
    """The day that a week's name states."""
    week, day = re.search(r"(\d{4})-W(\d{2})", name), DAY.search(name)
    try:
        if week:
            return date.fromisocalendar(int(week[1]), int(week[2]), 1)
        return date(*map(int, day.groups())) if day else None
    except ValueError:
        return None
