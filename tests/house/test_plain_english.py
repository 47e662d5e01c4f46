"""Text that users read is plain English: the worst turns of phrase of earlier versions do not come back."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
REFUSED = {
    r"\bforetell|\bforetold": "predict",
    r"\bflatters?\b": "is optimistic",
    r"\b(are|is|be|was|were) had\b": "obtained",
    r"\b(draws?|drawn|drawing|fitted|counted|assumed) \w* ?anew\b": "resampled, refitted",
    r"\bwhat to say of\b": "a note about",
    r"\btakes? such raters for\b|\btaken for each other\b": "confused",
    r"\bgo on\b(?! to)": "continue",
    r"\bguessed, and said\b|, and said\b": "inferred and reported",
    r"\bBeside it, that\b": "also reports",
    r"\btoo sure\b": "overconfident",
    r"\berrs? together\b": "make the same errors",
    r"\bhas been passed by\b|\b(was|were|are) passed (by|over)\b": "skipped, discarded",
    r"\b(is|are) no (number|key|row)\b": "is not a ...",
    r"\bdo not go together\b": "cannot be combined",
    r"\b(label|rater|person|system|class) only\b(?! (in|on|if|the))": "only one ...",
    r"\bleave \w+= out\b": "omit",
    r"\b(if|where) not given\b": "if omitted",
    r"\bnever wavered\b": "consistent",
    r"\bstrangers\b": "untrusted text",
    r"\bheld against\b": "compared with",
    r"\btold apart\b": "distinguished",
    r"\bwithout a word\b|\bas ever\b|\bmatters not\b|\bgives way\b|\bwhere so\b|\bnobody can say\b": (
        "silently, always, does not matter, ..."
    ),
    r"\bwere taken as (text|numbers)\b": "were read as",
    r"\b(None|nan|-1) where\b": "None if",
    r"\bhow far labels lie apart\b|\bpositions (two labels|they) lie apart\b": "distance",
    r"\b(weighed|weighted|split|ranked) (anew|afresh)\b": "reweighted, ranked again",
    r"\b(labels|means|votes|items|cells) that are there\b|\bthere or not\b": "available, observed; present or not",
    r"\bto beware of\b": "warnings about",
    r"\bundefined (ones|values|pairs) aside\b": "without undefined values",
    r"\bnot at hand\b": "we did not have access to",
    r"\b(counts?|counted|weighs?|weighed) alike\b": "equally",
    r"\bthe same of\b": "the same for",
    r"\bgoes? further\b|\bgoes up to k\b": "allows k up to ...; for a larger k, use ...",
    r"\b(is|are|was|were) supposed (that|to)\b|\bsupposes? that\b": "assumed",
    r"\bby (the|some) road\b": "computed by",
    r"\bof one mind\b": "unanimous",
    r"\b(says?|tells?) (little|nothing|much|more|no more) of\b": "says nothing about",
    r"\btaken for (the|weak|average)\b|\bholds? (it )?for (impossible|wrong|true)\b": "mistaken for, considered",
    r"\bhow far (it|items|labels|(a|an|the|each) (label|item)) (is|are) settled\b": "how settled a label is",
}
"""A pattern of what is refused -> what to write instead."""
MADE = {"reference", "_build"}
"""Folders of pages that are made from the source, and may be of an earlier one."""
PAGES = [page for page in (ROOT / "docs").rglob("*.md") if not MADE & set(page.parts)]
FILES = sorted([*(ROOT / "src").rglob("*.py"), *PAGES, ROOT / "README.md"])


def texts(path: Path) -> list[tuple[int, str]]:
    """(line, text) of what people read in a file: strings and docstrings of code, paragraphs of pages."""
    source = path.read_text(encoding="utf-8")
    if path.suffix == ".md":
        return [(source[: m.start()].count("\n") + 1, m[0]) for m in re.finditer(r"(?:.+\n?)+", source)]
    nodes = ast.walk(ast.parse(source))
    return [(n.lineno, n.value) for n in nodes if isinstance(n, ast.Constant) and isinstance(n.value, str)]


@pytest.mark.parametrize("pattern", REFUSED)
def test_a_phrase_that_is_refused_is_not_there(pattern):
    found = [
        f"{path.relative_to(ROOT)}:{line}: {match[0]!r}"
        for path, line, text in _all()
        if (match := re.search(pattern, text))
    ]
    assert not found, f"write {REFUSED[pattern]!r} instead, in {len(found)} places: {found[:8]}"


def _all():
    if not _KNOWN:
        _KNOWN.extend((path, line, " ".join(text.split())) for path in FILES for line, text in texts(path))
    return _KNOWN


_KNOWN: list[tuple[Path, int, str]] = []


def test_the_patterns_find_what_they_refuse():
    for said in (
        "How replications are had",
        "guessed, and said, if not given",
        "so this flatters",
        "stop or go on",
        "is foretold best",
        "all labels count alike",
        "one mind, there or not",
    ):
        assert any(re.search(pattern, said) for pattern in REFUSED), said
