"""The conclusion of a run, drawn from the digests and labelled as a rehearsal."""

from bot.rehearsal.digests import Digest
from bot.rehearsal.phrase_book import phrases
from bot.rehearsal.phrase_types import Card, Kind, Stance
from bot.rehearsal.seat import RehearsedSeat
from bot.rehearsal.summary import Group, Room, claim_of, room_of, thesis_of
from bot.rehearsal.text import capital, fold, listed

_TITLE_WORDS = 10


def write_synthesis(seat: RehearsedSeat) -> str:
    """Every section of the conclusion that a model has to write."""
    room = room_of(seat, seat.value("ROUND1_SUMMARIES"))
    unused, said = _unused_cards(seat), phrases().conclusion
    sections = [
        [f"🎯 {_title(seat, room)}"],
        ["📊 CONSENSUS", *_bullets(_consensus(seat, room))],
        ["⚡ DIVERGENCES", *_bullets(_divergences(seat, room))],
        ["🔍 BLIND SPOTS", *_bullets(_blind_spots(seat, unused[0]))],
        ["🏆 RECOMMENDATION", _recommendation(seat, room, unused[1])],
        ["💡 OUTLIER", _outlier(seat, room)],
        [
            "⚠️ RED FLAGS",
            *_bullets([seat.say(said.red_flag, check=unused[2].check)]),
        ],
        ["📈 ACTION PLAN", *_plan(unused)],
        ["🔄 WHAT WOULD CHANGE IT", *_bullets([seat.say(said.overturn, check=unused[3].check)])],
    ]
    return "\n".join(line for section in sections for line in section)


def _unused_cards(seat: RehearsedSeat) -> list[Card]:
    """Considerations that nobody at the table took up."""
    said = fold(seat.value("ROUND1_SUMMARIES"))
    cards = seat.dice("unused").order(seat.deck())
    unsaid = [card for card in cards if fold(card.pro.partition("{")[0]) not in said]
    return (unsaid + cards)[:4]


def _bullets(lines: list[str]) -> list[str]:
    return [f"- {line}" for line in lines]


def _title(seat: RehearsedSeat, room: Room) -> str:
    verdict = _short_verdict(seat, room)
    space = _TITLE_WORDS - len(verdict.split())
    words = _short_topic(seat).split()
    head = " ".join(words[:space])[:70].rstrip(" ,;:-–—")
    return f"{head}{'…' if len(words) > space else ''}: {verdict}"


def _short_topic(seat: RehearsedSeat) -> str:
    topic = seat.topic
    if seat.is_choice:
        return " or ".join(topic.options)
    phrase = topic.action or (topic.thing if topic.thing != topic.quote else "")
    return capital(phrase) or topic.text.rstrip("?.!")


def _short_verdict(seat: RehearsedSeat, room: Room) -> str:
    leading = room.leading
    if leading is None:
        return "no common answer"
    clear = len(room.groups) == 1
    if seat.topic.kind is Kind.OPEN and not seat.votes:
        return "an answer exists" if leading.side == Stance.AGREE else "no lasting answer yet"
    if seat.votes or seat.is_choice:
        side = _side_name(seat, leading.side)
        return f"{side} ahead" if len(side.split()) <= 4 else "one option ahead"
    if leading.side == Stance.AGREE:
        return "a clear yes" if clear else "leaning yes"
    return "a clear no" if clear else "leaning no"


def _consensus(seat: RehearsedSeat, room: Room) -> list[str]:
    leading, said = room.leading, phrases().conclusion
    if leading is None or len(leading.members) < 2:
        return [said.nothing_agreed]
    first, best = leading.members[0], seat.dice("consensus").pick(leading.members)
    agreed = seat.say(said.agreed, roles=listed(leading.roles), thesis=thesis_of(seat, first))
    return [agreed, seat.say(said.shared, role=best.role, claim=claim_of(seat, best))]


def _divergences(seat: RehearsedSeat, room: Room) -> list[str]:
    if len(room.groups) < 2:
        return [phrases().conclusion.undivided]
    first, *others = room.groups
    rivals = [member for group in others for member in group.members][:2]
    pattern = phrases().conclusion.divided
    return [
        _dispute(seat, pattern, first.members[n % len(first.members)], rival)
        for n, rival in enumerate(rivals)
    ]


def _dispute(seat: RehearsedSeat, pattern: str, one: Digest, other: Digest) -> str:
    return seat.say(
        pattern,
        one=one.role,
        other=other.role,
        claim=claim_of(seat, one),
        reply=claim_of(seat, other, 1),
    )


def _blind_spots(seat: RehearsedSeat, card: Card) -> list[str]:
    said = phrases().conclusion
    return [seat.say(said.blind, name=card.name, check=card.check), said.no_facts]


def _recommendation(seat: RehearsedSeat, room: Room, card: Card) -> str:
    said = phrases().conclusion
    return f"{_verdict(seat, room)} {seat.say(said.next_step, check=card.check)} {said.not_a_model}"


def _verdict(seat: RehearsedSeat, room: Room) -> str:
    leading = room.leading
    group = leading or (room.groups[0] if room.groups else Group("", ()))
    return seat.say(
        _verdict_pattern(seat, leading),
        side=_side_name(seat, group.side),
        count=str(len(group.members)),
        total=str(len(room.voices)),
    )


def _verdict_pattern(seat: RehearsedSeat, leading: Group | None) -> str:
    said = phrases().conclusion
    if seat.votes and seat.value("BALLOTS").strip():
        return said.verdict_ballots if leading else said.ballots_tied
    if leading is None:
        return said.verdict_open
    if seat.votes:
        return said.verdict_vote
    if seat.is_choice:
        return said.verdict_choice
    agreed = leading.side == Stance.AGREE
    if seat.topic.kind is Kind.OPEN:
        return said.verdict_answered if agreed else said.verdict_unanswered
    return said.verdict_for if agreed else said.verdict_against


def _side_name(seat: RehearsedSeat, side: str) -> str:
    if seat.votes:
        known = seat.is_choice and side in seat.ballots
        return seat.shown(seat.ballots.index(side)) if known else f"‘{side}’"
    return seat.shown(1 if side == Stance.DISAGREE else 0) if seat.is_choice else ""


def _outlier(seat: RehearsedSeat, room: Room) -> str:
    if not room.voices:
        return 'Nobody: "no digest reached the writer of this conclusion"'
    dice = seat.dice("outlier")
    voice = room.groups[-1].members[-1] if len(room.groups) > 1 else dice.pick(room.voices)
    return f'{voice.role}: "{capital(claim_of(seat, voice, 2))}"'


def _plan(cards: list[Card]) -> list[str]:
    steps = [f"- {capital(card.check)}" for card in cards]
    return ["Next 24h:", *steps[:2], "Next 7d:", *steps[2:4]]
