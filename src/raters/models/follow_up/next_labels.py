r"""What to label next: the expected information of the next label, and when to stop.

A label of item i by rater j is expected to carry

.. math:: I_{ij} = H\Big(\sum_k q_{ik} \theta_{jk\cdot}\Big) - \sum_k q_{ik} H(\theta_{jk\cdot})

bits. On an item that divides people one more label tells next to nothing (:mod:`raters.models.follow_up.next_labels`):
if the fit allows for hard items, :math:`q_i` is the posterior of an item that is not hard, and the bits are multiplied
by the probability that it is not; for a vote they are those by which one more vote settles its winner. They never
exceed the remaining entropy, :math:`H(q_i)`, so items are searched in the order of such an upper limit, and the search
stops when no remaining item can do better: exact, and fast on a million items.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING, Any, overload

import numpy as np
from numpy.typing import NDArray

from raters.annotations import counted as number_of
from raters.charts.points import intervals
from raters.errors import UsageError, listed
from raters.estimate import SCHEMA, Result, html_table, jsonable, shown
from raters.models.base.fit import FittedModel
from raters.models.base.probabilities import bits, expected_bits, mutual, rows_to_one
from raters.models.base.settled_vote import Variety, next_vote, variety
from raters.models.families.spec import Vote
from raters.models.fitting.checks import check_known, check_numbers
from raters.models.held_out.folds import counted
from raters.models.held_out.hard_items import alpha, if_easy
from raters.models.held_out.power import as_used, checked
from raters.options import asks

Array = NDArray[Any]
HARD = 0.5
"""An item is probably hard from this probability on."""


@dataclass(frozen=True)
class Doubt:
    """What one more label of each item may tell."""

    q: Array
    """(item, label): the posterior if raters label the item by its truth."""
    ease: Array
    """(item,): how probable it is that they do; 1 where the fit does not allow for hard items, 0 for a vote."""
    vote: Array
    """(item,): bits that one more vote tells of the winner of a very large vote, times how probable it is that only
    that counts.
    """

    @staticmethod
    def of(c: FittedModel) -> Doubt:
        """The doubt of a fit.

        >>> import raters
        >>> Doubt.of(raters.consensus(raters.examples.demo(), "dawid_skene")).ease.min()
        np.float64(1.0)
        """
        n = len(c.posterior)
        if c.decided is not None and isinstance(c.definition.method, Vote):
            votes = counted(c)
            bits = next_vote(votes, variety(votes))
            if bits is not None:
                return Doubt(c.posterior, np.zeros(n), bits)
        if c.mixture is not None:
            return Doubt(c.posterior, c.mixture.ease, np.zeros(n))
        if c.hard is None:
            return Doubt(c.posterior, np.ones(n), np.zeros(n))
        q, w = if_easy(c, c.hard)
        shape = alpha(c.votes, c.hard.strength)
        own = next_vote(c.votes.counts, Variety(shape[None], np.ones(1), c.votes.counts.sum(0), n))
        return Doubt(q, w[:, 0], np.zeros(n) if own is None else w[:, 2] * own)


def as_published(c: FittedModel) -> str:
    """That nothing checked how settled the items are, in a sentence; empty if held-out labels did."""
    if checked(c) or not c.definition.likelihood:
        return ""
    return (
        f"Settled here means the probability under {c.model} {as_used(c)}, which held-out labels have not checked;"
        " tempering='held_out' or model='auto' does."
    )


def hard_ones(c: FittedModel, settled: float) -> str:
    """How many items that are not settled are probably hard, in a sentence; empty if the fit does not allow for hard
    items, or assumes them.
    """
    if c.hard is None or c.hard.assumed:
        return ""
    open_ = (c.votes.per_item > 0) & ~(c.certainty >= settled)
    n, of = int((open_ & (Doubt.of(c).ease < 1 - HARD)).sum()), int(open_.sum())
    return (
        f"{n:,} of {number_of(of, 'item')} not settled {'is' if n == 1 else 'are'} probably hard (raters divide on them"
        " or label them by habit), so that more labels from raters like these would hardly settle them: such items are"
        " asked for less"
    )


CELLS = 4_000_000
"""Random numbers drawn at a time."""
BISECTIONS, DRAWS = 30, 200
LIKE_THE_CROWD = 20.0
"""Prior labels in each row of a rater's matrix, distributed like the crowd's."""


def crowd(c: FittedModel) -> Array:
    """(true, given): the matrix of the whole crowd, raters weighted by their labels."""
    return rows_to_one(c.expected_counts.sum(0) + c.settings.smoothing)


def careful(c: FittedModel) -> Array:
    """(rater, true, given): matrices shrunk towards the rater's margin until they carry the lower 95 % limit of their
    bits.
    """
    value = mutual(c.confusion, c.prevalence)
    low = np.minimum(lower_bits(c), value)
    margin = np.einsum("k,rkl->rl", c.prevalence, c.confusion)[:, None, :]
    least, most = np.zeros(len(value)), np.ones(len(value))
    for _ in range(BISECTIONS):
        part = (least + most) / 2
        over = mutual(mixed(c.confusion, margin, part), c.prevalence) > low
        least, most = np.where(over, least, part), np.where(over, part, most)
    return mixed(c.confusion, margin, np.where(low >= value, 1.0, most))


def lower_bits(c: FittedModel) -> Array:
    """(rater,): the lower 95 % limit of the bits of a label; the prior is the crowd's matrix, worth a few labels in
    each row.
    """
    rng, shape = np.random.default_rng(c.settings.seed), c.expected_counts + LIKE_THE_CROWD * crowd(c)
    low = np.empty(len(shape))
    step = max(1, CELLS // (DRAWS * shape[0].size))
    for j in range(0, len(shape), step):
        drawn = rows_to_one(
            rng.standard_gamma(np.maximum(shape[j : j + step], 1e-6), (DRAWS, *shape[j : j + step].shape))
        )
        low[j : j + step] = np.quantile(mutual(drawn, c.prevalence), 0.05, axis=0)
    return low


def mixed(matrices: Array, margin: Array, part: Array) -> Array:
    """Mix this part of the matrices with the margin."""
    share = part[:, None, None]
    return np.asarray(share * matrices + (1 - share) * margin)


MOST_DRAWN = 40
"""Numbers processed at a time."""
SLACK = 1e-12
"""Tolerance for rounding when an upper limit is almost reached."""


@dataclass(frozen=True)
class NextLabel:
    """One label to ask for."""

    item: Any
    rater: Any
    """Who should give it; None for any rater, or a new one."""
    bits: float
    """The information about the item that it is expected to add."""
    certainty: float
    """How settled the item's label is now."""


