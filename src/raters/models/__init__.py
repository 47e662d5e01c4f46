"""Annotation models: which labels are settled, how much each rater contributes, and what to label next."""

from typing import TYPE_CHECKING

from raters.public import lazy

if TYPE_CHECKING:
    from raters.models.checking.diagnostics import compare_models as compare_models
    from raters.models.checking.diagnostics import residual_pairs as residual_pairs
    from raters.models.checking.evaluation import evaluate as evaluate
    from raters.models.classifier import ConsensusClassifier as ConsensusClassifier
    from raters.models.families.registry import MODELS as MODELS
    from raters.models.fit_consensus import consensus as consensus
    from raters.models.fitting.em import STARTS as STARTS
    from raters.models.follow_up.next_labels import next_labels as next_labels
    from raters.models.follow_up.sheets import adjudication as adjudication
    from raters.models.follow_up.sheets import read_answers as read_answers
    from raters.models.follow_up.sheets import to_csv as to_csv
    from raters.models.rater_quality.information import information as information
    from raters.models.result import Consensus as Consensus
    from raters.models.result import load as load
else:
    __getattr__, __dir__, __all__ = lazy(
        __name__,
        {
            "raters.models.checking.diagnostics": "compare_models residual_pairs",
            "raters.models.checking.evaluation": "evaluate",
            "raters.models.classifier": "ConsensusClassifier",
            "raters.models.families.registry": "MODELS",
            "raters.models.fit_consensus": "consensus",
            "raters.models.fitting.em": "STARTS",
            "raters.models.follow_up.next_labels": "next_labels",
            "raters.models.follow_up.sheets": "adjudication read_answers to_csv",
            "raters.models.rater_quality.information": "information",
            "raters.models.result": "Consensus load",
        },
    )
