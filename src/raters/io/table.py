"""A table as it was found, before its columns are interpreted."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from raters.engines import Source
from raters.errors import DataError, NoColumn, NotInFile, UsageError, brief, listed
from raters.notes.note import Note, either

MOST_COLUMNS = 5000
"""A wider table takes a gigabyte and half a minute to reshape; the long layout has no such limit."""


@dataclass(frozen=True)
class Table:
    """A source behind an engine. The view has ``row`` and the columns c0, c1, ... by position, so that no
    name a source gives to a column can clash with another, or with SQL.
    """

    engine: Source
    names: tuple[str, ...]  # of c0, c1, ...
    source: str  # its name in messages
    from_text: bool = False  # a text file, in which numbers are text that parses
    mixed: dict[str, Note] = field(default_factory=dict)  # name -> note about numbers and text in one column
    numbered: bool = False  # the names are only positions
    nested: tuple[str, ...] = ()  # names of columns that hold lists, written out as text
    orders: dict[str, tuple[Any, ...]] = field(default_factory=dict)  # name -> its categories, where these are ordered
    notes: tuple[Note, ...] = ()  # notes about how the file was read
    reading: Any = field(default=None, compare=False)  # how it is read, where that has been decided
    kinds: dict[str, str] = field(init=False)  # c0, c1, ... -> bool int big float text nested

    def __post_init__(self) -> None:
        lists = {self.column(name): "nested" for name in self.nested}
        object.__setattr__(self, "kinds", self.engine.kinds() | lists)

    def __len__(self) -> int:
        return len(self.names)

    def column(self, name: str) -> str:
        """The engine's name (c0, c1, ...) of a column of the source."""
        return f"c{self.names.index(name)}"

    def name(self, column: str) -> str:
        """The source's name of a column c0, c1, ..."""
        return self.names[int(column[1:])]

    def named(self) -> dict[str, str]:
        """c0, c1, ... -> name in the source."""
        return {f"c{i}": name for i, name in enumerate(self.names)}


def with_notes(table: Table, notes: tuple[Note, ...]) -> Table:
    """The table with further notes about how it was read."""
    return replace(table, notes=(*table.notes, *notes))


def positions(n: int) -> list[str]:
    """The engine's names of n columns."""
    return [f"c{i}" for i in range(n)]


def unique_names(names: Iterable[object], source: str) -> tuple[str, ...]:
    """Column names as text, with an error for duplicates."""
    found = [str(name) for name in names]
    if not found:
        raise DataError(f"{source}: the table has no columns.")
    few_columns(len(found), source)
    broken = next((name for name in found if not name.isascii() and not is_unicode(name)), None)
    if broken is not None:
        raise DataError(f"{source}: the column name {brief(broken)} is not valid Unicode text. Rename the column.")
    twice = sorted(name for name, n in Counter(found).items() if n > 1)
    if twice:
        raise DataError(f"{source}: column name {listed(twice)} occurs twice. Rename one; found: {listed(found, 20)}.")
    return tuple(found)


def again(name: str, taken: Collection[str]) -> str:
    """A name that no other column has: the second of two columns with one name gets a number.

    >>> again("tone", ["id", "tone"]), again("tone", ["id"])
    ('tone #2', 'tone')
    """
    n = 2
    while (name if n == 2 and name not in taken else f"{name} #{n}") in taken:
        n += 1
    return name if name not in taken else f"{name} #{n}"


def told_apart(names: Iterable[str]) -> list[str]:
    """Names of columns, those that recur with a number."""
    made: dict[str, int] = {}
    for name in names:
        n, own = made.get(name, 0), name
        while own in made:
            n = max(n, 1) + 1
            own = f"{name} #{n}"
        made[name] = n
        made.setdefault(own, 0)
    return list(made)


def few_columns(n: int, source: str) -> None:
    """Raise if a table has more columns than can be reshaped."""
    if n > MOST_COLUMNS:
        raise DataError(
            f"{source}: more than {MOST_COLUMNS:,} columns, the maximum. Use the long layout, with one row per"
            " annotation: item, rater, label."
        )


