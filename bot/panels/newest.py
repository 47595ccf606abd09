"""Which of the ids a provider lists is meant by a pattern such as `claude-opus-*`: the newest.

The rule, in this order: an id fits a pattern as a whole, letter case aside; ids with a word for
another kind of model (`-mini`, `-codex`, `-image`, `:free`, ...) are left out unless the pattern
has that word; ids that add nothing but a version come before ids with further words; of these the
newest is taken, by the time the provider gives, else by the version in the id; a stable id comes
before a preview of the same version, and one without a date before a dated snapshot.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Final

_ANY: Final = "*"
_OTHER_KINDS: Final = frozenset(
    "agent audio banana batch build chat code codex coder computer cyber distill embed embedding "
    "extended fast flash free guard image instruct latest lite live mini moderation multi nano "
    "nitro ocr omni online oss pro realtime research robotics safeguard search speech thinking "
    "transcribe translate tts turbo video vision vl voice whisper".split()
)
"""Words that make an id another kind of model; a pattern that wants one names it."""
_PASSING: Final = frozenset({"preview", "exp", "experimental", "beta", "alpha", "rc"})
"""Words for ids that a stable one replaces."""

_WORD: Final = re.compile(r"[a-z]+")
_TOKEN: Final = re.compile(r"\d+(?:\.\d+)*|[a-z]+")
_VERSION_MARK: Final = re.compile(r"(?<![a-z0-9])v(?=[0-9*])")
_LONGEST_VERSION_PART: Final = 2
_NO_VERSION: Final = -1.0


@dataclass(frozen=True, slots=True)
class _Id:
    """An id taken apart."""

    id: str
    version: float
    date: int
    passing: bool
    words: frozenset[str]

    @property
    def kin(self) -> tuple[float, frozenset[str]]:
        """What a snapshot or preview shares with the model it is one of."""
        return self.version, self.words - _PASSING


def is_pattern(wire: str) -> bool:
    """Whether a route names a pattern and not one id."""
    return _ANY in wire


def newest_first(
    patterns: Sequence[str],
    listed: Iterable[str],
    created: Mapping[str, float] | None = None,
    without: Sequence[str] = (),
) -> list[str]:
    """The ids that any of the patterns means, the one to take first."""
    barred = [_fits(pattern) for pattern in without]
    wanted = [(_fits(pattern), _words(pattern)) for pattern in patterns]
    plain: dict[str, int] = {}
    wordy: dict[str, int] = {}
    for wire in listed:
        if any(fits(wire) for fits in barred):
            continue
        for place, (fits, asked) in enumerate(wanted):
            if not fits(wire):
                continue
            more = _words(wire) - asked
            if not more & _OTHER_KINDS:
                (wordy if more - _PASSING else plain).setdefault(wire, place)
                break
    return [*_sorted(plain, created or {}), *_sorted(wordy, created or {})]


def _sorted(places: Mapping[str, int], created: Mapping[str, float]) -> list[str]:
    """Newest first; ids of the same kin stand together, the stable and undated one in front."""
    parts = {wire: _taken_apart(wire) for wire in places}
    times = {wire: created[wire] for wire in places if wire in created}
    timed = len(times) == len(places) and len(set(times.values())) > 1
    newest: dict[tuple[float, frozenset[str]], float] = {}
    for wire, part in parts.items():
        at = times[wire] if timed else part.version
        newest[part.kin] = max(at, newest.get(part.kin, at))

    def rank(wire: str) -> tuple[float, float, int, bool, bool, int, str]:
        part = parts[wire]
        age = (-newest[part.kin], -part.version, places[wire])
        return (*age, part.passing, part.date > 0, -part.date, wire)

    return sorted(places, key=rank)


def _taken_apart(wire: str) -> _Id:
    tokens = _TOKEN.findall(_name(wire))
    version: list[str] = []
    date = 0
    open_ = True
    for token in tokens:
        if not token[0].isdigit():
            open_ = not version
        elif open_ and _may_be_version(token, version):
            version.append(token)
        else:
            open_, date = False, max(date, int(token.partition(".")[0]))
    number = float(".".join(version[:2])) if version else _NO_VERSION
    words = _words(wire)
    return _Id(wire, number, date, bool(words & _PASSING), words)


def _may_be_version(token: str, so_far: Sequence[str]) -> bool:
    """`4`, `4.6`, and the `6` of `4-6`; `2512`, `0709` and `20251101` are dates."""
    parts = token.split(".")
    if max(len(parts), *map(len, parts)) > _LONGEST_VERSION_PART:
        return False
    if not so_far:
        return True
    padded = len(token) > 1 and token[0] == "0"
    return len(so_far) == 1 and "." not in so_far[0] + token and not padded


def _words(wire: str) -> frozenset[str]:
    return frozenset(_WORD.findall(_name(wire)))


def _name(wire: str) -> str:
    """An id behind its vendor's name, with `4` for `v4`."""
    return _VERSION_MARK.sub("", wire.rpartition("/")[2].casefold())


def _fits(pattern: str) -> Callable[[str], bool]:
    # Only the star means anything: the rest of an id is taken as it is written.
    plain = pattern.casefold().replace("[", "[[]").replace("?", "[?]")
    return lambda wire: fnmatchcase(wire.casefold(), plain)
