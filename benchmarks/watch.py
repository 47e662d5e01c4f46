"""False alarms and detections of `raters watch` in whole streams. python benchmarks/watch.py [streams]."""

from __future__ import annotations

import sys

import numpy as np

from raters.agree.watching import ALARM, evidence


def week(rng: np.random.Generator, n: int, alpha: float, prevalence: float) -> tuple[float, float]:
    """Nominal alpha of three raters of n items, and the sum of squared influence values."""
    spread = prevalence * (1 - prevalence) * max(alpha, 1e-6)
    a = prevalence * (prevalence * (1 - prevalence) / spread - 1) if alpha < 1 else 1e6
    p = rng.beta(a, a * (1 - prevalence) / prevalence, n)
    yes = rng.binomial(3, p)
    differ, total = yes * (3 - yes) / 3, yes.mean() / 3
    observed, scale = differ.mean(), 2 * 3 * n / (3 * n - 1)
    expected = scale * total * (1 - total)
    slope = (
        -differ / expected + observed * scale * (1 - 2 * total) * (yes / 3 - total) / expected**2 + observed / expected
    )
    return 1 - observed / expected, float((slope - slope.mean()).var() * n)


def stream(rng: np.random.Generator, n: int, alpha: float, prevalence: float, vary: float = 0.0, fall: float = 0.0, start: int = 10**6, weeks: int = 56, first: int = 100) -> float:  # fmt: skip
    """The look of the first alarm; infinity if there is none. Four baseline weeks of ``first`` items each."""
    found = []
    for w in range(weeks):
        size = first if w < 4 else n
        level = np.clip(alpha + rng.normal(0, vary) - fall * (w - 4 >= start), 0.02, 0.98)
        found.append((*week(rng, size, level, prevalence), size))
    value, squares, sizes = np.array(found).T
    e = evidence(value, squares, sizes, 4)
    return float(np.argmax(e >= ALARM)) if (e >= ALARM).any() else np.inf


if __name__ == "__main__":
    streams = int(sys.argv[1]) if len(sys.argv) > 1 else 400
    for n, alpha, prevalence, vary in ((20, 0.6, 0.5, 0.0), (50, 0.4, 0.3, 0.0), (100, 0.6, 0.5, 0.0), (100, 0.8, 0.1, 0.0), (200, 0.6, 0.2, 0.0),
                                       (100, 0.6, 0.5, 0.03), (200, 0.6, 0.5, 0.03), (100, 0.6, 0.5, 0.06)):  # fmt: skip
        alarms = [
            stream(np.random.default_rng((seed, n)), n, alpha, prevalence, vary, first=n) < np.inf
            for seed in range(streams)
        ]
        sys.stdout.write(
            f"no fall: {n} a week, alpha {alpha}, prevalence {prevalence}, weeks vary {vary}: {np.mean(alarms):.3f} of {streams}\n"
        )
        sys.stdout.flush()
    for n, fall, start in ((100, 0.1, 14), (50, 0.1, 14)):
        looks = np.array(
            [stream(np.random.default_rng(seed), n, 0.6, 0.5, 0.0, fall, start) - start for seed in range(streams // 2)]
        )
        found = looks[np.isfinite(looks) & (looks >= 0)]
        sys.stdout.write(
            f"a fall of {fall} at look {start}, {n} a week: found {len(found) / len(looks):.3f}, median {np.median(found) + 1:.0f} weeks\n"
        )
        sys.stdout.flush()
