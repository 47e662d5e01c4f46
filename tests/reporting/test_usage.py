"""Which raters used which labels: shares counted by hand, McNemar's test, its level and power, and odd tables."""

from collections import Counter

import numpy as np
import pytest
from scipy import stats

import raters
from raters import examples
from raters.agree.label_use import OTHERS, label_use
from raters.reporting.context import Context
from raters.reporting.report import QUESTIONS


def read(rows):
    return raters.read(rows, scale="nominal")


def alike(seed, n_items=80, shares_like=(2.0, 1.0, 0.4), n_raters=6, each=3):
    """Raters who draw each label from the item's own shares: nobody uses labels differently."""
    rng = np.random.default_rng(seed)
    shares = rng.dirichlet(shares_like, n_items)
    return [
        (i, f"r{r}", "abc"[rng.choice(3, p=shares[i])])
        for i in range(n_items)
        for r in rng.choice(n_raters, each, replace=False)
    ]


def never_c(seed, n_items=100, n_raters=5):
    """Raters who are right three times in four; r1 never says c."""
    rng = np.random.default_rng(seed)
    rows = []
    for i in range(n_items):
        truth = rng.integers(3)
        for r in range(n_raters):
            label = truth if rng.random() < 0.75 else rng.integers(3)
            rows.append((i, f"r{r}", "abc"[rng.integers(2) if r == 1 and label == 2 else label]))
    return rows


def section(rows, seed=0):
    ann = rows if isinstance(rows, raters.Annotations) else read(rows)
    return section_of(Context(ann, seed=seed))


def section_of(context):
    return next(q for q in QUESTIONS if q.key == "usage").section(context)


def test_shares_equal_a_count_by_hand():
    rows = alike(7)
    use = label_use(read(rows))
    given = Counter((r, label) for _, r, label in rows)
    by_item = {}
    for i, r, label in rows:
        by_item.setdefault(i, {})[r] = label
    for a, rater in enumerate(use.raters):
        mine = [votes for votes in by_item.values() if rater in votes and len(votes) > 1]
        assert use.shared[a] == len(mine)
        for k, label in enumerate(use.labels):
            assert use.counts[a, k] == given[rater, label]
            assert use.given[a, k] == pytest.approx(np.mean([v[rater] == label for v in mine]))
            others = [np.mean([x == label for r, x in v.items() if r != rater]) for v in mine]
            assert use.expected[a, k] == pytest.approx(np.mean(others))


@pytest.mark.parametrize("b, c", [(3, 12), (8, 9), (1, 6), (0, 8)])
def test_two_raters_and_two_labels_are_mcnemars_exact_test(b, c):
    """Under permutation within items each item where they differ is a fair coin."""
    pairs = [("x", "y")] * b + [("y", "x")] * c + [("x", "x")] * 20 + [("y", "y")] * 15
    use = label_use(read([(i, r, v) for i, pair in enumerate(pairs) for r, v in zip("ab", pair, strict=True)]))
    exact = stats.binomtest(b, b + c).pvalue
    draws = 199 if exact > 0.1 else 1999
    near = pytest.approx(exact, abs=3 * np.sqrt(exact * (1 - exact) / draws) + 1 / draws)
    assert use.p[0] == near and use.p[1] == near
    assert bool(use.named) == (exact <= 0.025)


def test_large_tables_take_the_chi_square_of_mcnemar():
    pairs = [("x", "y")] * 210 + [("y", "x")] * 190 + [("x", "x")] * 300
    use = label_use(read([(i, r, v) for i, pair in enumerate(pairs) for r, v in zip("ab", pair, strict=True)]))
    assert use.p[0] == pytest.approx(stats.chi2.sf((210 - 190) ** 2 / 400, 1))


@pytest.mark.parametrize("n_items, shares_like", [(80, (2.0, 1.0, 0.4)), (40, (3.0, 0.6, 0.2))])
@pytest.mark.long("null rate")
def test_where_all_use_labels_alike_at_most_one_table_in_twenty_names_anybody(n_items, shares_like):
    """Also on small tables with labels that hardly anybody gives."""
    named = sum(bool(label_use(read(alike(seed, n_items, shares_like)), seed=seed).named) for seed in range(200))
    assert named <= 10


def test_a_rater_who_never_uses_a_label_is_named_and_nobody_else():
    for seed in range(10):
        use = label_use(read(never_c(seed)), seed=seed)
        assert [use.raters[i] for i in use.named] == ["r1"]
    said = section(never_c(1)).answer
    assert said.startswith("1 of 5 raters uses labels differently from the others on the same items: 'r1' ('c' on 0%")


