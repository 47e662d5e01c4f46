"""How many labels does it save to ask for the most informative one? Simulated; the figures are in docs/models.md.

    python benchmarks/saving.py [--runs 5]

Crowds of 12 raters (right 45 to 95 times in 100, 3 labels) label 300 items, two labels each to begin with. Then
batches of 50 labels are asked for: at random, by item (a random rater), or by (item, rater) pair; the model is brought
up to date after each batch. Counted: labels until 95 % of the items have the right label.
"""

from __future__ import annotations

import argparse
import sys

import numpy as np

from raters.models import consensus
from raters.models.base.votes import Votes
from raters.models.follow_up.next_labels import next_labels
from raters.models.result import Consensus
from raters.models.saved import update

ITEMS, CROWD, LABELS, BATCH, GOAL = 300, 12, 3, 50, 0.95


def ask(policy: str, c: Consensus, given: np.ndarray, rng: np.random.Generator) -> list[tuple[int, int]]:
    """The next batch of (item, rater) pairs."""
    if policy == "random":
        free = np.argwhere(~given)
        return [(int(i), int(j)) for i, j in free[rng.permutation(len(free))[:BATCH]]]
    if policy == "pair":
        return divided([(row.item, row.rater) for row in next_labels(c, ITEMS * CROWD, ask="pair", per_item=CROWD)])
    found = next_labels(c, ITEMS, ask="item")
    open_ = [(row.item, np.flatnonzero(~given[row.item])) for row in found]
    return [(item, int(rng.choice(free))) for item, free in open_ if len(free)][:BATCH]


def divided(best: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """A batch of the best pairs, one for each item, and no more for each rater than twice their share."""
    asked, load = dict[int, int](), np.zeros(CROWD, int)
    for item, rater in best:
        if item not in asked and load[rater] < -(-BATCH // CROWD) * 2 and len(asked) < BATCH:
            asked[item] = rater
            load[rater] += 1
    return list(asked.items())


def labels_needed(policy: str, seed: int) -> int:
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, LABELS, ITEMS)
    skill = rng.uniform(0.45, 0.95, CROWD)
    wrong = (truth[:, None] + rng.integers(1, LABELS, (ITEMS, CROWD))) % LABELS
    answers = np.where(rng.random((ITEMS, CROWD)) < skill, truth[:, None], wrong)
    given = np.zeros((ITEMS, CROWD), bool)
    pairs = [(i, int(j)) for i in range(ITEMS) for j in rng.choice(CROWD, 2, replace=False)]
    c = None
    while True:
        i, j = np.array(pairs).T
        given[i, j] = True
        new = Votes.of_codes(i, j, answers[i, j], labels=range(LABELS), items=range(ITEMS), raters=range(CROWD))
        c = consensus(new, "one_coin", start="votes") if c is None else update(c, new)
        if np.mean(c.codes == truth) >= GOAL or given.all():
            return int(given.sum())
        pairs = ask(policy, c, given, rng)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=5)
    runs = parser.parse_args().runs
    for policy in ("random", "item", "pair"):
        needed = [labels_needed(policy, seed) for seed in range(runs)]
        sys.stdout.write(f"{policy:<7} {np.mean(needed):6.0f} labels (from {min(needed)} to {max(needed)})\n")


if __name__ == "__main__":
    main()
