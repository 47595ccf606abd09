"""Masks: whatever a panel wrote, no name of it gets through, and the topic stays as asked."""

import json
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from bot.measures.tally import Tally
from bot.measures.worth import PanelWorth
from bot.prompting.closing_lines import Ballot
from bot.record.masking import UNMASKED, Mask
from bot.reports.conclusion import conclusion_text, details_text, outcome_line
from bot.reports.files import json_export
from bot.reports.minutes import minutes_text
from bot.stage.port import Card, Post, Quote, SeatRow, Speaker
from tests.record.sample_record import ADVOCATE, CRITIC, record, speech

MASK = Mask({"Advocate": "Panelist B", "Critic": "Panelist A"}, ("claude-opus", "claude", "grok"))


@given(
    st.lists(st.sampled_from(["Advocate", "Critic", "Claude-Opus", "GROK", "so", ", ", "(", "."]))
)
def test_no_name_of_the_panel_survives_in_a_text(words: list[str]) -> None:
    shown = MASK.text(" ".join(words)).casefold()
    assert not any(name in shown for name in ("advocate", "critic", "claude", "grok"))


def test_words_that_only_contain_a_name_stay() -> None:
    assert MASK.text("Critical grokking, advocated.") == "Critical grokking, advocated."
    assert MASK.text("Ask a critic, not the critic.") == "Ask a critic, not the Panelist A."
    assert MASK.text("ADVOCATE:") == "Panelist B:"


def test_without_a_mask_everything_is_the_same_object() -> None:
    plain, post = (
        record(),
        Post("r1:critic", Speaker("Critic", "critic", "Critic", "grok"), "Critic"),
    )
    assert UNMASKED.record(plain) is plain
    assert UNMASKED.post(post) is post


def test_what_is_made_of_a_masked_record_gives_nobody_away() -> None:
    said = (
        speech(ADVOCATE, text="Critic is wrong, says claude-opus.", model="claude-opus-4-6-2026"),
        speech(CRITIC, text="I am Grok, the Critic."),
    )
    plain = record(
        topic="Should Critic theory be taught?",
        seats=(ADVOCATE, CRITIC),
        speeches=said,
        degradations=("haiku sits for gemini",),
    )
    worn = MASK.record(plain)
    assert worn.topic == plain.topic
    assert worn.degradations == (
        "⚠️ The panel is degraded; details follow when the panelists are revealed.",
    )
    assert [seat.role for seat in worn.seats] == ["Panelist A", "Panelist B"]
    texts = (conclusion_text(worn), minutes_text(worn), json.dumps(json_export(worn)))
    for text in texts:
        shown = text.replace(plain.topic, "").replace("mistral-large", "").casefold()
        for word in ("advocate", "critic", "claude", "grok", "argues", "haiku"):
            assert word not in shown, (word, shown)


def test_posts_quotes_and_rows_of_the_card_are_masked() -> None:
    quote = Quote("Critic", "as people saw it")
    post = MASK.post(
        Post("r1:critic", Speaker("Critic", "critic", "Critic"), "Advocate?", quote=quote)
    )
    assert (post.speaker.name, post.speaker.face) == ("Panelist A", "Panelist A")
    assert (post.text, post.quote and post.quote.author) == ("Panelist B?", "Panelist A")
    rows = (SeatRow("Advocate", "claude-opus"), SeatRow("Critic", "grok"))
    card = MASK.card(replace(Card("rt_0123abcd", "grok or not?", "debate", "…"), seats=rows))
    assert card.topic == "grok or not?"
    assert [(row.role, row.model) for row in card.seats] == [
        ("Panelist A", "masked"),
        ("Panelist B", "masked"),
    ]