def test_different_items_alone_make_no_difference():
    """Two teams, one with items of mostly a, one of mostly b: shares differ, use does not."""
    named = 0
    for seed in range(5):
        rng = np.random.default_rng(seed)
        rows = [
            (i, r, "ab"[int(rng.random() < (0.85 if i % 2 else 0.15))])
            for i in range(120)
            for r in ("pqr" if i % 2 else "stu")
        ]
        use = label_use(read(rows), seed=seed)
        shares = use.counts[:, 1] / use.counts.sum(1)
        assert shares.max() - shares.min() > 0.5
        named += bool(use.named)
    assert named <= 1


def test_two_raters_are_compared_with_each_other():
    pairs = [("x", "y")] * 20 + [("x", "x")] * 10 + [("y", "y")] * 10
    said = section([(i, r, v) for i, pair in enumerate(pairs) for r, v in zip(("ann", "bob"), pair, strict=True)])
    assert (
        said.answer
        == "The two raters use labels differently: 'ann' gives 'x' on 75% of the items that both labelled, and 'bob' on"
        " 25%."
    )


def test_the_section_has_the_figures_of_the_library():
    made, use = section(examples.demo(), seed=3), label_use(examples.demo(), seed=3)
    shares, differences = made.tables()
    rows = {row[0]: row for row in shares.rows}
    assert rows["(all raters)"][2:] == pytest.approx((use.counts.sum(0) / use.counts.sum()).tolist())
    p = {row[0]: row[-1] for row in differences.rows}
    for i, rater in enumerate(use.raters):
        assert rows[rater][1] == use.counts[i].sum()
        assert rows[rater][2:] == pytest.approx((use.counts[i] / use.counts[i].sum()).tolist())
        assert p[rater] == use.p[i]
    assert made.answer.startswith(f"{len(use.named)} of 5 raters use")
    (chart,) = made.charts()
    assert "ana" in str(chart.spec) and chart.caption in chart.alt


def test_many_raters_and_labels_are_cut_in_the_picture_and_kept_in_the_table():
    rng = np.random.default_rng(0)
    rows = [(i, f"r{r:02}", f"l{rng.integers(40):02}") for i in range(150) for r in rng.choice(33, 4, replace=False)]
    context = Context(read(rows))
    made, use = section_of(context), context.label_use
    assert len(use.labels) == 31 and use.labels[-1] == OTHERS
    assert use.counts.sum() == 600
    table = next(t for t in made.tables() if t.name == "shares")
    assert len(table.rows) + len(table.rest) == 34 and len(table.columns) == 33
    (chart,) = made.charts()
    assert "25 of 33 raters, the 12 most frequent labels." in chart.caption


@pytest.mark.parametrize(
    "rows, options, words",
    [
        ([(i, r, i * 1.5) for i in range(20) for r in "ab"], {"scale": "interval"}, "numbers on a scale (interval)"),
        ([(i, "a", "xy"[i % 2]) for i in range(9)], {"scale": "nominal"}, "only one"),
        ([(i, r, "x") for i in range(9) for r in "ab"], {"scale": "nominal"}, "only one label"),
        ([(i, r, ["x"]) for i in range(9) for r in "ab"], {"scale": "sets"}, "a set of labels"),
    ],
)
def test_where_the_question_is_not_asked_the_reason_is_given(rows, options, words):
    made = section(raters.read(rows, **options))
    assert made.absent and words in made.answer


def test_raters_who_share_nothing_are_not_compared():
    made = section([(f"{r}{i}", r, "xy"[i % 2]) for i in range(9) for r in "ab"])
    assert made.answer.startswith("This cannot be determined") and len(list(made.tables())) == 1


def test_items_that_a_rater_labelled_twice_do_not_compare_them():
    rows = [(i, r, "xy"[(i + (r == "a")) % 2]) for i in range(20) for r in "abc"]
    rows += [(0, "a", "y"), (1, "a", "x")]
    use = label_use(raters.read(rows, scale="nominal", duplicates="keep"))
    assert use.shared.tolist() == [18, 20, 20] and use.counts[0].sum() == 22


def test_names_and_labels_of_strangers_stay_text():
    evil = "<script>\u202e"
    rows = [(i, f"{evil}{r}", "a" if r == 1 else f"{evil}{i % 2}") for i in range(60) for r in range(4)]
    made = raters.report(read(rows), resamples=50)
    assert made.section("usage").answer.startswith("1 of 4 raters")
    for format in ("html", "markdown", "text", "latex"):
        assert "\u202e" not in made.render(format)
    assert "<script>" not in made.html() + made.markdown()
