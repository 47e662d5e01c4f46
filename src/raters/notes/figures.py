"""What is said of figures and their intervals."""

from raters.notes.sentence import Sentence

FIGURES: dict[str, Sentence] = {
    "text": Sentence("{text}"),  # of an older file, or of another package
}
