"""Every typed case of the oracle through every written form and back: the units are the same."""

import pytest
from span_projects import cases, project

import raters
from raters.cli import of_spans
from raters.spans.units import Unit, spans

pytestmark = pytest.mark.shared


def units(found, none=None):
    """Units as plain values; ``none``: what a form that needs a label calls no label."""
    rows = [(u.document, u.rater, u.start, u.end, u.label or none, u.parts[1:] and u.parts) for u in found.units()]
    return sorted(rows, key=str)


@pytest.fixture(scope="module")
def projects(oracles_dir):
    return {name: c["project"] for name, c in cases(oracles_dir).items() if "project" in c}


def seen_in(given):
    return [(d, r) for d, about in given["documents"].items() for r in about["raters"]]


@pytest.mark.parametrize("form", ["frame", "csv", "parquet", "jsonl", "convert"])
def test_as_a_table(projects, tmp_path, form):
    for name, given in projects.items():
        found, path = project(given), tmp_path / f"x.{form}"
        table = found.to_frame()
        if not found.n_units and form not in ("frame", "parquet"):
            continue  # a file without rows is refused
        if form == "convert":
            of_spans.convert(found, None, path := tmp_path / "x.csv", True)
        elif form == "csv":
            table.to_csv(path, index=False)
        elif form == "parquet":
            table.to_parquet(path)
        elif form == "jsonl":
            table.to_json(path, orient="records", lines=True)
        again = raters.read(table if form == "frame" else path, seen=seen_in(given))
        assert units(again) == units(found) and again.n_views == found.n_views, name


@pytest.mark.parametrize("form", ["jsonl", "csv", "brat"])
def test_as_a_consensus_of_two_who_agree(projects, tmp_path, form):
    """What a rater marked is settled where a second one marked the same, and is written so."""
    for k, (name, given) in enumerate(projects.items()):
        found, seen = project(given), seen_in(given)
        if {u.rater for u in found.units()} != set(found.raters):
            continue  # a file without units is refused
        (folder := tmp_path / str(k)).mkdir()
        for who in found.raters:
            documents = [d for d, r in seen if r == who]
            texts = {
                d: t for d, t in zip(found.documents, found.texts, strict=True) if t is not None and d in documents
            }
            both = [
                Unit(u.document, r, u.start, u.end, u.label, u.parts)
                for u in found.units() if u.rater == who for r in (who, "second")
            ]  # fmt: skip
            two = spans(both, [(d, r) for d in documents for r in (who, "second")], texts=texts)
            of_spans.consensus(two, None, "text", folder / (who if form == "brat" else f"{who}.{form}"), True)
        again = raters.read(
            folder if form == "brat" else sorted(folder.iterdir()), seen=None if form == "brat" else seen
        )
        assert units(again, "none") == units(found, "none"), name
