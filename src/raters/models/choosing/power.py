"""How much a label counts in a model that the user named: as given, or estimated from held-out labels."""

from __future__ import annotations

from dataclasses import replace

from raters.errors import UsageError
from raters.models.choosing import choose
from raters.models.choosing.hard_items import sentence
from raters.models.choosing.tempering import calibrated
from raters.models.families.spec import Vote
from raters.models.fitted_model import FittedModel

HELD_OUT = "held_out"


def check_tempering(tempering: float | str | None) -> None:
    """Refuse a value that is neither a power nor the name of the method that estimates one."""
    if tempering is None or tempering == HELD_OUT:
        return
    if isinstance(tempering, str | bool) or not 0 < tempering <= 1:
        raise UsageError(f"tempering={tempering!r} is not known. Use {HELD_OUT!r}, or a number above 0 and up to 1.")


def with_tempering(c: FittedModel, tempering: float | str | None) -> FittedModel:
    """The fit unchanged, or with the likelihood of labels raised to a power."""
    if tempering is None or c.numeric or (tempering == HELD_OUT and c.choice is not None):
        return c
    if tempering != HELD_OUT:
        return calibrated(c, float(tempering))
    if isinstance(c.definition.method, Vote):
        return calibrated(c)
    entry = choose.Entry(c.definition, "uniform" if c.settings.uniform else "learned")
    power, hard = choose.tempered(choose.sample(c.votes), entry, c.settings)
    said = [f"labels count for {power:g} of one, as estimated from held-out labels"] if power < 1 else []
    said += [] if hard is None else [sentence(hard).strip().rstrip(".")]
    return replace(calibrated(c, power, hard=hard), warnings=(*c.warnings, *said))
