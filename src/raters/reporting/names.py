"""How intervals were found, in words that stand under a table and in a methods section."""

from __future__ import annotations

import math
from collections.abc import Sequence

from raters.coefficients import REGISTRY
from raters.estimate import Estimate
from raters.inference.intervals import EVERY, method_title
from raters.notes.note import either
from raters.scales.scale import Scale

RANGES = ("likelihood", "moments")
"""Intervals that are the range of what the data allow, where they do not determine a figure."""


def inside(mean: float, low: int, high: int) -> str:
    """A mean between two limits, with as many digits as keep it apart from them.

    >>> inside(9.96, 7, 10), inside(3.71, 1, 4), inside(4, 4, 4)
    ('9.96', '3.7', '4.0')
    """
    digits = next((d for d in (1, 2, 3) if low < round(mean, d) < high), 1)
    return f"{mean:.{digits}f}"


def as_sentence(note: str) -> str:
    """A note as a whole sentence; a name that one types keeps its small letter.

    >>> as_sentence("sets were read from text"), as_sentence("alpha_x is low."), as_sentence("Two lines:")
    ('Sets were read from text.', 'alpha_x is low.', 'Two lines:')
    """
    first = note.split(" ", 1)[0]
    typed = any(sign in first for sign in "_=`'\"") or note.startswith("raters ")
    return (note if typed else note[:1].upper() + note[1:]) + ("" if note.endswith((".", "!", "?", ":")) else ".")


PUBLISHED = "published"
"""Limits that a paper states, carried to another figure: no data stand behind them here."""


def interval_note(estimates: Sequence[Estimate]) -> str:
    """One sentence: the level, each method with its reference, and what is resampled.

    >>> interval_note([Estimate("fleiss", 0.5, 0.4, 0.6, interval="bootstrap")])
    '95% intervals by the percentile bootstrap (Efron 1979) over items.'
    """
    unsaid = (None, PUBLISHED, *RANGES)
    there = [e for e in estimates if e.interval not in unsaid and math.isfinite(e.low)]
    allowed = _allowed([e for e in estimates if e.interval in RANGES and math.isfinite(e.low)], bool(there))
    if not there:
        return allowed
    ways = dict.fromkeys((e.interval, e.sampled) for e in there)
    said = [f"by {cited(name)} over {sampled}" for name, sampled in ways]
    return f"{there[0].level:.0%} intervals {'; '.join(said)}.{' ' if allowed else ''}{allowed}"


def _allowed(ranged: Sequence[Estimate], beside: bool) -> str:
    """Which figures have the range of what the data allow instead of an interval; ``beside``: others have intervals."""
    if not ranged:
        return ""
    by = " or ".join(dict.fromkeys(f"their {e.interval}" for e in ranged))
    names = list(dict.fromkeys(e.name for e in ranged))
    who = f"{', '.join(names[:3])}{f' and {len(names) - 3:,} more' if len(names) > 3 else ''}: " if beside else ""
    rule = f"the range that the data allow by {by}, at {ranged[0].level:.0%}"
    return (
        f"{who}{rule} (not an interval of that kind)."
        if beside
        else f"Ranges: what the data allow by {by} at {ranged[0].level:.0%}."
    )


def cited(name: str | None) -> str:
    """A method with its first reference.

    >>> cited("imaginary")
    'a Bayesian bootstrap with one prior item (Ferguson 1973)'
    """
    row = EVERY.get(name or "")
    if row is None:
        return {
            "F": "the F distribution",
            "t": "the t distribution",
            "noncentral t": "the noncentral t distribution",
            "t, paired": "the t distribution, items paired",
            "t, different items": "the t distribution, different items",
            "posterior": "draws from a Dirichlet posterior",
            "draws": "Dirichlet draws of the judge's errors and of its labels",
            "jeffreys": "Jeffreys' rule for shares",
            "z": "Fisher's z",
            "satterthwaite": "the F distribution (Satterthwaite)",
            "dirichlet": "draws of each rater's error rates",
            "skill": "what the others' labels alone allow (raters not shown to carry information)",
        }.get(str(name), str(name))
    return f"{row.title} ({row.cited})" if row.cited else row.title


