"""Why pools differ, equivalence against a margin, how many items a second pool should label, and the paper's
pictures.
"""

import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from pools import pooled

import raters
from raters import datasets
from raters.cli import cli
from raters.errors import DataError, UsageError
from raters.reliability.xrr.result import items_by_labels, items_by_labels_chart


def pools(shift=0.0, own=0.0, n=400, each=5, seed=0, extreme=1.0):
    """Two pools of yes and no: the second says yes more often everywhere (shift), and sees some items its own way
    (own).
    """
    rng = np.random.default_rng(seed)
    p = rng.beta(extreme, extreme, n) * 0.6 + 0.2
    q = np.where(rng.random(n) < own, 1 - p, p) + shift
    made = [(rng.random((n, each)) < x[:, None]) for x in (p, q)]
    tables = [
        raters.read(
            [(f"i{i}", f"{s}{j}", "yes" if v else "no") for i, row in enumerate(m) for j, v in enumerate(row)],
            labels=["no", "yes"],
            scale="nominal",
        )
        for s, m in zip("xy", made, strict=True)
    ]
    return tables, p, q


def test_the_excess_is_the_squared_distance_of_the_pools_without_bias():
    for shift, own in ((0.15, 0.0), (0.0, 0.4), (0.1, 0.2)):
        (x, y), p, q = pools(shift, own)
        found = raters.xrr(x, y, interval=None).why(resamples=300)
        e = {r.name: r for r in found.estimates}
        truth = float(((q - p) ** 2).mean())  # half of the squares of both labels
        margin = float((q - p).mean()) ** 2
        assert e["excess"].low < truth < e["excess"].high
        assert e["leniency"].value == pytest.approx(margin, abs=0.01)
        assert e["leniency"].value + e["items"].value == pytest.approx(e["excess"].value)
        assert e["label no"].value + e["label yes"].value == pytest.approx(e["excess"].value)
        assert found.shifts["yes"].value == pytest.approx(shift + (q - p).mean() - shift, abs=0.04)
        assert "disagree more between the pools" in found.sentence


def test_in_plain_loops():
    (x, y), _, _ = pools(0.1, 0.3, n=12, each=3, seed=4)
    found = raters.xrr(x, y, interval=None).why(interval=None)
    labels = [{}, {}]
    for side, ann in enumerate((x, y)):
        got = ann.engine.query("SELECT item, label FROM annotations")
        for i, v in zip(got["item"], got["label"], strict=True):
            labels[side].setdefault(i, []).append(v)
    excess = []
    for i in labels[0]:
        a, b = labels[0][i], labels[1][i]
        between = np.mean([u != v for u in a for v in b])
        within = [np.mean([a[j] != a[k] for j in range(3) for k in range(3) if j != k]) for a in (a, b)]
        excess.append(between - np.mean(within))
    assert found.estimates["excess"].value == pytest.approx(np.mean(excess))
    assert found.items[0]["excess"] == pytest.approx(max(excess))


def test_alike_pools_are_not_said_to_differ():
    said = []
    for seed in range(8):
        (x, y), _, _ = pools(n=120, seed=seed)
        said.append("not shown" in raters.xrr(x, y, interval=None).why(resamples=200).sentence)
    assert sum(said) >= 6


def test_numbers_and_a_column_of_pools():
    rng = np.random.default_rng(1)
    truth = rng.normal(5, 2, 200)
    rows = [
        {"item": f"i{i}", "rater": f"{p}{j}", "label": t + (1.0 if p == "b" else 0) + rng.normal(), "city": p}
        for i, t in enumerate(truth)
        for p in "ab"
        for j in range(3)
    ]
    found = raters.xrr(raters.read(rows, scale="interval"), pool="city", interval=None).why(resamples=200)
    e = {r.name: r.value for r in found.estimates}
    assert found.pools == ("a", "b") and e["leniency"] == pytest.approx(1, abs=0.2) and abs(e["items"]) < 0.15
    assert "nearly all of this is leniency" in found.sentence
    with pytest.raises(UsageError, match="two whole pools"):
        raters.xrr(raters.read(rows, scale="interval"), pool="city", by="rater", interval=None)[0].why()
    few, other = ([("a", who, "no"), ("b", who, "yes")] for who in "xy")
    with pytest.raises(DataError, match="two or more labels in both"):
        raters.xrr(raters.read(few, scale="nominal"), raters.read(other, scale="nominal"), interval=None).why()


def test_equivalence_against_a_margin():
    (x, y), _, _ = pools(n=600, each=6)
    same = raters.xrr(x, y, resamples=300)
    assert same.equivalence(0.8).verdict == "equivalent" and "at least 0.8" in str(same.equivalence(0.8))
    (x, y), _, _ = pools(own=0.5, n=600, each=6)
    other = raters.xrr(x, y, resamples=300)
    assert other.equivalence().verdict == "not equivalent"
    (x, y), _, _ = pools(n=40, each=2, seed=3)
    assert raters.xrr(x, y, resamples=300).equivalence(0.9).verdict == "inconclusive"
    assert raters.xrr(x, y, interval=None).equivalence(0.9).verdict == "inconclusive"
    with pytest.raises(UsageError, match="between 0 and 1"):
        same.equivalence(1.5)
    assert json.dumps(same.equivalence(0.8).to_dict())


