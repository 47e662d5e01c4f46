"""The answer of ``raters consensus``: how many items are settled, of which labels, and how good the raters are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from raters.estimate import Estimate
from raters.models.fitting.checks import equal_prevalence
from raters.models.follow_up.why import (
    MOST_KINDS,
    assumed_items,
    certain_at,
    findings,
    lost_labels,
    overruled,
)
from raters.models.held_out.power import HELD_OUT, checked, with_tempering
from raters.models.result import Consensus
from raters.reporting.answer import Answer, Grid
from raters.reporting.names import as_sentence
from raters.reporting.short_table import short_table
from raters.reporting.table_answer import table_answer

AT_RISK = "agreement_may_be_chance"
"""The note that belongs into the first line."""
TOLD = {"equal_prevalence", AT_RISK}
"""Notes that the reasons tell."""
BLIND = "no_information_found"
USUAL = 0.99
LEANING = 0.8
ROWS, LEAST = 6, 3
"""So many rows have the tables of labels and raters together, and so many raters are shown at least: those with flags,
then those with the most labels.
"""


def consensus_answer(
    ann: Any, c: Consensus, raters: Sequence[Estimate], threshold: float, about: Sequence[str], lines: Sequence[str]
) -> Answer:
    """``about``: what has to be known about the raters; ``lines``: what further options ask for."""
    at = threshold or USUAL
    kinds = by_label(c, at)
    some = sorted(raters, key=_matters)[: max(LEAST, ROWS - (len(kinds.rows) if kinds else 0))]
    more = [f"--all ({len(raters)} raters)"] if len(some) < len(raters) else []
    more += ["-o gold.csv", *([] if c.numeric else ["--next 100"]), "--details", "--format json"]
    found = table_answer(ann, some, settled(c, at), more=more)
    shown = [replace(short_table(some), head=("rater", "bits", *short_table(some).head[2:]))] if some else []
    grids: list[Grid | tuple[str, ...]] = [*([kinds] if kinds else []), *shown]
    drawn = tuple(line for line in lines if "  " in line.strip())
    said = tuple(as_sentence(line) for line in lines if line and line not in drawn)
    why = tuple(filter(None, why_so(c, at)))
    told = TOLD | ({BLIND} if raters else set())  # what is known about raters names all of these, and more
    notes = [as_sentence(str(n)) for n in c.notes if n.code not in told]
    meaning, more_of_raters = (about[:1], about[1:]) if some else ((), about)
    known = tuple(as_sentence(line.removeprefix("note: ")) for line in more_of_raters)
    true = ("Bits and accuracy take the model for true; only gold labels can tell.",) if some else ()
    return replace(
        found,
        grids=(*grids, *((drawn,) if drawn else ())),
        figures=len(grids) - 1,
        why=why,
        note=(*found.note, *true, *known, *notes, *said),
        details=(*found.details, *meaning, *findings(c, told=True)),
    )


def _matters(e: Estimate) -> tuple[bool, int]:
    """Raters with a flag first, then those who gave the most labels."""
    return not e.details.get("flags"), -e.n_annotations


def settled(c: Consensus, at: float) -> str:
    """How many items have a settled label, or how exact a value is."""
    n = c.votes.n_items
    if c.numeric:
        middle = float(np.median(c.posterior[:, 1]))
        exact = f"the median standard deviation is {middle:.2g}" if middle == middle else "how exact it is is unknown"
        return f"The {c.model} model estimates a value for each of {n:,} items; {exact}."
    sure = int((c.certainty >= at).sum())
    named = c.mixture is None and not (c.definition.likelihood and not checked(c))
    under = f" under {c.model}" if named else ""
    of = f"{sure:,} of {n:,} items ({sure / max(n, 1):.0%})"
    plain = checked(c) and (c.definition.likelihood or c.decided is not None)
    said = (
        f"{of} are settled (probability at least {at:g}{under})." if plain else f"{of} have {certain_at(c, at)}{under}."
    )
    chance = next((n for n in c.notes if n.code == AT_RISK), None)
    said = f"{said} {as_sentence(str(chance))}" if chance is not None else said
    if not under and c.power == 1 and c.mixture is None:
        held = int((with_tempering(c, HELD_OUT).certainty >= at).sum())
        said += f" Adjusted to held-out labels (--tempering {HELD_OUT}), {held:,} of {n:,} are settled."
    return said


def why_so(c: Consensus, at: float) -> list[str]:
    """What else decides how the labels may be used."""
    if c.numeric:
        return []
    pulled, lost = str(equal_prevalence(c) or ""), lost_labels(c, at)
    return [
        as_sentence(pulled) if pulled else "",
        assumed_items(c),
        f"Fewer than a quarter of those labelled {lost} are settled: settled items alone are no training set."
        if lost
        else "",
        overruled(c),
    ]


def by_label(c: Consensus, at: float) -> Grid | None:
    """For each label its items, and how many of them are settled, lean towards it, or are open."""
    if c.numeric:
        return None
    n = np.bincount(c.codes[c.codes >= 0], minlength=c.votes.n_labels)
    kinds = [int(k) for k in np.argsort(-n, kind="stable") if n[k]]
    if not 1 < len(kinds) <= MOST_KINDS:
        return None
    share = not c.definition.likelihood and c.decided is None
    head = ("label", "items", f"{at:.0%} of votes" if share else "settled", "leaning", "open")
    rows = []
    for k in kinds:
        sure = c.certainty[c.codes == k]
        top, some = int((sure >= at).sum()), int((sure >= LEANING).sum())
        rows.append((str(c.votes.labels[k]), *(f"{x:,}" for x in (len(sure), top, some - top, len(sure) - some))))
    return Grid(head, tuple(rows))
