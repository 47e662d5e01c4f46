"""Wong, Paritosh & Aroyo (2021): the figures of the official unit test and of real data."""

import csv
import gzip
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import raters

Rows = list[tuple[Any, ...]]
OFFICIAL_X = {"1": "BB", "2": "BBB", "3": "AA", "4": "AAA", "5": "AB", "6": "AAA", "7": "AAB"}
OFFICIAL_Y = {"1": "BB", "2": "AB", "3": "AB", "4": "AB", "5": "AA"}


def bags(table: dict[str, str], who: str) -> raters.Annotations:
    """One row for each letter."""
    return raters.read([(i, f"{who}{j}", k) for i, labels in table.items() for j, k in enumerate(labels)])


def figures(result: Any, *names: str) -> list[float]:
    return [float(getattr(result, name)) for name in names]


def test_the_official_unit_test() -> None:
    result = raters.xrr(bags(OFFICIAL_X, "x"), bags(OFFICIAL_Y, "y"), interval=None)
    assert figures(result, "kappa_x", "observed", "expected") == pytest.approx([0.1818182, 0.4090909, 0.5], abs=5e-8)
    assert (result.n_shared, result.n_only_x, result.n_only_y) == (5, 2, 0)
    assert (result.kappa_x.observed, result.kappa_x.expected) == pytest.approx(figures(result, "observed", "expected"))
    assert result.kappa_x.parts == "disagreement"


def test_awe_of_the_paper_by_arithmetic() -> None:
    """The normalisation that the paper prints: .0817 / sqrt(.1208 .1170) = .6872."""
    from raters.reliability.xrr.statistics import _normalized

    assert float(_normalized(*(np.array([v]) for v in (0.0817, 0.1208, 0.1170)))[0]) == pytest.approx(0.6872, abs=5e-5)


def wordsim(path: Path) -> Rows:
    head, *rows = csv.reader(path.read_text(encoding="utf-8").splitlines())
    seen: dict[str, int] = {}
    found: Rows = []
    for row in rows:
        pair = " ".join(sorted(word.lower() for word in row[:2]))
        seen[pair] = seen.get(pair, 0) + 1  # two pairs occur in both orders; they stay apart
        item = pair if seen[pair] == 1 else f"{pair} {seen[pair]}"
        found += [
            (item, f"subject {name}", float(value)) for name, value in zip(head[3:], row[3:], strict=True) if value
        ]
    return found


def snow(path: Path) -> Rows:
    with path.open(encoding="utf-8") as file:
        return [
            (" ".join(sorted(row["orig_id"].lower().split())), row["!amt_worker_ids"], float(row["response"]))
            for row in csv.DictReader(file, delimiter="\t")
        ]


@pytest.mark.shared
def test_wordsim_against_snow(data_dir: Path) -> None:
    x = raters.read(wordsim(data_dir / "wordsim353" / "set1.csv"), scale="interval")
    y = raters.read(snow(data_dir / "snow2008" / "wordsim.standardized.tsv"), scale="interval")
    shared = raters.xrr(x, y, irr="iota", irr_items="shared", interval=None)
    assert shared.n_shared == 29
    assert figures(shared, "kappa_x", "observed", "expected") == pytest.approx([0.7052, 7.9165, 26.8506], abs=5e-5)
    assert figures(shared, "irr_x", "irr_y", "normalized") == pytest.approx([0.7648, 0.6528, 0.9980], abs=5e-5)
    whole = raters.xrr(x, y, irr="iota", interval=None)
    assert (whole.irr_x.n_items, whole.irr_y.n_items) == (153, 30)
    assert figures(whole, "irr_x", "irr_y", "normalized") == pytest.approx([0.6677, 0.6720, 1.0527], abs=5e-5)
    assert float(whole.irr_x) == pytest.approx(float(raters.agreement(x, "iota", interval=None)), abs=1e-12)


