"""How often contrasts and ranks of `raters rank` hold: raters who differ. python benchmarks/rank.py [studies]."""

from __future__ import annotations

import sys

import numpy as np

import raters

STRENGTHS = (0.8, 0.3, 0.0, -1.1)


def study(rng: np.random.Generator, n_raters: int, votes: int, spread: float) -> list[dict[str, object]]:
    """Votes of raters whose strengths vary around the common ones."""
    own, made = rng.normal(0, spread, (n_raters, 4)), []
    for i in range(votes):
        a, b = rng.choice(4, 2, replace=False)
        r = int(rng.integers(n_raters))
        d = STRENGTHS[a] + own[r, a] - STRENGTHS[b] - own[r, b]
        p = np.exp([d / 2, -d / 2, -0.5])
        won = ("first", "second", "tie")[rng.choice(3, p=p / p.sum())]
        made.append({"item": i // 2, "rater": r, "a": f"s{a}", "b": f"s{b}", "winner": won})
    return made


if __name__ == "__main__":
    studies = int(sys.argv[1]) if len(sys.argv) > 1 else 400
    for n_raters, votes, spread in ((10, 400, 0.5), (10, 400, 0.0), (40, 400, 0.5), (20, 800, 1.0)):
        # what many raters like these would show: raters who differ pull strengths of the crowd together
        many = raters.rank(study(np.random.default_rng(10**6), 3000, 60_000, spread))
        truth = {e.name: e.value for e in many}
        inside, ranks = [], 0
        for seed in range(studies):
            found = raters.rank(study(np.random.default_rng(seed), n_raters, votes, spread))
            for e in found.contrasts:
                a, b = (truth[s] for s in e.name.split(" - "))
                inside.append(e.low <= a - b <= e.high)
            rows = {e.name: e.details for e in found}
            ranks += all(rows[f"s{i}"]["rank_low"] <= i + 1 <= rows[f"s{i}"]["rank_high"] for i in range(4))
        sys.stdout.write(
            f"{n_raters} raters, {votes} votes, spread {spread}: contrasts cover {np.mean(inside):.3f}, all ranks right in"
            f" {ranks / studies:.3f} of {studies}\n"
        )
        sys.stdout.flush()
