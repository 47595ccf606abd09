"""How the servers that speak OpenAI's formats differ from each other."""

from collections.abc import Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from types import MappingProxyType
from typing import Final, Literal
from urllib.parse import urlsplit

VendorName = Literal["openai", "openrouter", "xai", "mistral", "deepseek"]
_HOSTS: Final[Mapping[str, VendorName]] = MappingProxyType(
    {
        "openai.com": "openai",
        "openrouter.ai": "openrouter",
        "x.ai": "xai",
        "mistral.ai": "mistral",
        "deepseek.com": "deepseek",
    }
)


@dataclass(frozen=True, slots=True)
class Vendor:
    """What one vendor's server expects in a request."""

    limit: str = "max_tokens"
    """The parameter that limits the output."""
    asks_for_usage: bool = True
    """Whether usage is only sent on request."""
    effort: Literal["flat", "nested"] | None = "flat"
    """The field for the effort: `reasoning_effort`, `reasoning.effort`, or none."""
    responses_only: tuple[str, ...] = ()
    """Patterns of ids that only the Responses API serves."""
    routes: bool = False
    """Whether it routes calls to other hosts, with cache marks and a data policy."""

    def needs_responses(self, model: str) -> bool:
        """Whether a model is known to need the Responses API."""
        return any(fnmatchcase(model, pattern) for pattern in self.responses_only)

    @classmethod
    def of(cls, base_url: str, name: VendorName | None = None) -> "Vendor":
        """The vendor of a server: as its operator configured, else by its host."""
        known = name or _vendor_name(base_url)
        return VENDORS[known] if known else COMPATIBLE


COMPATIBLE: Final = Vendor()
"""Any other server: Ollama, LM Studio, vLLM, llama.cpp, Blockrun, proxies."""
VENDORS: Final[Mapping[VendorName, Vendor]] = MappingProxyType(
    {
        "openai": Vendor(
            limit="max_completion_tokens",
            responses_only=("*codex*", "*-pro", "*-pro-*", "*deep-research*"),
        ),
        "openrouter": Vendor(effort="nested", routes=True),
        "xai": Vendor(limit="max_completion_tokens"),
        "mistral": Vendor(asks_for_usage=False, effort=None),
        "deepseek": Vendor(effort=None),
    }
)


def _vendor_name(base_url: str) -> VendorName | None:
    """The vendor whose host a URL names, or None for any other server."""
    host = (urlsplit(base_url).hostname or "").rstrip(".")
    for domain, name in _HOSTS.items():
        if host == domain or host.endswith(f".{domain}"):
            return name
    return None
