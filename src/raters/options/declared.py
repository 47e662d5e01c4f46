"""Every option once, in groups: a group is both the static type of ``**options`` and the declaration of its rows.

Types that are heavy to import are quoted, and registries are named as text, so that this file imports nothing.
"""
# No ``from __future__ import annotations``: the rows are read from the annotations.

from typing import TYPE_CHECKING, Annotated, Any, TypedDict

from raters.options.option import Option

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from raters.scales import Weights

    Distance = Weights


def listed(text: str) -> list[str]:
    """``A,B`` as names."""
    return [name.strip() for name in text.split(",")]


def numbers(text: str) -> list[float]:
    """``2,1`` as numbers."""
    try:
        return [float(x) for x in text.split(",")]
    except ValueError:
        raise ValueError(f"{text!r} is not a list of numbers separated by commas, such as 2,1.") from None


def two_numbers(text: str) -> list[float]:
    """``0.6,0.7`` as two numbers."""
    found = numbers(text)
    if len(found) != 2:
        raise ValueError(f"{text!r} is not two numbers, for example 0.6,0.7.")
    return found


COEFFICIENTS = (
    "percent, cohen, conger, light, hubert, scott, fleiss, krippendorff, gwet, brennan_prediger, iota,"
    ' bangdiwala, matthews, van_oest; also by other names, such as ``"alpha"``, ``"kappa"`` or ``"ac1"``.'
)
CoefficientName = Annotated[
    str,
    Option(
        "Coefficient of agreement; Krippendorff's alpha if omitted.",
        values=("raters.coefficients:REGISTRY", "raters.spans.measures:MEASURES"),
        also="raters.spans.measures:figure_name",
        python=COEFFICIENTS,
    ),
]
CoefficientNames = Annotated[
    "Iterable[str] | None",
    Option("Coefficients of agreement; all that apply if omitted.", python=COEFFICIENTS),
]
By = Annotated[str | None, Option("Report one figure for each value of a column.", metavar="COLUMN")]
Group = Annotated[
    str | None,
    Option("Column that says who is compared with whom (a pool, a round).", metavar="COLUMN"),
]
Count = Annotated[int | None, Option("Labels per aggregate; those of an item if omitted.", least=1)]
Within = Annotated[
    str | None,
    Option("rater: compare only labels by the same rater.", metavar="COLUMN"),
]
"""Options that functions write out, since what they return depends on them."""


INTERVAL = Option(
    "Method for the interval; auto chooses one with good coverage in small studies, or delta for very large tables.",
    "auto",
    ("auto", "raters.inference.intervals:METHODS"),
    python='``"auto"`` is what holds its level for this figure, which the estimate names: for coefficients'
    ' ``"imaginary"`` (a Bayesian bootstrap with one prior item) for labels and ``"stabilised"`` for numbers; for figures'
    ' with a distribution of their own, such as F, that; for others ``"bootstrap"``. Others are ``"bca"``, ``"delta"``,'
    ' ``"jackknife"``, and None for only the value.',
)
LEVEL = Option("Level of the interval.", 0.95)
Seed = Annotated[int, Option("The same seed gives the same figures.", 0, least=0)]


class Inference(TypedDict, total=False):
    """How an interval is computed."""

    interval: Annotated[str | None, INTERVAL]
    level: Annotated[float, LEVEL]
    resamples: Annotated[int, Option("Number of replicates for the interval.", 2000)]
    seed: Seed


class Weighing(TypedDict, total=False):
    """How labels are compared."""

    weights: Annotated[
        "Weights | None",
        Option(
            "Agreement weights; numeric labels are weighted by value.",
            values=("raters.scales:WEIGHTS", "raters.scales:SET_WEIGHTS"),
            python='A name such as ``"linear"`` or ``"quadratic"``, a matrix in label order, or a function of two labels.'
            " If omitted, labels either match or do not; alpha and iota use the distance of the scale.",
        ),
    ]
    distance: Annotated[
        "Distance | None",
        Option(
            "Distance between labels; the scale's own if omitted.",
            values=("raters.scales:DISTANCES", "raters.scales:SET_DISTANCES"),
            python="A scale's distance by name, a matrix, or a function of two labels.",
        ),
    ]


