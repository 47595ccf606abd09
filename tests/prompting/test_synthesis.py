"""Conclusions."""

import pytest

from bot.prompting.synthesis import PlanItem, parse_synthesis, plan_items
from tests.prompting.sample_texts import PROMPTS, SYNTHESIS

ALL = (
    "title",
    "consensus",
    "divergences",
    "blind_spots",
    "recommendation",
    "outlier",
    "red_flags",
    "action_plan",
)


def test_the_documented_conclusion_is_whole() -> None:
    """3.1."""
    conclusion = parse_synthesis(SYNTHESIS)
    assert conclusion.missing == ()
    assert conclusion.title == "Postgres after a pilot"
    assert conclusion.sections["recommendation"] == "Run a pilot."


def test_the_action_plan_gives_steps() -> None:
    """2.2#25."""
    conclusion = parse_synthesis(SYNTHESIS)
    assert conclusion.next_24h == ("pick an owner",)
    assert conclusion.next_7d == ("run the pilot", "report")


def test_a_section_without_words_is_missing_and_not_shown() -> None:
    """2.2#25."""
    conclusion = parse_synthesis(SYNTHESIS.replace("- Lock-in: dump weekly", ""))
    assert conclusion.missing == ("red_flags",)
    assert "red_flags" not in conclusion.sections
    assert "RED FLAGS" not in conclusion.text


def test_what_code_writes_itself_is_dropped() -> None:
    """2.2#26."""
    text = SYNTHESIS.replace(
        "📊 CONSENSUS", "📋 Panel: Ada, Bob\nMode: debate\nRounds: 9\n📊 CONSENSUS"
    )
    conclusion = parse_synthesis(f"{text}\n\n🔧 META\nConsensus: 99%\nValidated: yes")
    assert "99%" not in conclusion.text
    assert "Ada" not in conclusion.text
    assert conclusion.sections["consensus"] == "- Types matter"
    assert conclusion.missing == ()


@pytest.mark.parametrize("style", ["## {}", "**{}**", "**{}:**", "### **{}**", "{}:"])
def test_sections_are_known_by_name_alone(style: str) -> None:
    names = ("CONSENSUS", "DIVERGENCES", "BLIND SPOTS", "RECOMMENDATION", "OUTLIER", "RED FLAGS")
    text = "\n".join(f"{style.format(name)}\nbody of {name}" for name in names)
    conclusion = parse_synthesis(f"# A title\n{text}\n{style.format('ACTION PLAN')}\n- go")
    assert conclusion.missing == ()
    assert conclusion.sections["red_flags"] == "body of RED FLAGS"
    assert conclusion.title == "A title"


def test_sections_are_known_by_emoji_in_another_language() -> None:
    text = SYNTHESIS.replace("RED FLAGS", "WARNSIGNALE").replace("CONSENSUS", "KONSENS: alle")
    conclusion = parse_synthesis(text)
    assert conclusion.missing == ()
    assert conclusion.sections["red_flags"] == "- Lock-in: dump weekly"
    assert conclusion.sections["consensus"] == "alle\n- Types matter"


def test_an_emoji_before_an_item_opens_no_section() -> None:
    text = SYNTHESIS.replace("- Lock-in: dump weekly", "⚠️ Lock-in: dump weekly\n⚠️ Cost: cap it")
    body = parse_synthesis(text).sections["red_flags"]
    assert body == "⚠️ Lock-in: dump weekly\n⚠️ Cost: cap it"


def test_a_long_title_is_cut() -> None:
    title = parse_synthesis("🎯 " + "word " * 30).title
    assert title == "word " * 9 + "word…"


def test_a_text_without_sections_is_shown_with_all_missing() -> None:
    conclusion = parse_synthesis("They could not agree.\n[STANCE: AGREE]")
    assert conclusion.missing == ALL
    assert conclusion.text == "They could not agree."


def test_missing_sections_are_named() -> None:
    assert parse_synthesis(SYNTHESIS.split("📈")[0]).missing == ("action_plan",)


@pytest.mark.parametrize(
    ("heading", "body"),
    [
        ("🔄 WHAT WOULD CHANGE IT", "- one\n- two\n- three\n- four"),
        ("🔁 Was das ändern würde", "1. one\n2. two\n3. three"),
        ("**What would change it:**", "* one\n* two\n* three"),
        ("## WHAT WOULD OVERTURN IT", "- one\n\n- two\n- three\n"),
    ],
)
def test_what_would_change_it_are_three_things_at_most(heading: str, body: str) -> None:
    """Issue 24, 7."""
    conclusion = parse_synthesis(f"{SYNTHESIS}\n{heading}\n{body}")
    assert conclusion.sections["overturn"] == "- one\n- two\n- three"
    assert conclusion.missing == ()


def test_a_conclusion_without_what_would_change_it_is_whole() -> None:
    """Conclusions of older versions, and writers that forget it."""
    assert parse_synthesis(SYNTHESIS).missing == ()
    said = parse_synthesis(f"{SYNTHESIS}\n🔄 WHAT WOULD CHANGE IT\nA colder winter.")
    assert said.sections["overturn"] == "- A colder winter."


