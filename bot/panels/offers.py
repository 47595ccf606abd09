"""What a provider offers: its models, found by asking it."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

_MOST_MODELS: Final = 500
_LATEST: Final = ":latest"
_NAME: Final = re.compile(r"[A-Za-z0-9][\w./:@+-]{0,119}")
_PATH: Final = re.compile(r"(?:~?/|\.{1,2}/|[A-Za-z]:[\\/])[\w ./\\:@+~()-]{1,199}")
"""llama.cpp and vLLM call a model by the file or folder they were started with."""
_FILE_ENDING: Final = ".gguf"
_NO_CHAT: Final = re.compile(r"embed|rerank|whisper|\bbge\b|\bclip\b|\btts\b", re.IGNORECASE)
_FAMILIES: Final = (
    "llama",
    "qwen",
    "gemma",
    "mistral",
    "mixtral",
    "ministral",
    "deepseek",
    "phi",
    "granite",
    "command",
    "gpt",
    "smollm",
    "olmo",
    "glm",
    "yi",
)
_ALSO_CALLED: Final = {"mixtral": "mistral", "ministral": "mistral"}
_LETTERS: Final = re.compile(r"[a-z]+")
_SNAPSHOT: Final = re.compile(r"-\d{8}$")
_VARIANT: Final = re.compile(r":(?:nitro|floor|online|exacto)$")
"""What OpenRouter takes behind any id and does not list."""


@dataclass(frozen=True, slots=True)
class Offer:
    """The models a provider has; `exact` when it serves these and no others."""

    models: tuple[str, ...]
    exact: bool = True
    chats_for_free: bool = True
    """Whether its models may be taken without being named in panels.json."""
    loads: bool = False
    """Whether a model is loaded when it is first asked, which takes its time."""
    owners: frozenset[str] = field(default=frozenset(), compare=False)
    """Whose models the server says they are."""
    listed: tuple[str, ...] = field(default=(), compare=False)
    """Every id the server gave, also of what may not be taken unasked."""
    hosted: bool = False
    """Whether it is a provider's list and not that of a server on this machine."""
    created: Mapping[str, float] = field(default_factory=dict)
    """When its models came out, as far as it says."""
    priced: frozenset[str] = frozenset()
    """The models whose price it tells."""

    def serves(self, wire: str) -> bool:
        """Whether the provider can be asked for a model of this id."""
        return not self.exact or self.lists(wire)

    def lists(self, wire: str) -> bool:
        """Whether the provider names a model of this id."""
        named = self.listed or self.models
        same = _plain if self.hosted else _bare
        return _bare(wire) in map(_bare, named) or same(wire) in map(same, named)


def _bare(wire: str) -> str:
    """A model's id without the tag that everybody leaves out."""
    return wire.casefold().removesuffix(_LATEST)


def _plain(wire: str) -> str:
    """An id at a provider elsewhere without the date or variant that may be left out."""
    return _SNAPSHOT.sub("", _VARIANT.sub("", wire.casefold()))


def chat_models(ids: Iterable[str]) -> tuple[str, ...]:
    """The ids that can be shown and asked to chat, each once."""
    fit = (name for name in ids if _is_name(name) and not _NO_CHAT.search(name))
    return tuple(dict.fromkeys(fit))[:_MOST_MODELS]


def short_name(wire: str) -> str:
    """What people call a model: its id, or the name of the file that its id is the path of."""
    if not _PATH.fullmatch(wire):
        return _bare(wire)
    return _last_part(wire).casefold().removesuffix(_FILE_ENDING)


def _is_name(text: str) -> bool:
    return bool(_NAME.fullmatch(text) or _PATH.fullmatch(text))


def _last_part(wire: str) -> str:
    return wire.replace("\\", "/").rstrip("/").rpartition("/")[2]


def family_of(wire: str) -> str:
    """A model's kin, as far as its id tells."""
    name = _last_part(wire).casefold()
    known = next((family for family in _FAMILIES if family in name), None)
    letters = _LETTERS.search(name)
    family = known or (letters.group() if letters else name)
    return _ALSO_CALLED.get(family, family)
