"""Who would sit on each panel now, whether that is the full panel, and where facts come from."""

from collections.abc import Sequence
from typing import Final

from bot.words.counting import listed

STAND_INS: Final = "No model is usable, so labelled stand-ins take every seat."
SOME_REPLACED: Final = "The panel is degraded: some seats are not taken by their configured model."
START_OLLAMA: Final = "start Ollama and set ROUNDTABLE_LOCAL=on in .env: its models take the seats"
SEARCH_OFF: Final = "turned off in panels.json"
SEARCH_REHEARSED: Final = "a rehearsal does not search the web"
SEARCH_FREE: Final = "through Tavily's free access (limited)"


def server_panel(mode: str, server: str) -> str:
    """A panel that a server changed."""
    return f"{mode} (server {server})"


def budget_panel(title: str) -> str:
    """A panel whose budget seats take its place."""
    return f"{title}, as the budget panel"


def empty_seat(wanted: str) -> str:
    """A seat without a usable model."""
    return f"empty: neither {wanted} nor a replacement is usable"


def stand_in(wanted: str) -> str:
    """A seat that is played."""
    return f"stand-in for {wanted}"


def seated(model: str, provider: str, wire_model: str) -> str:
    """A seat with the model it was made for, and the provider's id where it is another name."""
    name = model if wire_model in (model, f"{model}:latest") else f"{model}, now {wire_model},"
    return f"{name} through {provider}"


def seated_instead(
    model: str, provider: str, wire_model: str, wanted: str, *, is_fallback: bool, same_family: bool
) -> str:
    """A seat with another model than it was made for."""
    how = "fallback for" if is_fallback else "in place of"
    kin = ", same family" if same_family else ""
    return f"{seated(model, provider, wire_model)} ({how} {wanted}{kin})"


def one_family(family: str) -> str:
    """Every seat is taken by relatives."""
    return (
        f"The panel is degraded: every seat is taken by the {family} family. The roles differ, but "
        "all seats may share the same blind spots."
    )


def full_panel(families: int) -> str:
    """Nothing is missing."""
    return f"The full panel is available: {families} model families."


def only_found(providers: Sequence[str], models: Sequence[str]) -> str:
    """The seats are taken by what runs on this machine."""
    have = "has" if len(providers) == 1 else "have"
    return (
        "No model of panels.json is usable; the seats are taken by the models that "
        f"{listed(providers)} {have}: {listed(models)}."
    )


def server_here(server: str, port: int, models: str) -> str:
    """A server that runs on this machine, and what it has."""
    return f"{server} is running here (port {port}) with {models}"


def offered(servers: Sequence[str]) -> str:
    """Local servers that could take the seats."""
    return f"{'; '.join(servers)}: use `make run ARGS=--local` or ROUNDTABLE_LOCAL=on to seat it."


def remedy(step: str, models: Sequence[str]) -> str:
    """Something to do, and what it is good for."""
    return f"{step}: serves {listed(models)}"


def search_through(service: str) -> str:
    """Which service looks facts up."""
    return f"through {service}"
