"""Which columns hold the item, the rater and the label: recognised by their usual names, or given."""

import re
import unicodedata
from collections.abc import Iterable, Sequence

from raters.errors import NoColumn, NotInFile, UsageError, listed

# Best names first; within one line, names of the same rank: two columns of one rank are ambiguous.
USUAL: dict[str, tuple[str, ...]] = {
    "item": (
        "item",
        "itemid unit unitid task taskid question questionid doc docid document documentid example exampleid",
        "id origid sample sampleid instance instanceid case caseid target targetid image imageid record recordid "
        "post postid tweetid sentenceid textid object objectid segment segmentid hit hitid query queryid pair pairid "
        "stimulus stimulusid stim trial article articleid essay essayid comment commentid claim claimid utterance utteranceid "
        "dialog dialogid dialogue dialogueid conversation conversationid message messageid paragraph paragraphid clip clipid video videoid "
        "photo photoid abstract abstractid pmid statement statementid snippet snippetid passage passageid headline headlineid",
        "identifiant identificador identificativo dokument dokumentid documento documentoid einheit element elemento nummer numero nr",
        "subject subjectid patient patientid text sentence tweet name key uid index idx row "
        "satz texte texto testo phrase frase beitrag kommentar commentaire comentario",
    ),
    "rater": (
        "rater",
        "raterid worker workerid annotator annotatorid coder coderid judge judgeid observer observerid "
        "labeler labelerid labeller labellerid reviewer reviewerid amtworkerid evaluator evaluatorid",
        "user userid participant participantid participantcode person personid expert expertid turker turkerid "
        "respondent respondentid responseid assessor assessorid model modelname raterindex annotatedby completedby createdby who "
        "annotateur annotatrice codeur codeuse codierer codiererin kodierer kodiererin bewerter bewerterin beurteiler gutachter "
        "evaluateur evaluatrice juge anotador anotadora codificador codificadora evaluador evaluadora juez annotatore codificatore valutatore",
    ),
    "label": (
        "label",
        "answer rating annotation response judgment judgement labelvalue annotatorlabel vote",
        "value score category class classid labelid code choice decision grade rank result sentiment stance winner verdict preference preferred "
        "etiquette etiqueta etichetta kategorie categorie categoria klasse classe clase bewertung urteil antwort reponse respuesta "
        "risposta jugement juicio giudizio codigo",
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


def long_by_name(names: Sequence[str], item: object = None) -> bool:
    """Whether there are columns for item, rater and label, even several for one of them, so that no two of them are raters.

    >>> long_by_name(["doc", "worker", "answer", "response"]), long_by_name(["id", "rating", "response"])
    (True, False)
    """
    named = all(best(names, role) or (role == "item" and item is not None) for role in ROLES)
    return named or {"rater", "label"} <= {normal(name) for name in names}


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
    said = f"{source}: {problem}. Pass {role}='...' (--{role} ...); columns found: {listed(names, 30)}."
    raise UsageError(said) if candidates else NoColumn(role, said)
