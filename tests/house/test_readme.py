"""The README keeps its promises: short examples that run, links that lead somewhere, a page for every claim of its
table.
"""

import csv
import re
from pathlib import Path

from click.testing import CliRunner
from openpyxl import Workbook

from raters.cli import cli

REPOSITORY = Path(__file__).resolve().parents[2]
README = (REPOSITORY / "README.md").read_text(encoding="utf-8")
LINKED = [*REPOSITORY.glob("*.md"), *(p for p in (REPOSITORY / "docs").rglob("*.md") if not {"reference", "_build"} & set(p.parts))]  # fmt: skip


def slug(heading):
    """The anchor of a heading, as GitHub and the documentation make it."""
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")


def anchors(path):
    text = re.sub(r"^```.*?^```", "", path.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
    return {slug(h) for h in re.findall(r"^#+ (.*)$", text, re.MULTILINE)}


def links(text):
    """Where the inline links and the link definitions of a page lead, code left out."""
    text = re.sub(r"^```.*?^```|`[^`\n]*`", "", text, flags=re.DOTALL | re.MULTILINE)
    return re.findall(r"\]\(([^)\s]+)\)", text) + re.findall(r"^\[[^\]]+\]: (\S+)$", text, re.MULTILINE)


def test_every_link_leads_to_a_page_and_to_a_heading_of_it():
    lost = []
    for page in LINKED:
        for link in links(page.read_text(encoding="utf-8")):
            if "://" in link or link.startswith("mailto:"):
                continue
            path, _, anchor = link.partition("#")
            target = (page.parent / path).resolve() if path else page
            made = {"reference", "_build"} & set(target.parts)  # written when the documentation is built
            if not made and (not target.exists() or (anchor and anchor not in anchors(target))):
                lost.append((page.name, link))
    assert not lost


def comparison():
    page = (REPOSITORY / "docs" / "coming-from.md").read_text(encoding="utf-8")
    rows = [line for line in page.split("## How it compares")[1].split("\n## ")[0].splitlines() if line[:1] == "|"]
    return [[cell.strip() for cell in row.strip("|").split("|")] for row in rows]


def test_every_claim_of_the_comparison_has_its_page():
    head, _, *body = comparison()
    assert head[1:] == ["raters", "krippendorff", "irrCAC", "statsmodels", "crowd-kit"] and len(body) > 5
    for name, *cells in body:
        assert all(re.search(r"\]\(|\]\[\w+\]", cell) or cell == "-" for cell in cells), name


def test_the_readme_is_short():
    assert len(README.split()) < 600


def blocks(language):
    return re.findall(rf"```{language}\n(.*?)```", README.split("## Three ways to start")[1], re.DOTALL)


def test_the_three_examples_have_at_most_five_lines():
    examples = [*blocks("sh")[:2], *blocks("python")]
    assert len(examples) == 3 and all(len(block.splitlines()) <= 5 for block in examples)


def test_the_readme_says_in_one_screen_what_it_is():
    before = README.split("![")[0]
    assert len(before.splitlines()) <= 20 and "make report" in before and "make test" in before


def test_the_commands_of_the_readme_run(tmp_path, monkeypatch):
    """On files of the names it uses, as small as they can be: two coders, three people and a model."""
    monkeypatch.chdir(tmp_path)
    book = Workbook()
    for row in [("id", "Ann", "Ben"), *((f"t{i}", "ab"[i % 2], "ab"[i % 7 % 2]) for i in range(24))]:
        book.active.append(row)
    book.save("codings.xlsx")
    for name, raters in (("people", ("ann", "ben", "cy")), ("gpt", ("gpt",))):
        with open(f"{name}.csv", "w", newline="", encoding="utf-8") as out:
            rows = [(f"t{i}", r, "ab"[(i + (i + len(r)) // 9) % 2]) for i in range(40) for r in raters]
            csv.writer(out).writerows([("item", "rater", "label"), *rows])
    commands = [line.split(" #")[0].split() for block in blocks("sh") for line in block.splitlines()]
    commands = [words for words in commands if words[0] == "raters"]
    assert len(commands) == 6
    for _, *words in commands:
        done = CliRunner().invoke(cli, words)
        assert done.exit_code == 0, (words, done.output)
