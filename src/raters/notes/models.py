"""What is said of models of raters."""

from collections.abc import Mapping

from raters.notes.sentence import Sentence

TIED: Mapping[str, str] = {
    "random": "one of the tied labels was drawn at random",
    "first": "the first of the tied labels in their order was taken",
    "last": "the last of the tied labels in their order was taken",
    "abstain": "these items have no label",
    "split": "the tied labels share the probability equally, and the first of them is given",
    "probable": "the more probable of the tied labels is given",
}
"""What was done with tied votes, by rule; ``probable`` is that of a vote that says how settled a label is."""

FEW_EACH = (
    "most items have {most} labels or fewer, which cannot show whether raters disagree because items divide them or"
    " because some err"
)
MODELS: dict[str, Sentence] = {
    # too little, or too much of one label
    "not_converged": Sentence("stopped after {n:iteration} without convergence; increase max_iter"),
    "overconfident_matrices": Sentence(
        "{each:,.0f} labels per rater for {cells} error rates each: posteriors are overconfident (in simulations, 80 to"
        " 95 of 100 labels stated at .99 or more were right); 'hierarchical' or 'one_coin' need fewer"
    ),
    "equal_prevalence": Sentence(
        "prevalence is assumed equal over labels, but {share:.0%} of the labels are {label:quoted}, which can pull"
        " items to rare labels: compare with <prevalence=learned>"
    ),
    "items_without_labels": Sentence("{n:item} {n:has|have} no annotations and {n:remains|remain} unlabelled"),
    "all_the_same_label": Sentence(
        "all annotations have the same label, so nothing can be learned about raters",
    ),
    "one_rater": Sentence("only one rater: nothing can be compared, so the labels are returned unchanged"),
    "no_shared_items": Sentence(
        "no item has labels from two raters: nothing can be compared, so the labels are returned unchanged"
    ),
    "raters_with_few_labels": Sentence(
        "{n:,} of {n_raters:,} raters gave fewer than {least} labels; 'hierarchical' shrinks such raters towards the"
        " average"
    ),
    "gold_items_unknown": Sentence("{n:,} of {gold:,} gold items are not among the items and were left out"),
    "gold_contradicts_votes": Sentence(
        "with these gold labels the model contradicts the vote on {n:,} of {items:,} items: either most raters or a"
        " gold label is wrong"
    ),
    # options
    "ties_unused": Sentence("<ties={ties}> was not used: {model} is not a vote"),
    "prevalence_unused": Sentence("<prevalence={prevalence}> was not used: {model} has no prevalence"),
    "tempering_of_a_vote": Sentence("<tempering={tempering}> was not used: a vote counts whole labels"),
    "tempering_of_numbers": Sentence(
        "<tempering={tempering}> was not used: it weights labels of categories, and these are numbers"
    ),
    "weight_given": Sentence(
        "labels count for {power:g} of one, as given by <tempering>, whatever held-out labels ask for"
    ),
    "weight_estimated": Sentence("labels count for {power:g} of one, as estimated from held-out labels"),
    # how settled
    "as_published_too_high": Sentence(
        "the probabilities are those of {model} as published, and {n:item} {n:does|do} not show how raters differ:"
        " they are too high (in simulated tables of 4 to 40 items, 72 to 98 of 100 labels stated at .99 or more were"
        " right); <tempering=held_out> or <model=auto> states less"
    ),
    "hard_items_habit": Sentence(
        "The model allows for hard items, because that predicts held-out labels better: about {habit:.0%} of the items"
        " are labelled by habit, whatever the truth is"
    ),
    "hard_items_own": Sentence(
        "The model allows for hard items, because that predicts held-out labels better: about {own:.0%} of the items"
        " divide or mislead raters"
    ),
    "hard_items_of_both_kinds": Sentence(
        "The model allows for hard items, because that predicts held-out labels better: about {habit:.0%} of the items"
        " are labelled by habit, whatever the truth is, and about {own:.0%} divide or mislead raters"
    ),
    "divided_items_unchecked": Sentence(
        f"{FEW_EACH}: on items on which raters disagree, how settled the label is could not be checked"
    ),
    "divided_items_assumed": Sentence(
        f"{FEW_EACH}: {{own:.0%}} of the items are assumed to divide them, which held in tables with more labels; four"
        " labels or more for each item would replace the assumption"
    ),
    # ties, and models that are not used
    **{f"tied_{rule}": Sentence(f"{{n:,}} of {{items:,}} votes are tied; {said}") for rule, said in TIED.items()},
    "agreement_may_be_chance": Sentence(
        "the agreement may be chance: with a probability of {chance:.2g}, raters' habits alone predict items as well",
        "assumed",
    ),
    "copied_labels_count_once": Sentence(
        "labels were copied: {n:pair} of raters ({raters:listed 5}) share {least:.0%} to {most:.0%} of their labels beyond"
        " what independent raters would; what was copied counts once"
    ),
    "raters_in_camps": Sentence(
        "raters form two camps whose members make the same errors: a model of raters follows {followed:,} of {n_raters:,}"
        " against the other {others:,}; where the camps agree, {errors:.0%} and {errors_of_others:.0%} of their labels are"
        " wrong, so the labels cannot show which camp is right"
    ),
    "overrules_majorities": Sentence("the answer overrules {n:,} of {majorities:,} clear majorities"),
    "given_by_nobody": Sentence("{n:,} of {items:,} items have a label that no rater gave them"),
    "no_information_found": Sentence(
        "no information was found in the labels of {raters:listed 5}: they count, for as little as they tell"
    ),
    "two_labels_each": Sentence(
        "{n:,} of {items:,} items have two labels or fewer, which cannot show whether raters disagree because items are"
        " hard or because some err"
    ),
    "not_tried_too_large": Sentence(
        "{models} {n:was|were} not tried: a matrix of {labels:,} by {labels:,} labels for each of {n_raters:,} raters"
        " is too large"
    ),
    "not_tried_too_slow": Sentence(
        "{models} {n:was|were} not tried: it is too slow with {n_raters:,} raters and {labels:,} labels"
    ),
    "not_tried_too_few_labels": Sentence(
        "{models} {n:was|were} not tried: raters gave about {each:,.0f} labels each, too few for {cells:,} error rates"
    ),
    "not_tried_refused": Sentence("{model} was not tried: {why}"),
    # whose labels count
    "named_model_counts_all": Sentence(
        "no information was found in the labels of {raters:listed 5}: a model that you name counts them in full,"
        " <model=auto> for as little as they tell"
    ),
    "some_by_chance": Sentence(
        "no information was found in the labels of {raters:listed 5}: they count for as little as they tell, since up to"
        " one honest rater in twenty is named by chance"
    ),
    "two_sides": Sentence(
        "{n:,} of {n_raters:,} raters contradict the others: the labels cannot show which side is right, but a few"
        " gold labels can"
    ),
    # checks
    "gold_ties": Sentence(
        "majority: the votes of {n:gold item} are tied; each counts as right by the share of its tied labels that is"
        " right"
    ),
    **{
        f"fit_scored_{rule}": Sentence(f"majority (this fit) is scored by the labels it gives: {said}")
        for rule, said in TIED.items()
    },
    # draws
    "bootstrap_too_narrow": Sentence(
        "95 % bootstrap intervals of {model!r} covered the truth in about {held} of 100 simulated cases; use"
        " <uncertainty=posterior>, which covers it in about 95"
    ),
    "chains_apart": Sentence(
        "the chains have not converged (R-hat {rhat:.2f}): increase the number of draws, or compare the starts"
    ),
    # a system beside a consensus
    "shares_of_votes": Sentence(
        "{model!r} counts votes and does not say how probable it is that a label is right, so this is no expected"
        " value; use consensus() without a model, or <tempering=held_out>"
    ),
    "classifier_not_trained": Sentence("the classifier must not have been trained on these labels", "detail"),
    "no_probabilities": Sentence("log loss needs probabilities; the system gave labels", "undefined"),
    "ruled_out_labels": Sentence(
        "log loss is infinite: on {n:item}, the system gave probability 0 to a possible label"
    ),
    # sets of labels
    "empty_sets": Sentence("the set of {n:item} is empty: no label has more than half of the evidence"),
    "rare_labels_by_vote": Sentence(
        "{n:,} of {of:label} {n:was|were} given, or left out, on fewer than {least} items: decided by the vote, because"
        " this does not show how raters differ"
    ),
}
