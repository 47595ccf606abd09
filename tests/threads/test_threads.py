"""The threads in which something happens: who has a driver, what is kept, and what is forgotten."""

import asyncio
from types import SimpleNamespace
from typing import Any, cast

import pytest

from bot.floor import Claim as ClaimTurn
from bot.floor import (
    Denied,
    DenyReason,
    Event,
    FloorConfig,
    FloorSeat,
    Granted,
    Human,
    Sending,
    Tick,
)
from bot.store.repositories.runs import Run
from bot.store.repositories.seats import Seat
from bot.threads.threads import (
    RoundFloor,
    Threads,
    floor_for_rounds,
    floor_seats,
    home_of,
    open_floor,
    round_floor,
)
from tests.panels.panels_data import alone, loaded
from tests.threads.test_driver import (
    ANALYST,
    CRITIC,
    SEATS,
    THREAD,
    ask,
    fail_next,
    rest,
    seated,
)

SKEPTIC = FloorSeat("rt_2:skeptic", "Skeptic")


def a_run(**values: Any) -> Run:
    usual: dict[str, Any] = {"thread_id": 50, "output_channel_id": 20, "guild_id": 1}
    usual["mode"] = SimpleNamespace(value="debate")
    return cast("Run", SimpleNamespace(**usual | values))


async def test_a_thread_has_one_driver_while_it_is_busy_and_none_afterwards() -> None:
    threads, panelists, clock = seated()
    driver = threads.live(THREAD)
    ask(threads, 1, ANALYST)
    assert threads.open(THREAD, FloorConfig(), SEATS) is driver
    await rest()
    panelists.thought(ANALYST).set_result("Yes.")
    await rest()
    await clock.pass_ms(1500)
    assert threads.live(THREAD) is None


async def test_a_second_run_in_a_busy_thread_joins_its_seats() -> None:
    """Seats of the first run that still work can be asked, too."""
    threads, _, _ = seated()
    ask(threads, 1, ANALYST)
    driver = threads.open(THREAD, FloorConfig(), (SKEPTIC,))
    assert {seat.key for seat in driver.floor.seats} == {ANALYST, CRITIC, SKEPTIC.key}
    await threads.close()


async def test_waiting_for_rest_ends_with_the_last_exchange() -> None:
    threads, panelists, clock = seated()
    ask(threads, 1, ANALYST)
    waiting = asyncio.create_task(threads.at_rest())
    await rest()
    assert not waiting.done()
    panelists.thought(ANALYST).set_result("Yes.")
    await rest()
    await clock.pass_ms(1500)
    await asyncio.wait_for(waiting, 1)


async def test_a_deleted_thread_is_forgotten_and_its_call_cancelled() -> None:
    threads, panelists, _ = seated(lease_ms=4000)
    ask(threads, 1, ANALYST, lease_ms=4000)
    await rest()
    await threads.drop(THREAD)
    assert panelists.thought(ANALYST).cancelled()
    assert (threads.live(THREAD), panelists.shown) == (None, [])
    assert threads.config(THREAD) == FloorConfig()


async def test_talk_between_people_opens_no_driver() -> None:
    threads, _, _ = seated()
    threads.note(THREAD + 1, Human(9, 1, "Ada", "Good morning.", ()))
    assert threads.live(THREAD + 1) is None


async def test_a_paid_answer_is_posted_even_without_the_turn() -> None:
    """A seat that is not of the round has no claim; its answer is shown all the same."""
    threads, panelists, _ = seated()
    driver = threads.open(THREAD, FloorConfig(), (*SEATS, SKEPTIC))

    async def post() -> tuple[int, ...]:
        return panelists.post(SKEPTIC.key, "I was not asked.")

    async with floor_for_rounds(lambda: driver):
        floor = round_floor(driver, (ANALYST,), in_order=True)
        await floor.speak(SKEPTIC.key, "I was not asked.", post)
    assert panelists.shown == [(SKEPTIC.key, "I was not asked.")]


async def test_a_round_that_fails_leaves_the_floor() -> None:
    threads, _, _ = seated()
    driver = threads.open(THREAD, FloorConfig(), SEATS)
    round_floor(driver, (ANALYST,), in_order=True)
    with pytest.raises(ValueError, match="broken"):
        async with floor_for_rounds(lambda: driver):
            raise ValueError("broken")
    assert not driver.floor.is_round


async def test_a_cancelled_round_keeps_the_floor_for_the_canceller() -> None:
    threads, _, _ = seated()
    driver = threads.open(THREAD, FloorConfig(), SEATS)
    round_floor(driver, (ANALYST, CRITIC), in_order=True)
    with pytest.raises(asyncio.CancelledError):
        async with floor_for_rounds(lambda: driver):
            raise asyncio.CancelledError
    assert driver.floor.is_round
    turn = driver.tell(ClaimTurn(CRITIC))
    assert isinstance(turn, Denied)
    assert turn.reason is DenyReason.NOT_YOUR_SLOT
    assert isinstance(driver.tell(ClaimTurn(ANALYST)), Granted)
    await threads.close()


