"""Providers: where models are called, one shape per wire format."""

from typing import Annotated, Literal

from pydantic import Field, SecretStr, field_validator, model_validator

from bot.messages.configuration import PanelsFileText
from bot.panels.section import HttpUrl, Name, Section, VariableName
from bot.panels.urls import is_bare, is_blockrun

_Capability = Literal["read", "write"]
TroubleKind = Literal[
    "hang",
    "garbage",
    "empty",
    "slow",
    "cut",
    "rate limited",
    "out of money",
    "overloaded",
    "network",
    "timeout",
    "context exceeded",
    "unsupported parameter",
    "refused",
    "not authorised",
    "bad output",
]


class _Hosted(Section):
    """What every provider that is called over HTTP has."""

    api_key_env: VariableName | None = None
    """Name of the variable in .env that holds the key."""
    api_key: SecretStr | None = None
    """A literal key, only for servers on this machine that want any word, such as "none"."""
    max_concurrent: Annotated[int, Field(ge=1, le=256)] = 8
    """How many calls may be under way at once."""

    @model_validator(mode="after")
    def _one_key(self) -> "_Hosted":
        if self.api_key_env and self.api_key:
            raise ValueError(PanelsFileText.TWO_KEYS)
        return self


class _Keyed(_Hosted):
    """A provider that never answers without a key."""

    @model_validator(mode="after")
    def _has_key(self) -> "_Keyed":
        if not self.api_key_env and not self.api_key:
            raise ValueError(PanelsFileText.NO_KEY)
        return self


class OpenAIProvider(_Hosted):
    """Anything that speaks OpenAI chat completions: OpenAI, OpenRouter, Blockrun, Ollama, vLLM."""

    kind: Literal["openai"]
    """The wire format: OpenAI chat completions."""
    base_url: HttpUrl
    """Where the API lives, up to and including its version, such as http://127.0.0.1:8402/v1."""
    vendor: Literal["openai", "openrouter", "xai", "mistral", "deepseek"] | None = None
    """Whose parameters and endpoints the server knows; null decides by its host."""
    free: bool | None = None
    """Whether its calls cost nothing; null: on this machine they do, but not at Blockrun's."""
    data_collection: Literal["deny", "allow"] | None = None
    """Whether OpenRouter may use hosts that keep what is sent; null denies it there."""

    @field_validator("base_url", mode="after")
    @classmethod
    def _blockrun_has_a_version(cls, url: str) -> str:
        """Blockrun's own words leave the version out, and nothing answers there."""
        return f"{url.rstrip('/')}/v1" if is_blockrun(url) and is_bare(url) else url


class AnthropicProvider(_Keyed):
    """The Anthropic Messages API."""

    kind: Literal["anthropic"]
    """The wire format: Anthropic messages."""
    base_url: HttpUrl = "https://api.anthropic.com"
    """Where the API lives, without its version."""


class GeminiProvider(_Keyed):
    """The native Gemini API."""

    kind: Literal["gemini"]
    """The wire format: Gemini generateContent."""
    base_url: HttpUrl = "https://generativelanguage.googleapis.com"
    """Where the API lives, without its version."""


class AcpProvider(Section):
    """An external harness, such as a coding agent, spoken to over the Agent Client Protocol."""

    kind: Literal["acp"]
    """The wire format: Agent Client Protocol over standard input and output."""
    command: Annotated[tuple[Annotated[str, Field(min_length=1)], ...], Field(min_length=1)]
    """The program to start and its arguments, one string each."""
    workspace: str | None = None
    """The folder the harness may work in; null gives it an empty one for each run."""
    allow: tuple[_Capability, ...] = ()
    """What it may ask the bot for inside its folder: "read" files, as a builder "write" files."""
    pass_env: tuple[VariableName, ...] = ()
    """Variables it gets beside the usual few, such as its own key; never the bot's own."""
    sandbox: bool = True
    """Whether it is started inside bubblewrap where that works; false: as the bot's own user."""
    network: bool = False
    """Whether it reaches the network from its sandbox, as one with a model elsewhere must."""
    share: tuple[Annotated[str, Field(min_length=1)], ...] = ()
    """Files and folders it finds in its sandbox and may change, such as its login "~/.codex"."""
    toolsets: tuple[Literal["roundtable"], ...] = ()
    """The discussion tools for its seats, where the bot offers them; ["roundtable"] gives them."""
    max_concurrent: Annotated[int, Field(ge=1, le=64)] = 4
    """How many of it may run at once."""

    @model_validator(mode="after")
    def _reaches_its_tools(self) -> "AcpProvider":
        if self.toolsets and self.sandbox and not self.network:
            raise ValueError(PanelsFileText.TOOLS_NEED_NETWORK)
        return self

    @model_validator(mode="after")
    def _keeps_our_secrets(self) -> "AcpProvider":
        ours = [name for name in self.pass_env if name.startswith(("DISCORD_", "ROUNDTABLE_"))]
        if ours:
            raise ValueError(PanelsFileText.own_variable(ours[0]))
        return self


class LocalProvider(Section):
    """A small model inside this process."""

    kind: Literal["local"]
    """A model file run by the bot itself."""
    model_path: Annotated[str, Field(min_length=1)] | None = None
    """The GGUF file to load; null takes SmolLM2-135M, which `make local` gets."""
    threads: Annotated[int, Field(ge=1, le=256)] | None = None
    """Threads to use; null takes all cores but one."""


class RehearsalTrouble(Section):
    """What goes wrong with one call of the rehearsal, to see how a roundtable bears it."""

    kind: TroubleKind
    """How it goes wrong: a misbehaviour (hang, garbage, empty, slow, cut) or a typed failure."""
    seconds: Annotated[float, Field(ge=0, le=3600)] = 0.0
    """How long a slow answer takes."""
    times: Annotated[int, Field(ge=1)] | None = None
    """How often it happens, counted from the first such call; null means every time."""
    retry_after: Annotated[float, Field(ge=0)] | None = None
    """The wait in seconds that a failure asks for; null asks for none."""


class RehearsalProvider(Section):
    """No model at all: plainly labelled, repeatable stand-in answers."""

    kind: Literal["rehearsal"]
    """Stand-in answers that follow every format, for trying the bot without a key."""
    seconds_per_answer: Annotated[float, Field(ge=0, le=600)] = 2.0
    """How long a stand-in pretends to think."""
    seed: int = 7
    """The same seed gives the same answers."""
    troubles: dict[Name, RehearsalTrouble] = Field(default_factory=dict)
    """Calls that go wrong, by their label, such as "r1:analyst" or "synthesis"."""


Provider = Annotated[
    OpenAIProvider
    | AnthropicProvider
    | GeminiProvider
    | AcpProvider
    | LocalProvider
    | RehearsalProvider,
    Field(discriminator="kind"),
]
HostedProvider = OpenAIProvider | AnthropicProvider | GeminiProvider
