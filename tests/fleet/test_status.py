"""What `roundtable fleet` prints."""

from bot.messages.command_line import FleetText


def test_a_worker_is_shown_with_its_threads_and_servers() -> None:
    """Issue 25, point 7: who is up, and which threads each holds."""
    busy = FleetText.worker("process 7", [5, 6], [11, 12], silent=0.5)
    assert busy == "worker   process 7: 2 roundtables under way in threads 11, 12, servers 5, 6"
    frozen = FleetText.worker("process 8", [], [], silent=5.2)
    assert frozen == "worker   process 8: 0 roundtables under way, servers none, no sign for 5 s"
