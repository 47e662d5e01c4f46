"""Crowds on which ``model="auto"`` is measured, and the tables that benchmarks/consensus.py writes of them.

Simulated crowds of 17 kinds, further kinds for which nothing was chosen (HELD_OUT), and with a folder further crowds and real tables
(designs.SIM and real.REAL: name -> (seed -> item, rater, label, labels, truth, _), seeds).
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np
from environments import python_of
from numpy.typing import NDArray

from raters.models import consensus
from raters.models.base.votes import Votes
from raters.models.choosing import copies, folds, graded, latent, mace, matrix, mixture, stacked
from raters.models.choosing.cells import Cells
from raters.models.choosing.component import Component
from raters.models.families.spec import Settings
from raters.models.fitting.fit import fit

Array = NDArray[Any]
GROUPS = ("our own crowds", "crowds from elsewhere", "real tables")
Table = tuple[Votes, Array]
Tables = dict[str, list[Table]]


def crowd(
    seed: int,
    n: int = 300,
    raters: int = 25,
    each: int = 5,
    k: int = 3,
    right: tuple[float, float] = (0.6, 0.95),
    turned: float = 0.0,
    copying: int = 0,
    guessing: float = 0.0,
    hard: float = 0.0,
    rare: float = 0.0,
    experts: int = 0,
    tiring: bool = False,
) -> Table:
    """Raters right between two rates; some turn labels round, copy the first, know (.97), or guess by a habit of their
    own; all may tire until they guess at the last item."""
    g = np.random.default_rng(7_000 + seed)
    truth = (g.random(n) < rare).astype(int) if rare else g.integers(0, k, n)
    skill = np.where(np.arange(raters) < experts, 0.97, g.uniform(*right, raters))
    tired, guess = tiring * np.arange(n) / n, np.arange(raters)[::-1] < guessing * raters
    habit = g.dirichlet(np.full(k, 0.5), raters)
    difficult = g.random(n) < hard
    full = np.empty((n, raters), int)
    for j in range(raters):
        sure = g.random(n) < np.where(difficult, 1 / k, skill[j] + tired * (1 / k - skill[j]))
        full[:, j] = np.where(sure, truth, (truth + g.integers(1, max(k, 2), n)) % k)
        if j < turned * raters:
            full[:, j] = (full[:, j] + 1) % k
        if guess[j]:
            full[:, j] = g.choice(k, n, p=habit[j])
        if 0 < j <= copying:
            full[:, j] = np.where(g.random(n) < 0.95, full[:, 0], full[:, j])
    item, rater = np.repeat(np.arange(n), each), np.concatenate([g.permutation(raters)[:each] for _ in range(n)])
    return Votes.of_codes(item, rater, full[item, rater], labels=range(k), items=range(n), raters=range(raters)), truth


def on_a_line(
    seed: int,
    cuts: tuple[float, ...],
    n: int = 300,
    raters: int = 20,
    each: int = 5,
    spacing: float = 0.0,
    own: float = 0.0,
    shift: float = 0.4,
    two: bool = False,
    drift: float = 0.0,
) -> Table:
    """Items have a place on a line, or are of two kinds; each rater shifts the cuts, spreads them (``spacing``), moves each (``own``), or shifts them
    further with every item (``drift``)."""
    g = np.random.default_rng(8_000 + seed)
    place, at = g.normal(size=n), np.array(cuts)
    place = np.where(g.random(n) < 0.5, 0.4 * place - 1.2, 0.5 * place + 1) if two else place
    mine = at * np.exp(spacing * g.normal(size=(raters, 1))) + g.normal(0, shift, (raters, 1))
    mine, blur = np.sort(mine + own * g.normal(size=mine.shape), 1), g.uniform(0.3, 0.9, raters)
    item, rater = np.repeat(np.arange(n), each), np.concatenate([g.permutation(raters)[:each] for _ in range(n)])
    seen = (
        place[item] + blur[rater] * g.normal(size=len(item)) + drift * (item / n - 0.5) * g.normal(size=raters)[rater]
    )
    label, k = (seen[:, None] > mine[rater]).sum(1), len(cuts) + 1
    votes = Votes.of_codes(item, rater, label, labels=range(k), items=range(n), raters=range(raters))
    return replace(votes, ordered=k > 2), (place[:, None] > at).sum(1)


DESIGNS: dict[str, Callable[[int], Table]] = {
    "dense": lambda s: crowd(s, 150, 10, 10, 4),
    "three labels each, 60 raters": lambda s: crowd(s, 400, 60, 3, 3),
    "a third turns labels round": lambda s: crowd(s, k=2, turned=0.34, right=(0.75, 0.95)),
    "four copy one": lambda s: crowd(s, 200, 12, 12, 3, right=(0.7, 0.75), copying=4),
    "half guess by habit": lambda s: crowd(s, k=4, guessing=0.5),
    "a quarter of the items divides": lambda s: crowd(s, k=2, hard=0.25),
    "a label on 2 % of the items": lambda s: crowd(s, 500, k=2, rare=0.02, right=(0.9, 0.99)),
    "thirty labels": lambda s: crowd(s, 300, 25, 4, 30, right=(0.5, 0.9)),
    "three raters who label everything": lambda s: crowd(s, 200, 3, 3, 3),
    "five experts, twenty novices": lambda s: crowd(s, right=(0.4, 0.6), experts=5),
    "raters who tire": lambda s: crowd(s, k=4, tiring=True),
    "two labels, lines drawn elsewhere": lambda s: on_a_line(s, (0.6,)),
    "five ordered labels": lambda s: on_a_line(s, (-1.2, -0.4, 0.4, 1.2)),
    "seven ordered labels, three each": lambda s: on_a_line(s, (-1.6, -1.0, -0.4, 0.2, 0.8, 1.4), each=3),
    "five ordered labels, lines spread": lambda s: on_a_line(s, (-1.2, -0.4, 0.4, 1.2), spacing=0.4),
    "five ordered labels, each line elsewhere": lambda s: on_a_line(s, (-1.2, -0.4, 0.4, 1.2), own=0.3),
    "noise": lambda s: crowd(s, 60, 5, 5, 2, guessing=1.0),
}


FIVE = (-1.2, -0.4, 0.4, 1.2)
HELD_OUT: dict[str, Callable[[int], Table]] = {
    "five labels, unequal, confused in pairs": lambda s: uneven(s, k=5, shares=(0.4, 0.25, 0.2, 0.1, 0.05), near=0.5),
    "twenty labels": lambda s: uneven(s, 400, each=(4, 4), k=20, near=0.5),
    "a label on 15 %": lambda s: uneven(s, k=2, shares=(0.85, 0.15), right=(0.65, 0.95)),
    "teams of 3 to 7 label batches": lambda s: uneven(s, raters=40, k=4, teams=12),
    "one to eight labels an item": lambda s: uneven(s, each=(1, 8)),
    "spammers of one label, .4": lambda s: uneven(s, k=4, spam=0.4),
    "spammers of one label, .6": lambda s: uneven(s, each=(7, 7), spam=0.6),
    "each half knows half of the items": lambda s: uneven(s, each=(6, 6), sides=True),
    "most raters have 1 to 3 labels": lambda s: uneven(s, raters=150, each=(3, 3), tail=1.2),
    "the same, two labels": lambda s: uneven(s, raters=150, each=(3, 3), k=2, tail=1.2),
    "weak raters, two labels": lambda s: uneven(s, raters=30, k=2, right=(0.4, 0.7)),
    "two labels each, good raters": lambda s: uneven(s, 200, 10, (2, 2), right=(0.9, 0.99)),
    "12 items by 3 raters": lambda s: uneven(s, 12, 3, (3, 3), 2, (0.7, 0.95)),
    "20 items by 4 raters": lambda s: uneven(s, 20, 4, (4, 4), 3, (0.6, 0.95)),
    "noise, three labels, 100 x 5": lambda s: uneven(s, 100, 5, right=(0, 0)),
    "ordered: each line far elsewhere": lambda s: on_a_line(s, FIVE, own=0.5),
    "ordered: severe and mild raters": lambda s: on_a_line(s, FIVE, shift=0.8),
    "ordered: the same, 60 raters, 3 labels": lambda s: on_a_line(s, FIVE, raters=60, each=3, shift=0.8),
    "ordered: items of two kinds": lambda s: on_a_line(s, FIVE, own=0.2, two=True),
    "ordered: raters drift": lambda s: on_a_line(s, FIVE, drift=1.0),
    "ordered: three labels": lambda s: on_a_line(s, (-0.6, 0.9), own=0.3),
    "ordered: two raters": lambda s: on_a_line(s, FIVE, raters=2, each=2),
}
"""Kinds of crowds for which nothing was chosen."""


def uneven(
    seed: int,
    n: int = 300,
    raters: int = 25,
    each: tuple[int, int] = (5, 5),
    k: int = 3,
    right: tuple[float, float] = (0.55, 0.95),
    shares: Sequence[float] | None = None,
    tail: float = 0.0,
    teams: int = 0,
    spam: float = 0.0,
    sides: bool = False,
    near: float = 0.0,
) -> Table:
    """Few raters give most labels (``tail``); teams label batches; spammers favour one label each; each half of the raters knows half of the items;
    errors go to one other label (``near``)."""
    g = np.random.default_rng(31_000 + seed)
    truth, skill = g.choice(k, n, p=shares), g.uniform(*right, raters)
    spammer, favourite, other = g.random(raters) < spam, g.integers(0, k, raters), g.permutation(k)
    weight = 1 / np.arange(1, raters + 1) ** tail
    team = [g.choice(raters, int(g.integers(3, 8)), replace=False) for _ in range(teams)]
    rows = []
    for i in range(n):
        some = (
            team[i * teams // n]
            if teams
            else g.choice(raters, int(g.integers(each[0], each[1] + 1)), False, weight / weight.sum())
        )
        for j in some:
            sure = (0.95 if j % 2 == i % 2 else 0.45) if sides else skill[j]
            guess = other[truth[i]] if g.random() < near else g.integers(0, k)
            label = truth[i] if g.random() < sure else guess
            rows.append((i, j, favourite[j] if spammer[j] and g.random() < 0.8 else label))
    item, who, label = np.array(rows).T
    return Votes.of_codes(item, who, label, labels=range(k), items=range(n), raters=range(raters)), truth


@contextmanager
def changed(where: Any, name: str, value: Any) -> Iterator[None]:
    """A name that has another value, in every module of the mechanism that has it."""
    before = getattr(where, name)
    has = [
        where,
        *(
            x
            for x in (copies, folds, graded, latent, mace, matrix, mixture, stacked)
            if getattr(x, name, None) is before
        ),
    ]
    for one in has:
        setattr(one, name, value)
    try:
        yield
    finally:
        for one in has:
            setattr(one, name, before)


def without(kind: type[Component]) -> Any:
    return changed(stacked, "KINDS", tuple(x for x in stacked.KINDS if x is not kind))


def no_vote() -> Any:
    return changed(mixture, "by_vote", lambda counts, _: np.full(len(counts), -1e3))


def no_ease() -> Any:
    return changed(latent, "EASE", np.ones(3))


@contextmanager
def neither() -> Iterator[None]:
    with no_vote(), no_ease():
        yield


def lists() -> dict[str, Callable[[], Any]]:
    """Each row of the ablation."""
    one = Cells.weighted
    return {
        "all parts": lambda: changed(stacked, "STEPS", stacked.STEPS),
        "no ease": no_ease,
        "neither ease nor vote": neither,
        "no one-coin": lambda: without(stacked.OneCoin),
        "no Dawid-Skene": lambda: without(stacked.Matrix),
        "no places on a line": lambda: without(stacked.Graded),
        "no MACE": lambda: without(stacked.Mace),
        "no vote": no_vote,
        "copies count in full": lambda: changed(
            Cells, "weighted", lambda cells, weight: one(cells, np.ones(len(weight)))
        ),
        "no chance check": lambda: changed(stacked, "chance", lambda logs, w: 0.0),
        "prevalence not pulled": lambda: changed(latent, "PULL", 0.0),
        "neither copies nor a second start": lambda: changed(copies.Pairs, "of", staticmethod(lambda cells: None)),
    }


CONSTANTS = (
    (latent, "EASY", "shares of items that are hard at the start (.1, .1)"),
    (latent, "CENTRE", "labels by which raters are alike before the data (12)"),
    (latent, "OF_ROWS", "the same for rows of matrices (6)"),
    (latent, "PULL", "items of the margin in the prevalence (.5)"),
    (matrix, "PSEUDO", "labels in each cell of the crowd's matrix (2)"),
    (latent, "LOW", "how alike raters are in the first steps (1)"),
    (graded, "SHIFT", "how far raters on a line are severe before the data (.5)"),
    (graded, "OWN", "how far they draw each line elsewhere (.2)"),
    (graded, "IMAGINED", "raters for which that counts (4)"),
    (mixture, "TILT", "lean to the votes if all is chance (.05)"),
    (mixture, "PRICE", "nats that must be gained over habits (2)"),
    (copies, "LEAST_SHARED", "items that pairs must share (20)"),
    (folds, "FOLDS", "folds (5)"),
    (stacked, "STEPS", "steps (50)"),
)


def lists_of(folder: str) -> tuple[Any, Any]:
    """Name -> (draw, number of draws): further crowds, and real tables."""
    sys.path.insert(0, folder)
    from designs import SIM  # type: ignore[import-not-found]
    from real import REAL  # type: ignore[import-not-found]

    return SIM, REAL


def given(folder: str, draws: int) -> list[Tables]:
    """Further crowds, and real tables."""
    both = lists_of(folder)
    return [{name: [drawn(draw, s) for s in range(min(n, draws))] for name, (draw, n) in x.items()} for x in both]


def drawn(draw: Callable[[int], Any], seed: int) -> Table:
    item, rater, label, k, truth, _ = draw(seed)
    _, at = np.unique(np.asarray(item) * (1 + int(max(rater))) + rater, return_index=True)
    sizes = {"labels": range(k), "items": range(len(truth)), "raters": range(1 + int(max(rater)))}
    return Votes.of_codes(*(np.asarray(x)[at] for x in (item, rater, label)), **sizes), np.asarray(truth)


BINS = ((0.6, 0.8), (0.8, 0.95), (0.95, 0.99), (0.99, 1.01))
FEW = 300
"""Labels in a bin below which nothing is said."""


def of_draws(tables: Tables) -> list[str]:
    """Each crowd with all draws: how probable labels are stated to be, and how often they are right."""
    lines = [
        "| crowd or table (draws) | accuracy | above the vote (least) | log score | stated minus right at .6 to .8 | .8 to .95 | .95 to .99 | .99 and more |",
        "|---" * 8 + "|",
    ]
    every, gains = [], []
    for name, some in tables.items():
        rows, found = [], []
        for votes, truth in some:
            q, i = consensus(votes).posterior, np.arange(len(truth))
            top = votes.counts == votes.counts.max(1, keepdims=True)
            right, vote = q.argmax(1) == truth, (top[i, truth] / top.sum(1)).mean()
            rows.append((right.mean(), right.mean() - vote, np.log(np.maximum(q[i, truth], 1e-4)).mean()))
            found.append(np.stack([q.max(1), right]))
        each, mean = np.array(rows), np.mean(rows, 0)
        gains.append(mean)
        every += [] if name.startswith("noise") else found
        bins = " | ".join(in_bins(np.concatenate(found, 1)))
        lines.append(
            f"| {name} ({len(some)}) | {mean[0]:.3f} | {mean[1]:+.3f} ({each[:, 1].min():+.3f}) | {mean[2]:.3f} | {bins} |"
        )
    mean, bins = np.mean(gains, 0), " | ".join(in_bins(np.concatenate(every, 1)))
    return [*lines, f"| all | {mean[0]:.3f} | {mean[1]:+.4f} | {mean[2]:.4f} | {bins} |"]


def in_bins(found: Array) -> list[str]:
    """Stated minus right, for each bin with enough labels."""
    inside = [found[:, (found[0] >= low) & (found[0] < high)] for low, high in BINS]
    return [f"{(x[0] - x[1]).mean():+.3f} of {x.shape[1]:,}" if x.shape[1] >= FEW else "" for x in inside]


def of_stability(sim: Mapping[str, Any], real: Mapping[str, Any]) -> list[str]:
    """One label in a hundred left out, three times in each draw; how much of a rare label is settled; and the time of large tables."""
    lines = [
        "| 1 % left out, three times (draws) | accuracy moves by at most | labels that change, at most |",
        "|---|---|---|",
    ]
    for name, (draw, n) in (("k2", sim["k2"]), ("rte", real["rte"]), ("rte_3", real["rte_3"])):
        moved, changed = [0.0], [0.0]
        for seed in range(min(n, 3)):
            votes, truth = drawn(draw, seed)
            whole = consensus(votes).codes
            for again in range(3):
                keep = np.random.default_rng(again).random(len(votes.item_of)) >= 0.01
                part = consensus(votes.kept(votes.table.data * keep)).codes
                moved.append(abs(float((part == truth).mean() - (whole == truth).mean())))
                changed.append(float((part != whole).mean()))
        lines.append(f"| {name} ({min(n, 3)}) | {max(moved):.3f} | {max(changed):.1%} |")
    draw, n = sim["rare"]
    settled = [float((consensus(drawn(draw, s)[0]).certainty >= 0.99).mean()) for s in range(n)]
    lines += [
        "",
        f"A label on 1 % of the items, {n} draws: {min(settled):.2f} to {max(settled):.2f} of the items are settled.",
        "",
    ]
    sizes = {"RTE": drawn(real["rte"][0], 0)[0], "1,000 items x 3 by 200 raters": drawn(sim["k2"][0], 0)[0]}
    sizes |= {f"{5 * n:,} labels, 400 raters": crowd(0, n, 400, 5, 4)[0] for n in (43_000, 200_000)}
    took = []
    for name, votes in sizes.items():
        start = time.process_time()
        consensus(votes)
        took.append(f"{name} {time.process_time() - start:.1f}")
    return [*lines, f"CPU seconds of a fit: {', '.join(took)}."]


Score = tuple[float, float, float]


def scored(tables: Tables, answer: Callable[[Votes], Array]) -> dict[str, Score]:
    """Design -> accuracy, log score, stated minus right at .8 and more."""
    made = {}
    for name, some in tables.items():
        rows = []
        for votes, truth in some:
            q = answer(votes)
            top, sure = q.argmax(1), q.max(1) >= 0.8
            over = float((q.max(1) - (top == truth))[sure].mean()) if sure.any() else np.nan
            rows.append(((top == truth).mean(), np.log(np.maximum(q[np.arange(len(q)), truth], 1e-4)).mean(), over))
        made[name] = tuple(np.nanmean(np.array(rows), 0))
    return made


def means(groups: list[Tables]) -> str:
    """Accuracy and log score of each group of tables, and over all how far too much is stated."""
    found = [scored({n: some for n, some in tables.items() if not n.startswith("noise")}, auto) for tables in groups]
    each = [np.array(list(one.values())) for one in found]
    cells = [f"{x[:, 0].mean():.4f}, {x[:, 1].mean():.4f}" for x in each]
    return " | ".join([*cells, f"{np.nanmean(np.concatenate(each)[:, 2]):+.3f}"])


def auto(votes: Votes) -> Array:
    return stacked.stacked(votes, None, Settings()).posterior


def vote(votes: Votes) -> Array:
    shares = votes.counts == votes.counts.max(1, keepdims=True)
    return np.asarray(0.999 * shares / shares.sum(1, keepdims=True) + 0.001 / votes.n_labels)


def named(model: str) -> Callable[[Votes], Array]:
    return lambda votes: fit(votes, model, start="votes").posterior


LIMIT = 300
"""Seconds for all tables of a peer's model."""
PEER = """
import json, sys, numpy, pandas
from crowdkit.aggregation import DawidSkene, GLAD, MACE, OneCoinDawidSkene
kinds = {"DawidSkene": DawidSkene, "OneCoin": OneCoinDawidSkene, "MACE": MACE, "GLAD": GLAD}
made = []
for line in sys.stdin:
    got = json.loads(line)
    data = pandas.DataFrame({"task": got["item"], "worker": got["rater"], "label": got["label"]})
    q = kinds[sys.argv[1]]().fit_predict_proba(data).reindex(index=range(got["n"]), columns=range(got["k"])).fillna(0)
    print(json.dumps(q.to_numpy().tolist()), flush=True)
"""


