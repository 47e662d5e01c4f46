"""Annotation models: which labels are settled, how much each rater contributes, and what to label next."""

from raters.models.classifier import ConsensusClassifier
from raters.models.families.registry import MODELS
from raters.models.fit_consensus import consensus
from raters.models.fitting.starts import STARTS
from raters.models.one_task import full_bayes
from raters.models.result import Consensus, load
from raters.models.uses.aggregation import aggregate, aggregator
from raters.models.uses.crowdtruth_quality import CrowdTruth, crowdtruth
from raters.models.uses.diagnostics import compare_models, residual_pairs
from raters.models.uses.evaluation import evaluate
from raters.models.uses.expert_tables import costs, overlap, prevalences
from raters.models.uses.given_parameters import entropy_of, expected_entropy, mutual_information, posterior_given
from raters.models.uses.hard_cases import hard_cases
from raters.models.uses.information import information
from raters.models.uses.monitoring import Monitoring, monitor
from raters.models.uses.queries import next_labels
from raters.models.uses.recovery import recovery
from raters.models.uses.sheets import adjudication, read_answers, to_csv

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
