"""Seats are sessions of one run; analysts and the writer are asked once and are gone."""

from bot.store.repositories.calls import CallRepository
from bot.store.repositories.seats import SeatRepository
from tests.e2e.playground_harness import PlaygroundHarness


async def test_every_seat_has_a_session_of_its_own_bound_to_the_run(
    table: PlaygroundHarness,
) -> None:
    """E5 E60 E61 B47 2.2#28: the key names run and role, and no two runs share one."""
    first = await table.hold("roundtable --quick --debate tea")
    second = await table.hold("roundtable --quick --debate coffee")
    store = table.session.app.store
    keys = [
        [
            seat.session_key
            for seat in await store.read(
                lambda c, r=run: SeatRepository(c).of_run(r)  # type: ignore[misc]
            )
        ]
        for run in (first.record.run_id, second.record.run_id)
    ]
    assert keys[0] == [
        f"{first.record.run_id}:{slug}" for slug in ("advocate", "devils-advocate", "analyst")
    ]
    assert not set(keys[0]) & set(keys[1])


async def test_analysts_and_writer_are_asked_once_and_hold_no_seat(
    table: PlaygroundHarness,
) -> None:
    """E6 E84: one-shot calls under their own keys, the writer from the premium models."""
    held = await table.hold("roundtable --debate should we adopt uv?")
    made = await table.session.app.store.read(
        lambda c: CallRepository(c).of_run(held.record.run_id)
    )
    keys = [call.key for call in made]
    assert [key for key in keys if key.startswith("meta:")] == sorted(
        ["meta:A", "meta:B", "meta:C", "meta:D"], key=keys.index
    )
    assert keys.count("synthesis") == 1
    assert all(call.seat is None for call in made if call.key.startswith(("meta", "synthesis")))
    writer = next(call.model for call in made if call.key == "synthesis")
    assert writer in table.session.app.config.premium


async def test_only_configured_models_are_seated(table: PlaygroundHarness) -> None:
    """A8: a design names models of panels.json and invents none."""
    held = await table.hold("roundtable --build a rate limiter")
    assert {seat.model for seat in held.record.seats} <= set(table.session.app.config.models)
