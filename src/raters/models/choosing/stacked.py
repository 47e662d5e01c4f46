"""The fit: components from two starts, their evidence from held-out items, the mixture, and the row of the registry."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from raters.models.base.fit import FittedModel, Mixture
from raters.models.base.probabilities import Params, expected_counts
from raters.models.base.settled_vote import Variety, variety
from raters.models.base.votes import Votes
from raters.models.choosing import copies, folds
from raters.models.choosing.cells import Cells
from raters.models.choosing.component import CENTRE, Before, Component, named
from raters.models.choosing.graded import Graded
from raters.models.choosing.mace import Mace
from raters.models.choosing.matrices import DawidSkene, OneCoin
from raters.models.choosing.mixture import (
    PLAIN,
    Answer,
    Said,
    answer,
    base,
    by_habit,
    by_vote,
    chance,
    of_plain,
    said_by,
    weights,
)
from raters.models.choosing.strength import strength
from raters.models.families import hierarchical
from raters.models.families.registry import UNNAMED, too_large
from raters.models.families.spec import Settings, Task, prior_counts, prior_items
from raters.models.fitting.em import Progress

Array = NDArray[Any]
NAME = "stacked"
COMPONENTS: tuple[type[Component], ...] = (OneCoin, Mace, DawidSkene, Graded)
STEPS = 50
"""Steps of a component from each start."""
MOST = 60_000
"""With more labels than this, strengths and weights come from a part of the items with half as many ..."""
STEPS_OF_ALL = 10
"""... and one start of each component takes so many steps with all of them."""


MOST_NUMBERS = 4_000_000
"""With more labels of cells than this, components that have a number for each of them are left out."""
MOST_GRADED = 500_000
"""With more labels than this, the order of the labels is not used: every label has a number for each place."""


class Fit:
    """The components of a table, their evidence, and their weights."""

    def __init__(self, cells: Cells, before: Before, kinds: tuple[type[Component], ...], pairs: copies.Pairs | None):
        c = self.cells = cells
        shares = (c.counts + 0.5 * c.margin) / (c.counts.sum(1, keepdims=True) + 0.5)
        starts = [(shares, np.full(c.n_raters, 0.5))]
        if pairs is not None:
            skill = copies.skills(pairs, c.over_raters(c.weight))
            starts = [
                (shares, np.full(c.n_raters, max(float(skill.mean()), 0.1))),
                (copies.weighted_votes(c, skill), skill),
            ]
        if (c.gold >= 0).any():
            skill = copies.by_gold(c)
            starts.append((copies.weighted_votes(c, skill), skill))
        self.kinds = kinds
        self.ends = [[kind(c, *start, before).run(STEPS) for start in starts] for kind in kinds]
        self.logs, self.starts = self.held_out()
        self.weights = weights(self.logs[:, c_active(c)])
        self.chance = chance(self.logs[:, c_active(c)], self.weights)
        mixed = np.logaddexp.reduce(np.log(self.weights)[:, None] + self.logs, 0)
        self.gain = float((mixed - self.logs[PLAIN.index("vote")])[c_active(c)].sum() / c.weight.sum())

    def held_out(self) -> tuple[Array, list[Array]]:
        """(model, item) log evidence of held-out items, and how much each start of a component counts."""
        c = self.cells
        fold, alike = folds.dealt(c)
        plain = np.zeros((2, c.n_items))
        ends = np.zeros((len(self.kinds), len(self.ends[0]), c.n_items))
        for f in range(folds.FOLDS):
            out = fold == f
            test, rest = c.rows(out), c.rows(~out)
            plain[:, out] = plain_logs(test, habits(rest), variety(rest.counts[~out]))[:, out]
            for at, kind in enumerate(self.kinds):
                for s, end in enumerate(self.ends[at]):
                    known = end.without(out).run(folds.STEPS, learning=False).known()
                    ends[at, s, out] = kind.of_others(test, known).log[out]
        plain, ends = folds.shared_evidence(plain, alike), folds.shared_evidence(ends, alike)
        total = ends.sum(2)
        starts = [np.exp(x - np.logaddexp.reduce(x)) for x in total]
        mixed = [
            np.logaddexp.reduce(np.log(np.maximum(w, 1e-300))[:, None] + x, 0)
            for w, x in zip(starts, ends, strict=True)
        ]
        self.of_ends = ends
        return np.concatenate([[x.log for x in of_plain(c, plain, None)], mixed]), starts

    def said(self) -> list[Said]:
        """What all models say of the items that they were fitted to, each without its own labels."""
        made = of_plain(self.cells, self.logs[: len(PLAIN)], None)
        made = [replace(x, log=log) for x, log in zip(made, self.logs, strict=False)]
        for kind, ends, starts, logs in zip(self.kinds, self.ends, self.starts, self.of_ends, strict=True):
            made.append(said_by(kind, [e.judged for e in ends], logs, [e.known() for e in ends], starts))
        return made


def some_items(c: Cells) -> Array:
    """Items with about half of ``MOST`` labels, whatever their names and order."""
    order = np.argsort(folds.mixed(1 + 7 * folds.keys(c)), kind="stable")
    return np.sort(
        order[: max(int(np.searchsorted(np.cumsum(np.bincount(c.item, minlength=c.n_items)[order]), MOST // 2)), 1)]
    )


class WholeOfPart(Fit):
    """The components of a large table: strengths, starts and weights come from a part of its items."""

    def __init__(self, cells: Cells, before: Before, kinds: tuple[type[Component], ...], part: Array):
        small = cells.taken(part)
        fit = Fit(small, before, kinds, copies.Pairs.of(small))
        self.cells, self.kinds = cells, kinds
        self.weights, self.chance, self.gain = fit.weights, fit.chance, fit.gain
        self.starts = [np.ones(1)] * len(kinds)
        self.ends, logs = [], []
        for kind, ends, starts in zip(kinds, fit.ends, fit.starts, strict=True):
            best = ends[int(np.argmax(starts))]
            first = kind.of_others(cells, best.known())
            end = kind.like(best, cells, named(first, best.known())).run(STEPS_OF_ALL, learning=False)
            self.ends.append([end])
            logs.append(end.judged.log)
        plain = plain_logs(cells, habits(cells), variety(cells.counts))
        self.of_ends = np.stack(logs)[:, None]
        self.logs = np.concatenate([[x.log for x in of_plain(cells, plain, None)], logs])


def c_active(c: Cells) -> Array:
    return np.bincount(c.item, minlength=c.n_items) > 0


def habits(c: Cells) -> Array:
    """(rater, label): how often a rater gives each label, pulled to the margin as far as raters are alike."""
    counts = c.over_codes(c.weight)
    shape = counts + strength(counts, c.margin, CENTRE) * c.margin
    return np.asarray(shape / shape.sum(1, keepdims=True))


def plain_logs(c: Cells, habit: Array, votes: Variety) -> Array:
    return np.stack([by_habit(c, habit), by_vote(c.counts, votes)])


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
    fit: Fit = Fit(cells, before, kinds, pairs) if not len(part) else WholeOfPart(cells, before, kinds, part)
    found = answer(cells, fit.said(), fit.weights, fit.chance, base(cells.counts.sum(0)))
    names = (*PLAIN, *(kind.name for kind in kinds))
    mixture = Mixture(
        names, fit.weights, found.shares, found.ease, found.wins, fit.chance, fit.gain, len(part), copied.pairs
    )
    return FittedModel(
        NAME,
        votes,
        found.truth,
        parameters(votes, fit, found.truth, copied),
        reason="fitted from two starts",
        gold=gold,
        settings=settings,
        mixture=mixture,
    )


def kinds_for(votes: Votes) -> tuple[type[Component], ...]:
    """The components that can be afforded: all but MACE have numbers for each label of each cell."""
    k, n = votes.n_labels, votes.n_annotations
    out: set[type[Component]] = {OneCoin, DawidSkene} if k * min(n, MOST) > MOST_NUMBERS else set()
    out |= {DawidSkene} if too_large(votes) else set()
    out |= set() if votes.ordered and k > 2 and n <= MOST_GRADED else {Graded}
    return tuple(kind for kind in COMPONENTS if kind not in out)


def parameters(votes: Votes, fit: Fit, truth: Array, copied: copies.Copied) -> dict[str, Array]:
    """All that is needed to judge other items: the arrays of each component (of each rater (rater, start, ...), of the
    crowd (start, ...)), and a matrix for each rater that sums them up."""
    c = fit.cells
    known = variety(c.counts)
    made = {
        "prevalence": truth[c_active(c)].mean(0),
        "margin": c.margin,
        "base": base(c.counts.sum(0)),
        "weights": fit.weights,
        "chance": np.array(fit.chance),
        "habit": habits(c),
        "vote.alpha": known.alpha,
        "vote.weight": known.weight,
    }
    for kind, ends, starts in zip(fit.kinds, fit.ends, fit.starts, strict=True):
        all_known = [end.known() for end in ends]
        made[f"{kind.name}.starts"] = starts
        for name in all_known[0]:
            axis = 1 if name in kind.of_rater else 0
            made[f"{kind.name}.{name}"] = np.stack([x[name] for x in all_known], axis)
    if not too_large(votes):
        made["crowd"] = crowd_of(fit)
        made["counts"] = made["crowd"] + expected_counts(votes, truth)
    return made


def crowd_of(fit: Fit) -> Array:
    """(true, given): what each rater's matrix is drawn around, as so many labels."""
    kind = DawidSkene if DawidSkene in fit.kinds else Mace
    at = fit.kinds.index(kind)
    end = fit.ends[at][int(np.argmax(fit.starts[at]))]
    strengths = end.strength[:, None] if kind is DawidSkene else CENTRE
    return np.asarray(strengths * kind.crowd(end.known()))


