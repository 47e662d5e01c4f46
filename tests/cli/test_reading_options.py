"""What the command line says of the file: raters as rows, the period of a circle, the format of the input."""

import json

import pytest

import raters
from raters.cli.command import words_of
from raters.cli.options import INPUT_FORMAT, LAYOUT, SCALE
from raters.inference.intervals import METHODS
from raters.options import declared
from raters.options.option import rows

JSON = ("--format", "json", "--interval", "none")


def values(out):
    return {e["name"]: e["value"] for e in json.loads(out)["estimates"]}


def test_raters_as_rows(run, tmp_path):
    path = tmp_path / "wide.csv"
    path.write_text("rater,q1,q2,q3,q4\nann,1,2,3,1\nbob,1,2,2,1\n", encoding="utf-8")
    code, out, err = run("agree", path, "--layout", "wide", "--raters-as", "rows", "--scale", "nominal", *JSON)
    assert code == 0, err
    want = raters.agreement(
        raters.read([[1, 1], [2, 2], [3, 2], [1, 1]], layout="wide", scale="nominal"), interval=None
    )
    assert values(out)["krippendorff"] == pytest.approx(want.value) and json.loads(out)["data"]["n_raters"] == 2


def test_period(run, tmp_path):
    path = tmp_path / "hours.csv"
    hours = [(23, 1), (12, 12), (6, 7), (18, 17), (0, 23)]
    path.write_text(
        "item,rater,label\n" + "".join(f"{i},a,{x}\n{i},b,{y}\n" for i, (x, y) in enumerate(hours)), encoding="utf-8"
    )
    found = [
        values(run("agree", path, "--scale", "circular", *more, *JSON)[1])["krippendorff"]
        for more in ((), ("--period", "24"), ("--period", "48"))
    ]
    ann = raters.read(path, scale="circular", period=48)
    assert found[2] == pytest.approx(raters.agreement(ann, interval=None).value) and found[1] != found[2]


def test_the_format_of_the_input_is_not_that_of_the_output(run, file, tmp_path):
    odd = tmp_path / "labels.dat"
    odd.write_bytes(file.read_bytes())
    assert run("agree", odd, *JSON)[0] == 2
    code, out, _ = run("agree", odd, "--input-format", "csv", *JSON)
    assert code == 0 and values(out) == values(run("agree", file, *JSON)[1])


@pytest.mark.parametrize("command", [("krr", "--k", "1", "--aggregate", "median", "--method", "split"), ("xrr",)])
def test_distance(run, tmp_path, command):
    path = tmp_path / "numbers.csv"
    path.write_text(
        "item,rater,label\n"
        + "".join(f"{i},{r},{(i * 3 + (i + j) % 3) % 7}\n" for i in range(12) for j, r in enumerate("abcd")),
        encoding="utf-8",
    )
    files = (path, path, "--names", "x,y") if command[0] == "xrr" else (path,)
    name, *more = command
    given = [run(name, *files, *more, "--scale", "interval", *d, *JSON) for d in ((), ("--distance", "absolute"))]
    assert [code for code, _, _ in given] == [0, 0] and given[0][1] != given[1][1]


def test_choices_are_those_of_the_registries():
    from raters.io.read import LAYOUTS
    from raters.io.sources.files import READERS
    from raters.reliability.krr.methods import METHODS as KRR
    from raters.scales import Scale

    assert SCALE.choices == tuple(Scale) and LAYOUT.choices == LAYOUTS and INPUT_FORMAT.choices == tuple(READERS)
    options = rows(declared.Krr)
    assert set(words_of(options["interval"]).choices) == {"auto", "none", *METHODS}
    assert words_of(options["method"]).choices == tuple(KRR)
