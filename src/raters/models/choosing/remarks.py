"""What a user should know about a mixture, each with its evidence: nothing here changes the answer."""

from __future__ import annotations

import numpy as np

from raters.models.base.fit import FittedModel, Mixture
from raters.models.base.settled_vote import settled
from raters.models.choosing.copies import NAMED
from raters.models.families import hierarchical
from raters.models.families.registry import too_large
from raters.models.fitting.fit import fit
from raters.models.fitting.gold import compared
from raters.models.held_out.choose import FAST
from raters.models.rater_quality.camps import MOST_RATERS, camps
from raters.models.rater_quality.evidence import evidence
from raters.models.rater_quality.skill import beside_blind, discoveries
from raters.notes.note import Note

CHANCE = 0.05
"""Agreement may be chance: said above this probability."""
CLEAR = 0.95
"""A majority is clear if it would be settled with this probability by the votes alone."""
OVERRULED = 0.02
"""Said if this share of the clear majorities is overruled."""
MOST_SCREENED, MOST_CELLS = 2_000_000, 200_000
"""Labels, and cells of all matrices, up to which raters are screened for labels without information."""
LEVEL = 0.05
MOST_IN_CAMPS = 60_000
"""Labels up to which camps are looked for."""
BEYOND_DOUBT = 1e-9
"""A rater whose labels are this improbable for a blind rater needs no simulation."""


def remarks(c: FittedModel) -> tuple[Note, ...]:
    """The most important first."""
    m = c.mixture
    if m is None or c.votes.n_labels < 2:
        return ()
    return (*of_chance(m), *of_copies(c, m), *of_camps(c), *of_majorities(c), *of_nobody(c), *of_blind(c), *of_two(c))


def of_chance(m: Mixture) -> tuple[Note, ...]:
    return (Note("agreement_may_be_chance", {"chance": m.chance}),) if m.chance > CHANCE else ()


def of_copies(c: FittedModel, m: Mixture) -> tuple[Note, ...]:
    found = [(c.raters[a], c.raters[b], share, n) for a, b, share, n in m.copied if share >= NAMED]
    if not found:
        return ()
    raters = tuple(dict.fromkeys(x for a, b, _, _ in found for x in (a, b)))
    least, most = (float(f(x[2] for x in found)) for f in (min, max))
    return (Note("copied_labels_count_once", {"raters": raters, "n": len(found), "least": least, "most": most}),)


def of_camps(c: FittedModel) -> tuple[Note, ...]:
    many = c.votes.n_raters > MOST_RATERS or c.votes.n_annotations > MOST_IN_CAMPS
    if c.gold is not None or many or too_large(c.votes):
        return ()
    found = camps(fit(c.votes, hierarchical.MODEL.name, **FAST))
    if found is None:
        return ()
    n, total = int(found.followed.sum()), len(found.followed)
    facts = {"followed": n, "n_raters": total, "others": total - n, "errors": found.errors[0]}
    return (Note("raters_in_camps", {**facts, "errors_of_others": found.errors[1]}),)


def of_majorities(c: FittedModel) -> tuple[Note, ...]:
    counts, open_ = c.votes.counts, np.ones(c.votes.n_items, bool) if c.gold is None else c.gold < 0
    clear = (settled(counts).max(1) >= CLEAR) & open_ & (c.votes.per_item > 0)
    n = int((clear & (counts.argmax(1) != c.codes)).sum())
    return (
        (Note("overrules_majorities", {"n": n, "majorities": int(clear.sum())}),) if n > OVERRULED * clear.sum() else ()
    )


def of_nobody(c: FittedModel) -> tuple[Note, ...]:
    seen = (c.votes.per_item > 0) & (c.codes >= 0)
    if c.gold is not None:
        seen &= c.gold < 0
    n = int((seen & (c.votes.counts[np.arange(c.votes.n_items), c.codes] == 0)).sum())
    return (Note("given_by_nobody", {"n": n, "items": int(seen.sum())}),) if n else ()


def of_blind(c: FittedModel) -> tuple[Note, ...]:
    """Raters in whose labels no information was found; they count all the same, for as little as they tell."""
    v = c.votes
    if too_large(v) or v.n_annotations > MOST_SCREENED or v.n_raters * v.n_labels**2 > MOST_CELLS:
        return ()
    tried = compared(v)
    p = beside_blind(c, np.random.default_rng(c.settings.seed), BEYOND_DOUBT)[2]
    informed = np.zeros(len(p), bool)
    informed[tried] = discoveries(p[tried], LEVEL)
    blind = tried & ~informed
    if blind.any():
        blind &= evidence(c).beyond_doubt
    named = tuple(v.raters[j] for j in np.flatnonzero(blind))
    return (Note("no_information_found", {"raters": named}),) if named else ()


def of_two(c: FittedModel) -> tuple[Note, ...]:
    n = c.votes.per_item
    few, all_ = int(((n > 0) & (n <= 2)).sum()), int((n > 0).sum())
    return (Note("two_labels_each", {"n": few, "items": all_}),) if 2 * few > all_ else ()
