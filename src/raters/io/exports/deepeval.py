"""DeepEval: a test run with the metrics of each test case."""

from collections.abc import Sequence

from raters.io.exports.answers import Answer, Export, mapping, objects
from raters.io.exports.documents import Document
from raters.io.exports.glance import Glance

CASES = ("testCases", "test_cases")


def sniff(g: Glance) -> bool:
    """Test cases, with metrics or outputs, wrapped or not."""
    return any(
        g.has(f"{before}{cases}") and g.has(f"{before}{cases}.{inside}")
        for before in ("", "testRunData.")
        for cases in CASES
        for inside in ("metricsData", "metricsMetadata", "actualOutput")
    )


def read(documents: Sequence[Document]) -> Export:
    """A metric is a question, the evaluating model is the rater, and the test case is the item."""
    found: list[Answer] = []
    for place, document in enumerate(documents):
        for one in map(mapping, document.objects()):
            run = mapping(one.get("testRunData")) or one
            cases = [c for name in CASES for c in objects(run.get(name))]
            for number, case in enumerate(cases):
                item = case.get("name") if len({c.get("name") for c in cases}) == len(cases) else number
                for metric in objects(case.get("metricsData", case.get("metricsMetadata"))):
                    score = metric.get("score")
                    more = {
                        k: metric[k] for k in ("success", "threshold") if isinstance(metric.get(k), bool | int | float)
                    }
                    why = None if isinstance(score, int | float) else "error" if metric.get("error") else "unscored"
                    rater = metric.get("evaluationModel") or "deepeval"
                    found.append(Answer(item, rater, str(metric.get("name")), score, why, place, None, more))
    return Export(found, 0, (), {"item": "test case", "rater": "evaluationModel"})
