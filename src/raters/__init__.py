"""raters tells people how far they can trust labels, whether people or models gave them."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from raters import datasets, examples, models, simulate
    from raters.agree.agreement import agreement, agreement_table, per_label, per_pair, per_rater
    from raters.agree.bands import Bands, bands
    from raters.agree.comparing import Comparison
    from raters.agree.explaining import Explanation, explain
    from raters.annotations import Annotations
    from raters.errors import DataError, RatersError, RatersWarning, UsageError
    from raters.estimate import Estimate, EstimateTable
    from raters.io.read import read
    from raters.items.saved_fold import Fold
    from raters.judges.alt_test import AltTest, AltTests, alt_test, alt_test_table
    from raters.judges.calibrate import calibrate
    from raters.judges.calibration import Calibration
    from raters.judges.judge import JudgeReport, JudgeReports, judge
    from raters.models.checking.evaluation import evaluate
    from raters.models.classifier import ConsensusClassifier
    from raters.models.fit_consensus import consensus
    from raters.models.follow_up.next_labels import next_labels
    from raters.models.rater_quality.information import information
    from raters.models.result import Consensus, load
    from raters.reliability.krr.ceilings import ceiling
    from raters.reliability.krr.krr import krr, krr_curve
    from raters.reliability.planning.plan import Plan, plan
    from raters.reliability.planning.replication import plan_replication
    from raters.reliability.sets.comparing import compare, label_shares
    from raters.reliability.sets.multilabel import final_labels, multilabel
    from raters.reliability.sets.single_labels import per_item, per_label_pooled
    from raters.reliability.variance.bland_altman import bland_altman
    from raters.reliability.variance.concordance import ccc, kendall_w
    from raters.reliability.variance.icc import icc
    from raters.reliability.xrr.result import CrossReliability
    from raters.reliability.xrr.xrr import CrossTable, xrr, xrr_table
    from raters.reporting.report import report

__version__ = "0.2.0"

_HOME = {
    "agreement": "raters.agree.agreement",
    "agreement_table": "raters.agree.agreement",
    "per_label": "raters.agree.agreement",
    "per_item": "raters.reliability.sets.single_labels",
    "per_pair": "raters.agree.agreement",
    "per_rater": "raters.agree.agreement",
    "Annotations": "raters.annotations",
    "Comparison": "raters.agree.comparing",
    "Explanation": "raters.agree.explaining",
    "Bands": "raters.agree.bands",
    "bands": "raters.agree.bands",
    "compare": "raters.reliability.sets.comparing",
    "label_shares": "raters.reliability.sets.comparing",
    "per_label_pooled": "raters.reliability.sets.single_labels",
    "explain": "raters.agree.explaining",
    "DataError": "raters.errors",
    "RatersError": "raters.errors",
    "RatersWarning": "raters.errors",
    "UsageError": "raters.errors",
    "Estimate": "raters.estimate",
    "EstimateTable": "raters.estimate",
    "AltTest": "raters.judges.alt_test",
    "AltTests": "raters.judges.alt_test",
    "alt_test": "raters.judges.alt_test",
    "alt_test_table": "raters.judges.alt_test",
    "Calibration": "raters.judges.calibration",
    "calibrate": "raters.judges.calibrate",
    "JudgeReport": "raters.judges.judge",
    "JudgeReports": "raters.judges.judge",
    "judge": "raters.judges.judge",
    "read": "raters.io.read",
    "Fold": "raters.items.saved_fold",
    "report": "raters.reporting.report",
    "Consensus": "raters.models.result",
    "ConsensusClassifier": "raters.models.classifier",
    "load": "raters.models.result",
    "consensus": "raters.models.fit_consensus",
    "evaluate": "raters.models.checking.evaluation",
    "information": "raters.models.rater_quality.information",
    "next_labels": "raters.models.follow_up.next_labels",
    "bland_altman": "raters.reliability.variance.bland_altman",
    "ccc": "raters.reliability.variance.concordance",
    "kendall_w": "raters.reliability.variance.concordance",
    "CrossReliability": "raters.reliability.xrr.result",
    "CrossTable": "raters.reliability.xrr.xrr",
    "icc": "raters.reliability.variance.icc",
    "ceiling": "raters.reliability.krr.ceilings",
    "krr": "raters.reliability.krr.krr",
    "krr_curve": "raters.reliability.krr.krr",
    "Plan": "raters.reliability.planning.plan",
    "plan": "raters.reliability.planning.plan",
    "plan_replication": "raters.reliability.planning.replication",
    "final_labels": "raters.reliability.sets.multilabel",
    "multilabel": "raters.reliability.sets.multilabel",
    "xrr": "raters.reliability.xrr.xrr",
    "xrr_table": "raters.reliability.xrr.xrr",
}
_MODULES = ("datasets", "examples", "models", "simulate")

__all__ = [
    "AltTest",
    "AltTests",
    "Annotations",
    "Bands",
    "Calibration",
    "Comparison",
    "Consensus",
    "ConsensusClassifier",
    "CrossReliability",
    "CrossTable",
    "DataError",
    "Estimate",
    "EstimateTable",
    "Explanation",
    "Fold",
    "JudgeReport",
    "JudgeReports",
    "Plan",
    "RatersError",
    "RatersWarning",
    "UsageError",
    "agreement",
    "agreement_table",
    "alt_test",
    "alt_test_table",
    "bands",
    "bland_altman",
    "calibrate",
    "ccc",
    "ceiling",
    "compare",
    "consensus",
    "datasets",
    "evaluate",
    "examples",
    "explain",
    "final_labels",
    "icc",
    "information",
    "judge",
    "kendall_w",
    "krr",
    "krr_curve",
    "label_shares",
    "load",
    "models",
    "multilabel",
    "next_labels",
    "per_item",
    "per_label",
    "per_label_pooled",
    "per_pair",
    "per_rater",
    "plan",
    "plan_replication",
    "read",
    "report",
    "simulate",
    "xrr",
    "xrr_table",
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
    return sorted({*(name for name in globals() if name.startswith("__")), *__all__, *_HOME, *_MODULES})
