"""``raters look``: how a file was read."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any

from raters.cli.command import command
from raters.cli.inputs import source
from raters.cli.options import how_much, put, read_before, reading, refuse, writing
from raters.cli.questions import each_question
from raters.cli.terminal import working

if TYPE_CHECKING:
    from raters.annotations import Annotations

MOST, LONGEST = 12, 60


@command()
@source
@reading
@writing
def look(file: Path | list[Path], format_: str, output: Path | None, force: bool, **options: Any) -> None:
    """Show how FILE was read: its layout, raters, labels, scale, dropped rows, and the overlap between raters.

    \b
    raters look labels.csv
    raters look ratings.xlsx --sheet "Round 2"
    raters look labels.csv --rater ann1:ann4
    """
    from raters.annotations import Annotations
    from raters.cli.of_spans import looked
    from raters.notes.note import of_question
    from raters.reporting.answer import printed
    from raters.reporting.look_answer import look_answer
    from raters.spans.units import Spans

    refuse(output, force)
    options["takes_spans"] = True
    with working("reading"):
        anns = dict(each_question(file, options))
        plain = format_ == "text" and all(isinstance(ann, Annotations) for ann in anns.values())
        told = {q: overview(ann) for q, ann in anns.items() if not plain or len(anns) == 1}
    if plain:
        found = getattr(read_before(file, options)[0], "reading", None)
        answer = look_answer(anns, {q: facts for q, (_, facts) in told.items()}, found.reasons() if found else "")
        put(printed(answer, how_much()), output, force)
        return
    from raters.reporting.tables import FORMATS

    made = {}
    for q, ann in anns.items():
        with of_question(q):
            if isinstance(ann, Spans) and format_ == "text":
                made[q] = looked(ann)
            else:
                made[q] = FORMATS[format_](ann, [], None, told[q][0], overview=told[q][1])
    put(
        next(iter(made.values())) if len(made) == 1 else _questions(made, anns, format_), output, force, format_=format_
    )


def _questions(made: dict[str, str], anns: dict[str, Annotations], format_: str) -> str:
    """The list of questions, then how each was read."""
    import json

    if format_ == "json":
        parts = {q: json.loads(text) for q, text in made.items()}
        return json.dumps({"schema": 1, "questions": parts}, indent=2, ensure_ascii=False) + "\n"
    if format_ == "csv":
        return "".join(made.values())
    counts = ", ".join(f"{q} ({ann.used.n_annotations:,} labels)" for q, ann in anns.items())
    first = shlex.quote(next(iter(anns)))
    head = (
        f"{len(anns)} questions: {counts}. raters agree measures each of them, raters report answers for all; "
        f"--question {first} reads one of them; --scale {first}=ordinal and --labels {first}=A,B,C apply only to it."
    )
    mark = "## " if format_ == "markdown" else "% " if format_ == "latex" else ""
    return "\n".join(
        [
            *(["% " + head] if format_ == "latex" else [head]),
            "",
            *(f"{mark}{q}\n{text}" for q, text in made.items()),
        ]
    )


def overview(ann: Annotations) -> tuple[list[str], dict[str, Any]]:
    """How often each label and rater occurs, and how many labels each item has; as text and as plain values."""
    from raters.spans.units import Spans

    if isinstance(ann, Spans):
        return [], ann.summary()
    from raters.items import fold

    items = fold(ann, group="rater" if ann.n_raters else None)[None]
    sizes: dict[int, int] = {}
    for n, weight in zip(items.per_item.tolist(), items.weight.tolist(), strict=True):
        sizes[int(n)] = sizes.get(int(n), 0) + int(weight)
    margins = (items.weight @ items.counts).reshape(len(items.groups), -1)
    labels = dict(zip(map(str, ann.labels), margins.sum(0).astype(int).tolist(), strict=True))
    people = dict(zip(map(str, items.groups), margins.sum(1).astype(int).tolist(), strict=True)) if ann.n_raters else {}
    shared = sum(n for size, n in sizes.items() if size > 1)
    lines = [
        f"layout: {ann.layout}",
        (
            "items by number of labels:"
            f" {_most({f'{k} labels' if k > 1 else 'one label': n for k, n in sorted(sizes.items())})}"
        ),
        f"items that can be compared: {shared:,} of {sum(sizes.values()):,} have at least two labels",
        f"labels: {_most(labels)}",
    ]
    if people:
        lines.append(f"raters: {_most(people)}")
    facts = {
        "layout": ann.layout,
        "items_by_labels": {str(k): n for k, n in sizes.items()},
        "labels": labels,
        "raters": people,
    }
    return lines, facts


def _most(counts: dict[str, int]) -> str:
    """Counts by name; names beyond the limit are only counted, and long ones lose their middle."""
    from raters.reporting.answer import shortened

    some = [(x if len(x) <= LONGEST else shortened(x, LONGEST), n) for x, n in list(counts.items())[:MOST]]
    shown = ", ".join(f"{name} ({n:,})" for name, n in some)
    return shown + (f", and {len(counts) - MOST:,} more" if len(counts) > MOST else "")
