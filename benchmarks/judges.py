"""Do the intervals of ``raters.calibrate`` hold? The grid of section 13 at full size.

    python benchmarks/judges.py [studies]
    python benchmarks/judges.py three|means [studies]      one part
    python benchmarks/judges.py speed

Truth 0/1 with the prevalence; the judge is right with probability a whatever the truth; n human labels, 1,000 more
items with the judge's label. ``random``: the n are a random subset. ``shift``: the n are half positive, the others have
prevalence .1. Undefined counts as a miss. Means: five-point scores with a latent correlation.
"""

from __future__ import annotations

import sys
import time

import numpy as np

import raters
from raters.judges.means import powered_mean
from raters.judges.shares import corrected, jeffreys, poststratified

MANY, DRAWS = 1000, 1500


def shares(studies: int) -> None:
    sys.stdout.write("sample  n    a    p    poststratified  width   people  width | rogan-gladen" + "\n")
    for sample in ("random", "shift"):
        for n in (20, 50, 200):
            for a in (0.7, 0.9):
                for p in (0.1, 0.5) if sample == "random" else (0.1,):
                    sys.stdout.write(f"{sample:7} {n:<4} {a:<4} {p:<4} {one_cell(sample, n, a, p, studies)}" + "\n")


def one_cell(sample: str, n: int, a: float, p: float, studies: int) -> str:
    rng = np.random.default_rng([n, int(a * 10), int(p * 10)])
    hit, width = np.zeros(3), np.zeros(2)
    own = p if sample == "random" else 0.5
    for s in range(studies):
        if sample == "random":
            t = rng.multinomial(n, [own * a, (1 - own) * (1 - a), own * (1 - a), (1 - own) * a]).reshape(2, 2)
        else:
            tp, fp = rng.binomial(n // 2, [a, 1 - a])
            t = np.array([[tp, fp], [n // 2 - tp, n // 2 - fp]])
        positive = rng.binomial(MANY, p * a + (1 - p) * (1 - a))
        judged = np.array([positive, MANY - positive])
        fix = corrected(t, judged, draws=DRAWS, seed=s)
        hit[2] += fix.low[0] <= p <= fix.high[0]
        if sample == "random":
            post = poststratified(t, judged, draws=DRAWS, seed=s)
            low, high = jeffreys(t[:, 0].sum(), n)
            hit[:2] += [post.low[0] <= p <= post.high[0], low <= p <= high]
            width += [post.high[0] - post.low[0], float(high - low)]
    h, w = hit / studies, width / studies
    return f"{h[0]:.3f}           {w[0]:.3f}   {h[1]:.3f}   {w[1]:.3f} | {h[2]:.3f}"


def three_classes(studies: int) -> None:
    """Shares .7, .2, .1; a wrong label is either of the two others. Coverage by class."""
    p = np.array([0.7, 0.2, 0.1])
    sys.stdout.write(
        "K = 3   n    a    poststratified (width)                     people (width) | rogan-gladen" + "\n"
    )
    for n in (20, 50, 200):
        for a in (0.7, 0.9):
            rng = np.random.default_rng([n, int(a * 10), 3])
            c = np.full((3, 3), (1 - a) / 2) + np.eye(3) * (a - (1 - a) / 2)
            hit, width = np.zeros((3, 3)), np.zeros((2, 3))
            for s in range(studies):
                t = rng.multinomial(n, (c * p).ravel()).reshape(3, 3)
                judged = rng.multinomial(MANY, c @ p)
                post, fix = (f(t, judged, draws=DRAWS, seed=s) for f in (poststratified, corrected))
                low, high = jeffreys(t.sum(0), n)
                hit += [(x <= p) & (p <= y) for x, y in ((post.low, post.high), (low, high), (fix.low, fix.high))]
                width += [post.high - post.low, high - low]
            h, w = hit / studies, width / studies
            rows = ["  ".join(f"{x:.3f}" for x in row) for row in (*h, *w)]
            sys.stdout.write(f"        {n:<4} {a:<4} {rows[0]} ({rows[3]})  {rows[1]} ({rows[4]}) | {rows[2]}" + "\n")


def means(studies: int) -> None:
    sys.stdout.write("n    r    combined  width   people  width" + "\n")
    cuts = np.array([-1.2, -0.4, 0.4, 1.2])
    for n in (10, 20, 50, 200):
        for r in (0.3, 0.8):
            rng = np.random.default_rng([n, int(10 * r)])
            hit, width = np.zeros(2), np.zeros(2)
            for _ in range(studies):
                z = rng.standard_normal((n + MANY, 2))
                y, f = (1.0 + np.searchsorted(cuts, x) for x in (z[:, 0], r * z[:, 0] + np.sqrt(1 - r**2) * z[:, 1]))
                e = powered_mean(y[:n], f[:n], f[n:])
                hit += [e.low <= 3 <= e.high, e.human_low <= 3 <= e.human_high]
                width += [e.high - e.low, e.human_high - e.human_low]
            h, w = hit / studies, width / studies
            sys.stdout.write(f"{n:<4} {r:<4} {h[0]:.3f}     {w[0]:.3f}   {h[1]:.3f}   {w[1]:.3f}" + "\n")


def speed() -> None:
    """CPU seconds of ``raters.judge``: three people and ten judges, three labels; it should be linear in items."""
    for n in (25_000, 50_000, 100_000):
        rng = np.random.default_rng(0)
        truth = rng.integers(0, 3, n)
        tables = []
        for who, many, right in (("p", 3, 0.85), ("j", 10, 0.8)):
            said = np.where(rng.random((many, n)) < right, truth, rng.integers(0, 3, (many, n)))
            tables.append(
                {
                    "item": np.tile(np.arange(n), many),
                    "rater": np.repeat([f"{who}{i}" for i in range(many)], n),
                    "label": np.array(list("abc"))[said.ravel()],
                }
            )
        start = time.process_time()
        raters.judge(*tables)
        sys.stdout.write(f"{n:>7} items x 10 judges: {time.process_time() - start:.1f} CPU s" + "\n")


if __name__ == "__main__":
    if sys.argv[1:] == ["speed"]:
        speed()
        raise SystemExit
    parts = {"shares": shares, "three": three_classes, "means": means}
    named = [a for a in sys.argv[1:] if a in parts]
    numbers = [int(a) for a in sys.argv[1:] if a.isdigit()]
    for part in named or parts:
        parts[part](numbers[0] if numbers else 2000)
