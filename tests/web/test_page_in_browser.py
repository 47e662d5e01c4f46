"""The page in a real browser, from drop to download; nothing is asked of another host."""

import csv
import json
import math
import os
import re
import shutil
import signal
import subprocess
import sys
import time
import zipfile
from pathlib import Path

import pytest
from click.testing import CliRunner

import raters
from raters import examples
from raters.cli import cli
from raters.reporting.document import cell_text
from raters.writing import csv_text

pytestmark = pytest.mark.browser
NEXT_ITEM = (
    """t => document.documentElement?.matches('.scripted') && (document.querySelector('h1')?.innerText ?? t) !== t"""
)
"""Another item stands there, and keys are listened to."""
TARGETS = """() => {
  const low = [...document.querySelectorAll('main a, main button, main select, header a')].filter(e => {
    const r = e.getBoundingClientRect();
    return r.width && r.height < 44 && !(e.closest('p:not(.chips):not(.take):not(.switch)') || e.closest('figcaption'));
  }).map(e => e.outerHTML);
  const size = e => parseFloat(getComputedStyle(e).fontSize);
  const heads = [...document.querySelectorAll('main h1, main h2, main h3, main dd')].sort((a, b) => size(b) - size(a));
  return [low, heads[0].tagName];
}"""
"""On a phone: what is too low for a thumb (links within sentences may be), and the largest head."""
EVIL = "<script>document.title='owned'</script>"


class Server:
    """``raters serve`` as a user starts it."""

    def __init__(self, *files, home):
        env = {**os.environ, "XDG_DATA_HOME": str(home)}
        command = [sys.executable, "-m", "raters", "serve", "--no-browser", *map(str, files)]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=env)
        while not (found := re.search(r"Open (http://\S+)", self.process.stdout.readline())):
            assert self.process.poll() is None
        self.address = found[1]

    def end(self, number=signal.SIGINT):
        self.process.send_signal(number)
        return self.process.communicate(timeout=20)[0]


@pytest.fixture(scope="module")
def chromium():
    from playwright.sync_api import sync_playwright

    with sync_playwright() as p:
        found = p.chromium.launch(
            executable_path=shutil.which("chromium") or shutil.which("chromium-browser"),
            args=["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"],
        )
        yield found
        found.close()


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    return tmp_path_factory.mktemp("home")


@pytest.fixture
def started(home):
    """Starts servers, and ends those that a test leaves."""
    made = []
    yield lambda *files: made.append(Server(*files, home=home)) or made[-1]
    for found in made:
        if found.process.returncode is None:
            found.end(signal.SIGKILL)


@pytest.fixture(scope="module")
def demo(home):
    path = home / "demo.csv"
    table = examples.demo().to_columns()
    path.write_text("\n".join(",".join(map(str, row)) for row in [table, *zip(*table.values(), strict=True)]) + "\n")
    return path


@pytest.fixture(scope="module")
def several(home):
    path = home / "several.csv"
    path.write_text(
        "item,rater,tone,stance\n"
        + "".join(
            f"i{i},r{j},{'xy'[(i + (j == i % 3)) % 2]},{'pq'[(i // 2 + (j == i % 5)) % 2]}\n"
            for i in range(30)
            for j in range(3)
        )
    )
    return path


@pytest.fixture(scope="module")
def marks(home):
    found = home / "marks"
    for rater, end in (("ann", 4), ("bob", 11)):
        (found / rater).mkdir(parents=True)
        (found / rater / "one.txt").write_text("Kurt Schork came")
        (found / rater / "one.ann").write_text(f"T1\tPER 0 {end}\t{'Kurt Schork'[:end]}\n")
    return found


@pytest.fixture(scope="module")
def server(home, demo):
    found = Server(demo, home=home)
    yield found
    found.end()


@pytest.fixture(scope="module")
def context(chromium, server):
    """A browser that has opened the address, with what it was told and what it asked for."""
    made = chromium.new_context(viewport={"width": 1240, "height": 900}, accept_downloads=True)
    made.said, made.asked = [], []
    left = ("htmx:sendAbort", "htmx:afterRequest")  # a page that was left while it waited
    made.on(
        "console", lambda m: made.said.append(m.text) if m.type in ("error", "warning") and m.text not in left else None
    )
    made.on("weberror", lambda e: made.said.append(str(e.error)))
    made.on("request", lambda r: made.asked.append(r.url))
    page = made.new_page()
    page.goto(server.address)
    made.base = page.url.rstrip("/")
    page.close()
    yield made
    assert made.said == []
    assert all(url.startswith((made.base, "data:")) for url in made.asked)
    made.close()


