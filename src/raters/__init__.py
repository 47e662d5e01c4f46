"""raters tells people how far they can trust labels, whether people or models gave them."""

from typing import TYPE_CHECKING

from raters.public import lazy

if TYPE_CHECKING:
    from raters import datasets as datasets
    from raters import examples as examples
    from raters import models as models
    from raters import results as results
    from raters import sets as sets
    from raters import simulate as simulate
    from raters.agree.agreement import agreement as agreement
    from raters.agree.agreement import agreement_table as agreement_table
    from raters.agree.agreement import per_label as per_label
    from raters.agree.agreement import per_pair as per_pair
    from raters.agree.agreement import per_rater as per_rater
    from raters.agree.bands import bands as bands
    from raters.agree.explaining import explain as explain
    from raters.agree.watching import watch as watch
    from raters.annotations import Annotations as Annotations
    from raters.errors import DataError as DataError
    from raters.errors import RatersError as RatersError
    from raters.errors import RatersWarning as RatersWarning
    from raters.errors import UsageError as UsageError
    from raters.io.look import look as look
    from raters.io.read import read as read
    from raters.items.saved_fold import Fold as Fold
    from raters.judges.alt_test import alt_test as alt_test
    from raters.judges.alt_test import alt_test_table as alt_test_table
    from raters.judges.calibrate import calibrate as calibrate
    from raters.judges.judge import judge as judge
    from raters.judges.ranking import rank as rank
    from raters.models.classifier import ConsensusClassifier as ConsensusClassifier
    from raters.models.fit_consensus import consensus as consensus
    from raters.models.follow_up.next_labels import next_labels as next_labels
    from raters.models.rater_quality.information import information as information
    from raters.models.result import load as load
    from raters.reliability.krr.ceilings import ceiling as ceiling
    from raters.reliability.krr.krr import krr as krr
    from raters.reliability.krr.krr import krr_curve as krr_curve
    from raters.reliability.planning.checked_sample import check as check
    from raters.reliability.planning.plan import plan as plan
    from raters.reliability.planning.replication import plan_replication as plan_replication
    from raters.reliability.planning.systems import plan_systems as plan_systems
    from raters.reliability.sets.comparing import compare as compare
    from raters.reliability.sets.multilabel import multilabel as multilabel
    from raters.reliability.sets.single_labels import per_item as per_item
    from raters.reliability.soft.beside_votes import with_classifier as with_classifier
    from raters.reliability.soft.evaluate import evaluate as evaluate
    from raters.reliability.soft.soft_labels import soft_labels as soft_labels
    from raters.reliability.variance.bland_altman import bland_altman as bland_altman
    from raters.reliability.variance.concordance import ccc as ccc
    from raters.reliability.variance.concordance import kendall_w as kendall_w
    from raters.reliability.variance.icc import icc as icc
    from raters.reliability.xrr.groups import groups as groups
    from raters.reliability.xrr.xrr import xrr as xrr
    from raters.reliability.xrr.xrr import xrr_table as xrr_table
    from raters.reporting.report import report as report
else:
    __getattr__, __dir__, __all__ = lazy(
        __name__,
        {
            "raters.agree.agreement": "agreement agreement_table per_label per_pair per_rater",
            "raters.agree.bands": "bands",
            "raters.agree.explaining": "explain",
            "raters.agree.watching": "watch",
            "raters.annotations": "Annotations",
            "raters.errors": "DataError RatersError RatersWarning UsageError",
            "raters.io.look": "look",
            "raters.io.read": "read",
            "raters.items.saved_fold": "Fold",
            "raters.judges.alt_test": "alt_test alt_test_table",
            "raters.judges.calibrate": "calibrate",
            "raters.judges.judge": "judge",
            "raters.judges.ranking": "rank",
            "raters.models.classifier": "ConsensusClassifier",
            "raters.models.fit_consensus": "consensus",
            "raters.models.follow_up.next_labels": "next_labels",
            "raters.models.rater_quality.information": "information",
            "raters.models.result": "load",
            "raters.reliability.krr.ceilings": "ceiling",
            "raters.reliability.krr.krr": "krr krr_curve",
            "raters.reliability.planning.plan": "plan",
            "raters.reliability.planning.replication": "plan_replication",
            "raters.reliability.sets.comparing": "compare",
            "raters.reliability.sets.multilabel": "multilabel",
            "raters.reliability.sets.single_labels": "per_item",
            "raters.reliability.planning.checked_sample": "check",
            "raters.reliability.planning.systems": "plan_systems",
            "raters.reliability.soft.beside_votes": "with_classifier",
            "raters.reliability.soft.evaluate": "evaluate",
            "raters.reliability.soft.soft_labels": "soft_labels",
            "raters.reliability.variance.bland_altman": "bland_altman",
            "raters.reliability.variance.concordance": "ccc kendall_w",
            "raters.reliability.variance.icc": "icc",
            "raters.reliability.xrr.groups": "groups",
            "raters.reliability.xrr.xrr": "xrr xrr_table",
            "raters.reporting.report": "report",
        },
        modules="datasets examples models results sets simulate",
    )

__version__ = "0.2.0"
