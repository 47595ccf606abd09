"""The command line: one function for each `roundtable` command."""

import asyncio
import errno
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bot import VERSION, front
from bot.errors import UnavailableError, UserError
from bot.messages.command_line import CommandLineText, FleetText

if TYPE_CHECKING:
    from bot.settings import Settings

_STARTER_FILES = ("panels.json", "panels.schema.json", ".env.example")
_SMALL_MODEL = {"panels.json": "panels.local.json"}

app = typer.Typer(
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    help=CommandLineText.HELP,
)

Probe = Annotated[bool, typer.Option("--probe", help=CommandLineText.PROBE)]
Say = Annotated[list[str] | None, typer.Option("--say", help=CommandLineText.SAY)]
Port = Annotated[int | None, typer.Option(help=CommandLineText.PORT)]
NoBrowser = Annotated[bool, typer.Option("--no-browser", help=CommandLineText.NO_BROWSER)]
ExitWhenDone = Annotated[
    bool, typer.Option("--exit-when-done", help=CommandLineText.EXIT_WHEN_DONE)
]
Verbose = Annotated[bool, typer.Option("--verbose", "-v", help=CommandLineText.VERBOSE)]
Local = Annotated[bool, typer.Option("--local", help=CommandLineText.LOCAL)]

SmallModel = Annotated[bool, typer.Option("--small-model", help=CommandLineText.SMALL_MODEL)]
Load = Annotated[Path | None, typer.Option("--load", help=CommandLineText.LOAD_SETTINGS)]
DiscussionId = Annotated[str, typer.Argument(help=CommandLineText.DISCUSSION_ID)]
Yes = Annotated[bool, typer.Option("--yes", help=CommandLineText.YES)]
Target = Annotated[Path | None, typer.Argument(help=CommandLineText.TARGET)]


@app.command(help=CommandLineText.RUN)
def run(local: Local = False, verbose: Verbose = False) -> None:
    """`roundtable run`."""
    settings = _settings(local)
    if settings.discord_token is None:
        typer.echo(CommandLineText.PLAYGROUND_INSTEAD)
        raise typer.Exit(_play(settings, [], None, True, False, verbose))
    from bot.front.live import run_on_discord  # noqa: PLC0415

    raise typer.Exit(front.run(run_on_discord(settings)))


@app.command(help=FleetText.GATEWAY)
def gateway() -> None:
    """`roundtable gateway`."""
    settings = _shared_settings(False)
    from bot.front.fleet import run_gateway  # noqa: PLC0415

    raise typer.Exit(front.run(run_gateway(settings)))


@app.command(help=FleetText.WORKER)
def worker(local: Local = False) -> None:
    """`roundtable worker`."""
    settings = _shared_settings(local)
    from bot.front.fleet import run_worker  # noqa: PLC0415

    raise typer.Exit(front.run(run_worker(settings)))


@app.command(help=FleetText.FLEET)
def fleet() -> None:
    """`roundtable fleet`."""
    settings = _shared_settings(False)
    from bot.fleet.status import fleet_lines  # noqa: PLC0415

    for line in asyncio.run(fleet_lines(settings.database)):
        typer.echo(line)


@app.command(help=CommandLineText.PLAY)
def play(
    say: Say = None,
    port: Port = None,
    no_browser: NoBrowser = False,
    exit_when_done: ExitWhenDone = False,
    local: Local = False,
    verbose: Verbose = False,
) -> None:
    """`roundtable play`."""
    settings, lines = _settings(local), say or []
    raise typer.Exit(_play(settings, lines, port, no_browser, exit_when_done, verbose))


@app.command(help=CommandLineText.CHECK)
def check(probe: Probe = False) -> None:
    """`roundtable check`."""
    from bot.models.registry import ADAPTERS  # noqa: PLC0415
    from bot.operations.check import run_check  # noqa: PLC0415
    from bot.prompting.templates import PromptBook  # noqa: PLC0415
    from bot.settings import SHIPPED_PROMPTS  # noqa: PLC0415

    report = run_check(
        typer.echo,
        adapters=ADAPTERS,
        prompt_problems=lambda: PromptBook.problems(SHIPPED_PROMPTS),
        ask_seats=probe,
    )
    raise typer.Exit(asyncio.run(report))


@app.command(help=CommandLineText.EXPORT)
def export() -> None:
    """`roundtable export`."""
    from bot.library.rebuild import export_everything  # noqa: PLC0415
    from bot.settings import load_settings  # noqa: PLC0415

    settings = load_settings()
    where = (settings.home, settings.database, settings.conclusions)
    written = asyncio.run(export_everything(*where, left_out=lambda why: typer.echo(why, err=True)))
    typer.echo(CommandLineText.exported(written, str(settings.home / "memory/roundtables")))


