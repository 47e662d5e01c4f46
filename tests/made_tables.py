"""Made tables in many layouts with their truth, whose names the recogniser does not know.

``python tests/made_tables.py [N] [SEED]`` reads them and counts, by layout, how many were read right, asked about,
refused, and read wrong.
"""

from __future__ import annotations

import csv
import json
import random
import sys
import warnings
from collections import Counter, defaultdict
from pathlib import Path
from tempfile import TemporaryDirectory

PEOPLE = [
    "Oyelaran",
    "Bergström",
    "Okafor",
    "Tanaka",
    "Marchetti",
    "Dvorak",
    "Sandoval",
    "Haddad",
    "Nakamura",
    "Pereira",
]
GIVEN = ["Solveig", "Anneke", "Yusuf", "Bohdan", "Thandiwe", "Ines", "Ruairi", "Zofia", "Emre", "Leilani"]
WORKERS = ["sommelier", "auktionator", "preparator", "lektor", "kontrollant", "restorer", "umpire"]
THINGS = ["amphora", "postcard", "melody", "specimen", "leaflet", "mosaic", "tapestry"]
VARIABLES = ["glaze", "warmth", "register", "candour", "patina", "salience", "thrift"]
LABELS = [["ja", "nej"], ["matt", "shiny", "crazed"], [1, 2, 3, 4, 5], [0, 1], ["alto", "tenor", "bass", "solo"]]
Table = tuple[list[str], list[list[object]]]
Want = dict[str, tuple[int, int, int]] | None


def labels(r: random.Random, n: int, k: int, options: list[object]) -> list[list[object]]:
    """Labels of n items by k raters, who give the item's own in most cases."""
    agree = r.uniform(0.6, 0.9)
    own = [r.choice(options) for _ in range(n)]
    return [[t if r.random() < agree else r.choice(options) for _ in range(k)] for t in own]


def raters(r: random.Random, k: int) -> list[str]:
    """Names of raters, in one form."""
    code = ["".join(r.choice("ABCDEFGHKMNP0123456789") for _ in range(9)) + "7Q" for _ in range(k)]
    word, mark = r.choice(WORKERS), r.choice(["_", " ", ".", ""])
    forms = [
        [f"{name.lower()}@archive.example" for name in r.sample(GIVEN, k)],
        [f"5X{c}" for c in code],
        r.sample(PEOPLE, k),
        r.sample(GIVEN, k),
        [f"{word}{mark}{i + 1}" for i in range(k)],
        [f"{word} {x}" for x in "ABCDEFG"[:k]],
    ]
    return r.choice(forms)


def beside(r: random.Random, n: int) -> dict[str, list[object]]:
    """Columns that are no labels."""
    some = {
        "date": [f"2019-{1 + i % 12:02d}-{1 + i % 27:02d}" for i in range(n)],
        "comment": ["" if r.random() < 0.8 else f"unsure about {i}" for i in range(n)],
        "url": [f"https://a.example/{i}" for i in range(n)],
        "age": [r.randrange(18, 80) for _ in range(n)],
    }
    return {name: some[name] for name in r.sample(list(some), r.randrange(3))}


def wide(r: random.Random) -> tuple[Table, Want]:
    n, k = r.randrange(20, 90), r.randrange(2, 6)
    given, more = labels(r, n, k, r.choice(LABELS)), beside(r, n)
    head = [r.choice(THINGS), *more, *raters(r, k)]
    rows = [[f"t{i}", *(v[i] for v in more.values()), *given[i]] for i in range(n)]
    return (head, rows), {"": (n, k, n * k)}


