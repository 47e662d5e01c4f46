"""``raters xrr``."""

import csv
import io
import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from pools import irep_file, pooled

from raters.cli import cli
from raters.errors import RatersError


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    columns = pooled(n=60, pools="ab")
    names = list(columns)
    rows = list(zip(*columns.values(), strict=True))
    found = []
    for pool in ("a", "b", None):
        path = tmp_path / ("all.csv" if pool is None else f"{pool}.csv")
        with path.open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(names)
            writer.writerows(row for row in rows if pool is None or row[3] == pool)
        found.append(str(path))
    return found


def run(*arguments: str) -> Result:
    return CliRunner().invoke(cli, ["xrr", *arguments, "--resamples", "100"], catch_exceptions=False)


def test_two_files_or_one_with_a_column(files: list[str]) -> None:
    two = run(*files[:2])
    assert two.exit_code == 0
    assert two.output.startswith("a and b") and "kappa between the pools (kappa_x)  " in two.output
    told = " ".join(run(*files[:2], "--details").output.split())
    assert "The kappa between the pools (kappa_x) is " in told
    left = run(files[2], "--pool", "pool").output.split("ther columns:")[1]
    assert "'half'" in left and "'pool'" not in left
    one = run(files[2], "--pool", "pool", "--format", "json")
    told = json.loads(one.output)
    assert told["schema"] == 1 and told["data"]["n_items"] == 60
    by_name = {e["name"]: e for e in told["estimates"]}
    assert by_name["kappa_x"]["parts"] == "disagreement" and by_name["kappa_x"]["low"] < by_name["kappa_x"]["value"]
    assert told["sentence"] and told["pools"] == ["a", "b"] and told["n_shared"] > 0
    both = json.loads(run(*files[:2], "--format", "json").output)
    assert len(both["data"]["tables"]) == 2
    assert both["estimates"][0]["value"] == pytest.approx(by_name["kappa_x"]["value"])


@pytest.mark.parametrize("format_", ["text", "csv", "markdown", "latex"])
def test_per_label_in_every_format(files: list[str], format_: str) -> None:
    result = run(files[2], "--pool", "pool", "--per-label", "--interval", "none", "--format", format_)
    assert result.exit_code == 0
    if format_ == "csv":
        rows = list(csv.DictReader(io.StringIO(result.stdout)))
        assert len(rows) == 3 * 14 and {r["slice"] for r in rows} == {"u", "v", "w"}
    else:
        assert "a v. b" in result.output


def test_a_test_and_a_trusted_pool(files: list[str]) -> None:
    result = run(*files[:2], "--names", "crowd,experts", "--trusted", "experts", "--test", "50")
    assert "arrangements of raters" in result.output and "crowd" in result.output


def test_the_published_file_of_irep(tmp_path: Path) -> None:
    path = irep_file(tmp_path / "IREP_data_release.csv", n=60)
    result = run(str(path), "--schema", "irep", "--irr", "cohen", "--interval", "none")
    assert result.exit_code == 0 and result.output.startswith("12 pairs of pools.")


def test_bad_input_is_one_line(files: list[str], tmp_path: Path) -> None:
    with pytest.raises(RatersError, match="two or more tables"):
        run(files[0])
    with pytest.raises(RatersError, match="the published one"):
        run(*files[:2], "--schema", "irep")
    out = tmp_path / "out.json"
    assert run(*files[:2], "--format", "json", "-o", str(out)).exit_code == 0
    again = run(*files[:2], "-o", str(out))
    assert again.exit_code == 2 and "exists already" in again.output


def test_names_choose_pools_and_clusters_are_drawn(run, tmp_path):
    rows = ["item,rater,label,sex,page"]
    for i in range(30):
        rows += [
            f"{i},{p}{j},{'yn'[(i * 7 + j * (len(p) + i)) % 3 == 0]},{p},{i // 5}"
            for p in ("Man", "Woman", "Other")
            for j in range(2)
        ]
    path = tmp_path / "three.csv"
    path.write_text("\n".join(rows))
    code, out, err = run("xrr", path, "--pool", "sex", "--names", "Man,Woman", "--cluster", "page", "--format", "json")
    found = json.loads(out)["estimates"]
    assert code == 0 and not err
    assert {e["pool_x"] for e in found} == {"Man"} and {e["pool_y"] for e in found} == {"Woman"}
    assert {e["sampled"] for e in found} == {"clusters of page"}
    code, out, err = run("xrr", path, "--pool", "sex", "--names", "Man,Girl")
    assert code == 2 and not out and len(err.strip().splitlines()) == 1 and "there are: 'Man'" in err
