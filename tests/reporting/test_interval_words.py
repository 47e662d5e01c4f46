"""What is said under a table of how its intervals were found."""

import raters
from raters import examples
from raters.estimate import Estimate
from raters.reporting.names import interval_note
from raters.reporting.tables import FORMATS

SINGLE = Estimate("IRR (k = 1)", 0.5, 0.4, 0.6, interval="imaginary")
RANGES = [Estimate(f"k = {k}", 0.6, 0.5, 0.9, interval="likelihood") for k in (3, 5, 7, 9)]


def test_ranges_of_what_the_data_allow_are_told_from_intervals():
    said = interval_note([SINGLE, *RANGES])
    assert said.startswith("95% intervals by a Bayesian bootstrap with one prior item (Ferguson 1973) over items. ")
    assert said.endswith(
        "k = 3, k = 5, k = 7 and 1 more: the range that the data allow by their likelihood, at 95% (not an interval of"
        " that kind)."
    )
    assert interval_note(RANGES[:1]) == "Ranges: what the data allow by their likelihood at 95%."


def test_a_printed_estimate_has_no_word_that_reads_as_made_up():
    assert str(SINGLE) == "IRR (k = 1) = 0.5000 (95% interval 0.4000 to 0.6000, Bayesian bootstrap with one prior item)"
    assert SINGLE.interval == "imaginary"


def test_coefficients_have_their_names_in_words_where_people_read_them():
    ann = examples.demo()
    table = raters.agreement_table(ann, ["brennan_prediger", "krippendorff"], interval=None)
    told = FORMATS["text"](ann, table)
    assert "Brennan-Prediger" in told and "brennan_prediger" not in told
    assert "brennan_prediger" in FORMATS["csv"](ann, table)  # where one types it
