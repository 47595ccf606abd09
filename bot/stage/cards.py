"""How the live card looks: topic, progress, past rounds, a row per seat, small print, buttons."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import discord

from bot.messages.discord import ButtonText
from bot.messages.meeting import LiveCardText
from bot.messages.starting import ModeText
from bot.stage.cleaning import clean_text, short_line
from bot.stage.port import (
    Card,
    PastRound,
    PostButton,
    PostMenu,
    SeatRow,
    SeatState,
    Tone,
    button_id,
)

_STYLES = {
    Tone.GOOD: discord.ButtonStyle.success,
    Tone.BAD: discord.ButtonStyle.danger,
    Tone.PLAIN: discord.ButtonStyle.secondary,
}
_TOPIC_LIMIT = 300
_NOTE_LIMIT = 160
_PAST_NOTE_LIMIT = 60
_TEXT_LIMIT = 3800
_BYTE_LIMIT = 9500
_EMBED_LIMIT = 4000
_RUNNING_COLOUR = 0x5865F2
_DONE_COLOUR = 0x3BA55D
_STOPPED_COLOUR = 0x96989D
_MARKS = {
    SeatState.WAITING: "⚪",
    SeatState.THINKING: "💭",
    SeatState.READY: "✍️",
    SeatState.SPOKE: "✅",
    SeatState.TIMED_OUT: "⌛",
    SeatState.FAILED: "⚠️",
}
_UNDER_WAY = frozenset({SeatState.WAITING, SeatState.THINKING, SeatState.READY})
_SILENT_MARK = "⏹️"


def consent_buttons(run_id: str) -> tuple[PostButton, PostButton]:
    """What the starter of an expensive run is offered."""
    return (
        PostButton(ButtonText.START, button_id(run_id, "start"), Tone.GOOD),
        PostButton(ButtonText.CANCEL, button_id(run_id, "cancel")),
    )


def _option_buttons(run_id: str) -> tuple[PostButton, ...]:
    """What the starter of a vote without options is offered."""
    return (
        PostButton(ButtonText.USE_OPTIONS, button_id(run_id, "options:use"), Tone.GOOD),
        PostButton(ButtonText.EDIT_OPTIONS, button_id(run_id, "options:edit")),
        PostButton(ButtonText.CANCEL, button_id(run_id, "cancel")),
    )


def drawn(button: PostButton) -> discord.ui.Button[Any]:
    """The button as Discord shows it."""
    return discord.ui.Button(
        label=button.label, custom_id=button.custom_id, style=_STYLES[button.tone]
    )


def button_view(
    buttons: Sequence[PostButton], menus: Sequence[PostMenu] = ()
) -> discord.ui.View | None:
    """The buttons in rows and the menus below them, or None where there are none."""
    items = [*map(drawn, buttons), *map(drawn_menu, menus)]
    return lasting_view(items) if items else None


def drawn_menu(menu: PostMenu) -> discord.ui.Select[Any]:
    """The menu as Discord shows it."""
    return discord.ui.Select(
        custom_id=menu.custom_id,
        placeholder=menu.placeholder,
        options=[discord.SelectOption(label=label, value=value) for value, label in menu.options],
    )


def lasting_view(items: Iterable[discord.ui.Item[Any]]) -> discord.ui.View:
    """The items without anybody who waits for them: their custom ids say what they are for."""
    view = discord.ui.View(timeout=None)
    for item in items:
        view.add_item(item)
    view.stop()
    return view


def no_face(_: str) -> str:
    """Rows begin with the name."""
    return ""


@dataclass(frozen=True, slots=True)
class CardStyle:
    """How a server wants its cards: as an embed or not, and each role's face as an emoji."""

    plain: bool = False
    face: Callable[[str], str] = no_face


def card_view(card: Card, face: Callable[[str], str] = no_face) -> discord.ui.LayoutView:
    """Render the card as Components V2; presses are handled elsewhere."""
    container: discord.ui.Container[discord.ui.LayoutView] = discord.ui.Container(
        accent_colour=_colour(card)
    )
    for text in card_texts(card, face):
        container.add_item(discord.ui.TextDisplay(text))
    buttons = _card_buttons(card)
    if buttons:
        container.add_item(discord.ui.ActionRow(*map(drawn, buttons)))
    view = discord.ui.LayoutView(timeout=None)
    view.add_item(container)
    view.stop()
    return view


def card_embed(card: Card, face: Callable[[str], str] = no_face) -> discord.Embed:
    """Render the card for servers that set `"plain": true`."""
    shown = "\n\n".join(card_texts(card, face))[:_EMBED_LIMIT]
    embed = discord.Embed(description=shown, colour=_colour(card))
    embed.set_footer(text=LiveCardText.FOOTER)
    return embed


def plain_view(card: Card) -> discord.ui.View:
    """The buttons under a plain card."""
    return lasting_view(map(drawn, _card_buttons(card)))


