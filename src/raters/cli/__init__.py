"""The command line: open, call one function, print. Each command is a file, imported when it is called."""

from __future__ import annotations

import io
import json
import os
import signal
import sys
from collections.abc import Mapping
from contextlib import suppress
from importlib import import_module
from threading import Thread
from typing import Any, NoReturn

try:
    import click

    from raters import __version__
    from raters.cli.options import stop
    from raters.cli.typed import as_typed, options_of
    from raters.errors import RatersError, UsageError
except KeyboardInterrupt:  # before any handler is in place
    sys.exit(130)

COMMANDS: Mapping[str, str] = {
    "report": "Write one report that answers all questions.",
    "agree": "Measure agreement between raters.",
    "krr": "Estimate the reliability of the mean or majority of k labels.",
    "plan": "Plan how many labels and items to collect.",
    "xrr": "Measure whether another pool of raters would give the same labels.",
    "judge": "Check whether a model may stand in for people, and calibrate its labels.",
    "multilabel": "Measure agreement between raters who may give several labels.",
    "consensus": "Find the consensus label of each item, rate the raters, and choose what to label next.",
    "watch": "Watch agreement week after week, with an alarm.",
    "meeting": "List the items on which people differ, for a meeting.",
    "check": "Estimate the error rate of a data set from a checked sample.",
    "rank": "Rank systems by people's preferences.",
    "groups": "Find groups of raters who agree more within the group than with the others.",
    "evaluate": "Evaluate a system's probabilities against the labels of people.",
    "serve": "Open the page: drop a file, look, decide, download.",
    "look": "Show how a file was read, before anything is computed.",
    "convert": "Write any table of labels as one row per annotation.",
    "fold": "Fold a table into small files of label patterns that can be added up, such as one a day.",
    "reproduce": "Compare the printed figures of four papers with ours.",
    "demo": "Write the report on a simulated example.",
    "help": "Explain how a file is read, intervals, output, or a command.",
}
"""Every command and its one-line help; each command is in the module of the same name, but for two."""
TOGETHER = {"demo": "report", "fold": "convert"}
STOPPED = "stopped; nothing was written."
THREADS = ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS")
"""How the libraries behind numpy's products are told their number of threads."""


