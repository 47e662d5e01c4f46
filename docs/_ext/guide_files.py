"""The files of the guides, made by a seed: `python docs/_ext/guide_files.py FOLDER` writes them to try a guide with."""

from __future__ import annotations

import csv
import json
import re
import sys
from collections.abc import Iterable, Sequence
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import numpy as np

TOPICS = ("complaint", "praise", "question")
SUBJECTS = ("family", "health", "money", "work")


def make_files(folder: Path) -> None:
    """Every file that a guide names."""
    rng = np.random.default_rng(2026)
    truth = rng.choice(3, 120, p=[0.5, 0.3, 0.2])
    given = {r: _seen(truth, skill, rng) for r, skill in (("ann", 0.9), ("ben", 0.85), ("cat", 0.8), ("dan", 0.55))}
    long = [
        (f"t{i:03}", r, TOPICS[given[r][i]], "mail" if i % 2 else "chat")
        for i in range(120)
        for r in given
        if rng.random() < 0.9
    ]
    _write(folder / "labels.csv", ("item", "rater", "label", "channel"), long)
    wide = [(f"t{i:03}", f"Message {i}", *(TOPICS[given[r][i]] for r in ("ann", "ben", "cat"))) for i in range(60)]
    _write(folder / "codings.csv", ("id", "text", "coder1", "coder2", "coder3"), wide)
    _write(folder / "gold.csv", ("item", "label"), [(f"t{i:03}", TOPICS[truth[i]]) for i in range(0, 120, 3)])
    _ratings(folder, rng)
    _sets(folder, rng)
    _pools(folder, truth, rng)
    _judges(folder, truth, given, rng)
    _systems(folder, rng)
    _votes(folder, rng)
    _weeks(folder, rng)
    _entities(folder, np.random.default_rng(7))
    for day in (14, 15):
        rows = [(f"{day}-{row[0]}", *row[1:]) for row in long if (int(row[0][1:]) % 2) == day % 2]
        _write(folder / f"2026-11-{day}.csv", ("item", "rater", "label", "channel"), rows)


PEOPLE, PLACES = ("Ann Smith", "Bob Ray", "Eva Lind", "Max Horn"), ("Rome", "New York City", "Oslo", "Port Royal")
SENTENCES = (
    "{p} met {q} in {x}.",
    "On Monday {p} left {x} for {y}.",
    "The mayor of {x} thanked {p}.",
    "Nothing happened.",
)


def _entities(folder: Path, rng: np.random.Generator) -> None:
    """A folder of brat: two people marked the people and places of twelve short texts."""
    for d in range(12):
        names = {"p": rng.choice(PEOPLE), "q": rng.choice(PEOPLE), "x": rng.choice(PLACES), "y": rng.choice(PLACES)}
        text = " ".join(s.format(**names) for s in rng.choice(SENTENCES, 4))
        marks = [(m.start(), m.end(), "PER" if n in PEOPLE else "LOC") for n in sorted({*names.values()})
                 for m in re.finditer(re.escape(n), text)]  # fmt: skip
        for rater, slips in (("ann", 0.05), ("ben", 0.2)):
            lines = []
            for start, end, label in sorted(marks):
                slip = rng.random()
                if slip < slips / 2:
                    continue
                start = start + text[start:end].find(" ") + 1 if slip < slips * 1.5 else start
                label = "ORG" if slip > 1 - slips / 2 else label
                lines.append(f"T{len(lines) + 1}\t{label} {start} {end}\t{text[start:end]}\n")
            where = folder / "press" / rater
            where.mkdir(parents=True, exist_ok=True)
            (where / f"text{d:02}.ann").write_text("".join(lines), encoding="utf-8")
            (where / f"text{d:02}.txt").write_text(text, encoding="utf-8")


def _pools(folder: Path, truth: Any, rng: np.random.Generator) -> None:
    """A crowd and experts on the same items."""
    crowd = [(f"t{i:03}", f"w{j}", TOPICS[_seen(truth, 0.75, rng)[i]], "crowd") for i in range(100) for j in range(3)]
    experts = [
        (f"t{i:03}", f"e{j}", TOPICS[_seen(truth, 0.92, rng)[i]], "experts") for i in range(100) for j in range(2)
    ]
    _write(folder / "pools.csv", ("item", "rater", "label", "pool"), [*crowd, *experts])


def _systems(folder: Path, rng: np.random.Generator) -> None:
    """A crowd that disagrees, by age as well, and the probabilities of two systems."""
    p = rng.dirichlet([1.0, 0.8, 0.6], 150)
    young = np.roll(p, 1, axis=1) * 0.5 + p * 0.5
    ages = {f"c{j:02}": "under 30" if j < 8 else "30 and over" for j in range(20)}
    rows = []
    for i in range(150):
        for r in ages if i % 5 else rng.choice(list(ages), 12, replace=False):
            share = young[i] if ages[r] == "under 30" else p[i]
            region = "north" if int(r[1:]) % 8 < 4 else "south"
            rows.append((f"m{i:03}", r, TOPICS[rng.choice(3, p=share)], ages[r], region))
    _write(folder / "crowd.csv", ("item", "rater", "label", "age", "region"), rows)
    for name, noise in (("system-a", 0.5), ("system-b", 0.9)):
        q = np.log(p + 0.03) + rng.normal(0, noise, p.shape)
        q = np.exp(q) / np.exp(q).sum(1, keepdims=True)
        table = [
            (f"m{i:03}", *(f"{x:.8f}" for x in q[i, :2]), f"{1 - q[i, :2].round(8).sum():.8f}") for i in range(150)
        ]
        _write(folder / f"{name}.csv", ("item", *(f"p({t})" for t in TOPICS)), table)


