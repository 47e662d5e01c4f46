"""The fit: components from several starts, their evidence from held-out items, the mixture, and the row of the registry."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from raters.errors import DataError
from raters.models.base.fit import FittedModel, Mixture
from raters.models.base.probabilities import Params, expected_counts
from raters.models.base.settled_vote import Variety, variety
from raters.models.base.votes import Votes
from raters.models.choosing import copies, folds
from raters.models.choosing.cells import Cells
from raters.models.choosing.component import Before, Component
from raters.models.choosing.graded import Graded
from raters.models.choosing.latent import CENTRE
from raters.models.choosing.mace import Mace
from raters.models.choosing.matrix import Matrix, OneCoin
from raters.models.choosing.mixture import PLAIN, Answer, answer, base, chance, plain, weights
from raters.models.choosing.strength import strength
from raters.models.families import hierarchical
from raters.models.families.registry import UNNAMED, too_large
from raters.models.families.spec import Settings, Task, prior_counts, prior_items
from raters.models.fitting.em import Progress

Array = NDArray[Any]
NAME = "stacked"
KINDS: tuple[type[Component], ...] = (OneCoin, Mace, Matrix, Graded)
STEPS = 50
"""Steps of a component from each start."""
MOST = 60_000
"""With more labels than this, strengths and weights come from a part of the items with half as many ..."""
STEPS_OF_ALL = 10
"""... and one start of each component takes so many steps with all of them, or as many as gain ..."""
CLOSE = 1e-3
"""... so many nats an item."""
MOST_NUMBERS = 4_000_000
"""With more labels of cells than this, components that have a number for each of them are left out."""
MOST_GRADED = 500_000
"""With more labels than this, the order of the labels is not used: every item has a number for each place."""
LEAST = 1e-12
"""What the evidence of an end counts at least beside that of the other ends of its component."""


@dataclass(frozen=True)
class Fit:
    """The ends of the components, what they say of their items, and how much each of them counts."""

    cells: Cells
    ends: list[Component]
    weights: Array
    """(plain model or end,)"""
    logs: Array
    """(plain model or end, item): log evidence of the items, each held out."""
    chance: float
    gain: float
    """Over the vote, in nats for each label."""

    def answer(self) -> Answer:
        """What the mixture says of the items that it was fitted to."""
        said = [*plain(self.cells, habits(self.cells), variety(self.cells.counts)), *(x.judged() for x in self.ends)]
        said = [replace(x, log=log) for x, log in zip(said, self.logs, strict=True)]
        return answer(self.cells, said, self.weights, self.chance, base(self.cells.counts.sum(0)))


def fitted(
    c: Cells, before: Before, kinds: Sequence[type[Component]], pairs: copies.Pairs | None, progress: Progress | None
) -> Fit:
    """All components from all starts. The ends of one component are averaged by their evidence."""
    ends = [run(kind(c, *start, before), progress) for kind in kinds for start in starts(c, pairs)[: kind.most_starts]]
    logs = held_out(c, ends, progress)
    share, rows = np.ones(len(logs)), [[m] for m in range(len(PLAIN))]
    for kind in kinds:
        rows.append([i for i, x in enumerate(ends, len(PLAIN)) if isinstance(x, kind)])
        total = logs[rows[-1]].sum(1)
        share[rows[-1]] = np.maximum(np.exp(total - np.logaddexp.reduce(total)), LEAST)
    models = np.stack([np.logaddexp.reduce(np.log(share[at])[:, None] + logs[at], 0) for at in rows])
    w = weights(models[:, c.active])
    mixed = np.logaddexp.reduce(np.log(w)[:, None] + models, 0)
    for weight, at in zip(w, rows, strict=True):
        share[at] *= weight
    gain = float((mixed - logs[list(PLAIN).index("vote")])[c.active].sum() / c.weight.sum())
    return Fit(c, ends, share, logs, chance(models[:, c.active], w), gain)


def starts(c: Cells, pairs: copies.Pairs | None) -> list[tuple[Array, Array]]:
    """Beliefs (item, label) and skills (rater,): by shares of the votes, by votes weighted by skills, by gold."""
    shares = (c.counts + 0.5 * c.margin) / (c.counts.sum(1, keepdims=True) + 0.5)
    made = [(shares, np.full(c.n_raters, 0.5))]
    if pairs is not None:
        skill = copies.skills(pairs, c.over_raters(c.weight))
        made = [(shares, np.full(c.n_raters, max(float(skill.mean()), 0.1))), (copies.weighted_votes(c, skill), skill)]
    if (c.gold >= 0).any():
        skill = copies.by_gold(c)
        made.append((copies.weighted_votes(c, skill), skill))
    return made


def run(end: Component, progress: Progress | None, steps: int = STEPS, close: float = 0.0) -> Component:
    """So many steps, or until one gains less than ``close``."""
    before = -np.inf
    for n in range(steps):
        log = end.step()
        if progress is not None:
            progress(end.name, n + 1, log)
        if 0 <= log - before < close:
            break
        before = log
    return end


def held_out(c: Cells, ends: Sequence[Component], progress: Progress | None) -> Array:
    """(plain model or end, item): log evidence of the items of each fold, from the others."""
    fold, alike = folds.dealt(c)
    logs = np.zeros((len(PLAIN) + len(ends), c.n_items))
    for f in range(folds.FOLDS):
        out = fold == f
        test, rest = c.rows(out), c.rows(~out)
        said = plain(test, habits(rest), variety(rest.counts[~out]))
        said += [end.of_others(test, end.without(out, folds.STEPS)) for end in ends]
        logs[:, out] = np.stack([x.log for x in said])[:, out]
        if progress is not None:
            progress("held-out items", f + 1, float(logs.sum()))
    return folds.shared_evidence(logs, alike)


def of_part(c: Cells, before: Before, kinds: Sequence[type[Component]], part: Array, progress: Progress | None) -> Fit:
    """A large table: strengths, starts and weights come from a part of its items."""
    small = c.taken(part)
    fit = fitted(small, before, kinds, copies.Pairs.of(small), progress)
    own = list(zip(fit.ends, fit.weights[len(PLAIN) :], strict=True))
    alike = [[(x, w) for x, w in own if isinstance(x, kind)] for kind in kinds]
    best = [max(some, key=lambda one: one[1])[0] for some in alike]
    ends = [run(x.for_all(c), progress, STEPS_OF_ALL, CLOSE * c.n_items) for x in best]
    w = np.array([*fit.weights[: len(PLAIN)], *(sum(w for _, w in some) for some in alike)])
    said = [*plain(c, habits(c), variety(c.counts)), *(x.judged() for x in ends)]
    return replace(fit, cells=c, ends=ends, weights=w, logs=np.stack([x.log for x in said]))


def some_items(c: Cells) -> Array:
    """Items with about half of ``MOST`` labels, whatever their names and order."""
    order = np.argsort(folds.mixed(1 + 7 * folds.keys(c)), kind="stable")
    n = int(np.searchsorted(np.cumsum(np.bincount(c.item, minlength=c.n_items)[order]), MOST // 2))
    return np.sort(order[: max(n, 1)])


def habits(c: Cells) -> Array:
    """(rater, label): how often a rater gives each label, pulled to the margin as far as raters are alike."""
    counts = c.over_codes(c.weight)
    shape = counts + strength(counts, c.margin, CENTRE) * c.margin
    return np.asarray(shape / shape.sum(1, keepdims=True))


def stacked(votes: Votes, gold: Array | None, settings: Settings, progress: Progress | None = None) -> FittedModel:
    """The mixture fitted to a table of labels."""
    given = Cells.of(votes, gold)
    pairs = copies.Pairs.of(given)
    copied = copies.copied(given, pairs)
    cells = given.weighted(copied.weight)
    items = prior_items(settings)
    before = Before(prior_counts(votes, settings), 0.0 if items is None else items, settings.uniform)
    kinds = kinds_for(votes)
    part = np.zeros(0, int) if len(cells.item) <= MOST else some_items(cells)
    fit = of_part(cells, before, kinds, part, progress) if len(part) else fitted(cells, before, kinds, pairs, progress)
    found = fit.answer()
    names = (*PLAIN, *(kind.name for kind in kinds))
    of = np.array([[x == name for name in names] for x in (*PLAIN, *(x.name for x in fit.ends))], float)  # (row, model)
    mixture = Mixture(
        names,
        fit.weights @ of,
        found.shares @ of,
        found.ease,
        found.wins,
        fit.chance,
        fit.gain,
        len(part),
        copied.pairs,
    )
    return FittedModel(
        NAME,
        votes,
        found.truth,
        parameters(votes, fit, found.truth),
        reason="fitted from two starts",
        gold=gold,
        settings=settings,
        mixture=mixture,
    )


def kinds_for(votes: Votes) -> tuple[type[Component], ...]:
    """The components that can be afforded: all but MACE have numbers for each label of each cell."""
    k, n = votes.n_labels, votes.n_annotations
    out: set[type[Component]] = {OneCoin, Matrix} if k * min(n, MOST) > MOST_NUMBERS else set()
    out |= {Matrix} if too_large(votes) else set()
    out |= set() if (votes.ordered or k == 2) and n <= MOST_GRADED else {Graded}
    return tuple(kind for kind in KINDS if kind not in out)


def parameters(votes: Votes, fit: Fit, truth: Array) -> dict[str, Array]:
    """All that is needed to judge other items, and a matrix for each rater that sums it up."""
    c, known = fit.cells, variety(fit.cells.counts)
    made = {
        "prevalence": truth[c.active].mean(0),
        "margin": c.margin,
        "base": base(c.counts.sum(0)),
        "weights": fit.weights,
        "chance": np.array(fit.chance),
        "habit": habits(c),
        "vote.alpha": known.alpha,
        "vote.weight": known.weight,
    }
    for s, end in enumerate(fit.ends):
        made |= {f"{end.name}.{s}.{name}": x for name, x in end.known().items()}
    if not too_large(votes):
        made["crowd"] = crowd_of(fit)
        made["counts"] = made["crowd"] + expected_counts(votes, truth)
    return made


def crowd_of(fit: Fit) -> Array:
    """(true, given): what each rater's matrix is drawn around, as so many labels."""
    own = sorted(zip(fit.weights[len(PLAIN) :], range(len(fit.ends)), fit.ends, strict=True), reverse=True)
    for _, _, end in own:
        if isinstance(end, Matrix):
            return np.asarray(end.strength[:, None] * end.known()["crowd"])
    return np.asarray(CENTRE * next(x for _, _, x in own if isinstance(x, Mace)).known()["crowd"])


