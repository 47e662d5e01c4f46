"""The collection of people and language models on the same items, as the shared data hold it."""

import gzip
import json
from functools import cache
from pathlib import Path

import raters

TASKS = {
    "framing": ("nominal", 0.15),
    "cebab_aspects": ("nominal", 0.1),
    "summeval": ("interval", 0.2),
    "lesion": ("interval", 0.15),
}
"""Scale, and the epsilon of the published table."""


def rows(folder: Path, task: str, who: str) -> list[tuple[str, str, object]]:
    path = folder / "alt-test" / task / f"{who}_annotations.json"
    text = path.read_text() if path.exists() else gzip.decompress(path.with_suffix(".json.gz").read_bytes()).decode()
    return [(item, rater, label) for rater, labels in json.loads(text).items() for item, label in labels.items()]


@cache
def pair(folder: Path, task: str) -> tuple[raters.Annotations, raters.Annotations]:
    """People and models of a task."""
    scale, _ = TASKS[task]
    people, models = (raters.read(rows(folder, task, who), scale=scale) for who in ("human", "llm"))
    return people, models


@cache
def oracle(folder: Path) -> dict:
    return json.loads((folder / "judges.json").read_text())