def _votes(folder: Path, rng: np.random.Generator) -> None:
    """Votes of people between two of four systems."""
    strength = {"atlas": 0.9, "birch": 0.5, "cedar": 0.4, "dune": -0.6}
    names, rows = list(strength), []
    own = rng.normal(0, 0.5, (12, 4))
    for i in range(240):
        a, b = rng.choice(4, 2, replace=False)
        r = int(rng.integers(12))
        d = strength[names[a]] + own[r, a] - strength[names[b]] - own[r, b]
        p = np.exp([d / 2, -d / 2, -0.4])
        won = ("model_a", "model_b", "tie")[rng.choice(3, p=p / p.sum())]
        rows.append((f"p{i % 80}", f"v{r}", names[a], names[b], won))
    _write(folder / "votes.csv", ("prompt", "rater", "model_a", "model_b", "winner"), rows)
    _write(folder / "sides.csv", ("page", "voice", "one", "other", "pick"), rows)


def _weeks(folder: Path, rng: np.random.Generator) -> None:
    """Ten weeks of labels, of which the last four are worse; each in a file, and all in one with dates."""
    every = []
    for week in range(10):
        truth = rng.choice(3, 60, p=[0.5, 0.3, 0.2])
        skill = 0.85 if week < 6 else 0.6
        given = {r: _seen(truth, skill, rng) for r in ("ann", "ben", "cat")}
        rows = [(f"w{week}-{i}", r, TOPICS[given[r][i]]) for i in range(60) for r in given]
        _write(folder / f"w{week + 31}.csv", ("item", "rater", "label"), rows)
        day = date(2026, 8, 3) + timedelta(7 * week)
        every += [(*row, day.isoformat()) for row in rows]
    _write(folder / "weeks.csv", ("item", "rater", "label", "date"), every)
    _write(folder / "calm.csv", ("item", "rater", "label", "date"), every[:1080])
    seen = {"estimates": [{"name": "w35.csv", "n_items": 40}]}
    (folder / "before.json").write_text(json.dumps(seen), encoding="utf-8")


def _judges(folder: Path, truth: Any, given: dict[str, Any], rng: np.random.Generator) -> None:
    """Labels of people and of models for the same items."""
    people = [(f"t{i:03}", r, TOPICS[given[r][i]]) for i in range(120) for r in ("ann", "ben", "cat")]
    _write(folder / "people.csv", ("item", "rater", "label"), people)
    model = _seen(truth, 0.88, rng)
    judged = [(f"t{i:03}", "model", TOPICS[model[i]]) for i in range(120)]
    _write(folder / "model.csv", ("item", "rater", "label"), judged)
    older = [(i, r, TOPICS[n % 3] if n % 7 == 0 else x) for n, (i, r, x) in enumerate(judged)]
    _write(folder / "model-v1.csv", ("item", "rater", "label"), older)
    others = [(i, name, x) for name, rows in (("small", older), ("echo", judged[::-1])) for i, _, x in rows]
    _write(folder / "three-judges.csv", ("item", "rater", "label"), [*judged, *others])


def _seen(truth: Any, skill: float, rng: np.random.Generator) -> Any:
    """The true label with this probability, else any."""
    return np.where(rng.random(len(truth)) < skill, truth, rng.integers(0, 3, len(truth)))


def _ratings(folder: Path, rng: np.random.Generator) -> None:
    quality = rng.normal(3, 1, 80)
    noise = quality[:, None] + rng.normal(0, 0.7, (80, 4)) + np.array([0.0, 0.2, -0.2, 0.5])
    points = np.clip(np.rint(noise), 1, 5).astype(int)
    rows = [(f"q{i}", f"r{j + 1}", int(points[i, j])) for i in range(80) for j in range(4)]
    _write(folder / "likert.csv", ("item", "rater", "rating"), rows)
    scores = [(f"q{i}", f"r{j + 1}", round(float(20 * noise[i, j]), 1)) for i in range(80) for j in range(4)]
    _write(folder / "scores.csv", ("item", "rater", "score"), scores)


def _sets(folder: Path, rng: np.random.Generator) -> None:
    rows = []
    for i in range(60):
        core = rng.choice(4, rng.integers(1, 3), replace=False)
        for r in ("ann", "ben"):
            kept = [k for k in core if rng.random() < 0.85] or [int(core[0])]
            more = [int(rng.integers(4))] if rng.random() < 0.15 else []
            rows.append((f"s{i}", r, "; ".join(SUBJECTS[k] for k in sorted({*kept, *more}))))
    _write(folder / "subjects.csv", ("item", "rater", "labels"), rows)


def _write(path: Path, header: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    with path.open("w", newline="", encoding="utf-8") as out:
        csv.writer(out).writerows([header, *rows])


if __name__ == "__main__":
    make_files(Path(sys.argv[1]))
