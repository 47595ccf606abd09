"""Fills a template in one pass, so that nothing inside a value is ever taken for a placeholder."""

import secrets
from collections.abc import Callable, Mapping
from typing import Final

from bot.prompting.cleaning import clean, defuse, is_plain
from bot.prompting.closing import closing_line, closing_subject
from bot.prompting.contract import PLACEHOLDERS, Kind, Placeholder, TemplateContract
from bot.prompting.template_file import PLACEHOLDER

TokenFactory = Callable[[], str]
_DRAWS: Final = 100


class MissingValue(Exception):  # noqa: N818  (a fact the conductor acts on, E111-E113 and E116)
    """A placeholder that has no default was given no value."""

    def __init__(self, placeholder: str, template: str) -> None:
        super().__init__(f"prompts/{template}.md cannot be rendered without [{placeholder}]")
        self.placeholder = placeholder
        self.template = template


class UnexpectedValueError(ValueError):
    """A value that the template does not know or cannot hold: a bug of the caller."""


def random_token() -> str:
    """A boundary that nobody can guess."""
    return secrets.token_hex(6)


def prepare(
    contract: TemplateContract, values: Mapping[str, str], new_token: TokenFactory
) -> dict[str, str]:
    """The text for every placeholder the contract knows, checked, cleaned and quoted."""
    _refuse_unknown(contract, values)
    needed = set(contract.needs)
    if "CLOSING_LINE" in contract.known:
        needed.add(closing_subject(values.get("MODE", "")))
    given = {name: clean(text).strip() for name, text in values.items()}
    for name in sorted(needed):
        if not given.get(name):
            raise MissingValue(name, contract.name)
    token = _boundary(given, new_token)
    return {name: _text_for(PLACEHOLDERS[name], given, token) for name in contract.known}


def fill(part: str, texts: Mapping[str, str]) -> str:
    """Put the prepared texts into a part; a line that held only an empty one disappears."""
    kept: list[str] = []
    for line in part.split("\n"):
        filled = PLACEHOLDER.sub(lambda match: texts[match[1]], line)
        vanished = bool(line.strip()) and not filled.strip()
        doubled_blank = not line.strip() and bool(kept) and not kept[-1]
        if not vanished and not doubled_blank:
            kept.append(filled)
    return "\n".join(kept).strip()


def _refuse_unknown(contract: TemplateContract, values: Mapping[str, str]) -> None:
    unknown = sorted(set(values) - contract.accepts)
    if unknown:
        listed = ", ".join(f"[{name}]" for name in unknown)
        raise UnexpectedValueError(f"prompts/{contract.name}.md takes no value for {listed}")


def _boundary(given: Mapping[str, str], new_token: TokenFactory) -> str:
    for _ in range(_DRAWS):
        token = new_token()
        if token and not any(token in text for text in given.values()):
            return token
    raise UnexpectedValueError("no boundary could be drawn that is absent from every value")


def _text_for(placeholder: Placeholder, given: Mapping[str, str], token: str) -> str:
    if placeholder.kind is Kind.FIXED:
        return closing_line(given.get("MODE", ""))
    text = given.get(placeholder.name) or ""
    if not text:
        return placeholder.default or ""
    if placeholder.kind is Kind.PLAIN:
        return _checked(placeholder.name, text)
    block = f'<data-{token} name="{placeholder.block_name}">\n{defuse(text)}\n</data-{token}>'
    return f"{placeholder.lead}\n{block}" if placeholder.lead else block


def _checked(name: str, text: str) -> str:
    if not is_plain(text):
        raise UnexpectedValueError(
            f"[{name}] must be one short line without brackets; pass it through plain_words()"
        )
    return text