@pytest.fixture
def page(context):
    made = context.new_page()
    made.set_default_timeout(90_000)
    yield made
    made.close()


def drop(page, base, *files):
    page.goto(base)
    page.set_input_files("#file", [str(f) for f in files])
    page.click("text=Open >> nth=0")


def faults(page):
    from axe_playwright_python.sync_playwright import Axe

    found = [v for v in Axe().run(page).response["violations"] if v["impact"] in ("serious", "critical")]
    return [(v["id"], [n["html"][:200] for n in v["nodes"][:3]]) for v in found]


def test_from_drop_to_download_with_the_figures_of_the_command(page, context, demo):
    assert page.context is context
    page.goto(context.base)
    assert page.url == f"{context.base}/" and "token" not in page.url
    assert "Nothing leaves this computer" in page.inner_text("main")
    drop(page, context.base, demo)
    page.wait_for_selector(".figures")
    e = raters.agreement(raters.read(demo))
    assert cell_text(e)[:4] in page.inner_text(".figure >> nth=0")
    page.click("nav.tabs >> text=Where")
    page.wait_for_selector(".matrix")
    page.click(".matrix td a >> nth=0")
    page.wait_for_selector("#cell .row")
    assert "cell=" in page.url
    page.go_back()
    page.wait_for_selector(".matrix")
    assert "cell=" not in page.url
    page.click("nav.tabs >> text=Overview")
    page.wait_for_selector(".figures")
    page.focus(".chip >> text=dev")
    page.keyboard.press("Enter")
    page.wait_for_selector(".doubt")
    assert "without=dev" in page.url and "optimistic" in page.inner_text(".doubt")
    page.wait_for_selector(".computing", state="detached")
    assert page.evaluate("document.activeElement.innerText") == "dev"  # the page around it was replaced
    page.reload()
    page.wait_for_selector(".doubt")
    page.click(".reset")
    page.wait_for_selector(".doubt", state="detached")
    with page.expect_download() as saved:
        page.click("text=JSON")
    made = json.loads(Path(saved.value.path()).read_text())
    assert any(x["value"] == pytest.approx(e.value, abs=1e-12) for x in made["estimates"])


def judges_and_people(data, folder):
    """Six people and some models on skin lesions, as a table."""
    path = folder / "lesion.csv"
    rows = []
    for kind in ("human", "llm"):
        for rater, given in json.loads((data / f"alt-test/lesion/{kind}_annotations.json").read_text()).items():
            rows += [(item, rater, int(label)) for item, label in given.items()]
    path.write_text(csv_text(("item", "rater", "label"), rows))
    return [path]


def zipped(folder, target):
    with zipfile.ZipFile(target, "w") as archive:
        for path in sorted(folder.rglob("*.*")):
            archive.write(path, path.relative_to(folder.parent))
    return [target]


REAL = {
    "long": (lambda d, t: [d / "tables/files/medevac_long.csv"], "agree", ""),
    "wide": (lambda d, t: [d / "tables/files/stain_fleiss.xlsx"], "agree", ""),
    "several": (lambda d, t: [d / "tables/files/textapp.csv"], "agree", ""),
    "a tool": (lambda d, t: [d / "exports/mturk/CrowdTruth__CrowdTruth-core__platform_amt2.csv"], "agree", ""),
    "judges": (judges_and_people, "judge --judges gpt-4o,gemini_pro", "judges?judges=gpt-4o&judges=gemini_pro"),
    "spans": (lambda d, t: zipped(d / "exports/brat/kldtz__bratiaa__agree-2", t / "brat.zip"), "agree", ""),
}


