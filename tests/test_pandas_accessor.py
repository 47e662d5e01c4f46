"""``import raters.pandas`` gives frames the functions of raters; nothing else imports pandas."""

import subprocess
import sys

import pandas
import pytest

import raters
import raters.pandas

FRAME = pandas.DataFrame(
    {
        "doc": [i for i in range(12) for _ in range(2)],
        "who": list("ab") * 12,
        "tone": ["x", "x", "y", "y", "x", "y"] * 4,
    }
)


def test_a_frame_has_the_functions():
    roles = {"item": "doc", "rater": "who", "label": "tone", "scale": "nominal"}
    assert FRAME.raters.read(**roles).n_annotations == 24
    assert FRAME.raters.agreement(**roles) == raters.agreement(FRAME, **roles)
    assert FRAME.raters.agreement("fleiss", interval=None, **roles).name == "fleiss"
    assert "agreement" in dir(FRAME.raters) and FRAME.raters.report.__name__ == "report"
    with pytest.raises(AttributeError, match=r"df\.raters has no 'agrement'; it has 'read'"):
        FRAME.raters.agrement()


def test_every_function_takes_a_table_first():
    for name, function in raters.pandas.FUNCTIONS.items():
        assert getattr(raters, name) is function


def test_raters_alone_imports_no_pandas():
    code = "import sys, raters, raters.io.read, raters.reporting.report; assert 'pandas' not in sys.modules"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