class Commands(click.Group):
    """Imports each command only when it is called, so that help is fast."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = getattr(import_module(f"raters.cli.{TOGETHER.get(cmd_name, cmd_name)}"), cmd_name)
        return command

    def invoke(self, ctx: click.Context) -> Any:
        """Notes and errors of the library name the arguments of its functions; here they name the options."""
        from raters.cli.asking import as_json
        from raters.io.readings.reading import InDoubt
        from raters.notes import note

        try:
            with note.typed():
                return super().invoke(ctx)
        except RatersError as error:
            command = self.get_command(ctx, ctx.invoked_subcommand or "")
            if isinstance(error, InDoubt):
                if error.as_json:
                    click.echo(json.dumps(as_json(error), indent=2, ensure_ascii=False))
                error.args = (error.typed(),)
            elif command is not None:
                error.args = (as_typed(str(error), options_of(command)),)
            raise

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.command(cls=Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110})
@click.version_option(__version__, prog_name="raters")
def cli() -> None:
    """How far can these labels be trusted?

    \b
    raters report labels.csv           write all answers to one file
    raters demo                        see the report on a simulated example
    raters agree labels.csv            measure agreement, with intervals
    raters agree labels.csv --by topic --format markdown
    raters consensus labels.csv -o gold.csv
    """


def one_thread() -> None:
    """Products of matrices on one thread, unless the user chose otherwise: ours are many and small, and threads that
    wait for each other took more processor time than the products. Set before numpy is imported, which reads it
    once."""
    if not any(name in os.environ for name in (*THREADS, "OMP_NUM_THREADS")):
        os.environ.update(dict.fromkeys(THREADS, "1"))


def noting() -> list[int]:
    """Record Ctrl-C and requests to terminate, because a library may turn the
    KeyboardInterrupt into an error of its own."""
    seen: list[int] = []

    def note(number: int, frame: Any) -> None:
        seen.append(number)
        raise KeyboardInterrupt

    for number, usual in ((signal.SIGINT, signal.default_int_handler), (signal.SIGTERM, signal.SIG_DFL)):
        if signal.getsignal(number) is usual:  # otherwise it is ignored, or handled by someone else
            with suppress(ValueError):  # only the main thread can set signal handlers
                signal.signal(number, note)
                promptly(number)
    return seen


def promptly(number: int) -> None:
    """Let a signal end the queries of the database at once. Python runs its handler only when the main thread is back
    from the database, which looks up between its tasks, and one task may take long."""
    if os.name != "posix":  # elsewhere, only sockets can be told of signals
        return
    read, write = os.pipe()
    os.set_blocking(write, False)
    old = signal.set_wakeup_fd(write, warn_on_full_buffer=False)
    if old >= 0:  # another signal of ours, or someone else's
        signal.set_wakeup_fd(old)
        os.close(read)
        os.close(write)
        return
    Thread(target=_ending_queries, args=(read,), daemon=True).start()


def _ending_queries(read: int) -> None:
    while arrived := os.read(read, 1):
        watching = sys.modules.get("raters.engines.guards")
        if watching is not None and arrived[0] in (signal.SIGINT, signal.SIGTERM):
            watching.interrupt_queries()


def end(seen: list[int]) -> NoReturn:
    """Report that the program was stopped, and ignore any further Ctrl-C."""
    for number in (signal.SIGINT, signal.SIGTERM):
        with suppress(ValueError):
            signal.signal(number, signal.SIG_IGN)
    there = [str(path) for path in getattr(sys.modules.get("raters.writing"), "FINISHED", ())]
    said = f"stopped; written before: {', '.join(there)}." if there else STOPPED
    stop(said, 128 + (seen[0] if seen else signal.SIGINT))


def main() -> None:
    """Run the command line; any failure prints one line and sets the exit code."""
    stopped: list[int] = []
    try:
        stopped = noting()
        one_thread()
        if sys.stderr is None:  # closed: nothing else may take its place, nor fail because it is not there
            sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
        for stream in (sys.stdout, sys.stderr):
            if isinstance(stream, io.TextIOWrapper):  # an unsupported character is written as its code
                stream.reconfigure(errors="backslashreplace")
        try:
            cli(standalone_mode=False)
        finally:
            flush()
    except RatersError as error:
        end(stopped) if stopped else stop(str(error))
    except click.ClickException as error:
        if isinstance(error, getattr(click.exceptions, "NoArgsIsHelpError", ())):
            error.show()
            sys.exit(2)
        stop(" ".join(error.format_message().split()))
    except (KeyboardInterrupt, click.Abort):
        end(stopped)
    except BrokenPipeError as error:
        unheard()
        sys.exit(getattr(error.__context__, "code", 0))  # keep the exit code of a threshold that was not met
    except Exception as error:
        if stopped:
            end(stopped)
        if os.environ.get("RATERS_DEBUG"):
            raise
        stop(short(error))


def flush() -> None:
    """Flush standard output now, so that we report a failure ourselves instead of Python at exit."""
    try:
        if sys.stdout is not None:
            sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        unheard()
        raise UsageError(f"cannot write to standard output: {error.strerror}.") from None


def unheard() -> None:
    """Discard the remaining output, because nothing reads standard output any more."""
    with suppress(OSError, ValueError, AttributeError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def short(error: Exception) -> str:
    """One line for an unexpected error: a plain message if the system lacks something, otherwise a request to report
    it.
    """
    if isinstance(error, MemoryError):
        return "not enough memory for this table. Read a part of it, or use a machine with more memory."
    if isinstance(error, OSError) and error.strerror:
        if error.filename is None:
            unheard()
            return f"cannot write to standard output: {error.strerror}."
        return f"the system says: {error.strerror}: {error.filename}."
    return (
        f"unexpected error ({type(error).__name__}: {' '.join(str(error).split())}). Set RATERS_DEBUG=1 to see the"
        " details, and please report it."
    )
