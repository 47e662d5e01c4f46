"""How much a label counts in a model that the user named: as given, or estimated from held-out labels."""

from __future__ import annotations

from dataclasses import replace

from raters.errors import UsageError
from raters.models.base.fit import FittedModel
from raters.models.choosing import choose, few_labels
from raters.models.choosing.hard_items import sentence
from raters.models.choosing.tempering import calibrated, no_surer_than_votes, weakened
from raters.models.families.spec import Task, Vote

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


def too_high(c: FittedModel) -> tuple[str, ...]:
    """A warning if a model of raters as published is used on few items; ``benchmarks/few_items.py`` has the
    simulation.
    """
    n = int((c.votes.per_item > 0).sum())
    if c.numeric or not c.definition.likelihood or checked(c) or c.settings.priors or n >= FEW_ITEMS:
        return ()
    return (
        (
            f"the probabilities are those of {c.model} as published, and"
            f" {'1 item does' if n == 1 else f'{n:,} items do'} not show how raters differ: they are too high (in"
            " simulated tables of 4 to 40 items, 72 to 98 of 100 labels stated at .99 or more were right);"
            " tempering='held_out' or model='auto' states less"
        ),
    )


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
        return replace(c, notes=(*c.notes, *too_high(c)))
    if tempering == HELD_OUT and c.choice is not None and not c.numeric:
        return c
    vote = isinstance(c.definition.method, Vote)
    if c.numeric or (vote and tempering != HELD_OUT):
        why = "a vote counts whole labels" if vote else "it weights labels of categories, and these are numbers"
        c = replace(c, notes=(*c.notes, f"tempering={tempering!r} was not used: {why}"))
        return c if c.numeric else calibrated(c)
    if tempering != HELD_OUT:
        found = weighted(c, float(tempering))
        given = (
            f"labels count for {float(tempering):g} of one, as given by tempering=, whatever held-out labels ask for"
        )
        return replace(found, notes=(*found.notes, given))
    c = replace(c, settings=replace(c.settings, held_out=True))
    if vote:
        return calibrated(c)
    entry = choose.Entry(c.definition, "uniform" if c.settings.uniform else "learned")
    power, hard = choose.tempered(choose.sample(c.votes), entry, c.settings)
    said = [f"labels count for {power:g} of one, as estimated from held-out labels"] if power < 1 else []
    said += [] if hard is None or hard.assumed else [sentence(hard).strip().rstrip(".")]
    found = no_surer_than_votes(calibrated(c, power, hard=hard))
    return replace(found, notes=(*c.notes, *said, *few_labels.note(found)))
