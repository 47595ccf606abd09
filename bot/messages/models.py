"""Why a provider, model or harness cannot be used, and what to do about it."""

from collections.abc import Iterable, Sequence
from typing import Final

from bot.messages.installing import with_extra


class ModelErrorText:
    """Why a call to a model failed, and what to do about it."""

    PROVIDER_REJECTED: Final = (
        "The provider rejected the request; choose another model for this seat."
    )
    PROVIDER_FAILED: Final = "The provider failed; try again in a moment."
    RATE_LIMITED: Final = (
        "The provider is rate limiting us; wait a moment or lower its maxConcurrent."
    )
    OUT_OF_MONEY: Final = (
        "The provider's account is out of credit; top it up or choose another provider."
    )
    PROMPT_TOO_LONG: Final = (
        "The prompt does not fit into the model's context; choose a model with a larger context."
    )
    PROVIDER_DECLINED: Final = "The provider declined the request; rephrase the question."
    BAD_KEY: Final = "The provider rejected the API key; check it in .env."
    UNSENDABLE_KEY: Final = (
        "The provider's API key contains invalid characters; copy it into .env again."
    )
    UNSUPPORTED: Final = (
        "The model does not support part of the request; choose another model for this seat."
    )
    UNKNOWN_MODEL: Final = (
        "The provider does not know this model or URL; check its name and baseUrl in panels.json."
    )
    WRONG_ENDPOINT: Final = (
        "The provider serves this model at another endpoint; choose another model for this seat."
    )
    NOT_ALLOWED: Final = "The provider does not allow this call; check the key's permissions."
    MOVED: Final = "The provider's URL has moved; correct its baseUrl in panels.json."
    OVERLOADED: Final = "The provider is overloaded; try again in a moment."

    DECLINED: Final = "The model declined to answer; rephrase the question."
    ASKED_FOR_TOOL: Final = (
        "The model requested a tool call instead of answering; try again or choose another model."
    )
    TOO_LONG: Final = (
        "The answer was far longer than any prompt asks for, so it was cut off; try again or "
        "choose another model."
    )
    BROKE_OFF: Final = "The answer was cut off before its end; try again in a moment."
    UNREADABLE: Final = "The provider sent an unreadable answer; try again in a moment."
    NOTHING_SAID: Final = "The model returned an empty answer; try again or choose another model."
    NO_ROOM_LEFT: Final = (
        "The model used all its output tokens before it wrote anything; allow it more output."
    )
    COULD_NOT_FINISH: Final = (
        "The model could not finish its answer; try again or choose another model."
    )
    LONGER_THAN_CONTEXT: Final = (
        "Prompt and answer do not fit into the model's context; choose a model with a larger "
        "context."
    )
    NO_GEMINI_NAME: Final = (
        "This is not a Gemini model name; write it in panels.json as Google does, without a vendor "
        "prefix."
    )

    TOO_MANY_CALLS: Final = "Too many calls to this provider were running; raise maxConcurrent."
    NO_ANSWER_IN_TIME: Final = "The provider did not answer in time; check that it is running."
    UNREACHABLE: Final = "The provider is unreachable; check that it is running and its baseUrl."
    NOT_CALLABLE: Final = "The provider cannot be called as configured; check its baseUrl and key."
    CONNECTION_BROKE: Final = "The connection to the provider was lost; try again in a moment."
    WRONG_KIND: Final = "The provider's answer does not match its kind; check kind and baseUrl."

    @staticmethod
    def quoting(sentence: str, status: int | None, said: str) -> str:
        """A failure with its HTTP status and the server's own words, where there are any."""
        number = f" (HTTP {status})" if status else ""
        return f"{sentence}{number}{ModelErrorText.it_said(said)}"

    @staticmethod
    def it_said(said: str) -> str:
        """Somebody else's words after a sentence of ours, or nothing."""
        return f" It said: {said}" if said else ""

    @staticmethod
    def read_only_a_part(tokens: int) -> str:
        """A server on this machine cut the prompt off."""
        return (
            f"The server truncated the prompt to {tokens} tokens; give it a larger context "
            "(Ollama: OLLAMA_CONTEXT_LENGTH=16384) and restart it."
        )

    @staticmethod
    def did_not_begin(seconds: float) -> str:
        """No first word came."""
        return f"The model did not start to answer within {seconds:g} s; try again later."

    @staticmethod
    def fell_silent(seconds: float) -> str:
        """The stream stalled."""
        return f"The model stopped writing for {seconds:g} s; try again later."

    @staticmethod
    def did_not_finish(seconds: float) -> str:
        """The deadline passed while the model wrote."""
        return f"The model did not finish within {seconds:g} s; try again later."

    @staticmethod
    def no_whole_answer(model: str, seconds: float) -> str:
        """The deadline passed, whatever the model did meanwhile."""
        return f"{model} did not finish its answer within {seconds:g} seconds."

    @staticmethod
    def broke_off(model: str) -> str:
        """The stream of a model ended before its answer did."""
        return f"{model} stopped in the middle of its answer."

    @staticmethod
    def without_text(model: str) -> str:
        """A model ended its answer without a word."""
        return f"{model} sent an empty answer."

    @staticmethod
    def on_trial(kind: str) -> str:
        """Another call is testing a model that kept failing."""
        return f"The model kept failing ({kind}); a test call is running."

    @staticmethod
    def resting(kind: str, seconds: int) -> str:
        """A model that kept failing is left alone for a while."""
        return f"The model kept failing ({kind}); it is retried in {seconds} s."

    @staticmethod
    def resting_without_money(seconds: int) -> str:
        """A provider whose account is empty is left alone for a while."""
        return f"The provider's account was out of credit; it is retried in {seconds} s."

    @staticmethod
    def in_the_queue(ahead: int) -> str:
        """The card's note on a call that waits in line; nothing when its turn has come."""
        return f"in the queue, {ahead} ahead" if ahead else ""


