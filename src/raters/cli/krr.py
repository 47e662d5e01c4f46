"""``raters krr``: the reliability of the aggregate of k labels."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from raters.cli import of_spans
from raters.cli.command import command, option, taken
from raters.cli.inputs import need_file, optional_source
from raters.cli.of_spans import or_spans
from raters.cli.options import read_table, reading, refuse, write, writing
from raters.cli.questions import View, about_question, each_question, write_views
from raters.cli.terminal import working
from raters.options import given_to
from raters.options.declared import Krr


@dataclass(frozen=True)
class Published:
    """Replaces a table for the renderers, which describe the data with it."""

    what: str
    anns: tuple[Any, ...] = ()

    def __str__(self) -> str:
        return f"no data: {self.what}"

    def summary(self) -> dict[str, Any]:
        """The basis of the figures."""
        return {"source": None, "published": self.what}


def numbers(given: str, option: str, counts: tuple[int, ...]) -> list[float]:
    """Numbers separated by commas, in a count that the option accepts."""
    try:
        found = [float(x) for x in given.split(",")]
    except ValueError:
        found = []
    if len(found) not in counts:
        raise click.BadParameter(f"{given!r} is not {' or '.join(map(str, counts))} numbers.", param_hint=option)
    return found


CURVE = range(1, 26)


@command()
@optional_source
@option("--k", type=click.IntRange(min=1), help="Labels per aggregate; the number of labels per item if omitted.")
@option("--curve", is_flag=True, help="Report every k from 1 to 25 (or to --k).")
@option(
    "--against",
    metavar="OTHER",
    multiple=True,
    type=click.Path(path_type=Path),
    help="A second replication of the same items (may be given several times).",
)
@option("--by", metavar="COLUMN", help="One figure, or curve, for each value of a column.")
@option(
    "--scores",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help=("Scores of systems, with one column for each next to the items, beside the highest score that is possible."),
)
@option(
    "--gold",
    "gold_file",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="Known answers of items: how well the aggregate of k labels agrees with them, over k.",
)
@option(
    "--irr",
    metavar="X[,LOW,HIGH]",
    help="Without FILE: the reliability of single ratings as a paper states it, with --k.",
)
@taken(Krr)
@reading
@writing
@or_spans(of_spans.krr)
def krr(file: Path | list[Path], format_: str, output: Path | None, force: bool, **options: Any) -> None:
    """Estimate the reliability of the aggregate (mean, median or majority) of k labels of FILE. Also reports
    single-label reliability.

    \b
    raters krr labels.csv
    raters krr ratings.csv --scale interval --k 13 --method icc
    raters krr labels.csv --curve --format csv -o curve.csv
    raters krr first.csv --against second.csv --k 5
    raters krr labels.csv --by topic
    raters krr --irr 0.43 --k 5
    raters krr ratings.csv --scores systems.csv
    raters krr ratings.csv --gold experts.csv
    """
    if options["irr"] is not None:
        _published(file, format_, output, force, options)
        return
    need_file(file, "a published figure: --irr 0.43 --k 5")
    refuse(output, force)
    beside = options["scores"] or options["gold_file"]
    with working("reading"):
        against = tuple(read_table(other, options) for other in options["against"]) or None
        anns = {"": read_table(file, options)} if against or beside else dict(each_question(file, options))
    given = given_to(Krr, options)
    if beside:
        _beside(anns[""], format_, output, force, options, given["interval"])
        return
    one = _slices if options["by"] else _whole
    views = {}
    for question, ann in anns.items():
        with about_question(question):
            views[question] = one(ann, against, format_ == "text", options, given)
    write_views(anns, views, format_, output, force)


def _whole(ann: Any, against: Any, text: bool, options: dict[str, Any], given: Any) -> View:
    from raters.agree.estimating import too_few_shared
    from raters.reliability.krr.krr import krr_curve, study_of, usual_k
    from raters.reporting.label_curve import curve_lines

    study = study_of(ann, aggregate=options["aggregate"], against=against)
    k = options["k"] or usual_k(study, options["method"])
    ks = _ks(options, k)
    with working("k-rater reliability"):
        table = krr_curve(ann, _possible(ks, options, ann), against=against, **given)
    lead = next((e for e in table if e.details.get("k") == k), table[len(table) - 1])
    drawn = curve_lines(list(table)) if options["curve"] and text else []
    if not options["k"] and k < study.n:
        drawn = [
            (
                f"k = {k} instead of {study.n}: with this many distinct labels, only two halves of an item's labels can"
                " be compared."
            ),
            *drawn,
        ]
    return View(table, too_few_shared(ann) or lead, drawn)


def _beside(
    ann: Any, format_: str, output: Path | None, force: bool, options: dict[str, Any], interval: str | None
) -> None:
    """Compare systems or known answers with the aggregate."""
    from raters.reliability.krr.ceilings import ceiling
    from raters.reliability.krr.krr import krr_curve

    if options["scores"] and options["gold_file"]:
        raise click.UsageError("use --scores (systems) or --gold (known answers), not both.")
    common: Any = {name: options[name] for name in ("aggregate", "level", "resamples", "seed")} | {"interval": interval}
    with working("beside the aggregate"):
        if options["scores"]:
            table = ceiling(ann, _columns_of(options["scores"], options, format_), k=options["k"], **common)
            lead = next(e for e in table if e.name.startswith("highest"))
        else:
            least, _, _ = ann.used.per_item
            ks = range(1, (options["k"] or max(least, 1)) + 1)
            gold = _columns_of(options["gold_file"], options, format_)
            table = krr_curve(ann, ks, gold=gold, ties=options["ties"], **common)
            lead = table[len(ks) - 1]
    write(ann, table, lead, format_, output, force)


def _columns_of(path: Path, options: dict[str, Any], format_: str) -> Any:
    """A table with a column for each system, or of known answers; in doubt one is asked, as about any table."""
    from raters.cli.asking import settled
    from raters.errors import RatersWarning
    from raters.io.read import read
    from raters.io.readings.reading import InDoubt

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RatersWarning)  # the scale of scores does not matter
        try:
            return read(path, layout="wide")
        except InDoubt as doubt:
            return read(settled(doubt, bool(options.get("yes")), format_))


def _slices(ann: Any, against: Any, text: bool, options: dict[str, Any], given: Any) -> View:
    """One figure for each slice, or with --curve one curve for each."""
    from raters.reliability.krr.krr import krr, krr_curve

    with working("k-rater reliability"):
        if options["curve"]:
            ks = _ks(options, options["k"] or CURVE[-1])
            table = krr_curve(ann, ks, against=against, by=options["by"], **given)
        else:
            table = krr(ann, options["k"], against=against, by=options["by"], **given)
    return View(table, None)


def _ks(options: dict[str, Any], k: int) -> list[int]:
    from raters.errors import UsageError

    if not options["curve"]:
        return [k]
    if (options["k"] or 0) > 1000:
        raise UsageError(
            f"--curve --k {options['k']}: a curve has at most 1,000 points. Omit --curve to estimate a single k."
        )
    return list(range(1, k + 1)) if options["k"] else sorted({*CURVE, k})


def _published(
    file: Path | list[Path], format_: str, output: Path | None, force: bool, options: dict[str, Any]
) -> None:
    """A figure from a paper, extrapolated to k; with --curve, to every k."""
    from raters.reliability.krr.krr import krr_curve
    from raters.reporting.label_curve import curve_lines

    if file != []:
        raise click.UsageError("pass FILE or --irr, not both: --irr is for a published figure without its data.")
    if options["k"] is None and not options["curve"]:
        raise click.UsageError(
            "--irr is the reliability of one rating; also pass the number of ratings to average: --k 5, or --curve."
        )
    refuse(output, force)
    figure = numbers(options["irr"], "--irr", (1, 3))
    irr: Any = figure[0] if len(figure) == 1 else tuple(figure)
    k = options["k"] or CURVE[-1]
    table = krr_curve(ks=_ks(options, k), irr=irr, level=options["level"])
    last = table[len(table) - 1]
    drawn = curve_lines(list(table)) if options["curve"] and format_ == "text" else []
    if last.value > 0:
        drawn = [f"No system can correlate with this mean by more than {last.value**0.5:.3f}, the square root.", *drawn]
    about: Any = Published(f"a published reliability of single ratings of {options['irr']}")
    write(about, table, last, format_, output, force, drawn)


def _possible(ks: Any, options: dict[str, Any], ann: Any) -> list[int]:
    """End a curve by split at the k for which no item has enough labels for two halves; a single k that is too large is
    an error.
    """
    if options["curve"] and options["method"] == "split":
        return [k for k in ks if 2 * k <= ann.used.per_item[2]] or list(ks)[:1]
    return list(ks)
