"""The bundled examples."""

import warnings

from sources import long

from raters import examples


def test_examples() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        sizes = {
            name: (ann.n_items, ann.n_raters, ann.n_annotations)
            for name in ("four_raters", "fleiss_1971", "hayes_krippendorff_2007", "abstractors", "demo")
            for ann in [getattr(examples, name)()]
        }
    assert sizes == {
        "four_raters": (12, 4, 41),
        "fleiss_1971": (30, 6, 180),
        "hayes_krippendorff_2007": (40, 5, 159),
        "abstractors": (100, 2, 200),
        "demo": (200, 5, 951),
    }
    assert long(examples.demo()) == long(examples.demo())
