"""Raters are people: no command that was asked to hide their names shows one."""

import csv
import json
import random
import stat

import pytest

from raters.notes import note as notes
from raters.notes.sentence import Sentence

PEOPLE = ["Marta-Quist", "Olu-Adeyemi", "Chen-Wei", "Dana-Frisk", "Emil-Zorn", "Fay-Ibsen", "Gus-Tove"]


@pytest.fixture(scope="module")
def people(tmp_path_factory):
    """Seven raters; five of one city, one each of two others; who labels what twice is there too."""
    rng = random.Random(3)
    path = tmp_path_factory.mktemp("people") / "labels.csv"
    with path.open("w", encoding="utf-8") as f:
        f.write("item,rater,label,city,email,topic\n")
        for i in range(30):
            for r, who in enumerate(PEOPLE):
                label = "xy"[i % 2] if rng.random() < 0.8 else rng.choice("xy")
                f.write(
                    f"i{i},{who},{label},{'Oslo' if r < 5 else ('Bergen', 'Vik')[r - 5]},{who}@example.org,{'pq'[i % 2]}\n"
                )
        f.write(f"i0,{PEOPLE[0]},x,Oslo,{PEOPLE[0]}@example.org,p\n")
    return path


COMMANDS = {
    "agree": ["--resamples", "20", "--duplicates", "first"],
    "agree by city": ["--by", "city", "--resamples", "20", "--duplicates", "first"],
    "agree by email": ["--by", "email", "--resamples", "20", "--duplicates", "first"],
    "agree per rater": ["--per", "rater", "--resamples", "20", "--duplicates", "first"],
    "agree repeats": [],
    "consensus": ["--next", "3"],
    "krr": ["--k", "2", "--resamples", "20", "--duplicates", "first"],
    "plan": ["--resamples", "20", "--duplicates", "first"],
    "xrr": ["--pool", "city", "--resamples", "20", "--duplicates", "first"],
    "multilabel": ["--sep", ";", "--resamples", "20", "--duplicates", "first"],
    "report": ["--pool", "city", "--resamples", "20"],
}


@pytest.mark.parametrize("name", COMMANDS)
def test_no_command_shows_a_name(run, tmp_path, people, name):
    key = tmp_path / "apart" / "key.csv"
    key.parent.mkdir()
    args = [*COMMANDS[name], "--anonymize", "--key", key, "--format", "json"]
    if name != "report":
        code, out, err = run(name.split()[0], people, *args)
        shown = out + err
    else:
        code, out, err = run("report", people, *args[:-2], "-o", tmp_path / "x.html", "--tables", tmp_path / "all")
        files = [
            p for p in [*tmp_path.glob("*"), *(tmp_path / "all").glob("*")] if p.suffix in (".html", ".csv", ".svg")
        ]
        shown = out + err + "".join(p.read_text(encoding="utf-8") for p in files)
    refused = name in ("agree repeats", "xrr")  # the first by the repeat; the second has one pool left
    assert code == (2 if refused else 0), err
    assert not [who for who in PEOPLE if who in shown]
    assert "Bergen" not in shown and "Vik" not in shown.replace("Viking", ""), "a city of one rater names them"
    if not refused:
        assert stat.S_IMODE(key.stat().st_mode) == 0o600
        with key.open(encoding="utf-8", newline="") as file:
            head, *rows = csv.reader(file)
        assert head == ["code", "rater"] and sorted(who for _, who in rows) == sorted(PEOPLE)


def test_one_person_has_one_code_in_all_that_is_written(run, tmp_path, people):
    key = tmp_path / "key.csv"
    first = run("agree", people, "--anonymize", "--key", key, *COMMANDS["agree per rater"])[1]
    before = key.read_bytes()
    assert run("agree", people, "--anonymize", "--key", key, *COMMANDS["agree per rater"])[1] == first
    run("consensus", people, "--anonymize", "--key", key)
    assert key.read_bytes() == before
    more = tmp_path / "more.csv"
    more.write_text(people.read_text().replace(PEOPLE[0], "New-Name"))
    run("agree", more, "--anonymize", "--key", key, *COMMANDS["agree"])
    added = key.read_text().splitlines()
    assert set(before.decode().splitlines()) < set(added) and len(added) == 9


def test_the_order_of_codes_is_not_that_of_a_seed(run, tmp_path, people):
    keys = []
    for i in range(6):
        run("agree", people, "--anonymize", "--key", tmp_path / f"{i}.csv", *COMMANDS["agree"])
        keys.append((tmp_path / f"{i}.csv").read_bytes())
    assert len(set(keys)) > 1


def test_where_the_key_goes_must_be_said_and_what_is_no_key_stays(run, tmp_path, people):
    code, _, err = run("agree", people, "--anonymize", *COMMANDS["agree"])
    assert code == 2 and "--key FILE" in err
    other = tmp_path / "other.csv"
    other.write_text("mine\n")
    code, _, err = run("agree", people, "--anonymize", "--key", other, *COMMANDS["agree"])
    assert code == 2 and "is not a key" in err and other.read_text() == "mine\n"