@app.command(help=CommandLineText.SETTINGS)
def settings(load: Load = None) -> None:
    """`roundtable settings`."""
    from bot.admin.stored_settings import load_settings_file, settings_json  # noqa: PLC0415
    from bot.messages.admin import SetupText  # noqa: PLC0415
    from bot.settings import load_settings  # noqa: PLC0415

    found = load_settings()
    if load is None:
        typer.echo(asyncio.run(settings_json(found.database)))
        return
    stored = asyncio.run(load_settings_file(found.database, found.panels, load))
    typer.echo(SetupText.loaded(stored))


@app.command(help=CommandLineText.BACKUP)
def backup(target: Target = None) -> None:
    """`roundtable backup`."""
    from bot.messages.store import BackupText  # noqa: PLC0415
    from bot.operations.backup import back_up  # noqa: PLC0415
    from bot.settings import load_settings  # noqa: PLC0415

    typer.echo(BackupText.done(str(back_up(load_settings().database, target))))


@app.command(help=CommandLineText.INIT)
def init(small_model: SmallModel = False) -> None:
    """`roundtable init`."""
    for line in write_starter_files(Path.cwd(), small_model=small_model):
        typer.echo(line)
    if small_model:
        from bot.models.adapters.local.weights import main as fetch  # noqa: PLC0415

        raise typer.Exit(fetch())


@app.command(help=CommandLineText.MCP)
def mcp() -> None:
    """`roundtable mcp`."""
    from bot.agents.command import serve_stdio  # noqa: PLC0415
    from bot.settings import load_settings  # noqa: PLC0415

    asyncio.run(serve_stdio(load_settings()))


@app.command(help=CommandLineText.APPROVE)
def approve(discussion_id: DiscussionId, yes: Yes = False) -> None:
    """`roundtable approve`."""
    from bot.agents.command import approve_link  # noqa: PLC0415
    from bot.messages.approvals import LinkText  # noqa: PLC0415
    from bot.settings import load_settings  # noqa: PLC0415

    def agree(url: str, comment: str) -> bool:
        return yes or typer.confirm(LinkText.may_be_posted(url, comment))

    typer.echo(asyncio.run(approve_link(load_settings(), discussion_id, agree)))


@app.command(help=CommandLineText.VERSION)
def version() -> None:
    """`roundtable version`."""
    typer.echo(VERSION)


def _settings(local: bool) -> "Settings":
    """The settings, with local models when they are asked for on the command line."""
    from bot.settings import load_settings  # noqa: PLC0415 (only what is used is imported)

    settings = load_settings()
    return settings.model_copy(update={"local": "on"}) if local else settings


def write_starter_files(folder: Path, *, small_model: bool = False) -> Iterator[str]:
    """Copy the shipped files into a folder and say what became of each; none is replaced."""
    from bot.files import shipped  # noqa: PLC0415
    from bot.messages.installing import StarterText  # noqa: PLC0415

    for name in _STARTER_FILES:
        target = folder / name
        try:
            with target.open("xb") as file:
                source = _SMALL_MODEL.get(name, name) if small_model else name
                file.write(shipped(source).read_bytes())
        except FileExistsError:
            yield StarterText.kept(str(target))
        except OSError as error:
            why = error.strerror or type(error).__name__
            raise UnavailableError(StarterText.not_written(str(target), why)) from error
        else:
            yield StarterText.written(str(target))
    yield StarterText.NEXT


def _shared_settings(local: bool) -> "Settings":
    """The settings of several processes; raises where there is no Postgres, or no way to it."""
    from bot.messages.store import StoreText  # noqa: PLC0415

    settings = _settings(local)
    if settings.database_url is None:
        raise UnavailableError(StoreText.NEEDS_POSTGRES)
    try:
        import asyncpg  # noqa: F401, PLC0415 (an extra)
        import procrastinate  # noqa: F401, PLC0415 (of the same one)
    except ImportError as error:
        raise UnavailableError(StoreText.NO_DRIVER) from error
    return settings


def _play(
    settings: "Settings",
    lines: list[str],
    port: int | None,
    no_browser: bool,
    exit_when_done: bool,
    verbose: bool,
) -> int:
    from bot.front.play import play as play_now  # noqa: PLC0415

    return front.run(
        play_now(
            settings,
            lines,
            port=port,
            open_browser=not no_browser and not exit_when_done,
            exit_when_done=exit_when_done,
            verbose=verbose,
        )
    )


def main() -> None:
    """Run the command line; an error meant for people is printed as it is."""
    front.collect_less_often()
    try:
        app()
    except UserError as error:
        print(error.text, file=sys.stderr)
        sys.exit(error.exit_code)
    except OSError as error:
        trouble = CommandLineText.file_trouble(str(error.filename), str(error.strerror))
        if error.errno == errno.ENOSPC:
            trouble = CommandLineText.DISK_FULL
        elif error.filename is None:
            raise
        print(trouble, file=sys.stderr)
        sys.exit(1)
    except KeyboardInterrupt:
        sys.exit(130)
