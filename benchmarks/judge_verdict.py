"""Null and power of the verdict of ``raters judge``: at most a margin worse than people.

    python benchmarks/judge_verdict.py [studies]

Three people label n items of which the truth has shares ``base``; a person is right with probability p, the judge with
f, and a wrong label is any of the others. f is solved so that one of the two gaps of kappa (with single people, with
the consensus of the others) is exactly minus the margin: there, "may stand in" is the error of the verdict, and so is
"should not". For power the judge is as good as people. Where people guess too (p = 1/k), no judge may stand in. ``flagged``: studies in which a judge who errs like people is
said to be worse on some class. Each share has a standard error of sqrt(share (1 - share) / studies).
"""

from __future__ import annotations

import sys
from collections import Counter
from dataclasses import replace
from itertools import product

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq

import raters
from raters.judges.by_class import by_class
from raters.judges.kappas import checked, with_people
from raters.judges.people_and_judges import Sides, sides
from raters.judges.verdict import MARGIN, Standing

Array = NDArray[np.float64]
RESAMPLES = 500
DESIGNS = ((0.85, (0.5, 0.5)), (0.95, (0.5, 0.5)), (0.85, (0.1, 0.45, 0.45)), (0.5, (0.5, 0.5)))


def says(right: float, k: int) -> Array:
    """(truth, label): how a rater labels."""
    return np.full((k, k), (1 - right) / (k - 1)) + np.eye(k) * (right - (1 - right) / (k - 1))


def kappa(joint: Array) -> float:
    joint = joint / joint.sum()
    chance = float(joint.sum(0) @ joint.sum(1))
    return float((np.trace(joint) - chance) / (1 - chance))


def gaps(f: float, p: float, base: Array) -> tuple[float, float]:
    """The true gaps, with single people and with the consensus of two others (who agree)."""
    k = len(base)
    judge, person = says(f, k), says(p, k)
    agree = person**2
    pairs, others = ((base[:, None] * one).T @ np.stack([judge, person]) for one in (person, agree))
    return tuple(kappa(x[0]) - kappa(x[1]) for x in (pairs, others))  # type: ignore[return-value]


def at_margin(which: int, p: float, base: Array) -> float:
    """How often a judge is right whose gap is minus the margin."""
    return float(brentq(lambda f: gaps(f, p, base)[which] + MARGIN, 0.5, p))


def table(n: int, k: int) -> Sides:
    """Three people and a judge with every label; the studies replace who said what."""
    rows = [(i, f"p{j}", "abc"[i % k]) for i in range(n) for j in range(3)]
    model = [(i, "m", "abc"[i % k]) for i in range(n)]
    return sides(raters.read(rows, scale="nominal"), raters.read(model, scale="nominal"))


def study(s: Sides, rng: np.random.Generator, p: float, f: float, base: Array, seed: int) -> Standing:
    n, k = len(s.items), len(base)
    truth = rng.choice(k, n, p=base)

    def say(right: float) -> NDArray[np.int64]:
        return np.where(rng.random(n) < right, truth, (truth + rng.integers(1, k, n)) % k)

    s = replace(s, given=np.stack([say(p) for _ in range(3)], 1), said=say(f)[:, None])
    spec = checked({"resamples": RESAMPLES, "seed": seed})
    found = with_people(s, None, spec, RESAMPLES)[0]
    deciding = tuple((found[name], "") for name in ("kappa_gap", "leave_one_out_gap"))
    return Standing(MARGIN, 0.95, deciding, (), by_class(s, 0, MARGIN, spec, 0), found["kappa_people"])


def share(outcomes: Counter[str], *ends: str) -> float:
    return sum(outcomes[end] for end in ends) / outcomes.total()


def main(studies: int) -> None:
    sys.stdout.write("n     p    shares       judge             may stand in  should not  flagged\n")
    for (p, shares), n in product(DESIGNS, (10, 30, 100, 300, 1000)):
        base, made = np.array(shares), table(n, len(shares))
        cases = {"gap with people": at_margin(0, p, base), "gap with others": at_margin(1, p, base)} if p > 0.5 else {}
        cases["like people"] = p
        for name, f in cases.items():
            rng = np.random.default_rng([n, int(100 * p), len(shares)])
            found = [study(made, rng, p, f, base, seed) for seed in range(studies)]
            ends = Counter(str(x.outcome) for x in found)
            flagged = np.mean([bool(x.worse) for x in found])
            sys.stdout.write(
                f"{n:<5} {p:<4} {'/'.join(map(str, shares)):<12} {name:<17} {share(ends, 'yes', 'yes, with a gap'):.3f}"
                f"         {share(ends, 'no'):.3f}       {flagged:.3f}\n"
            )
            sys.stdout.flush()


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1000)
