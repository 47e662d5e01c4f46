"""How much a label counts in a model that the user named: as given, or estimated from held-out labels."""

from __future__ import annotations

from dataclasses import replace

from raters.errors import UsageError
from raters.models.base.fit import FittedModel, noted
from raters.models.families.spec import Task, Vote
from raters.models.held_out import choose, few_labels, hard_items
from raters.models.held_out.tempering import calibrated, no_surer_than_votes, weakened
from raters.notes.note import Note

HELD_OUT = "held_out"
FEW_ITEMS = 50
"""Below so many items every model that is used as published states too much."""


def checked(c: FittedModel) -> bool:
    """Whether held-out labels had a say in the probabilities; if not, they are those of the model as published.

    >>> import raters
    >>> checked(raters.consensus(raters.examples.demo())), checked(raters.consensus(raters.examples.demo(), "one_coin"))
    (True, False)
    """
    return not c.settings.weighted and (c.settings.held_out or (c.choice is not None and c.start != "paper"))


def too_high(c: FittedModel) -> tuple[Note, ...]:
    """A note if a model of raters as published is used on few items; ``benchmarks/few_items.py`` has the
    simulation.
    """
    n = int((c.votes.per_item > 0).sum())
    if c.numeric or not c.definition.likelihood or checked(c) or c.settings.priors or n >= FEW_ITEMS:
        return ()
    return (Note("as_published_too_high", {"model": c.model, "n": n}),)


def as_used(c: FittedModel) -> str:
    """How a model that held-out labels have not checked counts labels: as published, or with the weight that the user
    gave.

    >>> import raters
    >>> as_used(raters.consensus(raters.examples.demo(), "one_coin", tempering=0.5))
    'with labels that count for 0.5 of one'
    """
    return "as published" if c.power == 1 else f"with labels that count for {c.power:g} of one"


def check_tempering(tempering: float | str | None) -> None:
    """Refuse a value that is neither a power nor the name of the method that estimates one."""
    if tempering is None or tempering == HELD_OUT:
        return
    if isinstance(tempering, str | bool) or not 0 < tempering <= 1:
        raise UsageError(f"tempering={tempering!r} is not known. Use {HELD_OUT!r}, or a number above 0 and up to 1.")


def weighted(c: FittedModel, power: float) -> FittedModel:
    """The fit with the weight of labels that the user gave, without what held-out labels asked for."""
    q, _ = c.definition.expect(Task.of(weakened(c.votes, power), c.gold, c.settings), c.params)
    return replace(c, posterior=q, power=power, hard=None, settings=replace(c.settings, weighted=True))


def with_tempering(c: FittedModel, tempering: float | str | None) -> FittedModel:
    """The fit unchanged, or with the likelihood of labels raised to a power."""
    if tempering is None:
        return noted(c, *too_high(c))
    if tempering == HELD_OUT and c.choice is not None and not c.numeric:
        return c
    vote = isinstance(c.definition.method, Vote)
    if c.numeric or (vote and tempering != HELD_OUT):
        c = noted(c, Note("tempering_of_a_vote" if vote else "tempering_of_numbers", {"tempering": tempering}))
        return c if c.numeric else calibrated(c)
    if tempering != HELD_OUT:
        return noted(weighted(c, float(tempering)), Note("weight_given", {"power": float(tempering)}))
    c = replace(c, settings=replace(c.settings, held_out=True))
    if vote:
        return calibrated(c)
    entry = choose.Entry(c.definition, "uniform" if c.settings.uniform else "learned")
    power, hard = choose.tempered(choose.sample(c.votes), entry, c.settings)
    said = [Note("weight_estimated", {"power": power})] if power < 1 else []
    said += [] if hard is None or hard.assumed else [hard_items.note(hard)]
    found = no_surer_than_votes(calibrated(c, power, hard=hard))
    return noted(found, *said, *few_labels.note(found))
