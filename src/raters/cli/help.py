"""``raters help``: one topic for all commands, or one command."""

from __future__ import annotations

import click

from raters.cli.command import TOPICS, Command, command

FROM = "agree"
"""The command whose options show the topics."""
ABOUT = {
    "reading": (
        "Every command that reads FILE has these options. FILE is a table, an export of a labelling tool, a folder or a"
        " zip archive; several files are read as one table; - is standard input. `raters look FILE` shows how a file is"
        " read."
    ),
    "intervals": "Every command that estimates something has these options.",
    "output": "Every command that prints figures has these options; -o - is the terminal.",
}


@command("help")
@click.argument("topic", metavar="[reading|intervals|output|COMMAND]", default="")
@click.pass_context
def help(ctx: click.Context, topic: str) -> None:
    """Explain the options that commands share, or all options of one command.

    \b
    raters help reading
    raters help intervals
    raters help output
    raters help agree
    """
    root = ctx.find_root()
    group = root.command
    if not topic or not isinstance(group, click.Group):
        click.echo(root.get_help())
        return
    found = group.get_command(root, FROM if topic in TOPICS else topic)
    if found is None:
        raise click.UsageError(f"there is no command or topic {topic!r}; topics are {', '.join(TOPICS)}.")
    inner = found.make_context(topic, ["--no-args-yet"], parent=root, resilient_parsing=True)
    if topic not in TOPICS or not isinstance(found, Command):
        inner.meta["raters.help_all"] = True
        click.echo(found.get_help(inner))
        return
    formatter = inner.make_formatter()
    formatter.write_text(ABOUT[topic])
    with formatter.section("Options"):
        formatter.write_dl([row for p in found.of_topic(topic) if (row := p.get_help_record(inner))])
    click.echo(formatter.getvalue().rstrip("\n"))
