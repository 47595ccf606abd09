"""The conclusion of a run, drawn from the digests and labelled as a rehearsal."""

from bot.rehearsal.digests import Digest
from bot.rehearsal.phrase_book import phrases
from bot.rehearsal.phrase_types import Card, Kind, Patterns, Stance
from bot.rehearsal.seat import RehearsedSeat
from bot.rehearsal.summary import Group, Room, claim_of, listed, room_of, thesis_of
from bot.rehearsal.text import capital, fold

_TITLE_WORDS = 10


def write_synthesis(seat: RehearsedSeat) -> str:
    """Every section of the conclusion that a model has to write."""
    room = room_of(seat, seat.value("ROUND1_SUMMARIES"))
    unused = _unused_cards(seat)
    sections = [
        [f"🎯 {_title(seat, room)}"],
        ["📊 CONSENSUS", *_bullets(_consensus(seat, room))],
        ["⚡ DIVERGENCES", *_bullets(_divergences(seat, room))],
        ["🔍 BLIND SPOTS", *_bullets(_blind_spots(seat, unused[0]))],
        ["🏆 RECOMMENDATION", _recommendation(seat, room, unused[1])],
        ["💡 OUTLIER", _outlier(seat, room)],
        ["⚠️ RED FLAGS", *_bullets(_red_flags(room, unused))],
        ["📈 ACTION PLAN", *_plan(unused)],
    ]
    return "\n".join(line for section in sections for line in section)


def _unused_cards(seat: RehearsedSeat) -> list[Card]:
    """Considerations that nobody at the table took up."""
    said = fold(seat.value("ROUND1_SUMMARIES"))
    filled = [_filled(seat, card) for card in seat.dice("unused").order(seat.deck())]
    heard = {card.name for card in seat.filled_cards() if _is_in(card, said)}
    unsaid = [card for card in filled if card.name not in heard]
    return (unsaid + filled)[:4]


def _is_in(card: Card, said: str) -> bool:
    return fold(card.pro) in said or fold(card.con) in said


def _filled(seat: RehearsedSeat, card: Card) -> Card:
    if not seat.is_choice:
        return card
    return card.between(seat.shown(0), seat.shown(1))


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
    dice, leading = seat.dice("consensus"), room.leading
    if leading is None or len(leading.members) < 2:
        return [dice.pick(phrases().conclusion.nothing_agreed)]
    first, best = leading.members[0], dice.pick(leading.members)
    agreed = seat.say(
        dice.pick(phrases().conclusion.agreed),
        roles=listed(leading.roles),
        thesis=thesis_of(seat, first),
    )
    claim = claim_of(seat, best, int(dice.unit() * 3))
    return [agreed, seat.say(dice.pick(phrases().conclusion.shared), role=best.role, claim=claim)]


def _divergences(seat: RehearsedSeat, room: Room) -> list[str]:
    dice = seat.dice("divergences")
    if len(room.groups) < 2:
        return [dice.pick(phrases().conclusion.undivided)]
    first, *others = room.groups
    rivals = [member for group in others for member in group.members][:2]
    patterns = dice.order(phrases().conclusion.divided)
    return [
        _dispute(seat, patterns[n], first.members[n % len(first.members)], rival)
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
    dice = seat.dice("blind")
    missed = seat.say(dice.pick(phrases().conclusion.blind), name=card.name, check=card.check)
    return [missed, dice.pick(phrases().conclusion.missing_people)]


def _recommendation(seat: RehearsedSeat, room: Room, card: Card) -> str:
    dice = seat.dice("recommendation")
    step = seat.say(dice.pick(phrases().conclusion.next_step), mend=card.mend, check=card.check)
    return f"{_verdict(seat, room)} {step} {phrases().conclusion.not_a_model}"


def _verdict(seat: RehearsedSeat, room: Room) -> str:
    dice, leading = seat.dice("verdict"), room.leading
    group = leading or (room.groups[0] if room.groups else Group("", ()))
    return seat.say(
        dice.pick(_verdict_patterns(seat, leading)),
        side=_side_name(seat, group.side),
        count=str(len(group.members)),
        total=str(len(room.voices)),
    )


def _verdict_patterns(seat: RehearsedSeat, leading: Group | None) -> Patterns:
    if seat.votes and seat.value("BALLOTS").strip():
        return (
            phrases().conclusion.verdict_ballots if leading else phrases().conclusion.ballots_tied
        )
    if leading is None:
        return phrases().conclusion.verdict_open
    if seat.votes:
        return phrases().conclusion.verdict_vote
    if seat.is_choice:
        return phrases().conclusion.verdict_choice
    agreed = leading.side == Stance.AGREE
    if seat.topic.kind is Kind.OPEN:
        return (
            phrases().conclusion.verdict_answered
            if agreed
            else phrases().conclusion.verdict_unanswered
        )
    return phrases().conclusion.verdict_for if agreed else phrases().conclusion.verdict_against


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


def _red_flags(room: Room, cards: list[Card]) -> list[str]:
    flags = [f"{capital(card.risk)}: {card.mend}" for card in cards[1:2]]
    known = {fold(card.risk) for card in cards[1:2]}
    raised = [v for v in room.voices if v.risk and fold(phrases().uncoloured(v.risk)) not in known][
        :1
    ]
    flags += [
        f"{capital(phrases().plain(v.risk))}: raised by {v.role}, to be watched weekly"
        for v in raised
    ]
    return flags


def _plan(cards: list[Card]) -> list[str]:
    return [
        "Next 24h:",
        f"- {capital(cards[1].check)}",
        f"- {capital(cards[2].check)}",
        "Next 7d:",
        f"- {capital(cards[2].mend)}",
        f"- {capital(cards[3].mend)}",
    ]
