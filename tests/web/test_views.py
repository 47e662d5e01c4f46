"""Views show the figures of the library, of whatever part of a table the address names."""

import csv
import json
import re
import sys
from html import unescape

import pytest

import raters
from raters import examples
from raters.reporting import context
from raters.reporting.document import cell_text
from raters.reporting.table_answer import sentence
from raters.reporting.verdict import first_of_verdict, verdict
from raters.web import views
from raters.web.state import READING, State, state_of
from raters.web.views import Session

EVIL = "<script>alert(1)</script>"


@pytest.fixture(scope="module")
def demo(tmp_path_factory):
    path = tmp_path_factory.mktemp("web") / "demo.csv"
    frame = examples.demo().to_columns()
    lines = [",".join(frame)] + [",".join(map(str, row)) for row in zip(*frame.values(), strict=True)]
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.fixture(scope="module")
def session(demo):
    return Session([str(demo)], "demo.csv", lambda stage: None)


def made(session, view, state=None, more=None):
    kind, found = session.answer(view, state or State(), more)
    assert kind == "done", found
    return found


def text(html):
    return " ".join(re.sub(r"<[^>]+>", " ", html).split())


def test_the_overview_has_the_verdict_of_the_report(session, demo):
    report = raters.report(raters.read(demo))
    found = text(made(session, "overview")["html"])
    for line in (report.verdict.headline, *(f.shown for f in report.verdict.figures), report.verdict.first.title):
        assert " ".join(line.split()).replace("'", "&#39;") in found


def test_the_first_figure_is_there_before_a_model_is_fitted(demo, monkeypatch):
    """The draft of the overview has the figure, the interval and the beginning of the sentence of the whole."""
    told = []
    session = Session([str(demo)], "demo.csv", told.append)
    later = {"html": ""}

    def no_model(c, sections):
        assert not {"fit", "curve", "why"} & set(vars(c)), "the draft waited for them"
        later.update([x for x in told if isinstance(x, dict)][-1])
        return verdict(c, sections)

    monkeypatch.setattr(views, "verdict", no_model)
    for state in (State(), State(without=("dev",))):
        monkeypatch.setattr(views, "verdict", no_model if not state.without else verdict)
        whole = text(made(session, "overview", state)["html"])
        draft = unescape(text([x for x in told if isinstance(x, dict)][-1]["html"]))
        c, whole = session.context(state), unescape(whole)
        first = first_of_verdict(c)
        assert first.headline.rstrip(".") in whole and first.figures[0].text in whole
        assert first.headline in draft and first.figures[0].text in draft and "First:" not in draft
        assert ("all: " in draft) == bool(state.without)
    assert later["html"]


@pytest.mark.parametrize("view", ["where", "raters", "items"])
@pytest.mark.parametrize("alike", [False, True])
def test_a_view_is_drawn_before_a_model_is_fitted(demo, tmp_path, monkeypatch, view, alike):
    """The draft has the rows of the whole, and says nothing that a model may take back."""
    path, told, fits = demo, [], []
    if alike:
        path = tmp_path / "alike.csv"
        rows = (f"i{i},r{j},{'xy'[(i + (j == i % 7)) % 2]}" for i in range(60) for j in range(4))
        path.write_text("item,rater,label\n" + "\n".join(rows) + "\n")
    session, fit = Session([str(path)], "x.csv", told.append), context.consensus
    monkeypatch.setattr(context, "consensus", lambda *x, **y: fits.append(len(told)) or fit(*x, **y))
    whole = made(session, view)["html"]
    at = next(i for i, x in enumerate(told) if isinstance(x, dict))
    assert len(fits) == 1 and at < fits[0]
    draft = told[at]["html"]
    (answer, *_), (said, *_) = (re.findall(r"<h1[^>]*>(.*?)</h1>", x) for x in (draft, whole))
    assert answer == (views.BESIDE if view == "raters" and alike else said)
    assert draft.count("<article") == whole.count("<article")
    assert draft.count('<th scope="row"') == whole.count('<th scope="row"')
    assert (view != "raters") == ("Model:" in whole) and "Model:" not in draft
    made(session, view, State(find="1"))
    assert sum(isinstance(x, dict) for x in told) == 1, "there is a model by now"


