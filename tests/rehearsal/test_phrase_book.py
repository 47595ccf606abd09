"""The phrases are data files; a wrong one is refused with a sentence that says what and where."""

import shutil
from pathlib import Path

import pytest

import bot.rehearsal
from bot.errors import ConfigError
from bot.rehearsal.phrase_book import load_phrases, phrases

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
        "{roles} can sign one sentence: {thesis}.",
        "{roles} can sign one sentence: {thesis} {price}.",
        (
            "conclusion.toml “agreed” does not know the placeholder {price} in"
            " “{roles} can sign one sentence: {thesis} {price}.”."
        ),
    ),
    "a placeholder with a conversion": (
        "conclusion.toml",
        "{roles} can sign one sentence: {thesis}.",
        "{roles!r} can sign one sentence: {thesis}.",
        (
            "conclusion.toml “agreed” does not know the placeholder {roles!r} in"
            " “{roles!r} can sign one sentence: {thesis}.”."
        ),
    ),
    "a missing placeholder": (
        "roles.toml",
        "Let me put the strong version first: {stand}.",
        "Let me put the strong version first.",
        (
            "roles.toml “voices” “advocate” “thesis_for” needs the placeholder {stand} in"
            " “Let me put the strong version first.”."
        ),
    ),
    "a brace without its partner": (
        "seats.toml",
        "All of that comes from a seat that {said}.",
        "All of that comes from a seat that {said}}.",
        (
            "seats.toml “perspectives” has a brace without its partner in"
            " “All of that comes from a seat that {said}}.”."
        ),
    ),
    "an option in a deck without options": (
        "cards.toml",
        "a wrong first step can be taken back at small cost",
        "{x} can be taken back at small cost",
        (
            "cards.toml “plan” does not know the placeholder {x} in"
            " “{x} can be taken back at small cost”."
        ),
    ),
    "the placeholder of another kind of topic": (
        "stands.toml",
        "it makes sense to {action}",
        "it makes sense to {quote}",
        "stands.toml does not know the placeholder {quote} in “it makes sense to {quote}”.",
    ),
    "a wording too few": (
        "stands.toml",
        '    "it makes sense to {action}",\n',
        "",
        "stands.toml needs 5 wordings of AGREE for every kind of topic.",
    ),
    "a kind of topic without a proposition": (
        "design.toml",
        'choice = "{x} should be preferred to {y}."\n',
        "",
        "design.toml “propositions” lacks “choice”.",
    ),
    "a list without phrases": (
        "seats.toml",
        'eyes = ["in the eyes of {a_role}", "to {a_role} like me"]',
        "eyes = []",
        "seats.toml “eyes” needs more phrases, at least 1.",
    ),
    "a number out of its range": (
        "roles.toml",
        "place = 0\n",
        "place = 7\n",
        "roles.toml “voices” “advocate” “place”: input should be less than 5.",
    ),
    "a text instead of a list": (
        "seats.toml",
        'eyes = ["in the eyes of {a_role}", "to {a_role} like me"]',
        'eyes = "to {a_role}"',
        "seats.toml “eyes”: input should be a valid tuple.",
    ),
    "manners that do not exist": (
        "roles.toml",
        'manner = "ahead"\n',
        'manner = "afar"\n',
        "manners.toml has no table “afar”.",
    ),
    "a card that does not exist": (
        "cards.toml",
        '    "the restart",\n',
        '    "the reboot",\n',
        "cards.toml has no card to build with called “the reboot”.",
    ),
    "a role at home without a voice": (
        "roles.toml",
        'debate = ["advocate"',
        'debate = ["lawyer"',
        "roles.toml has no voice “lawyer”.",
    ),
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A copy of the phrases that may be broken."""
    return Path(shutil.copytree(SHIPPED, tmp_path / "phrases"))


def refusal(folder: Path) -> str:
    with pytest.raises(ConfigError) as refused:
        load_phrases(folder)
    return refused.value.text


@pytest.mark.parametrize(("name", "old", "new", "sentence"), BROKEN.values(), ids=BROKEN)
def test_a_broken_file_is_refused(
    folder: Path, name: str, old: str, new: str, sentence: str
) -> None:
    file = folder / name
    text = file.read_text(encoding="utf-8")
    assert old in text
    file.write_text(text.replace(old, new, 1), encoding="utf-8")
    assert refusal(folder) == sentence


@pytest.mark.parametrize("name", sorted(path.name for path in SHIPPED.iterdir()))
def test_every_file_is_needed_and_checked(folder: Path, name: str) -> None:
    file = folder / name
    text = file.read_text(encoding="utf-8")
    file.write_text(f"surprise = 1\n{text}", encoding="utf-8")
    assert refusal(folder).startswith(f"{name} “surprise”")
    file.unlink()
    assert refusal(folder) == f"{name} is missing."


def test_a_deck_too_small_for_a_panel_is_refused(folder: Path) -> None:
    file = folder / "cards.toml"
    head, _, last = file.read_text(encoding="utf-8").rpartition("[[attack]]")
    assert last
    file.write_text(head, encoding="utf-8")
    assert refusal(folder) == "cards.toml “attack” needs 4 cards for each of 5 places."


def test_a_file_that_is_not_toml_is_refused(folder: Path) -> None:
    (folder / "words.toml").write_text("common = [", encoding="utf-8")
    assert refusal(folder).startswith("words.toml is not TOML: ")


def test_an_unknown_file_is_refused(folder: Path) -> None:
    (folder / "jokes.toml").write_text("", encoding="utf-8")
    assert refusal(folder) == "jokes.toml is not known."


def test_several_problems_are_told_one_a_line(folder: Path) -> None:
    (folder / "words.toml").write_text("common = []\nslang = []\n", encoding="utf-8")
    assert refusal(folder).splitlines() == [
        "words.toml “security” is missing.",
        "words.toml “technical” is missing.",
        "words.toml “slang” is not known.",
    ]


def test_the_phrases_are_read_once() -> None:
    assert phrases() is phrases()
