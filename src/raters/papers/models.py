"""Passonneau & Carpenter (2014), The Benefits of a Model of Annotation, TACL 2, 311-326."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np

from raters.io.read import read
from raters.models.fit_consensus import consensus
from raters.models.result import Consensus
from raters.papers.annotation_tables import expected_entropy, mutual_information, posterior_given
from raters.papers.figure import Figure, Reproduction, found

THETA = {
    "theta 1": [[0.75, 0.25], [0.40, 0.60]],
    "theta 2": [[0.65, 0.35], [0.30, 0.70]],
    "theta 3": [[0.9, 0.1], [0.2, 0.8]],
}
PI = [0.2, 0.8]
MASC = "masc-amt-2013, the crowd's word senses of MASC (anc.org), in the folder of --data"
ALPHAS = (
    0.85, 0.84, 0.67, 0.57, 0.57, 0.54, 0.40, 0.20, 0.02, 0.70, 0.62, 0.60, 0.57, 0.57, 0.56, 0.56, 0.54, 0.49, 0.48,
    0.47, 0.47, 0.43, 0.34, 0.21, 0.15, 0.14, 0.69, 0.64, 0.63, 0.58, 0.57, 0.56, 0.55, 0.52, 0.49, 0.46, 0.44, 0.43,
    0.38, 0.37, 0.28, 0.26, 0.26, 0.25, 0.20,
)  # fmt: skip
"""Figure 3: alpha of trained annotators for each of 45 words."""
ACCURACIES = {  # word: mean accuracies of the crowd (section 4.2): sense, its category in the data, printed
    "add-v": ((1, 1, 0.90), (2, 2, 0.79), (6, 5, 0.29), (7, 6, 0.19)),
    "help-v": ((1, 1, 0.73), (4, 4, 0.64), (5, 5, 0.11), (7, 7, 0.11), ("other", 9, 0.11)),
}
WORDS = {  # word: items at .99 or more by sense 0, 1, 2, ...; total; log-likelihood is not printed
    "add-v": ((9, 461, 135, 107, 50, 50, 93), 905),
    "date-n": ((19, 68, 19, 83, 173, 190, 133, 236, 5), 926),
    "help-v": ((0, 279, 82, 201, 24, 0, 169, 0, 5), 760),
    "ask-v": ((6, 348, 177, 9, 251, 0, 6, 6), 803),
}
ENTROPIES = (0.71, 0.60, 0.47)
INFORMATION = (0.01, 0.13, 0.25)
OWN = "the paper's own matrices and prevalence give this; only theta 3 is as printed"


def reproduce(data: Path | None = None) -> Reproduction:
    """The worked example, the entropies, arithmetic on printed figures; Figures 4 and 5 and section 4 with the data."""
    post = posterior_given({"theta 1": 1, "theta 2": 1, "theta 3": 2}, THETA, PI)
    figures = [
        Figure("section 2.2.1", "posterior of label 1", 0.11, post[1], 2),
        Figure("section 2.2.1", "posterior of label 2", 0.89, post[2], 2),
        *(
            Figure("section 2.2.2", f"conditional entropy, {n}", v, expected_entropy(PI, m), 2, OWN)
            for (n, m), v in zip(THETA.items(), ENTROPIES, strict=True)
        ),
        *(
            Figure("section 2.2.2", f"mutual information, {n}", v, mutual_information(m, PI), 2, OWN)
            for (n, m), v in zip(THETA.items(), INFORMATION, strict=True)
        ),
        Figure(
            "section 2.1",
            "80 of 100: lower limit of 95 %",
            0.74,
            0.8 - 1.96 * math.sqrt(0.8 * 0.2 / 100),
            2,
            "by the binomial; the paper's limits are too narrow",
        ),
        Figure(
            "section 2.1", "80 of 100: upper limit", 0.86, 0.8 + 1.96 * math.sqrt(0.8 * 0.2 / 100), 2, "by the binomial"
        ),
        Figure(
            "section 2.1",
            "chance-adjusted agreement of two 90 % accurate annotators, 95 % prevalence",
            -0.053,
            _kappa(0.9, 0.95),
            3,
            "the paper takes .9 for the agreement of both (it is .82) and the true shares for theirs (.86, .14)",
        ),
        Figure(
            "section 3.2",
            "half-width for a prevalence of .10 and 1,000 instances",
            0.06,
            1.96 * math.sqrt(0.1 * 0.9 / 1000),
            2,
            ".06 is right for 100 instances",
        ),
        Figure(
            "section 4.1",
            "words with alpha below .50, of 45",
            20,
            float(sum(a < 0.5 for a in ALPHAS)),
            0,
            "counted in the paper's own Figure 3",
        ),
        *_figure_5(data),
        *_section_4(data),
    ]
    remarks = (
        (
            "Figure 5 is fitted as the authors did (start='paper'). Starts from the votes reach higher likelihoods on"
            " these words; 17.7 % of the labels of all 45 words then differ."
        ),
        (
            "The total of add-v, 962, is a misprint for 967; ask-v has 8 categories, and the paper prints a ninth row"
            " of 0."
        ),
    )
    return Reproduction("Passonneau & Carpenter (2014), The Benefits of a Model of Annotation", tuple(figures), remarks)


def _kappa(right: float, prevalence: float) -> float:
    """Cohen's kappa of two annotators who are right this often on either label, independently of each other."""
    agree = right**2 + (1 - right) ** 2
    first = prevalence * right + (1 - prevalence) * (1 - right)
    chance = first**2 + (1 - first) ** 2
    return (agree - chance) / (1 - chance)


