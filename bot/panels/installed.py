"""Whether what runs on this machine itself is installed: extras, programs and model files."""

import os
import shutil
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from bot.messages.models import ProviderText
from bot.panels.providers import AcpProvider, LocalProvider, Provider

SMALL_MODEL: Final = "SmolLM2-135M-Instruct.Q4_1.gguf"


def fault_here(provider: Provider) -> str | None:
    """Why a provider that runs on this machine cannot be used; None when it can, or runs abroad."""
    match provider:
        case AcpProvider():
            return _harness_fault(provider)
        case LocalProvider():
            return _local_fault(provider)
        case _:
            return None


def model_file(provider: LocalProvider) -> Path:
    """The model file of a provider."""
    return Path(provider.model_path).expanduser() if provider.model_path else small_model_file()


def small_model_file() -> Path:
    """Where `make local` puts the small model: in the user's cache, for all copies of the bot."""
    base = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    return Path(base).expanduser() / "roundtable" / SMALL_MODEL


def _harness_fault(provider: AcpProvider) -> str | None:
    if find_spec("acp") is None:
        return ProviderText.NO_ACP_EXTRA
    if shutil.which(provider.command[0]) is None:
        return ProviderText.no_program(provider.command[0])
    return None


def _local_fault(provider: LocalProvider) -> str | None:
    if find_spec("xllamacpp") is None:
        return ProviderText.NO_LOCAL_EXTRA
    if not model_file(provider).is_file():
        named = provider.model_path
        return ProviderText.no_model_file(named) if named else ProviderText.NO_SMALL_MODEL
    return None