@dataclass(frozen=True, repr=False)
class NextLabels(Result, Sequence[NextLabel]):
    """Labels to ask for, the most informative first, and whether to stop."""

    rows: tuple[NextLabel, ...]
    certain: float
    """The share of items whose label is settled as far as requested."""
    stop: bool
    """Whether enough items are settled."""
    rule: str
    note: str = ""
    """How many items are probably hard, where the fit allows for such; empty elsewhere."""

    def __len__(self) -> int:
        return len(self.rows)

    if TYPE_CHECKING:

        @overload
        def __getitem__(self, at: int) -> NextLabel: ...
        @overload
        def __getitem__(self, at: slice) -> NextLabels: ...

    def __getitem__(self, at: int | slice) -> NextLabel | NextLabels:
        return replace(self, rows=self.rows[at]) if isinstance(at, slice) else self.rows[at]

    def __iter__(self) -> Iterator[NextLabel]:
        return iter(self.rows)

    def to_columns(self) -> dict[str, list[Any]]:
        return {name: [getattr(r, name) for r in self.rows] for name in ("item", "rater", "bits", "certainty")}

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        rows = [jsonable(vars(r)) for r in self.rows]
        return {
            "schema": SCHEMA,
            "rows": rows,
            "certain": self.certain,
            "stop": self.stop,
            "rule": self.rule,
            "note": self.note,
        }

    def plot(self) -> Any:
        """The bits that each label is expected to add, as an Altair chart; the first 40 labels."""
        names = [r.item if r.rater is None else f"{r.item} by {r.rater}" for r in self.rows[:MOST_DRAWN]]
        values = [r.bits for r in self.rows[:MOST_DRAWN]]
        return intervals(
            names, values, axis="expected bits", name="next-labels", caption=f"{str(self).splitlines()[0]}"
        ).altair()

    def __str__(self) -> str:
        lines = [f"{self.certain:.1%} of the items are settled; {self.rule}.", *([self.note] if self.note else [])]
        for r in self.rows[:20]:
            lines.append(f"{r.item}{'' if r.rater is None else f' by {r.rater}'}: {r.bits:.4f} bits expected")
        return "\n".join([*lines, *([f"... ({len(self):,} rows in total)"] if len(self) > 20 else [])])

    def _repr_html_(self) -> str:
        columns = self.to_columns()
        return html_table(list(columns), [[shown(x) for x in row] for row in zip(*columns.values(), strict=True)][:200])


