"""Pools that replicate one another, wholly or in part: what normalised kappa_x tends to."""

import numpy as np

import raters


def test_a_perfect_replication_tends_to_one() -> None:
    """Section 3.5: the same process twice has kappa_x = IRR, and normalised kappa_x near 1 as items grow."""
    gaps = []
    for n in (100, 10_000):
        found = [abs(float(raters.xrr(*replicated(n, seed), interval=None).normalized) - 1) for seed in range(3)]
        gaps.append(np.mean(found))
    assert gaps[1] < 0.02 and gaps[1] < gaps[0]


def replicated(
    n: int, seed: int, noise: float = 0.0, cut: float = 0.0
) -> tuple[raters.Annotations, raters.Annotations]:
    """Two pools of three binary labels an item; ``noise`` is how far the pools' own view of an item differs."""
    rng = np.random.default_rng(seed)
    z = rng.normal(size=n)
    found = []
    for who in "xy":
        own = np.sqrt(1 - noise**2) * z + noise * rng.normal(size=n)
        p = 1 / (1 + np.exp(-3 * (own - cut)))
        label = (rng.random((n, 3)) < p[:, None]).astype(int)
        columns = {
            "item": np.repeat(np.arange(n), 3),
            "rater": np.tile([f"{who}{j}" for j in range(3)], n).astype(object),
        }
        found.append(raters.read(columns | {"label": label.ravel()}, scale="nominal", labels=[0, 1]))
    return found[0], found[1]


def test_normalised_kappa_goes_with_rho_as_in_figure_7() -> None:
    """93 dots in the paper at .99; here 24 tasks of unlike pools and prevalence, above .98."""
    rng = np.random.default_rng(0)
    dots = []
    for seed in range(24):
        result = raters.xrr(*replicated(1500, seed, rng.uniform(0, 0.95), rng.uniform(-1.2, 1.2)), interval=None)
        dots.append((float(result.normalized), float(result.rho)))
    a, b = np.array(dots).T
    assert np.corrcoef(a, b)[0, 1] > 0.98
    assert np.abs(a - b).max() < 0.1
