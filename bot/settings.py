"""What the environment and .env say: the token, where things lie, and the secrets by name."""

import io
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from ipaddress import ip_address
from pathlib import Path
from typing import Annotated, Any, Literal
from urllib.parse import unquote, urlsplit

from dotenv.parser import parse_stream
from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PrivateAttr,
    SecretStr,
    ValidationError,
)

from bot.errors import ConfigError, UnavailableError
from bot.files import shipped
from bot.files.private import make_folder
from bot.messages.installing import SettingText
from bot.messages.store import StoreText
from bot.panels.names import hint
from bot.panels.urls import split_url

LOOPBACK = "127.0.0.1"
_PREFIX = "ROUNDTABLE_"
_PANELS_FILE = "panels.json"
SHIPPED_PANELS = shipped(_PANELS_FILE)
SHIPPED_PROMPTS = shipped("prompts")
_SHORTEST_REDACTION = 4
_SECRET_NAME = re.compile(r"(KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIALS?)$", re.IGNORECASE)

_LogLevel = Literal["DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL"]


def _token(value: SecretStr) -> SecretStr:
    secret = value.get_secret_value()
    if secret.casefold().startswith("bot "):
        raise ValueError(SettingText.BEGINS_WITH_BOT)
    if any(c.isspace() for c in secret):
        raise ValueError(SettingText.HOLDS_A_SPACE)
    return value


def _address(value: str) -> str:
    try:
        return str(ip_address(value))
    except ValueError as error:
        raise ValueError(SettingText.NO_ADDRESS) from error


def _channel(value: Any) -> Any:
    if not _is_id(value):
        raise ValueError(SettingText.NO_CHANNEL)
    return int(value)


def _person(value: Any) -> Any:
    if not _is_id(value):
        raise ValueError(SettingText.NO_USER)
    return int(value)


def _is_id(value: Any) -> bool:
    return isinstance(value, str) and value.isascii() and value.isdigit() and len(value) <= 20


def _level(value: Any) -> Any:
    return value.upper() if isinstance(value, str) else value


def _lower(value: Any) -> Any:
    return value.lower() if isinstance(value, str) else value


def _http(value: str) -> str:
    split_url(value, "http", "https")
    return value.rstrip("/")


def _websocket(value: str) -> str:
    split_url(value, "ws", "wss")
    return value


def _database(value: SecretStr) -> SecretStr:
    url = value.get_secret_value()
    try:
        parts = urlsplit(url)
        name, _ = parts.path.strip("/"), parts.port
    except ValueError:
        name = ""
    known = url.startswith(("postgresql://", "postgres://"))
    if not (known and name) or any(c.isspace() for c in url):
        raise ValueError(SettingText.NO_POSTGRES)
    return value


def _folder(value: Path) -> Path:
    folder = value.expanduser().absolute()
    if folder.exists() and not folder.is_dir():
        raise ValueError(SettingText.NO_FOLDER)
    return folder


def _panels_file(value: Path) -> Path:
    file = value.expanduser().absolute()
    if not file.is_file():
        raise ValueError(SettingText.NO_FILE)
    return file


def _default_panels(home: Path | None = None) -> Path:
    """The file in the working directory, else in the home folder, else the shipped one."""
    own = [folder / _PANELS_FILE for folder in (Path.cwd(), home) if folder is not None]
    return next((file for file in own if file.is_file()), SHIPPED_PANELS)


