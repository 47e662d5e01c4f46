"""What every section of the report is made from, computed once."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from raters.agree.agreement import agreement_table
from raters.agree.agreement_spec import Options, applicable
from raters.agree.camps import Camps, camps
from raters.agree.explaining import Explanation, comparable, explain
from raters.agree.label_use import LabelUse, label_use
from raters.annotations import Annotations
from raters.coefficients import DEFAULT, REGISTRY
from raters.errors import RatersError
from raters.estimate import EstimateTable, name_of
from raters.items.bag import WIDE
from raters.items.subsets import part_of
from raters.models.checking.evaluation import GoldCheck, check_gold
from raters.models.fit_consensus import consensus
from raters.models.follow_up.next_labels import NextLabel, label_next
from raters.models.rater_quality.information import Information, information
from raters.models.result import Consensus
from raters.notes.note import either
from raters.options.declared import Inference
from raters.reliability.sets.multilabel import Multilabel, multilabel
from raters.reliability.xrr.groups import Groups, attributes, groups
from raters.reliability.xrr.result import CrossReliability
from raters.reliability.xrr.xrr import xrr_table
from raters.reporting.label_curve import LabelCurve, label_curve
from raters.reporting.names import SETS_ELSEWHERE, not_categories

if TYPE_CHECKING:
    from raters.judges.judge import JudgeReports

PAIRED_RATERS = 12
"""Up to so many, coefficients that average over pairs of raters are part of the report's table."""


def averages_over_pairs(ann: Annotations, options: Options) -> tuple[str, ...]:
    """Coefficients that average over all pairs of raters, where the pairs are many: they take as long as all others
    together.
    """
    if ann.n_raters <= PAIRED_RATERS:
        return ()
    return tuple(n for n in applicable(ann, None, options) if "pairs" in REGISTRY[n].terms)


def said_of_part(ann: Annotations, part: Annotations) -> str:
    """What was answered from a part of the table; empty where nothing was."""
    if part is ann:
        return ""
    return (
        f"Sampled: of {ann.n_annotations:,} annotations, the model of the raters, settled labels, label shares of"
        f" raters and what to label next use {part.n_annotations:,}, which are all labels of {part.n_items:,} of"
        f" {ann.n_items:,} items drawn at random; coefficients, label counts and aggregates use every"
        f" annotation.{_left_out(ann)} {either('raters.consensus', 'raters consensus')} fits a model to all."
    )


def _left_out(ann: Annotations) -> str:
    apart = ann.n_raters > 1 and ann.n_raters * len(ann.labels) > WIDE
    return (
        " Coefficients that tell raters apart (Conger, Light, ...) are left out: "
        f"{either('raters.agreement', 'raters agree --coefficient')} computes them."
        if apart
        else ""
    )


def explained(ann: Annotations, part: Annotations, of_part: str, options: Inference) -> Explanation:
    """Why the figure is what it is; of a large table, who disagrees with the others is tested on the part, and the rest
    on all.
    """
    if part is ann or not _left_out(ann):
        return explain(ann, **options)
    whole = explain(replace(ann, n_raters=0), **options)
    if not comparable(part):
        return whole
    drawn = explain(part, **options)
    found = (replace(r, text=f"{r.text.rstrip('.')}{of_part}.") for r in drawn.reasons if r.kind == "rater")
    return replace(whole, raters=drawn.raters, reasons=(*found, *whole.reasons))


def coefficients_of(ann: Annotations, part: Annotations, options: Options) -> list[str] | None:
    """The coefficients of a large table: those that tell raters apart need a row an item, unless raters and labels are
    few. None: all that apply.
    """
    if part is ann or not _left_out(ann):
        return None
    return [name for name in applicable(ann, None, options) if not REGISTRY[name].between_groups]


NAMES = (
    "gold",
    "gold_label",
    "gold_standard",
    "goldlabel",
    "truth",
    "true_label",
    "ground_truth",
    "groundtruth",
    "expert_label",
)
LEAST = 10
"""Items with a gold label from which a check says anything."""


