"""What to do next: the most useful actions, computed."""

from __future__ import annotations

import math

from raters.reporting.advice import ONE_MORE, nothing, of_sets, steps
from raters.reporting.context import Context
from raters.reporting.document import Answer, Block, Share, Step, Table, long_table

MOST = 3
LEAST = "What to discuss: items whose label is least settled"


def next_steps(c: Context) -> Answer:
    """At most three actions, those that change most first, and the items to label next."""
    if c.ann.scale.of_sets:
        return Answer(f"First: {of_sets(c).title}.") if not isinstance(c.sets, str) else Answer(c.sets, absent=True)
    if not math.isfinite(c.why.estimate.value):
        return Answer(f"First make agreement measurable. {c.why.sentence}", absent=True)
    found = steps(c)[:MOST] or (nothing(c),)
    first, *others = found  # the first stands on the first screen in full
    blocks: list[Block] = [*map(_said, others)]
    details: list[Block] = [*_table(found)]
    if c.doubtful:
        rows = [(str(r.item), Share(r.certainty), r.bits) for r in c.doubtful]
        caption = "What to label next: items where one more label is most informative"
        columns = ("item", "probability of its label", "information expected (bits)")
        many = c.ann.used.per_item[1] > ONE_MORE  # one more label says next to nothing: these are to be discussed
        details.append(
            long_table(
                "next",
                LEAST if many else caption,
                columns[: 2 if many else 3],
                [r[: 2 if many else 3] for r in rows],
                c.rows,
            )
        )
    return Answer(f"First: {first.title}.", tuple(blocks), details=tuple(details))


def _said(s: Step) -> str:
    return f"{s.title}. {s.there or s.text}"


def _table(found: tuple[Step, ...]) -> list[Block]:
    """The steps that change the figure, with what it would be."""
    rows = tuple(
        (s.title, s.gain, s.effect)
        for s in found
        if math.isfinite(s.gain) and s.effect is not None and s.kind != "pools"
    )
    caption = "What each step could change (optimistic, because it was selected on these data)"
    limits = any(math.isfinite(e.low) for _, _, e in rows)
    columns = ("step", "possible rise", f"the figure then{' (interval)' if limits else ''}")
    return [Table("steps", caption, columns, rows)] if rows else []
