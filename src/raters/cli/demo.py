"""``raters demo``: see it work on a made example."""

from __future__ import annotations

from pathlib import Path

import click

from raters.cli.options import put, refuse, write, writing


@click.command()
@writing
def demo(format_: str, output: Path | None, force: bool) -> None:
    """Everything that `agree` shows, on a made example of 200 items and 5 raters."""
    from raters import examples
    from raters.agree import agreement, per_category, per_rater
    from raters.cli.agree import measure
    from raters.reporting.render import text, text_table

    refuse(output, force)
    ann = examples.demo()
    table, lead = measure(ann, [], {})
    if format_ != "text":
        write(ann, table, lead, format_, output, force)
        return
    parts = {
        "Each label against the rest (Krippendorff's alpha):": per_category(ann),
        "Each rater against the others (Krippendorff's alpha):": per_rater(ann),
        "By topic (Krippendorff's alpha):": agreement(ann, by="topic"),
    }
    more = "".join(f"\n{title}\n\n{text_table(t)}" for title, t in parts.items())
    put(text(ann, table, lead) + more, output, force)