def _section_4(data: Path | None) -> list[Figure]:
    """Prevalence, mean accuracies and certainty of single words, and how many words are certain, as far as at hand."""
    if _file(data, "add-v") is None or _file(data, "help-v") is None:
        told = [
            ("Figure 4a", "add-v: prevalence of sense 1", 0.51, 2, ".509"),
            ("section 4.1", "help-v: share of items between .75 and .99", 0.13, 2, ".160"),
            ("section 4.1", "words with 80 % of their items at .99", 42, 0, "41 of all 45"),
        ] + [
            ("section 4.2", f"{word}: mean accuracy on sense {sense}", printed, 2, "the same")
            for word, senses in ACCURACIES.items()
            for sense, _, printed in senses
        ]
        return [Figure(where, what, x, digits=d, needs=MASC, known=known) for where, what, x, d, known in told]
    fits = {word: _fit(path, len(WORDS[word][0])) for word in ACCURACIES if (path := _file(data, word)) is not None}
    sure = np.asarray(fits["help-v"].posterior).max(1)
    made = [
        Figure("Figure 4a", "add-v: prevalence of sense 1", 0.51, float(fits["add-v"].prevalence[0]), 2),
        Figure(
            "section 4.1",
            "help-v: share of items between .75 and .99",
            0.13,
            float(((sure > 0.75) & (sure < 0.99)).mean()),
            2,
            "of all items, as the 19 % beside it",
        ),
    ]
    for word, senses in ACCURACIES.items():
        right = np.asarray(fits[word].params["confusion"]).diagonal(axis1=1, axis2=2).mean(0)
        made += [
            Figure("section 4.2", f"{word}: mean accuracy on sense {sense}", printed, float(right[k - 1]), 2)
            for sense, k, printed in senses
        ]
    return [*made, _certain_words(data)]


def _certain_words(data: Path | None) -> Figure:
    """Words with 80 % of their items at .99, of all words at hand; the paper says 42 of 45."""
    folder = found(data, "masc-amt-2013", "masc")
    files = [] if folder is None else sorted({p.name.split(".")[0]: p for p in folder.rglob("*-?.tsv*")}.values())
    n = sum(float((np.asarray(_fit(p).posterior).max(1) >= 0.99).mean()) >= 0.8 for p in files)
    known = "" if len(files) == 45 else "; with all 45 words it was 41"
    why = f"of the {len(files)} words at hand{known}"
    return Figure(
        "section 4.1",
        f"words with 80 % of their items at .99, of {len(files)}",
        42 if len(files) == 45 else math.nan,
        float(n),
        0,
        why,
    )


def _figure_5(data: Path | None) -> list[Figure]:
    made = []
    for word, (senses, total) in WORDS.items():
        path = _file(data, word)
        if path is None:
            made.append(
                Figure(
                    "Figure 5",
                    f"{word}: items at .99 or more",
                    total,
                    digits=0,
                    needs=MASC,
                    known="the same, each sense",
                )
            )
            continue
        ours = _counts(path, len(senses))
        cells = (
            ""
            if tuple(ours) == senses
            else f"by sense {' '.join(map(str, ours))}; printed {' '.join(map(str, senses))}"
        )
        made.append(Figure("Figure 5", f"{word}: items at .99 or more, every sense", total, float(sum(ours)), 0, cells))
    return made


def _file(data: Path | None, word: str) -> Path | None:
    folder = found(data, "masc-amt-2013", "masc")
    if folder is None:
        return None
    return next((p for ending in ("tsv", "tsv.gz") for p in sorted(folder.rglob(f"{word}.{ending}"))), None)


def _fit(path: Path, k: int = 0) -> Consensus:
    """The authors' fit of a word; ``k``: its categories, if some may not occur."""
    labels = list(range(1, k + 1)) if k else None
    return consensus(read(path, scale="nominal", labels=labels, duplicates="keep"), "dawid_skene", start="paper")


def _counts(path: Path, k: int) -> list[int]:
    c = _fit(path, k)
    sure = np.asarray(c.posterior)[np.asarray(c.posterior).max(1) >= 0.99].argmax(1)
    by = np.bincount(sure, minlength=k)
    return [int(by[-1]), *(int(n) for n in by[:-1])]  # the largest category is sense 0
