"""What every output says before any figure: what was not used, and what was assumed about the file and its labels."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from raters.agree.agreement import agreement
from raters.agree.bands import name_of
from raters.agree.estimating import too_few_shared
from raters.annotations import Annotations, not_used
from raters.coefficients import DEFAULT
from raters.errors import RatersError
from raters.estimate import shown
from raters.io.read import read
from raters.notes.note import Note, in_json, of_question

CODES = 50
"""Up to so many different whole numbers may be codes."""


@dataclass(frozen=True)
class Assumed:
    """What is not in the file but was decided about one table, and what of the file enters no figure."""

    source: str
    label: str
    not_used: str
    scale: str
    why: Note
    """Why the scale: given, or what it was assumed from."""
    codes: tuple[float, float] | None
    """Where whole numbers were read as a scale: Krippendorff's alpha on that scale and with the numbers as codes
    (nominal); nan if not known.
    """
    n_labels: int
    read_as: tuple[Note, ...]
    notes: tuple[Note, ...]
    name: str = ""
    """What the command calls the table, if it names its tables."""

    @property
    def scale_sentence(self) -> str:
        """The scale that was assumed; empty if it was given."""
        if self.why.level != "assumed":
            return ""
        if self.codes is None:
            return f"{Note('scale_assumed', {'scale': self.scale, 'why': self.why})}."
        facts = {"n": self.n_labels, "scale": self.scale}
        if not all(map(math.isfinite, self.codes)):
            return f"{Note('whole_numbers_as_scale', facts)}."
        own, nominal = (shown(x, 3) for x in self.codes)
        return f"{Note('whole_numbers_either_way', facts | {'alpha': own, 'nominal': nominal})}."

    def sentences(self, plain_scale: bool = True) -> Iterator[str]:
        """Everything in sentences; without ``plain_scale`` the scale only where numbers may be codes."""
        if self.not_used:
            yield self.not_used
        if self.scale_sentence and (plain_scale or self.codes is not None):
            yield self.scale_sentence
        if said := "; ".join(filter(None, map(str, self.read_as))):
            yield f"{said[:1].upper()}{said[1:]}."
        yield from (f"Note: {said}." for said in map(str, self.notes) if said)

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        own, nominal = self.codes or (math.nan, math.nan)
        other = {"scale": "nominal", "krippendorff": nominal, "krippendorff_as_read": own}
        return {
            "source": self.source,
            "label": self.label,
            "text": " ".join(self.sentences()),
            "scale": self.scale,
            "scale_given": self.why.code == "scale_given",
            "scale_reason": f"assumed: {self.why}" if self.why.level == "assumed" else str(self.why),
            "other_scale": other if self.codes is not None else None,
            "read_as": "; ".join(map(str, self.read_as)),
            "not_used": self.not_used,
            "notes": list(map(str, self.notes)),
            "noted": in_json(self.notes)["notes"],
        }


def assumed(ann: Any, figures: bool = True) -> list[Assumed]:
    """What was assumed about each table; without ``figures`` nothing is computed for it."""
    anns = getattr(ann, "anns", [ann])
    return [
        Assumed(
            one.source,
            one.columns.get("label", ""),
            not_used(one),
            one.scale,
            one.scale_from,
            _as_codes(one, figures),
            len(one.labels),
            one.read_as,
            tuple(n for n in one.notes if n.level == "assumed"),
            name,
        )
        for one, name in zip(anns, getattr(ann, "names", None) or [""] * len(anns), strict=True)
    ]


def first_lines(ann: Any, figures: bool = True, plain_scale: bool = True) -> list[str]:
    """The first line of every format but CSV: of one table one line, of several first what was not used."""
    found = assumed(ann, figures)
    if len(found) < 2:
        return [line for a in found if (line := " ".join(a.sentences(plain_scale)))]
    said = [besides(a, found[:i], plain_scale) for i, a in enumerate(found)]
    shared = [x for x in said[0] if all(x in each for each in said)]
    rest = [" ".join(shared)] if shared else []
    for i, (a, each) in enumerate(zip(found, said, strict=True)):
        with of_question(a.name):  # the same sentences, with the options that speak to this question alone
            asked = besides(a, found[:i], plain_scale)
        own = " ".join(x for x, plain in zip(asked, each, strict=True) if plain not in shared)
        rest += [f"{named(a, found)}: {own}"] if own else []
    return [*discards(found), *rest]


def besides(a: Assumed, before: Sequence[Assumed], plain_scale: bool) -> list[str]:
    """What is said of one of several tables besides discards; a scale that an earlier one has is stated there."""
    known = not a.name and any(a.scale == b.scale and a.scale_sentence != b.scale_sentence for b in before)
    left = {a.not_used, a.scale_sentence if known else ""}
    return [x for x in a.sentences(plain_scale) if x not in left]


def discards(found: Sequence[Assumed]) -> list[str]:
    """What was not used, of each table where there are several."""
    if len(found) < 2:
        return [a.not_used for a in found if a.not_used]
    return [a.not_used.replace("Not used", f"Not used of {named(a, found)}", 1) for a in found if a.not_used]


def named(a: Assumed, among: Sequence[Assumed]) -> str:
    """What tells one of several tables apart: its file, its column of labels, or both."""
    if a.name:
        return a.name
    same_file, same_label = (len({getattr(x, field) for x in among}) == 1 for field in ("source", "label"))
    return a.label if same_file and not same_label else a.source if same_label else f"{a.source}, {a.label}"


def may_be_codes(ann: Annotations) -> bool:
    """Whether whole numbers were taken for a scale that nobody named: the first line then says so."""
    return ann.scale_from.code == "scale_of_whole_numbers" and len(ann.labels) <= CODES


def if_codes(ann: Annotations) -> str:
    """That the verdict rests on reading whole numbers as a scale; empty where codes would not change its band."""
    own, nominal = _as_codes(ann, True) or (math.nan, math.nan)
    if not all(map(math.isfinite, (own, nominal))):
        return ""
    as_read, as_codes = (name_of(x, DEFAULT) for x in (own, nominal))
    if as_read == as_codes:
        return ""
    return (
        f"This holds only if the whole numbers are {ann.scale}: as codes (nominal), alpha is {shown(nominal, 3)},"
        f" {as_codes}."
    )


def _as_codes(ann: Annotations, figures: bool) -> tuple[float, float] | None:
    """Alpha of whole numbers as they were taken, and as codes; None if the labels are nothing of the kind."""
    if not may_be_codes(ann):
        return None
    if not figures or ann.engine.name == "spark" or too_few_shared(ann):
        return math.nan, math.nan

    def found() -> tuple[float, float]:
        try:
            values = (agreement(ann, interval=None).value, agreement(read(ann, scale="nominal"), interval=None).value)
        except RatersError:
            return math.nan, math.nan
        return values

    return ann.once("alpha as codes", found, lambda _: 2)
