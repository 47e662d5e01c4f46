"""Raters are people: no command that was asked to hide their names shows one."""

import csv
import random
import stat

import pytest

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
