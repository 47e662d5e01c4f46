"""``raters consensus``: the consensus label of each item, the quality of each rater, and what to label next."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from raters.cli import of_spans
from raters.cli.command import command, option
from raters.cli.consensus_outputs import (
    ALONE,
    asked_next,
    checked,
    compared,
    csv_of,
    format_of,
    found_next,
    of_raters,
    of_sets,
    on_engine,
    rater_csv,
    refuse_given,
    sentence,
    several,
    sheet,
    warn_unchecked,
    write_matrices,
    write_next,
)
from raters.cli.inputs import source
from raters.cli.of_spans import or_spans
from raters.cli.options import (
    MODEL,
    PREVALENCE,
    START,
    TEMPERING,
    how_much,
    numbers,
    put,
    read_table,
    reading,
    refuse,
    stop,
    writing,
)
from raters.cli.options import MODEL_TIES as TIES
from raters.cli.terminal import working

if TYPE_CHECKING:
    from raters.annotations import Annotations
    from raters.estimate import Estimate
    from raters.models.fitting.em import Progress
    from raters.models.follow_up.next_labels import NextLabels
    from raters.models.result import Consensus

ROWS = 20
MOST_NUMBERS = 1_000_000
FILE = click.Path(dir_okay=False, path_type=Path)


@command()
@source
@option("--model", type=MODEL, default="auto", show_default=True,
              help="auto chooses the model by held-out labels and explains the choice.")  # fmt: skip
@option("--start", type=START, default="best", show_default=True, help="Starting point of the fit.")
@option("--smoothing", type=float, default=0.01, show_default=True, help="Pseudocount added to every count.")
@option("--tempering", type=TEMPERING, metavar="held_out|P",
              help="Weight of a label in a model that you name: held_out estimates it from held-out labels, as auto does.")  # fmt: skip
@option("--prevalence", type=PREVALENCE,
              help="Estimate how frequent the labels are, or take all as equally frequent, as mace, one_coin and glad do by default.")  # fmt: skip
@option("--ties", type=TIES, default="split", show_default=True,
              help="For majority: what a tied vote gives.")  # fmt: skip
@option(
    "--threshold",
    type=float,
    default=0.0,
    help="Leave the label empty for items that are less settled than this.",
)
@option(
    "--gold",
    "gold_file",
    type=FILE,
    metavar="GOLD.csv",
    help="Known labels to learn from: columns item and label (or answer).",
)
@option("--check", "check_file", type=FILE, metavar="GOLD.csv",
              help="Known labels to measure accuracy and calibration; the model does not learn from them.")  # fmt: skip
@option("--matrices", "matrices_file", type=FILE, metavar="MATRICES.csv",
              help="Write each rater's confusion matrix and the prevalence of each label, as CSV or (.json) JSON.")  # fmt: skip
@option("--soft", is_flag=True, help="Also write the probability of every label.")
@option("--classifier", "classifier_file", type=FILE, metavar="PROBS.csv",
              help="Probabilities of a classifier beside the votes; its weight is learned on held-out labels.")  # fmt: skip
@option(
    "--shares", is_flag=True, help="Instead, write soft labels without a model: counts, K and shares (CSV, Parquet)."
)
@option("--raters", "raters_file", type=FILE, metavar="RATERS.csv", help="Write one row for each rater.")
@option("--adjudicate", "adjudicate_file", type=FILE, metavar="SHEET.csv",
              help="Write the unsettled items with a column for answers; pass the completed file back with --gold.")  # fmt: skip
@option(
    "--card",
    rare=True,
    type=FILE,
    metavar="README.md",
    help="With -o gold.csv, .parquet or .jsonl: write a dataset card for Hugging Face.",
)
@option("--next", "next_", type=int, default=0, metavar="N", help="List the N most informative labels to collect next.")
@option("--next-file", type=FILE, metavar="FILE", help="Write them to a .csv or .xlsx file, or as tasks of a tool.")
@option(
    "--next-for",
    rare=True,
    type=click.Choice(["label_studio", "argilla", "doccano"]),
    help="The tool that imports --next-file.",
)
@option("--by", metavar="COLUMN",
              help="Column that names the task, to fit several tasks at once with one row each; with several files, use file.")  # fmt: skip
@option("--on-engine", is_flag=True,
              help="Fit dawid_skene or one_coin by SQL inside the engine, for tables larger than memory; -o is a Parquet file.")  # fmt: skip
@option("--compare", is_flag=True, help="Compare all models by held-out labels.")
@option(
    "--uncertainty",
    type=click.Choice(["posterior", "bootstrap"]),
    help="Estimate the full uncertainty of the raters.",
)
@option(
    "--seed", type=click.IntRange(min=0), default=0, show_default=True, help="The same seed gives the same figures."
)
@reading
@writing
@or_spans(of_spans.consensus)
def consensus(file: Path | list[Path], format_: str, output: Path | None, force: bool, **options: Any) -> None:
    """Find the consensus label of each item of FILE, and estimate the quality of each rater.

    \b
    raters consensus labels.csv -o gold.csv
    raters consensus labels.csv -o gold.parquet --soft
    raters consensus labels.csv --next 100 --next-file next.csv
    raters consensus labels.csv --adjudicate sheet.csv
    raters consensus labels.csv --gold sheet.csv -o gold.csv
    raters consensus labels.csv --check gold.csv
    raters consensus labels.csv --shares -o shares.csv
    raters consensus "2026/*.parquet" --on-engine --model one_coin -o gold.parquet

    -o writes one row for each item: its columns, its label, how settled the label is, and the number of annotations. A
    label is settled if more labels from similar raters would hardly change it; use --check to measure how often such
    labels are right.
    """
    if options["classifier_file"]:
        rest = [name for name in ("shares", *ALONE) if name not in ("classifier_file", "gold_file")]
        refuse_given(options, rest, "cannot be combined with --classifier")
    if options["shares"]:
        rest = [*ALONE, "matrices_file", "soft", "card", "by", "on_engine", "tempering"]
        refuse_given(options, rest, "needs a model of raters; it cannot be combined with --shares")
        write_shares(file, format_, output, force, options)
        return
    if output is not None and output.suffix.lower() in of_spans.OUTPUTS:
        read_table(file, options)  # spans are written so; labels of items are refused below
    options["next_"] = options["next_"] or (100 if options["next_file"] else 0)
    asked(output, options)
    named, format_ = format_, format_of(format_, output, options)
    for path in (output, *(options[name] for name in WRITTEN)):
        refuse(path, force)
    if on_engine(file, options, format_, output, force) or several(file, options, format_, output, force):
        return
    with working("reading"):
        ann = read_table(file, options)
    if ann.scale.of_sets:
        of_sets(ann, options, format_, output, force)
        return
    with working("fitting") as say:
        c = fit(ann, options, lambda name, n, objective: say(f"{name}, step {n}"))
    if options["classifier_file"]:
        write_with_classifier(ann, c, format_, output, force, options["classifier_file"])
        return
    following = found_next(c, options)
    with working("comparing raters"):
        table, report = parts(ann, c, options, following)
    write_next(ann, following, options, force)
    write_matrices(c, options["matrices_file"], force)
    write_labels(ann, c, report, named, format_, output, force, options)
    write_sheets(ann, c, table, options, force)
    files = [str(path) for path in (output, *(options[name] for name in WRITTEN)) if path is not None]
    if named == "text" and files:
        put(f"\nWritten: {', '.join(files)}\n", None, force)


def write_labels(
    ann: Annotations,
    c: Consensus,
    report: Callable[..., str],
    named: str,
    format_: str,
    output: Path | None,
    force: bool,
    options: dict[str, Any],
) -> None:
    """The labels as a file or on the terminal, and the answer on the terminal."""
    if format_ == "text" and output is not None and write_training(ann, c, output, force, options):
        put(report("text"), None, force)
        return
    labels = as_columns(c, options)
    if format_ == "csv" or (format_ == "text" and output is not None):
        put(csv_of(labels), output, force)
        if output is None:
            warn_unchecked(c, options["threshold"])
        else:
            put(report("text"), None, force)
    elif format_ == "json":
        put(report("json", items=labels), output, force)
        if named == "text":
            put(report("text"), None, force)
    else:
        put(report(format_), output, force)


WRITTEN = ("raters_file", "adjudicate_file", "matrices_file", "next_file", "card")
"""Options that name a file to write."""


def write_training(ann: Annotations, c: Consensus, output: Path, force: bool, options: dict[str, Any]) -> bool:
    """Write the labels as a training file; False if the name does not ask for one."""
    from raters.models.follow_up.training import ENDINGS, training, written
    from raters.reporting.dataset_card import card
    from raters.writing import write_whole

    ending = output.suffix.lower()
    if ending not in ENDINGS or (c.numeric and ending == ".csv"):
        return False
    if c.numeric:
        stop("a training file is for labels, and these are numbers: -o values.csv.")
    made = training(ann, c, soft=options["soft"], threshold=options["threshold"])
    write_whole(output, written(made, ending), force)
    if options["card"]:
        write_whole(options["card"], card(ann, c, made, output, options["card"]).encode(), force)
    return True


def write_sheets(ann: Annotations, c: Consensus, table: Any, options: dict[str, Any], force: bool) -> None:
    """The files of raters and of items to adjudicate, if they were asked for."""
    if options["raters_file"]:
        put(rater_csv(ann, c, table), options["raters_file"], force)
    if options["adjudicate_file"]:
        put(csv_of(sheet(ann, c, options["threshold"] or 0.99)), options["adjudicate_file"], force)


def write_shares(
    file: Path | list[Path], format_: str, output: Path | None, force: bool, options: dict[str, Any]
) -> None:
    """Soft labels as CSV, JSON or Parquet: how many raters gave each label, and their shares."""
    import json

    from raters.reliability.soft.soft_labels import soft_labels
    from raters.writing import write_whole

    refuse(output, force)
    with working("reading"):
        soft = soft_labels(read_table(file, options))
    if output is None and format_ == "json":
        put(json.dumps(soft.to_dict(), ensure_ascii=False) + "\n", None, force)
        return
    content = soft.written(".csv" if output is None else output.suffix)
    if output is None:
        put(content.decode(), None, force)
        return
    write_whole(output, content, force)
    put(f"{soft}; written: {output}\n", None, force)


def write_with_classifier(
    ann: Annotations, c: Consensus, format_: str, output: Path | None, force: bool, path: Path
) -> None:
    """The labels with a classifier beside the votes: what it changed, and single labels to check."""
    import json

    from raters.reliability.soft.beside_votes import with_classifier

    found = with_classifier(ann, str(path), fitted=c)
    if format_ == "json":
        put(json.dumps(found.to_dict(), indent=2, ensure_ascii=False, default=str) + "\n", output, force)
        return
    if output is not None or format_ == "csv":
        put(csv_of(found.to_columns()), output, force)
    if format_ != "csv":
        put(f"{found}\n", None, force, format_="text")


def asked(output: Path | None, options: dict[str, Any]) -> None:
    """Stop before any work if the options contradict each other."""
    files = [Path(path).resolve() for path in (output, *(options[name] for name in WRITTEN)) if path is not None]
    if len(set(files)) < len(files):
        stop("two options name the same file to write; use a different file for each.")
    if options["next_for"] and not options["next_file"]:
        stop(f"--next-for {options['next_for']} needs a file: --next-file tasks.json.")
    if options["next_file"]:
        from raters.reporting.label_next import check_ending

        check_ending(options["next_file"], options["next_for"])
    if options["card"]:
        from raters.models.follow_up.training import ENDINGS

        if output is None or output.suffix.lower() not in ENDINGS:
            stop(f"--card describes a training file: use -o with a name that ends in {' or '.join(ENDINGS)}.")
    if options["next_"] < 0:
        stop(f"--next {options['next_']} is not a number of labels; use 1 or more.")
    if not 0 <= options["threshold"] <= 1:
        stop(f"--threshold {options['threshold']:g} is not a probability between 0 and 1.")
    if numbers(options["model"]):
        for name, given in (
            ("adjudicate", options["adjudicate_file"]),
            ("compare", options["compare"]),
            ("next", options["next_"]),
        ):
            if given:
                stop(f"--{name} applies to labels; --model {options['model']} is a model for numbers.")


def fit(ann: Annotations, options: dict[str, Any], said: Progress) -> Consensus:
    """Fit the requested model."""
    from raters.models import consensus as model

    gold = known(ann, options["gold_file"], options["model"]) if options["gold_file"] else None
    names = ("start", "smoothing", "tempering", "prevalence", "ties", "uncertainty", "seed")
    try:
        given: Any = {name: options[name] for name in names}
        found: Consensus = model(ann, options["model"], gold=gold, progress=said, **given)
        return found
    except ImportError as error:  # a missing extra
        stop(f"{error}.")


def known(ann: Annotations, path: Path, name: str) -> dict[Any, Any]:
    """Gold labels from a file, with the names that the data use."""
    from raters.models import consensus as model
    from raters.models.follow_up.sheets import read_answers

    try:
        found = read_answers(path, model(ann, "majority"), ann.columns.get("item", "item"), numeric=numbers(name))
    except OSError as error:
        stop(f"cannot read {path}: {error.strerror}.")
    if not found:
        stop(f"{path} has no answers yet: fill in the column 'answer' (or 'label').")
    return found


def parts(ann: Annotations, c: Consensus, options: dict[str, Any], following: NextLabels | None) -> tuple[Any, Any]:
    """The table of raters, and a function that renders the report in a format."""
    from raters.models import information
    from raters.models.families.registry import too_large
    from raters.models.follow_up.why import findings
    from raters.reporting.consensus_answer import consensus_answer
    from raters.reporting.tables import FORMATS

    table, lines = [], []
    if size := too_large(c.votes):
        lines = [f"note: bits per rater were not computed, because their matrices would take {size}"]
    elif not c.numeric and c.votes.n_raters:
        found = information(c, seed=options["seed"])
        table = list(found)
        lines = of_raters(found)
    further = [
        *asked_next(following, options["next_"], options),
        *compared(ann, options),
        *checked(ann, c, options, known),
    ]

    def report(format_: str, **extra: Any) -> str:
        if format_ == "text":
            made = consensus_answer(ann, c, table, options["threshold"], lines, further)
            return FORMATS[format_](ann, table, "", answer=made, shown=how_much())
        first = sentence(c, options["threshold"])
        some = table if format_ == "json" or len(table) <= ROWS else sorted(table, key=_matters)[:ROWS]
        more = (
            [
                f"Raters with flags first, then those with the most labels; {len(table) - ROWS:,} more are not shown:"
                " --raters FILE writes all."
            ]
            if len(some) < len(table)
            else []
        )
        facts = {"consensus": about(c)} if format_ == "json" else {}
        if format_ == "json" and following is not None:
            facts["next"] = following.to_dict()
        return FORMATS[format_](ann, some, first, [*more, *lines, *findings(c, told=True), *further], **facts, **extra)

    return table, report


def _matters(e: Estimate) -> tuple[bool, int]:
    """Raters with a flag first, then those who gave the most labels."""
    return not e.details.get("flags"), -e.n_annotations


def about(c: Consensus) -> dict[str, Any]:
    """The fit as plain values for JSON."""
    from dataclasses import asdict

    from raters.notes.note import in_json

    return {
        "model": c.model,
        "start": c.start,
        "objective": c.objective,
        "log_likelihood": c.log_likelihood,
        "converged": c.converged,
        "reason": c.reason,
        "starts": [asdict(s) for s in c.starts],
        "labels": list(c.label_names),
        "prevalence": c.prevalence.tolist(),
        **in_json(c.notes),
        "power": c.power,
        "choice": None if c.choice is None else asdict(c.choice),
        "confusion": _confusion(c),
    }


def _confusion(c: Consensus) -> dict[str, Any] | None:
    """Rater -> confusion matrix (true labels by given labels); None if there is none or if it would be too large."""
    from raters.models.families.registry import too_large

    if isinstance(c.definition.confusion, str) or too_large(c.votes) or c.confusion.size > MOST_NUMBERS:
        return None
    return {str(r): m for r, m in zip(c.raters, c.confusion.tolist(), strict=True)}


def as_columns(c: Consensus, options: dict[str, Any]) -> dict[str, list[Any]]:
    from raters.models.follow_up.sheets import columns

    return columns(c, soft=options["soft"], threshold=options["threshold"])