Cluster = Annotated[str | None, Option("Resample whole clusters of items, such as documents.", metavar="COLUMN")]
Margins = Annotated[
    str,
    Option(
        "Margins of fleiss, gwet and scott: weight items equally, or annotations.",
        "items",
        ("items", "pooled"),
        rare=True,
    ),
]
StandardError = Annotated[str | None, Option("gwet: use the standard error of irrCAC.", values=("gwet",), rare=True)]


class Sampling(TypedDict, total=False):
    """What is resampled."""

    cluster: Cluster
    sample: Annotated[
        str,
        Option("Unit that is resampled; everything else is held fixed.", "items", ("items", "raters", "both")),
    ]


class OfItems(Weighing, total=False):
    """The options of a coefficient without an interval: one figure for each item."""

    weights_by: Annotated[
        str, Option("Weight numeric labels by value or by position.", "value", ("value", "position"), rare=True)
    ]
    margins: Margins


class OverItems(OfItems, Inference, total=False):
    """The options of a coefficient whose interval is over items."""

    se: StandardError


class OfRaters(OverItems, total=False):
    """The options of one figure for each rater, or pair of raters."""

    cluster: Cluster


class OfLabels(Sampling, Inference, total=False):
    """The options of one figure for each label: it either matches or does not."""

    margins: Margins
    se: StandardError


class Comparing(OfRaters, Sampling, total=False):
    """The options of agreement on a whole table."""


class Cross(Weighing, Sampling, Inference, total=False):
    """The options of cross-replication reliability."""

    irr: Annotated[
        str,
        Option(
            "Coefficient of agreement within a pool.",
            "krippendorff",
            ("raters.reliability.xrr.pools:of_pools",),
            also="raters.coefficients:coefficient_name",
            python='``"krippendorff"``, ``"iota"``, or ``"cohen"`` (two raters per pool).',
        ),
    ]
    irr_items: Annotated[
        str,
        Option("Compute agreement within a pool on all its items, or only on shared items.", "all", ("all", "shared")),
    ]
    means: Annotated[
        str,
        Option(
            "Reliability of the item means behind rho: one-way ICC(k), or halves of each item's labels.",
            "icc",
            ("icc", "split_half"),
        ),
    ]
    trusted: Annotated[str | None, Option("Pool that serves as the reference (such as experts).", metavar="POOL")]
    names: Annotated[
        "Sequence[str] | None",
        Option(
            "Names of the pools, if each is a file; with --pool, the pools to compare.",
            metavar="A,B",
            typed=listed,
        ),
    ]
    permutations: Annotated[
        int,
        Option(
            "Test whether the pools differ at all, with this many shuffles of whole raters.",
            0,
            least=0,
            command=("--test",),
            metavar="N",
        ),
    ]


class PairsOfRaters(TypedDict, total=False):
    """How pairs of raters are put together, and when their units match."""

    pooled: Annotated[
        bool | None,
        Option(
            "Spans: pool pairs of raters, or take the mean over pairs (the default if all raters saw all documents).",
            command=("--pooled/--mean",),
        ),
    ]
    threshold: Annotated[float, Option("Spans: the share of characters that iou asks for.", 0.5, rare=True)]


class OfSpans(PairsOfRaters, Inference, total=False):
    """The options of agreement on spans."""

    sample: Annotated[
        str, Option("Spans: resample documents (items), raters, or both.", "items", ("items", "raters", "both"))
    ]


