"""``raters krr`` and ``raters plan``."""

import csv
import json

import numpy as np
import pytest
from click.testing import CliRunner

from raters import examples
from raters.cli import cli
from raters.errors import RatersError


@pytest.fixture(params=["abcde"])
def file(request, tmp_path):
    path = tmp_path / "labels.csv"
    rows = [[int(c) for c in word] for word in examples.FLEISS_1971.split()]
    with path.open("w", newline="", encoding="utf-8") as out:
        writer = csv.writer(out)
        writer.writerow(["item", "rater", "label"])
        writer.writerows(
            (f"p{i}", f"r{j}", request.param[v - 1]) for i, row in enumerate(rows) for j, v in enumerate(row)
        )
    return str(path)


def run(*arguments):
    return CliRunner().invoke(cli, list(arguments), catch_exceptions=False)


def test_krr_command(file):
    text = run("krr", file, "--k", "3", "--resamples", "100", "--scale", "nominal")
    assert text.exit_code == 0 and " ".join(text.output.split()).startswith(
        "The reliability of the majority of 3 labels (split halves) is 0.5"
    )
    assert "IRR (k = 1)" in text.output
    told = json.loads(run("krr", file, "--k", "3", "--curve", "--resamples", "100", "--format", "json").output)
    assert told["schema"] == 1 and [e["k"] for e in told["estimates"]] == [1, 2, 3]
    assert {"method", "aggregate", "extrapolated", "low"} <= set(told["estimates"][2])
    beyond = run("krr", file, "--k", "9", "--resamples", "100")
    assert "extrapolated" in beyond.output
    split = run("krr", file, "--curve", "--method", "split", "--interval", "none", "--format", "csv")
    assert len(split.stdout.splitlines()) == 4
    two = run("krr", file, "--against", file, "--k", "2", "--interval", "none", "--replications", "20")
    assert "two replications" in two.output
    with pytest.raises(RatersError, match="allows k up to 3"):
        run("krr", file, "--k", "4", "--method", "split")
    assert run("krr", file, "--k", "0").exit_code == 2


@pytest.mark.parametrize("file", ["aaabb"], indirect=True)
def test_plan_command(file, tmp_path):
    text = run(
        "plan", file, "--target", "0.7", "--budget", "500", "--cost", "0.1", "--resamples", "100", "--scale", "nominal"
    )
    assert text.exit_code == 0 and " ".join(text.output.split()).startswith(
        "For a reliability of 0.7 the majority of an item's labels needs about 13 labels per item (anywhere from 5 upward;"
    )
    assert "500 buys" in text.output and "--all (the curve)" in text.output
    told = json.loads(run("plan", file, "--resamples", "100", "--format", "json").output)
    assert told["schema"] == 1 and told["target"] == 0.8 and told["sentences"] and told["curve"][0]["k"] == 1
    out = tmp_path / "plan.md"
    assert run("plan", file, "--resamples", "100", "--format", "markdown", "-o", str(out)).exit_code == 0
    assert "labels per item" in out.read_text(encoding="utf-8")
    assert run("plan", file, "--tell", "0.5").exit_code == 2


def test_more_labels_than_the_model_takes(tmp_path):
    """Where only split can serve, half of an item's labels are meant, and it is said; plan has no answer, in one
    line.
    """
    rng = np.random.default_rng(0)
    rows = [f"{i},{r},L{rng.integers(0, 3) * 30 + (i % 30)}" for i in range(90) for r in range(6)]
    path = tmp_path / "many.csv"
    path.write_text("item,rater,label\n" + "\n".join(rows))
    done = CliRunner().invoke(cli, ["krr", str(path), "--resamples", "50"])
    assert (
        done.exit_code == 0
        and "majority of 3 labels (split halves)" in done.output
        and "k = 3 instead of 6" in done.output
    )
    failed = CliRunner().invoke(cli, ["plan", str(path)])
    assert failed.exit_code != 0 and "up to 60 labels" in str(failed.exception or failed.output)
    whole = CliRunner().invoke(cli, ["krr", str(path), "--method", "bootstrap", "--resamples", "50"])
    assert "majority of 6 labels (bootstrap)" in whole.output and "and not" not in whole.output
