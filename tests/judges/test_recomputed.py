"""Figures of judges against plain loops over the definitions, on random tables with gaps."""

from itertools import combinations

import numpy as np
import pytest
from scipy import stats

import raters


def table(seed, numbers):
    """(item, person) and (item,) codes, -1 where there is no label; and the rows that say the same."""
    r = np.random.default_rng(seed)
    n, k, people = int(r.integers(80, 200)), int(r.integers(2, 5)), int(r.integers(3, 6))
    truth = r.integers(0, k, n)

    def say(right, gaps):
        x = np.where(r.random(n) < right, truth, r.integers(0, k, n))
        return np.where(r.random(n) < gaps, -1, x)

    given = np.stack([say(r.uniform(0.5, 0.9), r.uniform(0, 0.4)) for _ in range(people)], 1)
    said = say(r.uniform(0.4, 0.9), 0.05)
    names = list(range(1, k + 1)) if numbers else list("abcd")[:k]
    rows = [(f"i{i}", f"p{j}", names[given[i, j]]) for i in range(n) for j in range(people) if given[i, j] >= 0]
    return given, said, k, rows, [(f"i{i}", "m", names[said[i]]) for i in range(n) if said[i] >= 0]


def kappa(a, b, k):
    both = (a >= 0) & (b >= 0)
    a, b = a[both], b[both]
    chance = sum((a == c).mean() * (b == c).mean() for c in range(k))
    return len(a), ((a == b).mean() - chance) / (1 - chance)


def others_of(given, said, j):
    """item, labels of the other people, where person, model and another person have labelled it."""
    for i in range(len(given)):
        rest = [x for q, x in enumerate(given[i]) if q != j and x >= 0]
        if rest and given[i, j] >= 0 and said[i] >= 0:
            yield i, np.array(rest)


def alt_test(given, said, numbers, epsilon):
    p, wins = [], []
    for j in range(given.shape[1]):
        gaps, own = [], []
        for i, rest in others_of(given, said, j):
            if numbers:
                model, person = (-np.sqrt(np.mean((rest - x) ** 2)) for x in (said[i], given[i, j]))
                model = person if abs(model - person) < 1e-12 else model
            else:
                model, person = (rest == said[i]).sum(), (rest == given[i, j]).sum()
            gaps.append(float(person >= model) - float(model >= person))
            own.append(float(model >= person))
        if len(gaps) >= 30:
            p.append(stats.ttest_1samp(gaps, epsilon, alternative="less").pvalue)
            wins.append(np.mean(own))
    return (stats.false_discovery_control(p, method="by") <= 0.05).mean(), np.mean(wins)


def leave_one_out(given, said, k, numbers):
    found = []
    for j in range(given.shape[1]):
        x, y, z = [], [], []
        for i, rest in others_of(given, said, j):
            votes = np.bincount(rest, minlength=k)
            if not numbers and (votes == votes.max()).sum() > 1:
                continue
            x.append(given[i, j]), y.append(said[i]), z.append(rest.mean() if numbers else votes.argmax())
        x, y, z = map(np.array, (x, y, z))
        found.append([np.corrcoef(w, z)[0, 1] if numbers else kappa(w, z, k)[1] for w in (y, x)])
    return np.mean(found, 0)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("numbers", [False, True])
def test_agreement_and_the_test(seed, numbers):
    given, said, k, people, model = table(seed, numbers)
    (r,) = raters.judge(
        raters.read(people, scale="interval" if numbers else "nominal"),
        raters.read(model, scale="interval" if numbers else "nominal"),
        epsilon=0.15,
        interval=None,
    )
    rate, advantage = alt_test(given, said, numbers, 0.15)
    assert [r["winning_rate"].value, r["advantage"].value] == pytest.approx([rate, advantage], abs=1e-9)
    pairs = [kappa(given[:, a], given[:, b], k) for a, b in combinations(range(given.shape[1]), 2)]
    own = [kappa(said, given[:, j], k) for j in range(given.shape[1])]
    mean = lambda found: sum(n * x for n, x in found if n >= 30) / sum(n for n, _ in found if n >= 30)  # noqa: E731
    assert r["kappa"].value == pytest.approx(mean(own), abs=1e-9)
    assert r["kappa_gap"].value == pytest.approx(mean(own) - mean(pairs), abs=1e-9)
    machine, person = leave_one_out(given, said, k, numbers)
    assert r["leave_one_out"].value == pytest.approx(machine, abs=1e-9)
    assert r["leave_one_out_people"].value == pytest.approx(person, abs=1e-9)
