"""One process a file: it reads and computes, so that a computation can be ended, and a crash takes nothing else with it.

The server asks for a view by its name and state, and gets text or bytes that are ready to send.
"""

from __future__ import annotations

import asyncio
import multiprocessing
import signal
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from multiprocessing.connection import Connection
from typing import Any

from raters.web.state import State

AT_ONCE = 2
"""Computations at the same time."""
WAIT = 0.7
"""Seconds after which a view says what is being computed, and does not wait any longer."""
KEPT = 64
"""Views of a file that are kept; those of the same address are made once."""
STOPPED = "The computation was stopped."
IDLE = 4
"""Files whose tables stay in memory."""
FORKS = "forkserver" in multiprocessing.get_all_start_methods()


def warm() -> None:
    """Have a process ready, from which those of the files start with everything imported."""
    if FORKS:  # not on Windows
        from multiprocessing import forkserver

        forkserver.set_forkserver_preload(["raters.web.views"])
        forkserver.ensure_running()


def serve(pipe: Connection, paths: Sequence[str], name: str) -> None:
    """The process: answer until the server hangs up."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the server's, which ends this process
    from raters.web.views import Session

    session = Session(paths, name, lambda stage: pipe.send(("stage", stage)))
    with suppress(EOFError, OSError):  # the server hung up
        while True:
            view, state, more = pipe.recv()
            pipe.send(session.answer(view, state, more))


@dataclass
class Job:
    """A view that is being made."""

    task: asyncio.Task[Any]
    stage: str = "waiting"
    draft: str = ""
    """HTML of what is known of the view so far."""


@dataclass
class Worker:
    """The server's end of a process; at most one view is made at a time."""

    paths: tuple[str, ...]
    name: str
    room: asyncio.Semaphore
    process: Any = None
    pipe: Any = None
    jobs: dict[Any, Job] = field(default_factory=dict)
    made: dict[Any, Any] = field(default_factory=dict)
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    ended: bool = False
    """The server ends; no process is started any more."""

    async def view(self, view: str, state: State, more: Any = None, wait: float | None = WAIT) -> Any:
        """What the view holds, or the job that makes it if that takes longer."""
        key = (view, state.query(), more)
        if key in self.made:
            return self.made[key]
        job = self.jobs.get(key)
        if job is None:
            job = self.jobs[key] = Job(asyncio.create_task(self._make(key, view, state, more)))
        await asyncio.wait({job.task}, timeout=wait)
        if not job.task.done():
            return job
        self.jobs.pop(key, None)
        if job.task.cancelled():
            return ("failed", STOPPED)
        return job.task.result()

    async def _make(self, key: Any, view: str, state: State, more: Any) -> Any:
        async with self.lock, self.room:
            if self.ended:
                return "failed", STOPPED
            self._start()
            answer = await asyncio.to_thread(self._asked, self.pipe, (view, state, more), partial(self._stage, key))
        if answer[0] == "done":
            self.made[key] = answer
            while len(self.made) > KEPT:
                del self.made[next(iter(self.made))]
        return answer

    def _stage(self, key: Any, said: str | dict[str, Any]) -> None:
        if key in self.jobs and isinstance(said, dict):
            self.jobs[key].draft = said["html"]
        elif key in self.jobs:
            self.jobs[key].stage = str(said)

    def _asked(self, pipe: Connection, question: Any, stage: Callable[[Any], None]) -> Any:
        try:
            pipe.send(question)
            while True:
                kind, what = pipe.recv()
                if kind != "stage":
                    return kind, what
                stage(what)
        except (EOFError, OSError):
            if self.pipe is pipe:  # else it was stopped, and the next one may run already
                self.stop()
            return "failed", STOPPED

    def _start(self) -> None:
        if self.process is not None and self.process.is_alive():
            return
        context: Any = multiprocessing.get_context("forkserver" if FORKS else "spawn")
        self.pipe, other = context.Pipe()
        self.process = context.Process(target=serve, args=(other, self.paths, self.name), daemon=True)
        self.process.start()
        other.close()

    def stop(self) -> None:
        """End the process with whatever it computes; the next view starts another."""
        self.jobs.clear()
        process, pipe, self.process, self.pipe = self.process, self.pipe, None, None
        if process is not None:
            process.kill()
            process.join(5)
        if pipe is not None:
            pipe.close()

    @property
    def busy(self) -> bool:
        return any(not job.task.done() for job in self.jobs.values())
