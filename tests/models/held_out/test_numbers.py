"""Numbers: raters are weighted by their own precision only where that predicts held-out labels better."""

import gzip
from pathlib import Path

import numpy as np
import pytest

import raters
from raters.models.fitting.fit import fit
from raters.models.held_out.numbers import ALIKE


def crowd(seed, *, bias=0.0, spread=(1.0, 1.0), n=80, j=16, each=5):
    """Three raters of ten have the first standard deviation, the others the second."""
    rng = np.random.default_rng(seed)
    truth = rng.normal(0, 1, n)
    shift, sd = rng.normal(0, bias, j), np.where(np.arange(j) < 0.3 * j, *spread)
    item = np.repeat(np.arange(n), each)
    rater = np.concatenate([rng.choice(j, each, replace=False) for _ in range(n)])
    label = np.round(truth[item] + shift[rater] + sd[rater] * rng.normal(0, 1, len(item)), 3)
    return raters.read(list(zip(item.tolist(), rater.tolist(), label.tolist(), strict=True)), scale="interval"), truth


def zeros(seed, n=100, j=10):
    """Half of the raters answer 0 to most items, whatever the truth: they agree best, and know least."""
    rng = np.random.default_rng(seed)
    truth = np.where(rng.random(n) < 0.6, 0, rng.uniform(20, 90, n))
    label = np.clip(truth[:, None] + rng.normal(0, 25, (n, j)), 0, 100).round()
    label[:, : j // 2] = np.where(rng.random((n, j // 2)) < 0.93, 0, label[:, : j // 2])
    item, rater = np.divmod(np.arange(n * j), j)
    return (
        raters.read(list(zip(item.tolist(), rater.tolist(), label.ravel().tolist(), strict=True)), scale="interval"),
        truth,
    )


def error(values, truth):
    """What is left of the truth after the best straight line."""
    return 1 - np.corrcoef(values, truth)[0, 1] ** 2


def in_order(c):
    return c.posterior[np.argsort([int(x) for x in c.items]), 0]


def means(ann):
    c = fit(ann, "gaussian", alike=1e9)
    return in_order(c)


def test_raters_who_are_alike_have_the_same_weight():
    ann, truth = crowd(1)
    c = raters.consensus(ann)
    assert c.settings.alike == ALIKE[0] and "All raters have the same weight" in c.choice.why
    assert error(in_order(c), truth) <= error(in_order(raters.consensus(ann, "gaussian")), truth) + 1e-9


@pytest.mark.parametrize("how", [{"bias": 0.8}, {"spread": (0.2, 2.0)}, {"bias": 0.7, "spread": (0.3, 2.0)}])
def test_raters_who_differ_are_weighted(how):
    gain = []
    for seed in range(3):
        ann, truth = crowd(seed, **how)
        c = raters.consensus(ann)
        gain.append(error(means(ann), truth) - error(in_order(c), truth))
    assert np.mean(gain) > 0.02 and min(gain) > -0.01


def test_raters_who_answer_nought_to_most_items_do_not_decide():
    auto, own, mean = [], [], []
    for seed in range(2):
        ann, truth = zeros(seed)
        auto.append(error(in_order(raters.consensus(ann)), truth))
        own.append(error(in_order(raters.consensus(ann, "gaussian")), truth))
        mean.append(error(means(ann), truth))
    assert np.mean(auto) < np.mean(mean) + 0.01 < np.mean(own) - 0.05


@pytest.mark.parametrize("alike", ALIKE)
def test_the_objective_never_falls(alike):
    ann, _ = crowd(2, bias=0.7, spread=(0.3, 2.0), n=40)
    trace = np.array(fit(ann, "gaussian", alike=alike).trace)
    assert np.diff(trace).min() > -1e-8


def test_few_items_do_not_show_how_raters_differ():
    ann, _ = crowd(3, bias=2.0, n=8)
    c = raters.consensus(ann)
    assert c.settings.alike == ALIKE[0] and "8 items with several labels cannot show" in c.choice.why


def test_one_number_only():
    c = raters.consensus(raters.read([(i, r, 2.0) for i in range(12) for r in "abc"], scale="interval"))
    assert set(c.labels.values()) == {2.0} and "they all gave the same number" in c.choice.why


def test_new_labels_are_weighted_in_the_same_way(tmp_path):
    ann, _ = crowd(1)
    c = raters.consensus(ann)
    c.save(tmp_path / "fit.npz")
    assert raters.load(tmp_path / "fit.npz").settings.alike == c.settings.alike
    assert c.update(crowd(5)[0]).settings.alike == c.settings.alike


@pytest.mark.shared
@pytest.mark.parametrize("task", ["anger", "disgust", "fear", "joy", "sadness", "surprise", "valence", "wordsim"])
def test_emotions_are_no_worse_than_means(data_dir: Path, task: str) -> None:
    """With a precision for each rater, joy correlates with gold at .54 and its mean at .64."""
    path = data_dir / "snow2008" / f"{task}.standardized.tsv"
    text = path.read_text() if path.exists() else gzip.decompress(Path(f"{path}.gz").read_bytes()).decode()
    rows = [line.split("\t") for line in text.splitlines()[1:]]
    ann = raters.read([(r[2], r[1], float(r[3])) for r in rows], scale="interval", duplicates="keep")
    gold = {r[2]: float(r[4]) for r in rows}
    c, mean = raters.consensus(ann), fit(ann, "gaussian", alike=1e9)
    truth = [gold[i] for i in c.items]
    found, plain = (float(np.corrcoef(x.posterior[:, 0], truth)[0, 1]) for x in (c, mean))
    assert found > plain - 0.01


def test_one_label_each_does_not_show_how_exact_it_is():
    for model in ("auto", "gaussian"):
        c = raters.consensus(raters.read([("a", "x", 1.5), ("b", "x", 2.5)], scale="interval"), model)
        assert c.posterior[:, 0] == pytest.approx([1.5, 2.5], abs=1e-5) and np.isnan(c.posterior[:, 1]).all()
        assert c.to_columns()["sd"] == [None, None]


def test_labels_that_all_agree_are_as_exact_as_their_rounding():
    """Three of three whole numbers: the values are known to a fraction of 1, not to a thousandth."""
    c = raters.consensus(raters.read([(f"i{i}", f"r{j}", i) for i in range(5) for j in range(3)], scale="interval"))
    assert c.posterior[:, 1].min() > 0.05