def test_a_cell_is_never_smaller_than_asked_for(run, tmp_path, people):
    args = ["--anonymize", "--key", tmp_path / "k.csv", "--format", "json"]
    out = run("agree", people, *args, *COMMANDS["agree by city"])[1]
    assert "fewer than 5 raters" in out
    out = run("agree", people, *args, *COMMANDS["agree by city"], "--least-raters", "1")[1]
    assert "Bergen" in out and "Marta" not in out


class Facts(dict):
    """Sentences of a reworded catalogue: each shows every fact of its note."""

    def vformat(self, text, args, facts):
        return f"{text} {facts!r}" if "FACTS" in text else text


@pytest.fixture
def reworded(monkeypatch):
    """Every note says something else, and all that it knows."""
    monkeypatch.setattr(notes, "CATALOGUE", {c: Sentence("FACTS", s.level) for c, s in notes.CATALOGUE.items()})
    monkeypatch.setattr(notes, "WORDS", Facts())


def of_long_rows(folder):
    rows = [f"i{i},{who},{'xy'[(i * r) % 3 % 2]}" for i in range(12) for r, who in enumerate(PEOPLE)]
    again = [f"i{i},{PEOPLE[0].lower()} ,x" for i in range(12)]
    (folder / "a.csv").write_text("item,rater,label\n" + "\n".join([*rows, *again]) + "\n")
    return folder / "a.csv"


def of_columns(folder):
    """A column for each rater, two of them with numbers and words."""
    cells = ["1", "2", "one", "2"]
    rows = [",".join([f"i{i}", *(cells[(i + r * (i % 5 == 0)) % 4] for r in range(7))]) for i in range(40)]
    (folder / "a.csv").write_text("item," + ",".join(PEOPLE) + "\n" + "\n".join(rows) + "\n")
    return folder / "a.csv"


def of_questions(folder):
    """A column for each rater and question: the raters are parts of names."""
    head = ["item", *(f"{who}_{asked}" for who in PEOPLE for asked in ("tone", "stance"))]
    rows = [
        [f"i{i}", *(x for r in range(7) for x in (["warm", "cold"][(i * r) % 3 % 2], ["pro", "con"][(i + r) % 2]))]
        for i in range(40)
    ]
    (folder / "a.csv").write_text("\n".join(map(",".join, [head, *rows])) + "\n")
    return folder / "a.csv"


def of_mixed_names(folder):
    """JSON in which some raters are numbers: the note about their column has examples."""
    people = [*PEOPLE, 4711]
    rows = [
        {"item": i, "rater": who, "label": "xy"[(i * r) % 3 % 2]} for i in range(12) for r, who in enumerate(people)
    ]
    (folder / "a.jsonl").write_text("\n".join(map(json.dumps, rows)) + "\n")
    return folder / "a.jsonl"


def of_sheets(folder):
    """A folder of tables, one for each rater."""
    for r, who in enumerate(PEOPLE):
        rows = [f"i{i},{'xy'[(i * r) % 3 % 2]}" for i in range(12)]
        folder.joinpath("all").mkdir(exist_ok=True)
        (folder / "all" / f"{who}.csv").write_text("item,label\n" + "\n".join(rows) + "\n")
    return folder / "all"


TABLES = (of_long_rows, of_columns, of_questions, of_mixed_names, of_sheets)


@pytest.mark.parametrize("table", TABLES)
def test_names_are_hidden_by_facts_and_not_by_words(run, tmp_path, reworded, table):
    path = table(tmp_path)
    asked = ("--question", "tone") if table is of_questions else ()
    key = ("--anonymize", "--key", tmp_path / "key.csv", "--resamples", "20", *asked)
    shown = {}
    for form in ("text", "json", "markdown", "csv"):
        code, out, err = run("agree", path, *key, "--format", form)
        assert code == 0, err
        shown[f"agree {form}"] = out + err
    for form in ("html", "json", "txt"):
        code, out, err = run("report", path, *key, "-o", tmp_path / f"as-{form}.{form}")
        assert code == 0, err
        shown[f"report {form}"] = out + err + (tmp_path / f"as-{form}.{form}").read_text(encoding="utf-8")
    assert any("FACTS" in text for text in shown.values())
    for form, text in shown.items():
        found = [who for who in (*PEOPLE, "4711") if who.lower() in text.lower()]
        assert not found, (form, found)


@pytest.mark.parametrize(("label", "more"), [("inf", []), ("7", ["--scale", "nominal", "--labels", "1,2"])])
def test_errors_name_the_item_alone(run, tmp_path, label, more):
    table = tmp_path / "labels.csv"
    table.write_text(f"item,rater,label\na,{PEOPLE[0]},1\na,{PEOPLE[1]},2\nb,{PEOPLE[0]},{label}\nb,{PEOPLE[1]},1\n")
    plain, hidden = (run("agree", table, *more, *how)[2] for how in ([], ["--anonymize", "--key", tmp_path / "k.csv"]))
    assert f"first: item 'b', rater '{PEOPLE[0]}'" in plain
    assert "first: item 'b'" in hidden and not any(who in hidden for who in PEOPLE)
