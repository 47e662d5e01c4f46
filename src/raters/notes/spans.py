"""What is said of spans: units that raters marked in documents."""

from raters.notes.sentence import Sentence

SPANS: dict[str, Sentence] = {
    "every_rater_saw_all": Sentence(
        "assumed that all {raters:rater} saw every document in which anybody marked something; <seen> says who saw what",
        "assumed",
    ),
    "offsets_read": Sentence("offsets were read as {reading} ({fit:,} of {n:,} units fit their words)", "assumed"),
    "offsets_fit_none": Sentence(
        "the words of {n:unit} are not what the text has at their offsets (such as {words:quoted} for {text:quoted});"
        " offsets were kept"
    ),
    "words_without_end": Sentence("units end where their words end: start + length", "detail"),
    "as_windows": Sentence("{file} is not UTF-8 and was read as Windows-1252", "assumed"),
    "parts_are_documents": Sentence(
        "each file is a rater; its {n:part} between -DOCSTART- or blank lines {n:is the document|are the documents}",
        "assumed",
    ),
    "as_pygamma": Sentence(
        "read as pygamma does: rater, label, start, end of one document, which ends at {end:,}", "assumed"
    ),
    "other_texts": Sentence("{n:document} {n:has|have} other texts for other raters"),
    "not_of_the_tool": Sentence("{n:file} beside them {n:was|were} not read ({files:listed})", "assumed"),
    "unit_columns": Sentence(
        "document = {document!r}, rater = {rater!r}, start = {start!r}, end = {end!r}, label = {label!r}; other columns:"
        " {others:listed 3}",
        "assumed",
    ),
    "views_from_rows": Sentence("a rater with any row for a document saw it", "assumed"),
    "spans_beside_labels": Sentence(
        "{n:other question} in the file: {others:listed}; <question={first}> reads another", "assumed"
    ),
    "no_shared_document": Sentence(
        "no document was seen by two raters ({documents:document}, {raters:rater}), so nothing can be compared",
        "undefined",
    ),
    "nobody_marked": Sentence("nobody marked anything in a document that two raters saw", "undefined"),
    "no_texts": Sentence(
        "tokens need the texts of documents; {n:document} has none, such as {document!r}", "undefined"
    ),
    "stacked_units": Sentence(
        "units of one rater overlap, and {name} needs one label a character; u_boundary, gamma and F1 take such units",
        "undefined",
    ),
    "no_lengths": Sentence("the lengths of documents are not known ({n:document}), and {name} needs them", "undefined"),
    "texts_differ": Sentence(
        "{n:document} {n:has|have} other texts for other raters, so {name} cannot compare their characters", "undefined"
    ),
    "one_label_marked": Sentence(
        "fewer than two labels where two raters marked something, so labels could not differ", "undefined"
    ),
    "all_marked_alike": Sentence("all characters are alike (all blank, or all of one label)", "undefined"),
    "few_documents": Sentence(
        "no interval: it needs {least} {unit}s with spans, and there {n:is|are} {n}", "undefined"
    ),
    "one_document_matters": Sentence("no interval: without one {unit} the figure is undefined", "undefined"),
    "few_documents_for_labels": Sentence("under {limit} documents the interval of cu may miss a true value near 1"),
    "too_few_for_splits": Sentence(
        "the consensus of {k:rater} and of as many others needs {needed:rater} of a document, and there are at most {most}",
        "undefined",
    ),
    "no_chance": Sentence("overlap by chance needs the lengths of documents", "detail"),
    "fewer_pivots": Sentence("overlap by chance is from fewer random turns of long documents", "detail"),
    "gamma_by_offsets": Sentence(
        "the lengths of documents are not known: gamma draws within the first and the last offset of each"
    ),
    "too_many_alignments": Sentence(
        "gamma would need more than a million alignments; this is the mean of gamma over pairs of raters"
    ),
    "many_pairs": Sentence("{raters:rater} make {pairs:,} pairs"),
}
"""Units, views, and the figures of spans."""
