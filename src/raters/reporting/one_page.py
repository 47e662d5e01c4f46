"""The report on one printed page, to send around: the task, the verdict, one picture, three items, one decision and its
price.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import isfinite

from raters.charts.chart import Chart
from raters.errors import UsageError
from raters.notes.note import either
from raters.reporting.document import Card, Document, Figure, Step
from raters.reporting.headline import number, upper

PICTURES = {
    "pools": "pools", "camps": "raters", "rater": "raters", "labels": "where", "usage": "usage", "more": "aggregate",
    "skew": "data", "next": "trust", "sets": "sets", "nothing": "where", "items": "where",
}  # fmt: skip
"""For each kind of finding the section whose picture shows it; of another, how reliable one label is."""
OTHERWISE = ("agreement", "sets", "data")
ITEMS = 3
MOST_TEXT = 170
MOST_LABELS = 4


@dataclass(frozen=True)
class OnePage:
    """What stands on the page."""

    about: str
    title: str
    figures: tuple[Figure, ...]
    picture: Chart | None
    finding: str
    """What the picture shows, in a sentence."""
    items: tuple[Card, ...]
    decision: Step
    price: str
    methods: str


def one_page(report: Document) -> OnePage:
    """The page of a report on one question."""
    v = report.verdict
    if v is None:
        raise UsageError(f"one page has room for one question; choose it: {either('question=', '--question NAME')}.")
    key, picture = _picture(report, v.first.kind)
    cards = sorted((card for s in report.sections for card in s.cards()), key=lambda card: not card.text)
    section = next((s for s in report.sections if s.key == key), None)
    return OnePage(
        v.about,
        title(report),
        v.figures,
        picture,
        section.answer if section is not None else "",
        tuple(replace(card, text=_cut(card.text), note="") for card in cards[:ITEMS]),
        v.first,
        price(v.first),
        report.short_methods or report.methods,
    )


def _picture(report: Document, kind: str) -> tuple[str, Chart | None]:
    """The section of the finding and its picture; the picture of camps shows pairs of raters, which is folded away."""
    by_key = {s.key: list(s.charts()) for s in report.answered}
    for key in (PICTURES.get(kind, OTHERWISE[0]), *OTHERWISE):
        if by_key.get(key):
            return key, by_key[key][-1 if kind == "camps" else 0]
    return "", None


def task(report: Document) -> str:
    """What was asked of the raters: the labels as a question, or the name of their column."""
    labels = [str(x) for x in report.data.get("labels", ())]
    column = str(report.data.get("columns", {}).get("label", ""))
    words = [x for x in labels if any(c.isalpha() for c in x)]
    if len(words) == len(labels) and 2 <= len(labels) <= MOST_LABELS and sum(map(len, labels)) < 60:
        return f"{upper(', '.join(labels[:-1]))} or {labels[-1]}?"
    return f"{upper(column)}:" if column and column.lower() not in ("label", "labels") else ""


def title(report: Document) -> str:
    """The task, and what was found about it."""
    v = report.verdict
    if v is None:
        return report.title
    n = int(report.data.get("n_raters", 0))
    e = v.figures[0].estimate
    apart = "One rater" if v.first.about == 1 else f"{upper(number(v.first.about))} raters"
    known = e is not None and isfinite(e.value)
    found = {
        "pools": "Two groups of people answer differently. One set of labels cannot stand for both.",
        "camps": "People answer in two ways. One set of labels cannot stand for both.",
        "rater": f"{apart} of {number(n)} {'answers' if v.first.about == 1 else 'answer'} differently from the others.",
        "labels": "Two of the labels are often confused.",
        "usage": "The raters draw the line in different places.",
        "more": "A single label is not enough, but more labels of each item would be.",
        "few": "There are too few items to tell how far the labels can be trusted.",
        "measure": "Too few items were labelled twice to tell.",
        "skew": "One answer is so common that the others can hardly be judged.",
        "items": "A few items cause much of the disagreement.",
    }.get(v.first.kind, v.headline if known else "How far the labels can be trusted cannot be measured yet.")
    return f"{task(report)} {found}".strip()


def price(step: Step) -> str:
    """What the decision costs, at a minute a label."""
    if not step.labels:
        return ""
    hours = step.labels / 60
    time = f"about {step.labels} minutes" if hours < 2 else f"about {hours:,.0f} hours"
    what = "more labels" if step.kind in ("more", "next") else "second looks at most"
    return f"{step.labels:,} {what}: {time} of people's time at a minute each."


def _cut(text: str) -> str:
    return text if len(text) <= MOST_TEXT else f"{text[: MOST_TEXT - 1].rsplit(' ', 1)[0]} …"