def _card_buttons(card: Card) -> tuple[PostButton, ...]:
    """The buttons that apply to the run as it stands."""
    if card.running and card.asks_options:
        return _option_buttons(card.run_id)
    if card.running and card.asks_starter:
        return consent_buttons(card.run_id)
    offered = {
        "conclude": (_can_be_concluded(card), ButtonText.CONCLUDE, Tone.PLAIN),
        "stop": (card.running, ButtonText.STOP, Tone.BAD),
        "retry": (not card.running and not card.succeeded, ButtonText.RETRY, Tone.GOOD),
        "ask": (bool(card.seats), ButtonText.ASK, Tone.PLAIN),
        "minutes": (card.heard, ButtonText.MINUTES, Tone.PLAIN),
        "details": (card.succeeded and card.heard, ButtonText.DETAILS, Tone.PLAIN),
    }
    return tuple(
        PostButton(label, button_id(card.run_id, action), tone)
        for action, (applies, label, tone) in offered.items()
        if applies
    )


def _can_be_concluded(card: Card) -> bool:
    return card.running and card.may_conclude and card.heard


def moved_on(card: Card, url: str) -> Card:
    """What stays of a card that is continued in a newer message."""
    step = LiveCardText.goes_on(url)
    return Card(card.run_id, card.topic, card.mode, step, running=False, succeeded=True)


def card_texts(card: Card, face: Callable[[str], str] = no_face) -> list[str]:
    """The card's paragraphs, top to bottom."""
    topic = short_line(card.topic, _TOPIC_LIMIT)
    label = f"-# {card.label}" if card.label else ""
    texts = [
        "\n".join(filter(None, (f"### 🎯 {topic}", label, _progress(card), _small_print(card)))),
        *_seats_of(card, face),
        card.measure if card.running else "",
        "\n".join(f"-# {clean_text(notice)}" for notice in card.notices),
    ]
    return _within_limit([text for text in texts if text])


def _seats_of(card: Card, face: Callable[[str], str]) -> tuple[str, str]:
    """The rounds that are over in a line each, and the one under way with a row for each seat.

    When the run is over, the last round is over, too, and nobody is thinking any more.
    """
    if card.running:
        rows = [_seat_line(row, face(row.role)) for row in card.seats]
        now = "\n".join([*([f"**{card.round}**"] if card.round else []), *rows])
        return "\n".join(_past_line(entry) for entry in card.past), now
    past = (*card.past, *([PastRound(card.round, tuple(card.seats))] if card.round else []))
    return "\n".join(f"-# {_past_line(entry, face)}" for entry in past), ""


def _progress(card: Card) -> str:
    return card.outcome or f"**{ModeText.of(card.mode)}** · {card.step}"


def _small_print(card: Card) -> str:
    """When it began, when it is usually done, and what it costs; Discord counts the time."""
    times = []
    if card.running and card.started_at:
        times.append(LiveCardText.began(card.started_at))
        if card.expected_at and not (card.asks_starter or card.asks_options):
            times.append(LiveCardText.expected_end(card.expected_at))
    parts = [*times, *([LiveCardText.cost(card.cost)] if card.cost else [])]
    return f"-# {' · '.join(parts)}" if parts else ""


def _within_limit(texts: list[str]) -> list[str]:
    """Discord counts letters and, unsaid, bytes; what does not fit is cut at the end."""
    room, bytes_left = _TEXT_LIMIT, _BYTE_LIMIT
    kept = []
    for text in texts:
        shown = text[:room].encode()[:bytes_left].decode(errors="ignore")
        room, bytes_left = room - len(shown), bytes_left - len(shown.encode())
        if shown.strip():
            kept.append(shown)
    return kept


def _past_line(entry: PastRound, face: Callable[[str], str] = no_face) -> str:
    seats = (_past_seat(row, face(row.role)) for row in entry.seats)
    return f"**{entry.name}** · " + " · ".join(seats)


def _past_seat(row: SeatRow, face: str) -> str:
    role = _role(row)
    if row.message_url:
        instead = f" ({LiveCardText.stood_in(row.stand_in)})" if row.stand_in else ""
        mark = f"{_MARKS[row.state]} {face}".rstrip()
        return f"{mark} [{role}]({row.message_url}){instead}"
    if row.state in _UNDER_WAY:
        return f"{_SILENT_MARK} {role} ({LiveCardText.SILENT})"
    why = short_line(row.note, _PAST_NOTE_LIMIT) or row.state.value
    return f"{_MARKS[row.state]} {role} ({why})"


def _seat_line(row: SeatRow, face: str) -> str:
    model = f"~~{row.model}~~ {row.stand_in}" if row.stand_in else row.model
    note = f" · {short_line(row.note, _NOTE_LIMIT)}" if row.note else ""
    who = f"{face} **{_role(row)}**".lstrip()
    return f"{_MARKS[row.state]} {who} · {model} · {_seat_state(row)}{note}"


def _role(row: SeatRow) -> str:
    return clean_text(row.role).translate(str.maketrans("[]*", "()\u2217"))


def _seat_state(row: SeatRow) -> str:
    if row.state is SeatState.THINKING and row.words:
        return LiveCardText.thinking(row.words)
    if row.state is SeatState.SPOKE and row.message_url:
        return LiveCardText.spoke(row.message_url, as_substitute=bool(row.stand_in))
    return row.state.value


def _colour(card: Card) -> int:
    if card.running:
        return _RUNNING_COLOUR
    return _DONE_COLOUR if card.succeeded else _STOPPED_COLOUR
