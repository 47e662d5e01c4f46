"""The alternative-annotator test: may a model replace the people who label?

Calderon, Reichart & Dror (2025), The Alternative Annotator Test for LLM-as-a-Judge, ACL.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any, Unpack, overload

import numpy as np
from numpy.typing import NDArray
from scipy import sparse, special

from raters.charts.points import intervals
from raters.errors import DataError, UsageError, listed
from raters.estimate import SCHEMA, Estimate, EstimateTable, Result, Told, jsonable, row_named, shown
from raters.inference.intervals import NO_INTERVAL, IntervalSpec
from raters.inference.joint import Terms
from raters.io.any_table import Source
from raters.judges.kappas import checked, estimate, figured
from raters.judges.people_and_judges import Sides, sides
from raters.options import asks, filled
from raters.options.declared import Inference
from raters.scales.sets import SIMILARITIES
from raters.scales.sets import similarity as set_similarity

PASSES = 0.5


@dataclass(frozen=True)
class Person(Told):
    """One person compared with the model, by how well each agrees with the other people."""

    name: str
    n_items: int
    gap: float
    """Mean of W_h - W_f: how much more often the person is closer to the others than the model is."""
    advantage: float
    """Share of items on which the model is at least as close to the others as the person."""
    p: float
    replaced: bool
    """Whether the test shows that the model is worse than this person by less than epsilon."""


@dataclass(frozen=True, repr=False)
class AltTest(Result):
    """The alternative-annotator test of one model."""

    judge: str
    epsilon: float
    q: float
    similarity: str
    test: str
    winning_rate: Estimate
    """Share of people whom the model may replace; it passes if this is at least one half."""
    advantage: Estimate
    """Mean over people of how often the model is at least as close to the others as the person."""
    people: tuple[Person, ...]
    left_out: tuple[str, ...]
    """Names of people with too few items."""
    least: int

    @property
    def passed(self) -> bool:
        return bool(self.winning_rate.value >= PASSES)

    @property
    def estimates(self) -> EstimateTable:
        return EstimateTable((self.winning_rate, self.advantage))

    @property
    def sentence(self) -> str:
        """The outcome in words."""
        n = sum(p.replaced for p in self.people)
        done = "passes" if self.passed else "does not pass"
        left = (
            f" {len(self.left_out)} left out with fewer than {self.least} items: {', '.join(self.left_out[:5])}."
            if self.left_out
            else ""
        )
        return (
            f"{self.judge} {done} the alternative-annotator test at epsilon {self.epsilon:g}: it may replace {n} of"
            f" {len(self.people)} people (winning rate {shown(self.winning_rate.value, 2)}, advantage probability"
            f" {shown(self.advantage.value, 3)}).{left}"
        )

    def to_dict(self) -> dict[str, Any]:
        about = ("judge", "epsilon", "q", "similarity", "test", "passed", "left_out", "least", "sentence")
        return {
            "schema": SCHEMA,
            **{name: jsonable(getattr(self, name)) for name in about},
            "estimates": [e.to_dict() for e in self.estimates],
            "people": jsonable(self.people),
        }

    def to_columns(self) -> dict[str, list[Any]]:
        """One row for each person."""
        rows = [{"judge": self.judge, **p.to_dict()} for p in self.people]
        return {key: [row[key] for row in rows] for key in rows[0]}

    def plot(self) -> Any:
        """The share of items on which the model is at least as close to the others, for each person."""
        names, values = [p.name for p in self.people], [p.advantage for p in self.people]
        return intervals(
            names, values, axis="advantage probability", marks=(PASSES,), name="alt-test", caption=self.sentence
        ).altair()

    def __str__(self) -> str:
        rows = [
            f"  {p.name}: gap {shown(p.gap)}, advantage {shown(p.advantage)}, p {p.p:.4g}, {p.n_items:,} items"
            for p in self.people
        ]
        return "\n".join([self.sentence, *rows])

    def _repr_html_(self) -> str:
        return f"<p>{escape(self.sentence)}</p>{self.estimates._repr_html_()}"


@dataclass(frozen=True, repr=False)
class AltTests(Result, Sequence[AltTest]):
    """The test of several models, on the same bootstrap samples; accessed by position or by name."""

    tests: tuple[AltTest, ...]

    def __len__(self) -> int:
        return len(self.tests)

    def __iter__(self) -> Iterator[AltTest]:
        return iter(self.tests)

    def __contains__(self, key: object) -> bool:
        return key in ([t.judge for t in self.tests] if isinstance(key, str) else self.tests)

    if TYPE_CHECKING:

        @overload
        def __getitem__(self, key: int | str) -> AltTest: ...
        @overload
        def __getitem__(self, key: slice) -> AltTests: ...

    def __getitem__(self, key: int | str | slice) -> AltTest | AltTests:
        """A model's test by its position or by the model's name; a slice is a table."""
        if isinstance(key, slice):
            return AltTests(self.tests[key])
        return row_named(self.tests, [t.judge for t in self.tests], key) if isinstance(key, str) else self.tests[key]

    def to_dict(self) -> dict[str, Any]:
        return {"schema": SCHEMA, "tests": [t.to_dict() for t in self.tests]}

    def to_columns(self) -> dict[str, list[Any]]:
        """One row for each judge and person."""
        parts = [t.to_columns() for t in self.tests]
        return {key: [v for part in parts for v in part[key]] for key in parts[0]}

    def plot(self) -> Any:
        """Advantage probability of each judge, with its interval."""
        found = [t.advantage for t in self.tests]
        return intervals(
            [t.judge for t in self.tests],
            [e.value for e in found],
            [e.low for e in found],
            [e.high for e in found],
            axis="advantage probability",
            marks=(PASSES,),
            name="alt-test",
            caption="Advantage probability.",
        ).altair()

    def __str__(self) -> str:
        return "\n".join(t.sentence for t in self.tests)

    def _repr_html_(self) -> str:
        return "".join(f"<p>{escape(t.sentence)}</p>" for t in self.tests)


Array = NDArray[Any]
NEAR = 1e-12
"""Relative difference up to which two sums of numbers count as equal, if the numbers are not short decimals."""
DIGITS = 6


def similarity_name(s: Sides, asked: Any) -> Any:
    """The requested similarity, or the default for the scale: match for nominal labels, minus RMSE for numbers and
    ordered labels.
    """
    if asked is None:
        return s.scale.similarity
    known = ("match", "rmse", *SIMILARITIES)
    if callable(asked) or asked in known:
        return asked
    raise UsageError(f"similarity={asked!r} is not known. Use one of {', '.join(known)}, or a function of two labels.")


def likeness(s: Sides, asked: Any) -> Callable[[Array, Array, Array], tuple[Array, Array]]:
    """A function from (item, person, label of a judge) of annotations to how similar the judge and the person are to
    the others.

    Both are on one scale, larger means more similar, and equal numbers are ties; the values are not meant for display.
    """
    kind = similarity_name(s, asked)
    if kind == "rmse":
        return _by_squares(s)
    if kind == "match":
        return _by_match(s)
    matrix = _matrix(s, kind)

    def alike(item: Array, person: Array, judge: Array) -> tuple[Array, Array]:
        own = s.given[item, person]
        sums = s.counts @ matrix  # (item, label): a label compared with all people of the item
        both = sums[item, judge] - matrix[judge, own], sums[item, own] - matrix[own, own]
        return _tied(*both)

    return alike


def _matrix(s: Sides, kind: Any) -> Array:
    if callable(kind):
        return np.array([[float(kind(a, b)) for b in s.labels] for a in s.labels])
    return set_similarity(kind, s.labels)


def _by_match(s: Sides) -> Callable[[Array, Array, Array], tuple[Array, Array]]:
    def alike(item: Array, person: Array, judge: Array) -> tuple[Array, Array]:
        own = s.given[item, person]
        if len(s.labels) <= 200:
            counts = s.counts.toarray()
            return counts[item, judge] - (judge == own), counts[item, own] - 1
        at = s.counts.tocsr()
        return np.asarray(at[item, judge]).ravel() - (judge == own), np.asarray(at[item, own]).ravel() - 1

    return alike


def _by_squares(s: Sides) -> Callable[[Array, Array, Array], tuple[Array, Array]]:
    x = whole(s.values)
    exact = bool((x == np.floor(x)).all())

    def alike(item: Array, person: Array, judge: Array) -> tuple[Array, Array]:
        n = np.asarray(s.counts.sum(1)).ravel()[item] - 1
        own, f = x[s.given[item, person]], x[judge]
        first, second = (s.counts @ x)[item] - own, (s.counts @ x**2)[item] - own**2
        # n times the mean squared difference, without the part that both share
        both = -(n * f**2 - 2 * f * first), -(n * own**2 - 2 * own * first)
        return both if exact else _tied(*both, np.abs(second) + n * np.maximum(f**2, own**2))

    return alike


def whole(values: Array) -> Array:
    """Short decimals as whole numbers, centred, so that their squares add up exactly; other numbers unchanged."""
    scaled = values * 10.0**DIGITS
    if np.abs(scaled).max(initial=0) < 2**52 and np.allclose(scaled, np.round(scaled), rtol=0, atol=1e-4):
        number = np.round(scaled).astype(np.int64)
        number = number - number[0] if len(number) else number
        step = int(np.gcd.reduce(number)) if number.any() else 1
        small = number // max(step, 1)
        if np.abs(small).max(initial=0) < 2**20:
            return np.asarray(small.astype(float))
    return np.asarray(values - values.mean()) if len(values) else values


def _tied(a: Array, b: Array, size: Array | float = 1.0) -> tuple[Array, Array]:
    near = np.abs(a - b) <= NEAR * np.maximum(size, 1.0)
    return a, np.where(near, a, b)


LEAST = 30
"""Items that a person needs for a comparison; the paper's own rule of thumb for the t-test."""


