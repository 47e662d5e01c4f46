"""BibTeX of whatever a text for a paper cites: all of it, and nothing else."""

from __future__ import annotations

import re

from raters import __version__
from raters.coefficients import REGISTRY
from raters.inference.intervals import EVERY

BIBTEX = {
    "Wong & Paritosh 2022": "@inproceedings{wong2022krr, author={Wong, Ka and Paritosh, Praveen}, title={k-Rater Reliability: The Correct Unit of Reliability for Aggregated Human Annotations}, booktitle={Proceedings of ACL}, year={2022}}",
    "Wong, Paritosh & Aroyo 2021": "@inproceedings{wong2021cross, author={Wong, Ka and Paritosh, Praveen and Aroyo, Lora}, title={Cross-replication Reliability: An Empirical Approach to Interpreting Inter-rater Reliability}, booktitle={Proceedings of ACL-IJCNLP}, year={2021}}",
    "Marchal et al. 2022": "@inproceedings{marchal2022establishing, author={Marchal, Marian and Scholman, Merel and Yung, Frances and Demberg, Vera}, title={Establishing Annotation Quality in Multi-label Annotations}, booktitle={Proceedings of COLING}, year={2022}}",
    "Passonneau 2006": "@inproceedings{passonneau2006measuring, author={Passonneau, Rebecca J.}, title={Measuring Agreement on Set-valued Items ({MASI}) for Semantic and Pragmatic Annotation}, booktitle={Proceedings of LREC}, year={2006}}",
    "Dawid & Skene 1979": "@article{dawid1979maximum, author={Dawid, A. P. and Skene, A. M.}, title={Maximum Likelihood Estimation of Observer Error-Rates Using the EM Algorithm}, journal={Applied Statistics}, volume={28}, number={1}, pages={20--28}, year={1979}}",
    "Calderon, Reichart & Dror 2025": "@inproceedings{calderon2025alternative, author={Calderon, Nitay and Reichart, Roi and Dror, Rotem}, title={The Alternative Annotator Test for {LLM}-as-a-Judge: How to Statistically Justify Replacing Human Annotators with {LLM}s}, booktitle={Proceedings of ACL}, year={2025}}",
    "Passonneau & Carpenter 2014": "@article{passonneau2014benefits, author={Passonneau, Rebecca J. and Carpenter, Bob}, title={The Benefits of a Model of Annotation}, journal={Transactions of the ACL}, volume={2}, pages={311--326}, year={2014}}",
    "Carpenter 2008": "@misc{carpenter2008multilevel, author={Carpenter, Bob}, title={Multilevel {B}ayesian Models of Categorical Data Annotation}, note={Manuscript}, year={2008}}",
    "Paun et al. 2018": "@article{paun2018comparing, author={Paun, Silviu and Carpenter, Bob and Chamberlain, Jon and Hovy, Dirk and Kruschwitz, Udo and Poesio, Massimo}, title={Comparing {B}ayesian Models of Annotation}, journal={Transactions of the ACL}, volume={6}, pages={571--585}, year={2018}}",
    "Ghosh et al. 2011": "@inproceedings{ghosh2011moderates, author={Ghosh, Arpita and Kale, Satyen and McAfee, Preston}, title={Who Moderates the Moderators? Crowdsourcing Abuse Detection in User-Generated Content}, booktitle={Proceedings of the ACM Conference on Electronic Commerce}, pages={167--176}, year={2011}}",
    "Hovy et al. 2013": "@inproceedings{hovy2013learning, author={Hovy, Dirk and Berg-Kirkpatrick, Taylor and Vaswani, Ashish and Hovy, Eduard}, title={Learning Whom to Trust with {MACE}}, booktitle={Proceedings of NAACL-HLT}, pages={1120--1130}, year={2013}}",
    "Whitehill et al. 2009": "@inproceedings{whitehill2009whose, author={Whitehill, Jacob and Ruvolo, Paul and Wu, Tingfan and Bergsma, Jacob and Movellan, Javier}, title={Whose Vote Should Count More: Optimal Integration of Labels from Labelers of Unknown Expertise}, booktitle={Advances in Neural Information Processing Systems 22}, pages={2035--2043}, year={2009}}",
    "Johnson 1996": "@article{johnson1996bayesian, author={Johnson, Valen E.}, title={On {B}ayesian Analysis of Multirater Ordinal Data: An Application to Automated Essay Grading}, journal={Journal of the American Statistical Association}, volume={91}, number={433}, pages={42--51}, year={1996}}",
    "Uebersax 1993": "@article{uebersax1993statistical, author={Uebersax, John S.}, title={Statistical Modeling of Expert Ratings on Medical Treatment Appropriateness}, journal={Journal of the American Statistical Association}, volume={88}, number={422}, pages={421--427}, year={1993}}",
    "Raykar et al. 2010": "@article{raykar2010learning, author={Raykar, Vikas C. and Yu, Shipeng and Zhao, Linda H. and Valadez, Gerardo Hermosillo and Florin, Charles and Bogoni, Luca and Moy, Linda}, title={Learning From Crowds}, journal={Journal of Machine Learning Research}, volume={11}, pages={1297--1322}, year={2010}}",
    "Ustalov et al. 2024": "@article{ustalov2024learning, author={Ustalov, Dmitry and Pavlichenko, Nikita and Tseitlin, Boris}, title={Learning from Crowds with Crowd-Kit}, journal={Journal of Open Source Software}, volume={9}, number={96}, pages={6227}, year={2024}}",
    "Rubin 1981": "@article{rubin1981bayesian, author={Rubin, Donald B.}, title={The {B}ayesian Bootstrap}, journal={The Annals of Statistics}, volume={9}, number={1}, pages={130--134}, year={1981}}",
    "Fisher 1925": "@book{fisher1925statistical, author={Fisher, Ronald A.}, title={Statistical Methods for Research Workers}, publisher={Oliver and Boyd}, year={1925}}",
    "Hall 1992": "@book{hall1992bootstrap, author={Hall, Peter}, title={The Bootstrap and {E}dgeworth Expansion}, publisher={Springer}, year={1992}}",
}
"""By the words that cite it. Coefficients and intervals have theirs in their own registries."""
SOFTWARE = f"@software{{raters, author={{{{The raters developers}}}}, title={{raters: how far can labels be trusted?}}, version={{{__version__}}}}}"


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
