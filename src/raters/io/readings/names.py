"""What the names of columns and raters say: their words, and the form that several names share."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

from raters.io.table import normal, plain, rank
from raters.words import whole


def vocabulary(text: str) -> frozenset[str]:
    """The words of a text."""
    return frozenset(text.split())


DERIVED = re.compile(
    r"(mean|avg|average|median|mode|majority|majorityvote|gold|goldlabel|goldstandard|truth|groundtruth|consensus|final|finallabel|"
    r"adjudicated|adjudication|adjudicator|agree|agreed|agreement|disagree|disagreement|kappa|alpha|hardlabel|softlabel|aggregated?|sd|std|stddev|stdev|variance|var|sum|total|"
    r"(number|num|no|count|total|n)(of)?(annotator|rater|annotation|label|judge?ment|rating|vote)s|"
    r"entropy|confidence|prediction|predicted|modelguess|reference|expected|match|composite|percent|"
    r"mittelwert|mittel|durchschnitt|mehrheit|mehrheitsentscheid|mehrheitslabel|modus|summe|gesamt|gesamtzahl|anzahl|standardabweichung|varianz|referenz|konsens|"
    r"moyenne|mediane|majorite|somme|ecarttype|verite|desaccord|accord|"
    r"promedio|media|mediana|mayoria|moda|suma|desviacion|desviacionestandar|verdad|consenso|acuerdo|maggioranza|somma|maioria)"
)
COUNTED = frozenset({"count", "counts", "n", "freq", "frequency", "times", "weight", "nitems", "items"})
KEYS = re.compile(
    r"correct|true|right|real|actual|target|solution|oracle|resolved|decided|key|decision|original|author|wahr|wahrheit|richtig|loesung|"
    r"vrai|correcto|solucion|vero|corretto|label|class|category|kategorie|categorie|categoria|answer|y"
)
"""Words of columns that may hold what the labels of raters are compared with, or what was made of them."""
VOTES = frozenset({"vote", "votes", "count", "counts", "n", "num", "number", "anzahl", "stimmen", "nb"})
SUMS = vocabulary(
    """
    mean means average averages avg median mode sum sums total totals grandtotal subtotal sd std stdev stddev
    count counts kappa alpha agreement summe gesamt mittelwert durchschnitt moyenne promedio media
    """
)
"""Names of rows below a table that sum it up."""
WHO = re.compile(
    r"(rater|annotator|ann|anno|coder|judge|worker|reviewer|labell?er|expert|observer|person|user|evaluator|doctor|reader|"
    r"student|participant|subject|respondent|annotateur|codeur|[ck]odierer(in)?|bewerter(in)?|beurteiler|gutachter|evaluateur|juge|anotador|"
    r"codificador|evaluador|juez|annotatore|codificatore|r|a|j|p|c)[a-z]?[0-9]*"
)
PEOPLE = vocabulary(
    """
    rater annotator coder judge worker labeler labeller reviewer observer evaluator assessor doctor physician
    nurse clinician radiologist pathologist reader expert turker listener juror referee marker grader scorer
    examiner tagger annotateur codeur codierer codiererin kodierer bewerter gutachter juge juez anotador
    codificador evaluador annot
    """
)
RATED = frozenset({"model", "system", "subject", "participant", "student", "patient", "speaker", "method"})
"""Words of columns that may name raters, or what is rated."""
DONE = frozenset({"annotated", "labeled", "labelled", "coded", "rated", "created", "completed", "reviewed", "judged"})
TAIL = frozenset({"id", "ids", "name", "names", "code", "number", "no", "nr", "num", "key", "index", "uid", "initials"})
ABOUT = vocabulary(
    """
    age gender sex race ethnicity education occupation country city region state nationality language lang
    religion income date time timestamp duration seconds start end created updated submitted elapsed latitude
    longitude location version split fold train source comment comments note notes remark remarks email ip
    consent browser device platform progress finished status channel token seed lastpage submitdate
    startlanguage recipient recorded accept submit worktimeinseconds title dataset year month day hour bemerkung
    kommentar link url zeit datum rt ms created_at pays kommentare assignment feedback approve reject trust
    experience startdate enddate demographic demographics pool cohort period occasion plot plate treatment dose
    site arm condition replicate startzeit endzeit length len chars tokens batch round
    """
)
"""Words of columns that are about the making of a row, an item or a person."""
SURVEY = vocabulary(
    """
    timestamp zeitstempel horodateur marcatemporal submittedat submissiondate startdate enddate recordeddate
    submitdate lastpage startlanguage responseid durationinseconds ipaddress emailaddress
    """
)
"""Columns that survey tools write."""
IDENTITY = vocabulary("name yourname fullname email emailaddress username initials yourinitials nickname")
ASKED = vocabulary(
    """
    question questionid questionname aspect attribute dimension criterion criteria variable measure metric
    property category emotion task taskname subtask facet construct scale prompt outcome column criteriaid trait
    """
)
"""Names of columns that state which question a row answers."""
QUESTIONS = re.compile(
    r"(question|item|turn|round|time|wave|session|task|aspect|dimension|part|criterion|frage|phase|var|year|day|week|month|step|visit|trial|pre|post|baseline|block|feature)s?[0-9]*[a-z]?|[qti][0-9]+[a-z]?"
)
MODELS = re.compile(
    r"(gpt|llama|claude|gemini|gemma|mistral|mixtral|qwen|deepseek|palm|bard|bert|phi|command|chatgpt|llm|judgelm|human)",
    re.I,
)
ABSTRACT = re.compile(
    r".*(ness|ity|ence|ance|tion|sion|ment|ism|ship|ency|ancy|acy|ure|ing|th|ology|ure|cy|age|score|rate|rating|level|type|index)$",
    re.I,
)
ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth")
AGAIN = re.compile(r"(.+) #[0-9]+")
"""How the second of several columns with one name is called."""
SUFFIX = re.compile(
    r"[ ._-]*\(?(reli|reliability|check|bis|second|2nd|r?2|b|recode|recheck|again|double|coder2)\)?", re.I
)


def words(name: str) -> list[str]:
    """The words of a name, in lower case.

    >>> words("hard_label"), words("meanScore")
    (['hard', 'label'], ['mean', 'score'])
    """
    return [w.lower() for w in re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[0-9]+", plain(name))]


def head(name: str) -> list[str]:
    """The words of a name without those that only say that it is an id.

    >>> head("Rater_Name"), head("!amt_worker_ids"), head("personID")
    (['rater'], ['amt', 'worker'], ['person'])
    """
    found = words(name.split(" | ")[-1])
    while len(found) > 1 and (found[-1] in TAIL or found[-1].isdigit()):
        found = found[:-1]
    return found


@cache
def named(name: str, role: str) -> float:
    """How surely a name says that a column holds raters, items or labels, from 0 to 1.

    >>> named("physician_id", "rater"), named("user_id", "rater"), named("depth", "rater")
    (1.0, 0.5, 0.0)
    """
    place = rank(name, role)
    if place is None and " | " in name:
        place = rank(name.split(" | ")[-1], role)
    said = head(name)
    last = said[-1] if said else ""
    if role == "rater":
        return for_rater(said, last, place)
    if place is not None:
        return PLACES[role][place]
    if rank(last, role) is not None and last not in ("question", "task", "code"):
        return 0.8 if role == "item" else 0.6
    return for_item(name) if role == "item" else 0.0


PLACES = {"item": (1.0, 1.0, 1.0, 1.0, 0.7), "label": (1.0, 1.0, 0.7)}
"""How surely the usual names say their role, by how usual they are."""


def for_rater(said: Sequence[str], last: str, place: int | None) -> float:
    """The same for raters: who did something, a word for a person, a usual name."""
    if (len(said) > 1 and said[-1] == "by" and said[-2] in DONE) or single(last) in PEOPLE:
        return 1.0
    whole = 1.0 if place is not None and place < 2 else 0.5 if place == 2 else 0.0
    return min(whole, 0.5) if single(last) in RATED else whole or (0.5 if rank(last, "rater") is not None else 0.0)


def for_item(name: str) -> float:
    """The same for items by the last word alone: an address, a number."""
    last = words(name)[-1:]
    if last and last[0] in ("url", "path", "file", "filename", "hash"):
        return 0.7
    return 0.5 if last in (["id"], ["ids"], ["nr"]) or name == "#" else 0.0


def single(word: str) -> str:
    return word[:-1] if word.endswith("s") and word[:-1] in PEOPLE | RATED else word


@cache
def derived(name: str) -> bool:
    """Whether a name shows that a column was computed from others, or is the answer key."""
    said = (normal(name), *(w for w in words(name) if w != "var"))
    return turns(name) < 3 and any(DERIVED.fullmatch(part) for part in said)


@cache
def key_named(name: str) -> bool:
    """Whether a column is called as an answer key or a final label is, and not as one of several raters.

    >>> key_named("true_label"), key_named("Label"), key_named("label_ann"), key_named("answer2")
    (True, True, False, False)
    """
    return all(KEYS.fullmatch(w) for w in words(name) or [""])


@cache
def about(name: str) -> bool:
    """Whether a column is called as facts about rows, items or people are."""
    return any(w in ABOUT for w in (normal(name), *words(name)))


def remainders(names: Sequence[str]) -> tuple[str, list[str], str]:
    """What all names begin with, what tells them apart, and what all end with.

    >>> remainders(["doctor1_x", "doctor2_x"])
    ('doctor', ['1', '2'], '_x')
    """
    first, last = min(names), max(names)
    n = next((i for i, (a, b) in enumerate(zip(first, last, strict=False)) if a != b), min(len(first), len(last)))
    while n and first[:n][-1].isdigit():
        n -= 1
    back = [x[n:][::-1] for x in names]
    low, high = min(back), max(back)
    m = next((i for i, (a, b) in enumerate(zip(low, high, strict=False)) if a != b), min(len(low), len(high)))
    while m and (low[:m][-1].isdigit() or (m < len(low) and low[:m][-1].isalpha() and low[m].isalpha())):
        m -= 1
    return first[:n], [x[n : len(x) - m] for x in names], low[:m][::-1]


def form(names: Sequence[str], others: Sequence[str] = ()) -> tuple[float, str]:
    """How surely names are those of raters by the form that they share, from -1 to 1, and what that form is; ``others``
    are the names of the other columns.

    >>> form(["coder_A", "coder_B"])[1], form(["ann@x.org", "bob@y.org"])[1], form(["q1", "q2", "q3"])[0] < 0
    ('called as raters are', 'addresses', True)
    """
    names = [n.strip() for n in names]
    if (one := one_person(names)) is not None:
        return form([n for n in names if n != one], others)
    before, middle, after = remainders(names)
    stem = [w for w in words(before) + words(after) if not w.isdigit()]
    return sure(names, stem) or by_middle(stem, before, middle) or spelt(names, others)


def by_middle(stem: Sequence[str], before: str, middle: Sequence[str]) -> tuple[float, str] | None:
    """The form of names that differ in numbers, in letters, or in what follows a word for labels."""
    numbers = [int(m) for m in middle if whole(m)]
    if len(numbers) == len(middle):
        return numbered(stem, before, numbers)
    letters = [m.strip(" _.-") for m in middle]
    if all(len(x) == 1 and x.isalpha() for x in letters):
        return lettered(stem, letters)
    if stem and re.fullmatch(r".*[\s_.:-]", before) and any(rank(w, "label") is not None for w in stem):
        return 0.6, "a word for labels with a name each"
    if len(numbers) >= len(middle) / 2 and any(not m for m in middle):
        return 0.4, "a name and the same with numbers"
    return None


def one_person(names: Sequence[str]) -> str | None:
    """A name that is only a word for a person, among others that follow a form without it; None if there is none.

    >>> one_person(["ann1", "ann2", "expert"]), one_person(["expert1", "expert2"])
    ('expert', None)
    """
    lone = [n for n in names if len(said := words(n)) == 1 and single(said[0]) in PEOPLE]
    others = [n for n in names if n not in lone]
    if len(lone) != 1 or len(others) < 2 or any(words(lone[0])[0] in words(n) for n in others):
        return None
    return lone[0] if form(others)[0] >= 0.4 else None


def every(pattern: str, names: Sequence[str]) -> bool:
    return all(re.fullmatch(pattern, n) for n in names)


ADDRESS = r"[^@\s]+@[^@\s]+\.\w+"


def sure(names: Sequence[str], stem: Sequence[str]) -> tuple[float, str] | None:
    """The forms that hardly anything but raters has."""
    if every(ADDRESS, names):
        return 1.0, "addresses"
    said = [words(n) for n in names]
    people = [any(single(w) in PEOPLE for w in some) for some in said]
    if any(single(w) in PEOPLE or (named(w, "rater") == 1) for w in stem) or all(people):
        return 1.0, "called as raters are"
    if all(not {*ORDINALS}.isdisjoint(some) for some in said):
        return 0.6, "first, second, third"
    if len(set(map(len, names))) == 1 and len(names[0]) >= 6 and all(map(coded, names)):
        return 1.0, "codes of one length"
    models = sum(bool(MODELS.match(n)) for n in names) / len(names)
    if models > 0.5 and same_again(names) is None:
        return 0.9 * models, "called as models are"
    return same_again(names)


def same_again(names: Sequence[str]) -> tuple[float, str] | None:
    """One name several times, or with a suffix."""
    again = {AGAIN.sub(r"\1", n) for n in names} if any(AGAIN.fullmatch(n) for n in names) else set()
    if len(again) == 1 and not any(n.isdigit() for n in again):
        return 0.9, "the same name again"
    low, high = min(names, key=len), max(names, key=len)
    if len(names) == 2 and high.startswith(low) and SUFFIX.fullmatch(high[len(low) :]):
        return 0.7, "a name and the same with a suffix"
    return None


def lettered(stem: Sequence[str], letters: Sequence[str]) -> tuple[float, str]:
    """The degree of names that end in letters, or are letters."""
    run = sorted(map(str.lower, letters)) == [chr(97 + i) for i in range(len(letters))]
    if not stem:
        variables = {*letters} <= {*"xyzuvwntXYZUVWNT"}
        return (0.0 if variables else 0.45 if run else 0.35), "single letters"
    if QUESTIONS.fullmatch("".join(stem)):
        return -0.3, "lettered"
    return (0.6 if run else 0.5), "a name with a letter each"


def spelt(names: Sequence[str], others: Sequence[str]) -> tuple[float, str]:
    """The degree of initials and plain words: names of people are capitalised, and no abstract nouns."""
    if every(r"[A-Z]{2,3}|[a-z]{2}", names):
        short = [n for n in others if n.isupper() and len(n) < 5]
        return (0.1 if len(short) > 1 else 0.5), "initials"
    parts = [re.fullmatch(r"([A-Z][\w'’-]*[a-zà-ž])( [A-Z]\w*)?\.?", n) for n in names]
    abstract = sum(bool(ABSTRACT.fullmatch(n)) for n in names)
    if all(parts) and abstract <= len(names) / 3:
        capital = [n[:1].isupper() for n in others if n[:1].isalpha() and not n.isupper()]
        return (0.25 if capital and all(capital) else 0.45), "capitalised words"
    return (-0.3 if abstract > len(names) / 2 else 0.05), "words"


def turns(name: str) -> int:
    """How often digits and letters follow one another: in a code, where letters are no words, more than twice."""
    return len(re.findall(r"(?<=[0-9])(?=[A-Za-z])|(?<=[A-Za-z])(?=[0-9])", name))


def coded(name: str) -> bool:
    """Whether a name is a code: digits among letters, or many digits.

    >>> coded("A1AVJRFM6L0RN8"), coded("uid_48213"), coded("coder12")
    (True, True, False)
    """
    return (turns(name) >= 2 and name.isalnum()) or bool(
        re.fullmatch(r"[A-Za-z]*[_-]?[0-9]{4,}", name) and not re.fullmatch(r"(19|20)\d\d", name)
    )


def numbered(stem: Sequence[str], before: str, numbers: Sequence[int]) -> tuple[float, str]:
    """The degree of names that end in numbers, by what stands before these."""
    word, run = "".join(stem), sorted(numbers) == list(range(min(numbers), min(numbers) + len(numbers)))
    if any(rank(w, "label") is not None for w in stem) and word not in ("category", "class", "code"):
        return 0.7, "a word for labels with a number each"
    if not run or min(numbers) > 1:
        return 0.0, "numbers with gaps"
    if not stem:
        return 0.3, "numbers"
    if len(word) == 1 and word in "rajcpwhe":
        return (0.6 if word in "raj" else 0.4), "a letter with a number each"
    if word in ("x", "v", "y", "z"):
        return 0.0, "a letter with a number each"
    if QUESTIONS.fullmatch(word) or len(word) == 1 or QUESTIONS.fullmatch(f"{stem[-1]}1"):
        return -0.6, "numbered as questions or times are"
    return (0.45 if len(numbers) < 5 else 0.2), "a name with a number each"


def people(values: Sequence[str]) -> tuple[float, str]:
    """How surely the values of a column are names of raters by their form."""
    some = [v.strip() for v in values if v.strip()][:200]
    if len(some) < 2:
        return 0.0, ""
    if every(ADDRESS, some):
        return 1.0, "addresses"
    if sum(any(single(w) in PEOPLE for w in words(v)) for v in some) > len(some) / 2:
        return 1.0, "called as raters are"
    if all(v.isdigit() for v in some):
        return 0.0, ""
    if sum(map(coded, some)) >= 0.9 * len(some) and len(set(map(len, some))) <= 2:
        return 0.5, "codes"
    degree, said = form(some)
    if said in ("numbered as questions or times are", "numbers with gaps"):
        return 0.0, ""
    limit = {"words": 0.0, "single letters": 0.2}.get(said, 0.6)
    return max(0.0, min(degree, limit)), said