class Krr(Weighing, Inference, total=False):
    """The options of k-rater reliability."""

    aggregate: Annotated[
        "str | Callable[..., Any] | None",
        Option(
            "mean, median, majority or a consensus model; follows the scale if omitted.",
            metavar="NAME",
            python='A model such as ``"dawid_skene"`` is fitted to each half; a function takes an array (row, k) of labels'
            " and gives one label for each row.",
        ),
    ]
    method: Annotated[
        "str | Sequence[str] | None",
        Option(
            "How two replications are obtained (icc for means; otherwise split up to half the labels per item, and model"
            " beyond).",
            values=("raters.reliability.krr.methods:METHODS",),
            python='``"empirical"`` (the tables of ``against``), ``"split"`` (two disjoint draws of k from each item),'
            ' ``"bootstrap"`` (draws with replacement: biased upward), ``"icc"``, ``"spearman_brown"`` (means of numbers,'
            ' any k), ``"model"`` (any k: the distribution over items\' label distributions).',
        ),
    ]
    coefficient: Annotated[
        str | None,
        Option(
            "Coefficient between replications; Krippendorff's alpha if omitted.",
            values=("raters.coefficients:REGISTRY",),
            also="raters.coefficients:coefficient_name",
            command=("-c", "--coefficient"),
        ),
    ]
    ratings: Annotated[
        int | None, Option("Method spearman_brown: start from so many random ratings of an item.", least=2)
    ]
    ties: Annotated[
        str,
        Option("The answer of a tied vote.", "random", ("raters.models.base.ties:ONE_ANSWER",)),
    ]
    form: Annotated[
        str,
        Option(
            "Method icc: the intraclass correlation of single ratings.",
            "ICC(1)",
            ("ICC(1)", "ICC(C,1)", "ICC(A,1)"),
            rare=True,
        ),
    ]
    draw: Annotated[
        str | None,
        Option(
            "Method empirical: draw whole raters (columns), or ratings within each item (items).",
            values=("columns", "items"),
            rare=True,
        ),
    ]
    replications: Annotated[
        int | None, Option("Number of random draws for empirical, split and bootstrap.", least=1, rare=True)
    ]


class Sets(TypedDict, total=False):
    """The options of agreement between raters who may give several labels."""

    who: Annotated[
        "Sequence[Any] | None",
        Option(
            "Raters to compare, in order; precision and recall are those of A against B.", metavar="A,B", typed=listed
        ),
    ]
    chance: Annotated[
        str,
        Option(
            "Compute chance agreement exactly (by simulation if that is slow), or always by simulation.",
            "exact",
            ("exact", "simulated"),
        ),
    ]
    simulations: Annotated[int, Option("Simulated datasets.", 1000, least=1)]
    pooled: Annotated[
        bool | None,
        Option("Pool raters, or compare pairs (the default for up to 8 raters).", command=("--pooled/--named",)),
    ]
    masi: Annotated[
        str,
        Option(
            "Version of MASI (exact thirds, .67 and .33 as in older versions of NLTK, or without the Jaccard factor).",
            "masi",
            ("masi", "masi_rounded", "masi_2004"),
        ),
    ]
    order_weights: Annotated[
        "Sequence[float] | None",
        Option(
            "Augmented kappa: weights of primary and secondary labels.",
            metavar="2,1",
            typed=numbers,
            python="For labels that were read with ``ordered=True``.",
        ),
    ]
    empty: Annotated[str, Option("Whether two empty sets agree fully or not at all.", "agree", ("agree", "nothing"))]


class Planning(TypedDict, total=False):
    """The options of a plan."""

    aggregate: Annotated[
        "str | Callable[..., Any] | None",
        Option("mean, median or majority; the default follows the scale.", metavar="NAME"),
    ]
    coefficient: Annotated[
        str | None,
        Option(
            "Coefficient of agreement; Krippendorff's alpha if omitted.",
            values=("raters.coefficients:REGISTRY",),
            also="raters.coefficients:coefficient_name",
            command=("-c", "--coefficient"),
        ),
    ]
    ties: Annotated[str, Option("The answer of a tied vote.", "random", ("raters.models.base.ties:ONE_ANSWER",))]
    width: Annotated[float, Option("Desired width of the interval of agreement.", 0.1)]
    tell: Annotated[
        "Sequence[float] | None",
        Option(
            "Two values of the coefficient to distinguish; the target and .1 below it if omitted.",
            metavar="A,B",
            typed=two_numbers,
        ),
    ]
    power: Annotated[float, Option("Power with which to distinguish them.", 0.8)]
    budget: Annotated[float | None, Option("Budget for labels and items.")]
    cost: Annotated[float, Option("Cost of a label.", 1.0)]
    item_cost: Annotated[float, Option("Cost of an item, not counting its labels.", 0.0)]
    interval: Annotated[str | None, INTERVAL]
    level: Annotated[float, LEVEL]
    resamples: Annotated[int, Option("Number of replicates for the interval.", 2000)]
    seed: Seed