@asks()
def alt_test(
    people: Source,
    model: Source | None = None,
    *,
    epsilon: float = 0.1,
    judges: Sequence[str] | None = None,
    judges_from: str | None = None,
    similarity: Any = None,
    q: float = 0.05,
    least: int = LEAST,
    test: str = "t",
    **options: Unpack[Inference],
) -> AltTest:
    """Test whether one model agrees with the other people about as well as each person does.

    The test leaves each person out in turn. On every item that the person, another person and the model labelled,
    whichever of the two is closer to the *other* people wins; a tie counts for both. A one-sided test asks whether the
    person's wins exceed the model's by less than ``epsilon`` (.2 for experts, .15 for skilled people, .1 for a crowd),
    and the Benjamini-Yekutieli procedure controls the false discovery rate over people at ``q``.

    ``judges``, ``judges_from``: which raters are models, if one table holds both. ``similarity``: ``"match"``,
    ``"rmse"`` (minus the root mean squared error), a similarity of sets, or a function of two labels; the default
    follows the scale. ``least``: people with fewer items are left out and named. ``test``: ``"t"`` or ``"wilcoxon"``
    (for few items). For several models, use :func:`alt_test_table`.

    >>> import raters
    >>> rows = [(i, p, int((i * 7 + (p == "ann" and i % 9 == 0)) % 3)) for i in range(60) for p in ("ann", "bob", "cat")]
    >>> machine = [(i, "m", i * 7 % 3) for i in range(60)]
    >>> result = alt_test(raters.read(rows, scale="nominal"), raters.read(machine, scale="nominal"))
    >>> float(result.winning_rate), result.passed
    (1.0, True)
    """
    s = sides(people, model, judges=judges, judges_from=judges_from)
    if len(s.judges) > 1:
        raise UsageError(
            f"alt_test() tests one model, but there are {len(s.judges)}: {listed(s.judges)}. Use alt_test_table(),"
            f" which has a row for each, or name one of them: judges=[{s.judges[0]!r}]."
        )
    return _asked(s, epsilon, similarity, q, least, test, options)[0]


