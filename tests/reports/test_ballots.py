"""Ballots for people: one button per option while they are open, and the result of both votes."""

from bot.measures.tally import Tally
from bot.messages.votes import BallotText
from bot.prompting.closing_lines import Ballot
from bot.record.run_rows import PeopleCount, PeopleVotes
from bot.reports.ballots import first_ballot, result_lines, result_post, second_ballot, shown
from bot.stage.port import Place

RUN_ID = "rt_0123abcd"
OPTIONS = ("Tabs", "Spaces")
NOBODY = PeopleCount(votes=(0, 0), confidence=None, twice=0, changed=0)
PEOPLE = PeopleVotes(
    PeopleCount(votes=(2, 1), confidence=60, twice=0, changed=0),
    PeopleCount(votes=(1, 3), confidence=80, twice=3, changed=1),
)


def test_an_open_ballot_has_a_button_for_each_option_and_a_counted_one_none() -> None:
    opened = first_ballot(RUN_ID, Place(1, 2), OPTIONS)
    assert [button.label for button in opened.buttons] == ["Tabs", "Spaces"]
    assert len({button.custom_id for button in opened.buttons}) == 2
    counted = first_ballot(RUN_ID, Place(1, 2), OPTIONS, PEOPLE.before)
    assert counted.key == opened.key
    assert counted.buttons == ()
    assert second_ballot(RUN_ID, OPTIONS, 0.0, PEOPLE.after).buttons == ()


def test_the_two_ballots_and_those_of_another_place_are_posts_of_their_own() -> None:
    keys = {
        first_ballot(RUN_ID, Place(1, 2), OPTIONS).key,
        first_ballot(RUN_ID, Place(1, 2, number=2), OPTIONS).key,
        second_ballot(RUN_ID, OPTIONS, 60.0).key,
    }
    assert len(keys) == 3


def test_the_result_shows_people_and_models_side_by_side() -> None:
    tallies = [Tally.of(number, OPTIONS, {"Analyst": Ballot("Tabs", 90)}) for number in (1, 2)]
    verdict, tabs, spaces, *remarks = result_lines(OPTIONS, tallies, PEOPLE)
    assert "Spaces" in verdict
    assert "Tabs" in tabs
    assert "Spaces" in spaces
    assert any(BallotText.confidence(60, 80) in line for line in remarks)
    assert any(BallotText.changed_sides(3, 1) in line for line in remarks)


def test_a_vote_in_which_nobody_took_part_says_so() -> None:
    post = result_post(OPTIONS, (), PeopleVotes(NOBODY, NOBODY))
    assert BallotText.NOBODY_VOTED in post.text


def test_an_option_pings_nobody_and_stays_on_one_line() -> None:
    assert "@everyone" not in shown("**@everyone**\nvotes")
    assert "\n" not in shown("one\ntwo")
    assert "*" not in shown("**bold**")
