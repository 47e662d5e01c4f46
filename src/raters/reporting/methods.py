"""A methods paragraph to paste into a paper."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from raters import __version__
from raters.agree.estimating import too_few_shared
from raters.annotations import counted, not_used
from raters.coefficients import REGISTRY
from raters.estimate import Estimate, shown
from raters.inference.intervals import EVERY
from raters.models.result import Consensus
from raters.reporting.advice import span
from raters.reporting.context import Context
from raters.reporting.document import Section, percent
from raters.reporting.headline import lead_of
from raters.reporting.names import RANGES, in_words, inside

BIBTEX = {
    "Wong & Paritosh 2022": (
        "@inproceedings{wong2022krr, author={Wong, Ka and Paritosh, Praveen}, title={k-Rater Reliability: The Correct"
        " Unit of Reliability for Aggregated Human Annotations}, booktitle={Proceedings of ACL}, year={2022}}"
    ),
    "Wong, Paritosh & Aroyo 2021": (
        "@inproceedings{wong2021cross, author={Wong, Ka and Paritosh, Praveen and Aroyo, Lora},"
        " title={Cross-replication Reliability: An Empirical Approach to Interpreting Inter-rater Reliability},"
        " booktitle={Proceedings of ACL-IJCNLP}, year={2021}}"
    ),
    "Marchal et al. 2022": (
        "@inproceedings{marchal2022establishing, author={Marchal, Marian and Scholman, Merel and Yung, Frances and"
        " Demberg, Vera}, title={Establishing Annotation Quality in Multi-label Annotations}, booktitle={Proceedings of"
        " COLING}, year={2022}}"
    ),
    "Passonneau 2006": (
        "@inproceedings{passonneau2006measuring, author={Passonneau, Rebecca J.}, title={Measuring Agreement on"
        " Set-valued Items ({MASI}) for Semantic and Pragmatic Annotation}, booktitle={Proceedings of LREC},"
        " year={2006}}"
    ),
    "Dawid & Skene 1979": (
        "@article{dawid1979maximum, author={Dawid, A. P. and Skene, A. M.}, title={Maximum Likelihood Estimation of"
        " Observer Error-Rates Using the EM Algorithm}, journal={Applied Statistics}, volume={28}, number={1},"
        " pages={20--28}, year={1979}}"
    ),
    "Calderon, Reichart & Dror 2025": (
        "@inproceedings{calderon2025alternative, author={Calderon, Nitay and Reichart, Roi and Dror, Rotem}, title={The"
        " Alternative Annotator Test for {LLM}-as-a-Judge: How to Statistically Justify Replacing Human Annotators with"
        " {LLM}s}, booktitle={Proceedings of ACL}, year={2025}}"
    ),
    "Passonneau & Carpenter 2014": (
        "@article{passonneau2014benefits, author={Passonneau, Rebecca J. and Carpenter, Bob}, title={The Benefits of a"
        " Model of Annotation}, journal={Transactions of the ACL}, volume={2}, pages={311--326}, year={2014}}"
    ),
    "Carpenter 2008": (
        "@misc{carpenter2008multilevel, author={Carpenter, Bob}, title={Multilevel {B}ayesian Models of Categorical"
        " Data Annotation}, note={Manuscript}, year={2008}}"
    ),
    "Paun et al. 2018": (
        "@article{paun2018comparing, author={Paun, Silviu and Carpenter, Bob and Chamberlain, Jon and Hovy, Dirk and"
        " Kruschwitz, Udo and Poesio, Massimo}, title={Comparing {B}ayesian Models of Annotation},"
        " journal={Transactions of the ACL}, volume={6}, pages={571--585}, year={2018}}"
    ),
    "Ghosh et al. 2011": (
        "@inproceedings{ghosh2011moderates, author={Ghosh, Arpita and Kale, Satyen and McAfee, Preston}, title={Who"
        " Moderates the Moderators? Crowdsourcing Abuse Detection in User-Generated Content}, booktitle={Proceedings of"
        " the ACM Conference on Electronic Commerce}, pages={167--176}, year={2011}}"
    ),
    "Hovy et al. 2013": (
        "@inproceedings{hovy2013learning, author={Hovy, Dirk and Berg-Kirkpatrick, Taylor and Vaswani, Ashish and Hovy,"
        " Eduard}, title={Learning Whom to Trust with {MACE}}, booktitle={Proceedings of NAACL-HLT},"
        " pages={1120--1130}, year={2013}}"
    ),
    "Whitehill et al. 2009": (
        "@inproceedings{whitehill2009whose, author={Whitehill, Jacob and Ruvolo, Paul and Wu, Tingfan and Bergsma,"
        " Jacob and Movellan, Javier}, title={Whose Vote Should Count More: Optimal Integration of Labels from Labelers"
        " of Unknown Expertise}, booktitle={Advances in Neural Information Processing Systems 22}, pages={2035--2043},"
        " year={2009}}"
    ),
    "Johnson 1996": (
        "@article{johnson1996bayesian, author={Johnson, Valen E.}, title={On {B}ayesian Analysis of Multirater Ordinal"
        " Data: An Application to Automated Essay Grading}, journal={Journal of the American Statistical Association},"
        " volume={91}, number={433}, pages={42--51}, year={1996}}"
    ),
    "Uebersax 1993": (
        "@article{uebersax1993statistical, author={Uebersax, John S.}, title={Statistical Modeling of Expert Ratings on"
        " Medical Treatment Appropriateness}, journal={Journal of the American Statistical Association}, volume={88},"
        " number={422}, pages={421--427}, year={1993}}"
    ),
    "Raykar et al. 2010": (
        "@article{raykar2010learning, author={Raykar, Vikas C. and Yu, Shipeng and Zhao, Linda H. and Valadez, Gerardo"
        " Hermosillo and Florin, Charles and Bogoni, Luca and Moy, Linda}, title={Learning From Crowds},"
        " journal={Journal of Machine Learning Research}, volume={11}, pages={1297--1322}, year={2010}}"
    ),
    "Ustalov et al. 2024": (
        "@article{ustalov2024learning, author={Ustalov, Dmitry and Pavlichenko, Nikita and Tseitlin, Boris},"
        " title={Learning from Crowds with Crowd-Kit}, journal={Journal of Open Source Software}, volume={9},"
        " number={96}, pages={6227}, year={2024}}"
    ),
    "Rubin 1981": (
        "@article{rubin1981bayesian, author={Rubin, Donald B.}, title={The {B}ayesian Bootstrap}, journal={The Annals"
        " of Statistics}, volume={9}, number={1}, pages={130--134}, year={1981}}"
    ),
    "Fisher 1925": (
        "@book{fisher1925statistical, author={Fisher, Ronald A.}, title={Statistical Methods for Research Workers},"
        " publisher={Oliver and Boyd}, year={1925}}"
    ),
    "Satterthwaite 1946": (
        "@article{satterthwaite1946approximate, author={Satterthwaite, F. E.}, title={An Approximate Distribution of"
        " Estimates of Variance Components}, journal={Biometrics Bulletin}, volume={2}, number={6}, pages={110--114},"
        " year={1946}}"
    ),
    "Yao et al. 2018": (
        "@article{yao2018using, author={Yao, Yuling and Vehtari, Aki and Simpson, Daniel and Gelman, Andrew},"
        " title={Using Stacking to Average {B}ayesian Predictive Distributions}, journal={Bayesian Analysis},"
        " volume={13}, number={3}, pages={917--1007}, year={2018}}"
    ),
    "Hall 1992": (
        "@book{hall1992bootstrap, author={Hall, Peter}, title={The Bootstrap and {E}dgeworth Expansion},"
        " publisher={Springer}, year={1992}}"
    ),
}
"""By the words that cite it. Coefficients and intervals have theirs in their own registries."""
SOFTWARE = (
    "@software{raters, author={{The raters developers}}, title={raters: how far can labels be trusted?},"
    f" version={{{__version__}}}}}"
)


def cited(reference: str) -> str:
    """Works as a text cites them, from how a registry states them.

    >>> cited("Johnson (1996), JASA 91, 42-51; Uebersax (1993), JASA 88, 421-427")
    'Johnson 1996; Uebersax 1993'
    >>> cited("Hovy, Berg-Kirkpatrick, Vaswani & Hovy (2013), NAACL, 1120-1130")
    'Hovy et al. 2013'
    """
    found = re.findall(r"(?:^|; )(?:after )?([^;(]+?) \((\d{4})\)", reference)
    return "; ".join(f"{who.split(',')[0] + ' et al.' if ',' in who else who} {year}" for who, year in found)


def references(text: str, coefficients: tuple[str, ...] = ()) -> tuple[str, ...]:
    """BibTeX of the works that a text cites, of these coefficients, and of this software."""
    known = (
        {row.paper: row.bibtex for row in REGISTRY.values()}
        | {row.cited: row.bibtex for row in EVERY.values()}
        | BIBTEX
    )
    found = [REGISTRY[name].bibtex for name in coefficients if name in REGISTRY and REGISTRY[name].bibtex]
    found += [entry for words, entry in known.items() if words and entry and words in text]
    return (*dict.fromkeys(found), SOFTWARE)


def paragraph(c: Context, sections: Sequence[Section]) -> str:
    """What was done, in the words of a methods section."""
    ann = c.ann
    there = {s.key for s in sections if not s.absent}
    who = _who(c)
    parts = [
        f"{ann.n_items:,} items received {ann.used.n_annotations:,} annotations from {who}{_measured(c)}.",
        _design(c),
    ]
    e = lead_of(c) if "agreement" in there or "sets" in there else None
    if e is not None and math.isfinite(e.value):
        limits = (
            f"{c.level:.0%} interval {shown(e.low, 2)} to {shown(e.high, 2)} by {in_words(e.interval, c.resamples)},"
            " over items, raters held fixed."
            if math.isfinite(e.low)
            else "without an interval."
        )
        parts.append(
            f"Inter-rater agreement was measured by Krippendorff's alpha ({c.ann.scale.metric}; Krippendorff 2004), which"
            f" allows any number of raters, missing labels and {'sets' if ann.scale.of_sets else 'this scale'}:"
            f" {shown(e.value, 2)}, {limits}"
        )
    curve = c.curve
    if "aggregate" in there and not isinstance(curve, str) and not curve.alone:
        parts.append(
            "The reliability of aggregated labels was estimated as k-rater reliability (Wong & Paritosh 2022); for the"
            f" {curve.kind} of k = {curve.at} labels it is {shown(curve.now.value, 2)}{span(curve.now)}."
        )
    if "trust" in there and not isinstance(c.fit, str):
        parts.append(_one_label(c.fit))
    if "pools" in there:
        parts.append(_pools(c))
    if "judges" in there:
        parts.append(
            "Models were compared with people by the kappa of pairs of raters and by the alternative-annotator test"
            " (Calderon, Reichart & Dror 2025; epsilon = 0.1); the other figures are of people's labels alone."
        )
    if "sets" in there:
        parts.append(_shared(c))
    parts.append(f"All figures were computed with raters {__version__} (seed {c.seed}).")
    return " ".join(parts)


MOST_POOLS = 3
"""Pairs of pools that a paragraph has room for."""


def _measured(c: Context) -> str:
    """The scale of the labels, and whether it was only assumed."""
    if c.ann.scale.of_sets:
        return ", each a set of labels"
    return f"; the labels were {'taken as' if c.ann.scale_assumed else 'on'} {article(c.ann.scale)} scale"


def _one_label(fit: Consensus) -> str:
    """How the label of each item was found, and why so."""
    row = fit.definition
    start = "Where one label for each item was used, it was"
    folds = "by the log probability of held-out labels in five folds (Passonneau & Carpenter 2014)"
    if not row.likelihood:
        return f"{start} the majority vote."
    if fit.mixture is not None:
        return (
            f"{start} estimated by a mixture of {len(fit.mixture.models)} models of an item's labels, weighted by how well"
            f" they predict whole held-out items ({cited(row.reference)})."
        )
    works = f" ({cited(row.reference)})" if row.reference else ""
    return f"{start} estimated by the {row.title} model{works}, chosen among annotation models {folds}."


def _shared(c: Context) -> str:
    """How many labels two sets share, and how far that is beyond chance."""
    how = "with chance from bootstrapped label sets (Marchal et al. 2022)"
    if isinstance(c.sets, str) or not math.isfinite(c.sets["boot_f1"].value):
        return f"Agreement on label sets was corrected for chance {how}."
    e = c.sets["boot_f1"]
    return (
        f"Two raters shared {e.observed:.0%} of the labels of an item (F1) and would share {e.expected:.0%} by chance,"
        f" which is an agreement of {shown(e.value, 2)}{span(e)} beyond chance, {how}."
    )


def _pools(c: Context) -> str:
    """kappa_x of the pools, agreement within each, and the one relative to the other."""
    how = "Agreement between pools was measured by cross-replication reliability (Wong, Paritosh & Aroyo 2021)"
    rows = [] if isinstance(c.pools, str) else [r for r in c.pools if math.isfinite(r.kappa_x.value)]
    said = [
        f"between {r.pools[0]!r} and {r.pools[1]!r} kappa_x is {shown(r.kappa_x.value, 2)}{span(r.kappa_x)}, with"
        f" agreement within them of {shown(r.irr_x.value, 2)}{span(r.irr_x)} and {shown(r.irr_y.value, 2)}{span(r.irr_y)}"
        f" (alpha), which is a normalised kappa_x of {shown(r.normalized.value, 2)}{span(r.normalized)}"
        for r in rows[:MOST_POOLS]
    ]
    more = f" {len(rows) - MOST_POOLS} more pairs are in the table." if len(rows) > MOST_POOLS else ""
    return f"{'; '.join([f'{how}: {said[0]}', *said[1:]]) if said else how}.{more}"


def _who(c: Context) -> str:
    return f"{c.ann.n_raters:,} raters" if c.ann.n_raters else "unnamed raters"


def _design(c: Context) -> str:
    """How many labels each item has, who gave them, and what was left out."""
    ann = c.ann
    low, mean, high = ann.used.per_item
    cells = ann.n_items * ann.n_raters
    what = ann.scale.thing
    each = (
        f"Every item has {counted(low, what)}"
        if low == high
        else f"Items have {low} to {high} {what}s (mean {inside(mean, low, high)})"
    )
    whole = ann.n_raters and low == high == ann.n_raters
    crossed = (
        ", one from each rater."
        if whole
        else (
            f"; {percent(1 - ann.used.n_annotations / cells)} of the item-rater pairs have no {what}." if cells else "."
        )
    )
    lost = not_used(ann).replace("Not used:", "Left out:")
    return f"{each}{crossed}{f' {lost}' if lost else ''}"


def short(c: Context) -> str:
    """The same in two or three sentences."""
    ann = c.ann
    who = _who(c)
    low, mean, high = ann.used.per_item
    what = ann.scale.thing
    each = (
        f"{counted(low, what)} each"
        if low == high
        else f"{low} to {high} {what}s each, {inside(mean, low, high)} on average"
    )
    parts = [f"{ann.n_items:,} items were labelled by {who} ({each})."]
    if too_few_shared(ann):
        return " ".join([*parts, too_few_shared(ann), f"Computed with raters {__version__} (seed {c.seed})."])
    e = lead_of(c)
    if math.isfinite(e.value):
        limits = f" [{shown(e.low, 2)}, {shown(e.high, 2)}]" if math.isfinite(e.low) else ""
        parts.append(
            f"Agreement was Krippendorff's alpha = {shown(e.value, 2)}{limits} ({c.ann.scale.metric}; {c.level:.0%} interval"
            " over items)."
        )
    curve = c.curve
    if not isinstance(curve, str) and not curve.alone and math.isfinite(curve.now.value):
        parts.append(
            f"The {curve.kind} of {curve.at} labels has an estimated k-rater reliability of"
            f" {shown(curve.now.value, 2)}{_range(curve.now)} (Wong & Paritosh 2022)."
        )
    parts.append(f"Computed with raters {__version__} (seed {c.seed}).")
    return " ".join(parts)


def _range(e: Estimate) -> str:
    """The interval of a reliability, or the range that the data allow if a model extrapolates it."""
    if not math.isfinite(e.low):
        return ""
    limits = f"{shown(e.low, 2)} to {shown(e.high, 2)}"
    return (
        f", extrapolated by a model (the data allow {limits})"
        if e.interval in RANGES
        else f" [{limits.replace(' to ', ', ')}]"
    )


def article(scale: str) -> str:
    """The scale with its article.

    >>> article("ordinal"), article("nominal")
    ('an ordinal', 'a nominal')
    """
    return f"{'an' if scale[0] in 'aeiou' else 'a'} {scale}"
