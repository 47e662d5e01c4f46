"""What is said of models of raters."""

from raters.notes.sentence import Sentence

MODELS: dict[str, Sentence] = {}
