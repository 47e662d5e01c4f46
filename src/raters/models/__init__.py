"""Annotation models: which labels to trust, what each rater is worth, what to label next."""

from raters.models.aggregation import aggregate, aggregator
from raters.models.checks import compare_models, residual_pairs
from raters.models.compare import costs, overlap, prevalences
from raters.models.estimator import ConsensusClassifier
from raters.models.evaluation import evaluate
from raters.models.fit import consensus
from raters.models.next import next_labels
from raters.models.registry import MODELS
from raters.models.result import Consensus
from raters.models.sheets import adjudication, read_answers, to_csv
from raters.models.starts import STARTS
from raters.models.store import load
from raters.models.worth import information

__all__ = [
    "MODELS",
    "STARTS",
    "Consensus",
    "ConsensusClassifier",
    "adjudication",
    "aggregate",
    "aggregator",
    "compare_models",
    "consensus",
    "costs",
    "evaluate",
    "information",
    "load",
    "next_labels",
    "overlap",
    "prevalences",
    "read_answers",
    "residual_pairs",
    "to_csv",
]
