"""The server: an address is a view of a file in a state; everything else is refused."""

from __future__ import annotations

import asyncio
import re
import socket
import webbrowser
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from importlib.resources import files as package_files
from pathlib import Path
from types import FrameType
from typing import Any
from urllib.parse import quote

import uvicorn
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route

from raters.errors import RatersError, UsageError
from raters.web.decisions import KINDS, Decision
from raters.web.files import Files, Opened, remember, remembered
from raters.web.guard import Guard
from raters.web.state import State, state_of
from raters.web.views import pages
from raters.web.worker import Job, warm
from raters.writing import sweep_folders

STATIC = {"page.css": "text/css", "page.js": "text/javascript", "htmx.min.js": "text/javascript"}
VIEWS = ("overview", "where", "raters", "items", "consensus", "judges", "reading", "spans", "questions")
WORDS = {"skip": "skipped", "none": "no right label", "undo": "taken back"}
OFFICE = "application/vnd.openxmlformats-officedocument"
KINDS_OF_FILES = {
    "html": "text/html", "md": "text/markdown", "csv": "text/csv", "json": "application/json", "jsonl": "application/jsonl",
    "svg": "image/svg+xml", "png": "image/png",
    "docx": f"{OFFICE}.wordprocessingml.document", "xlsx": f"{OFFICE}.spreadsheetml.sheet",
}  # fmt: skip
"""What may be downloaded, by the ending of its name."""
NAME = re.compile(r"(report|onepage|tables|meeting|consensus|next(-[a-z_]+)?|picture-[\w -]+)\.[a-z]+")


