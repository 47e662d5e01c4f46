"""Agreement coefficients: pure functions of sums over weighted items, and the registry of them all."""

from __future__ import annotations

import re
from collections.abc import Mapping
from difflib import get_close_matches

from raters.coefficients.areas import bangdiwala, crossed
from raters.coefficients.base import Coefficient, Parts, Sums
from raters.coefficients.grouped import cohen, conger, conger_slope, matthews
from raters.coefficients.pairwise import PAIR_TERMS, hubert, light
from raters.coefficients.pooled import (
    brennan_prediger,
    fleiss,
    fleiss_pooled,
    gwet,
    gwet_pooled,
    krippendorff,
    krippendorff_large,
    krippendorff_slope,
    percent,
    van_oest,
)
from raters.errors import UsageError
from raters.notes.note import Note
from raters.plugins import Registry

__all__ = ["DEFAULT", "REGISTRY", "Coefficient", "Parts", "Sums", "coefficient", "coefficient_name"]

_ITEM = ("labelled", "paired", "agree")
_GROUP = ("by_group", "group_n")
_ALPHA = ("pairable_n", "pairable_agree", "pairable_own", "pairable")
_FLEISS_POOLED = (fleiss_pooled, (*_ITEM, "pooled", "annotations"))

REGISTRY: Mapping[str, Coefficient] = Registry(
    (
        Coefficient(
            "percent", "Percent agreement", percent, _ITEM, "",
            synonyms=("agreement", "percent agreement", "observed agreement", "raw agreement"),
            takes_distance=False, beyond_chance=False, one_label=1, lowest=0.0,
            weighted_title="Weighted percent agreement", weighs_by_scale=False, usual="4 percent",
        ),
        Coefficient(
            "cohen", "Cohen's kappa", cohen, ("pair_labels", "pair_labels_agree", *_GROUP), "Cohen 1960, 1968",
            synonyms=("kappa", "cohen kappa", "weighted kappa"), between_groups=True, exactly=2,
            instead="fleiss (what most papers report), conger, light or hubert", irr=True, usual="2 kappa",
            bibtex="@article{cohen1960coefficient, author={Cohen, Jacob}, title={A Coefficient of Agreement for Nominal Scales}, journal={Educational and Psychological Measurement}, volume={20}, number={1}, pages={37--46}, year={1960}}",
        ),
        Coefficient(
            "conger", "Conger's kappa", conger, (*_ITEM, *_GROUP), "Conger 1980",
            synonyms=("conger kappa",), between_groups=True, against_others="cohen", slope=conger_slope,
            bibtex="@article{conger1980integration, author={Conger, Anthony J.}, title={Integration and generalization of kappas for multiple raters}, journal={Psychological Bulletin}, volume={88}, number={2}, pages={322--328}, year={1980}}",
        ),
        Coefficient(
            "light", "Light's kappa", light, ("pairs",), "Light 1971", own_terms=PAIR_TERMS,
            synonyms=("light kappa",), between_groups=True, same_for_two="cohen", against_others="cohen", irrcac=False,
            bibtex="@article{light1971measures, author={Light, Richard J.}, title={Measures of response agreement for qualitative data: Some generalizations and alternatives}, journal={Psychological Bulletin}, volume={76}, number={5}, pages={365--377}, year={1971}}",
        ),
        Coefficient(
            "hubert", "Hubert's kappa", hubert, ("pairs",), "Hubert 1977", own_terms=PAIR_TERMS,
            synonyms=("hubert kappa",), between_groups=True, same_for_two="cohen", against_others="cohen", irrcac=False,
            bibtex="@article{hubert1977kappa, author={Hubert, Lawrence}, title={Kappa revisited}, journal={Psychological Bulletin}, volume={84}, number={2}, pages={289--297}, year={1977}}",
        ),
        Coefficient(
            "scott", "Scott's pi", fleiss, (*_ITEM, "shares"), "Scott 1955", synonyms=("pi", "scott pi"), exactly=2,
            instead="fleiss", pooled=_FLEISS_POOLED,
            bibtex="@article{scott1955reliability, author={Scott, William A.}, title={Reliability of Content Analysis: The Case of Nominal Scale Coding}, journal={Public Opinion Quarterly}, volume={19}, number={3}, pages={321--325}, year={1955}}",
        ),
        Coefficient(
            "fleiss", "Fleiss' kappa", fleiss, (*_ITEM, "shares"), "Fleiss 1971", synonyms=("fleiss kappa",),
            pooled=_FLEISS_POOLED, usual="2 kappa",
            bibtex="@article{fleiss1971measuring, author={Fleiss, Joseph L.}, title={Measuring nominal scale agreement among many raters}, journal={Psychological Bulletin}, volume={76}, number={5}, pages={378--382}, year={1971}}",
        ),
        Coefficient(
            "krippendorff", "Krippendorff's alpha", krippendorff, _ALPHA, "Krippendorff 2004",
            synonyms=("alpha", "krippendorff alpha"), enters=2, irr=True, by_scale=True, mid_ranks=True, usual="1 alpha",
            large_sample=krippendorff_large, slope=krippendorff_slope,
            bibtex="@book{krippendorff2004content, author={Krippendorff, Klaus}, title={Content Analysis: An Introduction to Its Methodology}, edition={2}, publisher={Sage}, year={2004}}",
        ),
        Coefficient(
            "gwet", "Gwet's AC1", gwet, (*_ITEM, "label_shares"), "Gwet 2008", synonyms=("ac1", "ac2", "gwet ac1", "gwet ac2", "gwet ac"),
            takes_distance=False, counts_labels=True, one_label=2, weighted_title="Gwet's AC2", usual="3 other",
            pooled=(gwet_pooled, (*_ITEM, "label_pooled", "annotations")),
            bibtex="@article{gwet2008computing, author={Gwet, Kilem Li}, title={Computing inter-rater reliability and its variance in the presence of high agreement}, journal={British Journal of Mathematical and Statistical Psychology}, volume={61}, pages={29--48}, year={2008}}",
        ),
        Coefficient(
            "brennan_prediger", "Brennan-Prediger", brennan_prediger, _ITEM, "Brennan & Prediger 1981",
            synonyms=("s", "bennett", "bennett s", "pabak", "randolph", "randolph kappa", "free marginal kappa", "g index"),
            counts_labels=True, one_label=2,
            bibtex="@article{brennan1981coefficient, author={Brennan, Robert L. and Prediger, Dale J.}, title={Coefficient Kappa: Some Uses, Misuses, and Alternatives}, journal={Educational and Psychological Measurement}, volume={41}, number={3}, pages={687--699}, year={1981}}",
        ),
        Coefficient(
            "iota", "Iota", conger, (*_ITEM, *_GROUP), "Janson & Olsson 2001", synonyms=("janson olsson",),
            between_groups=True, irr=True, by_scale=True, slope=conger_slope,
            bibtex="@article{janson2001measure, author={Janson, Harald and Olsson, Ulf}, title={A Measure of Agreement for Interval or Nominal Multivariate Observations}, journal={Educational and Psychological Measurement}, volume={61}, number={2}, pages={277--289}, year={2001}}",
        ),
        Coefficient(
            "bangdiwala", "Bangdiwala's B", bangdiwala, ("crossed",), "Bangdiwala 1985", own_terms={"crossed": crossed},
            synonyms=("b", "bangdiwala b"), between_groups=True, exactly=2, enters=2,
            instead="conger (there is no accepted form of it for more raters)", takes_distance=False, by_band=True,
            beyond_chance=False, from_parts=False, one_label=1, lowest=0.0,
            undefined=Note("no_common_label"),
            bibtex="@article{munoz1997interpretation, author={Munoz, Sergio R. and Bangdiwala, Shrikant I.}, title={Interpretation of Kappa and B statistics measures of agreement}, journal={Journal of Applied Statistics}, volume={24}, number={1}, pages={105--112}, year={1997}, note={B is of Bangdiwala (1985)}}",
        ),
        Coefficient(
            "matthews", "Matthews' correlation", matthews, ("pair_labels", "pair_labels_agree", *_GROUP), "Gorodkin 2004",
            synonyms=("mcc", "phi", "matthews correlation", "phi coefficient"), between_groups=True, exactly=2, enters=2, instead="fleiss, conger, light or hubert",
            takes_distance=False, from_parts=False, irrcac=False,
            undefined=Note("single_label_throughout"),
            bibtex="@article{gorodkin2004comparing, author={Gorodkin, Jan}, title={Comparing two K-category assignments by a K-category correlation coefficient}, journal={Computational Biology and Chemistry}, volume={28}, number={5--6}, pages={367--374}, year={2004}, note={for two labels Matthews (1975)}}",
        ),
        Coefficient(
            "van_oest", "Van Oest's coefficient", van_oest, ("pairings", "pairings_agree", "pooled", "annotations"), "van Oest 2019",
            synonyms=("irsq", "van oest", "uniform prior"), takes_distance=False, counts_labels=True, one_label=2, irrcac=False,
            bibtex="@article{vanoest2019new, author={van Oest, Rutger}, title={A new coefficient of interrater agreement: The challenge of highly unequal category proportions}, journal={Psychological Methods}, volume={24}, number={4}, pages={439--451}, year={2019}}",
        ),
    ),
    "raters.coefficients",
    Coefficient,
)  # fmt: skip
"""Every coefficient by name; another package adds its own under the entry point ``raters.coefficients``."""

