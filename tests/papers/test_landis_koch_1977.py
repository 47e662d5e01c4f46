"""Landis & Koch (1977), Biometrics 33, 159-174: two neurologists diagnose multiple sclerosis; figures of R's vcd.

Also Agresti's SexualFun. vcd's standard error is that of Fleiss, Cohen & Everitt (1969), which divides by n.
"""

import pytest
from tables import Folded, same, square

TABLES = {
    "Winnipeg patients": (
        ((38, 5, 0, 1), (33, 11, 3, 0), (10, 14, 5, 6), (3, 7, 3, 10)),
        (".2079425", ".05045537"),
        (".3797305", ".05166683"),
    ),
    "New Orleans patients": (
        ((5, 3, 0, 0), (3, 11, 4, 0), (2, 13, 3, 4), (1, 2, 4, 14)),
        (".2965166", ".07850387"),
        (".4772727", ".07303099"),
    ),
    "husbands and wives": (
        ((7, 7, 2, 3), (2, 8, 3, 7), (1, 5, 4, 9), (2, 8, 9, 14)),
        (".1293303", ".06859853"),
        (".2373806", ".07831633"),
    ),
}


@pytest.mark.parametrize("name", TABLES)
def test_kappa_with_standard_error(name):
    table, plain, linear = TABLES[name]
    ask = Folded(square(*table))
    for weights, (value, se) in (("identity", plain), ("linear", linear)):
        e = ask("cohen", weights=weights, interval="delta")
        assert same(e.value, value)
        assert same(e.se * ((e.n_items - 1) / e.n_items) ** 0.5, se)
        assert same(ask("cohen", weights=weights, interval="delta", se="gwet").se, se)
