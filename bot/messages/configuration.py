"""Mistakes in panels.json, prompt files and settings: what is wrong and what to do."""

from collections.abc import Iterable, Sequence
from typing import Final


class PanelsFileText:
    """Mistakes in panels.json: what is wrong, and after a semicolon what to do."""

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
    NO_LANGUAGE: Final = 'is not the name of a language; write its English name, such as "German"'
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
        "is not a variable name; write a name such as OPENAI_API_KEY here and put the key "
        "itself into "
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

    @staticmethod
    def no_such_profile(name: str, known: Sequence[str]) -> str:
        """A panel that is to sit by default is not among the profiles."""
        return f"there is no profile '{name}' with models; use one of: {', '.join(known)}"

    @staticmethod
    def settings_ignored(guild_id: int, problems: Sequence[str]) -> str:
        """What admins read when stored settings of a server do not fit panels.json any more."""
        listed = "\n".join(f"- {problem}" for problem in problems)
        return (
            f"⚠️ The settings that `/roundtable setup` stored for the server {guild_id} do not fit "
            f"panels.json any more, so the file's values are used:\n{listed}"
        )

    @staticmethod
    def refusal(problems: Sequence[str], more: int) -> str:
        """Admins read this when a change of the file cannot be used."""
        shown = "\n".join(f"- {problem}" for problem in problems)
        rest = f"\n- and {more} more: `roundtable check` lists them all" if more > 0 else ""
        return f"⚠️ panels.json is not valid, so the old configuration stays active:\n{shown}{rest}"

    @staticmethod
    def no_file(path: str) -> str:
        """There is no panels.json where it should be."""
        return f"{path}: no such file; set ROUNDTABLE_PANELS to your file"

    @staticmethod
    def not_utf8(path: str) -> str:
        """The file is in another encoding."""
        return f"{path}: is not UTF-8 text; save it as UTF-8"

    @staticmethod
    def unreadable(path: str, reason: str) -> str:
        """The system refuses to read the file."""
        return f"{path}: {reason}; make it a readable file"

    @staticmethod
    def not_json(reason: str) -> str:
        """The file is no JSON for a reason without a place."""
        return f"the file is not JSON: {reason}; correct it"

    @staticmethod
    def no_json_number(word: str) -> str:
        """The file holds NaN or Infinity."""
        return f"{word} is not a JSON number"

    @staticmethod
    def at_place(line: int, column: int, fault: str) -> str:
        """A mistake of syntax together with where it is."""
        return f"line {line}, column {column}: {fault}"

    @staticmethod
    def correct_here(message: str) -> str:
        """A mistake of syntax that only the parser has words for."""
        return f"{PanelsFileText._lowered(message)}; correct the file here"

    @staticmethod
    def correct_it(message: str) -> str:
        """A wrong value that only the validator has words for."""
        return f"{PanelsFileText._lowered(message)}; correct it"

    @staticmethod
    def did_you_mean(name: str) -> str:
        """A name is nearly a known one."""
        return f"did you mean '{name}'?"

    @staticmethod
    def use_one_of(known: Sequence[str]) -> str:
        """A name is not near any known one."""
        return f"use one of {', '.join(known)}"

    @staticmethod
    def unknown_key(advice: str) -> str:
        """A key that means nothing."""
        return f"unknown key; {advice}"

    @staticmethod
    def remove_key(known: Sequence[str]) -> str:
        """What to do with a key that is not near any known one."""
        return f"remove it (known here: {', '.join(known)})"

    @staticmethod
    def missing_key(about: str) -> str:
        """A key that must be there, with what it is for."""
        return f"missing; add it ({about})"

    @staticmethod
    def missing_kind(advice: str) -> str:
        """A provider that does not say what kind it is."""
        return f"missing; {advice}"

    @staticmethod
    def unknown_kind(kind: str, advice: str) -> str:
        """An unknown provider kind."""
        return f"'{kind}' is not a provider kind; {advice}"

    @staticmethod
    def no_provider_called(name: str, advice: str) -> str:
        """A route leads to a provider that is not in the file."""
        return f"there is no provider '{name}'; {advice}"

    @staticmethod
    def no_model_called(name: str, advice: str = "") -> str:
        """Something names a model that is not in the file."""
        return f"there is no model '{name}'" + (f"; {advice}" if advice else "")

    @staticmethod
    def alias_of_alias(name: str, model: str) -> str:
        """An alias leads to another alias."""
        return f"'{name}' is itself an alias; write '{model}' instead"

    @staticmethod
    def same_name(other: str) -> str:
        """Two things could be meant by one name."""
        return f"has the same name as {other}; rename one of them"

    @staticmethod
    def listed_twice(model: str) -> str:
        """A list names a model again."""
        return f"'{model}' is listed twice; remove one"

    @staticmethod
    def same_role(role: str, other: str) -> str:
        """Two seats of a panel have too similar roles."""
        return f"'{role}' is too similar to the role of {other}; give each seat its own role"

    @staticmethod
    def too_many_seats(seats: int, most: int) -> str:
        """A panel is larger than the limit."""
        return f"has {seats} seats; limits.maxSeats is {most}: remove {seats - most}"

    @staticmethod
    def seated_orchestrator(model: str) -> str:
        """Whoever coordinates would also argue."""
        return f"'{model}' is the orchestrator and cannot take a seat; choose another model"

    @staticmethod
    def too_little_time(given: float, needed: float) -> str:
        """The steps of a meeting do not fit into its time."""
        return (
            f"is {given:g}; search, meta, two rounds, synthesis and validation take "
            f"up to {needed:g}: raise it to {needed:g} or lower the others"
        )

    @staticmethod
    def _value_kind(value: object) -> str:
        """What a value is, without repeating text that might be a secret."""
        if value is None:
            return "null"
        if isinstance(value, bool):
            return "true" if value else "false"
        if isinstance(value, int | float):
            return f"the number {value}"
        return {"str": "text", "list": "a list"}.get(type(value).__name__, "an object")

    @staticmethod
    def other_kind(value: object, wanted: str) -> str:
        """A value of the wrong type."""
        return f"is {PanelsFileText._value_kind(value)}; {wanted}"

    @staticmethod
    def other_word(word: str, advice: str) -> str:
        """A value that is not one of the allowed words."""
        return f"is '{word}'; {advice}"

    @staticmethod
    def use_words(expected: str) -> str:
        """The allowed words."""
        return f"use {expected}"

    @staticmethod
    def not_above(given: object, bound: float) -> str:
        """A number that must be larger."""
        return f"is {given}; write a number above {bound:g}"

    @staticmethod
    def below(given: object, least: object) -> str:
        """A number below the smallest."""
        return f"is {given}; the minimum is {least}"

    @staticmethod
    def above(given: object, most: object) -> str:
        """A number above the largest."""
        return f"is {given}; the maximum is {most}"

    @staticmethod
    def too_few(least: int) -> str:
        """A list that is too short."""
        return f"has too few entries; add at least {least}"

    @staticmethod
    def too_many(given: int, most: int) -> str:
        """A list that is too long."""
        return f"has {given} entries; the maximum is {most}"

    @staticmethod
    def too_long(given: int, most: int) -> str:
        """A text that is too long."""
        return f"has {given} characters; the maximum is {most}"

    @staticmethod
    def role_length(given: int, shortest: int, longest: int) -> str:
        """A seat's name that is too short or too long."""
        return f"has {given} characters; use {shortest} to {longest}"

    @staticmethod
    def role_sign(sign: str) -> str:
        """A seat's name with a sign that formats use."""
        return f"contains '{sign}', which has a special meaning in scores or prompts; remove it"

    @staticmethod
    def role_word(word: str) -> str:
        """A seat's name with a word that Discord keeps to itself."""
        return f"contains '{word}', which Discord does not allow in names; choose another name"

    @staticmethod
    def no_url(scheme: str) -> str:
        """A text that is no URL, or of the wrong kind."""
        return f"is not a URL; write one that starts with {scheme}://"

    TOOLS_NEED_NETWORK: Final = (
        'toolsets are reached over loopback; add "network": true, or remove toolsets'
    )

    @staticmethod
    def own_variable(name: str) -> str:
        """A harness would be given a secret of the bot."""
        return f"passEnv contains {name}, which is reserved for the bot; remove it"

    @staticmethod
    def _lowered(message: str) -> str:
        return f"{message[0].lower()}{message[1:]}"