@pytest.mark.parametrize(
    ("step", "text", "owner"),
    [
        ("Call Olga (owner: Ines)", "Call Olga", "Ines"),
        ("Call Olga [Owner: the ops team] by noon", "Call Olga by noon", "the ops team"),
        ("Call Olga (**owner:** _Ines_)", "Call Olga", "Ines"),
        ("Call Olga, owner: Ines.", "Call Olga", "Ines"),
        ("Call Olga — Owner: Ines and Jonas", "Call Olga", "Ines and Jonas"),
        ("Owner: Ines – call Olga", "call Olga", "Ines"),
        ("Call Olga (owner: unassigned)", "Call Olga", ""),
        ("Call Olga (owner: N/A)", "Call Olga", ""),
        ("Call Olga (owner: <who, if named>)", "Call Olga", ""),
        ("Call Olga (owner: )", "Call Olga", ""),
        ("Call Olga (owner: Ines (ops))", "Call Olga", "Ines (ops)"),
        (
            "Call Olga (by Friday, owner: Ines), then rest",
            "Call Olga (by Friday), then rest",
            "Ines",
        ),
        ("Call Olga → owner: Ines", "Call Olga", "Ines"),
        ("**Owner: Ines** call Olga", "call Olga", "Ines"),
        ("**Owner:** Ines, call Olga", "call Olga", "Ines"),
        ("写下来（owner：小明）", "写下来", "小明"),
        ("写下来（周五前，owner：小明）", "写下来（周五前）", "小明"),
        ("書く【Owner: 太郎、花子】", "書く", "太郎、花子"),
        ("写下来，owner：小明。", "写下来", "小明"),
        ("Olga anrufen (Verantwortlich: Ines)", "Olga anrufen", "Ines"),
        ("Olga anrufen (bis Freitag, zuständig: Ines)", "Olga anrufen (bis Freitag)", "Ines"),
        ("**Verantwortlich:** Ines – Olga anrufen", "Olga anrufen", "Ines"),
        ("Olga anrufen (Verantwortlich: offen)", "Olga anrufen", ""),
        ("Llamar a Olga (responsable: Inés)", "Llamar a Olga", "Inés"),
        ("Llamar a Olga, encargada: Inés", "Llamar a Olga", "Inés"),
        ("Appeler Olga (responsable\u00a0: Inès)", "Appeler Olga", "Inès"),
        ("Ligar à Olga (responsável: Inês)", "Ligar à Olga", "Inês"),
        ("Chiamare Olga (responsabile: Ines)", "Chiamare Olga", "Ines"),
        ("写下来（负责人：小明）", "写下来", "小明"),
        ("写下来，责任人：小明", "写下来", "小明"),
        ("写下来（负责人：待定）", "写下来", ""),
        ("書く（担当：太郎）", "書く", "太郎"),
        ("적어 두기 (담당자: 민수)", "적어 두기", "민수"),
        ("Позвонить Ольге (ответственный: Инес)", "Позвонить Ольге", "Инес"),
        ("Klären, wer verantwortlich ist", "Klären, wer verantwortlich ist", ""),
        ("Name an owner: by Friday", "Name an owner: by Friday", ""),
        ("Pick the team and an owner", "Pick the team and an owner", ""),
    ],
)
def test_a_step_names_its_owner_or_nobody(step: str, text: str, owner: str) -> None:
    """C23: owners come from the writer."""
    assert plan_items(f"Next 24h:\n- {step}") == (PlanItem(text, "Next 24h", owner),)


def test_boxes_and_owners_on_lines_of_their_own_are_no_steps() -> None:
    """C23: whatever form the writer gives a list of tasks."""
    plan = "Next 24h:\n- [ ] Call Olga\n  - **Owner:** Ines\n+ [x] Rest\n1. Ship (owner: Jonas)"
    assert plan_items(plan) == (
        PlanItem("Call Olga", "Next 24h", "Ines"),
        PlanItem("Rest", "Next 24h"),
        PlanItem("Ship", "Next 24h", "Jonas"),
    )
    below = "- Call Olga\n  **Owner:** Ines, then Jonas\n- Rest\n\nOwner: nobody knows yet"
    assert plan_items(below) == (PlanItem("Call Olga", owner="Ines, then Jonas"), PlanItem("Rest"))
    assert plan_items("- Owner: Ines") == (PlanItem("Owner: Ines"),)
    for led in ("Owner: Ines, call Olga", "**Owner: Ines** call Olga"):
        assert plan_items(f"- Rest\n- {led}") == (
            PlanItem("Rest"),
            PlanItem("call Olga", owner="Ines"),
        )


@pytest.mark.parametrize(
    "when", ["Next 24h (today):", "**Next 24h** (today)", "### Next 24h (by 9 am):"]
)
def test_when_steps_are_due_is_no_step(when: str) -> None:
    """C23."""
    assert plan_items(f"{when}\n- Rest") == (PlanItem("Rest", "Next 24h"),)


def test_the_writer_is_asked_for_owners() -> None:
    """C23."""
    asked = (PROMPTS / "final-synthesis.md").read_text()
    assert "- <step> (owner: <who, if named>)" in asked
    assert "question's language; headings and `owner:` as below" in asked
