"""The prompt book: every prompt file, loaded once, checked, and rendered on demand."""

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from bot.errors import ConfigError
from bot.messages.configuration import PromptFileText
from bot.prompting.contract import TEMPLATES, TemplateContract
from bot.prompting.filling import (
    Boundaries,
    Part,
    TemplateFile,
    TokenFactory,
    in_language,
    prepare,
    random_token,
    read_template,
    template_problems,
)
from bot.types.model_port import Message, Prompt


@dataclass(frozen=True, slots=True)
class _Template:
    contract: TemplateContract
    system: Part
    user: Part
    version: str
    text: str


class PromptBook:
    """The prompts of a running bot; what is rendered never holds an unfilled placeholder."""

    def __init__(self, templates: Mapping[str, _Template], new_token: TokenFactory) -> None:
        self._templates = templates
        self._boundaries = Boundaries(new_token)

    @classmethod
    def load(cls, folder: Path, new_token: TokenFactory = random_token) -> "PromptBook":
        """Load every prompt of the contract; raises ConfigError with one problem a line."""
        problems = cls.problems(folder)
        if problems:
            raise ConfigError("\n".join(problems))
        return cls(
            {name: _load(folder, contract) for name, contract in TEMPLATES.items()}, new_token
        )

    @staticmethod
    def problems(folder: Path) -> list[str]:
        """Everything that is wrong with the prompt files of a folder, one sentence each."""
        return [problem for name in TEMPLATES for problem in _file_problems(folder, name)]

    @property
    def versions(self) -> Mapping[str, str]:
        """A short content hash per template, to be frozen into a run."""
        return MappingProxyType({name: entry.version for name, entry in self._templates.items()})

    @property
    def texts(self) -> tuple[str, ...]:
        """What every prompt says by itself, to whoever it goes."""
        return tuple(entry.text for entry in self._templates.values())

    def render(
        self, name: str, values: Mapping[str, str], run_id: str = "", *, language: str = ""
    ) -> Prompt:
        """Render one prompt; raises MissingValue, or UnexpectedValueError for a caller's bug.

        The prompts of one run quote under one boundary, so that they can begin alike.
        """
        template = self._templates[name]
        raw = dict(values)
        texts = prepare(template.contract, raw, self._boundaries.of(run_id))
        system, user = template.system.fill(texts), template.user.fill(texts)
        wanted = in_language(language) if language else ""
        messages = (Message("system", system.text + wanted), Message("user", user.text))
        return Prompt(name, MappingProxyType(raw), messages, user.shared_lengths())


def _load(folder: Path, contract: TemplateContract) -> _Template:
    file = _read(folder, contract.name)
    system, user = file.part("system"), file.part("user")
    text = f"{system}\n<!-- user -->\n{user}"
    version = hashlib.sha256(text.encode()).hexdigest()[:12]
    return _Template(contract, Part(system), Part(user), version, text)


def _read(folder: Path, name: str) -> TemplateFile:
    return read_template(folder / f"{name}.md", _shown(folder))


def _file_problems(folder: Path, name: str) -> Iterator[str]:
    where = f"{_shown(folder)}/{name}.md"
    try:
        file = _read(folder, name)
    except FileNotFoundError:
        yield PromptFileText.missing_file(where)
    except UnicodeDecodeError:
        yield PromptFileText.not_utf8(where)
    except OSError as error:
        yield PromptFileText.unreadable(where, error.strerror)
    else:
        yield from template_problems(file, TEMPLATES[name])


def _shown(folder: Path) -> str:
    return folder.name or "prompts"
