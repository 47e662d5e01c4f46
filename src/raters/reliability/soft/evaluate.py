"""``raters.evaluate``: a system against the crowd, or against a consensus; it depends on what it is given."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Unpack

from raters.annotations import Annotations
from raters.errors import UsageError
from raters.estimate import EstimateTable
from raters.inference.limits import spec_for
from raters.io.any_table import Source
from raters.models.base.fit import FittedModel
from raters.models.checking.evaluation import evaluate as evaluate_consensus
from raters.options import asks, filled
from raters.options.declared import Inference
from raters.reliability.soft.each_rater import each_rater, per_rater
from raters.reliability.soft.evaluation import evaluate_crowd
from raters.reliability.soft.predictions import answers_of
from raters.reliability.soft.soft_labels import SoftLabels, crowd_of, soft_labels


@asks()
def evaluate(
    system: Source | Mapping[Any, Any],
    labels: Source | SoftLabels | FittedModel,
    *,
    against: Source | Mapping[Any, Any] | None = None,
    each: str | None = None,
    clip: float | None = None,
    gold: bool = False,
    **options: Unpack[Inference],
) -> EstimateTable:
    """Evaluate a system against the labels of people, or against a fitted consensus.

    ``system``: item -> label, item -> {label: probability} (or a list in label order), annotations, or a file of any of
    these, such as LeWiDi's.

    ``labels``: a table of labels (or :func:`raters.soft_labels`). The scores then compare the probabilities with the
    shares of the labels: Brier, cross-entropy, KL, Jensen-Shannon, Manhattan (soft accuracy), Wasserstein on ordered
    labels, soft F1 and the correlation of entropies. Each row's ``details`` have the ``floor``, which even the crowd's
    true shares would get against so few labels, and ``another``, what as many other raters would get. ``brier_excess``
    is what is left to gain. ``against``: a second system, compared on the same items. ``clip``: the smallest probability
    that cross-entropy takes. ``each="rater"``: the system predicts each rater's label (item -> {rater: label}, or lists
    in the order of the raters); recognised if the keys are the raters.

    ``labels``: a consensus. The table then has the expected accuracy under its posterior, the ``ceiling`` that no system
    can exceed, and the ``log_loss`` with its ``log_loss_floor``. ``gold=True``: the first argument maps items to known
    labels that the model does not learn from; the result has the accuracy of every model and rater, and ``.calibration``.

    >>> import raters
    >>> ann = raters.examples.demo()
    >>> found = evaluate(raters.soft_labels(ann), ann)
    >>> found["brier"].value, found["brier_excess"].value < 0 < found["manhattan"].details["floor"]
    (0.0, True)
    >>> c = raters.consensus(ann)
    >>> table = evaluate(c.labels, c)
    >>> table["accuracy"].value == table["ceiling"].value
    True
    """
    if isinstance(labels, FittedModel):
        if against is not None or clip is not None or each is not None:
            raise UsageError("against=, clip= and each= compare systems with labels; pass the table, not a consensus.")
        return evaluate_consensus(system, labels, gold=gold, **options)
    if gold:
        raise UsageError(
            "gold=True needs a consensus as the second argument: raters.evaluate(gold, raters.consensus(ann), gold=True)."
        )
    if isinstance(system, FittedModel):
        raise UsageError("the first argument is a consensus; pass its .labels, or item -> {label: probability}.")
    if each not in (None, "rater", "item"):
        raise UsageError(
            f"each={each!r}: choose 'rater' (labels of each rater) or 'item' (probabilities of each item)."
        )
    usual = filled(Inference, options)
    crowd = crowd_of(labels)
    soft = soft_labels(crowd)
    answers = answers_of(system, soft.labels)
    if isinstance(crowd, Annotations):
        given = per_rater(system, answers, crowd, each)
        if given is not None:
            if against is not None or clip is not None:
                raise UsageError("against= and clip= apply to probabilities, not to labels predicted for each rater.")
            return each_rater(given, crowd, usual["level"])
    return evaluate_crowd(answers, soft, against, clip, spec_for(usual, "auto"), usual["level"], usual["seed"])
