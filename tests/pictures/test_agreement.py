"""The agreement picture is a picture, fits what it shows, and says the same in words."""

import io

import pytest
from PIL import Image

from bot.pictures.agreement import draw_agreement
from bot.pictures.facts import AgreementPicture, RoundOfPicture, alt_text

SEATS = ("Architect", "Critic", "Operator")


def round_of(number: int, *positions: str | None, converged: float | None = None) -> RoundOfPicture:
    stood = {seat: place for seat, place in zip(SEATS, positions, strict=True) if place}
    return RoundOfPicture(number, stood, converged=converged)


def opened(picture: AgreementPicture) -> Image.Image:
    return Image.open(io.BytesIO(draw_agreement(picture)))


def test_who_moved_is_found_also_across_a_silent_round() -> None:
    picture = AgreementPicture(
        SEATS,
        [
            round_of(1, "AGREE", "DISAGREE", "NEUTRAL"),
            round_of(2, "AGREE", "AGREE", None),
            round_of(3, "AGREE", "AGREE", "DISAGREE"),
        ],
    )

    assert picture.moves() == [
        ("Critic", 2, "DISAGREE", "AGREE"),
        ("Operator", 3, "NEUTRAL", "DISAGREE"),
    ]


def test_the_words_name_everybody_every_move_and_the_convergence() -> None:
    picture = AgreementPicture(
        SEATS,
        [
            round_of(1, "AGREE", "DISAGREE", None, converged=0.25),
            round_of(2, "AGREE", "AGREE", None, converged=1.0),
        ],
    )

    assert alt_text(picture) == (
        "Round 1: agree: Architect; disagree: Critic. Round 2: agree: Architect, Critic. "
        "Critic moved to agree in round 2. "
        "Round 1: 25% of the points raised were shared. "
        "Round 2: 100% of the points raised were shared."
    )


def test_words_that_are_too_many_for_discord_are_cut() -> None:
    picture = AgreementPicture(SEATS, [round_of(1, "A" * 900, "B" * 900, "C" * 900)])

    assert len(alt_text(picture)) == 1000
    assert alt_text(picture).endswith("…")


def test_a_move_changes_the_picture() -> None:
    stayed = [round_of(1, "AGREE", "AGREE", "AGREE"), round_of(2, "AGREE", "AGREE", "AGREE")]
    moved = [stayed[0], round_of(2, "AGREE", "AGREE", "DISAGREE")]

    drawn = draw_agreement(AgreementPicture(SEATS, moved))

    assert drawn != draw_agreement(AgreementPicture(SEATS, stayed))


def test_positions_differ_without_their_colour() -> None:
    grey = {
        position: opened(AgreementPicture(SEATS[:1], [RoundOfPicture(1, {SEATS[0]: position})]))
        .convert("L")
        .crop((380, 160, 500, 240))
        .point(lambda light: 255 * (light > 100))
        .tobytes()
        for position in ("AGREE", "DISAGREE", "NEUTRAL")
    }

    assert len(set(grey.values())) == 3


@pytest.mark.parametrize("count", [1, 2, 8])
def test_the_picture_grows_with_the_table_and_stays_small_enough(count: int) -> None:
    seats = [f"A seat with a long name {n}" for n in range(count)]
    scores = {a: {b: 3 for b in seats if a != b} for a in seats}
    same = dict.fromkeys(seats, "AGREE")
    rounds = [
        RoundOfPicture(1, same, converged=0.5),
        *(RoundOfPicture(n, same, scores, 0.5) for n in (2, 3)),
    ]

    drawn = draw_agreement(AgreementPicture(seats, rounds))

    width, height = Image.open(io.BytesIO(drawn)).size
    assert len(drawn) < 100_000
    assert width <= 2200
    assert height <= 1000


@pytest.mark.parametrize("name", ["研究者", "🦊", "\u202eevil", "", "x" * 300])
def test_any_name_can_be_drawn(name: str) -> None:
    picture = AgreementPicture([name], [RoundOfPicture(1, {name: name})], options=[name])

    assert opened(picture).format == "PNG"
