"""A rater or a pair of labels is named only where the choice of the worst does not explain it."""

import numpy as np
import pytest
from alike import table

import raters
from raters.agree import standing_out as tests
from raters.agree.agreement_spec import request
from raters.agree.estimating import kernel_of
from raters.agree.standing_out import confused_labels, shuffled, standing_out
from raters.items import fold

TABLES = 100


def rater_test(ann, **options):
    return standing_out(fold(ann, group="rater")[None], kernel_of(request("krippendorff"), ann), **options)


@pytest.mark.long("null rate")
def test_raters_and_labels_that_are_alike_are_seldom_named():
    found = [raters.explain(table(50, seed, [0.7] * 5), interval="delta") for seed in range(TABLES)]
    kinds = [{r.kind for r in why.reasons} for why in found]
    # 5 of 100 are expected at most; above 10 has a probability of .01
    assert sum("rater" in k for k in kinds) <= 10
    assert sum("labels" in k for k in kinds) <= 10
    assert sum(bool(why.raters) for why in found) <= 10


def test_a_rater_who_labels_at_random_is_named_at_100_items():
    for seed in range(20):
        why = raters.explain(table(100, seed, [0.8] * 4 + [0.0]), interval="delta")
        said = next(r for r in why.reasons if r.kind == "rater")
        assert said.estimate.name == "r4" and "r4" in why.raters and said.p <= 0.05


def test_the_interval_without_a_rater_says_that_they_were_picked():
    why = raters.explain(table(100, 1, [0.8] * 4 + [0.0]))
    said = next(r for r in why.reasons if r.kind == "rater")
    assert "optimistic, because the choice was made on these data" in said.text
    assert why.to_dict()["raters"] == ["r4"] and why.to_dict()["reasons"][0]["p"] == said.p


def loops(ann):
    """z by its definition, from the long table."""
    got = ann.engine.query("SELECT item, rater, label FROM annotations")
    items = {}
    for i, r, v in zip(got["item"], got["rater"], got["label"], strict=True):
        items.setdefault(i, []).append((r, v))
    total, variance = {}, {}
    for given in items.values():
        if len(given) < 2:
            continue
        d = [
            sum(v != w for m, (_, w) in enumerate(given) if m != j) / (len(given) - 1) for j, (_, v) in enumerate(given)
        ]
        for (r, _), x in zip(given, d, strict=True):
            total[r] = total.get(r, 0) + x - np.mean(d)
            variance[r] = variance.get(r, 0) + np.var(d)
    return {r: total[r] / np.sqrt(variance[r]) for r in total if variance[r] > 0}


def test_z_is_its_definition_where_raters_label_some_items_only():
    rng = np.random.default_rng(5)
    rows = [(i, f"r{j}", "abc"[rng.integers(0, 3)]) for i in range(60) for j in range(6) if rng.random() < 0.5]
    ann = raters.read(rows, scale="nominal")
    found, expected = rater_test(ann), loops(ann)
    assert dict(zip(found.raters, found.z, strict=True)) == pytest.approx(expected, rel=1e-9)


def test_p_is_the_share_of_all_arrangements():
    from itertools import permutations, product

    rows = [("abc", "aab"), ("aba", "aab")]
    ann = raters.read(
        [(i, f"r{j}", v) for i, (given, _) in enumerate(rows) for j, v in enumerate(given)], scale="nominal"
    )
    largest = []
    for first, second in product(set(permutations("abc")), permutations("aba")):
        other = raters.read(
            [(i, f"r{j}", v) for i, g in enumerate((first, second)) for j, v in enumerate(g)], scale="nominal"
        )
        largest.append(max(loops(other).values()))
    seen = loops(ann)
    exact = [np.mean([m >= seen[f"r{j}"] - 1e-9 for m in largest]) for j in range(3)]
    assert rater_test(ann).p == pytest.approx(exact, abs=0.05)


def test_the_bound_is_never_below_the_permutations(monkeypatch):
    ann = table(200, 3, [0.8] * 4 + [0.2])
    drawn = rater_test(ann)
    monkeypatch.setattr(tests, "WORK", 0)
    bound = rater_test(ann)
    assert np.all(bound.p >= drawn.p - 1e-3) and bound.named() == drawn.named() == (4,)


def test_two_raters_and_equal_raters_name_nobody():
    two = raters.explain(table(100, 0, [0.9, 0.0]))
    assert two.raters == ()
    same = raters.read([(i, r, "ab"[i % 2]) for i in range(30) for r in "xyz"], scale="nominal")
    assert np.isnan(rater_test(same).p).all()


def test_a_pair_that_is_confused_is_found_with_the_choice_counted_in():
    rng = np.random.default_rng(2)
    rows = [
        (i, j, v if v not in "ab" else "ab"[rng.integers(0, 2)])
        for i in range(60)
        for v in ["abcd"[i % 4]]
        for j in range(4)
    ]
    ann = raters.read(rows, scale="nominal")
    found = confused_labels(fold(ann)[None])
    assert (ann.labels[found.a[0]], ann.labels[found.b[0]]) == ("a", "b") and found.p[0] < 1e-4


def pair_of(rows, a, b):
    """n t of two labels by its definition, from the labels of each item."""
    n = sum(map(len, rows))
    share = {v: sum(r.count(v) for r in rows) / n for v in set("".join(rows))}
    met = sum(2 * r.count(a) * r.count(b) / (len(r) - 1) for r in rows) / n
    apart = sum(sum(r.count(v) * (len(r) - r.count(v)) for v in set(r)) / (len(r) - 1) for r in rows) / n
    return met / (2 * share[a] * share[b]) - apart / (1 - sum(x * x for x in share.values()))


def test_t_and_its_standard_error_are_those_of_the_jackknife():
    rng = np.random.default_rng(7)
    rows = ["".join("abcd"[v] for v in rng.integers(0, 4, rng.integers(2, 6))) for _ in range(80)]
    ann = raters.read([(i, j, v) for i, r in enumerate(rows) for j, v in enumerate(r)], scale="nominal")
    found = confused_labels(fold(ann)[None])
    for a, b, z in zip(found.a, found.b, found.z, strict=True):
        pair = ann.labels[a], ann.labels[b]
        each = np.array([pair_of(rows[:i] + rows[i + 1 :], *pair) for i in range(len(rows))])
        se = np.sqrt((len(rows) - 1) / len(rows) * ((each - each.mean()) ** 2).sum())
        assert z == pytest.approx(pair_of(rows, *pair) / se, rel=0.05)


@pytest.mark.parametrize(("items", "each"), [(50, 2), (40, 25), (3, 300), (1, 7)])
def test_cells_of_items_are_shuffled_as_by_one_long_sort(items, each):
    item = np.repeat(np.arange(items), each)
    u = np.random.default_rng(each).random((20, len(item)))
    assert (shuffled(item, u) == np.argsort(item + u, axis=1)).all()


def test_items_of_different_sizes_are_shuffled_too():
    item = np.repeat(np.arange(4), [1, 3, 2, 5])
    u = np.random.default_rng(0).random((20, len(item)))
    assert (item[shuffled(item, u)] == item).all() and (
        np.diff(np.take_along_axis(u, shuffled(item, u), 1)[:, 1:4]) > 0
    ).all()
