"""What is said of figures and their intervals."""

from raters.notes.sentence import Sentence

OF_INTERVALS: dict[str, Sentence] = {
    "few_items": Sentence(
        "the percentile bootstrap covers the true value less often than stated with fewer than {limit} {unit}"
    ),
    "few_clusters": Sentence(
        "{n} clusters are few: the interval may cover the true value less often than stated (in 72 to 90 % of"
        " simulated studies with 6 clusters)"
    ),  # benchmarks/coverage_smaller.py
    "few_clusters_wide": Sentence(
        "{n} clusters are few: the interval may cover the true value more often than stated (in 97 to 100 % of"
        " simulated studies with 6 clusters)"
    ),
    "single_item": Sentence("a single item gives no interval", "undefined"),
    "by_delta": Sentence(
        "interval by the delta method: {n:different item}; <interval=bootstrap> resamples them but is slow", "detail"
    ),
    "no_variation": Sentence("no interval: the figure is the same whatever is resampled or left out", "undefined"),
    "no_bca": Sentence(
        "no BCa interval: all bootstrap samples lie on one side of the value; use <interval=bootstrap>", "undefined"
    ),
    "samples_undefined": Sentence(
        "no interval: the coefficient is undefined in {share:.0%} of the bootstrap samples", "undefined"
    ),
    "samples_discarded": Sentence("{n} of {of} bootstrap samples left the coefficient undefined and were discarded"),
    "one_item_matters": Sentence("leaving out one item makes the coefficient undefined", "undefined"),
    "left_out_raters": Sentence("{n:rater}: one was left out at a time", "detail"),
    "two_raters": Sentence(
        "two raters give no interval over raters, because leaving one out leaves no pair to compare; keep"
        " <sample=items>",
        "undefined",
    ),
    "single_rater": Sentence("a single rater gives no interval over raters", "undefined"),
    "skewed": Sentence(
        "the values are skewed (skewness {skewness:.1f}): the interval may be too low (it covered the true value in"
        " 83 to 88 % of simulated studies of 20 to 50 lognormal items); consider logarithms"
    ),
    "skewed_for_f": Sentence(
        "the values are skewed (skewness {skewness:.1f}): the F distribution assumes normal ones (its interval covered"
        " the true value in 65 % of simulated studies of 20 lognormal items, that of raters.agreement and raters.krr in"
        " 83 %); consider logarithms"
    ),
}
"""Of any interval."""

OF_AGREEMENT: dict[str, Sentence] = {
    "full_by_chance": Sentence(
        "chance alone gives full agreement on the items that can be compared, so the coefficient is undefined",
        "undefined",
    ),
    "no_common_label": Sentence(
        "no label was used by both raters, so there is no area that they could agree on", "undefined"
    ),
    "single_label_throughout": Sentence(
        "one of the raters gave a single label throughout, so the correlation is undefined", "undefined"
    ),
    "every_label_equal": Sentence(
        "every label is {label:quoted}: chance agreement is 1, so {coefficient} is undefined (percent agreement is 1)",
        "undefined",
    ),
    "too_many_pairs": Sentence(
        "{n:pair} of raters on shared items are too many for light and hubert; use conger or krippendorff", "undefined"
    ),
    "too_many_pairs_of_labels": Sentence(
        "{n:pair} of raters with {labels:label} are too many for light and hubert; use conger or krippendorff",
        "undefined",
    ),
    "no_annotations": Sentence("there are no annotations", "undefined"),
    "single_group": Sentence("{coefficient} compares raters (or groups), but there is only one", "undefined"),
    "no_item_of_two_raters": Sentence(
        "no item has labels from two different raters (or groups), so nothing can be compared", "undefined"
    ),
    "no_item_of_two_labels": Sentence("no item has two labels, so nothing can be compared", "undefined"),
    "item_of_one_label": Sentence("the item has one label, so nothing can be compared", "undefined"),
    "item_of_one_rater": Sentence(
        "the item was labelled by only one rater (or group), so nothing can be compared", "undefined"
    ),
    "pairs_share_few": Sentence(
        "no interval: a pair of raters shares {n:item} (the median), too few for the margins of each; Conger's kappa and"
        " alpha have one"
    ),
    "few_shared_by_pairs": Sentence(
        "half of the {pairs:,} pairs of raters share at most {n:item}, too few for a value of each pair: conger and"
        " krippendorff use all labels together"
    ),
    "pairs_skipped": Sentence(
        "pairs of raters have no kappa, because each used a single label: {n}; excluded from the mean"
    ),
    "without_disagreement": Sentence(
        "no two labels differ: if the true value were just below the interval, one study in 8 would still show no"
        " disagreement"
    ),
    "near_as_far": Sentence("{near} against {last} counts as much as {first} against {last}"),
    "without_weights": Sentence(
        "no weights, so {example}, unlike in ordinal alpha; <weights=linear> or <weights=quadratic> counts near misses in part"
    ),
    "bands_of_few": Sentence(
        "with fewer than {limit} items, a band that is too high is supported more often than stated (in 12 % of"
        " simulated studies of 30 items by two raters, where 5 % is stated)"
    ),
}
"""Of coefficients of agreement."""

