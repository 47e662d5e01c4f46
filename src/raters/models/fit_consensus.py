"""``consensus``: the consensus labels of one task, of several tasks at once, or of sets of labels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypedDict, Unpack, overload

from raters.errors import UsageError
from raters.io.any_table import Source, table
from raters.io.read import read
from raters.io.table import SeveralQuestions
from raters.models.base.fit import FittedModel
from raters.models.base.votes import Votes
from raters.models.fitting.em import Progress
from raters.models.label_sets import consensus_of_sets
from raters.models.result import Consensus, fit_one
from raters.models.tasks import ConsensusTable, consensus_by, consensus_of_tasks
from raters.options import asks
from raters.spans.asking import or_of_spans
from raters.spans.consensus import consensus_of_spans


class Fitting(TypedDict, total=False):
    """The options of a fit, for type checkers; :func:`consensus` explains them."""

    start: str
    smoothing: float
    gold: Mapping[Any, Any] | None
    priors: FittedModel | Mapping[Any, Any] | None
    prevalence: str | None
    ties: str
    items: Sequence[Any]
    restarts: int | None
    tolerance: float
    max_iter: int
    uncertainty: str | None
    draws: int | None
    tempering: float | str | None
    seed: int
    progress: Progress | None


if TYPE_CHECKING:  # at run time, typing would keep this module, and with it DuckDB, beyond the end of the interpreter

    @overload
    def consensus(
        ann: Source | Votes, model: str = ..., *, by: None = None, **options: Unpack[Fitting]
    ) -> Consensus: ...
    @overload
    def consensus(ann: Source | Votes, model: str = ..., *, by: str, **options: Unpack[Fitting]) -> ConsensusTable: ...


@or_of_spans(consensus_of_spans, Votes)
@asks()
def consensus(
    ann: Source | Votes,
    model: str = "auto",
    *,
    start: str = "best",
    smoothing: float = 0.01,
    gold: Mapping[Any, Any] | None = None,
    priors: FittedModel | Mapping[Any, Any] | None = None,
    prevalence: str | None = None,
    ties: str = "split",
    items: Sequence[Any] = (),
    by: str | None = None,
    restarts: int | None = None,
    tolerance: float = 1e-13,
    max_iter: int = 5000,
    uncertainty: str | None = None,
    draws: int | None = None,
    tempering: float | str | None = None,
    seed: int = 0,
    progress: Progress | None = None,
) -> Any:
    """Fit an annotation model: estimate the label of each item, how settled it is, and the error rates of each rater.

    ``model``: ``auto`` chooses by held-out labels, and ``.choice`` says which model it chose and why; or one of
    ``raters.models.MODELS``: a vote
    (``majority``) or a model of raters (``dawid_skene``, ``hierarchical``, ...) for labels, ``gaussian`` for numbers.
    ``start``: ``best`` (votes, majority, diagonal and ``restarts`` random ones; the best objective is kept), or one of
    ``votes majority diagonal random paper``; ``paper`` also stops as Passonneau and Carpenter did.
    ``smoothing``: the pseudocount added to every count in the M step. ``gold``: item -> label, for items whose label is
    known. ``priors``: an earlier consensus, or rater -> matrix of counts (true label, given label), and
    ``"prevalence"`` -> counts of items with each label. Large counts keep the parameters close to these values.
    ``prevalence``: ``"learned"`` or ``"uniform"``; each model has its own default. ``ties``: for ``majority``,
    ``random first last abstain split``. ``items``: further items, which may be unlabelled and then remain so.
    ``uncertainty``: ``"posterior"`` (Gibbs sampling) or ``"bootstrap"`` (over items), with ``draws``.

    ``by``: a column that names tasks (questions, words), or ``"question"`` for a source with several questions: the
    result is a :class:`ConsensusTable` with a row and a fit for each. What raters show in the other tasks is used if a task has few labels from each rater and it predicts
    held-out labels better.

    For sets of labels, each label is a separate task (present or not), and the result is a :class:`SetConsensus` whose
    labels are sets.

    ``tempering``: the weight of a label in the posterior, such as 0.5; ``"held_out"`` estimates it (as ``auto`` does),
    and makes the posterior of a vote the probability of winning a very large vote. None means 1, the model as
    published.

    >>> import raters
    >>> c = consensus(raters.read([("a", 1, "no"), ("a", 2, "no"), ("a", 3, "yes"), ("b", 1, "yes"), ("b", 2, "yes")]))
    >>> c.labels
    {'a': 'no', 'b': 'yes'}
    """
    options: dict[str, Any] = {
        "start": start,
        "smoothing": smoothing,
        "gold": gold,
        "priors": priors,
        "prevalence": prevalence,
        "items": items,
        "restarts": restarts,
        "tolerance": tolerance,
        "max_iter": max_iter,
        "seed": seed,
        "progress": progress,
        "ties": ties,
        "uncertainty": uncertainty,
        "draws": draws,
        "tempering": tempering,
    }
    if not isinstance(ann, Votes):
        try:
            ann = table(ann)
        except SeveralQuestions as several:
            several.check_by(by)
            return consensus_of_tasks(
                {q: read(several.table or ann, question=q) for q in several.questions},
                model,
                by=by or "question",
                **options,
            )
        if by is not None:
            return consensus_by(ann, by, model, **options)
        if ann.scale.of_sets:
            return consensus_of_sets(ann, model, **options)
    elif by is not None:
        raise UsageError("by= names a column of a table, but votes have no columns. Pass the annotations instead.")
    return fit_one(ann, model, **options)
