"""Small files in other languages, with computed columns, totals, and cells that count: three labels of 24 items."""

import json
import random

rng = random.Random(5)
N = 24
TRUTH = [rng.choice("abc") for _ in range(N)]
GIVEN = [[t if rng.random() < 0.8 else rng.choice("abc") for _ in range(3)] for t in TRUTH]
SCORES = [["abc".index(x) + 1 for x in row] for row in GIVEN]
HALVES = [[x + 0.5 * ((i + j) % 3 == 0) for j, x in enumerate(row)] for i, row in enumerate(SCORES)]
LONG = [(i, p, GIVEN[i][j]) for i in range(N) for j, p in enumerate(("Zoé", "Luc", "Inès"))]


def text(header, rows, mark=","):
    return "".join(mark.join(map(str, row)) + "\n" for row in (header, *rows))


def comma(x, digits=1):
    return f"{x:.{digits}f}".replace(".", ",")


WORDS = {"a": "sí", "b": "no", "c": "quizás"}
COUNTS = [[row.count(x) for x in "abc"] for row in GIVEN]
FILES = {
    "French, a row per annotation": text(["identifiant", "annotateur", "étiquette", "commentaire"], [(*row, "") for row in LONG], ";"),
    "Spanish, a majority and a mean": text(["texto", "codificador_1", "codificador_2", "codificador_3", "mayoría", "promedio"],
        [[f"frase {i}", *(WORDS[x] for x in row), WORDS[TRUTH[i]], i / 10] for i, row in enumerate(GIVEN)]),
    "German, decimal commas, mean and deviation": text(["Nr.", "Satz", "Kodierer 1", "Kodierer 2", "Kodierer 3", "Mittelwert", "Standardabweichung"],
        [[i, f"Satz {i}", *map(comma, row), comma(sum(row) / 3, 2), comma(0.5 + i / 100, 3)] for i, row in enumerate(HALVES)], ";"),
    "a mean under a name that says nothing": text(["nr", "x1", "x2", "x3", "ergebnis"], [[i, *row, f"{sum(row) / 3:.2f}"] for i, row in enumerate(SCORES)]),
    "a few decimal numbers": text(["id", "Müller", "Schmidt", "Weber"], [[i, *row] for i, row in enumerate([
        [3.5, 4, 3.5], [1, 1.5, 1], [4.5, 5, 4.5], [2, 2.5, 2], [3, 3.5, 3], [4, 4, 4.5], [1.5, 1, 1]])]),
    "counts with totals beside and below": text(["item", "a", "b", "c", "Total"],
        [*([i, *row, 3] for i, row in enumerate(COUNTS)), ["Total", *(sum(c) for c in zip(*COUNTS, strict=True)), 3 * N]]),
    "counts in a cell": text(["id", "annotations"], [[i, f'"{json.dumps(dict(zip("abc", row, strict=True))).replace(chr(34), chr(34) * 2)}"'] for i, row in enumerate(COUNTS)]),
    "times, and no id of an export": text(["annotation_id", "created_at", "updated_at", "annotator", "text_id", "choice", "lead_time"],
        [[k, "2026-01-01 10:00", "2026-01-01 11:00", who, i, x, f"{k / 7:.2f}"] for k, (i, who, x) in enumerate(LONG)]),
    "an index, and a label nobody would guess": text(["", "post", "coder", "hateful"], [[k, *row] for k, row in enumerate(LONG)]),
    "names that say nothing, and attributes": text(["zeile", "wer", "was", "thema", "alter"], [[f"z{i}", who, x, "tx"[i % 2], 30 + len(who)] for i, who, x in LONG]),
    "a title above and a remark below": "Round 2,,,\n,,,\n" + text(["Item", "Coder A", "Coder B", "Coder C"], [[i, *row] for i, row in enumerate(GIVEN)]) + ",,,\nNote: coder C left early,,,\n",
}  # fmt: skip
UNNAMED = {"counts with totals beside and below", "counts in a cell"}