def grid(r: random.Random) -> tuple[Table, Want]:
    n, k, mark = r.randrange(20, 80), r.randrange(2, 4), r.choice(["_", " - ", ": ", "."])
    names, variables = r.sample(PEOPLE, k), r.sample(VARIABLES, r.randrange(2, 4))
    first, columns = r.random() < 0.5, [labels(r, n, k, r.choice(LABELS)) for _ in variables]
    head = [f"{who}{mark}{v}" if first else f"{v}{mark}{who}" for v in variables for who in names]
    rows = [[f"t{i}", *(given[i][j] for given in columns for j in range(k))] for i in range(n)]
    return ([r.choice(THINGS), *head], rows), dict.fromkeys(variables, (n, k, n * k))


def long(r: random.Random) -> tuple[Table, Want]:
    n, k = r.randrange(20, 70), r.randrange(2, 5)
    names, variables = raters(r, k), r.sample(VARIABLES, r.randrange(1, 3))
    columns = [labels(r, n, k, r.choice(LABELS)) for _ in variables]
    rows = [[f"t{i}", names[j], *(given[i][j] for given in columns)] for i in range(n) for j in range(k)]
    return ([r.choice(THINGS), r.choice(WORKERS), *variables], rows), dict.fromkeys(variables, (n, k, n * k))


def measures(r: random.Random) -> tuple[Table, Want]:
    rows = [[i, *(r.choice(["ja", "nej"]) for _ in range(4))] for i in range(r.randrange(30, 90))]
    return (["nr", *r.sample(["frost", "kiln", "slip", "wheel", "ash"], 4)], rows), None


def repeated(r: random.Random) -> tuple[Table, Want]:
    low = [r.randrange(10) for _ in range(r.randrange(30, 90))]
    return (
        ["kid", "arm", "vas_t0", "vas_t1"],
        [[i, r.choice("AB"), x, x + r.randrange(4)] for i, x in enumerate(low)],
    ), None


def design(r: random.Random) -> tuple[Table, Want]:
    rows = [[b, d, s, round(r.gauss(50, 9), 1)] for b in range(5) for d in (0, 10, 20) for s in "uvw"]
    return (["parcel", "potash", "cultivar", "yield"], rows), None


MAKERS = (wide, wide, wide, grid, long, long, measures, repeated, design)


def verdict(path: Path, want: Want) -> str:
    """``right``, ``asked``, ``refused`` or ``wrong``."""
    import raters
    from raters.io.table import SeveralQuestions
    from raters.results import InDoubt

    def sizes(source: object, **options: object) -> tuple[int, int, int]:
        ann = raters.read(source, **options)
        return ann.n_items, ann.n_raters, ann.n_annotations

    try:
        try:
            got = {"": sizes(path)}
        except SeveralQuestions as several:
            got = {q: sizes(several.table or path, question=q) for q in several.questions}
    except InDoubt as doubt:
        return "right" if want is None else "asked" if doubt.asked else "refused"
    if want is None:
        return "wrong"
    return "right" if sorted(got.values()) == sorted(want.values()) else "wrong"


def counted(n: int, seed: int) -> dict[str, Counter[str]]:
    """How many of n made tables were read how, by layout."""
    found: dict[str, Counter[str]] = defaultdict(Counter)
    with TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for i in range(n):
            r = random.Random(f"{seed} {i}")
            make = MAKERS[i % len(MAKERS)]
            (head, rows), want = make(r)
            path = Path(folder, f"{i}.csv")
            with path.open("w", newline="", encoding="utf-8") as file:
                csv.writer(file, delimiter=r.choice(",;\t")).writerows([head, *rows])
            found[make.__name__][verdict(path, want)] += 1
    return found


if __name__ == "__main__":
    total, start = map(int, [*sys.argv[1:], *["300", "1"][len(sys.argv) - 1 :]])
    made = {name: dict(counts) for name, counts in counted(total, start).items()}
    sys.stdout.write(json.dumps(made, indent=1) + "\n")
    wrong, asked = (sum(counts.get(v, 0) for counts in made.values()) for v in ("wrong", "asked"))
    sys.exit(wrong > 0.002 * total or asked > 0.15 * total)