@dataclass(frozen=True)
class GoldColumn:
    """The column, and the known label of every item that has one of the labels of the table."""

    name: str
    labels: Mapping[Any, Any]
    unknown: int = 0
    """Items with a gold label that is none of the labels."""
    several: int = 0
    """Items with more than one gold label."""

    def left_out(self) -> str:
        """What was left out, in a sentence; empty where nothing was."""
        parts = [
            f"{n:,} items with {what}"
            for n, what in ((self.unknown, "a gold label that no rater used"), (self.several, "several gold labels"))
            if n
        ]
        return f"Left out of the check: {' and '.join(parts)}." if parts else ""


def gold_column(ann: Annotations) -> GoldColumn | None:
    """The first column with the name of known labels that has any for 10 items or more."""
    for column in ann.extras:
        if known_label_name(column) and (found := _read(ann, column)) is not None:
            return found
    return None


def known_label_name(column: str) -> bool:
    """Whether a column has the name of known labels."""
    return column.lower().replace(" ", "_").replace("-", "_") in NAMES


def _read(ann: Annotations, column: str) -> GoldColumn | None:
    cell = f"CAST({ann.engine.quote(column)} AS VARCHAR)"
    got = ann.engine.query(
        f"SELECT item, min({cell}) AS low, max({cell}) AS high FROM annotations WHERE {cell} IS NOT NULL AND {cell} <>"
        " '' GROUP BY item"
    )
    by_text = {_text(x): x for x in ann.labels}
    labels: dict[Any, Any] = {}
    unknown = several = 0
    for item, low, high in zip(got["item"].tolist(), got["low"].tolist(), got["high"].tolist(), strict=True):
        if low != high:
            several += 1
        elif _text(low) in by_text:
            labels[item] = by_text[_text(low)]
        else:
            unknown += 1
    return GoldColumn(column, labels, unknown, several) if len(labels) >= LEAST else None


def _text(value: Any) -> str:
    """A label as text, whole numbers without a fraction."""
    text = str(value).strip()
    return text.removesuffix(".0")


MOST_LABELS_MODEL = 200
MOST_RATERS = 500
MOST_IN_GROUPS = 100_000
"""With more annotations, groups of raters are left to raters groups."""
WHOLE = 1_000_000
"""Above this many annotations, what is asked about single raters and items is answered from a part: ..."""
PART = 200_000
"""... about this many annotations, of items drawn at random, each with all its labels. The model is then fitted from
one start.
"""
QUICK_RATERS, QUICK_LABELS = 50, 10_000
"""Up to so many raters and annotations, tables have the intervals of small studies; above, the delta method's are the
same to two digits.
"""
SETTLED = 0.99
"""A label is called settled where its probability under the model is at least this."""
POOL_NAMES = ("pool", "crowd", "replication", "city", "group", "team", "vendor", "site", "source")


@dataclass(frozen=True)
class StandingOut:
    """Who stands out, and by what: the one verdict that all sections speak by."""

    disagree: tuple[str, ...]
    """Disagree with the others more than the choice of the worst explains."""
    flagged: Mapping[str, str]
    """The annotation model's finding for each rater."""
    usage: tuple[str, ...]
    """Use labels differently from the others on the same items."""

    def anybody(self) -> bool:
        return bool(self.disagree or self.flagged or self.usage)


