"""Short ways for tests: read a table once, fold it once, and ask for many coefficients."""

import csv
import json
from functools import cache
from pathlib import Path
from types import SimpleNamespace

import numpy as np
from scipy import sparse

import raters
from raters.agree.agreement_spec import for_layout, request
from raters.agree.estimating import estimate, folded, kernel_of
from raters.items import Items
from raters.scales import Scale

IRRCAC = {
    "pa": "percent",
    "gwet.ac1": "gwet",
    "fleiss.kappa": "fleiss",
    "scott2": "scott",
    "krippen.alpha": "krippendorff",
    "krippen2": "krippendorff",
    "conger.kappa": "conger",
    "kappa2": "cohen",
    "bp.coeff": "brennan_prediger",
    "bp2": "brennan_prediger",
    "pa.coeff": "percent",
    "pa2": "percent",
}
"""irrCAC's names, without ``.raw`` and ``.table``."""


class Folded:
    """A table that is folded once for each way of grouping, however many coefficients are asked of it."""

    def __init__(self, ann):
        self.ann = ann
        self.bags = {}

    def __call__(self, coefficient, **options):
        req = for_layout(request(coefficient, **options), self.ann)
        moments = "moments" if req.by_scale or req.distance is not None else "labels"
        key = req.coefficient.between_groups, moments
        if key not in self.bags:
            self.bags[key] = folded(req, self.ann)[None]
        return estimate(req, self.bags[key], kernel_of(req, self.ann))


@cache
def rows(path: Path) -> list[dict[str, str]]:
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@cache
def raw(path: Path, scale: str | None = None) -> raters.Annotations:
    """A CSV of items by raters; empty and NA are missing; numbers are numbers."""
    with open(path, encoding="utf-8", newline="") as file:
        body = [[None if cell in ("", "NA") else cell for cell in row] for row in list(csv.reader(file))[1:]]
    try:
        matrix = [[None if cell is None else float(cell) for cell in row] for row in body]
        return raters.read(matrix, layout="wide", scale=scale or "interval")
    except ValueError:
        return raters.read(body, layout="wide", scale=scale or "nominal")


@cache
def contingency(path: Path) -> raters.Annotations:
    with open(path, encoding="utf-8", newline="") as file:
        head, *body = csv.reader(file)
    return raters.read([[int(n) for n in row] for row in body], layout="contingency", labels=head, scale="nominal")


@cache
def classic(oracles: Path) -> dict:
    return json.loads((oracles / "classic_tables.json").read_text(encoding="utf-8"))


def limits(text: str) -> tuple[float, float]:
    """irrCAC's interval, ``(0.542,1)``."""
    low, high = text.strip("()").split(",")
    return float(low), float(high)


def same(ours: float, printed: str) -> bool:
    """Whether a number, rounded to the digits of ``printed``, is what a paper prints: ``same(e.value, ".743")``."""
    return abs(ours - float(printed)) <= 0.5000001 * 10 ** -len(printed.partition(".")[2])


def square(*table, labels=None) -> raters.Annotations:
    """A contingency table of two raters."""
    return raters.read(table, layout="contingency", labels=labels, scale="nominal")


def wide(table: str, scale: str = "nominal") -> raters.Annotations:
    """Items by raters: a word per item, a character per rater, a dot where there is no label; digits are numbers."""
    cells = [[None if c == "." else int(c) if c.isdigit() else c for c in word] for word in table.split()]
    return raters.read(cells, layout="wide", scale=scale)


def bag(annotations, labels, grouped: bool) -> Items:
    """Items from (item, group, label) without an engine: a pattern for each item."""
    items = list(dict.fromkeys(i for i, _, _ in annotations))
    groups = sorted({g for _, g, _ in annotations}) if grouped else [None]
    counts = np.zeros((len(items), len(groups) * len(labels)))
    for item, group, label in annotations:
        g = groups.index(group) if grouped else 0
        counts[items.index(item), g * len(labels) + list(labels).index(label)] += 1
    n_raters = len({g for _, g, _ in annotations})
    return Items(np.ones(len(items)), sparse.csr_array(counts), tuple(labels), tuple(groups), n_raters=n_raters)


def kernel(coefficient, labels, scale="nominal", period=None, **options):
    """The kernel of a request, for labels that are numbers."""
    x = np.array(labels, float)
    like = SimpleNamespace(keys=x, numeric=True, labels=tuple(labels), scale=Scale(scale), period=period)
    return kernel_of(request(coefficient, **options), like)


def ask(annotations, labels, coefficient, scale="nominal", period=None, **options):
    """An estimate from (item, rater, label), without an engine; interval=None unless one is asked for."""
    req = request(coefficient, **{"interval": None, **options})
    items = bag(annotations, labels, req.coefficient.between_groups)
    given = {k: v for k, v in options.items() if k in ("weights", "distance", "weights_by")}
    return estimate(req, items, kernel(coefficient, labels, scale, period, **given))
