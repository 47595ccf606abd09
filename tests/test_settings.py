"""What is read from .env and the environment."""

from pathlib import Path

import pytest

from bot.errors import ConfigError
from bot.panels import load_panels
from bot.settings import SHIPPED_PANELS, Settings, load_settings, panels_path

ROOT = Path(__file__).resolve().parents[1]


def _env_file(folder: Path, text: str) -> Path:
    file = folder / ".env"
    file.write_text(text, encoding="utf-8")
    return file


def _complaints(env_file: Path | None = None, **environ: str) -> list[str]:
    with pytest.raises(ConfigError) as caught:
        load_settings(env_file, environ)
    return caught.value.text.splitlines()


def _only(**environ: str) -> Settings:
    return load_settings(None, environ)


def test_nothing_needs_to_be_set(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    settings = load_settings(environ={})
    assert settings.discord_token is None
    assert settings.home == tmp_path
    assert settings.panels == SHIPPED_PANELS
    assert settings.log == "INFO"


def test_a_panels_file_in_the_working_directory_wins_over_the_shipped_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "panels.json").write_text("{}")
    assert load_settings(environ={}).panels == tmp_path / "panels.json"


def test_the_env_file_of_the_working_directory_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    _env_file(tmp_path, "ROUNDTABLE_LOG=debug\n")
    assert load_settings(environ={}).log == "DEBUG"


def test_without_a_given_environment_the_real_one_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ROUNDTABLE_OUTPUT_CHANNEL", "42")
    assert load_settings(None).output_channel == 42


def test_the_environment_wins_over_the_file(tmp_path: Path) -> None:
    file = _env_file(tmp_path, "ROUNDTABLE_LOG=debug\nOPENAI_API_KEY=of-the-file\n")
    settings = load_settings(file, {"OPENAI_API_KEY": "of-the-environment"})
    assert settings.secret("OPENAI_API_KEY") == "of-the-environment"
    assert settings.log == "DEBUG"


@pytest.mark.parametrize("blank", ["", "   "])
def test_a_blank_token_counts_as_not_set(blank: str) -> None:
    assert _only(DISCORD_TOKEN=blank).discord_token is None


def test_a_blank_in_the_environment_unsets_what_the_file_says(tmp_path: Path) -> None:
    file = _env_file(tmp_path, "DISCORD_TOKEN=abc\n")
    assert load_settings(file, {"DISCORD_TOKEN": ""}).discord_token is None


def test_quotes_comments_and_export_are_understood(tmp_path: Path) -> None:
    file = _env_file(tmp_path, "# keys\nexport A_KEY='one # two'  # note\nB_KEY=\"${A_KEY}\"\n")
    settings = load_settings(file, {})
    assert settings.secret("A_KEY") == "one # two"
    assert settings.secret("B_KEY") == "${A_KEY}"


def test_secrets_are_found_by_the_name_panels_json_gives_them() -> None:
    settings = _only(MY_OWN_KEY="abc", BLANK_KEY="")
    assert settings.secret("MY_OWN_KEY") == "abc"
    assert settings.secret("BLANK_KEY") is None
    assert settings.secret("OTHER_KEY") is None


def test_every_problem_is_listed_at_once(tmp_path: Path) -> None:
    file = _env_file(tmp_path, "ROUNDTABLE_LOG=loud\n\n??? what\nROUNDTABLE_OUTPUT_CHANNEL=#dev\n")
    assert _complaints(file, ROUNDTABLE_HOEM="/x", ROUNDTABLE_PANELS="/no/such/file") == [
        f"{file} line 3: not understood; write NAME=value",
        "ROUNDTABLE_HOEM: unknown setting; did you mean 'ROUNDTABLE_HOME'?",
        "ROUNDTABLE_PANELS: is not a file; correct the path or remove the line",
        "ROUNDTABLE_OUTPUT_CHANNEL: is not a channel id; copy its digits from Discord",
        "ROUNDTABLE_LOG: unknown value; use DEBUG, INFO, WARNING, ERROR or CRITICAL",
    ]


@pytest.mark.parametrize(
    ("given", "missing"),
    [
        ({"ROUNDTABLE_DISCORD_API": "http://127.0.0.1:9/api/v10"}, "ROUNDTABLE_DISCORD_GATEWAY"),
        ({"ROUNDTABLE_DISCORD_GATEWAY": "ws://127.0.0.1:9/gateway"}, "ROUNDTABLE_DISCORD_API"),
    ],
)
def test_a_server_needs_both_of_its_urls(given: dict[str, str], missing: str) -> None:
    (line,) = _complaints(None, **given)
    assert line.startswith(f"{missing}: missing; set both")


def test_both_urls_of_a_server_are_taken() -> None:
    settings = _only(
        ROUNDTABLE_DISCORD_API="http://127.0.0.1:9/api/v10/",
        ROUNDTABLE_DISCORD_GATEWAY="ws://127.0.0.1:9/gateway",
    )
    assert settings.discord_api == "http://127.0.0.1:9/api/v10"
    assert settings.discord_gateway == "ws://127.0.0.1:9/gateway"


def test_urls_of_another_kind_are_refused() -> None:
    lines = _complaints(
        ROUNDTABLE_DISCORD_API="ws://127.0.0.1:9", ROUNDTABLE_DISCORD_GATEWAY="http://127.0.0.1:9"
    )
    assert "starts with http://" in lines[0]
    assert "starts with ws://" in lines[1]


