"""Documentation that falls behind fails here: coefficients, weights, commands, options, and the README's examples."""

import re
from pathlib import Path

import pytest
from click import Option

from raters.cli import COMMANDS, Commands
from raters.cli.command import words_of
from raters.cli.options import COEFFICIENT
from raters.coefficients import REGISTRY
from raters.inference.intervals import METHODS
from raters.options.declared import Weighing
from raters.options.option import rows
from raters.scales import DISTANCES, SET_DISTANCES, SET_WEIGHTS, WEIGHTS
from raters.spans.measures import MEASURES

REPOSITORY = Path(__file__).resolve().parents[2]
WRITTEN = [p for p in sorted((REPOSITORY / "docs").rglob("*.md")) if not {"reference", "_build"} & set(p.parts)]
DOCS = {path.name: path.read_text(encoding="utf-8") for path in WRITTEN}
ALL = "\n".join(DOCS.values())
README = (REPOSITORY / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", REGISTRY)
def test_every_coefficient_has_its_row_and_its_paper(name):
    page = DOCS["coefficients.md"]
    assert f"| `{name}` |" in page
    paper = REGISTRY[name].paper.replace("&", "").split()
    assert all(word.strip(",") in page for word in paper)


def table(heading):
    """The rows of the tables under a heading of the page on coefficients, up to the next heading."""
    part = re.split(r"^#+ ", DOCS["coefficients.md"].split(f"# {heading}\n")[1], maxsplit=1, flags=re.MULTILINE)[0]
    return re.findall(r"^\| `(\w+)` \|", part, re.MULTILINE)


def test_every_weight_and_every_distance_has_its_formula():
    assert sorted(table("Weights")) == sorted(WEIGHTS)
    assert sorted(set(table("Distances")) - {"ordinal"}) == sorted(DISTANCES)  # ordinal: counts decide


def test_every_coefficient_says_whom_to_cite():
    for name, row in REGISTRY.items():
        assert bool(row.bibtex) == bool(row.paper), name
        assert not row.paper or row.paper.split()[-1] in row.bibtex or row.paper.split(",")[0][-4:] in row.bibtex, name


def test_every_interval_is_explained():
    for name in set(METHODS) - {"auto"}:
        assert f'`"{name}"`' in DOCS["intervals.md"]


def test_the_command_line_offers_what_the_library_has():
    assert COEFFICIENT.choices == (*REGISTRY, *MEASURES)
    assert words_of(rows(Weighing)["weights"]).choices == (*WEIGHTS, *SET_WEIGHTS)
    assert words_of(rows(Weighing)["distance"]).choices == (*DISTANCES, *SET_DISTANCES)


def commands():
    group = Commands()
    return {name: group.get_command(None, name) for name in COMMANDS}


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_and_option_is_documented(name):
    assert f"raters {name}" in ALL
    options = [p for p in commands()[name].params if isinstance(p, Option)]
    names = {max(p.opts, key=len) for p in options}
    assert {n for n in names if f"{n}`" not in ALL and f"{n} " not in ALL and f"{n}=" not in ALL} == set()


def test_the_page_of_the_command_line_names_the_options_that_commands_have():
    """Under its heading, or among the common ones, each option of a command; and none that it does not have."""
    page = re.split(r"^## ", DOCS["cli.md"], flags=re.MULTILINE)
    parts = {part.splitlines()[0].strip("`").removeprefix("raters "): part for part in page[1:]}
    common = set(re.findall(r"--[a-z][a-z-]+", parts["Common options"]))
    for name, command in commands().items():
        options = [p for p in command.params if isinstance(p, Option)]
        every = {o for p in options for o in (*p.opts, *p.secondary_opts)}
        said = set(re.findall(r"(?<![\w-])--[a-z][a-z-]*", parts[name]))
        said -= {"--help"}
        assert said <= every, f"raters {name} has no {said - every}"
        missing = {max(p.opts, key=len) for p in options if not set(p.opts) & (said | common)}
        assert not missing, f"docs/cli.md does not name {missing} of raters {name}"


def test_every_option_has_a_word_of_help_or_says_its_choices():
    for name, command in commands().items():
        for p in command.params:
            assert not isinstance(p, Option) or p.help or p.type.name == "choice", (name, p.name)


def test_every_page_is_in_the_table_of_contents():
    listed = "\n".join(text for name, text in DOCS.items() if name == "index.md")
    index = (REPOSITORY / "docs" / "index.md").read_text(encoding="utf-8") + listed
    for path in (REPOSITORY / "docs").glob("*.md"):
        assert path.stem == "index" or path.stem in index, path.name


def snippets(text):
    return re.findall(r"```python\n(.*?)```", text, re.DOTALL)


def test_the_snippets_of_the_readme_run(tmp_path, monkeypatch, capsys):
    """In one go, as a reader would type them, beside a labels.csv with the columns that they name."""
    monkeypatch.chdir(tmp_path)
    labels, grades = ("bad", "ok", "good"), range(36)
    lines = ["doc,worker,answer,topic,round"]
    for i in grades:
        for w in ("ann", "ben", "cy"):
            for r in (1, 2):
                if w == "ann" or r == 1 + i % 2:
                    lines.append(
                        f"d{i},{w if r == 1 else w + '2'},{labels[(i + (i % 5 == 0) * (w == 'ben')) % 3]},{'xy'[i % 2]},{r}"
                    )
    Path("labels.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    scope: dict = {}
    assert snippets(README)
    for code in snippets(README):
        exec(compile(code, "README.md", "exec"), scope)
    out = capsys.readouterr().out
    assert "Krippendorff" in out and "settled" in out
