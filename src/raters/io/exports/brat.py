"""brat: standoff files beside texts. All its annotations are spans and relations."""

import re
from collections.abc import Sequence

from raters.io.exports.answers import Export
from raters.io.exports.documents import Document
from raters.io.exports.glance import Glance

LINE = re.compile(r"^(?:[TREAMN#]\d+|\*)\t", re.MULTILINE)


def sniff(g: Glance) -> bool:
    """Lines with the id of an annotation and a tab; an empty .ann file is one as well."""
    return g.name.endswith(".ann") and (not g.text.strip() or bool(LINE.match(g.text)))


def read(documents: Sequence[Document]) -> Export:
    """Count what is marked."""
    return Export([], sum(len(LINE.findall(d.text())) for d in documents))
