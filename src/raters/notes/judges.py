"""What is said of judges beside people."""

from raters.notes.sentence import Sentence

JUDGES: dict[str, Sentence] = {}
