"""The report in a real browser: nothing runs, nothing is fetched, layout holds, no serious accessibility fault."""

import shutil
from dataclasses import replace

import numpy as np
import pytest

import raters
from raters import examples

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def browser():
    from playwright.sync_api import sync_playwright

    with sync_playwright() as p:
        found = p.chromium.launch(
            executable_path=shutil.which("chromium") or shutil.which("chromium-browser"),
            args=["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"],
        )
        yield found
        found.close()


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    folder = tmp_path_factory.mktemp("pages")
    evil = "<script>document.title='owned'</script><img src=x onerror=\"document.title='owned'\">"
    labels = [evil, "=cmd|' /C calc'!A0", "\u202egnirts", "y" * 10_000]
    rows = [(f"{evil} {i}", f"{evil}{j}", labels[(i + (j == 2)) % 4]) for i in range(30) for j in range(4)]
    demo = raters.report(examples.demo(), resamples=100)
    whole = replace(demo, made={**demo.made, "print_details": True})
    rng = np.random.default_rng(1)
    many = [
        (i, f"r{j}", f"l{(i + (rng.random() < 0.3) * rng.integers(20)) % 20}") for i in range(120) for j in range(14)
    ]
    return {
        "demo": demo.save(folder / "demo.html"),
        "whole": whole.save(folder / "whole.html"),
        "many": raters.report(raters.read(many, scale="nominal"), resamples=100).save(folder / "many.html"),
        "hostile": raters.report(raters.read(rows, scale="nominal"), resamples=100).save(folder / "hostile.html"),
    }


@pytest.mark.parametrize("which", ["demo", "hostile"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_page(browser, pages, which, scheme):
    context = browser.new_context(color_scheme=scheme, viewport={"width": 1100, "height": 900})
    page = context.new_page()
    said, asked = [], []
    page.on("console", lambda m: said.append(m.text))
    page.on("pageerror", lambda e: said.append(str(e)))
    page.on("request", lambda r: asked.append(r.url))
    page.goto(pages[which].as_uri())
    assert page.title().startswith("How far can the labels of")
    assert said == [] and asked == [pages[which].as_uri()]
    assert page.evaluate("document.querySelectorAll('script, img, iframe').length") == 0
    from axe_playwright_python.sync_playwright import Axe

    faults = [v for v in Axe().run(page).response["violations"] if v["impact"] in ("serious", "critical")]
    assert [(v["id"], [n["html"][:200] for n in v["nodes"][:3]]) for v in faults] == []
    context.close()


@pytest.mark.parametrize("which", ["demo", "hostile"])
def test_narrow_screens_do_not_scroll_sideways(browser, pages, which):
    page = browser.new_page(viewport={"width": 380, "height": 800})
    page.goto(pages[which].as_uri())
    assert page.evaluate("document.documentElement.scrollWidth") <= 380
    page.close()


def test_readable_without_javascript_and_printable(browser, pages):
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(pages["demo"].as_uri())
    assert page.locator("figure svg").count() >= 4
    assert page.locator("h2").count() >= 8
    assert page.pdf()[:4] == b"%PDF"
    context.close()


@pytest.mark.parametrize("size", [(1280, 800), (400, 800)])
def test_the_first_screen_has_the_whole_verdict(browser, pages, size):
    page = browser.new_page(viewport={"width": size[0], "height": size[1]})
    page.goto(pages["demo"].as_uri())
    assert page.evaluate("document.querySelector('.change').getBoundingClientRect().bottom") <= size[1]
    shown = page.evaluate(
        "[...document.querySelectorAll('figure svg')].filter(e => e.getBoundingClientRect().width > 0).map(e =>"
        " e.className.baseVal)"
    )
    assert set(shown) == {"wide" if size[0] > 700 else "narrow"}
    page.close()


@pytest.mark.parametrize(("which", "printed"), [("demo", False), ("whole", True)])
def test_details_are_folded_and_printed_only_where_asked(browser, pages, which, printed):
    page = browser.new_page()
    page.goto(pages[which].as_uri())
    table = page.locator("details.more table").first
    assert not table.is_visible()
    page.emulate_media(media="print")
    table.wait_for(state="visible" if printed else "hidden")
    page.close()


def test_in_print_small_tables_and_answers_stay_whole_and_long_tables_continue(browser, pages):
    page = browser.new_page()
    page.goto(pages["many"].as_uri())
    page.emulate_media(media="print")
    tables = page.evaluate(
        "[...document.querySelectorAll('.question .table')].map(t => [t.querySelectorAll('tbody tr').length,"
        " getComputedStyle(t).breakInside])"
    )
    assert {kept for rows, kept in tables if rows <= 12} == {"avoid"} and {
        kept for rows, kept in tables if rows > 12
    } == {"auto"}
    style = "getComputedStyle(document.querySelector('{}')).{}"
    assert page.evaluate(style.format(".answer", "breakInside")) == "avoid"
    assert page.evaluate(style.format(".answer", "breakAfter")) == "auto", (
        "a chart does not pull its heading to the next page"
    )
    assert page.locator("footer").is_visible(), "what made the report stands on paper, too"
    page.close()