@pytest.mark.shared
@pytest.mark.parametrize("kind", REAL)
def test_real_files_have_the_figures_of_the_command(page, context, data_dir, tmp_path, kind):
    """From drop to download: value and limits on the page are those of ``--format json``, rounded."""
    from playwright.sync_api import expect

    make, command, view = REAL[kind]
    files = make(data_dir, tmp_path)
    drop(page, context.base, *files)
    page.wait_for_selector(".computing", state="detached")
    page.wait_for_selector("h1")
    if view:
        page.goto(re.sub(r"/\w+(\?.*)?$", f"/{view}", page.url))
        page.wait_for_selector(".computing", state="detached")
    name, *options = command.split()
    made = CliRunner().invoke(cli, [name, *map(str, files), *options, "--format", "json"])
    assert made.exit_code == 0, made.output
    said = json.loads(made.stdout)
    leads = [e for e in said["estimates"] if math.isfinite(e["value"] or math.nan) and e["low"] is not None]
    if kind != "several":
        leads = [next((e for e in leads if e["name"] == "krippendorff"), leads[0])]
    assert leads
    # a page that computes gives way to the figures, however long that takes
    expect(page.locator("main")).to_contain_text(f"{leads[0]['low']:.2f} to {leads[0]['high']:.2f}", timeout=120_000)
    shown = page.inner_text("main")
    for e in leads:
        value, low, high = (f"{e[x]:.2f}" for x in ("value", "low", "high"))
        assert value in shown and f"{low} to {high}" in shown, e["name"]
    if kind != "judges":
        with page.expect_download() as saved:
            page.click(".take >> text=JSON")
        found = json.loads(Path(saved.value.path()).read_text())["estimates"]
        assert {round(e["value"], 9) for e in leads} <= {round(e["value"], 9) for e in found if e["value"] is not None}


def test_every_view_is_accessible_and_fits_a_phone(page, context, home, demo, several, marks):
    page.goto(context.base)
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        assert faults(page) == []
    of_labels = (
        "overview?without=dev",
        "where?cell=0-1&by=chance",
        "raters?who=dev",
        "items",
        "consensus",
        "judges?judges=dev&who=dev",
        "reading",
        "adjudicate",
    )
    for files, views in (
        ([demo], of_labels),
        ([several], ("questions", "questions?open=tone")),
        (zipped(marks, home / "marks.zip"), ("spans",)),
    ):
        drop(page, context.base, *files)
        page.wait_for_selector(".figures, .asked, .kinds")
        for view in views:
            page.goto(re.sub(r"/\w+(\?.*)?$", f"/{view}", page.url))
            page.wait_for_selector(".computing", state="detached")
            for scheme in ("light", "dark"):
                page.emulate_media(color_scheme=scheme)
                assert faults(page) == [], (view, scheme)
                page.set_viewport_size({"width": 390, "height": 800})
                assert page.evaluate("document.documentElement.scrollWidth") <= 390, (view, scheme)
                small, narrow = page.evaluate(TARGETS)
                assert small == [], (view, scheme)
                assert narrow == "H1", (view, scheme)
                page.set_viewport_size({"width": 1240, "height": 900})


def test_labels_and_names_of_files_run_nothing(page, context, home):
    path = home / "x<img src=q onerror=alert(1)>.csv"
    cells = [(f"{EVIL}{i}", f"{EVIL}{j}", f"{EVIL}{(i + j % 2) % 3}") for i in range(12) for j in range(4)]
    path.write_text("item,rater,label\n" + "\n".join(",".join(f'"{x}"' for x in row) for row in cells) + "\n")
    drop(page, context.base, path)
    page.wait_for_selector(".figures")
    for view in ("where?cell=0-1", "raters", "items", "adjudicate?votes=1"):
        page.goto(re.sub(r"/\w+(\?.*)?$", f"/{view}", page.url))
        page.wait_for_selector(".computing", state="detached")
        assert (
            page.title() != "owned" and page.evaluate("document.querySelectorAll('main img, main script').length") == 0
        )


def test_without_scripts_links_and_forms_do_the_same(chromium, started, demo, several, marks):
    other = started(demo, several, marks)
    plain = chromium.new_context(java_script_enabled=False)
    page = plain.new_page()
    page.set_default_timeout(90_000)
    page.goto(other.address)
    page.click(".files a >> nth=1")
    page.click(".fold >> nth=0")
    page.wait_for_selector(".open .figures")
    page.goto(page.url.split("/f/")[0])
    page.click(".files a >> nth=2")
    page.click(".switch a >> nth=1")
    page.wait_for_url("**same=overlap**")
    page.goto(page.url.split("/f/")[0])
    page.click(".files a >> nth=0")
    page.wait_for_selector(".figures")
    page.fill("#cost", "0.5") if page.is_visible("#cost") else None
    page.click("nav.tabs >> text=Where")
    page.click("text=compared with chance")
    page.wait_for_selector(".matrix >> text=×")
    page.click("nav.tabs >> text=Judges")
    page.check("input[value=dev]")
    page.click("button:text-is('Compare')")
    page.select_option("#margin", "0.2")
    page.click(".chips form:has(#margin) button")
    page.wait_for_url("**margin=0.2**")
    page.click(".switch a >> text=dev")
    page.wait_for_selector("#judge table")
    page.click("nav.tabs >> text=Consensus")
    page.wait_for_selector("text=What to label next")
    page.click("nav.tabs >> text=Items")
    page.wait_for_selector(".row")
    page.fill("#find", "review 051")
    page.click("form.ask button")
    page.wait_for_selector("text=1 item with")
    page.click("nav.tabs >> text=Adjudicate")
    page.wait_for_selector(".labels")
    before = page.inner_text("h1")
    page.click(".labels button >> nth=0")
    page.wait_for_selector("ol.last li")
    assert page.inner_text("h1") != before
    plain.close()
    assert "decisions are in" in other.end()
    demo.with_name("demo.csv.decisions.jsonl").unlink()