class PromptFileText:
    """Mistakes in the prompt files: what is wrong, and after a semicolon what to do."""

    @staticmethod
    def missing_file(where: str) -> str:
        """A prompt file was taken away."""
        return f"{where}: the file is missing; restore it"

    @staticmethod
    def not_utf8(where: str) -> str:
        """A prompt file is in another encoding."""
        return f"{where}: the file is not UTF-8; save it as UTF-8"

    @staticmethod
    def unreadable(where: str, reason: str | None) -> str:
        """The system refuses to read a prompt file."""
        return f"{where}: the file cannot be read ({reason}); check its permissions"

    @staticmethod
    def missing_part(where: str, part: str) -> str:
        """One of the two parts is missing."""
        return f"{where}: the line <!-- {part} --> is missing; add it before that part"

    @staticmethod
    def repeated_part(where: str, part: str) -> str:
        """A part begins twice."""
        return f"{where}: the line <!-- {part} --> appears twice; keep one"

    @staticmethod
    def empty_part(where: str, part: str) -> str:
        """A part says nothing."""
        return f"{where}: the {part} part is empty; write it"

    @staticmethod
    def text_before_parts(where: str, line: int) -> str:
        """There is text outside the parts."""
        return f"{where}:{line}: text before the first part is never sent; move it into a part"

    @staticmethod
    def missing_placeholder(where: str, name: str) -> str:
        """A value that models need would not reach them."""
        return f"{where}: the placeholder {PromptFileText._bracketed(name)} is missing; put it back"

    @staticmethod
    def unknown_placeholder(where: str, line: int, name: str, nearest: str) -> str:
        """A placeholder is nearly a known one."""
        return PromptFileText._unknown(
            where, line, name, f"did you mean {PromptFileText._bracketed(nearest)}?"
        )

    @staticmethod
    def strange_placeholder(where: str, line: int, name: str, known: Iterable[str]) -> str:
        """A placeholder is not near any known one."""
        return PromptFileText._unknown(
            where, line, name, f"use one of {', '.join(map(PromptFileText._bracketed, known))}"
        )

    @staticmethod
    def untrusted_placeholder(where: str, line: int, name: str) -> str:
        """Somebody else's words would be read as ours."""
        return (
            f"{where}:{line}: {PromptFileText._bracketed(name)} contains untrusted text; "
            "move it to the user part"
        )

    @staticmethod
    def cannot_render(template: str, placeholder: str) -> str:
        """A prompt lacks a value without which it makes no sense."""
        return (
            f"prompts/{template}.md cannot be rendered without "
            f"{PromptFileText._bracketed(placeholder)}"
        )

    @staticmethod
    def _unknown(where: str, line: int, name: str, advice: str) -> str:
        return f"{where}:{line}: unknown placeholder {PromptFileText._bracketed(name)}; {advice}"

    @staticmethod
    def _bracketed(name: str) -> str:
        return f"[{name}]"


