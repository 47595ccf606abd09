"""Why a provider or a model cannot be used now, and what makes it usable."""

from collections.abc import Sequence
from typing import Final

NO_ACP_EXTRA: Final = "the acp extra is not installed: run pip install 'roundtable[acp]'"
NO_LOCAL_EXTRA: Final = "the local extra is not installed: run make local"
NO_SMALL_MODEL: Final = "run make local"
NO_BLOCKRUN: Final = (
    "Blockrun not available. Using budget panel. Full panel requires Blockrun at localhost:8402."
)
BLOCKRUN_IS_SILENT: Final = (
    "Blockrun not available. Full panel requires Blockrun at localhost:8402."
)
"""The same where whoever is usable sits and not the budget panel."""
NO_ANSWER: Final = "no answer"
NOT_A_LIST: Final = "the answer is not a list of models"
_SERVERS: Final = {"lmstudio": "LM Studio", "vllm": "vLLM", "llamacpp": "llama.cpp"}
_OLLAMA: Final = "ollama"


def server_name(provider: str) -> str:
    """What people call the server behind a provider on this machine."""
    return _SERVERS.get(provider, f"{provider[:1].upper()}{provider[1:]}")


def no_program(command: str) -> str:
    """The program of a harness is not installed."""
    return f"the program '{command}' is not installed: install it or correct its command"


def no_model_file(path: str) -> str:
    """The file named in panels.json is not there."""
    return f"the file {path} does not exist: correct modelPath"


def no_adapter(kind: str) -> str:
    """Nothing in this version speaks to such a provider."""
    return f"this version has no adapter for kind '{kind}'"


def no_key(variable: str) -> str:
    """The provider's key is missing."""
    return f"{variable} is not set: add it to .env"


def nothing_answers(host: str, port: int, provider: str) -> str:
    """A server that should run on this machine does not."""
    return f"nothing is listening at {host}:{port}: start {server_name(provider)}"


def no_list(base_url: str, provider: str) -> str:
    """Something runs there that does not say which models it has."""
    return f"the server at {base_url} lists no models: is it {server_name(provider)}?"


def not_blockrun(base_url: str) -> str:
    """Another program holds the port of Blockrun."""
    return (
        f"the server at {base_url} is not Blockrun: stop it and start Blockrun, or set Blockrun's "
        "URL in panels.json"
    )


def no_model_there(provider: str, listed: Sequence[str]) -> str:
    """A server runs on this machine without any model that can be taken unasked."""
    if listed:
        return (
            f"{server_name(provider)} lists nothing that looks like a chat model: add a route in "
            "panels.json to use one anyway"
        )
    advice = "download one with `ollama pull llama3.2`" if provider == _OLLAMA else "load one there"
    return f"{server_name(provider)} is running but has no model: {advice}"


def lacks_model(provider: str, model: str, offered: Sequence[str]) -> str:
    """A server runs on this machine without the model that is wanted."""
    if provider == _OLLAMA:
        return f"it has no {model}: run `ollama pull {model}`"
    return f"it has no {model}: load it there, or use one of {', '.join(offered)}"


def lists_no_such(pattern: str) -> str:
    """No id of a provider's list fits a pattern."""
    return f"none of its models matches {pattern}"


def does_not_list(model: str, near: Sequence[str]) -> str:
    """A provider elsewhere does not have the model that is wanted."""
    hint = f"; the closest is {near[0]}" if near else ""
    return f"it does not list {model}{hint}"


def refused(said: str) -> str:
    """A provider did not take the key."""
    return f"it rejected the key: {said}" if said else "it rejected the key"


def not_asked(said: str) -> str:
    """A provider's list could not be read."""
    return f"its list of models could not be read: {said}"


def http_status(status: int, said: str) -> str:
    """An answer that is no list."""
    return f"HTTP {status}: {said}" if said else f"HTTP {status}"


def of_provider(provider: str, fault: str) -> str:
    """A reason together with whose it is."""
    return f"{provider}: {fault}"


def add_key(variable: str) -> str:
    """What to do so that a provider with a key can be used."""
    return f"add {variable} to .env"


def replace_key(variable: str) -> str:
    """What to do so that a provider that does not take the key can be used."""
    return f"set {variable} to a working key"


def start_server(provider: str) -> str:
    """What to do so that a server on this machine can be used."""
    return f"start {server_name(provider)}"
