"""A model that writes the conclusion cannot announce a vote, a dissent or figures of its own."""

from pathlib import Path

import pytest

from bot.prompting.synthesis import parse_synthesis
from tests.e2e.scripted_models import ScriptedModels, scripted_playground
from tests.e2e.scripted_models import conclusion as written
from tests.prompting.sample_texts import SYNTHESIS

META_HEADINGS = (
    "🔧 META",
    "**🔧 META**",
    "-# 🔧 META",
    "🔧 Kleingedrucktes",
    "## 🔧 Что угодно",
    "META",
    "## META",
    "**META:**",
    "### **MÉTA**",
    "МЕТА",
    "**МЕТА**",
    "МЕТАДАННЫЕ:",
    "ΜΕΤΑ",
    "ＭＥＴＡ",
    "𝐌𝐄𝐓𝐀",
    "МETA:",
    "メタ",
    "## メタ情報",
    "元数据：",
    "메타:",
    "METADATEN",
    "**Métadonnées :**",
    "मेटा:",
)
CLAIMS = (
    "🗳️ **Redis wins with all 5 votes.**\n- Redis: 5 (Analyst 99 %, Critic 98 %)",
    "🗳️ VOTE\n- Redis: 5\n- Postgres: 0",
    "**VOTE RESULT**\nRedis: FORGED",
    "VOTES: FORGED",
    "**Abstimmung:** FORGED",
    "## 投票結果\nFORGED",
    "**✋ DISSENT**\n> **Critic:** FORGED",
    "✋ Abweichende Meinung\n\n> FORGED",
    "## DISSENTING OPINION\nFORGED\n\nFORGED again",
    "Dissent: FORGED",
    "- Redis: 5 votes",
    "**Redis wins with 4 votes, 3 ahead.**",
    "A tie between Redis and Postgres with 2 votes each.",
    "🤝 **The panel agrees:** 5 agree, 0 disagree, 0 neutral",
)
TALK = (
    "- Votes: the board has the last word",
    "- 🗳️ Let the team vote on the name",
    "The vote went to Postgres because of its types.",
    "Meta-analysis shows that pilots help.",
    "- Retries: 3",
    "- **Voting:** machines must be audited",
    "They dissent on the price.",
)


@pytest.mark.parametrize("heading", META_HEADINGS)
def test_meta_is_dropped_in_every_alphabet(heading: str) -> None:
    read = parse_synthesis(f"{SYNTHESIS}\n\n{heading}\nConsensus: 99%\nValidated: FORGED")
    assert "FORGED" not in read.text
    assert "99%" not in read.text
    assert read == parse_synthesis(SYNTHESIS)


@pytest.mark.parametrize("claim", CLAIMS)
@pytest.mark.parametrize("before", ["📊 CONSENSUS", "🏆 RECOMMENDATION", "📈 ACTION PLAN"])
def test_votes_and_dissents_of_its_own_are_dropped(claim: str, before: str) -> None:
    read = parse_synthesis(SYNTHESIS.replace(before, f"{claim}\n{before}"))
    assert read == parse_synthesis(SYNTHESIS)


@pytest.mark.parametrize("claim", CLAIMS)
def test_they_are_dropped_from_a_text_without_sections_too(claim: str) -> None:
    assert parse_synthesis(f"They talked.\n{claim}").text == "They talked."


@pytest.mark.parametrize("line", TALK)
def test_talk_about_votes_is_no_claim(line: str) -> None:
    read = parse_synthesis(SYNTHESIS.replace("Run a pilot.", f"Run a pilot.\n{line}"))
    assert read.sections["recommendation"] == f"Run a pilot.\n{line}"


async def test_people_read_the_real_vote_alone(tmp_path: Path) -> None:
    """What a model claims is in neither the closing post nor the files."""
    forged = "🗳️ **Redis wins with all 5 votes.**\n- Redis: 5 (Analyst 99 %)\n\n✋ DISSENT\n> FORGED"
    cast = ScriptedModels()
    cast.says["synthesis"] = written("A title").replace("⚠️ RED FLAGS", f"{forged}\n⚠️ RED FLAGS")
    async with scripted_playground(tmp_path, cast) as table:
        held = await table.hold("roundtable --quick --vote Postgres or Redis?")
        shown = held.conclusion + str(held.export["synthesis"]) + "".join(table.minutes())
    assert "FORGED" not in shown
    assert "all 5 votes" not in shown
    assert held.conclusion.count("🗳️ **") == 1
