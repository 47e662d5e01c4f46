"""Intervals that hold in small studies: the imaginary item by quadrature, laws, degenerate cases, and coverage."""

import math

import numpy as np
import pytest
from scipy import stats
from small_studies import ALL_AGREE, PLAIN, rows_of, table, two_raters

import raters
from raters.agree.agreement_spec import request
from raters.agree.estimating import estimate, made, small_study, statistic
from raters.inference.differences import unpaired
from raters.inference.intervals import METHODS, IntervalSpec, Numbers, interval, method_title
from raters.inference.limits import NAMES
from raters.inference.prior_item import Posterior
from raters.inference.statistic import Linear, value_alone
from raters.scales import agreement_kernel, along, distance_kernel

# the base: what the imaginary item may show


@pytest.mark.parametrize("coefficient", ["krippendorff", "fleiss", "cohen", "gwet", "brennan_prediger"])
def test_where_all_items_agree_high_is_one_and_low_a_real_limit(coefficient):
    e = raters.agreement(table(ALL_AGREE), coefficient)
    assert e.value == e.high == 1 and 0.84 < e.low < 0.92 and e.se > 0
    bare = raters.agreement(table(ALL_AGREE), coefficient, interval="bootstrap")
    assert math.isnan(bare.low) and math.isnan(bare.se)  # 1 to 1 would claim that there is nothing to be uncertain of
    assert "the figure is the same whatever is resampled" in bare.warnings[-1]


def test_where_every_label_is_the_same_only_percent_agreement_has_a_value_and_an_interval():
    ann = table([["a", "a"]] * 30)
    alpha, percent = (raters.agreement(ann, name) for name in ("krippendorff", "percent"))
    assert math.isnan(alpha.value) and math.isnan(alpha.low) and "every label is 'a'" in alpha.warnings[-1]
    assert percent.value == percent.high == 1 and 0.9 < percent.low < 0.97


def test_declared_labels_that_nobody_used_do_not_drag_the_interval():
    few, many = table(ALL_AGREE), table(ALL_AGREE, labels=list("abcdefghij"))
    one, other = (raters.agreement(x, resamples=8000) for x in (few, many))
    assert one.low == pytest.approx(other.low, abs=0.01)


@pytest.mark.parametrize("method", ["auto", "bootstrap", "delta", "jackknife"])
def test_the_value_is_never_outside(method):
    rng = np.random.default_rng(0)
    for _ in range(30):
        truth, right = rng.random((25, 1)) < 0.1, rng.random((25, 2)) < 0.97
        ann = table(np.where(right, truth, ~truth).astype(int))
        for name in ("krippendorff", "gwet", "percent"):
            e = raters.agreement(ann, name, interval=method, resamples=200)
            assert not math.isfinite(e.low) or e.low <= e.value <= e.high


# numbers


def test_many_different_numbers_take_the_jackknife_on_the_stabilising_scale():
    x = np.random.default_rng(0).standard_normal((30, 1)) * 2 + np.random.default_rng(1).standard_normal((30, 3))
    e = raters.agreement(raters.read(x, layout="wide", scale="interval"))
    assert e.interval == "stabilised" and e.low < e.value < e.high
    m, n = 3, 30

    def alpha(y):
        within = y.var(1, ddof=1).mean()
        return 1 - within / y.var(ddof=1)

    z = [np.log((1 + (m - 1) * a) / (1 - a)) for a in (alpha(x), *(alpha(np.delete(x, i, 0)) for i in range(n)))]
    left = np.array(z[1:])
    t, se = stats.t.ppf(0.975, n - 1), np.sqrt((n - 1) / n * ((left - left.mean()) ** 2).sum())
    further = stats.skew(-left, bias=False) * (1 + 2 * t**2) / (6 * np.sqrt(n))  # Hall 1992, on its side alone
    ends = z[0] - (t + max(0, -further)) * se, z[0] + (t + max(0, further)) * se
    want = [(np.exp(y) - 1) / (np.exp(y) + m - 1) for y in ends]
    assert (e.low, e.high) == pytest.approx(want, abs=1e-9)


def test_numbers_that_agree_in_full_have_a_real_lower_limit():
    x = np.repeat(np.linspace(0, 1, 40)[:, None], 3, 1)
    e = raters.agreement(raters.read(x, layout="wide", scale="interval"))
    assert e.value == e.high == 1 and 0.9 < e.low < 1


def test_which_scales_have_neighbours():
    values, names = np.arange(1.0, 6), tuple("abcde")
    for name, want in (
        ("identity", False),
        ("linear", True),
        ("quadratic", True),
        ("ordinal", True),
        ("circular", False),
    ):
        assert along(agreement_kernel(name, values, names, None)) is want
    assert along(distance_kernel("interval", values, names)) and not along(
        distance_kernel(np.ones((5, 5)) - np.eye(5), values, names)
    )


# differences, clusters, raters


def test_an_unpaired_difference_seldom_rejects_what_is_the_same():
    """20 items against 200 (the bootstrap rejects in four cases of ten)."""
    rng, rejected, tried = np.random.default_rng(2), 0, 0
    req = request("krippendorff", resamples=300)
    for _ in range(100):
        bags = [two_raters(*np.bincount(_seen(rng, n).sum(1), minlength=3)) for n in (20, 200)]
        each = [statistic(req, x, PLAIN, 2) for x in bags]
        values = [float(s.parts(s.weight[None]).value[0]) for s in each]
        _, p = unpaired(
            *each, values[0] - values[1], req.spec, tuple(small_study(req, x, PLAIN, made(req)) for x in bags)
        )
        tried += math.isfinite(p)
        rejected += p < 0.05
    assert tried > 80 and rejected / tried <= 0.12


