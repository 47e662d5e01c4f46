"""The card of a training file: what Hugging Face shows beside it, and how its ``datasets`` finds it."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from raters import __version__
from raters.annotations import Annotations
from raters.models.follow_up.training import OWN
from raters.models.result import Consensus
from raters.reporting.consensus_answer import USUAL, settled
from raters.reporting.formats import SIZES
from raters.reporting.how_read import size
from raters.words import markdown_text, printable

MEANING = {
    "label": "the consensus of the labels; empty below the threshold",
    "probability": "how probable that label is",
    "weight": "the probability again, 0 without a label: a weight for training",
    "n_labels": "how many labels the item has",
}


def card(ann: Annotations, c: Consensus, table: Mapping[str, Sequence[Any]], data: Path, place: Path) -> str:
    """The card, as a file in ``place``, of the training file ``data`` with the columns of ``table``."""
    rows = len(next(iter(table.values()), ()))
    bound = next(name for limit, name in SIZES.items() if rows < limit)
    file = json.dumps(Path(os.path.relpath(data, place.parent)).as_posix(), ensure_ascii=False)
    front = f"---\nconfigs:\n- config_name: default\n  data_files: {file}\nsize_categories:\n- {bound}\ntags:\n- annotation\n---\n"
    shares = [name for name in table if name not in OWN and name.startswith("p(")]
    kept = [name for name in table if name not in (*OWN, *shares)]
    lines = [
        *(f"- `{name}`: {MEANING[name]}" for name in OWN if name in table),
        *([f"- `p(...)`: the share of each label ({len(shares)} columns)"] if shares else []),
        f"- from the source: {', '.join(f'`{_code(name)}`' for name in kept)}",
    ]
    parts = [
        front,
        f"# Labels of {markdown_text(ann.source)}\n",
        f"{size(ann)}. {settled(c, USUAL)} The labels are the consensus by the model `{c.model}` of raters {__version__}.\n",
        "## Columns\n",
        *lines,
        "",
    ]
    return "\n".join(parts)


def _code(name: str) -> str:
    """A name between backticks.

    >>> _code("tweet_`id`")
    'tweet_id'
    """
    return printable(name).replace("`", "").replace("\n", " ")
