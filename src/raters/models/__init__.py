"""Annotation models: which labels are settled, how much each rater contributes, and what to label next."""

from raters.models.aggregation import aggregate, aggregator
from raters.models.checking.diagnostics import compare_models, residual_pairs
from raters.models.checking.evaluation import evaluate
from raters.models.checking.recovery import recovery
from raters.models.classifier import ConsensusClassifier
from raters.models.families.registry import MODELS
from raters.models.fit_consensus import consensus
from raters.models.fitting.em import STARTS
from raters.models.follow_up.hard_cases import hard_cases
from raters.models.follow_up.next_labels import next_labels
from raters.models.follow_up.sheets import adjudication, read_answers, to_csv
from raters.models.rater_quality.crowdtruth_quality import CrowdTruth, crowdtruth
from raters.models.rater_quality.information import information
from raters.models.rater_quality.monitoring import Monitoring, monitor
from raters.models.result import Consensus, full_bayes, load
from raters.models.uses.annotation_tables import (
    costs,
    entropy_of,
    expected_entropy,
    mutual_information,
    overlap,
    posterior_given,
    prevalences,
)

__all__ = [
    "MODELS",
    "STARTS",
    "Consensus",
    "ConsensusClassifier",
    "CrowdTruth",
    "Monitoring",
    "adjudication",
    "aggregate",
    "aggregator",
    "compare_models",
    "consensus",
    "costs",
    "crowdtruth",
    "entropy_of",
    "evaluate",
    "expected_entropy",
    "full_bayes",
    "hard_cases",
    "information",
    "load",
    "monitor",
    "mutual_information",
    "next_labels",
    "overlap",
    "posterior_given",
    "prevalences",
    "read_answers",
    "recovery",
    "residual_pairs",
    "to_csv",
]
