"""The phrases are data files; a wrong one is refused with a sentence that says what and where."""

import shutil
from pathlib import Path

import pytest

import bot.rehearsal
from bot.rehearsal.phrase_book import load_phrases, phrases
from tests.rehearsal.broken_files import break_file, each, refusal

SHIPPED = Path(bot.rehearsal.__file__).with_name("phrases")

BROKEN = {
    "an unknown key": (
        "cards.toml",
        'name = "reversibility"\n',
        'name = "reversibility"\nprice = "low"\n',
        "cards.toml “plan” “number 1” “price” is not known.",
    ),
    "a missing key": (
        "build.toml",
        'step = "{number}. Settle this: {step}."\n',
        "",
        "build.toml “step” is missing.",
    ),
    "an unknown placeholder": (
        "conclusion.toml",
        "Carried by {role}: {claim}.",
        "Carried by {role}: {claim} {price}.",
        (
            "conclusion.toml “shared” does not know the placeholder {price} in"
            " “Carried by {role}: {claim} {price}.”."
        ),
    ),
    "a placeholder with a conversion": (
        "conclusion.toml",
        "Carried by {role}: {claim}.",
        "Carried by {role!r}: {claim}.",
        (
            "conclusion.toml “shared” does not know the placeholder {role!r} in"
            " “Carried by {role!r}: {claim}.”."
        ),
    ),
    "a missing placeholder": (
        "manners.toml",
        "Start with one step: {check}.",
        "Start with one step.",
        "manners.toml “advice” needs the placeholder {check} in “Start with one step.”.",
    ),
    "a brace without its partner": (
        "manners.toml",
        "Start with one step: {check}.",
        "Start with one step: {check}}.",
        (
            "manners.toml “advice” has a brace without its partner in"
            " “Start with one step: {check}}.”."
        ),
    ),
    "an option in a deck without options": (
        "cards.toml",
        "a wrong first step can be taken back at small cost",
        "{y} can be taken back at small cost",
        (
            "cards.toml “plan” does not know the placeholder {y} in"
            " “{y} can be taken back at small cost”."
        ),
    ),
    "the placeholder of another kind of topic": (
        "stands.toml",
        "the plan to {action} deserves a yes",
        "{quote} deserves a yes",
        "stands.toml does not know the placeholder {quote} in “{quote} deserves a yes”.",
    ),
    "a wording too few": (
        "stands.toml",
        'AGREE = "the plan to {action} deserves a yes"\n',
        "",
        "stands.toml needs a wording of AGREE for every kind of topic.",
    ),
    "a kind of topic without a proposition": (
        "design.toml",
        'choice = "{x} should be preferred to {y}."\n',
        "",
        "design.toml “propositions” lacks “choice”.",
    ),
    "a list without phrases": (
        "manners.toml",
        'keep = ["Whatever side one is on: {check}."]',
        "keep = []",
        "manners.toml “keep” needs at least one phrase.",
    ),
    "a number out of its range": (
        "roles.toml",
        "place = 0,",
        "place = 7,",
        "roles.toml “voices” “advocate” “place”: input should be less than 5.",
    ),
    "a text instead of a list": (
        "manners.toml",
        'keep = ["Whatever side one is on: {check}."]',
        'keep = "{check}"',
        "manners.toml “keep”: input should be a valid tuple.",
    ),
    "a role that does not exist": (
        "roles.toml",
        'sceptic = "skeptic"',
        'sceptic = "doubter"',
        "roles.toml has no voice “doubter”.",
    ),
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A copy of the phrases that may be broken."""
    return Path(shutil.copytree(SHIPPED, tmp_path / "phrases"))


@each(BROKEN)
def test_a_broken_file_is_refused(
    folder: Path, name: str, old: str, new: str, sentence: str
) -> None:
    break_file(folder / name, old, new)
    assert refusal(load_phrases, folder) == sentence


@pytest.mark.parametrize("name", sorted(path.name for path in SHIPPED.iterdir()))
def test_every_file_is_needed_and_checked(folder: Path, name: str) -> None:
    file = folder / name
    text = file.read_text(encoding="utf-8")
    file.write_text(f"surprise = 1\n{text}", encoding="utf-8")
    assert refusal(load_phrases, folder).startswith(f"{name} “surprise”")
    file.unlink()
    assert refusal(load_phrases, folder) == f"{name} is missing."


def test_a_deck_too_small_for_a_panel_is_refused(folder: Path) -> None:
    file = folder / "cards.toml"
    head, _, last = file.read_text(encoding="utf-8").rpartition("[[choice]]")
    assert last
    file.write_text(head, encoding="utf-8")
    assert (
        refusal(load_phrases, folder) == "cards.toml “choice” needs 4 cards for each of 5 places."
    )


def test_a_file_that_is_not_toml_is_refused(folder: Path) -> None:
    (folder / "words.toml").write_text("common = [", encoding="utf-8")
    assert refusal(load_phrases, folder).startswith("words.toml is not TOML: ")


def test_an_unknown_file_is_refused(folder: Path) -> None:
    (folder / "jokes.toml").write_text("", encoding="utf-8")
    assert refusal(load_phrases, folder) == "jokes.toml is not known."


def test_several_problems_are_told_one_a_line(folder: Path) -> None:
    (folder / "words.toml").write_text("common = []\nslang = []\n", encoding="utf-8")
    assert refusal(load_phrases, folder).splitlines() == [
        "words.toml “security” is missing.",
        "words.toml “technical” is missing.",
        "words.toml “slang” is not known.",
    ]


def test_the_phrases_are_read_once() -> None:
    assert phrases() is phrases()
