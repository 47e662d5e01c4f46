"""Where the default interval fails it says so at the point of use; what it costs; nulls of differences."""

import numpy as np
import pytest
from scipy import stats
from small_studies import ALL_AGREE, PLAIN, table, two_raters

import raters
from raters.agree.agreement_spec import request
from raters.agree.comparing import difference_of
from raters.agree.estimating import estimate
from raters.reliability.krr import resampling


def test_no_true_value_of_percent_agreement_is_held_in_less_than_85_of_100_studies():
    """Two labels by two raters, 20 items: every number of disagreements has its interval, and its probability."""
    req, n = request("percent", resamples=20_000), 20
    found = [estimate(req, two_raters((n - d + 1) // 2, d, (n - d) // 2), PLAIN) for d in range(n + 1)]
    for apart in np.arange(0.002, 0.5, 0.002):
        holds = sum(
            stats.binom.pmf(d, n, apart)
            for d, e in enumerate(found)
            if e.low <= 1 - apart + 1e-9 and 1 - apart <= e.high
        )
        assert holds >= 0.85


def test_raters_who_never_differ_are_told_what_their_lower_limit_leaves_out():
    e = raters.agreement(table(ALL_AGREE))
    assert e.high == 1 and 0.84 < e.low < 0.89
    assert any("one study in 8 would still show no disagreement" in w for w in e.warnings)
    assert not any("one study in 8" in w for w in raters.agreement(table([*ALL_AGREE, ["a", "b"]])).warnings)
    assert not any("one study in 8" in w for w in raters.agreement(table(ALL_AGREE), interval="delta").warnings)


def _numbers(rng, n, lognormal):
    z = rng.standard_normal((n, 1))
    item = np.exp(0.8 * z) if lognormal else z
    return raters.read(3 * item + rng.standard_normal((n, 3)), layout="wide", scale="interval")


@pytest.mark.parametrize(
    "ask", [raters.agreement, lambda t: raters.krr(t, k=3), lambda t: raters.icc(t)["ICC(1)"], raters.ccc]
)
def test_skewed_numbers_are_warned_of_and_normal_ones_are_not(ask):
    rng = np.random.default_rng(1)
    said = [
        [any("values are skewed" in w for w in ask(_numbers(rng, 60, long)).warnings) for _ in range(6)]
        for long in (True, False)
    ]
    assert sum(said[0]) >= 4 and not any(said[1])


def test_the_limit_moves_outwards_on_the_side_of_the_long_tail():
    """Beside Student's t on the same scale: never inwards, and upwards for items with a long tail."""
    rng = np.random.default_rng(3)
    for long in (False, True):
        e = raters.agreement(_numbers(rng, 40, long))
        z = np.log((1 + 2 * e.value) / (1 - e.value))
        down, up = (abs(np.log((1 + 2 * x) / (1 - x)) - z) for x in (e.low, e.high))
        assert e.interval == "stabilised" and (up > 1.1 * down if long else up < 1.4 * down)


def test_few_clusters_are_warned_of_between_pools_and_of_sets():
    rng = np.random.default_rng(5)
    rows = {"item": [], "rater": [], "label": [], "document": []}
    for i in range(40):
        for j in range(6):
            label = "ab"[int(rng.random() < 0.5)] if rng.random() < 0.3 else "ab"[i % 2]
            for name, cell in zip(rows, (f"q{i}", f"r{j}", label, f"d{i // 5}"), strict=True):
                rows[name].append(cell)
    pool = ["x" if r < "r3" else "y" for r in rows["rater"]]
    x = raters.xrr(raters.read(rows | {"pool": pool}, scale="nominal"), pool="pool", cluster="document", resamples=100)
    assert any("8 clusters are few" in w for w in x.kappa_x.warnings)
    sets = rows | {"label": [[k] for k in rows["label"]]}
    found = raters.multilabel(raters.read(sets, scale="sets"), cluster="document", resamples=100)
    assert any("8 clusters are few" in w for w in found["boot_match"].warnings)
    many = rows | {"document": [f"d{int(i[1:]) % 25}" for i in rows["item"]]}
    x = raters.xrr(raters.read(many | {"pool": pool}, scale="nominal"), pool="pool", cluster="document", resamples=100)
    assert any("fewer than 200 clusters" in w for w in x.kappa_x.warnings)


def test_pools_of_many_numbers_say_that_their_interval_is_the_bootstrap():
    rng = np.random.default_rng(6)
    seen = rng.standard_normal((40, 1)) + rng.standard_normal((40, 4))
    rows = [(f"q{i}", f"{'ab'[j // 2]}{j}", float(x)) for (i, j), x in np.ndenumerate(seen)]
    x, y = (raters.read([row for row in rows if row[1][0] == w], scale="interval") for w in "ab")
    found = raters.xrr(x, y, resamples=100)
    assert any("fewer than 200 items" in w for w in found.kappa_x.warnings)


@pytest.mark.parametrize("margin", [0.5, 0.1])
def test_a_difference_on_the_same_items_is_found_where_there_is_none_about_as_often_as_stated(margin):
    """20 items; 400 studies a design are in docs/coverage.md, 5 % on the mean."""
    rng, p = np.random.default_rng(7), []
    req = request("krippendorff", resamples=200)
    for _ in range(100):
        common, own = rng.random((20, 1)) < margin, rng.random((20, 4)) < margin
        seen = np.where(rng.random((20, 4)) < np.sqrt(0.6), common, own).astype(int)
        bags = [(half[:, :, None] == np.arange(2)).sum(1).astype(float) for half in (seen[:, :2], seen[:, 2:])]
        sides = [_items(bag) for bag in bags]
        p.append(difference_of((req, req), sides, (PLAIN, PLAIN), 20)[2])
    assert np.mean(np.array(p)[np.isfinite(p)] < 0.05) <= 0.1


def _items(bags):
    from scipy import sparse

    from raters.items import Items

    return Items(np.ones(len(bags)), sparse.csr_array(bags), ("no", "yes"), n_raters=2)


@pytest.mark.parametrize("labels", [2, 4])
def test_split_halves_draw_at_most_half_as_many_labels_again_for_their_interval(labels, monkeypatch):
    """The cost of kRR by split is that of drawing labels: counted, since times vary."""
    rng = np.random.default_rng(8)
    x = np.where(rng.random((40, 6)) < 0.7, rng.integers(0, labels, (40, 1)), rng.integers(0, labels, (40, 6)))
    drawn, plain = [], resampling.Bags.without

    def counted(self, m, draws, rng):
        drawn.append(draws * self.codes.size)
        return plain(self, m, draws, rng)

    monkeypatch.setattr(resampling.Bags, "without", counted)
    cost = {}
    for method in ("bootstrap", "auto"):
        drawn.clear()
        raters.krr(table(x), k=3, method="split", interval=method, resamples=100)
        cost[method] = sum(drawn)
    assert cost["bootstrap"] < cost["auto"] <= 1.6 * cost["bootstrap"]
