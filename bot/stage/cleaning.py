"""Makes untrusted text safe to show: nothing pings, hides where a link goes, or is invisible."""

import re
from collections.abc import Callable, Collection

from bot.messages.discord import PostText
from bot.types.characters import clean

_STACKED_MARKS = re.compile(
    "([\u0300-\u036f\u0483-\u0489\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff]{4})"
    "[\u0300-\u036f\u0483-\u0489\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff]+"
)
_CODE = re.compile(r"(```.*?```|`[^`\n]+`)", re.DOTALL)
_INVITE = re.compile(
    r"(?:https?://)?(?:www\.|ptb\.|canary\.)?"
    r"(?:discord\.gg|discord\.me|discord(?:app)?\.com\s*/\s*invite)\s*/\s*[\w-]*",
    re.IGNORECASE,
)
# It stops at the next bracket, so that no text is looked at twice; what it leaves is parted below.
_MASKED_LINK = re.compile(
    r"!?\[([^\[\]\n]{0,300}+)\]\(\s*+<?+([^\s<>)\[]{0,2000}+)>?+[^)\[\n]{0,300}+\)"
)
# Discord finds an address in the middle of a word, too.
_URL = re.compile(r"<?([a-z][a-z0-9+.-]{1,15}://[^\s<>`|\"]+)>?", re.IGNORECASE)
_SCHEME_MARK = re.compile(":/{2,}")
_EVERYONE = re.compile(r"@(?=everyone|here)", re.IGNORECASE)
_MENTION = re.compile(r"<@(&?)!?\d*>|<(?:id|/[^<>:\n]{0,100}+):[^<>\n]{0,100}+>")
_LONGEST_QUERY = 60
_READ_FOR_ONE_SHOWN = 8

_FULLWIDTH_AT = "\uff20"
# Items of lists, rows of tables, quotes, and lines that go on with one of these.
_IN_ROWS = re.compile(r"\s{0,8}(?:[-*•+]\s|\d{1,3}[.)]\s|[>|])|\s")
_SMALL_PRINT = re.compile(r"^\s{0,3}-#\s{0,4}", re.MULTILINE)
_HEADING = re.compile(r"^[ \t]{0,3}#{1,6}[ \t]{1,4}(\S[^\n]*)$", re.MULTILINE)
_DISCORD = re.compile(r"<(?:#\d{1,20}|t:\d{1,20}(?::\w)?|a?:(\w{1,40}):\d{1,20})>")
# How entries of the files begin: **Role(model)**, **Person 1**.
_ENTRY = re.compile(
    r"^[ \t]{0,3}\*\*([^*\n]{0,200}[^\s*]\([^*\n]{0,200}\)|Person \d{1,4})\*\*", re.MULTILINE
)
_SPOILER = re.compile(r"\|\|([^|\n]{1,2000})\|\|")


def clean_text(text: str, known_urls: Collection[str] = ()) -> str:
    """Clean what a model, a person or the web wrote; URLs in `known_urls` stay clickable."""
    text = _strip_invisible(text).replace("\\`", "`")
    if text.count("```") % 2:
        text += "\n```"
    pieces = _CODE.split(text)
    outside = _prose_cleaner(known_urls)
    return "".join(
        _clean_code(piece) if index % 2 else outside(piece) for index, piece in enumerate(pieces)
    ).strip()


def file_text(text: str) -> str:
    """What a model or a person wrote, for files: without Discord's markup, links and headings."""
    shown = clean_text(text).replace("](", "] (")
    if "-#" in shown:
        shown = _SMALL_PRINT.sub("", shown)
    if "<" in shown:
        shown = _DISCORD.sub(lambda found: f":{found[1]}:" if found[1] else "", shown)
    if "#" in shown:
        shown = _HEADING.sub(r"**\1**", shown)
    return (_SPOILER.sub(r"\1", shown) if "||" in shown else shown).strip()


def file_paragraphs(text: str) -> str:
    """The same with a paragraph for every line, which Markdown would run together.

    None of them can pass for an entry of somebody else.
    """
    out = ""
    in_code = False
    for line in _ENTRY.sub(r"\1", file_text(text)).split("\n"):
        fence = line.lstrip().startswith("```")
        apart = line.strip() and not (in_code or fence or _IN_ROWS.match(line))
        between = "\n\n" if apart and not out.endswith("\n") else "\n"
        out += f"{between if out else ''}{line}"
        in_code ^= fence
    return out


def file_line(text: str) -> str:
    """The same on one line."""
    return " ".join(file_text(text).split())


def file_quote(text: str) -> str:
    """The same as a quote, in which no line can pass for one of the file's own."""
    return "\n>\n".join(f"> {line}" for line in file_text(text).splitlines() if line.strip())


def _strip_invisible(text: str) -> str:
    """Drop control, zero-width, direction and tag characters, and towers of combining marks."""
    cleaned = clean(text)
    return cleaned if cleaned.isascii() else _STACKED_MARKS.sub(r"\1", cleaned)


def one_line(text: str, limit: int) -> str:
    """The text on one line, cut at a word, for titles and quotes."""
    flat = " ".join(_strip_invisible(text).split())
    if len(flat) <= limit:
        return flat
    return flat[: limit - 1].rsplit(" ", 1)[0].rstrip(" ,;:.-") + "…"


def short_line(text: str, limit: int) -> str:
    """One clean line; the text is cut before it is cleaned, as no more of it can be shown."""
    return one_line(clean_text(text[: limit * _READ_FOR_ONE_SHOWN]), limit)


def _clean_code(piece: str) -> str:
    return _without_pings(piece).replace("](", "] (")


def _without_pings(piece: str) -> str:
    # Most texts hold none of these, and looking for a letter is far quicker than for a pattern.
    if "cord" in piece.casefold():
        piece = _INVITE.sub(PostText.INVITE_REMOVED, piece)
    if "<" in piece:
        piece = _MENTION.sub(
            lambda match: PostText.SOME_ROLE if match[1] else PostText.SOME_PERSON, piece
        )
    return _EVERYONE.sub(_FULLWIDTH_AT, piece) if "@" in piece else piece


def _prose_cleaner(known_urls: Collection[str]) -> Callable[[str], str]:
    def show_url(match: re.Match[str]) -> str:
        return _shown_url(match[1], known_urls)

    def cleaned(piece: str) -> str:
        piece = _without_pings(piece)
        if "](" in piece:
            piece = _MASKED_LINK.sub(lambda match: f"{match[1]} ({match[2]})", piece)
            piece = piece.replace("](", "] (")
        return _URL.sub(show_url, piece) if "://" in piece else piece

    return cleaned


def _shown_url(url: str, known_urls: Collection[str]) -> str:
    whole, url = url, url.rstrip(".,;:!?)*_'")
    tail = whole[len(url) :]
    if url in known_urls:
        return f"<{url}>{tail}"
    address, _, query = url.partition("?")
    if query and len(query) <= _LONGEST_QUERY:
        address = f"{address}?{query}"
    # A stray backtick before it may open the code, so that no second address may be in there.
    bare = _SCHEME_MARK.sub(":", address.split("://", 1)[-1])
    return f"`{bare}`{tail}"
