"""Words of the trade, explained where a report first uses them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from raters.reporting.document import Document, Section, Table

TERMS = (
    ("alpha", r"\balpha\b", "Krippendorff's alpha, agreement beyond chance: 1 is perfect, 0 is what labels shuffled over the items would give."),
    ("kappa", r"\bkappa\b", "agreement beyond chance, like alpha; kappas differ in how they define chance."),
    ("interval", r"\b\d+% interval", "where the figure could lie if other items had been drawn; many items make it narrow."),
    ("the data allow", r"\bthe data allow\b", "the range of figures that fit these data equally well; more labels per item narrow it, more items do not."),
    ("reliability of an aggregate", r"\breliability of the (?:majority|median|mean)\b", "how well this aggregate would agree with that of equally many other labels."),
    ("settled", r"\bsettled\b", "the label has a probability of 99% or more under the model of the raters (or to win a very large vote of such raters), so that more labels from raters like these would hardly change it."),
    ("model of the raters", r"\b(?:Dawid|one-coin|annotation model|model of the raters)\b", "a model that estimates how often each rater errs and weights their labels accordingly."),
    ("information", r"\binformation per label\b", "how much one label from a rater says about the item, in bits: 1 bit settles an even yes-or-no question, 0 bits say nothing."),
    ("p", r"\bp = |\bp \(|\(p\b", "how often chance alone would produce a result at least as extreme; small values are evidence against chance."),
    ("ICC", r"\bICC\b", "intraclass correlation, the share of the variation in numbers that lies between items rather than between labels of an item."),
    ("MASI", r"\bMASI\b", "a distance between label sets: 0 for equal sets, 1 for sets that share nothing, between where they overlap."),
    ("pool", r"\bpools?\b", "a group of raters, such as a team, a vendor or the people of a country."),
    ("winning rate", r"\bwinning rate\b", "the share of people whom the model can stand in for, by the alternative-annotator test."),
)  # fmt: skip
"""Term, where it is met, and half a sentence."""


def terms(report: Document) -> dict[str, list[tuple[str, str]]]:
    """For every section the terms that it is the first to use."""
    seen: set[str] = set()
    found: dict[str, list[tuple[str, str]]] = {}
    for s in report.answered:
        text = "\n".join(_texts(s))
        here = [(name, words) for name, pattern, words in TERMS if name not in seen and re.search(pattern, text)]
        seen.update(name for name, _ in here)
        found[s.key] = here
    return found


def _texts(s: Section) -> Iterator[str]:
    """What a reader of a section meets before its details: the answer, captions and heads of tables."""
    yield s.answer
    for b in s.blocks:
        if isinstance(b, str):
            yield b
        elif isinstance(b, Table):
            yield " ".join((b.caption, *b.columns))
        else:
            yield b.caption
