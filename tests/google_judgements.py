"""Judgements of the crowdscale challenge of 2013 (Google), of the shared test data."""

import csv
import gzip
from pathlib import Path

import raters
from raters.models.base.votes import Votes


def google(folder: Path, items: int) -> Votes:
    """The judgements of so many questions, five or more for each."""
    with gzip.open(folder / "crowdscale2013-google" / "Google.tsv.gz", "rt") as file:
        rows = [(r[0], r[1], r[2]) for r in list(csv.reader(file, delimiter="\t"))[1:]]
    some = [r for r in rows if int(r[0]) <= items]
    return Votes.of(raters.read(some, scale="nominal", duplicates="first"))