def test_how_many_items_a_second_pool_should_label():
    """The width of that many items is the width that was asked for."""
    (x, y), _, _ = pools(n=150, each=5, seed=2, extreme=0.2)
    table = raters.plan_replication(x, y, width=0.25, margin=0.7)
    n = int(table["items for width 0.25"].value)
    (x2, y2), _, _ = pools(n=n, each=5, seed=9, extreme=0.2)
    e = raters.xrr(x2, y2, interval="bootstrap", resamples=500).normalized
    assert e.high - e.low == pytest.approx(0.25, rel=0.35)
    assert table["items to show 0.7"].value > 0
    alone = raters.plan_replication(pools(n=150, each=8, extreme=0.2)[0][0], width=0.25)
    assert "no second pool yet" in alone[0].warnings[0] and alone["items for width 0.25"].value > 50
    with pytest.raises(DataError, match="four labels"):
        raters.plan_replication(pools(n=20, each=3)[0][0])


def test_pictures_of_the_paper():
    data = pooled()
    ann = raters.read(data, scale="nominal")
    table = raters.xrr_table(ann, pool="pool", per_label=True, interval=None)
    drawn = json.dumps(table.plot("irr_histogram").to_dict())
    assert all(f'"{p}"' in drawn for p in "abc")
    assert "normalised kappa between the pools" in json.dumps(table.plot("rho_scatter").to_dict())
    found = items_by_labels(ann, "pool")
    each = {}
    for p, i in zip(data["pool"], data["item"], strict=True):
        each.setdefault(p, {}).setdefault(i, []).append(1)
    for (p, n), items in found.items():
        assert items == sum(len(v) == n for v in each[p].values())
    assert "a and 2" in items_by_labels_chart(ann, "pool").alt


def test_irep_of_four_platforms(tmp_path: Path):
    """A made file of the shape that the authors describe: four platforms, 32 columns of labels."""
    rng = np.random.default_rng(0)
    names = [f"e{k}" for k in range(31)] + ["unsure"]
    lines = ['item_id",platform,rater,' + ",".join(names)]
    for i in range(25):
        for place in (*datasets.PLACES, "International"):
            lines += [f"{i},{place},{r}," + ",".join(map(str, rng.integers(0, 2, 32))) for r in (1, 2)]
    path = tmp_path / "IREP_data_release.csv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    assert datasets.irep(path).n_annotations == 25 * 4 * 2 * 32
    three = datasets.irep(path, pools=datasets.PLACES)
    assert raters.xrr_table(three, pool="platform", by="expression", irr="cohen", interval=None).pools == tuple(
        sorted(datasets.PLACES)
    )
    with pytest.raises(UsageError, match="International"):
        datasets.irep(path, pools=["Moon"])


def test_on_the_command_line(tmp_path):
    (x, y), _, _ = pools(0.2, 0.2, n=60)
    files = []
    for name, ann in (("first", x), ("second", y)):
        got = ann.engine.query("SELECT item, rater, label FROM annotations")
        path = tmp_path / f"{name}.csv"
        path.write_text("item,rater,label\n" + "".join(f"{a},{b},{c}\n" for a, b, c in zip(*got.values(), strict=True)))
        files.append(str(path))

    def run(*more):
        return CliRunner().invoke(cli, ["xrr", *files, "--resamples", "100", *more], catch_exceptions=False)

    assert "items with the largest excess" in run("--why").output
    assert "items that both pools label" in run("--plan", "0.3").output
    alone = CliRunner().invoke(cli, ["xrr", files[0], "--plan", "0.3", "--resamples", "100"], catch_exceptions=False)
    assert alone.output.startswith("The number of items needed cannot be determined: the IRR of x is -0.0017, ")
    assert "There is no second pool yet: it is assumed to be like this one" in alone.output
    assert "first and second:" in run("--margin", "0.9").output
    assert json.loads(run("--margin", "0.9", "--format", "json").output)["equivalence"][0]["margin"] == 0.9


def test_a_loss_is_not_taken_for_a_margin() -> None:
    """0.1 for 0.9 would call almost any two pools equivalent."""
    rows = [(f"i{i}", f"r{j}", "ab"[(i + (i * j) % 5 // 4) % 2]) for i in range(20) for j in range(3)]
    result = raters.xrr(raters.read(rows), raters.read([(i, f"y{r}", k) for i, r, k in rows]), resamples=20)
    with pytest.raises(raters.UsageError, match=r"For a loss of at most 0.1 use 0.9"):
        result.equivalence(0.1)
