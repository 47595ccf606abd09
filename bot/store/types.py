"""Column types that mean the same on SQLite and on Postgres."""

import enum
import json
from collections.abc import Callable, Mapping
from typing import Any, Final, NoReturn, Protocol, runtime_checkable

from sqlalchemy import REAL, BigInteger, Dialect, Double, Integer, Text
from sqlalchemy.types import TypeDecorator, TypeEngine

Change = Callable[[Any], Any]

# STRICT tables of SQLite know INTEGER and REAL, but neither BIGINT nor DOUBLE.
BIG: Final = BigInteger().with_variant(Integer(), "sqlite")
# Sorted by bytes everywhere, whatever language a server was set up for.
TEXT: Final = Text().with_variant(Text(collation="C"), "postgresql")
MOMENT: Final[TypeEngine[float]] = Double().with_variant(REAL(), "sqlite")


def storable(text: str) -> str:
    """The text without what no database takes: NUL and halves of surrogate pairs."""
    if not text.isascii():
        try:
            text.encode()
        except UnicodeEncodeError:
            text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text.replace("\0", "") if "\0" in text else text


def plain(value: object) -> Any:
    """The value as it comes back from the database: JSON types and storable text only."""
    if isinstance(value, str):
        return storable(value)
    if value is None or isinstance(value, int | float):
        return value
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, Mapping):
        return {storable(str(key)): plain(item) for key, item in value.items()}
    return value


_NUL: Final = r"\u0000"
_as_json: Final = json.JSONEncoder(ensure_ascii=False, allow_nan=False, default=dict).encode
_from_json: Final = json.JSONDecoder().decode


@runtime_checkable
class ForSqlite(Protocol):
    """A type that can say in one call each what SQLite gets of a value, and what comes of it.

    SQLAlchemy's way through a decorated type is three calls, for every value of every row.
    """

    def incoming(self) -> Change | None:
        """What becomes of a value on its way in."""

    def outgoing(self) -> Change | None:
        """What becomes of a value on its way out."""


class SafeText(TypeDecorator[str]):
    """Text from anywhere; what a database would refuse is taken out, so no answer is lost."""

    impl = TEXT
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:  # noqa: ARG002
        """Clean the text on its way in."""
        return _storable_or_none(value)

    def incoming(self) -> Change | None:
        """Clean the text of what SQLite would take; what it refuses is cleaned then."""
        return _without_nul

    def outgoing(self) -> Change | None:
        """What was cleaned is as it should be."""
        return None


def _storable_or_none(text: str | None) -> str | None:
    return None if text is None else storable(text)


def _without_nul(text: str | None) -> str | None:
    return text.replace("\0", "") if text and "\0" in text else text


class Word(TypeDecorator[enum.StrEnum]):
    """One word of a closed set: text in the database, an enum member in Python."""

    impl = TEXT
    cache_ok = True

    def __init__(self, words: type[enum.StrEnum]) -> None:
        super().__init__()
        self.words = words

    def incoming(self) -> Change | None:
        """Refuse a word that is not of the set."""
        return _Spelled(self.words, {word.value: word.value for word in self.words}).__getitem__

    def outgoing(self) -> Change | None:
        """Give the member back."""
        return _Spelled(self.words, {word.value: word for word in self.words}).__getitem__

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:  # noqa: ARG002
        """Refuse a word that is not of the set before the database does."""
        return None if value is None else self.words(value).value

    def process_result_value(
        self,
        value: Any | None,
        dialect: Dialect,  # noqa: ARG002
    ) -> enum.StrEnum | None:
        """Give the member back."""
        return None if value is None else self.words(value)


class _Spelled(dict[Any, Any]):
    """What stands for each word; the set itself refuses what is none of its words."""

    def __init__(self, words: type[enum.StrEnum], known: Mapping[str, Any]) -> None:
        super().__init__(known)
        self[None] = None
        self._words = words

    def __missing__(self, word: Any) -> Any:
        return self._words(word)


class Document(TypeDecorator[Any]):
    """A JSON document: TEXT on SQLite, JSONB on Postgres, a dict or list in Python."""

    impl = Text
    cache_ok = True

    def load_dialect_impl(self, dialect: Dialect) -> TypeEngine[Any]:
        """Choose the native type where there is one."""
        if dialect.name != "postgresql":
            return dialect.type_descriptor(Text())
        from sqlalchemy.dialects.postgresql import JSONB  # noqa: PLC0415 (slow, for Postgres alone)

        return dialect.type_descriptor(JSONB())

    def process_bind_param(self, value: Any | None, dialect: Dialect) -> Any:
        """Write the document."""
        if dialect.name == "postgresql":
            return plain(value)
        return _storable_or_none(_document(value))

    def process_result_value(self, value: Any | None, dialect: Dialect) -> Any:
        """Read the document."""
        return value if dialect.name == "postgresql" else _read(value)

    def incoming(self) -> Change | None:
        """Write the document."""
        return _document

    def outgoing(self) -> Change | None:
        """Read the document."""
        return _read


class Details(Document):
    """A document that nothing stands or falls with: read as empty where it is damaged."""

    cache_ok = True

    def process_result_value(self, value: Any | None, dialect: Dialect) -> Any:
        """Read the document, whatever was left of it."""
        return _details(value) if dialect.name != "postgresql" else _mapping(value)

    def outgoing(self) -> Change | None:
        """Read the document, whatever was left of it."""
        return _details


class Written(dict[str, Any]):
    """A document as the database gives it back, with its text, so that it is not written twice.

    It does not change, for the text would not change with it; copies of it are ordinary dicts.
    """

    __slots__ = ("_text",)

    def __init__(self, items: Mapping[str, Any], text: str) -> None:
        super().__init__(items)
        self._text = text

    def take_text(self) -> str:
        """The text; it is kept until it is wanted for the first time, for it is long."""
        text, self._text = self._text, ""
        return text or _as_json(self)

    def _refuse(self, *_: object, **__: object) -> NoReturn:
        raise TypeError("what is written does not change")

    __setitem__ = __delitem__ = __ior__ = _refuse
    clear = pop = popitem = setdefault = update = _refuse

    def __reduce__(self) -> tuple[type[dict[str, Any]], tuple[dict[str, Any]]]:
        return dict, ({**self},)


def read_back(document: Mapping[str, Any]) -> Written:
    """The document as it comes back from the database."""
    if type(document) is Written:
        return document
    text = storable(_document(document) or "{}")
    return Written(_from_json(text), text)


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
    if type(value) is Written:
        return value.take_text()
    text = _as_json(value)
    # Cleaning a document piece by piece is slow, and hardly any document has to be cleaned.
    return text if _NUL not in text else _as_json(plain(value))