def test_a_name_is_replaced_as_a_whole_however_it_is_written() -> None:
    """E13: no part of a longer name stays, and no part of a common word goes."""
    mask = Mask(
        {"Advocate": "Panelist A", "Devil's Advocate": "Panelist B", "Panelist": "Panelist C"},
        ("gpt", "gpt-5.3-codex", "openai", "claude-opus", "claude", "claude-opus-4-6"),
    )
    for said, shown in {
        "I am gpt-5.3-codex.": "I am masked.",
        "GPT-5.3-codex-mini, GPT4o and GPTs": "masked, masked and masked",
        "GPT 5.3 Codex": "masked",
        "(openai/gpt-5.2:latest)": "(masked)",
        "https://openai.com/gpt is mine": "masked is mine",
        "Claude Opus 4.6's view, and Opus": "masked's view, and masked",
        "_Claude_ and **CLAUDE**": "_masked_ and **masked**",
        "I was unmasked, egpt.": "I was unmasked, egpt.",
        "_Advocate_, __ADVOCATE__, `Advocate`'s": "_Panelist A_, __Panelist A__, `Panelist A`'s",
        "Devil’s Advocate": "Panelist B",
        "devils-advocate, DEVIL'S ADVOCATE": "Panelist B, Panelist B",
        "As an advocate I agree; as **advocate** too": (
            "As an Panelist A I agree; as **Panelist A** too"
        ),
        "Advocates, and the advocates": "Panelists, and the panelists",
        "an advocate of it advocated": "an advocate of it advocated",
        "Panelist A met Panelist": "Panelist A met Panelist C",
        "Ａｄｖｏｃａｔｅ": "Panelist A",
    }.items():
        assert mask.text(said) == shown


def test_roles_of_scripts_without_spaces_are_found_inside_a_sentence() -> None:
    """E13."""
    mask = Mask({"批評家": "Panelist A", "Critic": "Panelist B"})
    assert mask.text("私は批評家です。Critic?") == "私はPanelist Aです。Panelist B?"


def test_a_role_that_the_topic_names_gets_no_letter_in_a_text() -> None:
    """E13: an alias in its place would say which of the topic's words the panelist is called."""
    mask = Mask({"Strategist": "Panelist A"}, ("gpt", "claude"), "Should a Strategist use GPT?")
    assert mask.text("The Strategist likes gpt, not Claude.") == (
        "The panelist likes gpt, not masked."
    )
    assert mask.text("Strategist") == "Panelist A", "a name alone is whose it is"


def test_lines_about_the_design_that_name_anybody_are_left_for_the_reveal() -> None:
    """E13: neither the writer nor the analysts."""
    told = "Meta-panel designed workflow: x. Panel: grok. Synthesis: claude."
    plain = record(decision=told, meta_recommendation=f"Analyst A (claude): {told}")
    worn = MASK.record(replace(plain, notices=("claude sat here", "Nothing was found.")))
    later = "How the panel was designed is shown when the panelists are revealed."
    assert (worn.decision, worn.meta_recommendation) == (later, later)
    assert worn.notices == ("Nothing was found.",)


def test_weights_and_what_follows_from_them_wait_for_the_reveal() -> None:
    """Issue 24: a weight follows from the model, so a masked panel shows none; the winner stays."""
    models, skills = {"Advocate": "opus", "Critic": "grok"}, {"opus": 0.9, "grok": 0.6}
    worth = PanelWorth.of(models, models, skills)
    assert worth
    ballots = {"Advocate": Ballot("tea", 60), "Critic": Ballot("coffee", 90)}
    plain = record(tallies=(Tally.of(1, ("tea", "coffee"), ballots, worth.weights),), worth=worth)
    assert "weighted 1.00" in conclusion_text(plain)
    worn = MASK.record(plain)
    assert outcome_line(worn) == outcome_line(plain) == "✅ tea by weight, 1 of 2"
    data = json_export(worn)
    texts = (conclusion_text(worn), details_text(worn), minutes_text(worn), json.dumps(data))
    for text in texts:
        for told in ("weighted 1", "skill 0", "0.03", "0.6", "independent opinions,", "How sure: "):
            assert told not in text, told
    assert (data["worth"], data["sure"]) == (None, None)
    assert "is shown when the panelists are revealed" in details_text(worn)
