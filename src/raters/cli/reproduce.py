"""``raters reproduce``: compare a paper's printed figures with ours, with the reason for every difference."""

from __future__ import annotations

import json
from pathlib import Path

import click

from raters.cli.command import command, option
from raters.cli.options import output_file, put, refuse
from raters.cli.terminal import working

PAPERS = ("krr", "xrr", "multilabel", "models")


@command()
@click.argument("paper", type=click.Choice(PAPERS))
@option(
    "--data",
    metavar="DIR",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Folder with the papers' data; missing files are named, with where to obtain them.",
)
@option("--format", "format_", type=click.Choice(["text", "json"]), default="text", show_default=True)
@output_file("Write to FILE instead of the terminal.")
@option("--force", is_flag=True, help="Overwrite FILE if it exists.")
def reproduce(paper: str, data: Path | None, format_: str, output: Path | None, force: bool) -> None:
    """Compare the printed figures of PAPER with ours, with the reason for every difference. Nothing is downloaded.

    \b
    krr         Wong & Paritosh (2022), k-Rater Reliability
    xrr         Wong, Paritosh & Aroyo (2021), Cross-replication Reliability
    multilabel  Marchal et al. (2022), Quality in Multi-label Annotations
    models      Passonneau & Carpenter (2014), Benefits of a Model of Annotation

    \b
    raters reproduce models
    raters reproduce krr --data papers-data
    """
    from raters.papers import krr, models, multilabel, xrr
    from raters.words import json_text, printable

    refuse(output, force)
    with working("reproducing"):
        made = {"krr": krr, "xrr": xrr, "multilabel": multilabel, "models": models}[paper].reproduce(data)
    if format_ == "json":
        content = json_text(json.dumps(made.to_dict(), indent=2, ensure_ascii=False, allow_nan=False)) + "\n"
    else:
        content = "\n".join(printable(line) for line in str(made).splitlines()) + "\n"
    put(content, output, force)
