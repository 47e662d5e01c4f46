"""The view of the consensus: which labels the votes settle, the items by how sure their label is, and what to label next."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from raters.errors import DataError
from raters.models.fit_consensus import consensus
from raters.models.follow_up.next_labels import label_next
from raters.models.follow_up.training import training, written
from raters.models.result import Consensus
from raters.reporting.cards import item_texts
from raters.reporting.consensus_answer import LEANING, USUAL, by_label, settled, why_so
from raters.reporting.context import Context
from raters.reporting.label_next import TOOLS
from raters.reporting.label_next import written as next_written
from raters.reporting.office import Sheet, workbook
from raters.web.state import State
from raters.writing import csv_text

PAGE, NEXT, ASKED = 25, 10, 100
"""Items of a page; labels to ask for that are shown, and that a file has."""
Gold = Sequence[tuple[str, str]]


def fit_of(c: Context, gold: Gold) -> Consensus:
    """The fit of the report; with ``gold``, one that knows what was decided."""
    fit = c.fit if isinstance(c.numbers, str) else c.numbers[0]
    if isinstance(fit, str):
        raise DataError(f"There is no consensus: {fit}.")
    if not gold or fit.numeric:
        return fit
    items, labels = {str(x): x for x in fit.items}, {str(x): x for x in fit.label_names}
    known = {items[i]: labels[x] for i, x in gold if i in items and x in labels}
    return consensus(replace(c.part, duplicates="first"), gold=known)


def consensus_view(c: Context, fit: Consensus, state: State, match: Callable[[Any], Any]) -> dict[str, Any]:
    """What the template shows; ``match``: which of the items have the words that are searched."""
    names = np.array([str(x) for x in fit.items], dtype=object)
    sure = fit.posterior[:, 1] if fit.numeric else fit.certainty
    found = match(names)
    groups = {"": np.ones(len(names), bool)}
    if not fit.numeric:
        at = np.nan_to_num(sure)
        groups |= {"open": at < LEANING, "leaning": (at >= LEANING) & (at < USUAL), "settled": at >= USUAL}
    keep = np.flatnonzero(groups.get(state.only, groups[""]) & found)
    keep = keep[np.argsort(-sure[keep] if fit.numeric else sure[keep], kind="stable")]
    last = max(1, -(-len(keep) // PAGE))
    page = min(state.page, last)
    shown = keep[(page - 1) * PAGE : page * PAGE].tolist()
    asked = () if fit.numeric else tuple(label_next(fit, NEXT))
    texts = item_texts(c.ann, [fit.items[i] for i in shown] + [row.item for row in asked])
    labels = list(fit.labels.values())
    return {
        "answer": settled(fit, USUAL),
        "kinds": by_label(fit, USUAL),
        "why": [w for w in why_so(fit, USUAL) if w],
        "numeric": fit.numeric,
        "rows": [(names[i], texts.get(names[i], ""), labels[i], float(sure[i])) for i in shown],
        "sizes": {name: int((mask & found).sum()) for name, mask in groups.items()},
        "n": len(keep),
        "number": page,
        "last": last,
        "asked": [
            (str(r.item), texts.get(str(r.item), ""), "anybody" if r.rater is None else str(r.rater), r.bits)
            for r in asked
        ],
    }


def _table(c: Context, fit: Consensus) -> dict[str, list[Any]]:
    return training(c.ann, fit)


def _next(name: str, tool: str | None) -> Callable[[Context, Consensus], bytes]:
    return lambda c, fit: next_written(c.ann, label_next(fit, ASKED), Path(name), tool)


def _csv(c: Context, fit: Consensus) -> bytes:
    found = _table(c, fit)
    return csv_text(list(found), zip(*found.values(), strict=True)).encode()


def _xlsx(c: Context, fit: Consensus) -> bytes:
    found = _table(c, fit)
    return workbook([Sheet("consensus", list(found), list(zip(*found.values(), strict=True)))])


FILES: Mapping[str, tuple[str, Callable[[Context, Consensus], bytes]]] = {
    "consensus.csv": ("CSV", _csv),
    "consensus.xlsx": ("Excel", _xlsx),
    "consensus.jsonl": ("JSON lines", lambda c, fit: written(_table(c, fit), ".jsonl")),
    "next.csv": ("CSV", _next("next.csv", None)),
    "next.xlsx": ("Excel", _next("next.xlsx", None)),
    **{
        f"next-{tool}{ending}": (tool.replace("_", " ").title(), _next(f"next{ending}", tool))
        for tool, (ending, _) in TOOLS.items()
    },
}
"""What can be downloaded here: the words of the button, and what makes the file."""
