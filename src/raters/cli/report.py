"""``raters report``: turn a file of labels into a report to act on and share."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from raters.cli import of_spans
from raters.cli.command import command, option
from raters.cli.inputs import source, source_name
from raters.cli.of_spans import or_spans
from raters.cli.options import REPORT_FORMAT, inference, output_file, put, reading, refuse, stop
from raters.cli.questions import each_question
from raters.cli.terminal import working

if TYPE_CHECKING:
    from raters.annotations import Annotations
    from raters.reporting.document import Section, Table
    from raters.reporting.report import Report


@command()
@source
@option("--format", "format_", type=REPORT_FORMAT, help="Format; html unless the name given to -o implies another.")
@output_file("File to write; NAME-report.html by default.")
@option("--force", is_flag=True, help="Overwrite the file if it exists.")
@option("--open", "open_", is_flag=True, help="Open the report in the browser.")
@option("--one-page", is_flag=True, help="One printed page, to send around.")
@option("--print-details", is_flag=True, help="Print what is folded away, too.")
@option("--pool", metavar="COLUMN", help="Column that names pools of raters (crowd, experts, a model).")
@option("--judges", metavar="A,B", help="Raters that are models, to be compared with the others.")
@option(
    "--text",
    metavar="COLUMN[,COLUMN]",
    help=(
        "Column that holds what was labelled, for the cards of the hardest items; found by its usual names if omitted."
    ),
)
@option("--target", type=float, default=0.8, show_default=True, help="Reliability that the aggregate should reach.")
@option(
    "--tables",
    metavar="FOLDER|FILE.xlsx",
    type=click.Path(path_type=Path),
    help="Also write every table as CSV and every chart as PNG, SVG and PDF; or all tables as one workbook.",
)
@inference
@reading
@or_spans(of_spans.report)
def report(
    file: Path | list[Path],
    format_: str | None,
    output: Path | None,
    force: bool,
    open_: bool,
    one_page: bool,
    print_details: bool,
    tables: Path | None,
    **options: Any,
) -> None:
    """Report how reliable the labels of FILE are. Writes one HTML file and prints the verdict.

    \b
    raters report labels.csv
    raters report labels.csv --pool city --open
    raters report labels.csv -o paper.tex
    raters report labels.csv --anonymize -o to-mail.html
    """
    output, format_ = _destination(file, output, format_, one_page)
    refuse(output, force)
    with working("report") as stage:
        report_ = answered(file, options, stage)
        flags = {"tables_beside": output is not None, "print_details": print_details}
        report_ = replace(report_, made={**report_.made, **{name: True for name, flag in flags.items() if flag}})
        stage("writing")
        content = report_.html(one_page=True) if one_page else _content(report_, format_)
    beside_it = format_ != WORD and not one_page
    if output is not None and beside_it:
        for s, t in _cut(report_):  # all or nothing
            refuse(beside(output, report_, s, t), force)
    if tables is not None:
        _tables(report_, tables, force)
    _put(content, output, force)
    if output is not None:
        if beside_it:
            cut_tables(report_, output, force)
        say(report_, output, open_, beside_it)


WORD = "docx"


def _destination(
    file: Path | list[Path], output: Path | None, format_: str | None, one_page: bool
) -> tuple[Path | None, str]:
    """Where the report goes, and its format."""
    from raters.reporting.report import ENDINGS

    known = {**ENDINGS, ".docx": WORD}
    ending = "" if output is None else output.suffix.lower()
    if output is not None and ending not in known and not format_:
        stop(f"{output.name} has no known format; use a name that ends in one of {', '.join(known)}.")
    format_ = WORD if ending == ".docx" else format_ or known.get(ending, "html")
    if one_page and format_ != "html":
        stop("--one-page is an HTML file; use a name that ends in .html.")
    if output is None and format_ == "html" and not click.get_current_context().meta.get("raters.terminal"):
        name = "one-page" if one_page else "report"
        output = Path(f"{source_name(file).split('.')[0] or 'labels'}-{name}.html")
        click.get_current_context().params["output"] = output  # the key of --anonymize is written next to it
    return output, format_


def _put(content: str | bytes, output: Path | None, force: bool) -> None:
    """To the terminal, or a file of bytes."""
    from raters.writing import write_whole

    if isinstance(content, str):
        put(content, output, force)
    elif output is not None:
        write_whole(output, content, force)


def _content(made: Report, format_: str) -> str | bytes:
    if format_ != WORD:
        return made.render(format_)
    from raters.reporting.handed_on import report_document

    return report_document(made)


def answered(file: Path | list[Path], options: dict[str, Any], stage: Callable[[str], None]) -> Report:
    """The report on the file, or on all questions of an export that has several."""
    from raters.notes.note import of_question
    from raters.reporting.report import together

    stage("reading")
    asked, anns = {}, {}
    for question, ann in each_question(file, options):
        anns[question] = ann
        stage(f"question {question}" if question else "computing")
        with of_question(question):
            asked[question] = made(ann, options, stage)
    one = next(iter(asked.values()))
    return _dated(one if len(asked) == 1 else together(asked, source_name(file), anns), file)


def _dated(report: Report, file: Path | list[Path]) -> Report:
    """The report with the hash of what it was made from."""
    paths = [file] if isinstance(file, Path) else file
    return replace(report, made={**report.made, "file": ", ".join(p.name for p in paths), "sha256": digest(paths)})


def digest(paths: Sequence[Path]) -> str:
    """SHA-256 of the files, one after the other; empty where one of them is no file."""
    found = sha256()
    for path in paths:
        if not path.is_file():
            return ""
        with path.open("rb") as file:
            while chunk := file.read(1 << 20):
                found.update(chunk)
    return found.hexdigest()


def made(ann: Annotations, options: dict[str, Any], stage: Callable[[str], None]) -> Report:
    """The requested report, with the command that reproduces it."""
    from raters.reporting.report import report as build

    names = ("level", "resamples", "seed", "target", "pool")
    return build(
        ann,
        command=shlex.join(["raters", *sys.argv[1:]]),
        progress=stage,
        text=[name.strip() for name in options["text"].split(",")] if options.get("text") else None,
        judges=[name.strip() for name in options["judges"].split(",")] if options.get("judges") else (),
        interval=options.get("interval", "auto"),
        **{k: options[k] for k in names if k in options},
    )


def say(report: Report, output: Path, open_: bool, beside_it: bool = True) -> None:
    """Print the verdict in the words of the report, its path, and the files next to it."""
    from raters.reporting.formats import verdict_lines, wrapped
    from raters.words import printable

    click.echo("\n".join(verdict_lines(report)))
    if report.not_used:
        click.echo("\n".join(["", *wrapped(report.not_used)]))
    click.echo(f"\nThe whole report: {printable(str(output.resolve()))}")
    more = [(t, beside(output, report, s, t)) for s, t in _cut(report)] if beside_it else []
    if more and report.verdicts:
        click.echo(
            f"Complete tables that the report shortens: {len(more)} files in {printable(str(more[0][1].parent))}"
        )
    elif more:
        click.echo("Complete tables that the report shortens, next to it:")
        for table, path in more:
            click.echo(printable(f"  {path.name} ({len(table.rows) + len(table.rest):,} rows)"))
    if open_:
        click.launch(str(output.resolve()))


def cut_tables(report: Report, output: Path, force: bool) -> None:
    """Write the complete tables that the report shortens (up to a few thousand rows) as CSV files next to it."""
    from raters.reporting.formats import table_csv

    for s, t in _cut(report):
        path = beside(output, report, s, t)
        path.parent.mkdir(exist_ok=True)
        put(table_csv(t), path, force)


def _cut(report: Report) -> list[tuple[Section, Table]]:
    """The tables that the report shortens, with their sections."""
    return [(s, t) for s in report.sections for t in s.tables() if t.cut]


def beside(output: Path, report: Report, section: Section, table: Table) -> Path:
    """The path of the CSV file for a table: beside the report, or of several questions in one folder."""
    name = f"{report.file_of(section, table.name)}.csv"
    if report.verdicts:
        return output.with_name(f"{output.stem}-tables") / name
    return output.with_name(f"{output.stem}-{name}")


def _tables(made: Report, folder: Path, force: bool) -> None:
    """Every table and picture in a folder, or every table as one workbook; nothing if one of the files cannot be written."""
    from raters.charts.chart import DRAW
    from raters.reporting.formats import table_csv
    from raters.reporting.handed_on import tables_of
    from raters.writing import write_whole

    if folder.suffix.lower() == ".xlsx":
        refuse(folder, force)
        write_whole(folder, tables_of(made), force)
        return
    folder.mkdir(parents=True, exist_ok=True)
    rows = {folder / f"{made.file_of(s, t.name)}.csv": t for s in made.sections for t in s.tables()}
    pictures = {
        folder / f"{made.file_of(s, chart.name)}{ending}": chart
        for s in made.sections
        for chart in s.charts()
        for ending in DRAW
    }
    for path in (*rows, *pictures):
        refuse(path, force)
    for path, table in rows.items():
        put(table_csv(table), path, force)
    for path, chart in pictures.items():
        chart.save(path, force=force)


@command()
@option("--format", "format_", type=REPORT_FORMAT, default="html", show_default=True)
@output_file("File to write; demo-report.html by default, the terminal for other formats.")
@option("--force", is_flag=True, help="Overwrite the file if it exists.")
@option("--open", "open_", is_flag=True, help="Open the report in the browser.")
def demo(format_: str, output: Path | None, force: bool, open_: bool) -> None:
    """Write the report on a simulated example of 200 items and 5 raters.

    \b
    raters demo
    raters demo --format text
    """
    from raters import examples

    if output is None and format_ == "html":
        output = Path("demo-report.html")
    refuse(output, force)
    with working("report") as stage:
        report = made(examples.demo(), {}, stage)
        content = report.render(format_)
    put(content, output, force)
    if output is not None:
        cut_tables(report, output, force)
        say(report, output, open_)
