"""The part of the stage that says who can read what."""

from collections.abc import Collection
from dataclasses import dataclass, field

from bot.stage.port import Place


@dataclass
class FakeStage:
    """Says which places a person can read, which are open to others, and which are gone."""

    seen: frozenset[int] = frozenset()
    open_places: frozenset[int] = frozenset()
    gone: bool = False
    asked: list[frozenset[int]] = field(default_factory=list)

    async def readable(
        self, person_id: int, guild_id: int, places: Collection[int]
    ) -> frozenset[int]:
        self.asked.append(frozenset(places))
        return self.seen & frozenset(places)

    async def open_to(self, place: int, here: int) -> bool:
        return place in self.open_places

    async def is_gone(self, place: Place) -> bool:
        return self.gone