def cells(params: Params, votes: Votes) -> Array:
    """(cell, true label): log probability of each label by the rater's matrix, or where these would be too large by what
    MACE says of the rater."""
    if "counts" in params:
        return hierarchical.cells(params, votes)
    known = next(x for kind, x in ends_of(params) if kind is Mace)
    trust, habit = known["trust"][votes.rater_of], known["habit"]
    made = np.repeat(((1 - trust) * habit[votes.rater_of, votes.label_of])[:, None], votes.n_labels, 1)
    made[np.arange(len(made)), votes.label_of] += trust
    return np.asarray(np.log(np.maximum(made, 1e-12)))


def ends_of(params: Params) -> list[tuple[type[Component], dict[str, Array]]]:
    """The ends of components, and what they know."""
    made = []
    for s in range(len(params["weights"]) - len(PLAIN)):
        for kind in KINDS:
            head = f"{kind.name}.{s}."
            if known := {name.removeprefix(head): x for name, x in params.items() if name.startswith(head)}:
                made.append((kind, known))
    if len(made) != len(params["weights"]) - len(PLAIN) or any(kind.of_rater.keys() - x.keys() for kind, x in made):
        raise DataError(
            "this fit was saved by an earlier version of raters, whose mixture was another: fit the labels again."
        )
    return made