@asks()
def next_labels(
    c: FittedModel,
    n: int = 100,
    *,
    ask: str = "item",
    who: Sequence[Any] | None = None,
    per_item: int = 1,
    share: float = 0.95,
    settled: float = 0.99,
) -> NextLabels:
    """Choose the ``n`` labels that are expected to be most informative, at most ``per_item`` for each item.

    ``ask``: ``item`` (the default; by a rater of this crowd, drawn by past activity), ``pair`` (which rater should
    label which item; existing pairs are excluded), ``new`` (by a new rater with the crowd's average errors). ``who``:
    the raters who can be asked. ``per_item``: the most labels in this round. The stopping rule is a ``share`` of the
    items at ``settled`` or more. For ``pair``, each rater counts with the lower limit of their bits, so that a few
    lucky labels do not attract all requests.

    >>> import raters
    >>> found = next_labels(raters.consensus(raters.examples.demo()), n=3, ask="pair")
    >>> len(found), found.stop
    (3, False)
    """
    check_known("ask", ask, tuple(SCORERS))
    if not c.definition.likelihood and c.decided is None:
        raise UsageError(f"next_labels needs a model of raters and labels; this is {c.model!r}.")
    check_numbers(n=(n, 0), per_item=(per_item, 1))
    if not (0 <= share <= 1 and 0 <= settled <= 1):
        raise UsageError(f"share={share}, settled={settled}: use shares between 0 and 1, such as 0.95 and 0.99.")
    done = float(np.mean(np.nan_to_num(c.certainty) >= settled))
    rule = f"stop when {share:.0%} of the items are settled at {settled:g}"
    rows = _best(c, n, ask, who, per_item)
    return NextLabels(tuple(rows), done, done >= share, rule, hard_ones(c, settled) or as_published(c))


def label_next(c: FittedModel, n: int = 100) -> NextLabels:
    """The list that a report shows and ``raters consensus --next`` writes: by the raters at hand, or by new ones where
    these add more. If the raters have labelled nearly everything, their remaining items say little about what is
    unsettled.

    >>> import raters
    >>> [row.item for row in label_next(raters.consensus(raters.examples.demo()), 2)]
    ['review 081', 'review 009']
    """
    return max((next_labels(c, n, ask=ask) for ask in ("pair", "new")), key=lambda some: sum(row.bits for row in some))


def _best(c: FittedModel, n: int, by: str, raters: Sequence[Any] | None, per_item: int) -> list[NextLabel]:
    who = _codes_of(c, raters) if raters is not None else np.arange(c.votes.n_raters)
    score = SCORERS[by](c, who, per_item)
    known = np.zeros(c.votes.n_items, bool) if c.gold is None else c.gold >= 0
    open_ = np.flatnonzero(~known)
    most = score.most(open_)
    order = np.argsort(-most, kind="stable")
    open_, most = open_[order], most[order]
    return [
        NextLabel(c.items[int(i)], None if j < 0 else c.raters[int(j)], float(b), float(c.certainty[int(i)]))
        for b, i, j in _searched(open_, most, score, n)
    ]


def _codes_of(c: FittedModel, raters: Sequence[Any]) -> Array:
    """Codes of these raters."""
    code = {name: j for j, name in enumerate(c.raters)}
    odd = [r for r in raters if r not in code]
    if odd:
        raise UsageError(f"no rater {odd[0]!r}; raters are {listed(c.raters)}.")
    if not len(raters):
        raise UsageError("who=[]: name the raters who can be asked, or omit who= to ask anyone.")
    return np.array([code[r] for r in raters])


def _searched(open_: Array, most: Array, score: Scorer, n: int) -> Array:
    """(candidate, 3): bits, item, and rater or -1."""
    found = np.empty((0, 3))
    new: list[Array] = []
    for i in range(0, len(open_), score.step):
        if sum(map(len, new)) >= len(found):  # sorted when there are twice as many: linear overall
            found, new = _in_order([found, *new], n), []
            if len(found) >= n and (n == 0 or found[n - 1, 0] >= most[i]):
                break
        new.append(score.rows(open_[i : i + score.step]))
    return _in_order([found, *new], n)


def _in_order(parts: list[Array], n: int) -> Array:
    """The ``n`` best candidates, best first."""
    found = np.concatenate(parts)
    return found[np.argsort(-found[:, 0], kind="stable")][:n]