class ProviderText:
    """Why a provider or a model cannot be used now, and what makes it usable."""

    NO_ACP_EXTRA: Final = f"the acp extra is not installed: {with_extra('acp')}"
    NO_LOCAL_EXTRA: Final = "the local extra is not installed: run make local"
    NO_SMALL_MODEL: Final = "run make local"
    NO_BLOCKRUN: Final = (
        "Blockrun not available. Using budget panel. Full panel requires Blockrun at "
        "localhost:8402."
    )
    BLOCKRUN_IS_SILENT: Final = (
        "Blockrun not available. Full panel requires Blockrun at localhost:8402."
    )
    """The same where whoever is usable sits and not the budget panel."""
    NO_ANSWER: Final = "no answer"
    NOT_A_LIST: Final = "the answer is not a list of models"
    _SERVERS: Final = {"lmstudio": "LM Studio", "vllm": "vLLM", "llamacpp": "llama.cpp"}
    _OLLAMA: Final = "ollama"

    @staticmethod
    def server_name(provider: str) -> str:
        """What people call the server behind a provider on this machine."""
        return ProviderText._SERVERS.get(provider, f"{provider[:1].upper()}{provider[1:]}")

    @staticmethod
    def no_program(command: str) -> str:
        """The program of a harness is not installed."""
        return f"the program '{command}' is not installed: install it or correct its command"

    @staticmethod
    def no_model_file(path: str) -> str:
        """The file named in panels.json is not there."""
        return f"the file {path} does not exist: correct modelPath"

    @staticmethod
    def no_adapter(kind: str) -> str:
        """Nothing in this version speaks to such a provider."""
        return f"this version has no adapter for kind '{kind}'"

    @staticmethod
    def no_key(variable: str) -> str:
        """The provider's key is missing."""
        return f"{variable} is not set: add it to .env"

    @staticmethod
    def nothing_answers(host: str, port: int, provider: str) -> str:
        """A server that should run on this machine does not."""
        return f"nothing is listening at {host}:{port}: start {ProviderText.server_name(provider)}"

    @staticmethod
    def no_list(base_url: str, provider: str) -> str:
        """Something runs there that does not say which models it has."""
        return (
            f"the server at {base_url} lists no models: is it {ProviderText.server_name(provider)}?"
        )

    @staticmethod
    def not_blockrun(base_url: str) -> str:
        """Another program holds the port of Blockrun."""
        return (
            f"the server at {base_url} is not Blockrun: stop it and start Blockrun, or set "
            "Blockrun's URL in panels.json"
        )

    @staticmethod
    def no_model_there(provider: str, listed: Sequence[str]) -> str:
        """A server runs on this machine without any model that can be taken unasked."""
        if listed:
            return (
                f"{ProviderText.server_name(provider)} lists nothing that looks like a chat model: "
                "add a route in panels.json to use one anyway"
            )
        advice = (
            "download one with `ollama pull llama3.2`"
            if provider == ProviderText._OLLAMA
            else "load one there"
        )
        return f"{ProviderText.server_name(provider)} is running but has no model: {advice}"

    @staticmethod
    def lacks_model(provider: str, model: str, offered: Sequence[str]) -> str:
        """A server runs on this machine without the model that is wanted."""
        if provider == ProviderText._OLLAMA:
            return f"it has no {model}: run `ollama pull {model}`"
        return f"it has no {model}: load it there, or use one of {', '.join(offered)}"

    @staticmethod
    def lists_no_such(pattern: str) -> str:
        """No id of a provider's list fits a pattern."""
        return f"none of its models matches {pattern}"

    @staticmethod
    def does_not_list(model: str, near: Sequence[str]) -> str:
        """A provider elsewhere does not have the model that is wanted."""
        hint = f"; the closest is {near[0]}" if near else ""
        return f"it does not list {model}{hint}"

    @staticmethod
    def refused(said: str) -> str:
        """A provider did not take the key."""
        return f"it rejected the key: {said}" if said else "it rejected the key"

    @staticmethod
    def not_asked(said: str) -> str:
        """A provider's list could not be read."""
        return f"its list of models could not be read: {said}"

    @staticmethod
    def http_status(status: int, said: str) -> str:
        """An answer that is no list."""
        return f"HTTP {status}: {said}" if said else f"HTTP {status}"

    @staticmethod
    def of_provider(provider: str, fault: str) -> str:
        """A reason together with whose it is."""
        return f"{provider}: {fault}"

    @staticmethod
    def add_key(variable: str) -> str:
        """What to do so that a provider with a key can be used."""
        return f"add {variable} to .env"

    @staticmethod
    def replace_key(variable: str) -> str:
        """What to do so that a provider that does not take the key can be used."""
        return f"set {variable} to a working key"

    @staticmethod
    def start_server(provider: str) -> str:
        """What to do so that a server on this machine can be used."""
        return f"start {ProviderText.server_name(provider)}"


