"""brat: standoff files next to texts. All annotations are spans and relations."""

import re
from collections.abc import Sequence

from raters.io.exports.answers import Export
from raters.io.exports.documents import Document
from raters.io.exports.glance import Glance

LINE = re.compile(r"^(?:[TREAMN#]\d+|\*)\t", re.MULTILINE)


def sniff(g: Glance) -> bool:
    """Lines that start with the id of an annotation and a tab; an empty .ann file also counts."""
    return g.name.endswith(".ann") and (not g.text.strip() or bool(LINE.match(g.text)))


def read(documents: Sequence[Document]) -> Export:
    """Count the marked spans and relations."""
    return Export([], sum(len(LINE.findall(d.text())) for d in documents))
