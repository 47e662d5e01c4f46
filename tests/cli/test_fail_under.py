"""``raters agree --fail-under``: the exit code of a check."""

import json
import re

import pytest
from commands import FAST


@pytest.mark.parametrize(
    "given, code",
    [
        (["0.3"], 0),
        (["0.99"], 1),
        (["krippendorff=0.3"], 0),
        (["krippendorff=0.99"], 1),
        (["krippendorff:low=0.1"], 0),
        (["krippendorff:low=0.599"], 1),  # the value is above, its lower limit is not
        (["0.3", "percent=0.9999"], 1),
        (["percent=0.5", "gwet=0.3"], 0),
        (["-2"], 0),
    ],
)
def test_fail_under(run, file, given, code):
    args = [x for g in given for x in ("--fail-under", g)]
    got, out, err = run("agree", file, *args, *FAST)
    assert got == code and out
    assert bool(err) == bool(code) and err.count("\n") == code
    if code:
        assert re.search(r"raters: .* is 0\.\d{4}, below", err)


def test_fail_under_brings_its_coefficient_along(run, file):
    code, out, _ = run("agree", file, "-c", "fleiss", "--fail-under", "gwet=0.99", "--format", "json", *FAST)
    assert code == 1 and [e["name"] for e in json.loads(out)["estimates"]] == ["fleiss", "gwet"]
    code, _, err = run("agree", file, "--per", "rater", "--fail-under", "fleiss=0.99", *FAST)
    assert code == 1 and "and 2 more" in err


def test_fail_under_looks_at_every_slice(run, file):
    code, _, err = run("agree", file, "--by", "topic", "--fail-under", "0.5", *FAST)
    assert code == 1 and "p is" in err
    assert run("agree", file, "--by", "topic", "--fail-under", "0.1", *FAST)[0] == 0


def test_fail_under_does_not_pass_for_want_of_a_figure(run, file):
    """Each rater against the others by conger is cohen's kappa: nothing there is of conger."""
    code, _, err = run("agree", file, "--per", "rater", "--fail-under", "conger=0.1", *FAST)
    assert code == 2 and "this table has no conger" in err


def test_fail_under_fails_on_the_undefined(run, tmp_path, file):
    path = tmp_path / "one.csv"
    path.write_text("item,rater,label\n1,a,x\n1,b,x\n2,a,x\n2,b,x\n")
    code, _, err = run("agree", path, "--fail-under", "-5")
    assert code == 1 and "undefined" in err
    assert run("agree", path, "--fail-under", "percent=1")[0] == 0
    code, _, err = run("agree", file, "--interval", "none", "--fail-under", "krippendorff:low=0.1")
    assert code == 1 and "the lower limit of krippendorff is undefined" in err


@pytest.mark.parametrize("given", ["much", "nan", "kapa=0.5", "fleiss:high=0.5", "fleiss:low", "="])
def test_fail_under_that_cannot_be_read(run, file, given):
    code, out, err = run("agree", file, "--fail-under", given)
    assert code == 2 and not out and "[COEFFICIENT[:low]=]NUMBER" in err and err.count("\n") == 1


def _two(tmp_path, wrong):
    paths = []
    for name, each in zip(("good", "bad"), wrong, strict=True):
        rows = [f"{i},{p},{'xy'[(i + (p == 'b' and i % each == 0)) % 2]}" for i in range(120) for p in "ab"]
        paths.append(tmp_path / f"{name}.csv")
        paths[-1].write_text("item,rater,label\n" + "\n".join(rows) + "\n", encoding="utf-8")
    return paths


def test_beside_another_table_the_gate_is_of_the_file(run, tmp_path):
    """The other table may be below; the difference is a gate of its own."""
    good, bad = _two(tmp_path, (12, 3))
    gate = ("--fail-under", "krippendorff=0.6", *FAST)
    assert run("agree", good, "--against", bad, *gate)[0] == 0
    code, _, err = run("agree", bad, "--against", good, *gate)
    assert code == 1 and "is 0.3" in err
    for first, second, want in ((good, bad, 0), (bad, good, 1)):
        code, _, err = run("agree", first, "--against", second, "--fail-under", "difference:low=-0.05", *FAST)
        assert code == want and ("the lower limit of difference" in err) == bool(want)
    assert run("agree", good, "--against", bad, "--fail-under", "gwet=0.6", *FAST)[0] == 0
    code, _, err = run("agree", good, "--fail-under", "difference=0", *FAST)
    assert code == 2 and "there is no difference without --against" in err


def test_the_checks_as_junit(run, tmp_path):
    good, bad = _two(tmp_path, (12, 3))
    args = ("--fail-under", "0.6", "--fail-under", "percent=0.5", "--format", "junit", *FAST)
    code, out, _ = run("agree", good, *args)
    assert code == 0 and 'tests="2" failures="0"' in out
    code, out, _ = run("agree", bad, *args)
    assert code == 1 and 'tests="2" failures="1"' in out and "<failure message=" in out
    code, _, err = run("agree", good, "--format", "junit", *FAST)
    assert code == 2 and "say which" in err