OF_VARIANCE: dict[str, Sentence] = {
    "single_item_rated": Sentence("a single item has no variance between items", "undefined"),
    "no_variance_within": Sentence("no item has two ratings, so the variance within items is unknown", "undefined"),
    "equal_ratings": Sentence("all ratings are equal, so there is no variance to explain", "undefined"),
    "no_noise": Sentence("items and raters explain every rating, so there is no interval", "undefined"),
    "equal_within_items": Sentence("ratings do not vary within items, so there is no interval", "undefined"),
    "two_way_no_names": Sentence("two-way forms need to know who rated what", "undefined"),
    "two_way_one_rater": Sentence("two-way forms need two raters", "undefined"),
    "two_way_repeats": Sentence(
        "two-way forms need one rating per rater and item; read the data with <duplicates=first> or <duplicates=last>",
        "undefined",
    ),
    "two_way_gaps": Sentence(
        "{n:,} of {of:,} cells (items x raters) are empty: two-way forms need every rater on every item;"
        " <incomplete=complete> uses the complete items, <incomplete=reml> all ratings",
        "undefined",
    ),
    "two_way_few": Sentence("{n:item} rated by every rater: two-way forms need two", "undefined"),
    "two_way_complete": Sentence("two-way forms from the {n:,} of {of:,} items that all {raters:,} raters rated"),
    "complete_items": Sentence("from the {n:,} of {of:,} items that all {raters:,} raters rated"),
    "no_order": Sentence("each rater gave one label to every item, so there is no order to compare", "undefined"),
    "no_concordance": Sentence("the ratings do not vary, so concordance is undefined", "undefined"),
    "one_value_throughout": Sentence(
        "one rater gave the same value throughout, so Lin's interval is undefined", "undefined"
    ),
    "too_few_for_lin": Sentence("too few data for Lin's interval", "undefined"),
    "two_items_needed": Sentence("at least two items rated by both are needed", "undefined"),
    "no_item_rated_twice": Sentence(
        "no item has two ratings, so item variance and noise cannot be separated", "undefined"
    ),
    "no_rater_of_two_items": Sentence(
        "no rater rated two items, so rater variance and noise cannot be separated: use the one-way forms", "undefined"
    ),
    "reml_too_large": Sentence(
        "more than {limit:,} items and as many raters are too many for REML here; use the one-way forms", "undefined"
    ),
    "by_reml": Sentence(
        "{n:,} of {of:,} cells (items x raters) are empty: components by REML, k-forms for means of {k:.4g} ratings"
        " per item, their harmonic mean"
    ),
    "by_reml_asked": Sentence(
        "{n:,} of {of:,} cells (items x raters) are empty: components by REML, k-forms for means of {k:g} ratings, as"
        " requested"
    ),
    "separate_blocks": Sentence(
        "{n} blocks of raters share no item: agreement across blocks assumes that items were assigned at random"
    ),
    "variance_zero": Sentence("the variance of {of} is estimated as 0, on the boundary"),
    "by_profile": Sentence(
        "the interval is a profile interval: resampling items holds the raters fixed, which is too narrow with empty"
        " cells"
    ),
}
"""Of intraclass correlations, concordance and limits of agreement."""

