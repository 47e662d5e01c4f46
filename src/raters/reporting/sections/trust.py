"""Which labels can be trusted?"""

from __future__ import annotations

import numpy as np

from raters.annotations import counted
from raters.charts.of_fits import certainty_chart
from raters.estimate import shown
from raters.reporting.context import ONE_START, Context
from raters.reporting.document import Answer, Block, Cell, Share, Table, long_table

CERTAIN = 0.99
MOST_KEPT = 500


def trust(c: Context) -> Answer:
    """How certain each item's label is under a model of the raters, and where it overrules the vote."""
    fit = c.fit
    if isinstance(fit, str):
        return Answer(f"No annotation model was fitted: {fit}.", absent=True)
    sure = fit.certainty[np.isfinite(fit.certainty)]
    share = float(np.mean(sure >= CERTAIN))
    answer = f"{share:.0%} of the items have a label that is at least {CERTAIN:.0%} certain under the model of the raters ({fit.model.replace('_', '-').title()})."
    edges = np.array([0, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 1.0])
    counts = np.histogram(sure, edges)[0]
    rows = [
        (f"{a:.0%} to {b:.0%}", int(n), Share(n / len(sure)))
        for a, b, n in zip(edges[:-1], edges[1:], counts, strict=True)
        if n
    ]
    blocks: list[Block] = [
        certainty_chart(sure.tolist()),
        Table("certainty", "Items by the certainty of their label", ("certainty", "items", "share"), tuple(rows)),
        *_overruled(c),
        *fit.warnings,
    ]  # fmt: skip
    if c.ann.used.n_annotations > ONE_START:
        blocks.append(
            "With more than a million annotations the model was fitted from one start; other modes were not looked for."
        )
    elif len(fit.starts) > 1:
        differ = max(s.items_differ for s in fit.starts)
        apart = (
            f"the others differ from it on up to {counted(differ, 'item')}"
            if differ
            else "the others label every item alike"
        )
        blocks.append(
            f"{len(fit.starts)} starts of the model reached {counted(fit.modes, 'mode')}; the best was kept, and {apart}."
        )
    return Answer(answer, tuple(blocks))


def _overruled(c: Context) -> list[Block]:
    fit = c.fit
    if isinstance(fit, str):
        return []
    shares = fit.votes.shares()
    top = shares.max(1)
    vote = shares.argmax(1)
    clear = (np.isclose(shares, top[:, None]).sum(1) == 1) & (fit.codes >= 0)
    at = np.flatnonzero(clear & (vote != fit.codes))
    if not len(at):
        return ["The model overrules no clear majority vote."]
    order = at[np.argsort(-fit.certainty[at], kind="stable")][:MOST_KEPT]
    rows: list[tuple[Cell, ...]] = []
    for i in order:
        item = fit.items[i]
        why = fit.why(item)
        strongest = max(why.contributions, key=lambda x: x.weight)
        votes = ", ".join(
            f"{fit.votes.labels[k]}: {shares[i, k]:.0%}" for k in np.argsort(-shares[i])[:3] if shares[i, k] > 0
        )
        rows.append(
            (
                str(item),
                votes,
                str(fit.labels[item]),
                float(fit.certainty[i]),
                f"most weight: {strongest.rater} said {strongest.label}",
            )
        )
    return [
        f"The model overrules {len(at):,} clear majority votes ({shown(len(at) / len(fit.items) * 100, 1)} % of the items), because it trusts some raters more than others.",
        long_table(
            "overruled",
            "Majority votes that the model overrules, the most certain first",
            ("item", "votes", "model says", "certainty", "why"),
            rows,
            c.rows,
            len(at),
        ),
    ]
