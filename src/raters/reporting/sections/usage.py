"""Which raters used which labels?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from raters.agree.label_use import OTHERS, LabelUse, differing, largest_difference
from raters.charts.bars import MOST_LABELS, shares
from raters.charts.chart import short
from raters.charts.heat import heat
from raters.errors import brief
from raters.estimate import name_of
from raters.reporting.advice import camps_labels
from raters.reporting.context import Context
from raters.reporting.document import Answer, Block, Cell, Chance, Share, long_table

MOST_HEAT = (25, 12)
"""Raters and labels of the heat map; the table has the rest."""
MOST_NAMED = 3
ALL = "(all raters)"
FEW = 6
"""Rows of the small table."""


def usage(c: Context) -> Answer:
    """Shares of labels of every rater beside those of all, and who differs from the others on the same items."""
    use = c.label_use
    if isinstance(use, str):
        return Answer(use, absent=True)
    first = {r: place for place, r in enumerate(use.named)}  # those who differ, the most different first
    order = [int(i) for i in np.lexsort((-use.shared, np.where(np.isnan(use.p), 2.0, use.p)))]
    order.sort(key=lambda i: first.get(i, len(first)))
    said = _of_camps(c, use) or _answer(use) + _others(c, use)
    return Answer(said, (_chart(c, use, order),), details=tuple(_tables(c, use, order)))


def _of_camps(c: Context, use: LabelUse) -> str:
    """Where those who differ are all of one camp, it is the camps that use labels differently; empty elsewhere."""
    said = camps_labels(c)
    named = {name_of(use.raters[i]) for i in use.named}
    if not said or c.camps is None or not named or not any(named <= set(camp) for camp in c.camps.camps):
        return ""
    first = ", ".join(map(brief, c.camps.camps[0][:MOST_NAMED]))
    return f"The two camps of raters use labels differently (the first is that of {first}).{said}"


def _others(c: Context, use: LabelUse) -> str:
    """Raters who stand out by something else than shares: so that nobody reads here that all is well with them."""
    shown = {name_of(use.raters[i]) for i in use.named}
    rest = [n for n in dict.fromkeys((*c.standing_out.disagree, *c.standing_out.flagged)) if n not in shown]
    if not rest:
        return ""
    named = ", ".join(map(brief, rest[:MOST_NAMED])) + (
        f" and {len(rest) - MOST_NAMED:,} more" if len(rest) > MOST_NAMED else ""
    )
    return f" Label shares do not show the difference reported for {named} above."


def _answer(use: LabelUse) -> str:
    if not np.any(use.shared > 0):
        return (
            "This cannot be determined, because no two raters share items. The shares below come from different items."
        )
    found = differing(use)
    if not found:
        return "Nobody can be shown to use labels differently from the others on the same items."
    if len(use.raters) == 2:
        who, label, share, other = found[0]
        names = f"{brief(name_of(who))} gives {brief(name_of(label))} on {share:.0%} of the items that both labelled"
        return f"The two raters use labels differently: {names}, and {brief(name_of(found[1][0]))} on {other:.0%}."
    listed = "; ".join(
        f"{brief(name_of(who))} ({brief(name_of(label))} on {share:.0%} of them, the others on {other:.0%})"
        for who, label, share, other in found[:MOST_NAMED]
    )
    more = f"; and {len(found) - MOST_NAMED:,} more" if len(found) > MOST_NAMED else ""
    verb = "uses" if len(found) == 1 else "use"
    if len(found) == len(use.raters):
        return (
            f"All {len(found):,} raters use labels differently from each other on the same items, most of all"
            f" {listed}{more}."
        )
    of = f"{len(found):,} of {len(use.raters):,} raters {verb} labels differently from the others on the same items"
    return f"{of}: {listed}{more}."


def _pool(use: LabelUse) -> list[float]:
    return [float(x) for x in use.counts.sum(0) / use.counts.sum()]


def _chart(c: Context, use: LabelUse, order: Sequence[int]) -> Block:
    """Bars of 100% where labels are few, else a heat map; those who differ first."""
    raters, labels = MOST_HEAT
    picked = _picked(use, order)
    kept = [int(k) for k in np.sort(np.argsort(-use.counts.sum(0), kind="stable")[:labels])]
    pool = _pool(use)
    rows = [(ALL, [pool[k] for k in kept])]
    rows += [(name_of(use.raters[i]), [float(x) for x in _own(use, i)[kept]]) for i in picked]
    names = [name_of(use.labels[k]) for k in kept]
    called = [name for name, _ in rows]
    cut = [f"{len(rows) - 1} of {len(use.raters):,} raters"] if len(use.raters) > raters else []
    cut += [f"the {len(kept)} most frequent labels"] if len(use.labels) > labels else []
    note = f" Shown: {', '.join(cut)}." if cut else ""
    caption = f"Shares of the labels that each rater gave.{_who_differ(use, picked)}{note}"
    if len(names) <= MOST_LABELS:
        return shares(called, names, [x for _, x in rows], ordered=c.ann.scale.ranks, name="usage", caption=caption)
    return heat(
        [who for who in called for _ in names],
        names * len(called),
        [x for _, each in rows for x in each],
        row_order=called,
        column_order=names,
        column_title="label",
        name="usage",
        caption=caption,
    )


def _picked(use: LabelUse, order: Sequence[int]) -> list[int]:
    """The raters of the picture: those who differ first, then those with the most labels."""
    most = MOST_HEAT[0]
    busiest = {int(i) for i in np.argsort(-use.counts.sum(1), kind="stable")[:most]} | set(use.named[:most])
    return sorted((i for i in order if i in busiest), key=lambda i: i not in use.named)[:most]


def _who_differ(use: LabelUse, picked: Sequence[int]) -> str:
    differ = sum(i in use.named for i in picked)
    return "" if not differ else " The first differs." if differ == 1 else f" The first {differ} differ."


def _own(use: LabelUse, rater: int) -> np.ndarray[Any, Any]:
    """Shares of all labels of a rater."""
    return np.asarray(use.counts[rater] / use.counts[rater].sum())


def _tables(c: Context, use: LabelUse, order: Sequence[int]) -> list[Block]:
    n = use.counts.sum(1)
    given: list[tuple[Cell, ...]] = [(ALL, int(n.sum()), *map(Share, _pool(use)))]
    given += [(name_of(use.raters[i]), int(n[i]), *(Share(x) for x in _own(use, i))) for i in order]
    heads = ("rater", "labels", *(short(name_of(label)) for label in use.labels))
    differences: list[tuple[Cell, ...]] = []
    for i in order:
        if use.shared[i]:
            k = largest_difference(use, i)
            differences.append(
                (
                    name_of(use.raters[i]),
                    int(use.shared[i]),
                    name_of(use.labels[k]),
                    Share(use.given[i, k]),
                    Share(use.expected[i, k]),
                    Chance(use.p[i]),
                )
            )
    rest = "The rarest labels are merged. " if OTHERS in use.labels else ""
    details: list[Block] = [
        long_table(
            "shares", f"Shares of labels by rater. {rest}The most different rater first", heads, given, 2 * c.rows
        )
    ]
    if differences:
        columns = ("rater", "shared items", "label that differs most", "share", "share of the others", "p (adjusted)")
        caption = "Each rater beside the others on the same items: the label whose share differs most"
        details.append(
            long_table("differences", caption, columns, differences, FEW if len(differences) > 2 * FEW else 2 * FEW)
        )
        details.append(
            "The p-value is the share of permutations of the labels within items that are at least as extreme, adjusted"
            " for the number of raters (Holm): where all raters use labels alike, at most 5% of reports name anybody."
        )
        aside = (
            "Raters who differ are set aside one by one before the others are tested, so that p compares the raters who"
            " remain with each other; the shares compare each rater with all others."
        )
        details += [aside] if use.named and len(use.raters) > len(use.named) + 1 else []
    return details
