"""Set distances, and Krippendorff's alpha with them: MASI (Passonneau 2004, 2006) and Jaccard."""

import gzip
import json
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import raters
from raters.errors import UsageError
from raters.io.read import read
from raters.scales.sets import MASI, SIMILARITIES, LabelSet, similarity

SETS = st.lists(st.frozensets(st.sampled_from("ABCD")), min_size=1, max_size=12)
M = {"masi": (2 / 3, 1 / 3), "masi_rounded": (0.67, 0.33), "masi_2004": (2 / 3, 1 / 3)}


def by_definition(name: str, a: frozenset[str], b: frozenset[str]) -> float:
    if a == b:
        return 1.0
    j = len(a & b) / len(a | b)
    if name == "jaccard":
        return j
    if name == "dice":
        return 2 * len(a & b) / (len(a) + len(b))
    if not a & b:
        return 0.0
    m = M[name][0] if a < b or b < a else M[name][1]
    return m if name == "masi_2004" else j * m


@pytest.mark.parametrize("name", SIMILARITIES)
@given(SETS)
def test_similarities_are_as_defined(name: str, sets: list[frozenset[str]]) -> None:
    found = similarity(name, [LabelSet(sorted(s)) for s in sets])
    want = [[by_definition(name, a, b) for b in sets] for a in sets]
    np.testing.assert_allclose(found, want, atol=1e-14)


def alpha_by_hand(items: list[list[frozenset[str]]], name: str) -> float:
    """1 - D_o / D_e, straight from Krippendorff's definition."""
    units = [u for u in items if len(u) > 1]
    every = [s for u in units for s in u]
    n = len(every)
    apart = [[1 - by_definition(name, a, b) for a, b in combinations(u, 2)] for u in units]
    observed = sum(2 * sum(d) / (len(u) - 1) for d, u in zip(apart, units, strict=True)) / n
    expected = sum(2 * (1 - by_definition(name, a, b)) for a, b in combinations(every, 2)) / (n * (n - 1))
    return 1 - observed / expected


@pytest.mark.parametrize("name", SIMILARITIES)
def test_alpha_is_as_defined(name: str) -> None:
    rng = np.random.default_rng(3)
    items = [
        [frozenset("ABCD"[k] for k in rng.integers(0, 4, 2)) for _ in range(rng.integers(1, 5))] for _ in range(30)
    ]
    items[0] = [frozenset(), frozenset("A")]
    ann = read([(i, f"r{j}", s) for i, u in enumerate(items) for j, s in enumerate(u)], scale="sets")
    assert raters.agreement(ann, distance=name, interval=None).value == pytest.approx(
        alpha_by_hand(items, name), rel=1e-12
    )
    weighted = raters.agreement(ann, weights=name, interval=None)
    assert weighted.value == pytest.approx(alpha_by_hand(items, name), rel=1e-12) and weighted.parts == "agreement"


@pytest.mark.parametrize("distance", SIMILARITIES)
def test_single_labels_give_nominal_alpha(distance: str) -> None:
    rng = np.random.default_rng(0)
    rows = [(i, f"r{j}", "ABC"[rng.integers(0, 3)]) for i in range(40) for j in range(3) if rng.random() < 0.8]
    sets = read([(i, r, [k]) for i, r, k in rows], scale="sets")
    plain = raters.agreement(read(rows, scale="nominal"), interval="delta")
    found = raters.agreement(sets, distance=distance, interval="delta")
    assert (found.value, found.se) == (pytest.approx(plain.value, rel=1e-12), pytest.approx(plain.se, rel=1e-9))


def test_the_scale_chooses_masi() -> None:
    ann = read([("1", "a", ["x", "y"]), ("1", "b", ["x"]), ("2", "a", ["z"]), ("2", "b", ["z"])], scale="sets")
    assert raters.agreement(ann, interval=None) == raters.agreement(ann, distance="masi", interval=None)
    weights = {e.name: e.weights for e in raters.agreement_table(ann, interval=None)}
    assert weights.pop("percent") == "identity"  # unweighted unless weights are given
    assert set(weights.values()) == {"masi"}
    assert not {"gwet", "brennan_prediger"} & {e.name for e in raters.agreement_table(ann, interval=None)}


