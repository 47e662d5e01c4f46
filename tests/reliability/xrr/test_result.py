"""What a result of xrr says in words, and that it stays as it is."""

import numpy as np
import pytest
from pools import rows_of

import raters
from raters.reliability.xrr.result import triangulate


def test_the_sentence_triangulates() -> None:
    def told(kappa: float, irr_x: float, irr_y: float, reach: float = 0.02, trusted: str | None = None) -> str:
        from dataclasses import replace

        base = raters.xrr(
            raters.read(rows_of("a")), raters.read(rows_of("b")), names=("crowd", "experts"), interval=None
        )
        gap = kappa - (irr_x + irr_y) / 2

        def e(value: float) -> raters.results.Estimate:
            return replace(base.kappa_x, value=value, low=value - reach, high=value + reach)

        return triangulate(
            replace(
                base,
                kappa_x=e(kappa),
                irr_x=e(irr_x),
                irr_y=e(irr_y),
                difference=e(gap),
                trusted=trusted,
                normalized=e(kappa / np.sqrt(irr_x * irr_y)),
                n_shared=200,
            )
        )

    # the paper's four examples: sadness, contentment, awe, love
    sadness = told(0.4709, 0.5147, 0.5175, 0.05)  # .862 to .962 of what the IRRs allow: not above .9 as a whole
    assert "is not clear whether they replicate" in sadness and "a good replication needs" in sadness
    assert "hardly with each other" in told(-0.0344, 0.4494, 0.6363)
    assert "look at the task" in told(0.0817, 0.1208, 0.1170)
    assert "good replication" in told(0.62, 0.6, 0.62, 0.05)
    assert "good replication" not in told(0.7, 0.6, 0.62, 0.05)  # the normalised figure lies wholly above 1
    assert "more than within themselves, with low agreement within both (0.39 and 0.37)" in told(0.43, 0.39, 0.37, 0.04)
    assert "a good replication, with low agreement within both (0.39 and 0.37) (" in told(0.37, 0.39, 0.37, 0.03)
    assert "less than within" in told(0.40, 0.55, 0.60)
    assert "the raters are held fixed" in told(0.40, 0.55, 0.60)
    assert "collusion" in told(0.5, 0.9, 0.55, trusted="experts")
    assert "vague guidelines" in told(0.5, 0.4, 0.9, trusted="experts")


def test_a_result_is_plain_and_frozen() -> None:
    import json

    result = raters.xrr(raters.read(rows_of("a")), raters.read(rows_of("b")), resamples=50)
    assert len(json.dumps(result.to_dict(), allow_nan=False)) > 500
    assert result.to_dict()["pools"] == ["x", "y"] and "kappa_x" in str(result) and "<table>" in result._repr_html_()
    with pytest.raises(AttributeError):
        result.kappa_x = None  # type: ignore[misc, assignment]
