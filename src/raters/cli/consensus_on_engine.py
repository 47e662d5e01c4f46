"""``raters consensus --on-engine``: fit a model by SQL inside the engine, for tables larger than memory."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from raters.cli.consensus_more import ALONE, refuse_given
from raters.cli.options import put, read_table, stop
from raters.cli.progress import working

if TYPE_CHECKING:
    from raters.models.fitting.on_engine import EngineFit

OTHERS = (*ALONE, "matrices_file", "by", "soft", "tempering")
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
            progress=lambda name, n, objective: say(f"iteration {n}, objective {objective:.2f}"),
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
        f"{sure:,} of {items:,} items ({sure / max(items, 1):.1%}) have a label with a probability of at least {SETTLED:g} under {fit.model}.",
        f"Fitted by SQL from the shares of the votes ({len(fit.objectives)} iterations; {how}); log-likelihood {fit.log_likelihood:.4f}.",
        "These probabilities are the model's own: one start, no comparison with other models, and no check by held-out labels.",
        *(
            ["All labels are taken as equally frequent; if one of them dominates, compare with --prevalence learned."]
            if equal
            else []
        ),
        f"Accuracy of the raters under the model: median {np.median(accuracy):.2f}, "
        f"lowest {accuracy[worst]:.2f} (rater {fit.raters[worst]}).",
    ]
