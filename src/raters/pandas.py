"""The accessor ``df.raters`` of pandas frames: ``import raters.pandas`` registers it, and nothing else imports pandas.

>>> import pandas
>>> import raters.pandas
>>> df = pandas.DataFrame({"item": [1, 1, 2, 2], "rater": list("abab"), "label": ["no", "no", "yes", "no"]})
>>> df.raters.read().n_items
2
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

try:
    import pandas
except ImportError:
    raise ImportError("raters.pandas needs pandas, which is not installed: pip install pandas") from None

from raters.agree.agreement import agreement, agreement_table, per_label, per_pair, per_rater
from raters.agree.explaining import explain
from raters.errors import listed
from raters.io.read import read
from raters.judges.judge import judge
from raters.models.fit_consensus import consensus
from raters.models.follow_up.next_labels import next_labels
from raters.reliability.krr.krr import krr, krr_curve
from raters.reliability.planning.plan import plan
from raters.reliability.sets.multilabel import multilabel
from raters.reliability.sets.single_labels import per_item
from raters.reliability.variance.icc import icc
from raters.reliability.xrr.xrr import xrr, xrr_table
from raters.reporting.report import report

FUNCTIONS: dict[str, Callable[..., Any]] = {
    f.__name__: f
    for f in (
        read, agreement, agreement_table, per_label, per_rater, per_pair, per_item, explain, icc, krr, krr_curve, plan, xrr, xrr_table,
        multilabel, consensus, next_labels, judge, report,
    )
}  # fmt: skip
"""The methods of the accessor: the functions of ``raters`` whose first argument is a table."""


@pandas.api.extensions.register_dataframe_accessor("raters")
class Accessor:
    """The functions of ``raters`` on this frame: ``df.raters.agreement(label="tone")`` is
    ``raters.agreement(df, label="tone")``.
    """

    def __init__(self, frame: Any) -> None:
        self._frame = frame

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if name not in FUNCTIONS:
            raise AttributeError(f"df.raters has no {name!r}; it has {listed(FUNCTIONS, len(FUNCTIONS))}")
        function = FUNCTIONS[name]

        @wraps(function)
        def of_frame(*args: Any, **options: Any) -> Any:
            return function(self._frame, *args, **options)

        return of_frame

    def __dir__(self) -> list[str]:
        return sorted(FUNCTIONS)