@dataclass(frozen=True)
class Scorer:
    """How candidates are scored: ``rows`` (items to rows of bits, item, rater), ``most`` (their upper limit), and how
    many at a time.
    """

    rows: Callable[[Array], Array]
    most: Callable[[Array], Array]
    step: int


def _new(c: FittedModel, who: Array, per_item: int) -> Scorer:
    matrix, doubt = crowd(c), Doubt.of(c)

    def value(at: Array) -> Array:
        return np.asarray(expected_bits(doubt.q[at], matrix) * doubt.ease[at] + doubt.vote[at])

    return Scorer(lambda at: np.stack([value(at), at, np.full(len(at), -1)], -1), value, CELLS)


def _item(c: FittedModel, who: Array, per_item: int) -> Scorer:
    """Entropy is concave, so the mean entropy of raters' labels is at most the entropy of their mean label."""
    weight = c.votes.per_rater.sum(1)[who]
    weight = weight / max(weight.sum(), 1)
    theta = c.confusion[who]
    mean, known = np.tensordot(weight, theta, 1), weight @ bits(theta)  # (true, given), (true,)

    doubt = Doubt.of(c)

    def rows(at: Array) -> Array:
        value = expected_bits(doubt.q[at], theta) @ weight * doubt.ease[at] + doubt.vote[at]
        return np.stack([value, at, np.full(len(at), -1)], -1)

    def most(at: Array) -> Array:
        q, ease = doubt.q[at], doubt.ease[at]
        return np.asarray(np.minimum(bits(q @ mean) - q @ known, bits(q)) * ease + doubt.vote[at] + SLACK)

    return Scorer(rows, most, max(1, CELLS // max(theta.size, 1)))


def _pair(c: FittedModel, who: Array, per_item: int) -> Scorer:
    theta, doubt = careful(c)[who], Doubt.of(c)
    worth = mutual(theta, c.prevalence)
    worth = worth / max(worth.max(), 1e-12)  # votes are alike, but those of the better raters come first
    far = furthest(theta, c.prevalence)

    def most(at: Array) -> Array:
        q = doubt.q[at]
        return np.asarray(np.minimum(bits(q), (q @ far.T).min(1) + SLACK) * doubt.ease[at] + doubt.vote[at])

    def rows(at: Array) -> Array:
        value: Array = expected_bits(doubt.q[at], theta) * doubt.ease[at][:, None]  # (item, rater)
        value += doubt.vote[at][:, None] * worth
        v = c.votes.rows(at)
        given = np.zeros((len(at), c.votes.n_raters), bool)
        given[v.item_of, v.rater_of] = True
        value[given[:, who]] = -1
        one = per_item == 1
        top = value.argmax(1)[:, None] if one else np.argsort(-value, 1, kind="stable")[:, :per_item]
        table = np.stack([np.take_along_axis(value, top, 1), np.repeat(at[:, None], top.shape[1], 1), who[top]], -1)
        table = table.reshape(-1, 3)
        return table[table[:, 0] >= 0]

    return Scorer(rows, most, max(1, CELLS // max(theta.size, 1)))


COMMON, NEAR = 6, 0.9
"""Labels of which every two give a margin, and how near it is to the rows of the two."""


def furthest(theta: Array, prevalence: Array) -> Array:
    """(margin, true): how far a row of a rater's matrix is from a margin, in bits, for the rater with the furthest.

    The mean of these by an item's posterior is an upper limit of the bits of a label, whatever the margin: the item's own
    is nearer to all rows together (Topsøe 1967). Most items that are open are so between two labels, so there is a margin
    for each two.
    """
    usual = np.einsum("k,rkl->rl", prevalence, theta)
    pairs = combinations(np.argsort(-prevalence, kind="stable")[:COMMON].tolist(), 2)
    margins = [usual, *(NEAR * (theta[:, a] + theta[:, b]) / 2 + (1 - NEAR) * usual for a, b in pairs)]
    with np.errstate(divide="ignore", invalid="ignore"):
        each = [
            np.where(theta > 0, theta * np.log2(theta / np.maximum(m, 1e-300)[:, None]), 0.0).sum(-1).max(0)
            for m in margins
        ]
    return np.stack(each)


SCORERS: Mapping[str, Callable[[FittedModel, Array, int], Scorer]] = {
    "item": _item,
    "pair": _pair,
    "new": _new,
}