class Page:
    """The page's routes over the files it knows."""

    def __init__(self, files: Files) -> None:
        self.files = files
        self.style = package_files("raters.reporting").joinpath("templates/report.css").read_text()

    def routes(self) -> list[Route]:
        return [
            Route("/", self.start),
            Route("/open", self.open, methods=["POST"]),
            Route("/example", self.example, methods=["POST"]),
            Route("/recent/{id}", self.recent, methods=["POST"]),
            Route("/forget", self.forget, methods=["POST"]),
            Route("/static/{name}", self.static),
            Route("/f/{id}/stop", self.stop, methods=["POST"]),
            Route("/f/{id}/adjudicate", self.adjudicate),
            Route("/f/{id}/adjudicate", self.decide, methods=["POST"]),
            Route("/f/{id}/gold.csv", self.gold),
            Route("/f/{id}/download/{name}", self.download),
            Route("/f/{id}/{view}", self.view),
        ]

    async def start(self, request: Request) -> Response:
        return self.started()

    def started(self, said: str = "", status: int = 200) -> Response:
        here = {str(p) for o in self.files.opened.values() for p in o.paths}
        recent = {id_: x for id_, x in remembered().items() if x["path"] not in here}
        return self.shown("start", status, files=list(self.files.opened.values()), said=said, recent=recent)

    async def recent(self, request: Request) -> Response:
        """A file of an earlier time, by the id that the list has for it."""
        found = remembered().get(request.path_params["id"])
        if found is None:
            raise HTTPException(404)
        opened = await asyncio.to_thread(self.files.add, [Path(found["path"])], True)
        return RedirectResponse(f"/f/{opened.id}/overview", 303)

    async def static(self, request: Request) -> Response:
        name = request.path_params["name"]
        if name not in STATIC:
            raise HTTPException(404)
        text = package_files("raters.web").joinpath("static", name).read_text(encoding="utf-8")
        if name == "page.css":
            text = self.style + text
        return Response(text, media_type=STATIC[name])

    async def open(self, request: Request) -> Response:
        try:
            async with request.form(max_files=60, max_fields=10) as form:
                given = [x for x in form.getlist("file") if getattr(x, "filename", None)]
                opened = await self.files.receive(given)
        except RatersError as error:
            return self.started(str(error), 400)
        return RedirectResponse(f"/f/{opened.id}/overview", 303)

    async def example(self, request: Request) -> Response:
        from raters.examples import demo

        path = self.files.folder / "example.csv"
        if not path.exists():
            rows = await asyncio.to_thread(lambda: demo().to_columns())
            from raters.writing import csv_text, write_whole

            lines = zip(*rows.values(), strict=True)
            write_whole(path, csv_text(list(rows), lines).encode(), private=True)
        opened = self.files.add([path], named=False)
        return RedirectResponse(f"/f/{opened.id}/overview", 303)

    async def forget(self, request: Request) -> Response:
        self.files.forget()
        return RedirectResponse("/", 303)

    async def view(self, request: Request) -> Response:
        opened, view = self.file(request), request.path_params["view"]
        if view not in VIEWS:
            raise HTTPException(404)
        state = state_of(request.query_params.multi_items())
        if "role" in request.query_params:
            return RedirectResponse(f"/f/{opened.id}/{view}?{state.query()}", 303)
        more = await self.known(opened, state) if view == "consensus" else None
        return await self.made(opened, view, state, more, "x-draft" in request.headers)

    async def known(self, opened: Opened, state: State) -> tuple[tuple[str, str], ...]:
        """What was decided about the items of a question."""
        decided = await asyncio.to_thread(opened.log.of, state.question)
        return tuple((item, d.label) for item, d in decided.items() if d.kind == "label")

    async def made(self, opened: Opened, view: str, state: State, more: Any = None, waits: bool = False) -> Response:
        """The view, or what is known of it so far, or why it cannot be made; ``waits``: who asks has seen the draft."""
        found = await opened.worker.view(view, state, more)
        if isinstance(found, Job):
            return Response(status_code=204) if waits else self.computing(opened, view, state, found)
        kind, what = found
        if kind == "done":
            opened.several = opened.several or view == "questions"
            if view != "reading":  # which every file has
                opened.spans = view == "spans"
            now = what.get("verdict", ""), what.get("figure", "")
            if now[0] and state == State(question=state.question) and now != (opened.verdict, opened.figure):
                opened.verdict, opened.figure = now
                await asyncio.to_thread(remember, opened)
            return self.framed(opened, view, state, what["html"], what["title"])
        if kind == "spans":
            opened.spans = True
            return RedirectResponse(f"/f/{opened.id}/spans?{state.query()}", 303)
        if kind == "questions" and view != "reading":
            opened.several = True
            return RedirectResponse(f"/f/{opened.id}/questions?{state.query()}", 303)
        if kind == "unread" and view != "reading":  # nothing is computed while it is in doubt how the file is read
            return RedirectResponse(f"/f/{opened.id}/reading?{state.query()}", 303)
        return self.shown("failed", 422, file=opened, state=state, view=view, said=str(what))

    def computing(self, opened: Opened, view: str, state: State, job: Job) -> Response:
        return self.shown("computing", 202, file=opened, state=state, view=view, job=job, refresh=True)

    async def stop(self, request: Request) -> Response:
        opened = self.file(request)
        opened.worker.stop()
        return self.shown("stopped", file=opened, state=State(), view="overview")

    async def adjudicate(self, request: Request) -> Response:
        opened = self.file(request)
        return await self.adjudicating(opened, state_of(request.query_params.multi_items()))

    async def adjudicating(self, opened: Opened, state: State, said: str = "", status: int = 200) -> Response:
        """The next item without a decision, or the one that the address names; its votes only where asked for."""
        found = await opened.worker.view(
            "queue", replace(state.core(), only=state.only, cell=state.cell, without=(), slice="")
        )
        if isinstance(found, Job):
            return self.computing(opened, "adjudicate", state, found)
        kind, what = found
        if kind != "done":
            return await self.made(opened, "overview", state)
        decided = await asyncio.to_thread(opened.log.of, state.question)
        names = what["names"]
        item = state.at if state.at in names else next((x for x in names if x not in decided), "")
        card, text = None, ""
        if item:
            asked = State(state.reading, state.question, at=item, votes=state.votes)
            kind, found = await opened.worker.view("card", asked, wait=None)
            card, text = found if kind == "done" else (None, "")
        lines = await asyncio.to_thread(opened.log.lines)
        last = [d for d in lines if d.question == state.question][-5:][::-1]
        stand = Counter(d.label or WORDS[d.kind] for d in decided.values())
        values = {"counts": stand.most_common(), "words": WORDS, "item": item, "card": card, "labels": what["labels"]}
        values |= {"names": names, "decided": decided, "last": last, "text": text}
        values |= {"seen": opened.log.times(state.question, item), "path": opened.log.path, "said": said}
        done = sum(x in decided for x in names)
        return self.shown("adjudicate", status, file=opened, state=state, view="adjudicate", **values, done=done)

    async def decide(self, request: Request) -> Response:
        opened = self.file(request)
        async with request.form(max_files=0, max_fields=20) as form:
            given = {name: str(value) for name, value in form.items()}
        state = state_of(request.query_params.multi_items())
        if given.get("kind") not in KINDS or not given.get("item"):
            raise HTTPException(404)
        asked = replace(state.core(), only="all", without=(), slice="")
        kind, what = await opened.worker.view("queue", asked, wait=None)
        there = kind == "done" and given["item"] in what["names"]
        if not there or (given["kind"] == "label" and given.get("label") not in what["labels"]):
            said = "This item or label is not in the table as it is read here; nothing was saved."
            return await self.adjudicating(opened, replace(state, at=""), said, 409)
        note, saw = given.get("note", "")[:2000], given.get("saw") == "1"
        decision = Decision(state.question, given["item"], given["kind"], given.get("label", ""), note, saw)
        seen = int(given["seen"]) if given.get("seen", "").isdecimal() else -1
        try:
            written = await asyncio.to_thread(opened.log.append, decision, seen)
        except OSError as error:
            return await self.adjudicating(opened, state, f"This could not be saved: {error.strerror}.", 507)
        if not written:
            again = replace(state, at=decision.item)
            return await self.adjudicating(
                opened, again, "This item was decided in another window since; nothing was overwritten.", 409
            )
        item = decision.item if decision.kind == "undo" else ""
        return RedirectResponse(f"/f/{opened.id}/adjudicate?{state.query(at=item, votes=0)}", 303)

    async def gold(self, request: Request) -> Response:
        opened = self.file(request)
        question = state_of(request.query_params.multi_items()).question
        text = await asyncio.to_thread(opened.log.csv, question)
        return attachment(text, "text/csv", f"{Path(opened.name).stem}-gold.csv")

    async def download(self, request: Request) -> Response:
        opened, name = self.file(request), request.path_params["name"]
        kind = KINDS_OF_FILES.get(name.rpartition(".")[2])
        if kind is None or not NAME.fullmatch(name):
            raise HTTPException(404)
        state = state_of(request.query_params.multi_items())
        gold = await self.known(opened, state)
        found = await opened.worker.view("download", state.core(), (name, gold), wait=None)  # it comes when it is whole
        if found[0] != "done":
            return self.shown("failed", 422, file=opened, state=state, view="overview", said=str(found[1]))
        part = "-part" if state.without or state.slice or state.hidden else ""
        return attachment(found[1], kind, f"{Path(opened.name).stem}{part}-{name}")

    def framed(self, opened: Opened, view: str, state: State, inner: str, title: str) -> Response:
        from markupsafe import Markup

        return self.shown("frame", file=opened, view=view, state=state, inner=Markup(inner), title=title)

    def shown(self, template: str, status: int = 200, **values: Any) -> Response:
        """A template that the server itself fills: start, waiting, failed, adjudication."""
        defaults: dict[str, Any] = {"file": None, "view": "", "state": State(), "title": "raters", "refresh": False}
        made = pages().get_template(f"{template}.html").render(**{**defaults, **values})
        return HTMLResponse(made, status)

    def file(self, request: Request) -> Opened:
        found = self.files.get(request.path_params["id"])
        if found is None:
            raise HTTPException(404)
        return found

    def app(self) -> Starlette:
        """The routes, and what is said where one leads nowhere or a log of decisions cannot be read."""

        def missing(request: Request, error: Any) -> Response:
            return PlainTextResponse("raters: there is nothing here. Open the start page.\n", error.status_code)

        def refused(request: Request, error: Exception) -> Response:
            return self.shown("failed", 422, file=self.file(request), view="adjudicate", said=str(error))

        return Starlette(routes=self.routes(), exception_handlers={HTTPException: missing, RatersError: refused})


