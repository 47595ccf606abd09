"""How the live card looks: one container with the topic, a row per seat, and the Stop button."""

from typing import Any

import discord

from bot.stage.buttons import consent_buttons, drawn
from bot.stage.cleaning import clean_text, one_line
from bot.stage.port import Card, SeatRow, SeatState, button_id

TOPIC_LIMIT = 300
TEXT_LIMIT = 3800
RUNNING_COLOUR = 0x5865F2
DONE_COLOUR = 0x3BA55D
STOPPED_COLOUR = 0x96989D

_MARKS = {
    SeatState.WAITING: "⚪",
    SeatState.THINKING: "💭",
    SeatState.READY: "✍️",
    SeatState.SPOKE: "✅",
    SeatState.TIMED_OUT: "⌛",
    SeatState.FAILED: "⚠️",
}


def stop_button_id(run_id: str) -> str:
    """The custom id of the Stop button."""
    return button_id(run_id, "stop")


def card_view(card: Card) -> discord.ui.LayoutView:
    """Render the card as Components V2; the view is only drawn, its button is handled elsewhere."""
    container: discord.ui.Container[discord.ui.LayoutView] = discord.ui.Container(
        accent_colour=_colour(card)
    )
    for text in card_texts(card):
        container.add_item(discord.ui.TextDisplay(text))
    if card.running:
        container.add_item(discord.ui.ActionRow(*_buttons(card)))
    view = discord.ui.LayoutView(timeout=None)
    view.add_item(container)
    view.stop()
    return view


def card_embed(card: Card) -> discord.Embed:
    """Render the card for servers that set `"plain": true`."""
    head, *rest = card_texts(card)
    embed = discord.Embed(description="\n\n".join([head, *rest])[:4000], colour=_colour(card))
    embed.set_footer(text="Roundtable")
    return embed


def plain_view(card: Card) -> discord.ui.View:
    """The buttons under a plain card."""
    view = discord.ui.View(timeout=None)
    for button in _buttons(card) if card.running else ():
        view.add_item(button)
    view.stop()
    return view


def card_texts(card: Card) -> list[str]:
    """The card's paragraphs, top to bottom."""
    topic = one_line(clean_text(card.topic), TOPIC_LIMIT)
    texts = [f"### 🎯 {topic}\n{card.mode} · {card.outcome or card.step}"]
    if card.seats:
        texts.append("\n".join(_seat_line(row) for row in card.seats))
    if card.notices:
        texts.append("\n".join(f"-# {clean_text(notice)}" for notice in card.notices))
    return _within_limit(texts)


def _within_limit(texts: list[str]) -> list[str]:
    room = TEXT_LIMIT
    kept = []
    for text in texts:
        kept.append(text[:room])
        room -= len(kept[-1])
        if room <= 0:
            break
    return kept


def _seat_line(row: SeatRow) -> str:
    state = _seat_state(row)
    note = f" · {clean_text(row.note)}" if row.note else ""
    return f"{_MARKS[row.state]} **{clean_text(row.role)}** · {row.model} · {state}{note}"


def _seat_state(row: SeatRow) -> str:
    if row.state is SeatState.THINKING and row.words:
        return f"thinking, {row.words} words so far"
    if row.state is SeatState.SPOKE and row.message_url:
        return f"[spoke]({row.message_url})"
    return row.state.value


def _buttons(card: Card) -> tuple[discord.ui.Button[Any], ...]:
    if card.asks_starter:
        return tuple(drawn(button) for button in consent_buttons(card.run_id))
    return (_stop_button(card.run_id),)


def _stop_button(run_id: str) -> discord.ui.Button[Any]:
    return discord.ui.Button(
        label="Stop", style=discord.ButtonStyle.danger, custom_id=stop_button_id(run_id)
    )


def _colour(card: Card) -> int:
    if card.running:
        return RUNNING_COLOUR
    return DONE_COLOUR if card.succeeded else STOPPED_COLOUR
