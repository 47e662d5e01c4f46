"""``raters demo``."""

import json

import pytest
from click.testing import CliRunner

from raters.cli import cli


@pytest.mark.parametrize("format_", ["text", "json"])
def test_demo(format_, tmp_path):
    target = tmp_path / "demo.out"
    done = CliRunner().invoke(cli, ["demo", "--format", format_, "-o", str(target)])
    assert done.exit_code == 0, done.output
    text = target.read_text(encoding="utf-8")
    assert json.loads(text)["schema"] == 1 if format_ == "json" else "Krippendorff" in text
