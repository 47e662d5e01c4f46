"""Remakes Figure 1 of Marchal et al. (2022): ``python docs/figures/multilabel.py`` writes multilabel.svg beside it.

Rows: measures. Columns: the share of items on which coders share a label. Each point is the mean over 100 datasets of
100 items and five categories. Chance is exact, where the paper simulated it 100 times for each dataset.
"""

from itertools import combinations
from pathlib import Path

import altair as alt
import numpy as np

from raters import simulate
from raters.reliability.sets.statistics import Options, Sets, statistics, two_raters
from raters.scales.sets import LabelSet

DATASETS = 100
MEASURES = ("soft_match", "augmented", "boot_match", "boot_f1")
COLOURS = {"observed": "#c0392b", "expected": "#2980b9", "adjusted": "#27ae60"}


def measured(sets: simulate.SimulatedSets) -> np.ndarray:
    """(measure, part): observed, expected and adjusted."""
    q = len(sets.prevalence)
    labels = [LabelSet(c) for m in (1, 2) for c in combinations(range(q), m)]
    at = {frozenset(s): i for i, s in enumerate(labels)}
    x, y = (np.array([at[frozenset(row[row >= 0].tolist())] for row in t]) for t in (sets.first, sets.second))
    found, _ = statistics(two_raters(np.ones(len(x)), x, y, Sets(labels, range(q)), Options()), Options())
    parts = [found[name].parts(np.ones((1, len(x)))) for name in MEASURES]
    return np.array([[p.observed[0], p.expected[0], p.value[0]] for p in parts])


def points() -> list[dict[str, object]]:
    rows: list[dict[str, object]] = []
    for share in (0.6, 0.75, 0.9):
        for double in (0, 0.25, 0.5, 0.75, 1):
            drawn = (simulate.multilabel(100, 5, double=double, intersection=share, seed=s) for s in range(DATASETS))
            mean = np.mean([measured(d) for d in drawn], 0)
            for name, values in zip(MEASURES, mean, strict=True):
                for part, value in zip(COLOURS, values, strict=True):
                    rows.append(
                        {
                            "measure": name,
                            "intersection": f"{share:.0%}",
                            "double": double,
                            "part": part,
                            "value": round(float(value), 4),
                        }
                    )
    return rows


def chart(rows: list[dict[str, object]]) -> alt.FacetChart:
    part = alt.Color(
        "part:N",
        sort=list(COLOURS),
        title=None,
        legend=alt.Legend(orient="top"),
        scale=alt.Scale(domain=list(COLOURS), range=list(COLOURS.values())),
    )
    lines = (
        alt.Chart(alt.Data(values=rows))
        .mark_line(point=True)
        .encode(
            x=alt.X("double:Q", title="annotations with two labels", axis=alt.Axis(format="%", values=[0, 0.5, 1])),
            y=alt.Y("value:Q", title=None, scale=alt.Scale(domain=[-0.4, 1])),
            color=part,
            strokeDash=alt.StrokeDash("part:N", sort=list(COLOURS), legend=None),
        )
    )
    return lines.properties(width=150, height=110).facet(
        row=alt.Row("measure:N", sort=list(MEASURES), title=None),
        column=alt.Column("intersection:N", title="items on which coders share a label"),
    )


if __name__ == "__main__":
    chart(points()).save(Path(__file__).with_suffix(".svg"))
