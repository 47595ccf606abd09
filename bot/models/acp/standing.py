"""How a harness would be started on this machine, in words, with what would shelter it."""

from bot.models.acp.sandbox import Shelter, shelter
from bot.panels.providers import AcpProvider
from bot.words import harness as words


def standing(provider: AcpProvider) -> tuple[str, str]:
    """Where it runs, and what to do about that; the second is empty when nothing is to be done."""
    if not provider.sandbox:
        return words.SANDBOX_OFF, ""
    match shelter():
        case Shelter.READY:
            return words.in_sandbox(network=provider.network), ""
        case Shelter.NOT_INSTALLED:
            return words.NO_BWRAP, words.INSTALL_BWRAP
        case Shelter.CANNOT:
            return words.BWRAP_CANNOT, words.LET_BWRAP
