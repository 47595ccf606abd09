"""A run as people may see it now: masked until the panelists are revealed."""

from bot.council.facts import load_facts
from bot.council.mask import mask_of
from bot.council.reading import record_of
from bot.council.record import RunRecord
from bot.store import Store


async def read_shown(store: Store, run_id: str) -> RunRecord:
    """Everything about a run that may leave the store now; prompts use the bare record."""
    facts, mask = await store.read(
        lambda conn: (facts := load_facts(conn, run_id), mask_of(conn, facts.run))
    )
    return mask.record(record_of(facts, store.now()))