def cells(params: Params, votes: Votes) -> Array:
    """(cell, true label): log probability of each label by the rater's matrix, or where these would be too large by what
    MACE says of the rater."""
    if "counts" in params:
        return hierarchical.cells(params, votes)
    trust, habit = params["mace.trust"].mean(1)[votes.rater_of], params["mace.habit"].mean(1)
    made = np.repeat(((1 - trust) * habit[votes.rater_of, votes.label_of])[:, None], votes.n_labels, 1)
    made[np.arange(len(made)), votes.label_of] += trust
    return np.asarray(np.log(np.maximum(made, 1e-12)))


def judged(task: Task, params: Params) -> tuple[Answer, float]:
    """What the mixture says of other items, and the log-likelihood of their labels."""
    votes = task.votes
    c = replace(Cells.of(votes, task.gold), margin=params["margin"])
    known = Variety(params["vote.alpha"], params["vote.weight"], c.counts.sum(0), votes.n_items)
    said = of_plain(c, plain_logs(c, params["habit"], known), known)
    for kind in kinds_in(params):
        starts = params[f"{kind.name}.starts"]
        ends = [unpacked(params, kind, s) for s in range(len(starts))]
        each = [kind.of_others(c, x) for x in ends]
        said.append(said_by(kind, each, np.stack([x.log for x in each]), ends, starts))
    found = answer(c, said, params["weights"], float(params["chance"]), params["base"])
    logs = np.logaddexp.reduce(np.log(params["weights"])[:, None] + np.stack([x.log for x in said]), 0)
    return found, float(logs.sum())


