"""What is said about the small model that runs inside the bot."""

from typing import Final

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
WRONG_FILE: Final = "The small model's file has the wrong checksum, so it was not kept; try again."


def got(path: str, fetched: bool) -> str:
    """Where the model is, at the end of `make local`."""
    return f"{'Downloaded' if fetched else 'Already there'}: {path}"
