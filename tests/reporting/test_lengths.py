"""How long reports are, on made tables: words on the page, on paper, and how often a sentence is said."""

import csv
import re
import shutil
from collections import Counter
from html.parser import HTMLParser

import numpy as np
import pytest
from click.testing import CliRunner

import raters
from raters.cli import cli

LABELS = ("no", "yes"), ("negative", "neutral", "positive"), ("climate", "health", "migration", "other")


class Words(HTMLParser):
    """The words of a page without its style and pictures: those folded away, and the others; what is said in sentences, which
    are not in cells of tables, nor what one pastes.
    """

    def __init__(self, page):
        super().__init__()
        self.skipped = self.folded = 0
        self.texts, self.said, self.part, self.cells = [], [], "", 0
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.skipped += tag in ("style", "svg", "head")
        self.folded += tag == "details"
        self.cells += tag in ("td", "th", "pre")
        if tag == "section" and "id" in dict(attrs):
            self.part = dict(attrs)["id"]

    def handle_endtag(self, tag):
        self.skipped -= tag in ("style", "svg", "head")
        self.folded -= tag == "details"
        self.cells -= tag in ("td", "th", "pre")

    def handle_data(self, data):
        if not self.skipped:
            self.texts.append((self.part, bool(self.folded), data))
            self.said += [] if self.cells else [data]

    def count(self, part=None, folded=None):
        return sum(len(d.split()) for p, f, d in self.texts if part in (None, p) and folded in (None, f))


def repeated(texts):
    """Sentences of six words or more that are said twice."""
    said = [s.strip() for text in texts for s in re.split(r"(?<=[.!?])\s+", " ".join(text.split()))]
    return [s for s, n in Counter(s for s in said if len(s.split()) >= 6).items() if n > 1]


def crowd(n, who, each, labels, seed=1, ordered=False):
    rng = np.random.default_rng(seed)
    good = rng.uniform(0.55, 0.95, who)
    rows = []
    for i in range(n):
        truth = rng.integers(len(labels))
        for j in rng.choice(who, each, replace=False):
            near = int(np.clip(truth + rng.choice((-1, 0, 1)), 0, len(labels) - 1))
            x = truth if rng.random() < good[j] else near if ordered else rng.integers(len(labels))
            rows.append((f"item {i}", f"r{j:03}", labels[x], f"Sentence {i} about a film that people went to see"))
    return {name: [row[k] for row in rows] for k, name in enumerate(("item", "rater", "label", "text"))}


def questions(path, n, items=120):
    rng = np.random.default_rng(n)
    names = [f"question {k + 1}" for k in range(n)]
    with path.open("w", newline="") as file:
        out = csv.writer(file)
        out.writerow(["article", "coder", "text", *names])
        truth = rng.integers(0, 60, (items, n))
        for i in range(items):
            for who in ("Ann", "Ben", "Cem"):
                row = []
                for k in range(n):
                    labels = LABELS[k % 3]
                    right = rng.random() < 0.5 + 0.5 * k / n
                    row.append(labels[(truth[i, k] if right else rng.integers(60)) % len(labels)])
                out.writerow([f"a{i:03}", who, f"Article {i} about what happened", *row])
    return path


@pytest.fixture(scope="module")
def small():
    return raters.report(raters.read(crowd(200, 5, 5, LABELS[1]), scale="nominal"), resamples=200)


