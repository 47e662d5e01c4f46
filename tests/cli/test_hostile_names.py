"""Names from a file, in every format of every command: shown, never run, sent or taken for markup."""

import csv
import io
import json
import re

import pytest

EVIL = "=HYPERLINK(1)\x1b[2J\u202e<script>alert(1)</script>|`x`\\input{y}\x9b"
"""A formula, an escape sequence, turned writing, HTML, a cell's end, code, a command of TeX, a C1 control."""
CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\u200e\u200f]")


@pytest.fixture(scope="module")
def hostile(tmp_path_factory):
    """Everything that can have a name has a hostile one, the file too."""
    path = tmp_path_factory.mktemp("names") / f"{EVIL.replace('/', '')}.jsonl"
    names = [f"{EVIL}item", f"{EVIL}rater", f"{EVIL}label", f"{EVIL}pool", f"{EVIL}other"]
    with path.open("w", encoding="utf-8") as file:
        for i in range(24):
            for r in range(4):
                label = f"{EVIL}{(i * 7 + r * (i % 3)) % 2}"
                row = [f"{EVIL}{i}", f"{EVIL}r{r}", label, f"{EVIL}p{r % 2}", f"{EVIL}{i % 2}"]
                file.write(json.dumps(dict(zip(names, row, strict=True))) + "\n")
    return path


COLUMNS = ["--item", f"{EVIL}item", "--rater", f"{EVIL}rater", "--label", f"{EVIL}label", "--scale", "nominal"]
COMMANDS = {
    "agree": ["--by", f"{EVIL}other", "--resamples", "20"],
    "agree per rater": ["--per", "rater", "--resamples", "20"],
    "consensus": ["--next", "2"],
    "krr": ["--k", "2", "--resamples", "20"],
    "plan": ["--resamples", "20"],
    "xrr": ["--pool", f"{EVIL}pool", "--by", f"{EVIL}other", "--resamples", "20"],
    "report": ["--pool", f"{EVIL}pool", "--resamples", "20"],
}
FORMATS = ("text", "csv", "markdown", "latex")


def harmless(text, format_):
    assert not CONTROL.search(text), CONTROL.search(text)
    if format_ == "csv":
        cells = [cell for row in csv.reader(io.StringIO(text)) for cell in row]
        assert not [
            c for c in cells if c[:1] in ("=", "+", "@") or (c[:1] == "-" and not re.fullmatch(r"-[\d.e-]+", c))
        ]
    if format_ in ("markdown", "html", "card"):
        assert "<script" not in text
    if format_ == "markdown":
        heads = [line for line in text.splitlines() if line.startswith("|")]
        widths = {len(re.findall(r"(?<!\\)\|", line)) for line in heads[:3]}
        assert len(widths) <= 1, "no cell ends early"
    if format_ == "latex":
        assert r"\input" not in re.sub("^%.*$", "", text, flags=re.M)


@pytest.mark.parametrize("format_", FORMATS)
@pytest.mark.parametrize("name", COMMANDS)
def test_names_of_a_file_are_shown_and_never_run(run, hostile, name, format_):
    code, out, err = run(name.split()[0], hostile, *COLUMNS, *COMMANDS[name], "--format", format_)
    assert code == 0, err
    harmless(out, format_)
    harmless(err, "text")


@pytest.mark.parametrize("ending", ["html"])
def test_names_in_a_saved_report(run, hostile, tmp_path, ending):
    path = tmp_path / f"x.{ending}"
    args = [*COLUMNS, *COMMANDS["report"], "--tables", tmp_path / "all", "-o", path]
    code, out, err = run("report", hostile, *args)
    assert code == 0, err
    harmless(out, "text")
    kinds = {"html": "html", "txt": "text", "md": "markdown", "tex": "latex", "csv": "csv"}
    harmless(path.read_text(encoding="utf-8"), kinds[ending])
    for table in (tmp_path / "all").glob("*.csv"):
        harmless(table.read_text(encoding="utf-8"), "csv")
    for chart in (tmp_path / "all").glob("*.svg"):
        harmless(chart.read_text(encoding="utf-8"), "html")


def test_json_sends_no_controls(run, hostile):
    code, out, _ = run("agree", hostile, *COLUMNS, "--per", "rater", "--format", "json", "--resamples", "20")
    assert code == 0 and not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f]", out)


def test_errors_and_the_summary_send_no_controls(run, hostile):
    for args in ([], ["--item", f"{EVIL}?"], ["--label", f"{EVIL}item"]):
        _, out, err = run("agree", hostile, *args)
        harmless(out + err, "text")


def test_what_notebooks_show_is_harmless(hostile):
    import raters

    ann = raters.read(hostile, item=f"{EVIL}item", rater=f"{EVIL}rater", label=f"{EVIL}label", scale="nominal")
    table = raters.per_rater(ann, interval=None)
    for text in (str(ann), repr(ann), ann._repr_html_(), str(table), table._repr_html_()):
        harmless(text, "text")
    assert "<script" not in ann._repr_html_() + table._repr_html_()


def test_json_escapes_what_turns_text_around_and_keeps_its_meaning():
    import json

    from raters.words import json_text

    said = json_text(json.dumps("a\u202eb\u2066c\u00e9", ensure_ascii=False))
    assert said == '"a\\u202eb\\u2066cé"' and json.loads(said) == "a\u202eb\u2066cé"