@asks()
def alt_test_table(
    people: Source,
    model: Source | None = None,
    *,
    epsilon: float = 0.1,
    judges: Sequence[str] | None = None,
    judges_from: str | None = None,
    similarity: Any = None,
    q: float = 0.05,
    least: int = LEAST,
    test: str = "t",
    **options: Unpack[Inference],
) -> AltTests:
    """Run :func:`alt_test` for every model, on the same bootstrap samples; the result has one row for each, even for
    one model.

    >>> import raters
    >>> rows = [(i, p, i * 7 % 3) for i in range(60) for p in ("ann", "bob", "cat")]
    >>> machines = [(i, m, (i * 7 + (m == "b" and i % 2)) % 3) for i in range(60) for m in "ab"]
    >>> people, models = (raters.read(x, scale="nominal") for x in (rows, machines))
    >>> [(t.judge, t.passed) for t in alt_test_table(people, models, interval=None)]
    [('a', True), ('b', False)]
    """
    s = sides(people, model, judges=judges, judges_from=judges_from)
    return AltTests(tuple(_asked(s, epsilon, similarity, q, least, test, options)))


def _asked(
    s: Sides,
    epsilon: float,
    similarity: Any,
    q: float,
    least: int,
    test: str,
    options: Inference,
) -> list[AltTest]:
    """Check the options and run the tests."""
    if not 0 <= epsilon < 1:
        raise UsageError(
            f"epsilon={epsilon} is not a share of items: use .2 for experts, .15 for skilled people, .1 for a crowd."
        )
    if test not in ("t", "wilcoxon"):
        raise UsageError(f"test={test!r}: choose 't' or 'wilcoxon'.")
    given = filled(Inference, options)
    many = 0 if given["interval"] is None else given["resamples"]
    return alt_tests(s, epsilon, similarity, q, least, test, checked(options), many)


