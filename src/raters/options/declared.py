"""Every option once, in groups: a group is both the static type of ``**options`` and the declaration of its rows.

Types that are heavy to import are quoted, and registries are named as text, so that this file imports nothing.
"""
# No ``from __future__ import annotations``: the rows are read from the annotations.

from typing import TYPE_CHECKING, Annotated, TypedDict

from raters.options.option import Option

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from raters.scales import Weights

    Distance = Weights


def listed(text: str) -> list[str]:
    """``A,B`` as names."""
    return [name.strip() for name in text.split(",")]


COEFFICIENTS = (
    "percent, cohen, conger, light, hubert, scott, fleiss, krippendorff, gwet, brennan_prediger, iota, bangdiwala,"
    ' matthews, van_oest; also by other names, such as ``"alpha"``, ``"kappa"`` or ``"ac1"``.'
)
CoefficientName = Annotated[
    str,
    Option(
        "Coefficient of agreement; Krippendorff's alpha if omitted.",
        values=("raters.coefficients:REGISTRY",),
        also="raters.coefficients:coefficient_name",
        python=COEFFICIENTS,
    ),
]
CoefficientNames = Annotated["Iterable[str] | None", Option("All that apply if omitted.", python=COEFFICIENTS)]
By = Annotated[str | None, Option("Report one figure for each value of a column.", metavar="COLUMN")]
Group = Annotated[
    str | None,
    Option("Column that says who is compared with whom, such as a pool or a round.", metavar="COLUMN"),
]
Within = Annotated[
    str | None,
    Option("rater: compare only labels by the same rater (intra-rater agreement).", metavar="COLUMN"),
]
"""Options that functions write out, since what they return depends on them."""


class Inference(TypedDict, total=False):
    """How an interval is computed."""

    interval: Annotated[
        str | None,
        Option(
            "Method for the interval; auto chooses one with good coverage in small studies, or delta for very large"
            " tables.",
            "auto",
            ("auto", "raters.inference.intervals:METHODS"),
            python='``"auto"`` chooses ``"imaginary"`` (a Bayesian bootstrap with one prior item) for labels and'
            ' ``"stabilised"`` for numbers; others are ``"bootstrap"``, ``"bca"``, ``"delta"``, ``"jackknife"``, and None'
            " for only the value.",
        ),
    ]
    level: Annotated[float, Option("Level of the interval.", 0.95)]
    resamples: Annotated[int, Option("Number of replicates for the interval.", 2000)]
    seed: Annotated[int, Option("The same seed gives the same figures.", 0, least=0)]


class Weighing(TypedDict, total=False):
    """How labels are compared."""

    weights: Annotated[
        "Weights | None",
        Option(
            "Agreement weights, instead of matches only or the scale's distance.",
            values=("raters.scales:WEIGHTS", "raters.scales:SET_WEIGHTS"),
            python='A name such as ``"linear"`` or ``"quadratic"``, a matrix in label order, or a function of two labels.'
            " If omitted, labels either match or do not; alpha and iota use the distance of the scale.",
        ),
    ]
    distance: Annotated[
        "Distance | None",
        Option(
            "Distance between labels, instead of weights or the scale's own.",
            values=("raters.scales:DISTANCES", "raters.scales:SET_DISTANCES"),
            python="A scale's distance by name, a matrix, or a function of two labels.",
        ),
    ]


class Sampling(TypedDict, total=False):
    """What is resampled."""

    cluster: Annotated[
        str | None,
        Option("Resample whole clusters of items, such as documents.", metavar="COLUMN"),
    ]
    sample: Annotated[
        str,
        Option("Unit that is resampled; everything else is held fixed.", "items", ("items", "raters", "both")),
    ]


class Comparing(Weighing, Sampling, Inference, total=False):
    """The options of every agreement function."""

    weights_by: Annotated[
        str, Option("Weight numeric labels by value or by position.", "value", ("value", "position"), rare=True)
    ]
    margins: Annotated[
        str,
        Option(
            "Margins of fleiss, gwet and scott: weight items equally, or annotations.",
            "items",
            ("items", "pooled"),
            rare=True,
        ),
    ]
    se: Annotated[str | None, Option("gwet: use the standard error of irrCAC.", values=("gwet",), rare=True)]


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
