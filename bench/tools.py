"""The tools for agents stay quick and small when a discussion has become long.

A page of ten speeches out of a thousand is compared with a page of ten out of ten, the compact
summary of the thousand is weighed, and three discussions are held at once.
"""

import asyncio
import statistics
import sys
import tempfile
import time
from pathlib import Path

from support.discussions import a_beginning, open_discussions

from bot.discussions.service import Discussions

SHORT, LONG, PAGE = 10, 1_000, 10
REPEATS = 60
LIMIT_RATIO = 2.0
LIMIT_BYTES = 20_000


async def filled(service: Discussions, count: int) -> str:
    """A discussion in which so much was said, by one who leaves the round open."""
    opened = await service.init(a_beginning())
    for number in range(count):
        await service.speak(opened.discussion_id, "architect", f"Point {number}. " + "word " * 120)
    return opened.discussion_id


async def seconds_per_page(service: Discussions, run_id: str, after: int) -> float:
    """The median time of reading one page, somewhere in the middle."""
    taken = []
    for _ in range(REPEATS):
        began = time.perf_counter()
        page = await service.look.read(run_id, after=after, limit=PAGE)
        taken.append(time.perf_counter() - began)
        assert len(page.speeches) == PAGE
    return statistics.median(taken)


async def first_id(service: Discussions, run_id: str, skip: int) -> int:
    """The id after which a page begins when so many speeches are skipped."""
    page = await service.look.read(run_id, limit=1)
    return page.speeches[0].speech_id - 1 + skip


async def measure(home: Path) -> tuple[float, int, float]:
    """The ratio of the pages, the summary's bytes, and three discussions' seconds at once."""
    async with open_discussions(home) as service:
        small, large = await filled(service, SHORT), await filled(service, LONG)
        of_ten = await seconds_per_page(service, small, await first_id(service, small, 0))
        middle = await first_id(service, large, LONG // 2)
        of_thousand = await seconds_per_page(service, large, middle)
        summary = await service.look.summarize(large)
        began = time.perf_counter()
        await asyncio.gather(*(filled(service, 50) for _ in range(3)))
        at_once = time.perf_counter() - began
    return of_thousand / of_ten, len(summary.model_dump_json().encode()), at_once


def main() -> int:
    """Measure and print."""
    with tempfile.TemporaryDirectory() as home:
        ratio, size, at_once = asyncio.run(measure(Path(home)))
    print(f"three discussions of 50 speeches at once: {at_once:.2f} s")
    print(f"tools_summary_bytes: {size} (limit {LIMIT_BYTES})")
    print(f"tools_page: {ratio:.2f} (limit {LIMIT_RATIO:.2f})")
    return 0 if ratio <= LIMIT_RATIO and size <= LIMIT_BYTES else 1


if __name__ == "__main__":
    sys.exit(main())