def alt_tests(
    s: Sides, epsilon: float, similarity: Any, q: float, least: int, test: str, spec: IntervalSpec, resamples: int
) -> list[AltTest]:
    """One test for each judge, all on the same bootstrap samples of items."""
    terms, wins = Terms(len(s.items)), [duels(s, j, similarity) for j in range(len(s.judges))]
    for each in wins:
        terms.add(each)
    m = len(s.people)
    kept = np.array([summed(each)[:, 0] >= least for each in wins])  # (judge, person)
    _enough(s, wins, kept, least)

    def figures(flat: Array) -> Array:
        sums = flat.reshape(len(flat), len(s.judges), m, 4)
        out = []
        for j in range(len(s.judges)):
            own = sums[:, j, kept[j]]
            out += [winning_rate(own, epsilon, q), (own[..., 3] / own[..., 0]).mean(-1)]
        return np.array(out)

    point, found = figured(terms, figures, resamples, spec, [(0.0, 1.0)] * (2 * len(s.judges)), smooth=False)
    name = similarity_name(s, similarity)
    results = []
    for j, judge in enumerate(s.judges):
        persons = _persons(s, wins[j], kept[j], epsilon, q, test)
        rate = float(np.mean([p.replaced for p in persons])) if test == "wilcoxon" else float(point[2 * j])
        compared = int((wins[j][:, 4 * np.flatnonzero(kept[j])].sum(1) > 0).sum())
        facts: Any = {"n_items": compared, "n_raters": int(kept[j].sum())}
        results.append(
            AltTest(
                judge,
                epsilon,
                q,
                name if isinstance(name, str) else getattr(name, "__name__", "own"),
                test,
                estimate(
                    "winning_rate",
                    rate,
                    found[2 * j] if test == "t" else NO_INTERVAL,
                    spec,
                    coefficient="winning_rate",
                    title="people it replaces (winning rate)",
                    **facts,
                ),
                estimate(
                    "advantage",
                    point[2 * j + 1],
                    found[2 * j + 1],
                    spec,
                    coefficient="advantage",
                    title="as close as a person or closer",
                    **facts,
                ),
                tuple(persons),
                _left_out(s, wins[j], kept[j]),
                least,
            )
        )
    return results


def duels(s: Sides, judge: int, similarity: Any) -> sparse.csr_array:
    """(item, person * 4): 1, W_h - W_f, its square, and W_f, if the two can be compared; otherwise zeros."""
    several = np.asarray(s.counts.sum(1)).ravel() >= 2
    item, person = np.nonzero((s.given >= 0) & (several & (s.said[:, judge] >= 0))[:, None])
    shape = (len(s.items), 4 * len(s.people))
    if not len(item):
        return sparse.csr_array(shape)
    model, own = likeness(s, similarity)(item, person, s.said[item, judge])
    gap = (own >= model).astype(float) - (model >= own)
    cells = np.stack([np.ones(len(item)), gap, gap**2, model >= own], 1)
    column = 4 * person[:, None] + np.arange(4)
    return sparse.coo_array((cells.ravel(), (np.repeat(item, 4), column.ravel())), shape).tocsr()