OF_POOLS: dict[str, Sentence] = {
    "pools_apart": Sentence("{x} and {y} share no item", "undefined"),
    "ac_of_sets": Sentence(
        "AC1 and AC2 need the number of possible labels, which is unknown for sets of labels", "undefined"
    ),
    "ac_of_many_labels": Sentence("AC1 and AC2 need agreement weights on a limited number of labels", "undefined"),
    "no_item_of_two_labels_in": Sentence("no item has two labels in {pool}", "undefined"),
    "means_need_numbers": Sentence(
        "means need numbers, ordered labels or two labels; <per_label=True> gives rho for each", "undefined"
    ),
    "no_item_shared": Sentence("no item is shared", "undefined"),
    "irr_undefined": Sentence("the IRR of {pool} is undefined: {why}", "undefined"),
    "irr_not_positive": Sentence(
        "the IRR of {pool} is {irr:z.4f}, so its square root, which normalises kappa_x, does not exist", "undefined"
    ),
    "kappa_x_undefined": Sentence("kappa_x is undefined", "undefined"),
    "means_not_reliable": Sentence(
        "the item means of a pool do not vary, or are not reliable at all (ICC of 0 or less, or one label per item)",
        "undefined",
    ),
    "pool_of_one_rater": Sentence("no interval over raters: a pool has only one rater", "undefined"),
    "one_rater_matters": Sentence(
        "no interval over raters: leaving out one rater makes the figure undefined", "undefined"
    ),
    "without_pool": Sentence("annotations without a {column} were excluded"),
    "labels_not_used": Sentence("{pool} does not use the {n:label|labels} {labels:listed 4}"),
    "raters_in_both": Sentence(
        "{n:rater} in more than one pool ({raters:listed 3}): the pools are not independent, unless the same name refers"
        " to different people"
    ),
    "test_no_names": Sentence("the raters have no names", "undefined"),
    "test_no_shared_item": Sentence("the pools share no item", "undefined"),
    "test_too_many_pairs": Sentence("{n:,} pairs of annotations are too many to shuffle", "undefined"),
    "test_no_raters_within": Sentence("no two raters of the same pool label the same item", "undefined"),
    "test_no_labels_within": Sentence("no item has two labels from the same pool", "undefined"),
    "lowest_p": Sentence("with {sizes} raters p cannot be below {p:.3g}"),
    "two_labels_in_both": Sentence("on the {n:,} of {of:,} items with two or more labels in both pools"),
    "excess_noisy": Sentence(
        "with {each:g} labels per pool, the excess of a single item is noisy: use the list as a guide to where to look"
    ),
}
"""Of two pools of raters."""

