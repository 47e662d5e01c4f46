"""What to do next: the most useful actions, computed."""

from __future__ import annotations

import math

from raters.agree.explaining import limits
from raters.estimate import shown
from raters.models.uses.queries import next_labels
from raters.reporting.context import Context
from raters.reporting.document import Answer, Block, long_table

MOST = 3
GOOD = 0.8
ONE_MORE = 10
"""With more labels an item than this, one more is a small part of what is there."""


def next_steps(c: Context) -> Answer:
    """At most three actions, those that change most first, and the items to label next."""
    if c.ann.scale == "sets":
        return Answer("Look at the labels that agree least, and at raters who use many labels.", absent=True)
    if not math.isfinite(c.why.estimate.value):
        return Answer(f"First make agreement measurable. {c.why.sentence}", absent=True)
    actions = _from_reasons(c)
    blocks: list[Block] = []
    if not isinstance(c.fit, str) and (c.fit.definition.likelihood or c.fit.decided is not None):
        asked = next_labels(c.fit, n=min(100, c.ann.n_items))
        doubtful = sum(1 for r in asked.rows if r.certainty < 0.99)
        if doubtful and c.ann.used.per_item[1] > ONE_MORE:
            actions.append((0.0, f"Discuss the {doubtful:,} most doubtful items (below): with {c.ann.used.per_item[1]:.0f} labels per item, one more would settle little."))  # fmt: skip
        elif doubtful:
            actions.append((0.0, f"Collect one more label for each of the {doubtful:,} most doubtful items (below)."))
        if doubtful:
            rows = [(str(r.item), r.certainty, r.bits) for r in asked.rows[:doubtful]]
            caption = "What to label next: items where one more label is most informative"
            blocks.append(long_table("next", caption, ("item", "settled at", "bits expected"), rows, c.rows))
    actions.sort(key=lambda a: -a[0])
    chosen = [text for _, text in actions[:MOST]]
    if not chosen:
        return Answer(_nothing(c), tuple(blocks))
    return Answer(chosen[0], (*chosen[1:], *blocks))


def _nothing(c: Context) -> str:
    """No reason was found. Only an interval that lies above .8 as a whole calls agreement good."""
    e = c.why.estimate
    figure = f"alpha is {shown(e.value, 2)}{limits(e)}"
    if e.low >= GOOD:
        return f"Nothing stands out: agreement is good ({figure}), and no rater, label or item calls for action."
    return f"No rater, pair of labels or small group of items stands out as a reason, but agreement is not shown to be good: {figure}."


def _from_reasons(c: Context) -> list[tuple[float, str]]:
    actions = []
    for r in c.why.reasons:
        gain = abs(r.change) if math.isfinite(r.change) else 0.01
        new = shown(r.estimate.value, 2) if r.estimate is not None else ""
        if r.kind == "rater" and r.estimate is not None:
            actions.append(
                (
                    gain,
                    f"Talk to rater {r.estimate.name!r}, or leave out their labels: alpha would change from {shown(c.why.estimate.value, 2)} to {new}.",
                )
            )
        elif r.kind == "labels" and r.estimate is not None:
            one, two = r.estimate.name.split(" = ")
            actions.append(
                (gain, f"Define {one!r} and {two!r} more clearly, or merge them: alpha would then be {new}.")
            )
        elif r.kind == "items":
            actions.append((gain, f"Discuss the hardest items (above) and record the decisions: {r.text}"))
        elif r.kind == "skew":
            actions.append(
                (
                    gain,
                    "Add items with the rarer labels to the sample that several raters label: with such skewed labels, agreement on the rare ones is poorly measured.",
                )
            )
        elif r.kind in ("few", "single"):
            actions.append((0.01, r.text[0].upper() + r.text[1:]))
    return actions
