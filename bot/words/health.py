"""Texts of the health page and its metrics, for the operator."""

from typing import Final

OK: Final = "ok"
FAILING: Final = "failing"
CONNECTED: Final = "connected"
NOT_CONNECTED: Final = "not connected"
ANSWERS: Final = "answers"
DOES_NOT_ANSWER: Final = "does not answer"
WRONG_NAME: Final = "Use 127.0.0.1 or localhost."

UP: Final = "1 while connected to Discord."
RUNNING: Final = "Roundtables under way now."
LATENCY: Final = "Discord's heartbeat."
UPTIME: Final = "Since the start."
RUNS: Final = "Roundtables by phase."
CALLS: Final = "Model calls by provider, model and how they ended."
TOKENS: Final = "Tokens read and written by models."
COST: Final = "What the calls with a known price cost."
WITHOUT_PRICE: Final = "Calls whose price is unknown and therefore in no sum."
POSTS: Final = "Posts by state."


def port_taken(port: int, why: str) -> str:
    """The page cannot be served."""
    return (
        f"Cannot listen on ROUNDTABLE_HEALTH_PORT {port} ({why}): choose another port, or leave it "
        "blank for no health page."
    )