OF_SETS: dict[str, Sentence] = {
    "no_sets_of_two_raters": Sentence("no item has sets from two raters, so nothing can be compared", "undefined"),
    "no_room": Sentence("chance alone gives full agreement, so {measure} is undefined", "undefined"),
    "labels_always_or_never": Sentence(
        "every rater gives every label always or never, so chance alone explains all agreement", "undefined"
    ),
    "pairs_undefined": Sentence("{n} of {of} pairs are undefined and excluded from the mean"),
    "pairs_apart": Sentence("{n} of {of} pairs of raters share no item"),
    "chance_simulated": Sentence(
        "chance was simulated on {n:,} pairs of sets; the standard error of expected is {se:.1g}"
    ),
    "chance_too_long": Sentence(
        "chance was simulated on {n:,} pairs of sets; the standard error of expected is {se:.1g} (exact chance would"
        " take {steps:.2g} steps; the limit is {limit:,})"
    ),
    "match_easier": Sentence(
        "several labels make a match easier than the measure of shared labels (soft_match) assumes: by chance"
        " {chance:.2f} of items would match, not {assumed:.2f}; report the share of items with a shared label,"
        " corrected for chance (boot_match)"
    ),
    "sizes_differ": Sentence(
        "{raters[0]} gives {sizes[0]:.2f} labels per annotation, {raters[1]} {sizes[1]:.2f}: this inflates the observed"
        " match; look at precision and recall, corrected for chance (boot_precision, boot_recall)"
    ),
    "more_than_half": Sentence(
        "{rater} gives more than half of all labels on average, so nearly anything matches; see F1, corrected for"
        " chance (boot_f1)"
    ),
    "raters_pooled": Sentence("{n} raters are pooled; name up to {limit} of them with <who> to compare pairs"),
}
"""Of label sets."""

OF_AGGREGATES: dict[str, Sentence] = {
    "only_one_item": Sentence("a single item does not show how far items differ", "undefined"),
    "no_agreement_within": Sentence("no item has two labels, so agreement within items is unknown", "undefined"),
    "labels_all_equal": Sentence(
        "every label is the same: the aggregates do not vary, so their reliability is undefined", "undefined"
    ),
    "aggregates_equal": Sentence("the aggregates do not vary, so their reliability is undefined", "undefined"),
    "items_of_enough": Sentence(
        "from the {n:,} of {of:,} items that have at least {least} labels; the others may differ"
    ),
    "items_of_both": Sentence("on the {n:,} of {of:,} items that both labelled"),
    "items_of_all": Sentence("on the {n:,} of {of:,} items that all {tables} labelled"),
    "bootstrap_biased": Sentence("bootstrap samples repeat an item's labels, so this estimate is biased upward"),
    "bootstrap_biased_by": Sentence(
        "bootstrap samples repeat an item's labels, so this estimate is biased upward: with ICC(1) = {icc:.4f} it tends"
        " to {limit:.4f}, while the reliability is {reliability:.4f}"
    ),
    "extrapolated": Sentence(
        "extrapolated: {n} labels per item determine aggregates of up to {most:label}; beyond that, the interval is the"
        " range of what the data allow"
    ),
    "in_bins": Sentence(
        "the model grouped the numbers into {n} bins with about equally many ratings each; in simulations with four"
        " normal ratings per item the figure was .05 to .09 too high, so read it as an upper bound, or use the mean"
    ),
    "drawing_error": Sentence(
        "random draws add a Monte Carlo standard error of {error:.2g} that the interval does not include;"
        " <replications={replications}> halves it"
    ),
    "drawing_error_by_seed": Sentence(
        "random draws add a Monte Carlo standard error of {error:.2g} that the interval does not include; another"
        " <seed> shows how far they move the figure"
    ),
    "random_ratings": Sentence("from {ratings} ratings of each item, drawn at random: another <seed> gives others"),
    "random_ratings_fewer": Sentence(
        "from {ratings} ratings of each item, {fewer:,} of which have fewer, drawn at random: another <seed> gives"
        " others"
    ),
    "only_means": Sentence(
        "from a published figure by Spearman-Brown, which holds for means of numbers if the figure of single ratings is"
        " an ICC or similar (alpha with interval distances, kappa with quadratic weights); a vote needs the labels"
    ),
    "published_limits": Sentence("the limits are those of the published interval, transformed to k"),
    "would_settle": Sentence(
        "what would settle it: {labels} labels on each of about {items:,} of these items, drawn at random, give the figure"
        " to within .05"
    ),
    "loses_votes": Sentence(
        "less reliable than one label: {label:quoted} is {before:.1%} of the labels, but wins only {after:.1%} of votes of"
        " {k}, because on its items it is a minority"
    ),
    "lower_by_chance": Sentence(
        "the figure is below that of one label by chance: a model of these votes shows no label that loses larger votes"
    ),
    "one_label_alone": Sentence("one label alone: {value:.4f}{limits}", "detail"),
    "never_above_0": Sentence("a reliability of 0 or less stays at 0 or less, however many ratings are averaged"),
    "answered_items": Sentence("on the {n:,} of {of:,} items that have an answer"),
    "more_than_rated": Sentence(
        "k is more than the {n:rating} that some items have: extrapolated from the noise of the ratings"
    ),
    "only_noise": Sentence(
        "noise explains all the differences between item means, so the correlation is undefined", "undefined"
    ),
    "items_of_k": Sentence("from the {n:,} of {of:,} items that have {k} labels or more"),
    "answers_never_given": Sentence("{n:,} items whose known answer no rater ever gave are left out"),
    "by_vote_model": Sentence(
        "by the vote model (kRR's method model); the limits are the range of what the data allow"
    ),
    "with_all_ratings": Sentence(
        "correlations are with the means of all available ratings; the reliability is that of the mean of {k:.4g}"
        " ratings"
    ),
    "no_ceiling": Sentence(
        "the reliability is not above 0: items cannot be distinguished by their means, so the ceiling is undefined",
        "undefined",
    ),
    "reliability_known": Sentence(
        "the published reliability is treated as known: these figures do not include its uncertainty"
    ),
    "above_ceiling": Sentence(
        "above the ceiling: the reliability is understated, or the system shares the raters' errors"
    ),
}
"""Of the reliability of aggregates, and what it allows systems."""

