"""The command line: open, call one function, print. Heavy imports only where they are used."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

import click

from raters import __version__

if TYPE_CHECKING:
    from raters.annotations import Annotations
    from raters.estimate import Estimate

F = TypeVar("F", bound=Callable[..., Any])
COEFFICIENTS = (
    "percent", "cohen", "conger", "light", "hubert", "scott", "fleiss", "krippendorff", "gwet", "brennan_prediger", "iota",
)  # fmt: skip
NAMED_WEIGHTS = ("identity", "linear", "quadratic", "ordinal", "radical", "ratio", "circular", "bipolar")


def _together(*options: Callable[[F], F]) -> Callable[[F], F]:
    def apply(function: F) -> F:
        for option in reversed(options):
            function = option(function)
        return function

    return apply


reading = _together(
    click.option("--item", metavar="COLUMN", help="Column of the items. Found by its name if not given."),
    click.option("--rater", metavar="COLUMN", help="Column of the raters."),
    click.option("--label", metavar="COLUMN", help="Column of the labels."),
    click.option("--scale", type=click.Choice(["nominal", "ordinal", "interval", "ratio", "circular"]), help="Kind of labels; guessed, and said, if not given."),
    click.option("--labels", metavar="A,B,C", help="All labels in their order, separated by commas."),
    click.option("--layout", type=click.Choice(["long", "wide", "counts", "contingency"]), default="long", show_default=True, help="How the table is laid out."),
    click.option("--missing", multiple=True, metavar="TEXT", help="A label that means missing (may be given several times)."),
    click.option("--duplicates", type=click.Choice(["error", "first", "last", "keep"]), default="error", show_default=True, help="A rater who labels an item twice."),
    click.option("--encoding", default="utf-8", show_default=True, help="Encoding of text files."),
)
writing = _together(
    click.option("--format", "format_", type=click.Choice(["text", "json", "csv", "markdown", "latex"]), default="text", show_default=True),
    click.option("-o", "--output", metavar="FILE", type=click.Path(dir_okay=False, path_type=Path), help="Write to FILE instead of the terminal."),
    click.option("--force", is_flag=True, help="Overwrite FILE if it exists."),
)
inference = _together(
    click.option("--interval", type=click.Choice(["auto", "bootstrap", "bca", "delta", "jackknife", "none"]), default="auto", show_default=True, help="How the interval is found; auto: bootstrap, delta where that would take long."),
    click.option("--level", type=float, default=0.95, show_default=True, help="Level of the interval."),
    click.option("--resamples", type=int, default=2000, show_default=True, help="Bootstrap samples."),
    click.option("--seed", type=int, default=0, show_default=True, help="The same seed gives the same figures."),
)


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110})
@click.version_option(__version__, prog_name="raters")
def cli() -> None:
    """How far can these labels be trusted?

    \b
    raters demo                        see it work on a made example
    raters agree labels.csv            how far raters agree, with intervals
    raters agree labels.csv --by topic --format markdown
    """


@cli.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.option("-c", "--coefficient", multiple=True, type=click.Choice(COEFFICIENTS), help="One or more; all that apply if not given.")
@click.option("--weights", type=click.Choice(NAMED_WEIGHTS), help="Agreement weights; on numbers by value.")
@click.option("--weights-by", type=click.Choice(["value", "position"]), default="value", show_default=True, help="Numeric labels by value or by position.")
@click.option("--margins", type=click.Choice(["items", "pooled"]), default="items", show_default=True, help="Margins of fleiss, gwet and scott: every item alike, or every annotation.")
@click.option("--se", type=click.Choice(["gwet"]), help="gwet: the standard error of irrCAC.")
@click.option("--by", metavar="COLUMN", help="One figure for each value of a column.")
@click.option("--group", metavar="COLUMN", help="Who is compared with whom: a pool, a round.")
@click.option("--within", type=click.Choice(["rater"]), help="rater: compare only labels of the same rater (intra-rater).")
@click.option("--per", type=click.Choice(["category", "rater", "pair", "item"]), help="One figure for each label, rater, pair of raters, or item.")
@click.option("--fail-under", multiple=True, metavar="[COEFFICIENT[:low]=]NUMBER", help="Exit with 1 if the figure (or its lower limit) is below, or undefined.")
@inference
@reading
@writing
def agree(file: Path, format_: str, output: Path | None, force: bool, fail_under: tuple[str, ...], **options: Any) -> None:
    """How far do the raters of FILE agree?

    \b
    raters agree labels.csv
    raters agree labels.csv --item doc --rater worker --label answer --scale nominal
    raters agree ratings.csv --scale ordinal --labels bad,ok,good -c fleiss --weights quadratic
    raters agree labels.csv --per rater
    raters agree labels.csv --fail-under krippendorff:low=0.667
    """
    thresholds = [_threshold(t) for t in fail_under]
    _refuse(output, force)
    with _working("reading"):
        ann = _read(file, options)
    with _working("computing agreement"):
        table, lead = _measure(ann, [name for name, _, _ in thresholds if name], options)
    _write(ann, table, lead, format_, output, force)
    _check(table, lead, thresholds)


@cli.command()
@writing
def demo(format_: str, output: Path | None, force: bool) -> None:
    """Everything that `agree` shows, on a made example of 200 items and 5 raters."""
    from raters import examples

    _refuse(output, force)
    ann = examples.demo()
    table, lead = _measure(ann, [], {})
    if format_ != "text":
        _write(ann, table, lead, format_, output, force)
        return
    from raters.agree import agreement, per_category, per_rater
    from raters.report.render import text_table

    parts = {
        "Each label against the rest (Krippendorff's alpha):": per_category(ann),
        "Each rater against the others (Krippendorff's alpha):": per_rater(ann),
        "By topic (Krippendorff's alpha):": agreement(ann, by="topic"),
    }
    from raters.report.render import text

    more = "".join(f"\n{title}\n\n{text_table(t)}" for title, t in parts.items())
    _put(text(ann, table, lead) + more, output, force)


def _read(file: Path, options: dict[str, Any]) -> Annotations:
    import warnings

    from raters.errors import RatersWarning
    from raters.io import read

    labels = options["labels"]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RatersWarning)  # the summary says the same
        return read(
            file, item=options["item"], rater=options["rater"], label=options["label"], scale=options["scale"],
            labels=[x.strip() for x in labels.split(",")] if labels else None, layout=options["layout"],
            missing=options["missing"], duplicates=options["duplicates"], encoding=options["encoding"],
        )  # fmt: skip


def _measure(ann: Annotations, wanted: Sequence[str], options: dict[str, Any]) -> tuple[list[Estimate], Estimate | None]:
    """The table that was asked for, and the estimate that the first sentence is about."""
    from raters import agree as api

    given = {k: options[k] for k in ("weights", "weights_by", "margins", "interval", "se", "level", "resamples", "seed") if options.get(k) is not None}
    if given.get("interval") == "none":
        given["interval"] = None
    by, group, per = options.get("by"), options.get("group"), options.get("per")
    within = {"within": options["within"]} if options.get("within") else {}
    chosen = options.get("coefficient") or ()
    if per is not None:
        function = {"category": api.per_category, "rater": api.per_rater, "pair": api.per_pair, "item": api.per_item}[per]
        extra = {"group": group} if group and per in ("category", "item") else {}
        return [e for name in chosen or (None,) for e in function(ann, *([name] if name else []), **extra, **given)], None
    names = list(chosen) or api.applicable(ann, group)
    names += [name for name in wanted if name not in names]
    results = [api.agreement(ann, name, by=by, group=group, **within, **api.weighted(name, ann, given)) for name in names]
    if by is not None:
        return [e for table in results for e in table], None
    lead = next((e for e in results if e.name == "krippendorff"), results[0])
    return results, lead


def _threshold(given: str) -> tuple[str, bool, float]:
    """``[COEFFICIENT[:low]=]NUMBER`` as (coefficient or "", lower limit?, number)."""
    name, _, number = given.rpartition("=")
    name, _, limit = name.partition(":")
    try:
        if (name and name not in COEFFICIENTS) or limit not in ("", "low"):
            raise ValueError
        return name, limit == "low", float(number)
    except ValueError:
        raise click.BadParameter(f"{given!r} is not [COEFFICIENT[:low]=]NUMBER, for example krippendorff:low=0.667.", param_hint="--fail-under") from None


def _check(table: Sequence[Estimate], lead: Estimate | None, thresholds: Sequence[tuple[str, bool, float]]) -> None:
    missed = []
    for name, low, number in thresholds:
        about = [e for e in table if e.coefficient == name] if name else [lead] if lead is not None else table
        for e in about:
            figure = e.low if low else e.value
            if not figure >= number:
                what = f"the lower limit of {e.name}" if low else e.name
                missed.append(f"{what} is {'undefined' if figure != figure else f'{figure:.4f}'}, below {number:g}")
    if missed:
        more = f" (and {len(missed) - 1} more)" if len(missed) > 1 else ""
        click.echo(f"raters: {missed[0]}{more}", err=True)
        sys.exit(1)


def _refuse(output: Path | None, force: bool) -> None:
    if output is not None and output.exists() and not force:
        _stop(f"{output} exists already; pass --force to overwrite it, or another name to -o.")


def _write(ann: Annotations, table: Sequence[Estimate], lead: Estimate | None, format_: str, output: Path | None, force: bool) -> None:
    from raters.report.render import FORMATS

    _put(FORMATS[format_](ann, table, lead), output, force)


def _put(content: str, output: Path | None, force: bool) -> None:
    """To the terminal, or whole to a file: written beside it, then renamed, so that no half file is left."""
    if output is None:
        click.echo(content, nl=False)
        return
    _refuse(output, force)
    beside = output.with_name(f".{output.name}.{os.getpid()}.part")
    try:
        beside.write_text(content, encoding="utf-8")
        os.replace(beside, output)
    except OSError as error:
        _stop(f"cannot write {output}: {error.strerror}.")
    finally:
        beside.unlink(missing_ok=True)


@contextmanager
def _spinner(what: str) -> Iterator[None]:
    from rich.console import Console

    with Console(stderr=True).status(f"{what} ..."):
        yield


def _working(what: str) -> Any:
    """Say what goes on, where there is a terminal to say it on."""
    return _spinner(what) if sys.stderr.isatty() else nullcontext()


def _stop(message: str, code: int = 2) -> NoReturn:
    click.echo(f"raters: {message}", err=True)
    sys.exit(code)


def main() -> None:
    """Run the command line; whatever goes wrong is one line, and an exit code."""
    from raters.errors import RatersError

    try:
        cli(standalone_mode=False)
    except RatersError as error:
        _stop(str(error))
    except click.ClickException as error:
        error.show()
        sys.exit(2)
    except (KeyboardInterrupt, click.Abort):
        _stop("stopped; nothing was written.", 130)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
    except Exception as error:
        if os.environ.get("RATERS_DEBUG"):
            raise
        _stop(f"this should not have happened ({type(error).__name__}: {' '.join(str(error).split())}). Set RATERS_DEBUG=1 for the details, and please report it.")


if __name__ == "__main__":
    main()
