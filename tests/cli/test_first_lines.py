"""The first line of every command says what was not used and what was assumed; JSON has it as values, CSV on standard
error.
"""

import json

import pytest

ROWS = [
    (f"i{i}", who, 1 + (i + (i % 4 == j)) % 3, "pq"[j % 2])
    for i in range(12)
    for j, who in enumerate(["Zoé", "ben", "Ben "])
]
SAID = (
    "Not used: 1 row (missing label).",
    "3 whole numbers were read as ordinal",
    "was read as Windows-1252",
    "raters 'Ben ', 'ben' differ only by spaces or letter case",
)
QUICK = ("--resamples", "60")
COMMANDS = {
    "agree": ("{file}", *QUICK), "agree by rater": ("{file}", "--per", "rater", *QUICK), "krr": ("{file}", "--k", "2", *QUICK),
    "plan": ("{file}", *QUICK), "consensus": ("{file}", "--model", "majority"), "xrr": ("{file}", "--pool", "pool", *QUICK),
    "judge": ("{file}", "--judges", "Zoé", *QUICK), "look": ("{file}",),
}  # fmt: skip
FIGURES = "; as codes, "


@pytest.fixture(scope="module")
def coded(tmp_path_factory):
    path = tmp_path_factory.mktemp("first") / "codes.csv"
    rows = "".join(f"{a},{b},{c},{d}\n" for a, b, c, d in ROWS)
    path.write_text(f"item,rater,label,pool\n{rows}i3,ben,,p\n", encoding="cp1252")
    return path


def call(run, name, file, *more):
    return run(name.split()[0], *(a.format(file=file) for a in COMMANDS[name]), *more)


@pytest.mark.parametrize("name", COMMANDS)
def test_text(run, coded, name):
    code, out, err = call(run, name, coded)
    assert code == 0, err
    assert all(said in out for said in SAID), out
    assert name == "look" or SAID[0] in " ".join(out.splitlines()[:6]), "rows that are lost stand by the answer"
    assert (FIGURES in out) == (name != "look"), "look computes nothing"


@pytest.mark.parametrize("name", COMMANDS)
def test_json(run, coded, name):
    code, out, err = call(run, name, coded, "--format", "json")
    assert code == 0, err
    for found in json.loads(out)["assumed"]:
        assert all(said in found["text"] for said in SAID[1:])
        assert (found["scale"], found["scale_given"]) == ("ordinal", False)
        assert found["scale_reason"] == "assumed: 3 distinct whole numbers"
        assert found["other_scale"]["scale"] == "nominal"
        both = found["other_scale"]["krippendorff"], found["other_scale"]["krippendorff_as_read"]
        assert both == (None, None) if name == "look" else both[0] < both[1]
        assert len(found["notes"]) == 2
    assert "Not used: 1 row" in json.loads(out)["not_used"]


@pytest.mark.parametrize("name", COMMANDS)
def test_csv(run, coded, name):
    code, out, err = call(run, name, coded, "--format", "csv")
    assert code == 0 and "Not used" not in out
    assert all(said in err for said in SAID)


@pytest.mark.parametrize("form", ["markdown", "latex"])
def test_other_formats(run, coded, form):
    first = call(run, "agree", coded, "--format", form)[1].splitlines()[0]
    assert all(said in first.replace("\\", "") for said in (SAID[0], SAID[1], FIGURES))


def test_commands_that_write_files(run, coded, tmp_path):
    for args in (("convert", coded, "-o", tmp_path / "long.csv"), ("fold", coded, "-o", tmp_path / "x.fold")):
        code, out, err = run(*args)
        assert code == 0 and all(said in out for said in SAID), out + err
    code, out, err = run("agree", coded, "--paper", "--interval", "none")
    assert code == 0 and all(said in err for said in SAID) and "Not used" not in out
    code, out, err = run("report", coded, "-o", tmp_path / "r.json", "--format", "json", "--resamples", "60")
    made = json.loads((tmp_path / "r.json").read_text())
    assert code == 0 and all(said in made["not_used"] for said in SAID) and made["assumed"][0]["scale"] == "ordinal"


def test_a_scale_that_was_given_is_no_assumption(run, coded):
    first = call(run, "agree", coded, "--scale", "ordinal", "--encoding", "cp1252")[1].splitlines()[0]
    assert "were read as" not in first and "Windows" not in first
    found = json.loads(call(run, "agree", coded, "--scale", "nominal", "--format", "json")[1])["assumed"][0]
    assert found["scale_given"] and found["other_scale"] is None


def test_a_layout_that_was_recognised_and_decimal_commas(run, tmp_path):
    path = tmp_path / "w.csv"
    rows = "".join(f"{i};{2 + i % 3},5;{2 + i % 3},0;{2 + (i + 1) % 3},5\n" for i in range(9))
    path.write_text(f"id;Ann;Bob;Cem\n{rows}")
    said = run("agree", path, "--rater", "Ann,Bob,Cem", "--interval", "none")[1]
    assert "Read as one column per rater: 'Ann', 'Bob', 'Cem'. Items named by column 'id'" in said
    assert "--rater Ann,Bob." in said and "have decimal commas" in said and "interval (assumed: " in said
    code, out, _ = run(
        "agree", path, "--rater", "Ann,Bob,Cem", "--interval", "none", "--anonymize", "--key", tmp_path / "key.csv"
    )
    assert code == 0 and not any(name in out for name in ("Ann", "Bob", "Cem")), "names are for the key alone"


def test_what_differs_between_two_tables_is_said_of_each(run, coded, tmp_path):
    other = tmp_path / "other.csv"
    other.write_text("item,rater,label\n" + "".join(f"{a},{b},{c}\n" for a, b, c, _ in ROWS))
    out = run("agree", coded, "--against", other, *QUICK)[1]
    assert "Not used of codes.csv: 1 row" in " ".join(out.splitlines()[:4]) and "3 whole numbers were read" in out
    assert "[1] The text is not UTF-8" in out
