"""More about sets of labels: what whole crowds gave, and what the raters of an item share."""

from typing import TYPE_CHECKING

from raters.public import lazy

if TYPE_CHECKING:
    from raters.reliability.sets.comparing import label_shares as label_shares
    from raters.reliability.sets.multilabel import final_labels as final_labels
    from raters.reliability.sets.single_labels import per_label_pooled as per_label_pooled
else:
    __getattr__, __dir__, __all__ = lazy(
        __name__,
        {
            "raters.reliability.sets.comparing": "label_shares",
            "raters.reliability.sets.multilabel": "final_labels",
            "raters.reliability.sets.single_labels": "per_label_pooled",
        },
    )
