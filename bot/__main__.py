"""The command line: `roundtable run | play | check | export | backup | mcp`."""

import asyncio
import sys
from pathlib import Path
from typing import Annotated

import typer

from bot import loop
from bot.errors import UserError
from bot.garbage import collection_held_back
from bot.version import VERSION

app = typer.Typer(
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    help="Roundtable holds meetings of language models where people already talk.",
)

Say = Annotated[list[str] | None, typer.Option("--say", help="Type this line as a person.")]
Port = Annotated[int | None, typer.Option(help="The page's port; left out, 8420 or any free one.")]
NoBrowser = Annotated[bool, typer.Option("--no-browser", help="Do not open a browser.")]
ExitWhenDone = Annotated[
    bool, typer.Option("--exit-when-done", help="End when every roundtable has concluded.")
]

Target = Annotated[Path | None, typer.Argument(help="The new file; left out, one beside it.")]


@app.command()
def run() -> None:
    """Start the bot on Discord, or the playground when DISCORD_TOKEN is not set."""
    from bot.settings import load_settings  # noqa: PLC0415 (only what is used is imported)

    settings = load_settings()
    if settings.discord_token is None:
        typer.echo(
            "DISCORD_TOKEN is not set, so this is the playground: no account, no key needed."
        )
        raise typer.Exit(_play([], None, no_browser=True, exit_when_done=False))
    with collection_held_back():
        from bot.live import run_on_discord  # noqa: PLC0415

    raise typer.Exit(loop.run(run_on_discord(settings)))


@app.command()
def play(
    say: Say = None,
    port: Port = None,
    no_browser: NoBrowser = False,
    exit_when_done: ExitWhenDone = False,
) -> None:
    """Start the playground: the real bot on an embedded Discord, without an account."""
    raise typer.Exit(_play(say or [], port, no_browser=no_browser, exit_when_done=exit_when_done))


@app.command()
def check() -> None:
    """Validate .env, panels.json and the prompts, and show which models are usable."""
    from bot.check import run_check  # noqa: PLC0415
    from bot.models.desk import ADAPTERS  # noqa: PLC0415
    from bot.prompting.templates import PromptBook  # noqa: PLC0415
    from bot.settings import SHIPPED_PROMPTS  # noqa: PLC0415

    report = run_check(
        typer.echo,
        adapters=ADAPTERS,
        prompt_problems=lambda: PromptBook.problems(SHIPPED_PROMPTS),
    )
    raise typer.Exit(asyncio.run(report))


@app.command()
def export() -> None:
    """Write the files of every finished roundtable anew from the database."""
    from bot.council.exporting import export_everything  # noqa: PLC0415
    from bot.settings import load_settings  # noqa: PLC0415

    settings = load_settings()
    written = asyncio.run(export_everything(settings.home, settings.database, settings.conclusions))
    typer.echo(f"{written} roundtables written to {settings.home / 'memory/roundtables'}.")


@app.command()
def backup(target: Target = None) -> None:
    """Copy the database, also while the bot runs; restoring is putting the copy in its place."""
    from bot.operations.backup import back_up  # noqa: PLC0415
    from bot.settings import load_settings  # noqa: PLC0415

    typer.echo(f"Backed up to {back_up(load_settings().database, target)}.")


@app.command()
def mcp() -> None:
    """Offer the discussion tools to an agent over standard input and output (MCP)."""
    from bot.agents.command import serve_stdio  # noqa: PLC0415
    from bot.settings import load_settings  # noqa: PLC0415

    asyncio.run(serve_stdio(load_settings()))


@app.command()
def version() -> None:
    """Print the version."""
    typer.echo(VERSION)


def _play(lines: list[str], port: int | None, *, no_browser: bool, exit_when_done: bool) -> int:
    with collection_held_back():
        from bot.front.play import play as play_now  # noqa: PLC0415
        from bot.settings import load_settings  # noqa: PLC0415

    return loop.run(
        play_now(
            load_settings(),
            lines,
            port=port,
            open_browser=not no_browser and not exit_when_done,
            exit_when_done=exit_when_done,
        )
    )


def main() -> None:
    """Run the command line; an error meant for people is printed as it is."""
    try:
        app()
    except UserError as error:
        print(error.text, file=sys.stderr)
        sys.exit(1)
    except KeyboardInterrupt:
        sys.exit(130)


if __name__ == "__main__":
    main()
