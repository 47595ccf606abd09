"""The web search: why it was not made, why it found nothing, and the briefing."""

from typing import Final


class SearchText:
    """What is said about the web search: why it was not made, and why it brought nothing."""

    SWITCHED_OFF: Final = 'The web search is off; set search.provider to "auto" to turn it on.'
    REHEARSED: Final = "A rehearsal does not search the web; set a search key in .env to try it."
    UNEXPECTED: Final = "The search failed with an unexpected error; check the log."
    NOTHING_USABLE: Final = "The search found nothing usable; the roundtable continued without it."
    A_WHILE: Final = "a while"
    """How long to wait, when a service does not say so."""

    NO_CONTEXT: Final = "No real-time context available."
    SEARCH_FAILED: Final = "No real-time data available (search failed or timed out)."
    """Both stand for panelists where findings would."""

    BRAVE_KEY_REFUSED: Final = "Brave rejected the key (HTTP 422); check BRAVE_API_KEY in .env."
    SEARXNG_SILENT: Final = (
        "SearXNG found nothing and some of its engines did not respond; check its engine "
        "statistics."
    )
    SEARXNG_LOCKED: Final = (
        "SearXNG requires a password (HTTP 401); write SEARXNG_URL as http://name:password@host."
    )
    SEARXNG_NO_JSON: Final = (
        "SearXNG does not serve JSON (HTTP 403); add json to search.formats in its settings.yml."
    )
    SEARXNG_LIMITER: Final = (
        "SearXNG's limiter blocked the bot (HTTP 429); allow it in its limiter.toml."
    )

    @staticmethod
    def search_failed(why: str) -> str:
        """The web search brought nothing, in a line for people."""
        return f"The web search failed, so the panel had no current facts. {why}".rstrip()

    @staticmethod
    def searched_on(day: str, snippets: str) -> str:
        """What was found, where no model condensed it."""
        return f"Searched on {day}.\n{snippets}"

    @staticmethod
    def seconds(number: str) -> str:
        """How long to wait, when a service says so."""
        return f"{number} s"

    @staticmethod
    def not_set(provider: str, variable: str) -> str:
        """What a service lacks that panels.json names."""
        return (
            f'search.provider is "{provider}" but {variable} is not set; add it to .env or set '
            'search.provider to "auto".'
        )

    @staticmethod
    def not_in_time(limit: float) -> str:
        """The search took longer than panels.json allows."""
        return f"The search did not answer within {limit:g} s; raise timeouts.search."

    @staticmethod
    def key_refused(name: str, status: int, variable: str) -> str:
        """The service does not know the key."""
        return f"{name} rejected the key (HTTP {status}); check {variable} in .env."

    @staticmethod
    def used_up(name: str, status: int) -> str:
        """The service wants money."""
        return (
            f"{name}'s plan or credit is used up (HTTP {status}); choose another search.provider."
        )

    @staticmethod
    def too_often(name: str, wait: str) -> str:
        """The service wants fewer questions."""
        return (
            f"{name} is rate limiting us (HTTP 429); wait {wait} or choose another search.provider."
        )

    @staticmethod
    def elsewhere(name: str, status: int, variable: str) -> str:
        """Nothing of the service is at its address."""
        return (
            f"{name} was not found at its URL (HTTP {status}); check {variable} in .env or choose "
            "another search.provider."
        )

    @staticmethod
    def overloaded(name: str, status: int) -> str:
        """The service has too much to do."""
        return f"{name} is overloaded (HTTP {status}); try again in a moment."

    @staticmethod
    def rejected(name: str, status: int) -> str:
        """The service does not like the query."""
        return f"{name} rejected the query (HTTP {status}); rephrase the topic."

    @staticmethod
    def failed(name: str, status: int) -> str:
        """The service broke."""
        return f"{name} failed (HTTP {status}); try again in a moment."

    @staticmethod
    def no_answer(name: str) -> str:
        """The service is silent."""
        return f"{name} did not answer in time; try again in a moment."

    @staticmethod
    def misconfigured(name: str, variable: str) -> str:
        """What .env says cannot be called."""
        return f"{name} cannot be called as configured; check {variable} in .env."

    @staticmethod
    def unreachable(name: str, variable: str) -> str:
        """Nobody is at the service's address."""
        return f"{name} is unreachable; check the network and {variable} in .env."

    @staticmethod
    def broken_off(name: str) -> str:
        """The connection ended before the answer did."""
        return f"The connection to {name} was lost; try again in a moment."

    @staticmethod
    def odd_key(name: str, variable: str) -> str:
        """The key cannot be one."""
        return f"The key of {name} contains invalid characters; copy {variable} into .env again."

    @staticmethod
    def not_results(name: str, variable: str) -> str:
        """The answer cannot be read."""
        return (
            f"{name} did not return search results; check {variable} in .env or choose another "
            "search.provider."
        )

    @staticmethod
    def serper_used_up(status: int) -> str:
        """Serper wants money."""
        return (
            f"The credit at Serper is used up (HTTP {status}); top it up or choose another "
            "search.provider."
        )

    @staticmethod
    def tavily_refuses(status: int) -> str:
        """Tavily wants a key."""
        return (
            f"Tavily's free access is not available here (HTTP {status}); set TAVILY_API_KEY "
            "in .env."
        )

    @staticmethod
    def tavily_used_up(status: int, wait: str) -> str:
        """Tavily's free access has an end."""
        return (
            f"Tavily's free access is used up for now (HTTP {status}); wait {wait} or set "
            "TAVILY_API_KEY in .env."
        )


class BriefingText:
    """The words of ours in the briefing that a panel gets from a web search."""

    NOTHING_FOUND: Final = "No relevant real-time data found"

    @staticmethod
    def searched_on(date: str) -> str:
        """The first line of a briefing."""
        return f"Searched on {date}."