OF_PLANS: dict[str, Sentence] = {
    "budget_too_small": Sentence(
        "the reliability of the aggregate is undefined, or the budget buys fewer than two items", "undefined"
    ),
    "reaches_no_target": Sentence("a reliability of 0 or less reaches no target", "undefined"),
    "not_settled": Sentence("{share:.0%} of items are not settled at {settled:g} after {labels} labels", "undefined"),
    "target_not_reached": Sentence("{target:g} is not reached with {limit:,} labels per item", "undefined"),
    "more_not_ruled_out": Sentence("the data do not rule out that more than {limit:,} are needed"),
    "extrapolated_range": Sentence(
        "extrapolated from {n} labels per item: the interval is the range of what the data allow"
    ),
    "extrapolated_point": Sentence("extrapolated from {n} labels per item"),
    "even_median": Sentence(
        "an even number: its median may lie between two labels, so one label more can be less reliable"
    ),
    "no_standard_error": Sentence("the agreement of single labels has no standard error here", "undefined"),
    "no_standard_error_between": Sentence("normalised kappa_x has no standard error here", "undefined"),
    "not_above_margin": Sentence(
        "normalised kappa_x is {value:.3f} here, not above the margin, so no number of items would show that it is",
        "undefined",
    ),
    "like_itself": Sentence(
        "there is no second pool yet: it is assumed to be like this one, whose labels were divided at random into two pools"
        " of half as many labels per item"
    ),
}
"""Of plans."""

OF_SYSTEM_PLANS: dict[str, Sentence] = {
    "wrong_sign": Sentence(
        "with few labels the worse system wins by {metrics}: more items would only make that surer; use Brier or"
        " cross-entropy"
    ),
    "plan_of_metric": Sentence(
        "the best number of labels belongs to the score: one label each for Brier and cross-entropy if items cost nothing,"
        " several for the others",
        "detail",
    ),
    "difference_stated": Sentence(
        "planned for a difference of {d:g}, as stated; how variable scores are comes from the pilot's labels, up to {k} an"
        " item",
        "detail",
    ),
    "no_items_enough": Sentence("no number of items up to a million shows the difference", "undefined"),
}
"""Of plans to compare systems."""