def in_words(name: str | None, resamples: int) -> str:
    """The method as a methods section says it."""
    row = EVERY.get(name or "")
    return row.words.format(resamples=f"{resamples:,}") if row else method_title(name)


MEASURES = {
    "soft_match": "share a label", "augmented": "overlap, each label counted", "boot_match": "share a label, beyond chance",
    "boot_precision": "precision, beyond chance", "boot_recall": "recall, beyond chance", "boot_f1": "F1, beyond chance",
    "alpha_masi": "Krippendorff's alpha, MASI distance", "alpha_jaccard": "Krippendorff's alpha, Jaccard distance",
}  # fmt: skip
"""Measures of label sets."""
SETS_ELSEWHERE = (
    "An annotation is a set of labels here; “What if an item has several right labels?” above answers this for sets."
)
KRIPPENDORFF = "Krippendorff's alpha"
BETWEEN_POOLS = (
    "kappa_x", "normalized", "normalized_by_x", "normalized_by_y", "difference", "difference_x", "difference_y", "rho", "observed", "expected", "alpha_x",
    "gwet_x", "irr_x", "irr_y",
)  # fmt: skip


def not_categories(scale: Scale) -> str:
    """Why no annotation model is fitted on this scale.

    >>> not_categories(Scale.circular)
    'the models in this report are for single labels from a list, but these are directions on a circle'
    """
    how = either("raters.consensus(ann, model='gaussian')", "raters consensus --model gaussian")
    instead = f"; {how} fits a model for numbers" if scale.amounts else ""
    return f"the models in this report are for single labels from a list, but these are {scale.listed}{instead}"


def measure_name(e: Estimate) -> str:
    """A measure of label sets in words.

    >>> measure_name(Estimate("boot_f1", 0.5))
    'F1, beyond chance'
    """
    return MEASURES.get(e.name, e.name.replace("_", " "))


def called(e: Estimate) -> str:
    """What a row of a table is called on the terminal.

    >>> called(Estimate("brennan_prediger", 0.5, title="Brennan-Prediger", coefficient="brennan_prediger"))
    'Brennan-Prediger'
    >>> called(Estimate("kappa_x", 0.5, title="kappa_x")), called(Estimate("boot_f1", 0.5)), called(Estimate("ann", 0.5))
    ('kappa between the pools (kappa_x)', 'F1, beyond chance (boot_f1)', 'ann')
    """
    if e.by:
        return e.name
    if e.name == e.coefficient and e.name in REGISTRY:
        return e.title or REGISTRY[e.name].title
    if e.name in MEASURES:
        return f"{MEASURES[e.name].replace(KRIPPENDORFF, 'alpha')} ({e.name})"
    if e.name == "kappa_x":
        return "kappa between the pools (kappa_x)"
    if e.name in BETWEEN_POOLS and e.title:
        return e.title
    return e.name


COLUMNS = ("observed", "expected")


def without_own_units(
    table: Sequence[Estimate], head: Sequence[str], rows: Sequence[Sequence[str]]
) -> tuple[list[list[str]], list[str]]:
    """The rows of a table that mixes agreement and disagreement, without the figures of the latter; and a line that
    says so.

    >>> one, two = (Estimate(n, 0.5, parts=p, title=n) for n, p in (("Kappa", "agreement"), ("Iota", "disagreement")))
    >>> without_own_units([one, two], ["name", "observed"], [["Kappa", "0.9"], ["Iota", "38264.4"]])[0]
    [['Kappa', '0.9'], ['Iota', '-']]
    """
    given = [list(row) for row in rows]
    at = [i for i, name in enumerate(head) if name in COLUMNS]
    own = [i for i, e in enumerate(table) if e.parts == "disagreement"]
    if not at or not 0 < len(own) < len(table):
        return given, []
    for i in own:
        for j in at:
            given[i][j] = "-"
    names = " and ".join(called(table[i]) for i in own[:2]) + (f" and {len(own) - 2} more" if len(own) > 2 else "")
    where = either("to_dict()", "--format json")
    return given, [f"({names}: observed and expected are disagreement in units of the scale; {where} has them)"]


def some(names: Sequence[str], most: int = 3) -> str:
    """Some names, and how many more there are."""
    return ", ".join(names[:most]) + (f" and {len(names) - most:,} more" if len(names) > most else "")