def peer(model: str, tables: Tables) -> dict[str, Score] | None:
    """Crowd-kit on the same tables; None if its environment cannot be made."""
    asked = [
        json.dumps(
            {
                "item": v.item_of.tolist(),
                "rater": v.rater_of.tolist(),
                "label": v.label_of.tolist(),
                "n": v.n_items,
                "k": v.n_labels,
            }
        )
        for some in tables.values()
        for v, _ in some
    ]
    try:
        done = subprocess.run(
            [python_of("crowd-kit"), "-c", PEER, model],
            input="\n".join(asked),
            capture_output=True,
            text=True,
            check=True,
            timeout=LIMIT,
        )
    except (subprocess.SubprocessError, OSError) as error:
        sys.stderr.write(f"crowd-kit's {model}: {error}\n")
        return None
    answers = iter([np.array(json.loads(line)) for line in done.stdout.splitlines()])
    return scored(tables, lambda votes: next(answers))


def of_crowds(groups: list[Tables], peers: Sequence[str]) -> list[str]:
    """Each crowd and table, and the models of others."""
    tables = {name: some for group in groups for name, some in group.items()}
    start = time.process_time()
    full = scored(tables, auto)
    took = (time.process_time() - start) / sum(map(len, tables.values()))
    others = {"vote": scored(tables, vote)}
    others |= {f"crowd-kit's {m}": got for m in peers if (got := peer(m, tables)) is not None}
    if len(others) == 1:
        others |= {f"`{m}` as published": scored(tables, named(m)) for m in ("dawid_skene", "one_coin", "mace", "glad")}
    lines = [f"| accuracy, log score | `auto` | {' | '.join(others)} |", "|---" * (len(others) + 2) + "|"]
    for name in tables:
        cells = [f"{x[name][0]:.3f}, {x[name][1]:.3f}" for x in (full, *others.values())]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return [*lines, "", f"`auto` takes {took:.1f} CPU seconds on average."]


