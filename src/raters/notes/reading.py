"""What is said of how a table was read."""

from raters.notes.sentence import Sentence

READING: dict[str, Sentence] = {
    "looks_missing": Sentence(
        "{label:quoted} counts as a label ({n:annotation}); pass <missing={label}> if it marks a missing label",
        "assumed",
    ),
}
