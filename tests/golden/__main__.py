"""Writes every golden file anew, on purpose; `git diff` then shows what changes for people."""

import asyncio

from tests.golden.contracts import everything
from tests.golden.files import write


async def main() -> None:
    for name, data in (await everything()).items():
        print(write(name, data))


asyncio.run(main())
