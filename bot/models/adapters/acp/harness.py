"""The configuration of a harness: its command, its folder, its rights."""

import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from bot.models.adapters.acp.sandbox import Bounds, Shelter, shelter
from bot.models.adapters.acp.workspaces import Workspaces
from bot.types.model_port import Origin, Scope

_INHERITED: Final = (
    "PATH HOME USER LOGNAME SHELL TERM LANG LC_ALL LC_CTYPE TZ TMPDIR XDG_CONFIG_HOME "
    "XDG_DATA_HOME XDG_CACHE_HOME SYSTEMROOT USERPROFILE APPDATA LOCALAPPDATA PATHEXT TEMP"
).split()
"""All that a harness gets of our environment: enough to find programs and its own login."""
_READ: Final = "read"
_WRITE: Final = "write"


def _not_served() -> None:
    """For a bot that offers no tools."""


@dataclass(frozen=True, slots=True)
class Harness:
    """A program that only panels.json can name; it is started without a shell."""

    command: tuple[str, ...]
    workspaces: Workspaces
    workspace: Path | None = None
    allow: frozenset[str] = frozenset()
    environment: Mapping[str, str] = field(default_factory=dict)
    sandbox: bool = True
    """Whether it runs in a sandbox where that is possible."""
    network: bool = False
    shared: tuple[Path, ...] = ()
    """Files and folders of this machine that are mounted in its sandbox."""
    wants_tools: bool = False
    """Whether its seats are given the discussion tools (C2)."""
    served_at: Callable[[], tuple[str, str] | None] = _not_served
    """The address of the discussion tools and its token, while the bot serves them."""

    def tools(self, origin: Origin | None) -> bool:
        """Whether this call may use the discussion tools; in a build nobody does."""
        return self.wants_tools and _scope(origin) is Scope.OPEN

    @property
    def confined(self) -> bool:
        """Whether it is started in a sandbox; the first time one is tried, which takes a moment."""
        return self.sandbox and shelter() is Shelter.READY

    def folder(self, origin: Origin | None) -> Path:
        """Its working folder: the operator's in a discussion in a sandbox, else the run's own."""
        own = self.workspaces.folder(origin.run_id if origin else "")
        return self._unchanged(origin) or own

    def inputs(self, origin: Origin | None) -> tuple[Path, ...]:
        """Folders it may also read: the operator's, where that is not its working folder."""
        if self.workspace is None or self._unchanged(origin):
            return ()
        return (self.workspace,)

    def _unchanged(self, origin: Origin | None) -> Path | None:
        """The operator's folder where it works there: only a sandbox keeps it as it is (B30)."""
        return self.workspace if _scope(origin) is Scope.OPEN and self.confined else None

    def allowed(self, origin: Origin | None) -> frozenset[str]:
        """Its capabilities in this call: only the builder of a build writes (B10, B30, B43).

        In a discussion nobody is asked to approve what it changes, so it changes nothing.
        """
        return self.allow if _scope(origin) is Scope.BUILDING else self.allow - {_WRITE}

    def bounds(self, origin: Origin | None) -> Bounds:
        """The mounts of its sandbox: the run's own folder, and the operator's, which is read-only.

        The reviewers of a build get everything read-only. A folder that is shared as well is seen
        without the right to read, but not changed.
        """
        allowed, folder = self.allowed(origin), self.folder(origin)
        own = folder != self.workspace and _scope(origin) is not Scope.LOOKING
        return Bounds(
            folder=folder.resolve(),
            writable=own or _WRITE in allowed,
            home=Path(self.environment.get("HOME") or Path.home()),
            hidden=self.workspaces.home.resolve(),
            inputs=(
                *(place.resolve() for place in self.inputs(origin) if _READ in allowed),
                *self._shared_of_workspace(),
            ),
            shared=self.shared,
            network=self.network,
        )

    def _shared_of_workspace(self) -> Iterator[Path]:
        """Every name under which `share` would let it change the operator's folder."""
        if self.workspace is None:
            return
        whole = self.workspace.resolve()
        for place in self.shared:
            real = place.resolve()
            if whole.is_relative_to(real):
                yield from (whole, place / whole.relative_to(real))
            elif real.is_relative_to(whole):
                yield place


def _scope(origin: Origin | None) -> Scope:
    return origin.scope if origin else Scope.OPEN


def harness_environment(passed: Mapping[str, str | None]) -> dict[str, str]:
    """The environment of a harness: a few usual variables and those the operator passes on."""
    usual = {name: os.environ[name] for name in _INHERITED if name in os.environ}
    return usual | {name: value for name, value in passed.items() if value}
