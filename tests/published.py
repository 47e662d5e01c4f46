"""Published crowds with their true labels, from the shared test data, and how often a consensus is right about them."""

import csv
import gzip
from pathlib import Path
from typing import Any

import numpy as np
import yaml

import raters


def word(data_dir: Path, name: str) -> raters.Annotations:
    path = data_dir / "masc-amt-2013" / "munged" / f"{name}.tsv"
    return raters.read(path, scale="nominal", duplicates="keep")


def snow(data_dir: Path, task: str) -> tuple[raters.Annotations, dict[Any, Any]]:
    with gzip.open(data_dir / "snow2008" / f"{task}.standardized.tsv.gz", "rt") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    ann = raters.read(
        [(r["orig_id"], r["!amt_worker_ids"], r["response"]) for r in rows], scale="nominal", duplicates="keep"
    )
    return ann, {r["orig_id"]: ann.labels[0] if r["gold"] == str(ann.labels[0]) else ann.labels[1] for r in rows}


def bluebirds(data_dir: Path) -> tuple[raters.Annotations, dict[Any, Any]]:
    labels, truth = (yaml.safe_load((data_dir / "bluebirds" / f"{x}.yaml").read_text()) for x in ("labels", "gt"))
    rows = [(item, rater, label) for rater, given in labels.items() for item, label in given.items()]
    return raters.read(rows, scale="nominal"), truth


def right(c: raters.results.Consensus, truth: dict[Any, Any]) -> float:
    return float(np.mean([c.labels[item] == truth[item] for item in c.items]))