def is_unicode(text: str) -> bool:
    """Whether a text can be written as UTF-8; half a surrogate pair cannot."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


# Best names first; within one line, names of the same rank: two columns of one rank are ambiguous.
USUAL: dict[str, tuple[str, ...]] = {
    "item": (
        "item",
        "itemid unit unitid task taskid question questionid doc docid document documentid example exampleid",
        (
            "id origid sample sampleid instance instanceid case caseid target targetid image imageid record recordid"
            " post postid tweetid sentenceid textid object objectid segment segmentid hit hitid query queryid pair"
            " pairid stimulus stimulusid stim trial article articleid essay essayid comment commentid claim claimid"
            " utterance utteranceid dialog dialogid dialogue dialogueid conversation conversationid message messageid"
            " paragraph paragraphid clip clipid video videoid photo photoid abstract abstractid pmid statement"
            " statementid snippet snippetid passage passageid headline headlineid"
        ),
        (
            "identifiant identificador identificativo dokument dokumentid documento documentoid einheit element"
            " elemento nummer numero nr"
        ),
        (
            "subject subjectid patient patientid text sentence tweet name key uid index idx row "
            "satz texte texto testo phrase frase beitrag kommentar commentaire comentario"
        ),
    ),
    "rater": (
        "rater",
        (
            "raterid worker workerid annotator annotatorid coder coderid judge judgeid observer observerid "
            "labeler labelerid labeller labellerid reviewer reviewerid amtworkerid evaluator evaluatorid"
        ),
        (
            "user userid participant participantid participantcode person personid expert expertid turker turkerid"
            " respondent respondentid responseid assessor assessorid model modelname raterindex annotatedby completedby"
            " createdby who annotateur annotatrice codeur codeuse codierer codiererin kodierer kodiererin bewerter"
            " bewerterin beurteiler gutachter evaluateur evaluatrice juge anotador anotadora codificador codificadora"
            " evaluador evaluadora juez annotatore codificatore valutatore"
        ),
    ),
    "label": (
        "label",
        "answer rating annotation response judgment judgement labelvalue annotatorlabel vote",
        (
            "value score category class classid labelid code choice decision grade rank result sentiment stance winner"
            " verdict preference preferred etiquette etiqueta etichetta kategorie categorie categoria klasse classe"
            " clase bewertung urteil antwort reponse respuesta risposta jugement juicio giudizio codigo"
        ),
    ),
}
ROLES = ("item", "rater", "label")


def normal(name: str) -> str:
    """A name without case, accents, spaces and punctuation.

    >>> normal("Worker_ID"), normal("!amt worker-ids"), normal("Étiquette")
    ('workerid', 'amtworkerids', 'etiquette')
    """
    return re.sub(r"[^a-z0-9]", "", plain(name).lower())


def plain(name: str) -> str:
    """A name with its letters only, without accents: é is e, ß is ss.

    >>> plain("Mayoría"), plain("Maß")
    ('Mayoria', 'Mass')
    """
    if name.isascii():
        return name
    apart = unicodedata.normalize("NFKD", name.replace("ß", "ss"))
    return "".join(c for c in apart if not unicodedata.combining(c))


def rank(name: str, role: str) -> int | None:
    """How well a name fits a role, 0 for the best; None if it does not fit. A plural counts as its singular."""
    word = normal(name)
    for place, line in enumerate(USUAL[role]):
        if word in line.split() or (word.endswith("s") and word[:-1] in line.split()):
            return place
    return None


def best(names: Iterable[str], role: str) -> list[str]:
    """The columns with the best name for a role: one, or several of the same rank, or none."""
    ranked = [(place, name) for name in names if (place := rank(name, role)) is not None]
    top = min((place for place, _ in ranked), default=0)
    return [name for place, name in ranked if place == top]


def find(names: Sequence[str], given: dict[str, str | None], source: str) -> dict[str, str]:
    """The column for each role: those given, then the best named of the others; with three columns, the remaining one.

    >>> roles = {"item": None, "rater": None, "label": None}
    >>> find(["Worker ID", "doc", "answer", "time"], roles, "x.csv")
    {'item': 'doc', 'rater': 'Worker ID', 'label': 'answer'}
    >>> find(["Worker ID", "doc", "emotion"], roles, "x.csv")
    {'item': 'doc', 'rater': 'Worker ID', 'label': 'emotion'}
    """
    taken = {role: known(name, names, role, source) for role, name in given.items() if name is not None}
    unnamed = []
    for role in given:
        if role not in taken:
            found = best([n for n in names if n not in taken.values()], role)
            if found:
                taken[role] = only(found, role, names, source)
            else:
                unnamed.append(role)
    left = [n for n in names if n not in taken.values()]
    for role in unnamed:
        taken[role] = only(left if len(unnamed) == len(left) == 1 else [], role, names, source)
    if len(set(taken.values())) < len(taken):
        raise UsageError(f"{source}: one column is given for two roles: {taken}. Name three different columns.")
    return {role: taken[role] for role in ROLES if role in taken}


def known(name: object, names: Sequence[str], role: str, source: str) -> str:
    """A column requested by name."""
    if str(name) not in names:
        raise NotInFile(role, f"{source}: no column {str(name)!r} for {role}=; columns found: {listed(names, 30)}.")
    return str(name)


def only(candidates: Sequence[str], role: str, names: Sequence[str], source: str) -> str:
    """The one candidate, or an error that says what to pass."""
    if len(candidates) == 1:
        return candidates[0]
    problem = (
        f"columns {listed(candidates)} could each be the {role}" if candidates else f"no column looks like the {role}"
    )
    said = f"{source}: {problem}. Name it: raters.read(..., {role}='COLUMN'); columns found: {listed(names, 30)}."
    raise UsageError(said) if candidates else NoColumn(role, said)


class SeveralQuestions(DataError):
    """A source contains several questions, and none was chosen."""

    def __init__(self, found: str, advice: str, first: str, questions: Mapping[str, int]) -> None:
        super().__init__(f"{found} {advice}")
        self.found = found
        """What the source contains, without the advice, which is another on the command line."""
        self.first = first
        """The one that the advice names."""
        self.questions = dict(questions)
        self.table: Table | None = None
        """The table with the decision how to read it, so that no question asks for it again."""

    def check_by(self, by: str | None) -> None:
        """Check that ``by`` means the questions; any other column needs one of them to be chosen first."""
        if by is None:
            raise self
        if by != "question" and f"column {by!r}" not in self.found:
            raise UsageError(
                f"by={by!r} does not name the questions: {self.found} Use by='question' for a fit of each, "
                f"or choose one with question={self.first!r} and give a column of the table as by=."
            ) from None


class NoSuchQuestion(UsageError):
    """A question that the source does not ask."""


def one_of(counts: Mapping[str, int], question: str | None, source: str, how: str) -> str:
    """The question that was requested, or the only one; otherwise an error that lists them.

    >>> one_of({"tone": 8}, None, "x.csv", "as columns")
    'tone'
    """
    there = ", ".join(f"{brief(q)} ({n:,} label{'' if n == 1 else 's'})" for q, n in list(counts.items())[:40])
    if question is not None:
        same = [q for q in counts if q == question] or [q for q in counts if q.lower() == question.lower()]
        if len(same) != 1:
            raise NoSuchQuestion(f"{source}: no question {question!r}. There is {there}.")
        return same[0]
    if len(counts) == 1:
        return next(iter(counts))
    first = next(iter(counts))
    word = first if first.replace("_", "").isalnum() else repr(first)
    raise SeveralQuestions(
        f"{source} contains {len(counts)} questions, {how}: {there}.",
        either(
            f"Choose one: raters.read(..., question={first!r}); raters.report answers for all of them.",
            f"Choose one: --question {word}; `raters report` answers for all of them.",
        ),
        first,
        counts,
    )
