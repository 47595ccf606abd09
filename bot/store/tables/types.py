"""Column types that mean the same on SQLite and on Postgres."""

import enum
import json
from collections.abc import Mapping
from typing import Any, Final

from sqlalchemy import REAL, BigInteger, Dialect, Double, Integer, Text
from sqlalchemy.types import TypeDecorator, TypeEngine

# STRICT tables of SQLite know INTEGER and REAL, but neither BIGINT nor DOUBLE.
BIG: Final = BigInteger().with_variant(Integer(), "sqlite")
# Sorted by bytes, whatever locale a server was set up with.
_TEXT: Final = Text().with_variant(Text(collation="C"), "postgresql")
MOMENT: Final[TypeEngine[float]] = Double().with_variant(REAL(), "sqlite")
_NUL: Final = r"\u0000"
_as_json: Final = json.JSONEncoder(ensure_ascii=False, allow_nan=False, default=dict).encode
_from_json: Final = json.JSONDecoder().decode


def storable(text: str) -> str:
    """The text without NUL and lone surrogates, which no database accepts."""
    if not text.isascii():
        try:
            text.encode()
        except UnicodeEncodeError:
            text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text.replace("\0", "") if "\0" in text else text


def _plain(value: object) -> Any:
    """The value as the database returns it: JSON types and storable text only."""
    if isinstance(value, str):
        return storable(value)
    if value is None or isinstance(value, int | float):
        return value
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, Mapping):
        return {storable(str(key)): _plain(item) for key, item in value.items()}
    return value


class SafeText(TypeDecorator[str]):
    """Text from outside; characters a database would refuse are removed, so no answer is lost."""

    impl = _TEXT
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:  # noqa: ARG002
        """Clean the text on its way in."""
        return _storable_or_none(value)


def _storable_or_none(text: str | None) -> str | None:
    return None if text is None else storable(text)


class Word(TypeDecorator[enum.StrEnum]):
    """An enum: text in the database, a member in Python."""

    impl = _TEXT
    cache_ok = True

    def __init__(self, words: type[enum.StrEnum]) -> None:
        super().__init__()
        self.words = words

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:  # noqa: ARG002
        """Raise for a value that is not in the enum, before the database does."""
        return None if value is None else self.words(value).value

    def process_result_value(
        self,
        value: Any | None,
        dialect: Dialect,  # noqa: ARG002
    ) -> enum.StrEnum | None:
        """Return the enum member."""
        return None if value is None else self.words(value)


class Document(TypeDecorator[Any]):
    """A JSON document: TEXT on SQLite, JSONB on Postgres, a dict or list in Python."""

    impl = Text
    cache_ok = True

    def load_dialect_impl(self, dialect: Dialect) -> TypeEngine[Any]:
        """Choose the native type where the database has one."""
        if dialect.name != "postgresql":
            return dialect.type_descriptor(Text())
        from sqlalchemy.dialects.postgresql import JSONB  # noqa: PLC0415 (slow, for Postgres alone)

        return dialect.type_descriptor(JSONB())

    def process_bind_param(self, value: Any | None, dialect: Dialect) -> Any:
        """Write the document."""
        if dialect.name == "postgresql":
            return _plain(value)
        return _storable_or_none(_document(value))

    def process_result_value(self, value: Any | None, dialect: Dialect) -> Any:
        """Read the document."""
        return value if dialect.name == "postgresql" else _read(value)


class Details(Document):
    """A document that is not essential: read as empty if it is damaged."""

    cache_ok = True

    def process_result_value(self, value: Any | None, dialect: Dialect) -> Any:
        """Read the document, or return an empty one if it is damaged."""
        return _details(value) if dialect.name != "postgresql" else _mapping(value)


def _read(text: str | None) -> Any:
    return None if text is None else _from_json(text)


def _details(text: str | None) -> dict[str, Any]:
    try:
        return _mapping(_read(text))
    except ValueError:
        return {}


def _mapping(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _document(value: object) -> str | None:
    if value is None:
        return None
    text = _as_json(value)
    # Cleaning a document value by value is slow and rarely needed.
    return text if _NUL not in text else _as_json(_plain(value))