def asked(folder, n):
    path = questions(folder / "articles.csv", n)
    args = ["report", path, "--item", "article", "--rater", "coder", "--text", "text", "--resamples", "100", "-o"]
    done = CliRunner().invoke(cli, [*map(str, args), str(folder / "r.html")], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return (folder / "r.html").read_text(), done.output


def test_one_question(small):
    words = Words(small.html())
    assert words.count(folded=False) <= 1300 and words.count() <= 3200
    assert not repeated(words.said) and not repeated(small.text().split("\n\n"))


def test_many_raters_on_an_ordered_scale():
    ann = raters.read(crowd(300, 262, 8, (1, 2, 3, 4, 5), ordered=True), scale="ordinal")
    words = Words(raters.report(ann, resamples=100).html())
    assert words.count(folded=False) <= 1800 and words.count() <= 4200
    assert not repeated(words.said)


def test_nine_questions_are_one_table_and_their_files_in_one_folder(tmp_path):
    page, said = asked(tmp_path, 9)
    words = Words(page)
    assert all(words.count(f"q{k}") <= 600 for k in range(1, 10)) and 9 * 600 + 3200 > words.count() > 1000
    assert len(said.splitlines()) <= 60 and max(map(len, said.splitlines()[:-3])) <= 80
    files = {p.name for p in (tmp_path / "r-tables").iterdir()}
    assert "question_1-where-hardest.csv" in files and not list(tmp_path.glob("r-*.csv"))
    top = page[: page.index("<main")]
    assert not repeated(Words(top).said)


@pytest.mark.long("load")
def test_twenty_questions(tmp_path):
    assert Words(asked(tmp_path, 20)[0]).count() <= 15_000


@pytest.fixture(scope="module")
def printed():
    sync = pytest.importorskip("playwright.sync_api")
    with sync.sync_playwright() as p:
        where = shutil.which("chromium") or shutil.which("chromium-browser")
        browser = p.chromium.launch(executable_path=where, args=["--no-sandbox"])
        page = browser.new_page()

        def pages(html):
            page.set_content(html)
            return len(re.findall(rb"/Type\s*/Page[^s]", page.pdf(format="A4", prefer_css_page_size=True)))

        yield pages
        browser.close()


@pytest.mark.browser
def test_on_paper(small, printed):
    """Six pages with details closed, more with them; and the page to send around is one."""
    from dataclasses import replace

    whole = replace(small, made={**small.made, "print_details": True})
    assert printed(small.html()) <= 6
    assert printed(small.html()) < printed(whole.html())
    assert printed(small.html(one_page=True)) == 1


@pytest.mark.browser
@pytest.mark.parametrize("name", ["sets", "numbers", "two", "long"])
def test_one_page_is_one_page_whatever_was_labelled(name, printed):
    rows = [(f"i{i}", r, (i * 7 + (i % 4 == 0) * j) % 3) for i in range(40) for j, r in enumerate("abc")]
    long = " ".join(["a very long sentence about nothing at all"] * 60)
    made = {
        "sets": lambda: raters.simulate.multilabel(40, seed=1).annotations(),
        "numbers": lambda: raters.read([(i, r, x + 0.5) for i, r, x in rows], scale="interval"),
        "two": lambda: raters.read([(i, r, f"label {x}") for i, r, x in rows if r != "c"], scale="nominal"),
        "long": lambda: raters.read(
            {
                "item": [f"{i} {long}" for i, _, _ in rows],
                "rater": [f"{r} {long}" for _, r, _ in rows],
                "label": [f"{x} {long}" for _, _, x in rows],
                "text": [long for _ in rows],
            },
            scale="nominal",
        ),
    }[name]()
    assert printed(raters.report(made, resamples=50).html(one_page=True)) == 1


def test_one_page_holds_the_task_a_picture_three_items_and_a_price(small):
    from raters.errors import UsageError
    from raters.reporting.one_page import one_page
    from raters.reporting.report import together

    page = one_page(small)
    assert page.title.startswith("Negative, neutral or positive? ") and page.picture is not None
    assert [card.text[:8] for card in page.items] == ["Sentence"] * 3
    assert page.decision == small.verdict.first and "people's time" in page.price
    html = small.html(one_page=True)
    assert html.count("<svg") == 2 and "<script" not in html
    with pytest.raises(UsageError, match="one question"):
        one_page(together({"a": small, "b": small}, "x"))
