"""Tables of the shared test data, as votes with codes of gold labels (-1 for none), or as numbers with gold."""

from __future__ import annotations

import csv
import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

import raters
from raters.models.base.votes import Votes

Case = tuple[str, list[tuple[Votes, np.ndarray]]]
Row = tuple[Any, Any, Any]
EMOTIONS = ("anger", "disgust", "fear", "joy", "sadness", "surprise", "valence", "wordsim")


def with_gold(folder: Path) -> Iterator[Case]:
    """Labels with gold: of Snow et al. (2008), the bluebirds of Welinder et al. (2010), and MACE's example."""
    for task in ("rte", "temp", "wsd"):
        rows = snow(folder, task)
        given = [(r["orig_id"], r["!amt_worker_ids"], r["response"]) for r in rows]
        yield task, [coded(given, {r["orig_id"]: r["gold"] for r in rows})]
    import yaml

    labels, truth = (yaml.safe_load((folder / "bluebirds" / f"{x}.yaml").read_text()) for x in ("labels", "gt"))
    given = [(i, r, str(x)) for r, found in labels.items() for i, x in found.items()]
    yield "bluebirds", [coded(given, {i: str(x) for i, x in truth.items()})]
    yield mace(folder / "mace_example")
    yield "DICES 350, gold: one expert", [coded(dices(folder), dict(experts(folder)))]


def without_gold(folder: Path) -> Iterator[Case]:
    """Labels without gold: only hidden votes can check what is stated."""
    yield "HS-Brexit", [coded(list(brexit(folder)), {})]
    for word in ("add-v", "date-n"):
        with (folder / "masc-amt-2013" / "munged" / f"{word}.tsv").open() as file:
            yield f"MASC {word}", [coded([(r[0], r[1], r[2]) for r in list(csv.reader(file, delimiter="\t"))[1:]], {})]
    with gzip.open(folder / "crowdscale2013-google" / "Google.tsv.gz", "rt") as file:
        rows = [(r[0], r[1], r[2]) for r in list(csv.reader(file, delimiter="\t"))[1:]]
    yield "Google (crowdscale), 4,000 items", [coded([r for r in rows if int(r[0]) <= 4000], {})]


def numbers(folder: Path) -> Iterator[tuple[str, list[tuple[Any, Any, float]], dict[Any, float]]]:
    """Numbers with gold: emotions of headlines and similarity of words (Snow et al. 2008)."""
    for task in EMOTIONS:
        rows = snow(folder, task)
        given = [(r["orig_id"], r["!amt_worker_ids"], float(r["response"])) for r in rows]
        yield task, given, {r["orig_id"]: float(r["gold"]) for r in rows}


def snow(folder: Path, task: str) -> list[dict[str, str]]:
    path = folder / "snow2008" / f"{task}.standardized.tsv"
    with path.open() if path.exists() else gzip.open(f"{path}.gz", "rt") as file:
        return list(csv.DictReader(file, delimiter="\t"))


def mace(folder: Path) -> Case:
    """The example that comes with MACE: a row for each item, a column for each rater, gold in a file beside it."""
    gold = (folder / "example.key").read_text(encoding="utf-8").split()
    with (folder / "example.csv").open(encoding="utf-8") as file:
        rows = [(i, j, x) for i, row in enumerate(csv.reader(file)) for j, x in enumerate(row) if x]
    return "mace_example", [coded(rows, dict(enumerate(gold)))]


def dices(folder: Path) -> list[Row]:
    """350 conversations: raters are in the same order in every item (not so in the 990 others, whose raters have no
    names).
    """
    with gzip.open(folder / "judge-bench" / "dices" / "dices_350_crowdsourced.json.gz", "rt") as file:
        found = json.load(file)["instances"]
    return [
        (one["id"], rater, label)
        for one in found
        for rater, label in enumerate(one["annotations"]["safety"]["individual_human_scores"])
        if label is not None
    ]


def experts(folder: Path) -> Iterator[tuple[Any, str]]:
    found = json.loads((folder / "judge-bench" / "dices" / "dices_350_expert.json").read_text())["instances"]
    for one in found:
        yield one["id"], str(one["annotations"]["safety"]["majority_human"])


def brexit(folder: Path) -> Iterator[Row]:
    for part in ("train", "dev", "test"):
        path = folder / "lewidi-2023" / "HS-Brexit" / f"HS-Brexit_{part}.json"
        text = path.read_text() if path.exists() else gzip.decompress(Path(f"{path}.gz").read_bytes()).decode()
        for name, one in json.loads(text).items():
            who, what = one["annotators"].split(","), one["annotations"].split(",")
            yield from ((f"{part} {name}", r, x) for r, x in zip(who, what, strict=True))


def coded(rows: list[Row], gold: dict[Any, Any]) -> tuple[Votes, np.ndarray]:
    votes = Votes.of(raters.read(rows, scale="nominal", duplicates="keep"))
    names = [str(x) for x in votes.labels]
    known = [str(gold.get(i)) for i in votes.items]
    return votes, np.array([names.index(x) if x in names else -1 for x in known])
