"""Everything people rely on, read from the code of today."""

import json
import sqlite3
import tempfile
from collections.abc import Awaitable, Callable, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import discord
import typer.main
from mcp import Client
from sqlalchemy.dialects import postgresql
from sqlalchemy.schema import CreateIndex, CreateTable

from bot.agents.server import build_server
from bot.cli import app
from bot.prompting.build_spec import parse_build_spec
from bot.reports.files import json_export, scorecard_line
from bot.reports.minutes import minutes_text
from bot.settings import Settings
from bot.store import DATABASE, EventType, Store
from bot.store.tables import adapt_to, metadata
from cogs.approvals import ReasonForm, SpecForm
from cogs.buttons import OptionsForm
from cogs.client import PERSISTENT
from cogs.decisions import DateForm, ReopenForm
from tests.discussions.conftest import beginning, open_service
from tests.e2e.playground_harness import open_harness
from tests.golden.panel_keys import key_paths
from tests.golden.records import full_record

MADE_BY_DISCORD = ("id", "application_id")
NAMED_BY_PEOPLE = (
    *("consensus_matrix", "tallies[].votes"),
    *("people_votes.before", "people_votes.after"),
)
"""Objects of the export whose keys are roles and options."""


async def slash_commands(home: Path) -> Any:
    """The commands and context menus as they reach Discord, by kind and name."""
    async with open_harness(home) as table:
        sent = table.discord.world.commands
    bare = ({k: v for k, v in one.items() if k not in MADE_BY_DISCORD} for one in sent)
    named = {f"{discord.AppCommandType(one['type']).name} {one['name']}": one for one in bare}
    return {name: by_option(named[name]) for name in sorted(named)}


def by_option(command: Mapping[str, Any]) -> dict[str, Any]:
    """Options under their names, so that a difference names the option; the order is kept."""
    options = command.get("options") or []
    named = {option["name"]: by_option(option) for option in options}
    return dict(command) | ({"options": named, "order": list(named)} if named else {})


async def custom_ids(_: Path) -> Any:
    """What items under old messages and forms that are open are known by."""
    spec = parse_build_spec("")
    forms: list[discord.ui.Modal] = [
        *(ReasonForm("apr_0123abcd", decision) for decision in ("reject", "changes")),
        OptionsForm("rt_0123abcd", ()),
        DateForm("rt_0123abcd"),
        ReopenForm("rt_0123abcd"),
        *(SpecForm("rt_0123abcd", 1, action, spec) for action in ("edit", "changes")),
    ]
    return {
        "items": sorted(item.__discord_ui_compiled_template__.pattern for item in PERSISTENT),
        "forms": {form.custom_id: sorted(_fields(form.to_dict())) for form in forms},
    }


def _fields(part: Any) -> list[str]:
    """The custom ids of all fields of a form."""
    inside = [*part.get("components", []), *filter(None, [part.get("component")])]
    own = [field["custom_id"] for field in inside if "custom_id" in field]
    return own + [name for field in inside for name in _fields(field)]


async def event_types(_: Path) -> Any:
    return {"types": sorted(kind.value for kind in EventType)}


async def tables(home: Path) -> Any:
    """The schema that SQLite really gets, and the one that is sent to Postgres."""
    await (await Store.open(home / DATABASE)).close()
    with closing(sqlite3.connect(home / DATABASE)) as file:
        made = file.execute("SELECT type || ' ' || name, sql FROM sqlite_master WHERE sql <> ''")
        sqlite = {name: lines(sql) for name, sql in sorted(made)}
    adapt_to("postgresql")
    dialect = postgresql.dialect()  # type: ignore[no-untyped-call]  # untyped in SQLAlchemy
    postgres = {}
    for table in sorted(metadata.tables.values(), key=lambda table: table.name):
        postgres[f"table {table.name}"] = lines(str(CreateTable(table).compile(dialect=dialect)))
        for index in sorted(table.indexes, key=lambda index: str(index.name)):
            created = str(CreateIndex(index).compile(dialect=dialect))
            postgres[f"index {index.name}"] = lines(created)
    return {"sqlite": sqlite, "postgres": postgres}


