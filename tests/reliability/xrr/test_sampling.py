"""What the intervals of xRR draw anew: items, whole clusters of them, or raters; and which pools are compared."""

import numpy as np
import pytest

import raters
from raters.errors import UsageError


def rows(seed=5, documents=12, each=8, raters_each=3):
    """Two pools whose items lie in documents that are easy or hard as a whole."""
    rng = np.random.default_rng(seed)
    made = []
    for d in range(documents):
        noise, lean = (0.05, 0.45)[d % 2], rng.random()
        for i in range(each):
            truth = rng.random() < lean
            for pool in "ab":
                for j in range(raters_each):
                    label = truth if rng.random() > noise else rng.random() < 0.5
                    made.append(
                        {
                            "item": f"{d}-{i}",
                            "rater": f"{pool}{j}",
                            "label": "yn"[int(label)],
                            "pool": pool,
                            "doc": f"d{d}",
                        }
                    )
    return made


def two_tables(made):
    return [raters.read([r for r in made if r["pool"] == p], scale="nominal") for p in "ab"]


def kappa_x(made):
    """kappa_x by its definition, in plain loops."""
    by_item = {}
    for r in made:
        by_item.setdefault(r["copy"], {}).setdefault(r["pool"], []).append(r["label"])
    both = [v for v in by_item.values() if len(v) == 2]
    apart = np.mean([np.mean([x != y for x in v["a"] for y in v["b"]]) for v in both])
    shares = [np.mean([x == "y" for v in both for x in v[p]]) for p in "ab"]
    chance = shares[0] * (1 - shares[1]) + shares[1] * (1 - shares[0])
    return 1 - apart / chance


def test_cluster_draws_whole_documents():
    made = rows()
    ann = raters.read(made, scale="nominal")
    blocks = raters.xrr(ann, pool="pool", cluster="doc", seed=1)
    plain = raters.xrr(ann, pool="pool", seed=1)
    assert blocks.kappa_x.value == plain.kappa_x.value
    assert blocks.kappa_x.sampled == "clusters of doc" and plain.kappa_x.sampled == "items"
    assert blocks.kappa_x.high - blocks.kappa_x.low > 1.3 * (plain.kappa_x.high - plain.kappa_x.low)
    # by hand: documents drawn with replacement, each copy of an item an item of its own
    rng, found = np.random.default_rng(0), []
    documents = sorted({r["doc"] for r in made})
    of = {d: [r for r in made if r["doc"] == d] for d in documents}
    for _ in range(300):
        drawn = rng.choice(documents, len(documents))
        found.append(kappa_x([r | {"copy": (i, r["item"])} for i, d in enumerate(drawn) for r in of[d]]))
    assert blocks.kappa_x.se == pytest.approx(np.std(found, ddof=1), rel=0.12)
    for two in (raters.xrr(*two_tables(made), cluster="doc", seed=1),):
        assert two.kappa_x.se == pytest.approx(blocks.kappa_x.se, rel=0.05)
        assert two.normalized.se == pytest.approx(blocks.normalized.se, rel=0.05)


@pytest.mark.parametrize("method", ["delta", "jackknife", "bca"])
def test_every_interval_takes_clusters(method):
    ann = raters.read(rows(), scale="nominal")
    wide = raters.xrr(ann, pool="pool", cluster="doc", interval=method).kappa_x
    block = raters.xrr(ann, pool="pool", cluster="doc").kappa_x
    assert wide.se == pytest.approx(block.se, rel=0.2)
    labels = raters.xrr_table(ann, pool="pool", cluster="doc", per_label=True, interval=method)
    assert labels[0].kappa_x.se == pytest.approx(wide.se, rel=1e-6)


def test_raters_are_left_out_one_at_a_time():
    made = [r | {"copy": r["item"]} for r in rows(raters_each=5)]
    ann = raters.read(made, scale="nominal")
    found = raters.xrr(ann, pool="pool", sample="raters").kappa_x
    assert found.sampled == "raters" and "left out at a time" in found.warnings[0]
    variance = 0.0
    for pool in "ab":
        names = sorted({r["rater"] for r in made if r["pool"] == pool})
        left = np.array([kappa_x([r for r in made if r["rater"] != name]) for name in names])
        variance += (len(left) - 1) / len(left) * ((left - left.mean()) ** 2).sum()
    assert found.se == pytest.approx(np.sqrt(variance), rel=1e-9)
    items = raters.xrr(ann, pool="pool", interval="jackknife").kappa_x.se
    both = raters.xrr(ann, pool="pool", sample="both").kappa_x.se
    assert both == pytest.approx(np.hypot(found.se, items), rel=1e-9)


def test_what_does_not_go_together_is_refused():
    ann = raters.read(rows(), scale="nominal")
    with pytest.raises(UsageError, match="keep sample='items'"):
        raters.xrr(ann, pool="pool", cluster="doc", sample="raters")
    with pytest.raises(UsageError, match="no column 'page'"):
        raters.xrr(*two_tables(rows()), cluster="page")
    with pytest.raises(UsageError, match="use interval='jackknife'"):
        raters.xrr(ann, pool="pool", sample="raters", interval="delta")


def three_pools():
    rng = np.random.default_rng(3)
    return [
        {
            "item": i,
            "rater": f"{p}{j}",
            "label": "yn"[int(rng.random() < 0.3 + 0.4 * (i % 2))],
            "pool": p,
            "half": "uv"[i // 20],
        }
        for i in range(40)
        for p in ("Man", "Woman", "Other")
        for j in range(2)
    ]


def test_names_choose_among_the_pools_of_a_column():
    made = three_pools()
    chosen = raters.xrr(raters.read(made, scale="nominal"), pool="pool", names=["Man", "Woman"], permutations=200)
    alone = raters.read([r for r in made if r["pool"] != "Other"], scale="nominal")
    plain = raters.xrr(alone, pool="pool", names=["Man", "Woman"], permutations=200)
    assert chosen.pools == ("Man", "Woman")
    assert chosen.kappa_x.value == pytest.approx(plain.kappa_x.value, abs=1e-12)
    assert chosen.test.statistic == pytest.approx(plain.test.statistic, abs=1e-12)
    with pytest.raises(UsageError, match="two or more different pools of the column 'pool'; there are: 'Man'"):
        raters.xrr(alone, pool="pool", names=["Man", "Girl"])


def test_a_matrix_of_a_sliced_table_needs_its_slice():
    table = raters.xrr(raters.read(three_pools(), scale="nominal"), pool="pool", by="half", interval=None)
    with pytest.raises(UsageError, match="several slices: pass slice= one of 'u', 'v'"):
        table.matrix()
    with pytest.raises(UsageError, match="there is no slice 'w'"):
        table.matrix(slice="w")
    with pytest.raises(UsageError, match="several slices"):
        table.pair("Man", "Woman")
    found = table.matrix(slice="v")
    at = found.pools.index("Man"), found.pools.index("Woman")
    assert found.value[at] == table.pair("Man", "Woman", "v").kappa_x.value
