"""What functions return: the types of their results, to name them in annotations and ``isinstance``."""

from typing import TYPE_CHECKING

from raters.public import lazy

if TYPE_CHECKING:
    from raters.agree.bands import Bands as Bands
    from raters.agree.comparing import Comparison as Comparison
    from raters.agree.explaining import Explanation as Explanation
    from raters.estimate import Estimate as Estimate
    from raters.estimate import EstimateTable as EstimateTable
    from raters.io.readings.evidence import Evidence as Evidence
    from raters.io.readings.reading import InDoubt as InDoubt
    from raters.io.readings.reading import Reading as Reading
    from raters.judges.alt_test import AltTest as AltTest
    from raters.judges.alt_test import AltTests as AltTests
    from raters.judges.calibration import Calibration as Calibration
    from raters.judges.judge import JudgeReport as JudgeReport
    from raters.judges.judge import JudgeReports as JudgeReports
    from raters.models.result import Consensus as Consensus
    from raters.reliability.planning.plan import Plan as Plan
    from raters.reliability.xrr.result import CrossReliability as CrossReliability
    from raters.reliability.xrr.xrr import CrossTable as CrossTable
    from raters.spans.consensus import SpanConsensus as SpanConsensus
    from raters.spans.units import Spans as Spans
else:
    __getattr__, __dir__, __all__ = lazy(
        __name__,
        {
            "raters.agree.bands": "Bands",
            "raters.agree.comparing": "Comparison",
            "raters.agree.explaining": "Explanation",
            "raters.estimate": "Estimate EstimateTable",
            "raters.io.readings.evidence": "Evidence",
            "raters.io.readings.reading": "InDoubt Reading",
            "raters.judges.alt_test": "AltTest AltTests",
            "raters.judges.calibration": "Calibration",
            "raters.judges.judge": "JudgeReport JudgeReports",
            "raters.models.result": "Consensus",
            "raters.reliability.planning.plan": "Plan",
            "raters.reliability.xrr.result": "CrossReliability",
            "raters.reliability.xrr.xrr": "CrossTable",
            "raters.spans.consensus": "SpanConsensus",
            "raters.spans.units": "Spans",
        },
    )