def judged(task: Task, params: Params) -> tuple[Answer, float]:
    """What the mixture says of other items, and the log-likelihood of their labels."""
    votes = task.votes
    c = replace(Cells.of(votes, task.gold), margin=params["margin"])
    known = Variety(params["vote.alpha"], params["vote.weight"], c.counts.sum(0), votes.n_items)
    said = [*plain(c, params["habit"], known), *(kind.of_others(c, x) for kind, x in ends_of(params))]
    logs = np.log(params["weights"])[:, None] + np.stack([x.log for x in said])
    found = answer(c, said, params["weights"], float(params["chance"]), params["base"])
    return found, float(np.logaddexp.reduce(logs, 0).sum())


def expect(task: Task, params: Params) -> tuple[Array, float]:
    """(item, label) posteriors of other items, and the log-likelihood of their labels."""
    found, total = judged(task, params)
    return found.truth, total


def of_others(c: FittedModel, votes: Votes, params: Params) -> FittedModel:
    """The same mixture for other votes, with these parameters of their raters."""
    found, total = judged(Task.of(votes, None, c.settings), params)
    assert c.mixture is not None
    names = [*PLAIN, *(kind.name for kind, _ in ends_of(params))]
    of = np.array([[x == name for name in c.mixture.models] for x in names], float)
    mixture = replace(c.mixture, shares=found.shares @ of, ease=found.ease, wins=found.wins)
    said = FittedModel(NAME, votes, found.truth, params, log_likelihoods=(total,), reason="predicted, not fitted")
    return replace(said, settings=c.settings, mixture=mixture)


def by_matrices(c: FittedModel) -> FittedModel:
    """The raters' matrices that sum up a mixture, as a model whose parameters can be drawn; any other fit as it is."""
    if c.mixture is None or "counts" not in c.params:
        return c
    names = ("prevalence", "crowd", "counts")
    return replace(c, model=hierarchical.MODEL.name, params={n: c.params[n] for n in names}, mixture=None)


OF_RATER = {
    f"{kind.name}.{s}.{name}": stand and f"{kind.name}.{s}.{stand}"
    for kind in KINDS
    for s in range(3 * len(KINDS))
    for name, stand in kind.of_rater.items()
}
STAND_INS = {"counts": "crowd", "habit": "margin", **{name: x for name, x in OF_RATER.items() if x}}
MODEL = replace(
    hierarchical.MODEL,
    name=NAME,
    title="Stacked models",
    rater="a habit, a rate and a matrix, weighted by held-out items",
    reference="Yao, Vehtari, Simpson & Gelman (2018), Bayesian Analysis 13(3), 917-1007",
    expect=expect,
    cells=cells,
    by_rater=("counts", "habit", *OF_RATER),
    stand_ins=STAND_INS,
    bootstrap_holds=None,
    least_labels=5,
)
UNNAMED[NAME] = MODEL
