"""The base of every part of panels.json, and the small value types its keys share."""

from datetime import UTC, tzinfo
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, WithJsonSchema
from pydantic.alias_generators import to_camel

from bot.messages.configuration import PanelsFileText
from bot.panels.urls import split_url

_LARGEST_ID = 2**64 - 1
_ID_SCHEMA = {
    "anyOf": [
        {"type": "integer", "minimum": 1},
        {"type": "string", "pattern": "^[0-9]{1,20}$"},
    ]
}
Seconds = Annotated[float, Field(gt=0, le=86_400)]
Dollars = Annotated[float, Field(ge=0)]
_VARIABLE_PATTERN = r"^[A-Za-z_][A-Za-z0-9_]*$"
_NAME_PATTERN = r"^[A-Za-z0-9][A-Za-z0-9._:/-]*$"
_ID_PATTERN = r"^[0-9]{1,20}$"
_LANGUAGE_PATTERN = r"^[A-Za-z][A-Za-z ()-]{1,39}$"
VariableName = Annotated[str, Field(pattern=_VARIABLE_PATTERN, max_length=100)]
Name = Annotated[str, Field(pattern=_NAME_PATTERN, max_length=100)]
ModelName = Annotated[str, Field(min_length=1, max_length=200)]
Language = Annotated[str, Field(pattern=_LANGUAGE_PATTERN)]
ServerId = Annotated[str, Field(pattern=_ID_PATTERN)]
# What to say instead of showing a regular expression, and instead of repeating what may be a key.
PATTERN_HELP = {
    _VARIABLE_PATTERN: PanelsFileText.NO_VARIABLE,
    _NAME_PATTERN: PanelsFileText.NO_NAME,
    _LANGUAGE_PATTERN: PanelsFileText.NO_LANGUAGE,
    _ID_PATTERN: PanelsFileText.NO_SERVER_ID,
}


def zone_of(name: str) -> tzinfo:
    """The time zone of a name; UTC needs no zone database."""
    if name == "UTC":
        return UTC
    from zoneinfo import ZoneInfo  # noqa: PLC0415 (few need it)

    return ZoneInfo(name)


def _valid_zone(name: str) -> str:
    """The name, or a ValueError that says what to write instead."""
    try:
        zone_of(name)
    except (ValueError, KeyError, OSError):
        raise ValueError(PanelsFileText.NO_TIME_ZONE) from None
    return name


class Section(BaseModel):
    """One JSON object of panels.json: camelCase there, snake_case here, no unknown keys."""

    model_config = ConfigDict(
        # One schema for the whole file, built when it is read, instead of one per class at import.
        defer_build=True,
        extra="forbid",
        frozen=True,
        strict=True,
        alias_generator=to_camel,
    )


def _discord_id(value: Any) -> int:
    digits = str(value) if isinstance(value, int) and not isinstance(value, bool) else value
    if not isinstance(digits, str) or not (digits.isascii() and digits.isdigit()):
        raise ValueError(PanelsFileText.NO_ID)
    if len(digits) > len(str(_LARGEST_ID)) or not 0 < int(digits) <= _LARGEST_ID:
        raise ValueError(PanelsFileText.ID_OUT_OF_RANGE)
    return int(digits)


def _http_url(value: str) -> str:
    parts = split_url(value, "https", "http")
    if parts.query or parts.fragment:
        raise ValueError(PanelsFileText.URL_HAS_QUERY)
    return value.rstrip("/")


def _https_url(value: str) -> str:
    split_url(value, "https")
    return value


def _one_line(value: str) -> str:
    if any(not c.isprintable() for c in value):
        raise ValueError(PanelsFileText.NOT_ONE_LINE)
    return value.strip()


DiscordId = Annotated[int, BeforeValidator(_discord_id), WithJsonSchema(_ID_SCHEMA)]
HttpUrl = Annotated[str, Field(max_length=500), AfterValidator(_http_url)]
HttpsUrl = Annotated[str, Field(max_length=2000), AfterValidator(_https_url)]
OneLine = Annotated[str, Field(max_length=500), AfterValidator(_one_line)]
TimeZone = Annotated[str, Field(max_length=100), AfterValidator(_valid_zone)]
