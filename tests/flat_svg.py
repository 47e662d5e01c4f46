"""An SVG as flat lists of its words and shapes at their places on the page, to compare two drawings."""

import math
import re
import xml.etree.ElementTree as ET
from dataclasses import dataclass, field

IDENTITY = (1.0, 0.0, 0.0, 1.0, 0.0, 0.0)


@dataclass
class Flat:
    size: tuple[float, ...]
    words: list[tuple] = field(default_factory=list)
    """Text, its style, and its place."""
    shapes: list[tuple] = field(default_factory=list)
    """Colours, opacities and the pen's width in hundredths, and the rectangle around it."""


def flat(svg: str) -> Flat:
    root = ET.fromstring(svg)
    made = Flat(tuple(float(v) for v in root.get("viewBox").split()))
    _walk(root, IDENTITY, made)
    return made


def _walk(node, at, made):
    if node.get("class") in ("background", "foreground") or node.get("opacity") == "0":
        return
    at = _turned(at, node.get("transform") or "")
    kind = node.tag.rpartition("}")[2]
    if kind == "text":
        style = (node.get("text-anchor"), node.get("font-size"), node.get("fill"), float(node.get("opacity") or 1))
        down = 0.0
        for part in [*node] or [node]:
            down += float(part.get("dy") or 0)
            x, y = float(part.get("x") or 0), float(part.get("y") or 0) + down
            if part.text:
                made.words.append((part.text, *style, *_at(at, x, y)))
        return
    if corners := [_at(at, *p) for p in _corners(kind, node)]:
        drawn = node.get("stroke") is not None
        style = tuple(
            node.get(name) for name in ("fill", "stroke", *(("stroke-dasharray", "stroke-linecap") if drawn else ()))
        )
        strong = ("fill-opacity", "opacity", *(("stroke-opacity", "stroke-width") if drawn else ()))
        xs, ys = zip(*corners, strict=True)
        made.shapes.append(
            (style, *(100 * float(node.get(name) or 1) for name in strong), min(xs), min(ys), max(xs), max(ys))
        )
    for part in node:
        _walk(part, at, made)


def _corners(kind, node):
    if kind == "line":
        return [(0.0, 0.0), (float(node.get("x2") or 0), float(node.get("y2") or 0))]
    if kind == "circle":
        x, y, r = (float(node.get(name)) for name in ("cx", "cy", "r"))
        return [(x - r, y - r), (x + r, y + r)]
    return _path(node.get("d") or "") if kind == "path" else []


def _path(steps):
    """The corners of a path; of an arc, the points where it starts and ends and those its radius above and below."""
    found, x, y = [], 0.0, 0.0
    for letter, rest in re.findall(r"([MLhvAZ])([^MLhvAZ]*)", steps):
        n = [float(v) for v in re.findall(r"-?[\d.]+(?:e-?\d+)?", rest)]
        if letter in "ML":
            found += zip(n[::2], n[1::2], strict=True)
        elif letter == "h":
            found.append((x + n[0], y))
        elif letter == "v":
            found.append((x, y + n[0]))
        elif letter == "A":
            found += [(n[5], n[6]), (n[5], n[6] - n[0]), (n[5], n[6] + n[0])]
        x, y = found[-1][:2] if letter != "A" else (n[5], n[6])
    return found


def _at(m, x, y):
    return m[0] * x + m[2] * y + m[4], m[1] * x + m[3] * y + m[5]


def _turned(m, transform):
    for kind, given in re.findall(r"(\w+)\(([^)]*)\)", transform):
        n = [float(v) for v in re.split(r"[ ,]+", given)]
        if kind == "rotate":
            c, s = math.cos(math.radians(n[0])), math.sin(math.radians(n[0]))
            b = (c, s, -s, c, 0.0, 0.0)
        else:
            b = (1.0, 0.0, 0.0, 1.0, n[0], n[1])
        m = (
            m[0] * b[0] + m[2] * b[1],
            m[1] * b[0] + m[3] * b[1],
            m[0] * b[2] + m[2] * b[3],
            m[1] * b[2] + m[3] * b[3],
            *_at(m, b[4], b[5]),
        )
    return m
