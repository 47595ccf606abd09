"""What is said about issues elsewhere that a conclusion is for."""

from typing import Final

NAMES: Final = {"github": "GitHub", "gitlab": "GitLab"}
"""The services as people write them."""
UNUSABLE: Final = (
    "`--link` takes the address of an issue or pull request at a service that panels.json names"
    " under `links`: `--link https://github.com/owner/name/issues/12`."
)


def unreachable(service: str, why: str) -> str:
    """Nobody answers at the service's address."""
    return f"{service} cannot be reached ({why}): try again later."


def too_many_comments(url: str) -> str:
    """An issue where an earlier comment of the bot cannot be looked for."""
    return f"{url} has too many comments to look through: post the conclusion by hand."


def token_refused(service: str, variable: str) -> str:
    """The token may not comment."""
    return (
        f"{service} does not accept the token in {variable}: give it the right to comment, then"
        " approve again."
    )


def not_found(url: str, variable: str) -> str:
    """The token shows no such issue."""
    return (
        f"{url} was not found with the token in {variable}: check the address and the token's"
        " rights."
    )


def not_json(service: str) -> str:
    """What answers is no such service."""
    return f"{service} answered something that is not JSON: check `links` in panels.json."


def no_token(service: str, variable: str) -> str:
    """Nobody gave a token."""
    return f"No token for {service}: set {variable} in .env, then approve again."
