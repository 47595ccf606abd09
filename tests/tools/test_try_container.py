"""deploy/: the Dockerfile, what its context holds, and the compose file fit each other."""

import re
from pathlib import Path

import pytest
import yaml

from bot import cli
from bot.settings import load_settings
from tools.try_container import context_files, instructions

ROOT = Path(__file__).resolve().parents[2]
DEPLOY = ROOT / "deploy"
DOCKERFILE = (DEPLOY / "Dockerfile").read_text(encoding="utf-8")
IGNORE = (DEPLOY / "Dockerfile.dockerignore").read_text(encoding="utf-8")
COMPOSE = yaml.safe_load((DEPLOY / "compose.yaml").read_text(encoding="utf-8"))


def copied() -> list[str]:
    """What the Dockerfile copies from the context."""
    lines = [rest.split() for word, rest in instructions(DOCKERFILE) if word == "COPY"]
    return [name for line in lines if not line[0].startswith("--") for name in line[:-1]]


def test_instructions_are_joined_and_comments_left_out() -> None:
    text = '# a\nFROM x AS y\nRUN a \\\n    && b\n\n# c\nCMD ["d"]\n'
    assert list(instructions(text)) == [("FROM", "x AS y"), ("RUN", "a && b"), ("CMD", '["d"]')]


def test_the_context_holds_what_is_copied_and_no_secret() -> None:
    names = [path.name for path in ROOT.iterdir()]
    let_through = context_files(IGNORE, [*names, ".env", ".git", "roundtable.db", "memory"])
    assert sorted(let_through) == sorted(copied())


def test_the_wheel_finds_everything_it_packs_in_the_context() -> None:
    """Issue 22: what pyproject.toml names is copied before the wheel is built."""
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    packed = [line.split('"')[1] for line in project.splitlines() if '" = "bot/shipped' in line]
    assert packed
    assert set(packed) <= set(copied())


def test_the_image_keeps_everything_in_its_volume_and_is_not_root() -> None:
    last = [word for word, _ in instructions(DOCKERFILE.split("FROM")[-1])]
    said = dict(instructions(DOCKERFILE))
    assert said["USER"] == "roundtable"
    assert said["VOLUME"] == said["WORKDIR"] == "/data"
    assert "ROUNDTABLE_HOME=/data" in said["ENV"]
    assert last.index("USER") > last.index("RUN")


def test_the_compose_file_names_files_that_exist_and_settings_we_know(tmp_path: Path) -> None:
    (service,) = COMPOSE["services"].values()
    assert (DEPLOY / service["build"]["context"]).resolve() == ROOT
    assert (ROOT / service["build"]["dockerfile"]).is_file()
    assert service["volumes"] == ["data:/data"]
    assert "data" in COMPOSE["volumes"]
    assert service["read_only"]
    known = load_settings(None, service["environment"] | {"ROUNDTABLE_HOME": str(tmp_path)})
    assert known.health_port == 9464


@pytest.mark.parametrize("name", ["restart", "stop_grace_period", "cap_drop", "security_opt"])
def test_the_compose_file_says_how_the_bot_is_held(name: str) -> None:
    (service,) = COMPOSE["services"].values()
    assert service[name]


def test_the_fleet_is_started_with_commands_that_exist() -> None:
    """Issue 25, point 7: compose and systemd name the roles that the command line has."""
    known = {
        command.name or command.callback.__name__
        for command in cli.app.registered_commands
        if command.callback
    }
    parts = yaml.safe_load((DEPLOY / "fleet.yaml").read_text(encoding="utf-8"))["services"]
    roles = {name: part["command"] for name, part in parts.items() if "command" in part}
    assert roles == {"gateway": ["gateway"], "worker": ["worker"]}
    assert (parts["gateway"]["deploy"]["replicas"], parts["worker"]["deploy"]["replicas"]) == (2, 3)
    for role in roles:
        unit = (DEPLOY / f"roundtable-{role}@.service").read_text(encoding="utf-8")
        assert f"bin/roundtable {role}\n" in unit
        assert "Restart=always" in unit
        assert "RestartPreventExitStatus=78" in unit
    assert known >= set(roles)


def test_the_fleet_is_watched_by_prometheus(tmp_path: Path) -> None:
    """Issue 25, point 7: it asks every gateway and worker where they serve their page."""
    fleet = yaml.safe_load((DEPLOY / "fleet.yaml").read_text(encoding="utf-8"))
    parts, volumes = fleet["services"], fleet["volumes"]
    assert set(parts) == {"postgres", "gateway", "worker", "prometheus"}
    watched = yaml.safe_load((DEPLOY / "prometheus.yml").read_text(encoding="utf-8"))
    jobs = {job["job_name"]: job["dns_sd_configs"][0] for job in watched["scrape_configs"]}
    assert {name: asked["names"] for name, asked in jobs.items()} == {
        "gateway": ["gateway"],
        "worker": ["worker"],
    }
    for role, asked in jobs.items():
        said = parts[role]["environment"] | {"ROUNDTABLE_HOME": str(tmp_path)}
        said["ROUNDTABLE_DATABASE_URL"] = re.sub(r"\$\{.*?\}", "x", said["ROUNDTABLE_DATABASE_URL"])
        settings = load_settings(None, said)
        assert (settings.health_port, settings.health_host) == (asked["port"], "0.0.0.0")
        assert "healthcheck" not in parts[role]
        assert "ports" not in parts[role]
    for part in parts.values():
        for mount in part.get("volumes", ()):
            source = mount.partition(":")[0]
            assert source in volumes or (DEPLOY / source).is_file(), mount
    (check,) = [rest for word, rest in instructions(DOCKERFILE) if word == "HEALTHCHECK"]
    assert ":9464/health'" in check
