"""Mistakes in panels.json: what is wrong, and after a semicolon what to do."""

from collections.abc import Sequence
from typing import Final

GOOD_AGAIN: Final = "✅ panels.json is valid again and applies from the next roundtable on."

TOO_DEEP: Final = "the file is nested too deeply; start again from the shipped one"
NO_OBJECT: Final = "the file is not a JSON object; it must start with { and end with }"
WRITTEN_TWICE: Final = "duplicate key; keep one"
NO_COMMENTS: Final = "JSON has no comments; remove this one"
COMMA_TOO_MANY: Final = "trailing comma before the closing bracket; remove it"
DOUBLE_QUOTES: Final = "JSON needs double quotes; write \" instead of '"
ENDS_TOO_EARLY: Final = "the file ends too early; close every bracket and quote"
COMMA_MISSING: Final = "a comma or a closing bracket is missing; add it before this position"

WRITE_TEXT: Final = "write text in double quotes"
WRITE_WHOLE_NUMBER: Final = "write a whole number"
WRITE_NUMBER: Final = "write a number"
WRITE_TRUE_OR_FALSE: Final = "write true or false"
WRITE_LIST: Final = "write a list in [ ]"
WRITE_OBJECT: Final = "write an object in { }"
EMPTY: Final = "is empty; fill it in"

ADD_MODEL: Final = "add it to models or use an existing key"
NO_BUDGET_PANEL: Final = (
    "missing; list the models of the budget panel, which is used when providers are missing"
)
NO_NEUTRAL_WRITER: Final = (
    "every premium model has a seat on some panel; keep one off all panels, so that a neutral "
    "model can write conclusions"
)

NO_ID: Final = 'is not a Discord id; copy the id and write it in quotes, as "1234567890"'
ID_OUT_OF_RANGE: Final = "is not a Discord id; ids are between 1 and 18446744073709551615"
NO_SERVER_ID: Final = "is not a Discord server id; copy the id and write its digits"
NO_VARIABLE: Final = (
    "is not a variable name; write a name such as OPENAI_API_KEY here and put the key itself into "
    ".env"
)
NO_NAME: Final = "is not a valid name; use letters, digits and . _ : / - without spaces"
NOT_ONE_LINE: Final = "contains a line break or control character; write it on one line"
URL_HAS_QUERY: Final = "has a query or fragment; write the base URL without '?' and '#'"
URL_HAS_PASSWORD: Final = (
    "contains a password; put secrets into .env and refer to them with apiKeyEnv"  # noqa: S105 (a sentence)
)
NO_TIME_ZONE: Final = 'is not a time zone; write "UTC" or a name such as "Europe/Berlin"'
TWO_KEYS: Final = "has both apiKeyEnv and apiKey; keep apiKeyEnv"
NO_KEY: Final = 'has no API key; add "apiKeyEnv" with the name of a variable in .env'

ROLE_HAS_SPACE: Final = "starts or ends with a space; remove it"
ROLE_UNPRINTABLE: Final = "contains a control or invisible character; remove it"
ROLE_HAS_NO_LETTER: Final = "has no letter or digit; choose a name"
ROLE_IS_OURS: Final = "is reserved by the bot; choose another name"

CANNOT_BE_READ: Final = "cannot be read"


def refusal(problems: Sequence[str], more: int) -> str:
    """Admins read this when a change of the file cannot be used."""
    shown = "\n".join(f"- {problem}" for problem in problems)
    rest = f"\n- and {more} more: `roundtable check` lists them all" if more > 0 else ""
    return f"⚠️ panels.json is not valid, so the old configuration stays active:\n{shown}{rest}"


def no_file(path: str) -> str:
    """There is no panels.json where it should be."""
    return f"{path}: no such file; set ROUNDTABLE_PANELS to your file"


def not_utf8(path: str) -> str:
    """The file is in another encoding."""
    return f"{path}: is not UTF-8 text; save it as UTF-8"


def unreadable(path: str, reason: str) -> str:
    """The system refuses to read the file."""
    return f"{path}: {reason}; make it a readable file"


def not_json(reason: str) -> str:
    """The file is no JSON for a reason without a place."""
    return f"the file is not JSON: {reason}; correct it"


def no_json_number(word: str) -> str:
    """The file holds NaN or Infinity."""
    return f"{word} is not a JSON number"


def at_place(line: int, column: int, fault: str) -> str:
    """A mistake of syntax together with where it is."""
    return f"line {line}, column {column}: {fault}"


def correct_here(message: str) -> str:
    """A mistake of syntax that only the parser has words for."""
    return f"{_lowered(message)}; correct the file here"


def correct_it(message: str) -> str:
    """A wrong value that only the validator has words for."""
    return f"{_lowered(message)}; correct it"


