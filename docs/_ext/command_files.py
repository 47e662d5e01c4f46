"""Further small files for the examples of options: layouts, exports and judges that no guide has."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import numpy as np
from guide_files import make_files
from openpyxl import Workbook

Rows = list[tuple[Any, ...]]


def make_all(folder: Path) -> None:
    """The files of the guides, and those below."""
    make_files(folder)
    for make in MAKERS:
        make(folder)


def _rows(path: Path) -> Rows:
    with path.open(newline="", encoding="utf-8") as file:
        return [tuple(row) for row in csv.reader(file)]


def _write(path: Path, rows: Rows, delimiter: str = ",", encoding: str = "utf-8") -> None:
    with path.open("w", newline="", encoding=encoding) as out:
        csv.writer(out, delimiter=delimiter).writerows(rows)


def _some() -> Rows:
    """Twelve items, two raters, two labels."""
    return [(i, r, "yes" if (i + (r == "ben") * (i % 4 == 0)) % 3 else "no") for i in range(12) for r in ("ann", "ben")]


def _plain_tables(folder: Path) -> None:
    """One row for each annotation, each file with the oddity that an option is about."""
    some = _some()
    _write(
        folder / "answers.csv",
        [("item", "doc", "worker", "answer", "label"), *((1 + i // 4, f"d{i}", r, x, "no") for i, r, x in some)],
    )
    _write(folder / "marked.csv", [("item", "rater", "label"), *some, (12, "ann", "skip"), (12, "ben", "yes")])
    _write(folder / "twice.csv", [("item", "rater", "label"), *some, (0, "ann", "yes")])
    _write(folder / "plain.csv", some)
    _write(folder / "titled.csv", [("study 3", "coded in May", "second round"), ("item", "rater", "label"), *some])
    _write(folder / "waves.csv", [("item", "rater", "label"), *some], delimiter="~")
    _write(folder / "export.dat", [("item", "rater", "label"), *some])


def _odd_tables(folder: Path) -> None:
    """Counts, numbers, another encoding, raters as rows."""
    some = _some()
    _write(
        folder / "stars.csv",
        [("item", "one", "two", "three"), *((i, i % 3, (i + i % 2) % 3, 2 - i % 3) for i in range(9))],
    )
    _write(
        folder / "marks.csv",
        [
            ("item", "rater", "mark"),
            *((i, j, int((i + (j == 2) * (i % 3 == 0)) % 2)) for i in range(16) for j in range(3)),
        ],
    )
    _write(
        folder / "old.csv",
        [("item", "rater", "label"), *((i, r, "žádný" if x == "no" else x) for i, r, x in some)],
        encoding="cp1250",
    )
    by_rater = {r: [x for _, who, x in some if who == r] for r in ("ann", "ben")}
    _write(
        folder / "by-rater.csv",
        [
            ("rater", *(f"d{i}" for i in range(12))),
            *((r, *given) for r, given in by_rater.items()),
            ("cat", *(("yes", "no")[x == "yes"] for x in by_rater["ann"])),
        ],
    )


def _questions(folder: Path) -> None:
    """Hours, sets in rows, two questions, attributes of raters."""
    _write(
        folder / "hours.csv",
        [("item", "rater", "hour"), *((i, r, (23 + i + (r == "ben")) % 24) for i in range(9) for r in ("ann", "ben"))],
    )
    _write(
        folder / "emotions.csv",
        [
            ("item", "rater", "label"),
            *(
                (i, r, x)
                for i in range(9)
                for r in ("ann", "ben")
                for x in ("joy", "awe")[: 1 + (i + (r == "ben")) % 2]
            ),
        ],
    )
    _write(
        folder / "press.csv",
        [
            ("id", "tone_ann", "tone_ben", "topic_ann", "topic_ben"),
            *(
                (
                    i,
                    *(("calm", "sharp")[(i + d) % 2] for d in (0, i % 5 == 0)),
                    *(("law", "art")[(i + d) % 2] for d in (0, i % 3 == 0)),
                )
                for i in range(15)
            ),
        ],
    )
    _write(
        folder / "attributes.csv",
        [
            ("item", "rater", "label", "region"),
            *(
                (i, f"w{j}", ("yes", "no")[(i + j) % 5 == 0], "north" if j < 4 else "south")
                for i in range(9)
                for j in range(6)
            ),
        ],
    )
    _write(
        folder / "units.csv",
        [
            ("sheet", "case", "rater", "a", "b", "label"),
            *(
                (f"s{i // 3}", f"c{i}", r, 7 * i, 7 * i + 4 + (i + j) % 2, "PER")
                for i in range(9)
                for j, r in enumerate("xyz")
                if i % 3 or j < 2
            ),
        ],
    )
    records = [
        {
            "id": i,
            "text": "Ann met Bob.",
            "spans": [],
            "entities": [{"start_offset": 0, "end_offset": 3 + 4 * i, "label": "PER"}],
        }
        for i in range(3)
    ]
    (folder / "texts.jsonl").write_text("".join(json.dumps(r) + "\n" for r in records), encoding="utf-8")
    _write(folder / "seen.csv", [("sheet", "rater"), *((f"s{i}", r) for i in range(12) for r in "xyz")])


def _exports(folder: Path) -> None:
    """An export of a labelling tool, and a workbook of two sheets."""
    tasks = [
        {
            "text": str(i),
            "_input_hash": i,
            "_task_hash": f"{i}{r}",
            "label": "kind",
            "answer": a,
            "_session_id": f"set-{r}",
        }
        for i in range(6)
        for r, a in (("ann", "accept"), ("ben", "ignore" if i % 2 else "accept"))
    ]
    (folder / "prodigy.jsonl").write_text("".join(json.dumps(task) + "\n" for task in tasks), encoding="utf-8")
    book = Workbook()
    for name, rows in (("Round 1", _some()), ("Round 2", _some()[:12])):
        sheet = book.create_sheet(name)
        for row in [("item", "rater", "label"), *rows]:
            sheet.append(row)
    book.remove(book["Sheet"])
    book.save(folder / "rounds.xlsx")


def _ratings(folder: Path) -> None:
    """A second replication, scores of systems, known answers."""
    rng = np.random.default_rng(7)
    head, *rows = _rows(folder / "likert.csv")
    _write(
        folder / "likert-again.csv",
        [head, *((i, f"{r}b", min(5, max(1, int(x) + int(rng.integers(-1, 2))))) for i, r, x in rows)],
    )
    means = {i: float(np.mean([int(x) for j, _, x in rows if j == i])) for i, _, _ in rows}
    _write(
        folder / "systems.csv",
        [
            ("item", "small", "large"),
            *((i, round(m + rng.normal(), 2), round(m + rng.normal() / 3, 2)) for i, m in means.items()),
        ],
    )
    _write(folder / "experts.csv", [("item", "label"), *((i, round(m)) for i, m in means.items())])


def _rounds(folder: Path) -> None:
    """Everything labelled twice by the same raters."""
    _write(
        folder / "rounds.csv",
        [
            ("item", "rater", "label", "round", "document", "wording"),
            *(
                (
                    f"d{i}",
                    r,
                    "ab"[(i + t * (i % 4 == 0) + (r == "ben") * (i % 5 == 0)) % 2],
                    t,
                    f"D{i // 3}",
                    f"Text {i}",
                )
                for i in range(24)
                for r in ("ann", "ben")
                for t in (1, 2)
            ),
        ],
    )


def _pools(folder: Path) -> None:
    """Two pools in one file and in two, with labels and with points."""
    head, *rows = _rows(folder / "pools.csv")
    few = [row for row in rows if int(row[0][1:]) < 40]
    _write(
        folder / "few-pools.csv",
        [(*head[:3], "office", "channel"), *((*row, "mail" if int(row[0][1:]) % 2 else "chat") for row in few)],
    )
    for name in ("crowd", "experts"):
        _write(folder / f"pool-{name}.csv", [head[:3], *(row[:3] for row in few if row[3] == name)])
    points = [(i, r, 1 + (int(i[1:]) + int(r[-1]) * (int(i[1:]) % 3 == 0)) % 5, pool) for i, r, _, pool in few]
    _write(folder / "pool-points.csv", [("item", "rater", "points", "pool"), *points])
    _write(
        folder / "pool-more.csv",
        [_rows(folder / "labels.csv")[0][:3], *(row[:3] for row in _rows(folder / "labels.csv")[1:200])],
    )


def _subjects(folder: Path) -> None:
    """Sets of labels, some of them empty."""
    head, *rows = _rows(folder / "subjects.csv")
    sets = [{"item": i, "rater": r, "labels": [] if n % 11 < 2 else x.split("; ")} for n, (i, r, x) in enumerate(rows)]
    (folder / "topics.jsonl").write_text("".join(json.dumps(row) + "\n" for row in sets), encoding="utf-8")
    _write(
        folder / "topics.csv",
        [
            (*head, "channel", "document"),
            *((i, r, x, "mail" if n % 4 < 2 else "chat", f"D{n // 6}") for n, (i, r, x) in enumerate(rows)),
        ],
    )


def _judges(folder: Path) -> None:
    """A model's labels with everything that options name: confidence, lengths, families, places, systems."""
    _, *rows = _rows(folder / "model.csv")
    more = [
        (
            *row,
            round(0.5 + (n * 37 % 50) / 100, 2),
            5 + n % 9,
            "ab"[n % 2],
            ("gpt", "other")[n % 3 == 0],
            "gpt",
            1 + n % 3,
        )
        for n, row in enumerate(rows)
    ]
    _write(
        folder / "judged.csv",
        [("item", "rater", "label", "sure", "words", "system", "writer", "family", "times"), *more],
    )
    _write(
        folder / "verdicts.csv",
        [
            ("no", "run", "said", "item", "rater", "label"),
            *((*row, n % 4, n % 3, "none") for n, row in enumerate(rows)),
        ],
    )
    _, *people = _rows(folder / "people.csv")
    _write(
        folder / "both.csv",
        [("item", "rater", "label", "kind"), *((*row, "human") for row in people), *((*row, "model") for row in rows)],
    )
    _write(
        folder / "some-people.csv",
        [
            ("item", "rater", "label", "system"),
            *((*row, "ab"[int(row[0][1:]) % 2]) for row in people if int(row[0][1:]) % 3 == 0),
        ],
    )


def _preferences(folder: Path) -> None:
    """Which of two systems is better, shown in both orders."""
    prefer = [
        (i, r, ("A", "B")[(i + (r == "cat")) % 4 == 0], *(("A", "B") if i % 2 else ("B", "A")))
        for i in range(40)
        for r in ("ann", "ben", "cat")
    ]
    _write(folder / "prefer.csv", [("item", "rater", "label", "first", "second"), *prefer])
    _write(
        folder / "prefers.csv",
        [
            ("item", "rater", "label", "first", "second"),
            *(
                (i, "model", first if i % 5 else second, first, second)
                for i, r, _, first, second in prefer
                if r == "ann"
            ),
        ],
    )


MAKERS = (_plain_tables, _odd_tables, _questions, _exports, _ratings, _rounds, _pools, _subjects, _judges, _preferences)