@dataclass(frozen=True)
class Context:
    """The table and the options of the report."""

    ann: Annotations
    level: float = 0.95
    resamples: int = 2000
    seed: int = 0
    target: float = 0.8
    pool: str | None = None
    rows: int = 12
    """Longer tables are cut to this many rows."""
    progress: Callable[[str], None] = lambda stage: None
    judges: tuple[str, ...] = ()
    """The raters that are models."""
    judging: Mapping[str, Any] = field(default_factory=dict)
    """How strictly they are judged, if not as usual: ``margin``, ``epsilon``."""
    everyone: Annotations | None = None
    """The table with the labels of the judges, if there are any."""
    interval: str | None = "auto"
    """The interval of the coefficients; None: the report has values alone."""
    text: tuple[str, ...] | None = None
    """Columns that hold the labelled text; identified by their names by default."""

    @cached_property
    def part(self) -> Annotations:
        """What questions about single raters and items are answered from: the table, or of a large one some of its
        items, drawn at random.
        """
        if self.ann.n_annotations <= WHOLE or self.ann.scale.of_sets:
            return self.ann
        return part_of(self.ann, PART, tuple(c for c in self.ann.extras if known_label_name(c)))

    @property
    def plan(self) -> str:
        """What was answered from a part of the table, for the first line; empty where nothing was."""
        return said_of_part(self.ann, self.part)

    @property
    def of_part(self) -> str:
        """What a sentence adds where its figure is of the part."""
        return "" if self.part is self.ann else f" of {self.part.n_items:,} items drawn at random"

    @property
    def options(self) -> Options:
        return {"interval": self.interval, "level": self.level, "resamples": self.resamples, "seed": self.seed}

    @property
    def other_options(self) -> Any:
        """For figures with intervals of their own kind: these, or none."""
        none = {"interval": None} if self.interval is None else {}
        return {"level": self.level, "resamples": self.resamples, "seed": self.seed, **none}

    @property
    def with_intervals(self) -> str:
        """What a caption adds where figures have intervals."""
        return f" with {self.level:.0%} intervals" if self.interval else ""

    @property
    def quick(self) -> Inference:
        """For tables of estimates that may be long: of many raters or items, the delta method. Each of two raters has
        the figure of the whole table, and its interval.
        """
        n = self.ann.n_raters
        few = n == 2 or (n <= QUICK_RATERS and self.ann.used.n_annotations <= QUICK_LABELS)
        return self.options if few else {"level": self.level, "interval": self.interval and "delta"}

    @cached_property
    def table(self) -> EstimateTable:
        """Every coefficient that applies, but those of :attr:`left_to_agree` and those that a large table goes
        without.
        """
        names = coefficients_of(self.ann, self.part, self.options) or applicable(self.ann, None, self.options)
        return agreement_table(self.ann, [n for n in names if n not in self.left_to_agree], **self.options)

    @property
    def left_to_agree(self) -> tuple[str, ...]:
        return averages_over_pairs(self.ann, self.options)

    @cached_property
    def why(self) -> Explanation:
        return explained(self.ann, self.part, self.of_part, self.options)

    @cached_property
    def label_use(self) -> LabelUse | str:
        """Which raters used which labels, or the reason why that is not asked."""
        ann = self.part
        if ann.n_raters < 2:
            return "Raters are unnamed, or there is only one."
        if ann.scale.of_sets:
            return SETS_ELSEWHERE
        if not ann.scale.categories:
            return f"The labels are numbers on a scale ({ann.scale}), so raters have no label shares to compare."
        if len(ann.labels) < 2:
            return "There is only one label."
        if ann.n_raters > MOST_RATERS:
            return (
                f"{ann.n_raters:,} raters and {ann.n_items:,} items are too many to compare each rater with the others"
                " here."
            )
        return label_use(ann, seed=self.seed)

    @cached_property
    def standing_out(self) -> StandingOut:
        flags = {e.name: str(e.details.get("flags") or "") for e in self.bits or ()}
        use = self.label_use
        return StandingOut(
            tuple(name_of(r) for r in self.why.raters),
            {name: flag for name, flag in flags.items() if flag},
            () if isinstance(use, str) else tuple(name_of(use.raters[i]) for i in use.named),
        )

    @cached_property
    def camps(self) -> Camps | None:
        """Two camps of raters, where the data show them."""
        return camps(self.part, self.seed) if self.part.n_raters else None

    @cached_property
    def pool_column(self) -> str | None:
        """The column of pools that was named, or one of a usual name that has 2 to 6 values."""
        if self.pool is not None:
            return self.pool
        usual = [c for c in self.ann.extras if c.lower() in POOL_NAMES]
        return next((c for c in usual if 2 <= self.distinct(c) <= 6), None)

    @cached_property
    def pools(self) -> tuple[CrossReliability, ...] | str:
        """Pools two by two, or the reason why they are not compared."""
        column = self.pool_column
        if column is None:
            return "The table names no pools; name the column that does: " + either("pool='COLUMN'.", "--pool COLUMN.")
        try:
            return tuple(xrr_table(self.ann, pool=column, **self.other_options))
        except RatersError as error:
            return f"Pools of {column!r} cannot be compared: {error}"

    @cached_property
    def groups(self) -> Groups | None:
        """Groups of raters by what columns say about them; None if there are none, or none that can be tested."""
        ann = self.part
        if not ann.n_raters or ann.n_raters > MOST_RATERS or ann.n_annotations > MOST_IN_GROUPS:
            return None
        by = [c for c in attributes(ann) if c != self.pool_column]
        try:
            return groups(ann, by, seed=self.seed, permutations=499) if by else None
        except RatersError:
            return None

    @cached_property
    def curve(self) -> LabelCurve | str:
        """The reliability of aggregates, or the reason why there is none."""
        if self.ann.used.per_item[2] < 2:
            return "No item has two labels, so there is nothing to aggregate."
        if self.ann.scale.of_sets:
            return "Labels are sets here; sets have no aggregate whose reliability could be estimated."
        try:
            return label_curve(self.ann, lambda: self.table[DEFAULT], self.target, self.other_options)
        except RatersError as error:
            return f"It cannot be estimated: {error}"

    def distinct(self, column: str) -> int:
        got = self.ann.engine.query(f"SELECT count(DISTINCT {self.ann.engine.quote(column)}) AS n FROM annotations")
        return int(got["n"][0])

    @cached_property
    def fit(self) -> Consensus | str:
        """The annotation model, or the reason why there is none."""
        ann = self.part
        if not ann.scale.categories:
            return not_categories(ann.scale)
        if ann.n_raters < 3:
            return "a model of raters needs at least three named raters"
        if len(ann.labels) < 2:
            return "there is only one label"
        if len(ann.labels) > MOST_LABELS_MODEL:
            return f"{len(ann.labels):,} labels are too many for a confusion matrix of every rater"
        if ann.used.per_item[1] < 1.5:
            return "most items have a single label, so raters cannot be distinguished"
        try:
            start = "best" if ann is self.ann else "votes"
            return consensus(self._kept, start=start, seed=self.seed)
        except RatersError as error:
            return str(error)

    @property
    def _kept(self) -> Annotations:
        return replace(self.part, duplicates="first") if self.part.duplicates == "error" else self.part

    @cached_property
    def numbers(self) -> tuple[Consensus, Consensus] | str:
        """The values of the items, raters weighted as held-out labels ask for, and the bias and precision of each; or
        the reason why there are none.
        """
        ann = self.ann
        if not ann.scale.amounts or not ann.numeric:
            return f"labels are not numbers on this scale, which is {ann.scale}"
        if ann.n_raters < 3 or ann.per_item[1] < 1.5:
            return "a model of raters needs at least three named raters, and two labels for most items"
        if ann.n_items < 2:
            return "a single item does not show how far items differ"
        try:
            return consensus(self._kept, seed=self.seed), consensus(self._kept, model="gaussian", seed=self.seed)
        except RatersError as error:
            return str(error)

    @cached_property
    def doubtful(self) -> tuple[NextLabel, ...]:
        """Items whose label is not settled, those first of which one more label tells most."""
        fit = self.fit
        if isinstance(fit, str) or not (fit.definition.likelihood or fit.decided is not None):
            return ()
        return tuple(r for r in label_next(fit, min(100, self.part.n_items)) if r.certainty < SETTLED)

    @cached_property
    def sets(self) -> Multilabel | str:
        """The measures of label sets, or the reason why there are none."""
        if not self.ann.scale.of_sets:
            return "Each annotation is a single label; to answer this question, read sets of labels: " + either(
                "scale='sets'.", "--scale sets."
            )
        try:
            return multilabel(self.ann, **self.other_options)
        except RatersError as error:
            return f"It cannot be measured: {error}"

    @cached_property
    def gold(self) -> tuple[GoldColumn, GoldCheck] | None:
        """What known labels in a column of the table say of the fit, which has not seen them."""
        fit, column = self.fit, gold_column(self.part)
        if isinstance(fit, str) or column is None or not any(item in column.labels for item in fit.items):
            return None
        ordered = self.part.scale.ranks
        return column, check_gold(column.labels, fit, level=self.level, seed=self.seed, ordered=ordered)

    @cached_property
    def judged(self) -> JudgeReports | str:
        """The named judges beside people, or the reason why there are none."""
        if not self.judges:
            return "No rater is marked as a model; name them: " + either(
                "judges=['NAME', 'NAME'].", "--judges NAME,NAME."
            )
        from raters.judges.judge import judge

        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                return judge(self.everyone or self.ann, judges=list(self.judges), **self.judging, **self.other_options)
        except RatersError as error:
            return f"The judges cannot be compared with people: {error}"

    @cached_property
    def bits(self) -> Information | None:
        if isinstance(self.fit, str):
            return None
        return information(self.fit, level=self.level, seed=self.seed, interval=self.interval and "auto")