def did_you_mean(name: str) -> str:
    """A name is nearly a known one."""
    return f"did you mean '{name}'?"


def use_one_of(known: Sequence[str]) -> str:
    """A name is not near any known one."""
    return f"use one of {', '.join(known)}"


def unknown_key(advice: str) -> str:
    """A key that means nothing."""
    return f"unknown key; {advice}"


def remove_key(known: Sequence[str]) -> str:
    """What to do with a key that is not near any known one."""
    return f"remove it (known here: {', '.join(known)})"


def missing_key(about: str) -> str:
    """A key that must be there, with what it is for."""
    return f"missing; add it ({about})"


def missing_kind(advice: str) -> str:
    """A provider that does not say what kind it is."""
    return f"missing; {advice}"


def unknown_kind(kind: str, advice: str) -> str:
    """An unknown provider kind."""
    return f"'{kind}' is not a provider kind; {advice}"


def no_provider_called(name: str, advice: str) -> str:
    """A route leads to a provider that is not in the file."""
    return f"there is no provider '{name}'; {advice}"


def no_model_called(name: str, advice: str = "") -> str:
    """Something names a model that is not in the file."""
    return f"there is no model '{name}'" + (f"; {advice}" if advice else "")


def alias_of_alias(name: str, model: str) -> str:
    """An alias leads to another alias."""
    return f"'{name}' is itself an alias; write '{model}' instead"


def same_name(other: str) -> str:
    """Two things could be meant by one name."""
    return f"has the same name as {other}; rename one of them"


def listed_twice(model: str) -> str:
    """A list names a model again."""
    return f"'{model}' is listed twice; remove one"


def same_role(role: str, other: str) -> str:
    """Two seats of a panel have too similar roles."""
    return f"'{role}' is too similar to the role of {other}; give each seat its own role"


def too_many_seats(seats: int, most: int) -> str:
    """A panel is larger than the limit."""
    return f"has {seats} seats; limits.maxSeats is {most}: remove {seats - most}"


def seated_orchestrator(model: str) -> str:
    """Whoever coordinates would also argue."""
    return f"'{model}' is the orchestrator and cannot take a seat; choose another model"


def too_little_time(given: float, needed: float) -> str:
    """The steps of a meeting do not fit into its time."""
    return (
        f"is {given:g}; search, meta, two rounds with summaries, synthesis and validation take "
        f"up to {needed:g}: raise it to {needed:g} or lower the others"
    )


def _value_kind(value: object) -> str:
    """What a value is, without repeating text that might be a secret."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return f"the number {value}"
    return {"str": "text", "list": "a list"}.get(type(value).__name__, "an object")


def other_kind(value: object, wanted: str) -> str:
    """A value of the wrong type."""
    return f"is {_value_kind(value)}; {wanted}"


def other_word(word: str, advice: str) -> str:
    """A value that is not one of the allowed words."""
    return f"is '{word}'; {advice}"


def use_words(expected: str) -> str:
    """The allowed words."""
    return f"use {expected}"


def not_above(given: object, bound: float) -> str:
    """A number that must be larger."""
    return f"is {given}; write a number above {bound:g}"


def below(given: object, least: object) -> str:
    """A number below the smallest."""
    return f"is {given}; the minimum is {least}"


def above(given: object, most: object) -> str:
    """A number above the largest."""
    return f"is {given}; the maximum is {most}"


def too_few(least: int) -> str:
    """A list that is too short."""
    return f"has too few entries; add at least {least}"


def too_many(given: int, most: int) -> str:
    """A list that is too long."""
    return f"has {given} entries; the maximum is {most}"


def too_long(given: int, most: int) -> str:
    """A text that is too long."""
    return f"has {given} characters; the maximum is {most}"


def role_length(given: int, shortest: int, longest: int) -> str:
    """A seat's name that is too short or too long."""
    return f"has {given} characters; use {shortest} to {longest}"


def role_sign(sign: str) -> str:
    """A seat's name with a sign that formats use."""
    return f"contains '{sign}', which has a special meaning in scores or prompts; remove it"


def role_word(word: str) -> str:
    """A seat's name with a word that Discord keeps to itself."""
    return f"contains '{word}', which Discord does not allow in names; choose another name"


def no_url(scheme: str) -> str:
    """A text that is no URL, or of the wrong kind."""
    return f"is not a URL; write one that starts with {scheme}://"


def own_variable(name: str) -> str:
    """A harness would be given a secret of the bot."""
    return f"passEnv contains {name}, which is reserved for the bot; remove it"


def _lowered(message: str) -> str:
    return f"{message[0].lower()}{message[1:]}"
