"""What is said of judges beside people."""

from collections.abc import Mapping

from raters.notes.sentence import Sentence

SHARES: Mapping[str, Sentence] = {
    "judge_labels_without_people": Sentence(
        "{n} of the judge's labels occur on no item with a human label; people's shares over all items are used instead"
    ),
    "class_absent": Sentence(
        "a class of people's labels is absent from the items with both labels, so its errors are unknown", "undefined"
    ),
    "classes_not_distinguished": Sentence(
        "the judge cannot distinguish these classes: it is hardly better than chance on the items with both labels",
        "undefined",
    ),
    "errors_not_carried_over": Sentence(
        "the judge's errors do not carry over to these items: its shares lie further outside the range that the"
        " observed errors allow than chance explains"
    ),
    "draws_discarded": Sentence(
        "{share:.0%} of the draws were discarded, because the judge would be no better than chance in them"
    ),
}
"""Of shares of classes, in all items or in a stratum."""

WINNERS = "the verdict of a pair shown in both orders is the system that won both, otherwise a tie"


JUDGES: dict[str, Sentence] = {
    # agreement
    "judge_not_computed": Sentence("it cannot be computed", "undefined"),
    "one_person_alone": Sentence("there is only one person, so people cannot be compared with each other", "undefined"),
    "judge_single_label": Sentence("undefined: one side gave a single label throughout", "undefined"),
    "pairs_with_few_items": Sentence(
        "{n:pair} of people {n:shares|share} fewer than {least} items and {n:is|are} excluded"
    ),
    "no_pair_with_many_items": Sentence("no two share {least} items, so the pairs with the most items are used"),
    "no_item_with_judge": Sentence("people and {judge} share no item", "undefined"),
    "items_of_one_side": Sentence(
        "{n:item} {n:was|were} labelled only by people or only by judges and {n:was|were} excluded"
    ),
    "verdicts_no_numbers": Sentence(
        "{n:,} {n:verdict is|verdicts are} not numbers; they form a row of the confusion matrix and are in no other"
        " figure"
    ),
    "labels_judge_never_uses": Sentence("labels that the judge never uses: {labels:listed}"),
    "labels_only_judge_uses": Sentence("labels that only the judge uses: {labels:listed}"),
    "class_not_met": Sentence("the judge, people or their consensus never gave this label", "undefined"),
    # errors
    "no_consensus_with_judge": Sentence("no item has a label of the judge and a consensus of people", "undefined"),
    "length_never_varies": Sentence("length or the difference from people never varies", "undefined"),
    "family_on_no_or_every_item": Sentence("no item, or every item, is of the family {family!r}", "undefined"),
    "judges_never_differ": Sentence("no judge differs from people's consensus on any item", "undefined"),
    "no_consensus_with_every_judge": Sentence(
        "no item has a consensus of people and a label of every judge", "undefined"
    ),
    "three_people_needed": Sentence("at least three people with labels on the same items are needed", "undefined"),
    "people_hardly_err": Sentence(
        "people make almost no errors, so the correlation of their errors is undefined", "undefined"
    ),
    # preferences
    "clustered_by_item_only": Sentence(
        "errors are clustered by item only: {n:rater} {n:is|are} too few for clustering by rater"
    ),
    "read_as_winners": Sentence(f"Labels are read as winners of pairs; {WINNERS}", "assumed"),
    "read_as_winners_from": Sentence(
        "Labels are read as winners of pairs (columns {columns[0]!r} and {columns[1]!r}; <position> and <second> name"
        f" others); {WINNERS}",
        "assumed",
    ),
    "parts_apart": Sentence("no vote joins {n} parts of the systems, so they are ranked apart"),
    "votes_without_winner": Sentence(
        "{n:row} without a winner {n:is no vote|are no votes}; write tie if that is meant"
    ),
    "votes_without_raters": Sentence(
        "who voted is unknown, or it is one person: errors are those over items alone, and too small if people differ"
    ),
    "systems_unknown": Sentence(
        "no systems are compared, because the two systems of a pair are unknown; name their columns: <position>,"
        " <second>",
        "undefined",
    ),
    "systems_not_compared": Sentence("no systems are compared: by {who}, {why}", "undefined"),
    # calibrated figures
    "few_labels_in_stratum": Sentence("too few human labels in the stratum {stratum!r}", "undefined"),
    "few_both": Sentence("{n:item} with both labels {n:is|are} too few", "undefined"),
    "verdicts_excluded": Sentence("{n:verdict} of the judge {n:is|are} not numbers and {n:was|were} excluded"),
    **SHARES,
    **{f"stratum_{code}": Sentence(f"stratum {{stratum!r}}: {s.text}", s.level) for code, s in SHARES.items()},
    "stratum_without_people": Sentence(
        "the stratum {stratum!r} has no human label, so its shares are unknown; have people label some of its items",
        "undefined",
    ),
    "no_shares": Sentence("the correction gave {shares:each}, which are not shares; the nearest shares are reported"),
    "labels_of_judge_kept": Sentence("labels that only the judge uses are kept unchanged: {labels:listed}"),
}