def attachment(content: str | bytes, kind: str, name: str) -> Response:
    """A file to save, whose name is safe in a header."""
    return Response(
        content, media_type=kind, headers={"content-disposition": f"attachment; filename*=UTF-8''{quote(name)}"}
    )


def listening(port: int) -> socket.socket:
    """A socket on this machine only."""
    made = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        made.bind(("127.0.0.1", port))
        made.listen(128)  # before the address is shown
    except OSError as error:
        raise UsageError(f"port {port} cannot be used ({error.strerror}). Leave --port out for a free one.") from None
    return made


class Server(uvicorn.Server):
    """One that ends what is being computed with itself: a thread that waits for a process would hold it back."""

    def __init__(self, config: uvicorn.Config, files: Files) -> None:
        super().__init__(config)
        self.files = files

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        self.files.stop()
        super().handle_exit(sig, frame)


def run(paths: Sequence[Path], port: int, browser: bool, tell: Callable[[str], None]) -> list[Path]:
    """Serve until Ctrl-C; the logs of decisions that there are then."""
    warm()
    files = Files()
    for path in paths:
        files.add([path], named=True)
    bound = listening(port)
    guard = Guard(Page(files).app(), bound.getsockname()[1], tell)
    quiet: Any = {"log_level": "critical", "access_log": False, "server_header": False, "date_header": False}
    config = uvicorn.Config(guard, ws="none", lifespan="off", timeout_graceful_shutdown=1, **quiet)
    tell(guard.address)
    if browser:
        with suppress(webbrowser.Error):
            webbrowser.open(guard.address)
    try:
        Server(config, files).run(sockets=[bound])
    except KeyboardInterrupt:
        pass
    finally:
        files.stop()
        sweep_folders(files.folder.parent)  # what their processes unpacked
    return sorted({o.log.path for o in files.opened.values() if o.log.path.exists()})