def test_leaving_raters_out_is_reading_without_their_rows(session, demo):
    state = State(without=("dev",))
    rows = [line for line in demo.read_text().splitlines() if ",dev," not in line]
    other = demo.with_name("without.csv")
    other.write_text("\n".join(rows) + "\n")
    e = raters.agreement(raters.read(other))
    found = made(session, "overview", state)
    assert cell_text(e)[:4] in text(found["html"]) and "chosen after a look are optimistic" in found["html"]
    assert session.context(state).table["krippendorff"].value == pytest.approx(e.value, abs=1e-12)


def test_a_report_without_some_raters_says_so_first(session):
    state = State(without=("dev",), slice="topic=price")
    said = "Left out by hand after a look, so the figures are optimistic: dev. Only items with topic price."
    made_ = made(session, "download", state, ("report.json", ()))
    assert json.loads(made_)["not_used"].startswith(said)
    for name in ("report.html", "onepage.html", "report.md"):
        assert said in made(session, "download", state, (name, ())).decode(), name


def test_groups_of_raters_are_rows_of_buttons(tmp_path):
    path = tmp_path / "groups.csv"
    rows = [
        f"i{i},{r},{'yn'[(i * j) % 5 == 0]},{'old' if j < 2 else 'new'}"
        for i in range(40)
        for j, r in enumerate("abcd")
    ]
    path.write_text("item,rater,label,group\n" + "\n".join(rows) + "\n")
    session = Session([str(path)], "groups.csv", lambda stage: None)
    html = made(session, "items")["html"]
    assert re.search(r'without=c&amp;without=d"[^>]*>old<', html) and re.search(
        r'without=a&amp;without=b"[^>]*>new<', html
    )
    assert "<option selected>group</option>" in html


def test_a_cell_lists_the_items_on_which_both_labels_were_given(session, demo):
    ann = raters.read(demo)
    frame = ann.to_columns()
    given = {}
    for item, label in zip(frame["item"], frame["label"], strict=True):
        given.setdefault(item, set()).add(label)
    both = [i for i, labels in given.items() if {ann.labels[0], ann.labels[2]} <= labels]
    found = made(session, "where", State(cell="0-2"))["html"]
    assert f"{len(both)} items" in text(found)
    assert made(session, "where", State(cell="9-9")) and made(session, "where", State(cell="x"))


def test_a_cell_compared_with_chance_is_its_share_over_that_of_the_label(session, demo):
    ann = raters.read(demo)
    per = {}
    for item, label in zip(*(ann.to_columns()[x] for x in ("item", "label")), strict=True):
        per.setdefault(item, []).append(label)
    pairs = [(a, b, 1 / (len(x) - 1)) for x in per.values() for i, a in enumerate(x) for j, b in enumerate(x) if i != j]
    one, two = ann.labels[0], ann.labels[1]

    def weight(test):
        return sum(w for a, b, w in pairs if test(a, b))

    both, row = weight(lambda a, b: (a, b) == (one, two)), weight(lambda a, b: a == one)
    ratio = both / row / (weight(lambda a, b: b == two) / weight(lambda a, b: True))
    found = made(session, "where", State(by="chance"))["html"]
    assert f'aria-label="{one} and {two}: {ratio:.2g}×' in found


def test_raters_of_an_item_stand_in_one_order(session):
    rows = re.findall(r'<article class="row">.*?</article>', made(session, "items")["html"], re.S)
    for row in rows:
        assert re.findall(r"<br>(\w+)</li>", row) == ["ana", "ben", "chi", "dev", "eli"]
    row = next(x for x in rows if "review 051" in x)
    assert "–<br>ana" in row and re.search(r"<b>negative</b><br>eli", row)  # ana gave none


