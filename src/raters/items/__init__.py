"""From the long table to folded items: the sufficient statistics of every coefficient."""

from raters.items.align import items_by_name
from raters.items.bag import Items, Lifted, cell_shares, collapse, cooccurrence, features, lift, shares_by_group
from raters.items.folding import MANY_VALUES, column_of, fold, python_values
from raters.items.products import Blocks, Occupied, Place, by_group, dense

__all__ = [
    "MANY_VALUES",
    "Blocks",
    "Items",
    "Lifted",
    "Occupied",
    "Place",
    "by_group",
    "cell_shares",
    "collapse",
    "column_of",
    "cooccurrence",
    "dense",
    "features",
    "fold",
    "items_by_name",
    "lift",
    "python_values",
    "shares_by_group",
]