def of_parts(groups: list[Tables]) -> list[str]:
    """What is lost without each part."""
    lines = [*heading(groups, " | noise: stated")]
    for name, how in lists().items():
        with how():
            lines.append(f"| {name} | {means(groups)} | {stated(groups[0]['noise']):.2f} |")
    return lines


def of_constants(groups: list[Tables]) -> list[str]:
    """Constants at half and twice their value."""
    lines = [*heading(groups), f"| as they are | {means(groups)} |"]
    for where, name, what in CONSTANTS:
        for times in (0.5, 2):
            value = getattr(where, name) * times
            if name == "EASY":
                value = np.array([1 - value[1:].sum(), *value[1:]])
            with changed(where, name, int(value) if isinstance(getattr(where, name), int) else value):
                lines.append(f"| {what}, {'half' if times < 1 else 'twice'} | {means(groups)} |")
    return lines


def heading(groups: list[Tables], more: str = "") -> tuple[str, str]:
    of = [f"{name} ({sum(map(len, x.values()))})" for name, x in zip(GROUPS, groups, strict=False)]
    return f"| accuracy, log score | {' | '.join(of)} | overstated{more} |", "|---" * (len(of) + 2 + bool(more)) + "|"


def stated(some: list[Table]) -> float:
    return float(np.mean([auto(votes).max(1).mean() for votes, _ in some]))
