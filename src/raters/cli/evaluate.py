"""``raters evaluate``: a system's probabilities, or its labels, against the labels of people."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from raters.cli.command import command, option, taken
from raters.cli.options import put, read_table, reading, refuse, writing
from raters.cli.terminal import working
from raters.options import given_to
from raters.options.declared import Inference

if TYPE_CHECKING:
    from raters.reliability.soft.soft_labels import SoftLabels

FILE = click.Path(dir_okay=False, path_type=Path)


@dataclass(frozen=True)
class Shares:
    """Soft labels in place of a table, for the renderers."""

    soft: SoftLabels
    anns: tuple[Any, ...] = ()

    def __str__(self) -> str:
        return f"{self.soft.source}: {self.soft}"

    def summary(self) -> dict[str, Any]:
        """What was read."""
        return {"source": self.soft.source, "n_items": len(self.soft.items), "labels": list(self.soft.labels)}


@command()
@click.argument("system", type=FILE)
@click.argument("crowd", nargs=-1, required=True, metavar="LABELS...", type=click.Path(path_type=Path))
@option("--against", type=FILE, metavar="FILE", help="A second system, compared on the same items.")
@option("--each", type=click.Choice(["rater", "item"]),
        help="What is predicted: the label of each rater, or probabilities (recognised if omitted).")  # fmt: skip
@option("--clip", type=float, metavar="P", help="Smallest probability for cross-entropy, such as 1e-12.")
@taken(Inference)
@reading
@writing
def evaluate(
    system: Path, crowd: tuple[Path, ...], format_: str, output: Path | None, force: bool, **options: Any
) -> None:
    """Evaluate the predictions in SYSTEM against the LABELS of people, beside what so few labels allow.

    \b
    raters evaluate predictions.csv labels.csv
    raters evaluate predictions.json labels.json --against other.json
    raters evaluate task_soft.tsv task_dev.json
    raters evaluate each-rater.csv labels.csv --each rater

    SYSTEM has a row for each item: a label, or the probability of each label in columns p(LABEL); JSON with the
    probabilities of each item; or the files of LeWiDi. LABELS is any table of labels, or shares that
    raters consensus --shares wrote.
    """
    from raters.reliability.soft.evaluate import evaluate as measure
    from raters.reliability.soft.evaluation import labelled
    from raters.reliability.soft.soft_labels import read_back
    from raters.reporting.tables import FORMATS

    refuse(output, force)
    with working("reading"):
        soft = read_back(crowd[0]) if len(crowd) == 1 else None
        labels: Any = soft or read_table(crowd[0] if len(crowd) == 1 else list(crowd), options)
    given = given_to(Inference, options)
    with working("evaluating"):
        found: Any = measure(
            str(system),
            labels,
            against=None if options["against"] is None else str(options["against"]),
            each=options["each"],
            clip=options["clip"],
            **given,
        )
    about: Any = labels if soft is None else Shares(soft)
    if format_ == "text":
        put("\n".join([str(found), *labelled("Read", str(about).splitlines())]) + "\n", output, force, format_=format_)
        return
    extra = {k: v for k, v in found.to_dict().items() if k not in ("schema", "estimates")}
    put(FORMATS[format_](about, found, found.sentence, [], **extra), output, force, format_=format_)