def test_a_run_lives_in_its_thread_or_in_the_channel() -> None:
    assert home_of(a_run()) == 50
    assert home_of(a_run(thread_id=None)) == 20


def test_seats_have_the_keys_of_their_sessions() -> None:
    panel = [cast("Seat", SimpleNamespace(session_key="rt_1:critic", role="Critic"))]
    assert floor_seats(panel) == (FloorSeat("rt_1:critic", "Critic"),)


async def test_the_floor_of_a_run_has_the_settings_of_its_mode() -> None:
    panels = alone()
    panels["arbiter"] = panels.get("arbiter", {}) | {"leaseMs": 5000}
    config = loaded(panels)
    threads = Threads()
    driver = open_floor(threads, config, a_run(), ())
    assert (driver.thread_id, driver.floor.config.lease_ms) == (50, 5000)
    await threads.close()


@pytest.mark.parametrize("fail_open", [True, False])
@pytest.mark.parametrize("fails_at", ["schedule", "claim"])
async def test_after_a_failure_the_answers_of_a_round_are_posted_only_if_it_fails_open(
    fails_at: str,
    *,
    fail_open: bool,
) -> None:
    """D18: with `failOpen: false` the whole round is held back, and the next one is not."""
    settings = {"fail_open": fail_open, "debug": True}
    threads, panelists, _ = seated(**settings)
    driver = threads.open(THREAD, FloorConfig(**settings), SEATS)  # type: ignore[arg-type]

    async def speak(floor: RoundFloor, seat: str) -> tuple[int, ...]:
        async def post() -> tuple[int, ...]:
            return panelists.post(seat, "Yes.")

        return await floor.speak(seat, "Yes.", post)

    if fails_at == "schedule":
        fail_next(driver.floor)
    floor = round_floor(driver, (ANALYST, CRITIC), in_order=True)
    if fails_at == "claim":
        fail_next(driver.floor)
    told = [await speak(floor, ANALYST), await speak(floor, CRITIC)]
    assert [bool(ids) for ids in told] == [fail_open, fail_open]
    assert len(panelists.shown) == (2 if fail_open else 0)
    assert floor.fails_open is fail_open
    floor = round_floor(driver, (ANALYST, CRITIC), in_order=True)
    assert await speak(floor, ANALYST)
    await threads.close()


@pytest.mark.parametrize("fail_open", [True, False])
@pytest.mark.parametrize("event", [Tick(), Sending(ANALYST, 2, "No.")])
async def test_a_seat_that_waits_for_its_turn_goes_on_when_the_arbiter_fails(
    event: Event, *, fail_open: bool
) -> None:
    """D18: nobody would wake it any more, so it is posted or held back at once."""
    settings = {"fail_open": fail_open, "debug": True}
    threads, panelists, _ = seated(**settings)
    driver = threads.open(THREAD, FloorConfig(**settings), SEATS)  # type: ignore[arg-type]

    async def post() -> tuple[int, ...]:
        return panelists.post(CRITIC, "Yes.")

    floor = round_floor(driver, (ANALYST, CRITIC), in_order=True)
    waiting = asyncio.create_task(floor.speak(CRITIC, "Yes.", post))
    await rest()
    assert not waiting.done()
    fail_next(driver.floor)
    driver.tell(event)
    assert bool(await asyncio.wait_for(waiting, 1)) is fail_open
    await threads.close()


@pytest.mark.parametrize("fail_open", [True, False])
@pytest.mark.parametrize("asked", [ANALYST, CRITIC])
async def test_a_question_after_a_failure_does_not_let_the_rest_of_the_round_out(
    asked: str, *, fail_open: bool
) -> None:
    """D18: it opens an exchange, in which the answers of the round have no place."""
    settings = {"fail_open": fail_open, "debug": True}
    threads, panelists, _ = seated(**settings)
    driver = threads.open(THREAD, FloorConfig(**settings), SEATS)  # type: ignore[arg-type]
    floor = round_floor(driver, (ANALYST, CRITIC), in_order=True)

    async def post() -> tuple[int, ...]:
        return panelists.post(CRITIC, "My answer in the round.")

    fail_next(driver.floor)
    floor.skip(ANALYST, "timeout")
    driver.tell(Human(5, 1, "Ada", "why?", (asked,)))
    assert bool(await asyncio.wait_for(floor.speak(CRITIC, "My answer.", post), 1)) is fail_open
    await rest()
    panelists.thought(asked).set_result("Because.")
    await rest()
    assert (asked, "Because.") in panelists.shown
    assert len(panelists.shown) == (2 if fail_open else 1)
    await threads.close()
