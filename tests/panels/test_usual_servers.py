"""Servers at usual ports are added to what panels.json names, and never replace it."""

from bot.panels.machine import USUAL_PORTS, only_usual_servers, with_usual_servers
from bot.panels.providers import OpenAIProvider
from tests.panels.files import Data, bent, loaded, server_at, shipped


def test_the_shipped_file_names_no_server_of_the_person() -> None:
    """Issue 26: a default is nobody's wish."""
    assert not USUAL_PORTS.keys() & shipped()["providers"].keys()


def test_they_are_added_beside_what_the_file_names() -> None:
    config = loaded(shipped())
    assert with_usual_servers(config).providers.keys() == {*config.providers, *USUAL_PORTS}
    assert only_usual_servers(config).providers.keys() == USUAL_PORTS.keys()


def test_a_name_or_a_port_that_the_file_names_is_the_files() -> None:
    def name(data: Data) -> None:
        data["providers"]["ollama"] = server_at(4000)
        data["providers"]["mine"] = server_at(8000)

    config = loaded(bent(name))
    assert only_usual_servers(config).providers.keys() == {"lmstudio", "llamacpp"}
    ollama = with_usual_servers(config).providers["ollama"]
    assert isinstance(ollama, OpenAIProvider)
    assert ollama.base_url == "http://127.0.0.1:4000/v1"


def test_servers_with_settings_of_their_own_have_them_too() -> None:
    config = with_usual_servers(loaded(bent(lambda d: d.update(servers={"42": {"panels": {}}}))))
    assert config.for_server(42).providers == config.providers
