"""Annotation models: which labels are settled, how much each rater contributes, and what to label next."""

from raters.models.checking.diagnostics import compare_models, residual_pairs
from raters.models.checking.evaluation import evaluate
from raters.models.classifier import ConsensusClassifier
from raters.models.families.registry import MODELS
from raters.models.fit_consensus import consensus
from raters.models.fitting.em import STARTS
from raters.models.follow_up.next_labels import next_labels
from raters.models.follow_up.sheets import adjudication, read_answers, to_csv
from raters.models.rater_quality.information import information
from raters.models.result import Consensus, load

__all__ = [
    "MODELS",
    "STARTS",
    "Consensus",
    "ConsensusClassifier",
    "adjudication",
    "compare_models",
    "consensus",
    "evaluate",
    "information",
    "load",
    "next_labels",
    "read_answers",
    "residual_pairs",
    "to_csv",
]
