"""The picture of the rooms and the way of the data, docs/images/rooms.svg: python docs/figures/rooms.py"""

from html import escape
from pathlib import Path

STAGES = (
    ("any source", ("files, frames, rows,", "matrices, DuckDB, Spark"), (("io/", "sources, layouts, exports"), ("engines/", "DuckDB, Spark"))),
    ("one long table", ("item, rater, label", "scale, label order"), (("annotations", "the table, and its folds"), ("scales/", "how labels compare"))),
    ("folded items", ("unique patterns ×", "how many items"), (("items/", "the fold: two GROUP BYs"),)),
    ("numbers", ("pure functions of", "weighted patterns"), (("coefficients/", "REGISTRY"), ("inference/", "weights, intervals"), ("models/", "votes → EM → posterior"))),
    ("estimates", ("value, interval, parts,", "n, warnings: frozen"), (("agree/", "asked → estimate"), ("reliability/", "kRR, xRR, ICC, sets, plans"), ("judges/", "models as raters"))),
    ("answers", ("text, JSON, CSV, LaTeX,", "HTML, the command line"), (("reporting/", "sections, renderers"), ("charts/", "one function a picture"), ("cli/", "one module a command"))),
)  # fmt: skip
WIDTH, GAP, LEFT, TOP = 176, 20, 16, 54
ROOM, HEAD = 46, 84


def box(x: int, y: int, w: int, h: int, kind: str) -> str:
    return f'<rect class="{kind}" x="{x}" y="{y}" width="{w}" height="{h}" rx="6"/>'


def words(x: int, y: int, text: str, kind: str) -> str:
    return f'<text class="{kind}" x="{x}" y="{y}">{escape(text)}</text>'


def stage(at: int, title: str, lines: tuple[str, ...], rooms: tuple[tuple[str, str], ...]) -> list[str]:
    x = LEFT + at * (WIDTH + GAP)
    drawn = [box(x, TOP, WIDTH, HEAD, "stage"), words(x + 12, TOP + 26, title, "title")]
    drawn += [words(x + 12, TOP + 48 + 18 * i, line, "small") for i, line in enumerate(lines)]
    if at:
        y = TOP + HEAD // 2
        drawn.append(f'<path class="way" d="M{x - GAP + 3} {y} H{x - 5}" marker-end="url(#tip)"/>')
    for i, (name, what) in enumerate(rooms):
        y = TOP + HEAD + 18 + i * (ROOM + 10)
        drawn += [
            box(x, y, WIDTH, ROOM, "room"),
            words(x + 12, y + 19, name, "name"),
            words(x + 12, y + 36, what, "small"),
        ]
    return drawn


def picture() -> str:
    width = 2 * LEFT + len(STAGES) * WIDTH + (len(STAGES) - 1) * GAP
    height = TOP + HEAD + 18 + 3 * (ROOM + 10) + 8
    style = (
        "text{font:13px system-ui,sans-serif;fill:#1f2933}.title{font-weight:600;font-size:15px}.name{font:600 13px ui-monospace,monospace}"
        ".small{fill:#52606d;font-size:12px}.stage{fill:#e6f0fa;stroke:#7ba6d0}.room{fill:#fff;stroke:#b8c4ce}.way{stroke:#3b6ea5;stroke-width:2;fill:none}"
    )
    body = [line for at, (title, lines, rooms) in enumerate(STAGES) for line in stage(at, title, lines, rooms)]
    head = "The way of the data, left to right, and below each stage the rooms that do it"
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" role="img" aria-label="{head}">',
            f"<style>{style}</style>",
            '<defs><marker id="tip" viewBox="0 0 8 8" refX="6" refY="4" markerWidth="6" markerHeight="6" orient="auto"><path d="M0 0L8 4L0 8z" fill="#3b6ea5"/></marker></defs>',
            '<rect width="100%" height="100%" fill="#fbfcfd"/>',
            words(LEFT, 30, head, "small"),
            *body,
            "</svg>",
            "",
        ]
    )


if __name__ == "__main__":
    (Path(__file__).parents[1] / "images" / "rooms.svg").write_text(picture(), encoding="utf-8")