@pytest.mark.parametrize("token", ["Bot abc.def.ghi", "abc def", "abc\ndef"])
def test_a_token_copied_badly_is_refused_without_repeating_it(token: str) -> None:
    (line,) = _complaints(DISCORD_TOKEN=token)
    assert line.startswith("DISCORD_TOKEN: ")
    assert "abc" not in line


def test_a_home_that_is_a_file_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.touch()
    (line,) = _complaints(ROUNDTABLE_HOME=str(file))
    assert line.startswith("ROUNDTABLE_HOME: is not a folder")


def test_an_env_file_in_another_encoding_is_named_as_such(tmp_path: Path) -> None:
    file = tmp_path / ".env"
    file.write_bytes("A_KEY=ü".encode("latin-1"))
    assert _complaints(file) == [f"{file}: is not UTF-8 text; save it as UTF-8"]


def test_secrets_never_show_when_settings_are_printed() -> None:
    settings = _only(DISCORD_TOKEN="abc.def.ghi", OPENAI_API_KEY="sk-secret")
    for text in (repr(settings), str(settings), settings.model_dump_json()):
        assert "abc.def.ghi" not in text
        assert "sk-secret" not in text


def test_redactions_hold_every_secret_longest_first(tmp_path: Path) -> None:
    file = _env_file(tmp_path, "ROUNDTABLE_LOG=debug\nUNUSUAL=quite-secret\nBLANK_KEY=\n")
    environ = {
        "DISCORD_TOKEN": "abc.def.ghi",
        "OPENAI_API_KEY": "sk-secret",
        "NAMED_BY_PANELS": "hidden",
        "HOME": "/home/somebody",
    }
    redactions = load_settings(file, environ).redactions(["NAMED_BY_PANELS", "NOT_SET"])
    assert redactions == ("quite-secret", "abc.def.ghi", "sk-secret", "hidden")


def test_a_value_too_short_to_be_a_secret_is_not_cut_out_of_every_log_line() -> None:
    assert _only(SOME_KEY="no").redactions() == ()


def test_the_example_file_can_be_used_as_it_is() -> None:
    settings = load_settings(ROOT / ".env.example", {})
    assert settings.discord_token is None
    assert settings.redactions() == ()


def test_the_example_file_names_every_setting_and_every_key() -> None:
    text = (ROOT / ".env.example").read_text(encoding="utf-8")
    settings = [field.alias for field in Settings.model_fields.values()]
    wanted = [*settings, *load_panels(SHIPPED_PANELS).secret_names()]
    assert [name for name in wanted if f"\n{name}=" not in text] == []


def test_without_a_database_url_everything_is_kept_in_the_home_folder(tmp_path: Path) -> None:
    assert _only(ROUNDTABLE_HOME=str(tmp_path)).database == tmp_path / "roundtable.db"


@pytest.mark.parametrize(
    "url", ["postgresql://ada:p%40ss-word@db:5432/tables", "postgres:///tables?host=/run/pg"]
)
def test_a_database_url_is_taken_as_it_is(url: str) -> None:
    settings = _only(ROUNDTABLE_DATABASE_URL=url)
    assert settings.database == url
    assert "p%40ss-word" not in repr(settings)


def test_the_password_of_the_database_is_kept_out_of_logs() -> None:
    settings = _only(ROUNDTABLE_DATABASE_URL="postgresql://ada:p%40ss-word@db/tables")
    assert settings.redactions() == ("p%40ss-word", "p@ss-word")


@pytest.mark.parametrize(
    "url", ["mysql://ada@db/tables", "postgresql://db", "postgresql://a b@db/t", "postgresql://[/t"]
)
def test_a_database_url_that_is_none_is_refused_without_repeating_it(url: str) -> None:
    with pytest.raises(
        ConfigError, match="ROUNDTABLE_DATABASE_URL: is not a Postgres URL"
    ) as refusal:
        _only(ROUNDTABLE_DATABASE_URL=url)
    assert url not in refusal.value.text


def test_a_panels_file_in_the_home_folder_wins_over_the_shipped_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Issue 22."""
    home, here = tmp_path / "home", tmp_path / "here"
    home.mkdir()
    here.mkdir()
    monkeypatch.chdir(here)
    environ = {"ROUNDTABLE_HOME": str(home)}
    assert load_settings(environ=environ).panels == panels_path(environ=environ) == SHIPPED_PANELS
    (home / "panels.json").write_text("{}")
    assert load_settings(environ=environ).panels == home / "panels.json"
    assert panels_path(environ=environ) == home / "panels.json"
    (here / "panels.json").write_text("{}")
    assert load_settings(environ=environ).panels == here / "panels.json"
    assert panels_path(environ=environ) == here / "panels.json"


def test_the_health_page_is_opened_to_addresses_alone() -> None:
    """Issue 25, point 7: Prometheus may be on another machine."""
    assert load_settings(None, {}).health_host == "127.0.0.1"
    opened = load_settings(None, {"ROUNDTABLE_HEALTH_HOST": "0.0.0.0"})
    assert opened.health_host == "0.0.0.0"
    with pytest.raises(ConfigError, match="ROUNDTABLE_HEALTH_HOST: is not an IP address"):
        load_settings(None, {"ROUNDTABLE_HEALTH_HOST": "everywhere"})