def lines(statement: str) -> list[str]:
    """A statement line by line: one column, constraint or condition each."""
    return [line.strip().rstrip(", ") for line in statement.splitlines() if line.strip()]


async def command_line(_: Path) -> Any:
    group: Any = typer.main.get_command(app)
    return {
        name: {" ".join(param.opts): _parameter(param) for param in command.params}
        for name, command in sorted(group.commands.items())
    }


def _parameter(param: Any) -> dict[str, Any]:
    return {
        "kind": param.param_type_name,
        "flag": bool(getattr(param, "is_flag", False)),
        "many": bool(getattr(param, "multiple", False)) or param.nargs != 1,
        "required": bool(param.required),
        "default": param.default,
    }


async def mcp_tools(home: Path) -> Any:
    """What an agent is offered, through the package's own client."""
    async with open_service(home) as service, Client(build_server(service)) as client:
        return {
            "tools": _by_name((await client.list_tools()).tools),
            "prompts": _by_name((await client.list_prompts()).prompts),
            "resources": _by_name((await client.list_resource_templates()).resource_templates),
        }


def _by_name(offered: Any) -> dict[str, Any]:
    plain = (one.model_dump(mode="json", by_alias=True, exclude_none=True) for one in offered)
    return {one["name"]: one for one in sorted(plain, key=lambda one: str(one["name"]))}


async def exports(_: Path) -> Any:
    """The keys of the JSON file and of the scorecard line, with the kind of value of each."""
    made = full_record()
    return {
        "json": kinds(json.loads(json.dumps(json_export(made)))),
        "scorecard": kinds(json.loads(json.dumps(scorecard_line(made)))),
    }


def kinds(value: Any, where: str = "") -> dict[str, str]:
    """Every path of a JSON value with the kind of what is there."""
    found = {where: type(value).__name__} if where else {}
    if isinstance(value, dict):
        hidden = where in NAMED_BY_PEOPLE or where.startswith("consensus_matrix.")
        for key, inner in value.items():
            found |= kinds(inner, f"{where}.{'*' if hidden else key}".lstrip("."))
    elif isinstance(value, list):
        for inner in value:
            found |= kinds(inner, f"{where}[]")
    return found


async def minutes(home: Path) -> Any:
    """The headings and labels of the minutes of a meeting, and of a discussion among agents."""
    async with open_service(home) as service:
        opened = await service.init(beginning())
        ended = await service.end(opened.discussion_id, conclusion="Keep it whole.")
    return {
        "meeting": headings(minutes_text(full_record())),
        "discussion": headings(_read(ended.output_path)),
    }


def _read(path: str | None) -> str:
    return Path(str(path)).read_text(encoding="utf-8")


def headings(text: str) -> list[str]:
    """Headings whole, and of lines such as `- Topic: …` what stands before the colon."""
    summary = text.partition("## Summary")[2].partition("\n## ")[0].splitlines()
    labels = [line.partition(":")[0] for line in summary if line.startswith("- ") and ":" in line]
    return [line for line in text.splitlines() if line.startswith("#")] + labels


async def environment(_: Path) -> Any:
    """The variables that the settings know, with what each may hold."""
    known = Settings.model_json_schema(by_alias=True)["properties"]
    return {name: _without_title(known[name]) for name in sorted(known)}


def _without_title(schema: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in schema.items() if key != "title"}


async def panel_keys(_: Path) -> Any:
    return key_paths()


CONTRACTS: Mapping[str, Callable[[Path], Awaitable[Any]]] = {
    contract.__name__: contract
    for contract in (
        slash_commands,
        custom_ids,
        event_types,
        tables,
        command_line,
        mcp_tools,
        exports,
        minutes,
        environment,
        panel_keys,
    )
}


async def everything() -> dict[str, Any]:
    """Every contract as it stands now."""
    found = {}
    for name, contract in CONTRACTS.items():
        with tempfile.TemporaryDirectory() as home:
            found[name] = await contract(Path(home))
    return found
