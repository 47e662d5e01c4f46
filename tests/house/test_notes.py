"""The catalogue of notes."""

from raters.notes.figures import FIGURES
from raters.notes.judges import JUDGES
from raters.notes.models import MODELS
from raters.notes.note import CATALOGUE
from raters.notes.reading import READING


def test_a_code_stands_in_one_file_of_the_catalogue():
    assert len(CATALOGUE) == sum(map(len, (READING, FIGURES, MODELS, JUDGES)))
