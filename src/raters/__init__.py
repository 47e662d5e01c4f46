"""raters tells people how far they can trust labels, whether people or models gave them."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from raters.agree import agreement, agreement_table, per_category, per_item, per_pair, per_rater
    from raters.annotations import Annotations
    from raters.banding import bands
    from raters.comparing import Comparison, compare
    from raters.errors import DataError, RatersError, RatersWarning, UsageError
    from raters.estimate import Estimate, EstimateTable
    from raters.explaining import Explanation, explain
    from raters.io import read
    from raters.models.evaluation import evaluate
    from raters.models.fit import consensus
    from raters.models.next import next_labels
    from raters.models.result import Consensus
    from raters.models.worth import information
    from raters.reliability.concordance import bland_altman, ccc, kendall_w
    from raters.reliability.cross import CrossReliability
    from raters.reliability.crosstable import CrossTable
    from raters.reliability.icc import icc
    from raters.reliability.krr import krr, krr_curve
    from raters.reliability.multilabel import final_labels, multilabel
    from raters.reliability.planning import Plan, plan
    from raters.reliability.xrr import xrr
    from raters.reporting.build import report

__version__ = "0.1.0"

_HOME = {
    "agreement": "raters.agree",
    "agreement_table": "raters.agree",
    "per_category": "raters.agree",
    "per_item": "raters.agree",
    "per_pair": "raters.agree",
    "per_rater": "raters.agree",
    "Annotations": "raters.annotations",
    "Comparison": "raters.comparing",
    "Explanation": "raters.explaining",
    "bands": "raters.banding",
    "compare": "raters.comparing",
    "explain": "raters.explaining",
    "DataError": "raters.errors",
    "RatersError": "raters.errors",
    "RatersWarning": "raters.errors",
    "UsageError": "raters.errors",
    "Estimate": "raters.estimate",
    "EstimateTable": "raters.estimate",
    "read": "raters.io",
    "report": "raters.reporting.build",
    "Consensus": "raters.models.result",
    "consensus": "raters.models.fit",
    "evaluate": "raters.models.evaluation",
    "information": "raters.models.worth",
    "next_labels": "raters.models.next",
    "bland_altman": "raters.reliability.concordance",
    "ccc": "raters.reliability.concordance",
    "kendall_w": "raters.reliability.concordance",
    "CrossReliability": "raters.reliability.cross",
    "CrossTable": "raters.reliability.crosstable",
    "icc": "raters.reliability.icc",
    "krr": "raters.reliability.krr",
    "krr_curve": "raters.reliability.krr",
    "Plan": "raters.reliability.planning",
    "plan": "raters.reliability.planning",
    "final_labels": "raters.reliability.multilabel",
    "multilabel": "raters.reliability.multilabel",
    "xrr": "raters.reliability.xrr",
}
_MODULES = ("datasets", "examples", "simulate")

__all__ = [
    "Annotations",
    "Comparison",
    "Consensus",
    "CrossReliability",
    "CrossTable",
    "DataError",
    "Estimate",
    "EstimateTable",
    "Explanation",
    "Plan",
    "RatersError",
    "RatersWarning",
    "UsageError",
    "agreement",
    "agreement_table",
    "bands",
    "bland_altman",
    "ccc",
    "compare",
    "consensus",
    "evaluate",
    "explain",
    "final_labels",
    "icc",
    "information",
    "kendall_w",
    "krr",
    "krr_curve",
    "multilabel",
    "next_labels",
    "per_category",
    "per_item",
    "per_pair",
    "per_rater",
    "plan",
    "read",
    "report",
    "xrr",
]


def __getattr__(name: str) -> Any:
    """Names are imported when first used, so that ``raters --help`` does not wait for scipy and DuckDB."""
    if name in _HOME:
        value = getattr(import_module(_HOME[name]), name)
    elif name in _MODULES:
        value = import_module(f"raters.{name}")
    else:
        raise AttributeError(f"module 'raters' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOME, *_MODULES})