class HarnessText:
    """What is said about an external harness, spoken to over the Agent Client Protocol."""

    NOT_INSTALLED: Final = f"The acp extra is not installed; {with_extra('acp')}."
    CANNOT_START: Final = (
        "The harness could not be started; check its command and workspace in panels.json."
    )
    OTHER_VERSION: Final = (
        "The harness uses another version of the Agent Client Protocol; update it."
    )
    TOOLS_OFF: Final = (
        "was to get the discussion tools, which are not served: put roundtable into toolsets of "
        "panels.json itself, too"
    )
    NO_TOOLS_OVER_HTTP: Final = (
        "was to get the discussion tools, but cannot use tools over HTTP; it answers without them"
    )
    NOT_LOGGED_IN: Final = "The harness is not logged in; run its own program once and log in."
    DECLINED: Final = "The harness declined to answer; rephrase the question."
    GAVE_UP: Final = "The harness cancelled its answer; try again."
    WOULD_NOT_STOP: Final = "The harness did not stop writing; ask for a shorter answer."

    NEW_SESSION: Final = "could not resume its earlier session and started a new one"
    REFUSAL: Final = "Roundtable does not allow this."
    NO_TEXT_FILE: Final = "there is no readable text file"

    SANDBOX_OFF: Final = (
        "runs as this user and can read and change what this user can, because panels.json "
        "disables its sandbox"
    )
    NO_BWRAP: Final = "runs as this user and can read and change what this user can"
    BWRAP_CANNOT: Final = (
        "runs as this user and can read and change what this user can, because bwrap is installed "
        "but cannot create a sandbox here"
    )
    INSTALL_BWRAP: Final = "install bubblewrap to run it in a sandbox"
    LET_BWRAP: Final = "allow this container or service to create user namespaces"

    READ_A_FILE: Final = "read a file"
    READ_TOO_LARGE: Final = "read a file that is too large"
    WRITE_A_FILE: Final = "write a file"
    WRITE_TOO_LARGE: Final = "write a file that is too large"
    OPEN_A_TERMINAL: Final = "open a terminal"

    @staticmethod
    def in_sandbox(*, network: bool) -> str:
        """Where a harness is started, and whether it reaches its model from there."""
        if network:
            return "runs in a sandbox with network access"
        return (
            'runs in a sandbox without network access (if its model is remote, set "network": true)'
        )

    @staticmethod
    def may_read(folder: str) -> str:
        """What a harness is told of a folder that is not its own."""
        return f"You may read, but not change, what is in {folder}."

    @staticmethod
    def harness(name: str, where: str) -> str:
        """The doctor's word about one harness."""
        return f"The harness {name} {where}"

    @staticmethod
    def use_a_tool(kinds: Iterable[str]) -> str:
        """A harness asked to run one of its own tools."""
        return f"use a tool ({', '.join(sorted(kinds)) or 'unknown'})"

    @staticmethod
    def outside_its_folder(wish: str) -> str:
        """A request for a file outside the folder."""
        return f"{wish} outside its folder"

    @staticmethod
    def denied(wish: str) -> str:
        """A note in the record about a denied request."""
        return f"wanted to {wish}, which was denied"

    @staticmethod
    def reported(said: str) -> str:
        """The harness answered with an error."""
        return f"The harness reported an error: {said}"

    @staticmethod
    def ended_early(last_words: str) -> str:
        """The harness is gone before its answer was."""
        return (
            "The harness exited before its answer was "
            f"complete.{ModelErrorText.it_said(last_words)}"
        )


class LocalModelText:
    """What is said about the small model that runs inside the bot."""

    NOT_INSTALLED: Final = "The local extra is not installed; run `make local`."
    NOT_LOADABLE: Final = "The model file cannot be loaded; run `make local` to download it again."
    RUNTIME_FAILED: Final = "The small model's runtime failed; check the log and restart the bot."
    NO_ANSWER: Final = "The small model could not answer this prompt; ask another model."
    PROMPT_TOO_LONG: Final = (
        "The prompt is longer than the small model can read; choose a larger model."
    )

    SHORTENED: Final = "its prompt was shortened to fit a very small model"
    LOOSE: Final = "the small model's answer was not constrained to the format"

    NOT_FETCHED: Final = "The small model could not be downloaded; see pip's message above."
    WRONG_FILE: Final = (
        "The small model's file has the wrong checksum, so it was not kept; try again."
    )

    @staticmethod
    def got(path: str, fetched: bool) -> str:
        """Where the model is, at the end of `make local`."""
        return f"{'Downloaded' if fetched else 'Already there'}: {path}"