OF_WEEKS: dict[str, Sentence] = {
    "weeks_not_compared": Sentence("no agreement could be computed in {weeks:listed}, which were left out"),
    "weeks_missing": Sentence(
        "weeks are missing before {before:listed}; this does not weaken the promise, but a fall is found later"
    ),
    "weeks_new_labels": Sentence(
        "{weeks:listed} have labels that the baseline lacks ({labels:listed}): a change of the labels, and not of raters,"
        " may be what is found"
    ),
    "weeks_grown": Sentence(
        "{weeks:listed} changed since the earlier look: false alarms in at most 5 % of streams are promised only if weeks"
        " are complete before they are looked at"
    ),
    "more_looks": Sentence(
        "{n} looks are more than the {looks} planned: the promise of 5 % ended there; plan more with <looks>"
    ),
}
"""Of agreement week after week."""

OF_SAMPLES: dict[str, Sentence] = {
    "stratum_unchecked": Sentence("nothing of it was checked", "undefined"),
    "strata_unchecked": Sentence("nothing was checked of {strata:listed}", "undefined"),
    "answers_not_labels": Sentence("answers that are no label in the sheet count as corrections: {answers:listed 5}"),
}
"""Of checked samples."""

OF_GROUPS: dict[str, Sentence] = {
    "raters_not_moved": Sentence(
        "{n:rater} of {of:,} could not be moved between groups, because no rater of another group labelled the same items"
    ),
    "no_cohesion": Sentence(
        "agreement within the group, or with the others, is undefined: too few labels of the same items, or one label",
        "undefined",
    ),
    "no_association_index": Sentence(
        "the association index is undefined, because agreement with the others is not above chance; see the difference",
        "undefined",
    ),
}
"""Of groups of raters."""

OF_SYSTEMS: dict[str, Sentence] = {
    "soft_items_apart": Sentence(
        "{n:item} in common: {labels:item} without a prediction and {system:item} without labels were left out"
    ),
    "soft_raters_apart": Sentence(
        "left out: {n:label} without a prediction for its rater, {items:item} without predictions, {system:item}"
        " without labels"
    ),
    "soft_infinite": Sentence(
        "cross-entropy and KL are infinite: on {n:,} of {of:item}, the system gives probability 0 to a label that"
        " somebody gave; <clip=1e-12> bounds it"
    ),
    "entropies_alike": Sentence("all items have the same entropy on one side", "undefined"),
    "nothing_to_gain": Sentence(
        "one distribution for all items is as good as the crowd's own, within the noise of its labels", "undefined"
    ),
    "soft_one_label": Sentence(
        "every item has one label, which shows nothing about the crowd's shares: no floor can be estimated, and scores"
        " other than Brier and cross-entropy reward overconfidence"
    ),
    "soft_unanimous": Sentence(
        "{share:.0%} of items are unanimous: too few labels differ for sure floors (in simulated crowds of 400 items, on the"
        " mean up to 6 % off for Manhattan and 19 % for KL; Brier's has no bias)"
    ),
    "soft_few_labels": Sentence(
        "with {k:g} labels an item, some scores prefer overconfident systems ({scores}); compare systems by"
        " Brier or cross-entropy, and take floors as rough"
    ),
}
"""Of systems against the crowd's shares."""

FIGURES: dict[str, Sentence] = {
    "text": Sentence("{text}"),  # of an older file, or of another package
    "refused": Sentence("{error}", "undefined"),
    **OF_INTERVALS,
    **OF_AGREEMENT,
    **OF_VARIANCE,
    **OF_POOLS,
    **OF_SETS,
    **OF_AGGREGATES,
    **OF_PLANS,
    **OF_SYSTEM_PLANS,
    **OF_WEEKS,
    **OF_SAMPLES,
    **OF_GROUPS,
    **OF_SYSTEMS,
}
