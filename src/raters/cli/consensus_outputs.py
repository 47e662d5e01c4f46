"""``raters consensus``: several tasks or sets of labels, and further requests: the next labels, a comparison of models,
a check against gold.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from raters.cli.inputs import FirstOfSeveral
from raters.cli.options import put, read_table, stop
from raters.cli.terminal import working

if TYPE_CHECKING:
    from raters.annotations import Annotations
    from raters.models.fitting.on_engine import EngineFit
    from raters.models.follow_up.next_labels import NextLabels
    from raters.models.rater_quality.information import Information
    from raters.models.result import Consensus

OTHER_KINDS = (".xlsx", ".xls", ".ods", ".parquet", ".pq", ".tsv", ".jsonl")
"""Endings of files that are not CSV."""


def format_of(format_: str, output: Path | None, options: Mapping[str, Any]) -> str:
    """The format of the labels, by the ending of -o if none was named; files that would not be what they are called are
    refused.
    """
    if format_ == "text" and output is not None and not options["on_engine"]:
        from raters.models.follow_up.training import ENDINGS

        one = not (options["by"] or options["classifier_file"])
        _refuse_kind("-o", output, "CSV or JSON", tuple(k for k in OTHER_KINDS if not (one and k in ENDINGS)))
        format_ = "json" if output.suffix.lower() == ".json" else format_
    _refuse_kind("--matrices", options["matrices_file"], "CSV or JSON", OTHER_KINDS)
    for name in ("raters", "adjudicate"):
        _refuse_kind(f"--{name}", options[f"{name}_file"], "CSV", (*OTHER_KINDS, ".json"))
    return format_


def _refuse_kind(option: str, path: Path | None, kinds: str, refused: tuple[str, ...]) -> None:
    if path is not None and path.suffix.lower() in refused:
        endings = " or ".join(f".{kind.lower()}" for kind in kinds.split(" or "))
        stop(f"{option} {path}: this file is written as {kinds}; give it a name that ends in {endings}.")


def write_matrices(fits: Consensus | Mapping[Any, Consensus], path: Path | None, force: bool, by: str = "") -> None:
    """Write the matrices of a fit, or of several by their names in a column ``by``: as CSV, or as JSON if the name says
    so.
    """
    if path is None:
        return
    from raters.estimate import SCHEMA, jsonable
    from raters.models.follow_up.sheets import matrices, matrices_by_rater

    tasks = fits if isinstance(fits, Mapping) else {None: fits}
    if any(c.numeric for c in tasks.values()):
        stop(
            "--matrices applies to labels, and these are numbers; --raters FILE writes what the model knows about each"
            " rater."
        )
    if path.suffix.lower() == ".json":
        made = {name: matrices_by_rater(c) for name, c in tasks.items()}
        found = {by: {str(name): one for name, one in made.items()}} if by else made[None]
        put(json.dumps(jsonable({"schema": SCHEMA, **found}), indent=2) + "\n", path, force)
        return
    table: dict[str, list[Any]] = {}
    for name, c in tasks.items():
        rows = matrices(c)
        rows = {by: [name] * len(rows["rater"]), **rows} if by else rows
        table = {key: [*table.get(key, []), *column] for key, column in rows.items()}
    put(csv_of(table), path, force)


def sheet(ann: Annotations, c: Consensus, threshold: float) -> dict[str, list[Any]]:
    """The items to adjudicate, with the text of each item if the table has it."""
    from raters.models.follow_up.sheets import adjudication
    from raters.reporting.cards import item_texts

    rows = adjudication(c, threshold=threshold)
    texts = item_texts(ann, rows["item"])
    return {"item": rows["item"], "text": [texts.get(str(x), "") for x in rows["item"]], **rows} if texts else rows


def csv_of(columns: dict[str, list[Any]]) -> str:
    from raters.models.follow_up.sheets import to_csv

    return to_csv(columns)


def rater_csv(ann: Annotations, c: Consensus, table: Any) -> str:
    """One row for each rater: bits and accuracy; for numbers, or very many labels, the parameters of the model."""
    from raters.reporting.tables import FORMATS

    if table:
        return FORMATS["csv"](ann, table, None)
    own = {name: x.tolist() for name, x in c.params.items() if name in c.definition.by_rater and x.ndim == 1}
    return csv_of({"rater": list(c.raters)} | own)


ALONE = (
    "gold_file",
    "check_file",
    "raters_file",
    "adjudicate_file",
    "next_",
    "next_file",
    "compare",
    "uncertainty",
    "threshold",
    "classifier_file",
)
"""Options that apply to one task."""
TASK_FORMATS = ("text", "csv", "json")
"""Formats available for several tasks and for sets."""


def several(file: Path | list[Path], options: dict[str, Any], format_: str, output: Path | None, force: bool) -> bool:
    """Fit and write several tasks (--by); False if the table is one task."""
    by = options["by"]
    if by is None:
        return False
    refuse_alone(options, "--by", format_)
    from raters.io.table import SeveralQuestions
    from raters.models.fit_consensus import consensus
    from raters.models.tasks import consensus_of_tasks

    given = _given(options)
    tasks: dict[str, Annotations] = {}
    names: tuple[str, ...] = ()
    with working("reading"):
        if by == "file":
            paths = file if isinstance(file, list) else [file]
            tasks = {name: read_table(path, options) for name, path in zip(_called(paths), paths, strict=True)}
        else:
            try:
                ann: Any = read_table(file, options)
            except SeveralQuestions as questions:
                questions.check_by(by)
                tasks = {name: read_table(file, {**options, "question": name}) for name in questions.questions}
                names = tuple(tasks)
    with working("fitting"):
        if tasks:
            ann = FirstOfSeveral(list(tasks.values()), names)
            found: Any = consensus_of_tasks(tasks, options["model"], by=by, **given)
        else:
            found = consensus(ann, options["model"], by=by, **given)
    _written(ann, found, options["soft"], format_, output, force)
    write_matrices(found, options["matrices_file"], force, by=by)
    return True


def _called(paths: list[Path]) -> list[str]:
    """The name of each file without its endings; the whole path if two files would have the same name."""
    short = [path.name.split(".")[0] for path in paths]
    return [name if short.count(name) == 1 else str(path) for name, path in zip(short, paths, strict=True)]


def of_sets(ann: Annotations, options: dict[str, Any], format_: str, output: Path | None, force: bool) -> None:
    """Fit and write sets of labels, label by label."""
    refuse_alone(options, "sets of labels", format_)
    _refuse_kind("-o", output, "CSV or JSON", OTHER_KINDS)
    from raters.models.fit_consensus import consensus

    with working("fitting"):
        found = consensus(ann, options["model"], **_given(options))
    _written(ann, found, options["soft"], format_, output, force)
    write_matrices(found.per_label, options["matrices_file"], force, by="label")


def _given(options: dict[str, Any]) -> Any:
    return {name: options[name] for name in ("start", "smoothing", "tempering", "prevalence", "ties", "seed")}


def refuse_alone(options: dict[str, Any], beside: str, format_: str) -> None:
    if format_ not in TASK_FORMATS:
        stop(f"--format {format_} applies to one task; with {beside}, use one of {', '.join(TASK_FORMATS)}.")
    refuse_given(options, ALONE, f"applies to one task; it cannot be combined with {beside}")


def refuse_given(options: dict[str, Any], names: Sequence[str], why: str) -> None:
    """Stop at the first of these options that was given."""
    for name in names:
        if options[name]:
            stop(f"--{name.removesuffix('_file').rstrip('_').replace('_', '-')} {why}.")


def _written(ann: Any, found: Any, soft: bool, format_: str, output: Path | None, force: bool) -> None:
    from raters.estimate import jsonable
    from raters.models.follow_up.sheets import to_csv
    from raters.reporting.first_lines import assumed, first_lines

    rows = found.items_columns(soft=soft) if hasattr(found, "items_columns") else found.to_columns(soft=soft)
    if format_ == "json":
        names = list(rows)
        items = [dict(zip(names, row, strict=True)) for row in zip(*rows.values(), strict=True)]
        told = {"assumed": jsonable([a.to_dict() for a in assumed(ann)]), "items": jsonable(items)}
        put(json.dumps({**found.to_dict(), **told}, indent=2, default=str) + "\n", output, force)
        return
    if format_ == "csv" or output is not None:
        flat = {k: [";".join(x) if isinstance(x, list) else x for x in column] for k, column in rows.items()}
        put(to_csv(flat), output, force)
        if output is None:
            return
    pulled = _pulled(found.per_label if hasattr(found, "per_label") else found)
    put("".join(f"{line}\n" for line in (*first_lines(ann), *pulled, str(found))), None, force, format_="text")


def _pulled(fits: Mapping[Any, Consensus]) -> list[str]:
    """A warning if a model takes labels as equally frequent in tasks where one dominates."""
    from raters.models.fitting.checks import DOMINANT, equal_prevalence

    n = sum(bool(equal_prevalence(c)) for c in fits.values())
    if not n:
        return []
    where = f"in {n:,} of {len(fits):,} fits, one has {DOMINANT:.0%} of the labels or more"
    return [
        f"Prevalence is assumed equal over labels, but {where}, which can pull items to rare labels: compare with"
        " prevalence='learned'."
    ]


def sentence(c: Consensus, threshold: float) -> str:
    """The main answer: how many items have a settled label, or how many a model states at this probability and how many
    of them are settled.
    """
    n = c.votes.n_items
    if c.numeric:
        import numpy as np

        middle = float(np.median(c.posterior[:, 1]))
        exact = (
            f"the median standard deviation is {middle:.3g}"
            if middle == middle
            else "how exact it is cannot be estimated"
        )
        return f"The {c.model} model estimates a value for each of {n:,} items; {exact}."
    from raters.models.fitting.checks import equal_prevalence
    from raters.models.follow_up.why import assumed_items, by_label, certain_at, overruled
    from raters.models.held_out.power import HELD_OUT, checked, with_tempering

    at = threshold or 0.99
    sure = int((c.certainty >= at).sum())
    named = c.mixture is None and not (c.definition.likelihood and not checked(c))
    under = f" under {c.model}" if named else ""
    said = f"{sure:,} of {n:,} items ({sure / max(n, 1):.1%}) have {certain_at(c, at)}{under}."
    if not under and c.power == 1 and c.mixture is None:
        settled = int((with_tempering(c, HELD_OUT).certainty >= at).sum())
        said += (
            f" Adjusted to held-out labels (--tempering {HELD_OUT}), {settled:,} of {n:,} are settled with that"
            " probability."
        )
    pulled = str(equal_prevalence(c) or "")
    more = (
        pulled and f"{pulled[0].upper()}{pulled[1:]}.",
        assumed_items(c),
        by_label(c, at),
        overruled(c),
    )
    return " ".join([said, *filter(None, more)])


def warn_unchecked(c: Consensus, threshold: float) -> None:
    """Say on standard error what the column of certainties is, where a table alone is printed and held-out labels had
    no say in it.
    """
    from raters.models.held_out.power import checked
    from raters.words import printable

    if not (c.numeric or checked(c)) and c.definition.likelihood:
        click.echo(f"raters: {printable(sentence(c, threshold))}", err=True)


NEXT = 10
"""So many of the next labels are listed; a file, and ``--all``, have every one."""


def found_next(c: Consensus, options: Mapping[str, Any]) -> NextLabels | None:
    """The next labels, if they were asked for."""
    from raters.models.follow_up.next_labels import label_next

    return label_next(c, options["next_"]) if options["next_"] else None


def asked_next(found: NextLabels | None, n: int, options: Mapping[str, Any]) -> list[str]:
    """The first of the next labels, whether they are worth asking for, and where the others are."""
    if found is None:
        return []
    fewer = f"only {len(found):,} of {n:,} labels can be asked for: no other rater may label another item"
    rows = [] if options["next_file"] else list(found)[: None if options["all_"] else NEXT]
    left = len(found) - len(rows)
    return [
        "",
        f"next: {'enough items are settled' if found.stop else 'more labels are worth asking for'}; {found.rule}",
        *([found.note] if found.note else []),
        *([fewer] if len(found) < n else []),
        *(
            [f"{len(found):,} labels to ask for are in {options['next_file']}"]
            if options["next_file"]
            else [f"{left:,} more labels to ask for: --next-file FILE, or --all"]
            if left
            else []
        ),
        *(f"  {row.bits:.3f} bits  {row.item}  by {'a new rater' if row.rater is None else row.rater}" for row in rows),
    ]


def write_next(ann: Annotations, found: NextLabels | None, options: Mapping[str, Any], force: bool) -> None:
    """The next labels as a table, or as tasks of a labelling tool."""
    path, tool = options["next_file"], options["next_for"]
    if path is None or found is None:
        return
    from raters.reporting.label_next import written
    from raters.writing import write_whole

    write_whole(path, written(ann, found, path, tool), force)


def checked(ann: Annotations, c: Consensus, options: dict[str, Any], known: Callable[..., dict[Any, Any]]) -> list[str]:
    if not options["check_file"]:
        return []
    from raters.models.checking.evaluation import check_gold

    with working("checking against gold"):
        gold = known(ann, options["check_file"], c.model)
        found = check_gold(gold, c, seed=options["seed"], ordered=ann.scale.ranks)
    return ["", *str(found).splitlines()]


def compared(ann: Annotations, options: dict[str, Any]) -> list[str]:
    if not options["compare"]:
        return []
    from raters.models import compare_models

    with working("comparing models"):
        table = compare_models(ann, seed=options["seed"])
    best = max(table, key=lambda e: e.value)
    rows = [
        f"  {e.name:<13} {e.value:8.4f}"
        + (f"  gain over the vote {e.details['gain']:+z.4f}" if "gain" in e.details else "")
        for e in table
    ]
    return ["", f"log-likelihood per held-out label; {best.name} is best:", *rows]


def of_raters(found: Information) -> list[str]:
    """What the table of raters shows, and what to know about it."""
    return [
        (
            "value: bits of information about the true label in one label by this rater; like accuracy, it takes the"
            " model for true: only gold labels can show who is right; of raters not shown to carry information, it is"
            " what the others' labels alone say"
        ),
        *(f"note: {x}" for x in (*found.notes, *undecided(found))),
    ]


def undecided(found: Information, most: int = 3) -> list[str]:
    """Who gave too few labels, the fewest needed first."""
    needed = sorted((found[str(r)].details["needed"], str(r)) for r in found.too_few)
    if not needed:
        return []
    named = ", ".join(f"{name!r} (needs about {n:,})" for n, name in needed[:most])
    more = f" and {len(needed) - most:,} more" if len(needed) > most else ""
    return [
        f"{len(needed):,} of {len(found):,} raters gave too few labels to decide whether they carry information:"
        f" {named}{more}"
    ]


OTHERS = (*ALONE, "matrices_file", "by", "soft", "tempering", "card")
"""Options that need the labels in memory."""
SETTLED = 0.99


def on_engine(file: Path | list[Path], options: dict[str, Any], format_: str, output: Path | None, force: bool) -> bool:
    """Fit and write without loading rows into memory; False if that was not requested."""
    if not options["on_engine"]:
        return False
    _refuse_others(options, format_)
    if output is None or output.suffix != ".parquet":
        stop("--on-engine: the database writes the labels as Parquet; pass a file with -o labels.parquet.")
    from raters.models.fitting.on_engine import fit_on_engine
    from raters.reporting.first_lines import first_lines

    with working("reading"):
        ann = read_table(file, options)
    with working("fitting") as say:
        fit = fit_on_engine(
            ann,
            options["model"],
            smoothing=options["smoothing"],
            prevalence=options["prevalence"],
            progress=lambda name, n, objective: say(f"{name}, step {n}"),
        )
    with working("writing"):
        fit.write(output, force=force)
    put("".join(f"{line}\n" for line in (*first_lines(ann), *_said(fit, options["prevalence"]))), None, force)
    return True


def _refuse_others(options: dict[str, Any], format_: str) -> None:
    refuse_given(options, OTHERS, "needs the labels in memory; it cannot be combined with --on-engine")
    for name, usual in (("start", "best"), ("ties", "split")):
        if options[name] != usual:
            stop(f"--{name} cannot be combined with --on-engine, which starts from the shares of the votes.")
    if format_ != "text":
        stop("--format cannot be combined with --on-engine: labels are written as Parquet, the summary as text.")
    if options["model"] == "auto":
        stop("--on-engine fits one model that you name: --model dawid_skene or --model one_coin.")


def _said(fit: EngineFit, prevalence: str | None) -> list[str]:
    """The answer, how it was computed, and what was not checked."""
    import numpy as np

    from raters.models.fitting.on_engine import MODELS

    equal = MODELS[fit.model].uniform and prevalence is None
    items, sure = fit.settled(SETTLED)
    how = "converged" if fit.converged else f"did not converge: {fit.reason}"
    accuracy = fit.accuracy
    worst = int(accuracy.argmin())
    return [
        (
            f"{sure:,} of {items:,} items ({sure / max(items, 1):.1%}) have a label with a probability of at least"
            f" {SETTLED:g} under {fit.model}."
        ),
        (
            f"Fitted by SQL from the shares of the votes ({len(fit.objectives)} iterations; {how}); log-likelihood"
            f" {fit.log_likelihood:.4f}."
        ),
        (
            "These probabilities are the model's own: one start, no comparison with other models, and no check by"
            " held-out labels."
        ),
        *(
            ["All labels are taken as equally frequent; if one of them dominates, compare with --prevalence learned."]
            if equal
            else []
        ),
        (
            f"Accuracy of the raters under the model: median {np.median(accuracy):.2f}, "
            f"lowest {accuracy[worst]:.2f} (rater {fit.raters[worst]})."
        ),
    ]