def brexit(folder: Path, task: str | None) -> raters.Annotations:
    rows: Rows = []
    for name in ("dev.json", "test.json", "train.json.gz"):
        path = folder / f"HS-Brexit_{name}"
        content = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
        for item, entry in json.loads(content).items():
            other = entry["other_info"]
            labels = entry["annotations"] if task is None else other["other annotations"][task]
            groups = [other[g] for g in other["annotators group"].split(",")]
            cells = zip(entry["annotators"].split(","), labels.split(","), groups, strict=True)
            rows += [(f"{name} {item}", rater, label.strip(), group) for rater, label, group in cells]
    columns = dict(zip(("item", "rater", "label", "group"), map(list, zip(*rows, strict=True)), strict=True))
    return raters.read(columns, scale="nominal")


@pytest.mark.shared
@pytest.mark.parametrize(
    ("task", "kappa", "target", "control", "normalized"),
    [
        (None, 0.2380, 0.4339, 0.5828, 0.4734),
        ("aggressive language detection", 0.2617, 0.3368, 0.3734, 0.7381),
    ],
)
def test_brexit_target_against_control(
    data_dir: Path, task: str | None, kappa: float, target: float, control: float, normalized: float
) -> None:
    ann = brexit(data_dir / "lewidi-2023" / "HS-Brexit", task)
    result = raters.xrr(ann, pool="group", irr="iota", resamples=500)
    assert result.pools == ("control group", "target group")
    assert figures(result, "kappa_x", "irr_y", "irr_x", "normalized") == pytest.approx(
        [kappa, target, control, normalized], abs=5e-5
    )
    # the same code as Cohen's kappa with another group column
    assert float(raters.agreement(ann, "cohen", group="group", interval=None)) == float(result.kappa_x)
    assert result.difference.high < 0
    assert "less" in result.sentence or "hardly" in result.sentence


@pytest.mark.shared
def test_crowd_against_one_expert(data_dir: Path) -> None:
    folder = data_dir / "judge-bench" / "dices"

    def read(content: bytes, who: str) -> raters.Annotations:
        cells = [
            (i["id"], i["annotations"]["safety"]["individual_human_scores"]) for i in json.loads(content)["instances"]
        ]
        return raters.read([(i, f"{who}{j}", k) for i, ks in cells for j, k in enumerate(ks)], scale="nominal")

    crowd = read(gzip.decompress((folder / "dices_350_crowdsourced.json.gz").read_bytes()), "crowd ")
    expert = read((folder / "dices_350_expert.json").read_bytes(), "expert ")
    result = raters.xrr(crowd, expert, names=("crowd", "expert"), resamples=200)
    assert figures(result, "kappa_x", "irr_x") == pytest.approx([0.1892, 0.1609], abs=5e-5)
    assert np.isnan(float(result.irr_y)) and np.isnan(float(result.normalized))
    assert result.irr_y.warnings == ("no item has two labels in expert",)
    assert "IRR of expert is undefined" in result.normalized.warnings[0]
    assert any("'Unsure'" in w for w in result.warnings)
    assert result.kappa_x.low < 0.1892 < result.kappa_x.high


@pytest.mark.shared
def test_four_annotators_against_a_hundred(data_dir: Path) -> None:
    few: Rows = []
    many: Rows = []
    names = {"e": "entailment", "n": "neutral", "c": "contradiction"}
    for line in gzip.decompress((data_dir / "varierr-nli" / "varierr.json.gz").read_bytes()).splitlines():
        entry = json.loads(line)
        few += [(entry["id"], f"annotator {e['annotator']}", k) for k in names.values() for e in entry[k]]
        crowd = (names[k] for k, n in entry["chaosnli_labels"].items() for _ in range(n))
        many += [(entry["id"], f"crowd {j}", k) for j, k in enumerate(crowd)]
    assert len(few) == 1933
    x, y = (raters.read(rows, scale="nominal", duplicates="keep") for rows in (few, many))
    result = raters.xrr(x, y, interval=None)
    assert figures(result, "kappa_x", "irr_x", "irr_y") == pytest.approx([0.2614, 0.3297, 0.2855], abs=5e-5)