def test_what_is_not_for_sets_says_so() -> None:
    ann = read([("1", "a", ["x"]), ("1", "b", ["x"]), ("2", "a", ["z"]), ("2", "b", ["z"])], scale="sets")
    plain = read([("1", "a", "x"), ("1", "b", "x")], scale="nominal")
    with pytest.raises(UsageError, match="does not apply to sets of labels"):
        raters.agreement(ann, weights="quadratic")
    with pytest.raises(UsageError, match="does not apply to sets of labels"):
        raters.agreement(ann, distance="interval")
    with pytest.raises(UsageError, match="these are single labels"):
        raters.agreement(plain, distance="masi")
    with pytest.raises(UsageError, match="unknown distance"):
        raters.agreement(plain, distance="missi")


def test_per_label_is_per_label_of_a_set() -> None:
    rows = [
        ("1", "a", ["x", "y"]),
        ("1", "b", ["x"]),
        ("2", "a", ["z"]),
        ("2", "b", ["z", "x"]),
        ("3", "a", []),
        ("3", "b", ["y"]),
    ]
    ann = read(rows, scale="sets")
    for e in raters.per_label(ann, interval=None):
        yes = read([(i, r, e.name in s) for i, r, s in rows], scale="nominal")
        assert e.value == pytest.approx(raters.agreement(yes, interval=None).value)


def varierr(data_dir: Path, rule: str) -> list[tuple[str, str, set[str]]]:
    """METHODS: all labels; those whose author stands by them; those that two or more others accept."""
    found: dict[tuple[str, str], set[str]] = {}
    with gzip.open(data_dir / "varierr-nli" / "varierr.json.gz", "rt", encoding="utf-8") as file:
        for line in file:
            item = json.loads(line)
            for label in ("entailment", "neutral", "contradiction"):
                for given_ in item[label]:
                    who = given_["annotator"]
                    said = {j["annotator"]: bool(j["makes_sense"]) for j in given_["judgments"]}
                    peers = sum(ok for other, ok in said.items() if other != who)
                    if {"all": True, "self": said.get(who, False), "peer": peers >= 2}[rule]:
                        found.setdefault((item["id"], f"annotator {who}"), set()).add(label)
    return [(i, r, s) for (i, r), s in found.items()]


@pytest.mark.shared
@pytest.mark.parametrize(
    ("rule", "n_sets", "n_items", "masi", "jaccard"),
    [("all", 1856, 496, 0.3475, 0.3568), ("self", 1651, 488, 0.5042, 0.5160), ("peer", 1564, 474, 0.6905, 0.6983)],
)
def test_varierr(data_dir: Path, rule: str, n_sets: int, n_items: int, masi: float, jaccard: float) -> None:
    ann = read(varierr(data_dir, rule), scale="sets")
    table = raters.multilabel(ann, interval=None)
    assert ann.n_annotations == n_sets
    assert table["alpha_masi"].value == pytest.approx(masi, abs=5e-5)
    assert table["alpha_jaccard"].value == pytest.approx(jaccard, abs=5e-5)
    two = ann.engine.query(
        "SELECT count(*) AS n FROM (SELECT item FROM annotations GROUP BY item HAVING count(*) > 1) AS t"
    )
    assert int(two["n"][0]) == n_items
    assert table.form == "pairs" and len(table.pairs) == 6 * 6


@pytest.mark.shared
def test_crowdtruth(data_dir: Path) -> None:
    ann = read(
        data_dir / "crowdtruth" / "event-text-sparse-multiple-choice.csv.gz",
        item="_unit_id",
        rater="_worker_id",
        label="selected_events",
        scale="sets",
    )
    assert (ann.n_items, ann.n_raters, ann.n_annotations) == (42, 58, 840)
    table = raters.multilabel(ann, interval=None)
    assert table["alpha_masi"].value == pytest.approx(0.3816, abs=5e-5)
    assert table["alpha_jaccard"].value == pytest.approx(0.4711, abs=5e-5)
    assert table.form == "pooled" and table.chance == "simulated"
    assert any("are pooled" in w for w in table["boot_match"].warnings)


def test_masi_by_name() -> None:
    ann = read([("1", "a", ["x", "y"]), ("1", "b", ["x"]), ("2", "a", ["z"]), ("2", "b", ["z", "x"])], scale="sets")
    values = [raters.multilabel(ann, masi=name, interval=None)["alpha_masi"] for name in MASI]
    assert len({e.value for e in values}) == 3 and [e.weights for e in values] == list(MASI)
