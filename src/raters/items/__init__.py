"""From the long table to folded items: the sufficient statistics of every coefficient."""

from raters.items.bag import Items, Lifted, cell_shares, collapse, features, lift, met, shares_by_group
from raters.items.fold import MANY_VALUES, column_of, fold, items_by_name, plain

__all__ = [
    "MANY_VALUES",
    "Items",
    "Lifted",
    "cell_shares",
    "collapse",
    "column_of",
    "features",
    "fold",
    "items_by_name",
    "lift",
    "met",
    "plain",
    "shares_by_group",
]
