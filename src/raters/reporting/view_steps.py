"""Steps about whole groups of raters: two views, neither of which is an error, and labels that raters use differently."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from raters.agree.camps import Camps
from raters.agree.label_use import differing
from raters.estimate import name_of, shown
from raters.reporting.context import Context
from raters.reporting.headline import OWN_RULE, ceiling
from raters.reporting.sides import split_briefly
from raters.reporting.verdict_values import Step

MARKED = 0.02
"""A smaller difference between two camps' shares of a label is not worth a sentence."""


def some_of(names: list[str], most: int = 3) -> str:
    """The first names, and how many more there are.

    >>> some_of(["a"]), some_of(["a", "b"]), some_of(["a", "b", "c", "d", "e"])
    ('a', 'a and b', 'a, b, c and 2 more')
    """
    kept = names[:most] if len(names) <= most else [*names[:most], f"{len(names) - most:,} more"]
    return kept[0] if len(kept) == 1 else f"{', '.join(kept[:-1])} and {kept[-1]}"


def of_pools(c: Context) -> Iterator[Step]:
    """Groups of raters that agree less with each other than within themselves: a pool's own view is not an error."""
    if isinstance(c.pools, str):
        return
    less = [r for r in c.pools if r.n_shared >= 20 and r.difference.high < 0]
    if not less:
        return
    r = min(less, key=lambda r: float(r.difference.value))
    x, y = r.pools
    gap = -float(r.difference.value)
    text = (
        f"Agreement is {shown(r.irr_x.value, 2)} within {x!r} and {shown(r.irr_y.value, 2)} within {y!r}, but {shown(r.kappa_x.value, 2)} between the two: "
        f"a gap of {shown(gap, 2)} ({r.difference.level:.0%} interval {shown(-r.difference.high, 2)} to {shown(-r.difference.low, 2)}).{split_briefly(c)} "
    )
    tested = r.test is not None and r.test.p <= 0.05
    advice = (
        "Report both views, or state whose view the labels represent."
        if tested
        else "So few people cannot show whether others of their groups would differ, too: report both views, and ask more people of each group."
    )
    yield Step("pools", "Decide whose view the labels represent", text + advice, gap, r.kappa_x)


def camps_sentence(found: Camps) -> str:
    """Who stands with whom."""
    return f"The raters fall into two camps: {_of_camps(found, 6)} (p = {found.p:.2g})."


def _of_camps(found: Camps, most: int) -> str:
    """How often raters of one camp give the same label, and those of two."""
    one, two = (some_of(list(map(repr, camp)), most) for camp in found.camps)
    return (
        f"{one} give the same label {found.within[0]:.0%} of the time and {two} {found.within[1]:.0%}, but two raters of different camps only "
        f"{found.between:.0%}"
    )


def camps_labels(c: Context) -> str:
    """The label that the two camps use most differently, with its share in each; empty if there are no shares."""
    if c.camps is None or isinstance(c.label_use, str):
        return ""
    use = c.label_use
    name = {name_of(r): i for i, r in enumerate(use.raters)}
    rows = [[name[r] for r in camp if r in name] for camp in c.camps.camps]
    if not all(rows):
        return ""
    one, two = (use.counts[at].sum(0) / use.counts[at].sum() for at in rows)
    k = int(np.argmax(np.abs(one - two)))
    k = (
        int(np.argmin(one + two)) if len(one) == 2 else k
    )  # of two labels the rarer one, on which the camps differ as much
    if abs(one[k] - two[k]) <= MARKED:
        return ""
    return f" The first camp gives {name_of(use.labels[k])!r} {one[k]:.0%} of the time, the second {two[k]:.0%}."


def of_camps(c: Context) -> Iterator[Step]:
    """Two camps without a column that names them."""
    if c.camps is not None:
        advice = (
            _models(c, c.camps)
            or "Ask them about some items that divide them: two views call for a decision, not for fewer raters."
        )
        gap = min(c.camps.within) - c.camps.between
        text = f"{_of_camps(c.camps, 3)}.{camps_labels(c)}{split_briefly(c)} {advice}"
        yield Step("camps", "Find out what the two camps of raters see differently", text, gap)


def _models(c: Context, found: Camps) -> str:
    """That a camp consists of models, where it does: a prompt can be changed, a view cannot."""
    for which, camp in zip(("first", "second"), found.camps, strict=True):
        if c.judges and set(camp) <= set(c.judges):
            return f"The {which} camp are all models: compare their prompts with the codebook."
    return ""


def of_usage(c: Context) -> Iterator[Step]:
    """Raters who use the labels so differently that no agreement on items could be good."""
    most, use = ceiling(c), c.label_use
    if not most < OWN_RULE[0] or isinstance(use, str) or len(use.named) < 2:
        return
    who, label, share, other = differing(use)[0]
    text = (
        f"{len(use.named):,} of {len(use.raters):,} raters use labels differently from the others on the same items: {name_of(who)!r} gives {name_of(label)!r} on "
        f"{share:.0%} of them, the others on {other:.0%}. Write into the codebook, with examples, when each label applies, and go through it with all raters; until they "
        f"use the labels alike, alpha cannot exceed {shown(most, 2)}."
    )
    yield Step("usage", "Agree on when each label applies", text, 0.0)