def _seen(rng, n, r=2, yes=0.15):
    common, own = rng.random((n, 1)) < yes, rng.random((n, r)) < yes
    return np.where(rng.random((n, r)) < 0.8, common, own).astype(int)


def test_a_paired_difference_is_as_wide_as_either_of_its_two_roads():
    rng = np.random.default_rng(4)
    both = _seen(rng, 40, 4, 0.4)
    first, second = raters.read(rows_of(both[:, :2])), raters.read(rows_of(both[:, 2:], who="s"))
    auto, left = (raters.compare(first, second, interval=m) for m in ("auto", "jackknife"))
    assert auto.difference.interval == "posterior_and_t"
    assert auto.difference.se >= left.difference.se - 1e-12 and auto.p >= left.p - 1e-12
    assert auto.difference.low <= left.difference.low <= left.difference.high <= auto.difference.high
    same = raters.compare(raters.read(rows_of(ALL_AGREE)), raters.read(rows_of(ALL_AGREE, who="s")))
    assert same.p == 1 and same.difference.low < 0 < same.difference.high


def test_the_interval_of_a_difference_and_its_p_agree():
    rng = np.random.default_rng(8)
    for _ in range(12):
        one, other = (raters.read(rows_of(_seen(rng, 25, 2, 0.4), w)) for w in "ab")
        found = raters.compare(one, other, resamples=400)
        away = found.difference.low > 0 or found.difference.high < 0
        assert away == (found.p < 0.05) or 0.04 < found.p < 0.06


def test_few_clusters_are_warned_of_and_their_interval_is_wider_than_of_items():
    rng = np.random.default_rng(5)
    document = np.repeat(rng.random(8) < 0.5, 8)
    x = np.where(rng.random((64, 3)) < 0.8, document[:, None], rng.random((64, 3)) < 0.5).astype(int)
    rows = {"item": [], "rater": [], "label": [], "document": []}
    for (i, j), k in np.ndenumerate(x):
        for name, cell in zip(rows, (f"q{i}", f"r{j}", f"L{k}", f"d{i // 8}"), strict=True):
            rows[name].append(cell)
    e = raters.agreement(raters.read(rows, scale="nominal"), cluster="document")
    assert any("8 clusters are few" in w for w in e.warnings) and e.low < e.value < e.high and e.interval == "imaginary"


def test_two_raters_have_no_interval_over_raters_and_the_reason_is_right():
    e = raters.agreement(table([*ALL_AGREE, ["a", "b"]]), sample="raters")
    assert math.isnan(e.low) and any("two raters give no interval over raters" in w for w in e.warnings)


@pytest.mark.parametrize("n", [3, 8, 25])
def test_up_to_thirty_raters_are_left_out_one_at_a_time(n):
    x = _seen(np.random.default_rng(6), 60, n, 0.5)
    e = raters.agreement(table(x), sample="raters")
    assert e.interval == "jackknife" and e.low < e.value < e.high


# names and words


def test_every_method_has_a_name_words_and_a_reference():
    assert ("auto", *METHODS) == NAMES
    for row in METHODS.values():
        assert row.title and row.words and row.paper and method_title(row.name) == row.title
    assert all(METHODS[name].bibtex for name in ("imaginary", "stabilised", "bootstrap"))


def test_a_method_that_does_not_fit_says_which_does():
    stat = Linear(np.ones(5), np.arange(10.0).reshape(5, 2), lambda s: value_alone(s[..., 0] / s[..., 1]))
    with pytest.raises(raters.errors.UsageError, match="not defined for this figure"):
        interval(stat, 0.5, IntervalSpec("imaginary"))
    with pytest.raises(raters.errors.UsageError, match="applies to numbers"):
        interval(stat, 0.5, IntervalSpec("stabilised"), small=Posterior(stat, np.zeros(5)))
    assert interval(stat, 0.5, IntervalSpec("auto"), small=Numbers(2.0)).method in ("stabilised", "jackknife")


# coverage, small and seeded; the large grid is benchmarks/coverage.py


@pytest.mark.parametrize(("alpha", "yes", "least"), [(0.6, 0.1, 0.88), (0.95, 0.5, 0.88), (0.95, 0.1, 0.88)])
def test_thirty_items_are_enough(alpha, yes, least):
    """Each rater of two sees the item's label, or guesses: the bootstrap holds in 18 to 75 % of such studies."""
    rng, held, defined = np.random.default_rng(7), 0, 0
    truth = np.array([[1 - yes, yes]])
    s = np.sqrt(alpha)
    given = s * np.eye(2) + (1 - s) * truth
    joint = np.einsum("k,ka,kb->ab", truth[0], given, given)
    share = np.array([joint[0, 0], joint[0, 1] + joint[1, 0], joint[1, 1]])
    for _ in range(200):
        e = estimate(request("krippendorff", resamples=300), two_raters(*rng.multinomial(30, share)), PLAIN)
        defined += math.isfinite(e.low)
        held += e.low <= alpha <= e.high
    assert held / defined >= least