def test_a_hundred_decisions_by_keyboard_survive_a_kill(chromium, started, demo):
    """Every decision that was followed by the next item is there after the server is killed."""
    other, log = started(demo), demo.with_name("demo.csv.decisions.jsonl")
    made = chromium.new_context()
    page = made.new_page()
    page.set_default_timeout(90_000)

    def opened(server):
        page.goto(server.address)
        page.click(".files a")
        page.wait_for_selector(".figures")
        page.click("nav.tabs >> text=Adjudicate")
        page.wait_for_selector(".labels")

    def decide(n):
        for i in range(n):
            title = page.inner_text("h1")
            assert page.locator(".votes").count() == 0  # hidden until asked for
            page.keyboard.press("123"[i % 3])
            page.wait_for_function(NEXT_ITEM, arg=title)

    opened(other)
    decide(60)
    assert len(log.read_text().splitlines()) == 60
    other.end(signal.SIGKILL)
    page.keyboard.press("1")
    page.wait_for_selector("text=raters serve does not answer, so this was not done")
    other = started(demo)
    opened(other)
    assert "60 of" in page.inner_text(".progress")
    decide(40)
    page.keyboard.press("u")
    page.wait_for_function("() => document.querySelector('.progress')?.innerText.startsWith('99 of')")
    page.keyboard.press("n")
    page.keyboard.type("1 unsure")
    page.keyboard.press("Enter")  # leaves the note, and decides nothing
    assert page.input_value("#note") == "1 unsure" and len(log.read_text().splitlines()) == 101
    assert page.evaluate("document.activeElement.tagName") == "BODY"
    with page.expect_download() as saved:
        page.click("text=Download the decisions")
    with open(saved.value.path(), newline="") as file:
        assert len(list(csv.DictReader(file))) == 99
    made.close()
    other.end()
    log.unlink()


def test_two_windows_and_two_files_do_not_mix(context, demo, home):
    other = home / "other.csv"
    other.write_text(
        "item,rater,label\n" + "\n".join(f"q{i},r{j},{'ab'[(i + j) % 2]}" for i in range(30) for j in range(3))
    )
    one, two = context.new_page(), context.new_page()
    for page, path in ((one, demo), (two, other)):
        page.set_default_timeout(90_000)
        drop(page, context.base, path)
    for page, path in ((one, demo), (two, other)):
        page.wait_for_selector(".figures")
        assert path.name in page.inner_text(".about")
        page.close()


def test_a_form_says_all_of_an_address_and_an_order_is_of_one_question(page, context, demo, several):
    drop(page, context.base, several)
    page.wait_for_selector(".asked")
    page.click(".asked th a >> text=tone")
    page.wait_for_selector(".take")
    page.click("text=how it was read")
    page.click("text=Use this order")
    page.wait_for_url("**scale.tone=ordinal**")
    page.click("text=Yes, that is how it reads")
    page.wait_for_selector(".take")
    assert "read as ordinal" in page.inner_text(".about")
    page.select_option("#q", "stance")
    page.wait_for_url("**q=stance")
    page.wait_for_selector(".about >> text=read as nominal")
    page.click("nav.tabs >> text=Questions")
    page.wait_for_selector(".asked")
    assert page.url.count("scale.tone") == page.url.count("labels.tone") == 1
    drop(page, context.base, demo)
    page.wait_for_selector(".take")
    page.goto(re.sub(r"/\w+(\?.*)?$", "/judges?judges=dev&judges=ana", page.url))
    page.uncheck("input[type=checkbox][value=ana]")
    page.click("button:text-is('Compare')")
    page.wait_for_url("**judges?judges=dev")