class Settings(BaseModel):
    """The settings of one process; provider keys are looked up by name through `secret`."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    discord_token: Annotated[SecretStr, AfterValidator(_token)] | None = Field(
        default=None, alias="DISCORD_TOKEN"
    )
    home: Annotated[Path, AfterValidator(_folder)] = Field(
        default_factory=Path.cwd, alias="ROUNDTABLE_HOME"
    )
    panels: Annotated[Path, AfterValidator(_panels_file)] = Field(
        default_factory=_default_panels, alias="ROUNDTABLE_PANELS"
    )
    output_channel: Annotated[int, BeforeValidator(_channel)] | None = Field(
        default=None, alias="ROUNDTABLE_OUTPUT_CHANNEL"
    )
    database_url: Annotated[SecretStr, AfterValidator(_database)] | None = Field(
        default=None, alias="ROUNDTABLE_DATABASE_URL"
    )
    discord_api: Annotated[str, AfterValidator(_http)] | None = Field(
        default=None, alias="ROUNDTABLE_DISCORD_API"
    )
    discord_gateway: Annotated[str, AfterValidator(_websocket)] | None = Field(
        default=None, alias="ROUNDTABLE_DISCORD_GATEWAY"
    )
    health_port: Annotated[int, Field(ge=1, le=65535)] | None = Field(
        default=None, alias="ROUNDTABLE_HEALTH_PORT"
    )
    health_host: Annotated[str, AfterValidator(_address)] = Field(
        default=LOOPBACK, alias="ROUNDTABLE_HEALTH_HOST"
    )
    mcp_user: Annotated[int, BeforeValidator(_person)] | None = Field(
        default=None, alias="ROUNDTABLE_MCP_USER"
    )
    mcp_token: SecretStr | None = Field(default=None, alias="ROUNDTABLE_MCP_TOKEN")
    conclusions: Annotated[Path, AfterValidator(_folder)] | None = Field(
        default=None, alias="ROUNDTABLE_CONCLUSIONS"
    )
    mcp_port: Annotated[int, Field(ge=1, le=65535)] | None = Field(
        default=None, alias="ROUNDTABLE_MCP_PORT"
    )
    local: Annotated[Literal["on", "off"], BeforeValidator(_lower)] | None = Field(
        default=None, alias="ROUNDTABLE_LOCAL"
    )
    log: Annotated[_LogLevel, BeforeValidator(_level)] = Field(
        default="INFO", alias="ROUNDTABLE_LOG"
    )
    log_format: Literal["text", "json"] = Field(default="text", alias="ROUNDTABLE_LOG_FORMAT")

    _variables: Mapping[str, str] = PrivateAttr(default_factory=dict)
    _in_file: frozenset[str] = PrivateAttr(default=frozenset())

    @property
    def database(self) -> Path | str:
        """Where everything is kept: the file in the home folder, or the URL of a Postgres."""
        if self.database_url is not None:
            return self.database_url.get_secret_value()
        from bot.store import DATABASE  # noqa: PLC0415 (slow, for those who open it)

        return self.home / DATABASE

    def make_home(self) -> None:
        """Create the home folder where it is missing, whatever the database is."""
        try:
            make_folder(self.home)
        except OSError as error:
            raise UnavailableError(StoreText.no_folder(str(self.home), error.strerror)) from error

    def secret(self, name: str) -> str | None:
        """The value of a variable in the environment or .env; blank counts as not set."""
        return self._variables.get(name) or None

    def redactions(self, names: Iterable[str] = (), keys: Iterable[str] = ()) -> tuple[str, ...]:
        """Every secret value in use, longest first, for a log filter.

        Secret are: what panels.json names (`names`) or holds (`keys`), variables called like a
        secret, everything .env holds beside the ROUNDTABLE_ settings, and the database's password.
        """
        private = {*names, *self._in_file, *filter(_SECRET_NAME.search, self._variables)}
        values = {self.secret(name) or "" for name in private if _may_be_secret(name)}
        values |= {*_passwords(self.database_url), *keys}
        return tuple(sorted((v for v in values if len(v) >= _SHORTEST_REDACTION), key=_longest))


def load_settings(
    env_file: Path | None = Path(".env"), environ: Mapping[str, str] | None = None
) -> Settings:
    """Read .env and the environment, which wins; raises ConfigError with every problem."""
    in_file, problems = _read_env_file(env_file)
    variables = _variables(in_file, environ)
    problems += [*_unknown_names(variables), *_half_a_server(variables)]
    settings = _built(variables, problems)
    if problems or settings is None:
        raise ConfigError("\n".join(problems))
    settings._variables = variables
    settings._in_file = frozenset(in_file)
    return settings


def panels_path(
    env_file: Path | None = Path(".env"), environ: Mapping[str, str] | None = None
) -> Path:
    """The panels.json that would be used, even when other settings are wrong."""
    return _panels_of(_variables(_read_env_file(env_file)[0], environ))


def _panels_of(variables: Mapping[str, str]) -> Path:
    named, home = (
        Path(variables[name]).expanduser().absolute() if name in variables else None
        for name in ("ROUNDTABLE_PANELS", "ROUNDTABLE_HOME")
    )
    return named or _default_panels(home)


def _variables(in_file: Mapping[str, str], environ: Mapping[str, str] | None) -> dict[str, str]:
    merged = {**in_file, **(os.environ if environ is None else environ)}
    return {name: value.strip() for name, value in merged.items() if value.strip()}


def _built(variables: Mapping[str, str], problems: list[str]) -> Settings | None:
    given = {name: variables[name] for name in _known_names() if name in variables}
    try:
        return Settings.model_validate({**given, "ROUNDTABLE_PANELS": str(_panels_of(variables))})
    except ValidationError as error:
        problems += [_sentence(dict(found)) for found in error.errors(include_url=False)]
        return None


def _sentence(found: Mapping[str, Any]) -> str:
    """One line that never repeats the value, which may be a secret."""
    name = found["loc"][0]
    if found["type"] == "value_error":
        return SettingText.named(name, str(found["ctx"]["error"]))
    if found["type"] == "literal_error":
        return SettingText.unknown_value(name, found["ctx"]["expected"].replace("'", ""))
    return SettingText.other_fault(name, f"{found['msg'][0].lower()}{found['msg'][1:]}")


def _read_env_file(env_file: Path | None) -> tuple[dict[str, str], list[str]]:
    if env_file is None:
        return {}, []
    try:
        text = env_file.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        return {}, []
    except UnicodeDecodeError:
        return {}, [SettingText.not_utf8(str(env_file))]
    except OSError as error:
        reason = error.strerror or SettingText.CANNOT_BE_READ
        return {}, [SettingText.unreadable(str(env_file), reason)]
    bindings = list(parse_stream(io.StringIO(text)))
    values = {b.key: b.value or "" for b in bindings if b.key}
    broken = [b.original for b in bindings if b.error and b.original.string.strip()]
    return values, [SettingText.not_understood(str(env_file), _line(b)) for b in broken]


def _line(original: Any) -> int:
    """The line of the statement itself, for python-dotenv counts blank lines before it as its."""
    text: str = original.string
    blank = text[: len(text) - len(text.lstrip())]
    return int(original.line) + blank.count("\n")


def _known_names() -> list[str]:
    return [field.alias or name for name, field in Settings.model_fields.items()]


def _unknown_names(variables: Mapping[str, str]) -> Iterator[str]:
    known = [name for name in _known_names() if name.startswith(_PREFIX)]
    for name in sorted(set(variables) - set(known)):
        if name.upper().startswith(_PREFIX):
            yield SettingText.unknown_name(name, hint(name, known, SettingText.known_names(known)))


def _half_a_server(variables: Mapping[str, str]) -> Iterator[str]:
    pair = ("ROUNDTABLE_DISCORD_API", "ROUNDTABLE_DISCORD_GATEWAY")
    given = [name for name in pair if name in variables]
    if len(given) == 1:
        other = pair[1 - pair.index(given[0])]
        yield SettingText.other_missing(other, *pair)


def _may_be_secret(name: str) -> bool:
    return not name.startswith(_PREFIX) or _SECRET_NAME.search(name) is not None


def _passwords(url: SecretStr | None) -> set[str]:
    """The password of a URL as it is written there and as it is meant."""
    written = "" if url is None else urlsplit(url.get_secret_value()).password or ""
    return {written, unquote(written)}


def _longest(value: str) -> tuple[int, str]:
    return -len(value), value
