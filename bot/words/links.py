"""What is said about issues elsewhere that a conclusion is for."""

from typing import Final

NAMES: Final = {"github": "GitHub", "gitlab": "GitLab"}
"""The services as people write them."""
UNUSABLE: Final = (
    "`--link` takes the URL of an issue or pull request on a service listed under `links` in "
    "panels.json: `--link https://github.com/owner/name/issues/12`."
)


def unreachable(service: str, why: str) -> str:
    """Nobody answers at the service's address."""
    return f"{service} is unreachable ({why}): try again later."


def too_many_comments(url: str) -> str:
    """An issue where an earlier comment of the bot cannot be looked for."""
    return f"{url} has too many comments to search: post the conclusion by hand."


def token_refused(service: str, variable: str) -> str:
    """The token may not comment."""
    return (
        f"{service} rejected the token in {variable}: give it permission to comment, then approve "
        "again."
    )


def not_found(url: str, variable: str) -> str:
    """The token shows no such issue."""
    return (
        f"{url} was not found with the token in {variable}: check the URL and the token's "
        "permissions."
    )


def not_json(service: str) -> str:
    """What answers is no such service."""
    return f"{service} did not answer with JSON: check `links` in panels.json."


def no_token(service: str, variable: str) -> str:
    """Nobody gave a token."""
    return f"No token for {service}: set {variable} in .env, then approve again."