def test_a_message_is_copied_or_selected(page, context, demo):
    drop(page, context.base, demo)
    page.wait_for_selector(".take")
    page.goto(re.sub(r"/\w+(\?.*)?$", "/raters?who=dev", page.url))
    context.grant_permissions(["clipboard-read", "clipboard-write"], origin=context.base)
    page.click("text=Copy the message")
    page.wait_for_selector("text=Copied.")
    assert page.evaluate("navigator.clipboard.readText()") == page.input_value("#letter")
    context.clear_permissions()
    page.evaluate("() => { navigator.clipboard.writeText = () => Promise.reject(new Error('no')); }")
    page.click("text=Copy the message")
    page.wait_for_selector("text=press Ctrl+C")
    assert page.evaluate("getSelection().toString()") == page.input_value("#letter")


def test_a_computation_can_be_stopped(chromium, started, home):
    big = home / "big.csv"
    with big.open("w") as file:
        file.write("item,rater,label\n")
        file.writelines(f"i{i},r{(i * 7 + j) % 997},{(i * j) % 5}\n" for i in range(120_000) for j in range(5))
    server = started(big)
    made = chromium.new_context()
    page = made.new_page()
    page.set_default_timeout(90_000)
    page.goto(server.address)
    page.click(".files a")
    page.wait_for_selector(
        "main:has(.figure):has(.computing):not(:has(.take))"
    )  # what counts alone say; a model is fitted
    page.click("text=Stop")
    page.wait_for_selector("text=Nothing was changed")
    page.goto(server.address.split("/start")[0])
    assert page.locator(".files a").count() == 1
    page.click(".files a")
    page.wait_for_selector(".computing")
    start = time.monotonic()
    server.end()  # while it computes
    assert time.monotonic() - start < 8
    made.close()


def test_a_table_in_doubt_is_corrected_by_clicking(page, context, home):
    path = home / "doubt.csv"
    rows = "".join(f"{i},{1 + i % 4},{1 + (i * (3 if i % 5 == 0 else 1)) % 4}\n" for i in range(60))
    path.write_text("id,anna,ben\n" + rows)
    drop(page, context.base, path)
    page.wait_for_selector(".offer")
    assert "nothing has been computed" in page.inner_text("main") and page.locator(".figures, .counts").count() == 0
    page.click(".offer >> nth=0")
    page.wait_for_selector(".counts")
    assert "rater=anna" in page.url
    page.click("text=Yes, that is how it reads")
    page.wait_for_selector(".figures")
    e = raters.agreement(raters.read(path, item="id", rater=["anna", "ben"], scale="ordinal"))
    assert cell_text(e).split(" ")[0] in page.inner_text(".figure >> nth=0")


def test_heads_of_columns_orders_and_codes_are_changed_by_clicking(page, context, home):
    path = home / "heads.csv"
    rows = [
        f"d{i},{'xyz'[j]},{['low', 'mid', 'top', 'n/k'][(i + j * (i % 3)) % 4]},{i % 3}"
        for i in range(40)
        for j in range(3)
    ]
    path.write_text("doc,who,tone,group\n" + "\n".join(rows) + "\n")
    drop(page, context.base, path)
    page.wait_for_selector("h1")
    page.goto(re.sub(r"/\w+(\?.*)?$", "/reading", page.url))
    for column, role in (("doc", "item"), ("who", "rater"), ("tone", "label"), ("group", "")):
        page.select_option(f"select[aria-label='What {column} is']", f"{role}={column}" if role else "")
    page.click("text=Read it so")
    page.wait_for_url("**label=tone**")
    page.check("label.check >> text=n/k")
    page.click("text=Read it so")
    page.wait_for_url("**missing=n**")
    page.click("text=Use this order")
    page.wait_for_url("**scale=ordinal**")
    page.click("[aria-label='top earlier']")
    page.wait_for_url("**labels=low%7Ctop%7Cmid**")
    assert "--labels low,top,mid" in page.inner_text("pre >> nth=0")
    page.click("text=Yes, that is how it reads")
    page.wait_for_selector(".figures")
    options = {"item": "doc", "rater": "who", "label": "tone", "scale": "ordinal", "missing": "n/k"}
    e = raters.agreement(raters.read(path, labels=["low", "top", "mid"], **options))
    assert cell_text(e).split(" ")[0] in page.inner_text(".figure >> nth=0")
