"""What single Discord servers change."""

from typing import Any

from tests.panels.panels_data import bent, complaints, loaded

SERVER = 1234567890123456789


def _for(override: Any) -> dict[str, Any]:
    return bent(lambda d: d.update(servers={str(SERVER): override}))


def test_a_server_changes_only_what_it_names() -> None:
    override = {"output": {"target": "42"}, "panels": {"vote": {"speechOrder": "random"}}}
    config = loaded(_for(override))
    there = config.for_server(SERVER)
    assert there.output.target == 42
    assert there.output.use_threads is True
    assert there.panels.vote.speech_order == "random"
    assert there.panels.vote.agents == config.panels.vote.agents


def test_other_servers_and_direct_messages_see_the_file_itself() -> None:
    config = loaded(_for({"output": {"plain": True}}))
    assert config.for_server(7).output.plain is False
    assert config.for_server(None).output.plain is False


def test_every_overridable_section_is_merged() -> None:
    there = loaded(
        _for(
            {
                "trigger": {"cooldownSeconds": 5},
                "budgets": {"perRunUsd": 1},
                "arbiter": {"maxBotHops": 3},
                "followups": {"openFloor": "always"},
            }
        )
    ).for_server(SERVER)
    assert (there.trigger.cooldown_seconds, there.trigger.max_concurrent) == (5, 3)
    assert (there.budgets.per_run_usd, there.budgets.confirm_above_usd) == (1, 0.5)
    assert (there.arbiter.max_bot_hops, there.arbiter.lease_ms) == (3, 15_000)
    assert (there.followups.open_floor, there.followups.max_calls_per_epoch) == ("always", 16)


def test_a_list_replaces_the_list_below_it() -> None:
    seats = [{"role": "Judge", "model": "opus"}]
    there = loaded(_for({"panels": {"debate": {"agents": seats}}})).for_server(SERVER)
    assert [(a.role, a.model) for a in there.panels.debate.agents] == [("Judge", "claude-opus")]


def test_a_section_that_no_server_may_change_is_refused() -> None:
    (line,) = complaints(_for({"models": {}}))
    assert line.startswith(f"servers.{SERVER}.models: unknown key")


def test_wrong_values_are_reported_once_with_the_servers_path() -> None:
    assert complaints(_for({"arbiter": {"leaseMs": 1}})) == [
        f"servers.{SERVER}.arbiter.leaseMs: is 1; the minimum is 1000"
    ]


def test_rules_hold_after_merging() -> None:
    """E44 in a server's own panel."""
    seats = [{"role": "Judge", "model": "claude-haiku"}]
    (line,) = complaints(_for({"panels": {"debate": {"agents": seats}}}))
    assert line.startswith(f"servers.{SERVER}.panels.debate.agents[0].model: 'claude-haiku' is")


def test_models_named_by_a_server_must_exist() -> None:
    seats = [{"role": "Judge", "model": "claude-opsu"}]
    (line,) = complaints(_for({"panels": {"debate": {"agents": seats}}}))
    assert line == (
        f"servers.{SERVER}.panels.debate.agents[0].model: there is no model 'claude-opsu'; did you "
        "mean 'claude-opus'?"
    )


def test_a_problem_of_the_file_itself_is_not_repeated_for_every_server() -> None:
    data = _for({"output": {"plain": True}})
    data["timeouts"]["run"] = 100
    (line,) = complaints(data)
    assert line.startswith("timeouts.run: ")


def test_a_server_is_named_by_its_id() -> None:
    data = bent(lambda d: d.update(servers={"my server": {}}))
    assert complaints(data) == [
        "servers['my server']: is not a Discord server id; copy the id and write its digits"
    ]