class SettingText:
    """What is wrong with a setting in the environment or .env, after its name."""

    BEGINS_WITH_BOT: Final = "starts with 'Bot '; keep only what follows it"
    HOLDS_A_SPACE: Final = "contains a space or line break; copy the token again from Discord"
    NO_CHANNEL: Final = "is not a channel id; copy its digits from Discord"
    NO_ADDRESS: Final = "is not an IP address; write 127.0.0.1, or 0.0.0.0 for all networks"
    NO_USER: Final = "is not a user id; copy its digits from Discord"
    NO_POSTGRES: Final = (
        "is not a Postgres URL; write postgresql://user:password@host/database, with special "
        "characters in the password percent-encoded"
    )
    NO_FOLDER: Final = "is not a folder; set it to Roundtable's data folder"
    NO_FILE: Final = "is not a file; correct the path or remove the line"
    CANNOT_BE_READ: Final = "cannot be read"

    @staticmethod
    def named(name: str, fault: str) -> str:
        """A setting and its fault."""
        return f"{name}: {fault}"

    @staticmethod
    def unknown_value(name: str, expected: str) -> str:
        """A setting that knows a few values only."""
        return f"{name}: unknown value; use {expected}"

    @staticmethod
    def other_fault(name: str, fault: str) -> str:
        """A setting with a fault that the reader found."""
        return f"{name}: {fault}; correct it"

    @staticmethod
    def not_utf8(path: str) -> str:
        """A .env that holds no text."""
        return f"{path}: is not UTF-8 text; save it as UTF-8"

    @staticmethod
    def unreadable(path: str, why: str) -> str:
        """A .env that cannot be read."""
        return f"{path}: {why}; make it a readable file"

    @staticmethod
    def not_understood(path: str, line: int) -> str:
        """A line of .env that is no setting."""
        return f"{path} line {line}: not understood; write NAME=value"

    @staticmethod
    def unknown_name(name: str, advice: str) -> str:
        """An unknown setting."""
        return f"{name}: unknown setting; {advice}"

    @staticmethod
    def known_names(names: Sequence[str]) -> str:
        """Every setting there is."""
        return f"known settings: {', '.join(names)}"

    @staticmethod
    def other_missing(missing: str, first: str, second: str) -> str:
        """One of two settings that go together."""
        return f"{missing}: missing; set both {first} and {second}, or neither"