def summed(wins: sparse.csr_array) -> Array:
    """(person, 4): the sums over items."""
    return np.asarray(wins.sum(0)).reshape(-1, 4)


def p_values(sums: Array, epsilon: float | Array) -> Array:
    """One-sided p that the mean of W_h - W_f is below epsilon, from (..., 4) sums; t with n - 1 df."""
    n, total, squares = sums[..., 0], sums[..., 1], sums[..., 2]
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = total / n
        spread = np.sqrt(np.maximum(squares - n * mean**2, 0) / (n - 1))
        none = spread <= 1e-12
        t = (mean - epsilon) / np.where(none, 1, spread / np.sqrt(n))
    return np.asarray(np.where(none, np.where(mean < epsilon, 0.0, 1.0), special.stdtr(n - 1, t)))


def rejected(p: Array, q: float) -> Array:
    """Benjamini and Yekutieli over the last axis: which hypotheses are rejected; nan values are ignored.

    The largest k with p_(k) <= q k / (m (1 + 1/2 + ... + 1/m)).

    >>> rejected(np.array([0.001, 0.02, 0.9]), 0.05).tolist()
    [True, False, False]
    """
    m = np.isfinite(p).sum(-1, keepdims=True)
    harmonic = np.concatenate([[1.0], np.cumsum(1 / np.arange(1, p.shape[-1] + 1))])[m]
    order = np.sort(np.where(np.isfinite(p), p, np.inf), -1)
    k = np.arange(1, p.shape[-1] + 1)
    passes = order <= q * k / np.maximum(m * harmonic, 1)
    last = (passes * k).max(-1, keepdims=True)
    limit = np.take_along_axis(order, np.maximum(last - 1, 0), -1)
    return np.asarray((p <= limit) & (last > 0))


def winning_rate(sums: Array, epsilon: float | Array, q: float, least: int = 0) -> Array:
    """Share of people whom the model may replace, from (..., person, 4) sums; nan if nobody has enough items."""
    p = p_values(sums, epsilon)
    counted = (sums[..., 0] >= max(least, 2)) & np.isfinite(p)
    p = np.where(counted, p, np.nan)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(rejected(p, q).sum(-1) / counted.sum(-1))


def _persons(s: Sides, wins: sparse.csr_array, kept: Array, epsilon: float, q: float, test: str) -> list[Person]:
    at = np.flatnonzero(kept)
    sums = summed(wins)[at]
    p = p_values(sums, epsilon) if test == "t" else np.array([_wilcoxon(wins, j, epsilon) for j in at.tolist()])
    fall = rejected(p, q)
    return [
        Person(s.people[j], int(n), float(d / n), float(w / n), float(p[i]), bool(fall[i]))
        for i, (j, (n, d, _, w)) in enumerate(zip(at, sums, strict=True))
    ]


def _wilcoxon(wins: sparse.csr_array, person: int, epsilon: float) -> float:
    from scipy import stats  # slow to import, and seldom needed

    own = wins[:, 4 * person : 4 * person + 2].toarray()
    gap = own[own[:, 0] > 0, 1] - epsilon
    return float(stats.wilcoxon(gap, alternative="less", method="approx").pvalue)


class NobodyCompared(DataError):
    """No person shares enough items with another person and the model."""

    def __init__(self, found: str, advice: str) -> None:
        super().__init__(f"{found} {advice}")
        self.found = found


def _enough(s: Sides, wins: list[sparse.csr_array], kept: Array, least: int) -> None:
    for j, judge in enumerate(s.judges):
        if not kept[j].any():
            n = summed(wins[j])[:, 0].astype(int)
            best = ", ".join(f"{p} {k:,}" for p, k in sorted(zip(s.people, n, strict=True), key=lambda x: -x[1])[:3])
            raise NobodyCompared(
                f"nobody can be compared with {judge}: a person needs {least} items that another person and the model"
                f" also labelled; the most found: {best}.",
                "Have more items labelled by two people, or pass least= with test='wilcoxon'.",
            )


def _left_out(s: Sides, wins: sparse.csr_array, kept: Array) -> tuple[str, ...]:
    n = summed(wins)[:, 0].astype(int)
    return tuple(f"{s.people[j]} ({n[j]:,} items)" for j in np.flatnonzero(~kept))
