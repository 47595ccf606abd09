"""The text of a post as it is sent."""

from bot.stage.cleaning import clean_text, short_line
from bot.stage.port import Place, Post, Quote
from bot.stage.readable import readable

QUOTE_LIMIT = 140
NAME_LIMIT = 40


def message_url(place: Place, message_id: int) -> str:
    """The link people follow to a message."""
    return f"https://discord.com/channels/{place.guild_id}/{place.target_id}/{message_id}"


def _quoted(quote: Quote | None, place: Place) -> str:
    """One line that says whose words are answered, and leads to them."""
    if quote is None:
        return ""
    text = short_line(quote.text, QUOTE_LIMIT).replace("`", "'")
    author = short_line(quote.author, NAME_LIMIT).replace("*", "")
    link = f" [↗](<{message_url(place, quote.message_id)}>)" if quote.message_id else ""
    return f"> **{author}:** {text}{link}\n"


def post_body(post: Post, place: Place, *, as_persona: bool) -> str:
    """The text as sent: cleaned, with the seat's small print, and its name where it has no face."""
    text = post.text
    if post.untrusted:
        text = clean_text(readable(text), post.known_urls)
    note = f"-# {post.speaker.note}\n" if post.speaker.note else ""
    name = f"**{post.speaker.name}**\n" if post.speaker.seat and not as_persona else ""
    ping = f"<@{post.ping_user_id}>\n" if post.ping_user_id else ""
    return f"{ping}{name}{note}{_quoted(post.quote, place)}{text}" or "\u2026"
