"""What is in the data?"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from raters.annotations import counted, dropped, scale_line
from raters.charts.bars import MOST_SETS, bars, dotted, histogram, upset
from raters.charts.chart import Chart
from raters.items.folding import Query
from raters.reporting.context import Context
from raters.reporting.document import Answer, Block, Share, Table, percent

Array = NDArray[Any]
MOST_LABELS = 50
MOST_BARS = 15
SAID = ("note: ", "scale: ")
"""Lines of a table that stand elsewhere."""


def data(c: Context) -> Answer:
    """How much there is of what, how it was taken, and what was dropped."""
    ann = c.ann
    answer = (
        f"{counted(ann.used.n_annotations, 'annotation')} with {len(ann.labels):,} different"
        f" {'sets of labels' if ann.scale.of_sets else 'labels'}."
    )
    blocks: list[Block] = []
    assumed = f"The scale is {ann.scale} ({ann.scale_reason})."
    details: list[Block] = [assumed if ann.scale_assumed else scale_line(ann)]
    if ann.dropped:
        blocks.append(f"Left out: {'; '.join(dropped(ann))}.")
    if ann.repeats:
        kept = {
            "first": "dropped: the first of each was used",
            "last": "dropped: the last of each was used",
            "keep": "also used",
        }
        again = (
            f"{ann.repeats:,} annotations repeat an item and rater, and were {kept.get(ann.duplicates, 'also used')}"
        )
        blocks.append(f"{again}.")
    pictures = _counts(c)
    if len(pictures) > 1:
        details.append(pictures.pop())  # the picture says the same
    details += [line for line in str(ann).splitlines()[1:] if not line.startswith(SAID)]
    return Answer(answer, (*pictures, *blocks, *ann.warnings), details=tuple(details))


def _counts(c: Context) -> list[Block]:
    """How often each label was given; for numbers, how they are spread."""
    ann = c.ann
    got = ann.engine.query(f"SELECT label, count(*) AS n FROM ({Query(ann).base}) AS b GROUP BY label")
    if ann.scale.numbers:
        spread = _spread(got["label"].astype(float), got["n"].astype(float))
        return [spread] if spread is not None else []
    n = dict(zip(got["label"].tolist(), map(int, got["n"]), strict=True))
    total = sum(n.values())
    pictures: list[Block] = [_combinations(c, n)] if ann.scale.of_sets else []
    if len(ann.labels) > MOST_LABELS:
        return pictures
    rows = tuple(
        (str(label), n.get(key, 0), Share(n.get(key, 0) / total))
        for label, key in zip(ann.labels, ann.keys.tolist(), strict=True)
    )
    table = Table("labels", "How often each label was given", ("label", "annotations", "share"), rows)
    if pictures or len(rows) > MOST_BARS:
        return [*pictures, table]
    chart = bars(
        [row[0] for row in rows],
        [row[1] for row in rows],
        texts=[f"{percent(row[2])} ({row[1]:,})" for row in rows],
        name="labels",
        caption="How often each label was given.",
    )
    return [chart, table]


def _combinations(c: Context, n: dict[Any, int]) -> Chart:
    """How often each set of labels was given, as an up-set plot."""
    sets = [tuple(s) for s in c.ann.labels]
    counts = [n.get(key, 0) for key in c.ann.keys.tolist()]
    total = sum(counts)
    texts = [f"{percent(k / total)} ({k:,})" for k in counts]
    caption = "How often each combination of labels was given."
    if dotted(c.ann.members):
        caption += (
            " The dots of a row are the labels given together; the figure below a label's name is the share of all sets"
            " that contain it."
        )
    if len(sets) > MOST_SETS:
        drawn = sum(sorted(counts)[-MOST_SETS:])
        caption += (
            f" The {MOST_SETS} most frequent of {len(sets):,} combinations are shown, which are"
            f" {percent(drawn / total)} of all sets given."
        )
    return upset(c.ann.members, sets, counts, texts=texts, name="labels", caption=caption)


def _spread(values: Array, n: Array) -> Block | None:
    if len(values) < 2:
        return None
    counts, edges = np.histogram(values, bins=20, weights=n)
    bars = [int(k) for k in counts]
    return histogram(
        edges[:-1].tolist(),
        edges[1:].tolist(),
        bars,
        x="label",
        y="annotations",
        name="labels",
        caption="How the labels are spread.",
    )