def test_a_margin_is_that_of_the_command_and_a_judge_can_be_looked_at(session, demo):
    state = State(judges=("dev", "eli"), who="eli", margin=0.2, epsilon=0.2)
    found, one = (
        text(made(session, "judges", state)["html"]),
        raters.judge(raters.read(demo), judges=["dev", "eli"], margin=0.2, epsilon=0.2)[1],
    )
    assert one.verdict.replace("'", "&#39;") in found and one.alt_test.sentence in found
    assert "at most 0.2 worse" in one.verdict
    assert cell_text(one.bias[0]) in found and all(f"{n}" in found for row in one.confusion.counts for n in row)
    assert "margin" not in state.elsewhere() and "who" not in state.elsewhere()


def test_many_questions_fold_and_are_searched(tmp_path, monkeypatch):
    monkeypatch.setattr(views, "FOLDED", 3)
    path = tmp_path / "many.csv"
    heads = [f"q{i:02d}" for i in range(4, 24, 4)]
    rows = []
    for i in range(40):
        for r in range(3):
            cells = ["ab"[(i * 7 // 3 + (r == 2 and i % 20 < k and i % 2)) % 2] for k in (1, 3, 9, 14, 19)]
            rows.append(",".join([f"i{i}", "xyz"[r], *cells]))
    path.write_text(",".join(["item", "rater", *heads]) + "\n" + "\n".join(rows) + "\n")
    session = Session([str(path)], "many.csv", lambda stage: None)
    plain, every = (made(session, "questions", State(only=x))["html"] for x in ("", "all"))
    shown = re.compile(r'aria-label="Figures of (q\d+)"')
    assert "show them" in plain and "show them" not in every
    assert 0 < len(shown.findall(plain)) < len(shown.findall(every))
    found = made(session, "questions", State(find="Q1", open="q16"))["html"]
    assert sorted(shown.findall(found)) == ["q12", "q16"] and found.count('class="figure"') == 3
    assert "All about q16" in found


def test_notes_name_the_controls_of_the_page(session):
    said = made(session, "reading")["html"] + made(session, "overview")["html"]
    assert "scale=" not in re.sub(r'(href|action|value|src)="[^"]*"|<pre>.*?</pre>', "", said)


def test_a_note_beside_the_controls_says_what_was_seen_and_only_else_what_to_pass(tmp_path):
    path = tmp_path / "codes.csv"
    rows = [f"i{i},r{j},{['low', 'mid', 'n/a', 'low;mid'][(i * (j + 1)) % 4]}" for i in range(40) for j in range(3)]
    path.write_text("item,rater,label\n" + "\n".join(rows) + "\n")
    session = Session([str(path)], "codes.csv", lambda stage: None)
    said = unescape(text(made(session, "reading")["html"]))
    assert re.search(r"'n/a' counts as a label \(\d+ annotations\) ", said) and "missing:" not in said
    assert "look like several labels in one cell; pass scale='sets', sep=';'" in said  # no control for these


def test_items_are_searched_sorted_and_in_pages(session):
    first = made(session, "items")["html"]
    assert (
        first.count('<article class="row">') == 25
        and first.count(">decide</a>") == 25
        and 'rel="next"' in first
        and 'rel="prev"' not in first
    )
    found = text(made(session, "items", State(find="review 051"))["html"])
    assert "1 item with" in found and "review 051 ·" in found
    assert "0 items with" in text(made(session, "items", State(find="nothing like it' OR 1=1 --"))["html"])
    assert "review 001 ·" in text(made(session, "items", State(sort="name"))["html"])
    assert made(session, "items", State(page=10**6))


def test_items_stand_by_certainty_and_are_those_that_split_by_group(tmp_path):
    path = tmp_path / "camps.csv"
    rows = [
        f"i{i},{r},{'yn'[i % 3 == 0 if r in 'abc' else i % 3 == 1 or (i * j) % 7 == 1]},{'old' if r in 'abc' else 'new'}"
        for i in range(45)
        for j, r in enumerate("abcdef")
    ]
    path.write_text("item,rater,label,group\n" + "\n".join(rows) + "\n")
    ann, session = raters.read(path), Session([str(path)], "camps.csv", lambda stage: None)
    given = {}
    for row in rows:
        item, _, label, side = row.split(",")
        given.setdefault(item, {}).setdefault(side, set()).add(label)
    apart = {i for i, x in given.items() if len(x["old"]) == len(x["new"]) == 1 and x["old"] != x["new"]}
    found = made(session, "where", State(cell="0-1", only="split"))["html"]
    assert 0 < len(apart) <= views.PAGE and f"split by group {len(apart)}<" in found
    assert {f"i{n}" for n in re.findall(r'aria-label="decide i(\d+)"', found)} == apart
    assert "In each row: new, then old." in text(found)
    fit = raters.consensus(ann)
    sure = dict(zip(map(str, fit.items), fit.certainty, strict=True))
    shown = re.findall(r'aria-label="decide (\w+)"', made(session, "items", State(sort="settled"))["html"])
    assert [sure[x] for x in shown] == sorted(sure.values())[: views.PAGE]


def test_raters_stand_by_any_column_those_who_stand_out_first(session, demo):
    estimates = {e.name: e for e in raters.per_rater(raters.read(demo))}

    def order(sort):
        html = made(session, "raters", State(sort=sort))["html"]
        return re.findall(r'<th scope="row"><a href="[^"]*who=(\w+)', html), html

    by_name, _ = order("0")
    assert by_name == sorted(estimates)
    by_alpha, html = order("3")
    assert by_alpha == sorted(estimates, key=lambda n: estimates[n].value) and html.count("aria-sort") == 1
    first, html = order("")
    assert first[0] == "dev" and "aria-sort" not in html
    rest = sorted(first[1:], key=lambda n: estimates[n].observed)
    assert first[1:] == rest and f"{1 - estimates['dev'].observed:.0%}" in html


def test_a_message_to_a_rater_names_items_on_which_the_others_agree(session):
    found = made(session, "raters", State(who="dev"))["html"]
    letter = re.search(r"<textarea[^>]*>(.*?)</textarea>", found, re.S)[1]
    assert "Hello dev" in letter and letter.count("You said") == 10
    assert "- review 010: Half of what others ask for it. I would buy it again.\n" in letter
    assert "Hello" not in made(session, "raters", State(who="nobody"))["html"]


def test_hostile_labels_and_names_are_text_in_every_view(tmp_path):
    path = tmp_path / "evil.csv"
    cells = [(f"{EVIL}{i}", f"{EVIL}{j}", f"{EVIL}{(i + j % 2) % 3}") for i in range(12) for j in range(4)]
    path.write_text("item,rater,label\n" + "\n".join(",".join(f'"{x}"' for x in row) for row in cells) + "\n")
    session = Session([str(path)], f"{EVIL}.csv", lambda stage: None)
    for view in ("overview", "where", "raters", "items", "judges", "reading"):
        state = State(judges=(f"{EVIL}0",), who=f"{EVIL}1", cell="0-1", find=EVIL)
        found = made(session, view, state)["html"]
        assert "<script" not in found and "&lt;script" in found


def project(folder, hidden=(), without=()):
    """Three raters mark words of two documents in brat; they differ on 'Kurt Schork', on EVIL and on a label."""
    texts = {"one": f"Kurt Schork came to\nFreetown {EVIL}", "two": "Freetown is in Sierra Leone"}
    for rater in {"ann", "bob", "cem"} - set(without):
        marks = {"one": [(0, 4 if rater == "bob" else 11, "PER"), (20, 28, "LOC")]}
        marks["one"] += [(29, 29 + len(EVIL), "X")] if rater == "ann" else []
        marks["two"] = [(0, 8, "ORG" if rater == "cem" else "LOC"), (15, 27, "LOC")]
        (folder / rater).mkdir(parents=True)
        for name, found in marks.items():
            kept = [x for x in found if x[2] not in hidden]
            lines = [f"T{n}\t{x} {s} {e}\t{texts[name][s:e]}" for n, (s, e, x) in enumerate(kept, 1)]
            (folder / rater / f"{name}.txt").write_text(texts[name])
            (folder / rater / f"{name}.ann").write_text("\n".join(lines) + "\n")
    return folder


@pytest.fixture(scope="module")
def marked(tmp_path_factory):
    return project(tmp_path_factory.mktemp("spans") / "marks")


def test_spans_have_the_figures_of_the_library_and_show_who_marked_what(marked):
    session = Session([str(marked)], "marks", lambda stage: None)
    assert session.answer("overview", State(), None) == ("spans", "")
    html = made(session, "spans")["html"]
    found = raters.read(marked)
    for name, same in (("exact", ""), ("overlap", "overlap")):
        e = raters.agreement(found, name)
        shown = text(made(session, "spans", State(same=same))["html"])
        assert sentence(e) in shown
    assert "<script" not in html and "&lt;script" in html and "came to\n<span" in html
    said = text(html)
    assert "ann, cem : Kurt Schork PER" in said and "bob : Kurt PER" in said and "bob, cem : nothing" in said
    other = text(made(session, "spans", State(doc="two", kind="label"))["html"])
    assert "1 place" in other and "cem : Freetown ORG" in other


def test_labels_and_raters_of_spans_are_left_out_as_if_they_were_not_there(marked):
    session = Session([str(marked)], "marks", lambda stage: None)
    two = text(made(session, "spans", State(without=("bob",), hidden=("X",)))["html"])
    other = project(marked.with_name("less"), hidden=("X",), without=("bob",))
    assert cell_text(raters.agreement(raters.read(other), "exact")) in two
    kind, why = session.answer("spans", State(without=("ann", "bob", "cem")), None)
    assert kind == "failed" and "no document was seen by two raters" in why


def test_several_questions_are_a_row_each_with_the_verdict_of_each(tmp_path):
    head = ["article", *(f"{q}_{r}" for q in ("same", "tone") for r in ("Ann", "Ben", "Cem"))]
    rows = [
        [f"q{i}", *["no" if i % 3 else "yes"] * 3, *("abc"[(i + j * (i % 2)) % 3] for j in range(3))] for i in range(60)
    ]
    path = tmp_path / "two.csv"
    path.write_text("\n".join(map(",".join, [head, *rows])) + "\n")
    session = Session([str(path)], "two.csv", lambda stage: None)
    assert session.answer("overview", State(), None)[0] == "questions"
    found = text(made(session, "questions")["html"])
    assert "Of 2 questions, 1 is reliable, 1 too low." in found
    for q in ("same", "tone"):
        report = raters.report(raters.read(path, question=q))
        assert cell_text(report.verdict.figures[0].estimate) in found
        assert report.verdict.headline in text(made(session, "overview", State(question=q))["html"])
    assert {"same", "tone"} <= set(
        json.loads(made(session, "download", State(), ("report.json", ())))["data"]["questions"]
    )


def test_the_consensus_is_that_of_the_library_with_and_without_decisions(session, demo):
    ann = raters.read(demo)
    fit = raters.consensus(ann)
    name, open_ = min(zip(fit.items, fit.certainty, strict=True), key=lambda x: x[1])
    found = text(made(session, "consensus", more=())["html"])
    n = int((fit.certainty >= 0.99).sum())
    assert (
        f"{n} of 200 items ({n / 200:.0%}) are settled" in found and f"{name} {fit.labels[name]} {open_:.0%}" in found
    )
    assert f"settled {n}" in found and "What to label next" in found
    other = next(x for x in map(str, ann.labels) if x != fit.labels[name])
    known = raters.consensus(ann, gold={name: other})
    told = text(made(session, "consensus", State(gold=1, find=name), ((name, other),))["html"])
    assert f"{name} {other} 100%" in told and "1 decision of yours is taken as known" in told
    assert f"settled {int((known.certainty >= 0.99).sum())} " in text(
        made(session, "consensus", State(gold=1), ((name, other),))["html"]
    )
    rows = list(csv.DictReader(made(session, "download", State(), ("consensus.csv", ())).decode().splitlines()))
    assert {r["item"]: r["label"] for r in rows} == {str(i): str(x) for i, x in fit.labels.items()}
    tasks = json.loads(made(session, "download", State(), ("next-label_studio.json", ())))
    assert [x["data"]["item"] for x in tasks[:2]] == [r.item for r in raters.next_labels(fit, 2, ask="new")]


def test_pictures_lists_and_documents_are_files_of_their_kind(session):
    starts = {"tables.xlsx": b"PK", "report.docx": b"PK", "meeting.xlsx": b"PK", "report.html": b"<!DOCTYPE"}
    starts |= {
        "onepage.html": b"<!DOCTYPE",
        "picture-raters-raters.svg": b"<svg",
        "picture-raters-raters.png": b"\x89PNG",
        "next.csv": b"item",
    }
    for name, start in starts.items():
        assert made(session, "download", State(), (name, ())).startswith(start), name
    for name in ("picture-raters-none.svg", "picture-x-raters.svg", "picture-..-x.svg"):
        assert session.answer("download", State(), (name, ()))[0] == "failed"
    linked = set(re.findall(r"download/([^?]+)\?", made(session, "raters")["html"]))
    assert {"picture-raters-raters.svg", "picture-raters-raters.png"} <= linked


def test_a_missing_extra_says_what_to_install(session, monkeypatch):
    monkeypatch.setitem(sys.modules, "docx", None)
    kind, why = session.answer("download", State(), ("report.docx", ()))
    assert kind == "failed" and "pip install 'raters[office]'" in why


def test_what_cannot_be_read_is_said_where_it_can_be_changed(tmp_path):
    path = tmp_path / "none.csv"
    path.write_text("a,b\n1,2\n")
    session = Session([str(path)], "none.csv", lambda stage: None)
    kind, why = session.answer("overview", State(), None)
    assert kind == "unread" and "Traceback" not in why and str(tmp_path) not in why
    found = made(session, "reading")
    assert "<dl" not in found["html"] and "<select" in found["html"]


def test_the_reading_of_an_address_is_that_of_the_command(session):
    state = state_of(
        [
            ("item", "item"),
            ("rater", "rater"),
            ("label", "label"),
            ("scale", "ordinal"),
            ("labels", "negative|neutral|positive"),
        ]
    )
    found = made(session, "reading", state)
    assert (
        "--scale ordinal --labels &#39;negative,neutral,positive&#39;" in found["html"]
        or "--labels negative,neutral,positive" in found["html"]
    )
    assert str(session.table(state).scale) == "ordinal"


def test_a_tool_s_export_is_not_shown_by_its_columns(tmp_path):
    path = tmp_path / "project.json"
    tasks = [
        {
            "id": i,
            "data": {"text": f"message {i}"},
            "annotations": [
                {
                    "completed_by": who,
                    "result": [
                        {
                            "type": "choices",
                            "from_name": "x",
                            "to_name": "text",
                            "value": {"choices": ["ab"[i * who % 2]]},
                        }
                    ],
                }
                for who in (1, 2, 3)
            ],
        }
        for i in range(20)
    ]
    path.write_text(json.dumps(tasks))
    found = made(Session([str(path)], "project.json", lambda stage: None), "reading")["html"]
    assert "an export of Label Studio" in found and "completed_by" not in found and 'name="role"' not in found


def test_an_address_says_all_and_old_ones_are_harmless():
    state = state_of([("without", "a"), ("without", "b"), ("target", "2"), ("k", "x"), ("page", "-1"), ("junk", "1")])
    assert state == State(without=("a", "b"))
    names = [name for name, _ in State(who="x", at="y", find="z").pairs()]
    assert not set(names) & set(READING)  # what is looked at is never taken for how the file is read
    again = state_of([tuple(x) for x in state.pairs()])
    assert again == state and state.toggled("a") == ("b",) and state.toggled("c") == ("a", "b", "c")


def test_views_are_small(session):
    assert all(len(made(session, view)["html"]) < 100_000 for view in ("overview", "where", "raters", "items"))