DEFAULT = "krippendorff"
"""The default coefficient, and the main one of a table or report that includes it."""


def coefficient(name: str) -> Coefficient:
    """The row of a coefficient, by its name or by one that people also use.

    >>> coefficient("alpha").name, coefficient("Fleiss' kappa").name, coefficient("PABAK").name
    ('krippendorff', 'fleiss', 'brennan_prediger')
    """
    if name in REGISTRY:
        return REGISTRY[name]
    plain = _plain(name)
    known = {_plain(other): row for row in REGISTRY.values() for other in (*row.synonyms, row.title, row.name)}
    if plain in known:
        return known[plain]
    near = get_close_matches(plain, known, n=1)
    hint = f" Did you mean {known[near[0]].name!r}?" if near else ""
    raise UsageError(f"unknown coefficient {name!r}: choose one of {', '.join(REGISTRY)}.{hint}")


def coefficient_name(name: str) -> str:
    """The name in the registry of a coefficient, given that or a synonym."""
    return coefficient(name).name


def _plain(name: object) -> str:
    """Without case, hyphens and the possessive: "Cohen's kappa" is "cohen kappa"."""
    return " ".join(re.sub(r"['’]s?\b|['’]", "", str(name).casefold()).replace("_", " ").replace("-", " ").split())
