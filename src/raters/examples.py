"""Small published tables and one simulated example. Each table is a string with one word per item and one character per
rater; a dot is a missing label.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from raters.annotations import Annotations
from raters.io.read import read
from raters.simulate import labels

FOUR_RATERS = "11.1 2232 3333 3333 2222 1234 4444 1121 2222 .555 ..11 ..3. "
FLEISS_1971 = (
    "444444 222555 233335 555555 222444 113333 333355 113334 114444 555555 144444 124444 222333 144444 "
    "224445 333335 111455 111112 224444 133555 555555 244444 224555 114444 144445 222224 111155 224444 "
    "133333 555555 "
)
HAYES_KRIPPENDORFF_2007 = (
    "112.2 1101. 2333. .00.0 000.0 000.0 102.1 1.20. 222.2 2111. .100. 0000. 1222. 33223 111.1 111.1 "
    "212.2 1233. 1101. 000.0 0011. 00.00 2333. 0000. 12.22 0111. 00010 1212. 1122. 112.2 110.0 2121. "
    "22.22 3222. 222.2 223.2 222.2 22.12 2222. 111.1 "
)
DIAGNOSES = ("depression", "personality disorder", "schizophrenia", "neurosis", "other")
ABSTRACTORS = ((13, 0, 0), (0, 20, 7), (0, 4, 56))
DEMO_LABELS = ("positive", "neutral", "negative")
DEMO_RATERS = ("ana", "ben", "chi", "dev", "eli")
DEMO_TOPICS = ("delivery", "price", "quality")
DEMO_BEGIN = {
    ("delivery", "positive"): "Ordered on Monday and here on Tuesday|The parcel came a day early|Left with my neighbour as I had asked|The driver rang before he came|It arrived well packed",
    ("delivery", "neutral"): "It came on the day they said|The parcel took four days|I picked it up at the shop|It was sent in two boxes|Delivery was by van",
    ("delivery", "negative"): "Three weeks and still no parcel|The box was torn open|It was left out in the rain|Nobody answers when you ask where it is|They sent it to my old address",
    ("price", "positive"): "Half of what others ask for it|I paid less than I had feared|There was a discount at the till|A fair price for once|Worth every penny",
    ("price", "neutral"): "It costs what such things cost|The price has not changed since spring|I paid by card|There are cheaper ones and dearer ones|The second one is half price",
    ("price", "negative"): "Far too expensive for plastic|The price went up in my basket|They charged me twice|Postage cost more than the cup|Cheap it is not",
    ("quality", "positive"): "Solid and nicely made|The colours are lovely|Sounds better than my old one|It fits as if made for me|My daughter will not put it down",
    ("quality", "neutral"): "It looks as in the picture|The blue is a little darker than I thought|It has two buttons and a lid|I have not used it much yet|It does what it says",
    ("quality", "negative"): "The handle came off in my hand|It smells of glue|Broke on the second day|The seams do not hold|It gets hot and then stops",
}  # fmt: skip
DEMO_END = {
    "positive": "I would buy it again.|Well done.|Could not be happier.|My friends want one now.|Five stars from me.|Just what I needed.|Thank you!|Highly recommended.",
    "neutral": "That is all I can say.|Nothing more to add.|Let us see how it does.|It is for my mother.|I bought it in May.|Neither good nor bad.|No opinion yet.|As expected.",
    "negative": "Never again.|I want my money back.|What a pity.|I had hoped for more.|Save yourself the trouble.|One star is too many.|Very disappointing.|I am sending it back.",
}  # fmt: skip


def _reviews(topics: Sequence[str], given: Sequence[Sequence[str]]) -> list[str]:
    """A short review for each item, on its topic and in the sense of the labels that it was given; one on which people
    differ says two things, the second on another topic. No two are the same.
    """
    seen: Counter[tuple[str, ...]] = Counter()
    found = []
    for topic, labels_ in zip(topics, given, strict=True):
        (first, n), *others = Counter(labels_).most_common()
        begin = DEMO_BEGIN[topic, first].split("|")
        mixed = 3 * n < 2 * len(labels_)
        kind = (topic, first, *([others[0][0]] if mixed else []))
        end = (
            DEMO_BEGIN[DEMO_TOPICS[DEMO_TOPICS.index(topic) - 1], kind[2]].split("|")
            if mixed
            else DEMO_END[first].split("|")
        )
        k = seen[kind]
        seen[kind] += 1
        found.append(
            f"{begin[k % len(begin)]}. {end[(k // len(begin) + k % len(begin)) % len(end)]}{'.' if mixed else ''}"
        )
    return found


def matrix(table: str) -> list[list[int | None]]:
    """Items by raters from a table in one string.

    >>> matrix("11. 23.")
    [[1, 1, None], [2, 3, None]]
    """
    return [[None if mark == "." else int(mark) for mark in word] for word in table.split()]


def four_raters(scale: str = "nominal") -> Annotations:
    """Twelve items, four raters, labels 1 to 5, seven missing.

    Krippendorff (2011), Computing Krippendorff's alpha-reliability; the same table is Gwet's cac.raw4raters.

    >>> four_raters().n_annotations
    41
    """
    return replace(read(matrix(FOUR_RATERS), layout="wide", scale=scale), source="four_raters")


def fleiss_1971() -> Annotations:
    """Thirty patients, six raters, five diagnoses; the order of raters within a patient has no meaning.

    Fleiss (1971), Psychological Bulletin 76, 378-382.

    >>> fleiss_1971().per_item
    (6, 6.0, 6)
    """
    names = [[DIAGNOSES[code - 1] for code in row if code] for row in matrix(FLEISS_1971)]
    return replace(read(names, layout="wide", scale="nominal", labels=DIAGNOSES), source="fleiss_1971")


def hayes_krippendorff_2007(scale: str = "ordinal") -> Annotations:
    """Forty newspaper articles, five observers, labels 0 to 3.

    Hayes & Krippendorff (2007), Communication Methods and Measures 1, 77-89.

    >>> hayes_krippendorff_2007().n_items
    40
    """
    return replace(read(matrix(HAYES_KRIPPENDORFF_2007), layout="wide", scale=scale), source="hayes_krippendorff_2007")


def abstractors() -> Annotations:
    """Two abstractors of medical records, 100 pregnancies: Gwet's cont3x3abstractors.

    Gwet (2014), Handbook of Inter-Rater Reliability, 4th edition.

    >>> abstractors().labels
    ('Ectopic', 'AIU', 'NIU')
    """
    return replace(
        read(ABSTRACTORS, layout="contingency", scale="nominal", labels=("Ectopic", "AIU", "NIU")), source="abstractors"
    )


def demo() -> Annotations:
    """A simulated table, the same on every run: 200 customer reviews, written for it, and five raters, one of whom often
    guesses.

    >>> demo().extras
    ('text', 'topic')
    """
    skill = (0.9, 0.85, 0.88, 0.45, 0.86)
    drawn = labels(200, 5, 3, accuracy=skill, prevalence=(0.5, 0.2, 0.3), missing=0.06, seed=2007)
    topics = [DEMO_TOPICS[i % 3] for i in range(1, 201)]
    given = [[DEMO_LABELS[k] for k in drawn.label[drawn.item == i]] for i in range(1, 201)]
    texts = np.array(_reviews(topics, given), dtype=object)
    columns = {
        "item": np.array([f"review {i:03d}" for i in drawn.item], dtype=object),
        "rater": np.array(DEMO_RATERS, dtype=object)[drawn.rater - 1],
        "label": np.array(DEMO_LABELS, dtype=object)[drawn.label],
        "text": texts[drawn.item - 1],
        "topic": np.array(DEMO_TOPICS, dtype=object)[drawn.item % 3],
    }
    return replace(read(columns, scale="nominal", labels=DEMO_LABELS), source="demo")