def kinds_in(params: Params) -> list[type[Component]]:
    return [kind for kind in COMPONENTS if f"{kind.name}.starts" in params]


def expect(task: Task, params: Params) -> tuple[Array, float]:
    """(item, label) posteriors of other items, and the log-likelihood of their labels."""
    found, total = judged(task, params)
    return found.truth, total


def of_others(c: FittedModel, votes: Votes, params: Params) -> FittedModel:
    """The same mixture for other votes, with these parameters of their raters."""
    found, total = judged(Task.of(votes, None, c.settings), params)
    assert c.mixture is not None
    mixture = replace(c.mixture, shares=found.shares, ease=found.ease, wins=found.wins)
    said = FittedModel(NAME, votes, found.truth, params, log_likelihoods=(total,), reason="predicted, not fitted")
    return replace(said, settings=c.settings, mixture=mixture)


def by_matrices(c: FittedModel) -> FittedModel:
    """The raters' matrices that sum up a mixture, as a model whose parameters can be drawn; any other fit as it is."""
    if c.mixture is None or "counts" not in c.params:
        return c
    names = ("prevalence", "crowd", "counts")
    return replace(c, model=hierarchical.MODEL.name, params={n: c.params[n] for n in names}, mixture=None)


def unpacked(params: Mapping[str, Array], kind: type[Component], start: int) -> dict[str, Array]:
    """The arrays of one end of a component."""
    head = f"{kind.name}."
    names = [name.removeprefix(head) for name in params if name.startswith(head)]
    return {
        n: params[head + n][:, start] if n in kind.of_rater else params[head + n][start] for n in names if n != "starts"
    }


BY_RATER = ("counts", "habit", *(f"{kind.name}.{name}" for kind in COMPONENTS for name in kind.of_rater))
STAND_INS = {
    "counts": "crowd",
    "habit": "margin",
    **{f"{kind.name}.habit": f"{kind.name}.crowd_habit" for kind in COMPONENTS},
    "one_coin.right": "one_coin.crowd_right",
    "mace.trust": "mace.crowd_trust",
    "dawid_skene.matrix": "dawid_skene.crowd_matrix",
    "graded.kinds": "graded.crowd_kinds",
}
MODEL = replace(
    hierarchical.MODEL,
    name=NAME,
    title="Stacked models",
    rater="a habit, a rate and a matrix, weighted by held-out items",
    reference="Yao, Vehtari, Simpson & Gelman (2018), Bayesian Analysis 13(3), 917-1007",
    expect=expect,
    cells=cells,
    by_rater=BY_RATER,
    stand_ins=STAND_INS,
    bootstrap_holds=None,
    least_labels=5,
)
UNNAMED[NAME] = MODEL
