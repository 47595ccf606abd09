"""The page to print: everything in one file, and nothing a model wrote becomes markup."""

import base64
import hashlib
import re
from dataclasses import replace
from html.parser import HTMLParser

from hypothesis import given
from hypothesis import strategies as st

from bot.pictures.facts import DrawnPicture
from bot.record.record import Dissent, Remark, RunRecord
from bot.reports.minutes import minutes_text
from bot.reports.page import printable_page
from tests.golden.records import full_record
from tests.record.sample_record import ADVOCATE, CONCLUSION, CRITIC, record, speech

PICTURE = DrawnPicture(b"\x89PNG", 'Round 1: "agree"')
HOSTILE = (
    "<script>alert(1)</script> <img src=x onerror=alert(1)> [x](javascript:alert(1)) \"'>"
    "</style></title> [y](https://evil.example/a) ![z](https://evil.example/p.png) <@7> -# small"
)
ALLOWED = {
    *("html", "head", "meta", "title", "style", "body", "header", "h1", "h2", "h3", "h4", "p"),
    *("br", "strong", "em", "code", "pre", "ul", "ol", "li", "table", "thead", "tbody", "tr"),
    *("th", "td", "blockquote", "a", "img"),
}


class Elements(HTMLParser):
    """Every element with its attributes."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))


def assert_harmless(page: str) -> None:
    for tag, attributes in Elements(page).found:
        assert tag in ALLOWED
        assert not any(name.startswith("on") or name == "style" for name in attributes)
        if tag == "img":
            assert (attributes["src"] or "").startswith("data:image/png;base64,")
        if tag == "a":
            assert (attributes["href"] or "").startswith("https://discord.com/channels/")


def hostile() -> RunRecord:
    sections = dict.fromkeys(CONCLUSION.sections, f"- {HOSTILE}")
    return record(
        topic=HOSTILE,
        conclusion=replace(CONCLUSION, title=HOSTILE, text=HOSTILE, sections=sections),
        dissents=(Dissent(HOSTILE, HOSTILE),),
        speeches=(speech(ADVOCATE, text=f"```\n{HOSTILE}\n```\n# {HOSTILE}"), speech(CRITIC)),
        degradations=(HOSTILE,),
        notices=(HOSTILE,),
        floor=(
            Remark("Person 1", f"{HOSTILE}\n> {HOSTILE}\n```\n{HOSTILE}", 1.0, "r1", (HOSTILE,)),
            Remark("Critic", HOSTILE, 2.0, "", ("Person 1",), HOSTILE, is_answer=True),
        ),
    )


def test_what_models_wrote_cannot_become_markup() -> None:
    page = printable_page(hostile(), PICTURE)
    assert_harmless(page)
    assert "&lt;script&gt;" in page
    assert "evil.example" in page


@given(st.text(max_size=200))
def test_no_text_becomes_markup(text: str) -> None:
    said = (Remark("Person 1", text, 1.0, "r1"),)
    speeches = (speech(ADVOCATE, text=text, digest=text),)
    held = record(speeches=speeches, floor=said, topic=text or "x")
    assert_harmless(printable_page(held, PICTURE))


def test_the_page_may_load_and_run_nothing() -> None:
    page = printable_page(full_record(), PICTURE)
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', page)
    style = re.search(r"<style>(.*?)</style>", page, re.DOTALL)
    assert policy
    assert style
    digest = base64.b64encode(hashlib.sha256(style[1].encode()).digest()).decode()
    assert policy[1] == (
        f"default-src 'none'; style-src 'sha256-{digest}'; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )
    assert "<script" not in page
    assert "<link" not in page


def test_the_decision_comes_first_and_the_picture_is_inside() -> None:
    page = printable_page(full_record(), PICTURE)
    marks = (
        "<strong>Decision:</strong>", "<strong>Reason:</strong>", "</header>", "<img src=",
        "<h2>Vote</h2>", "<table>", "<h2>Dissent</h2>", "<h2>Action Items</h2>",
        "<h2>Summary</h2>", '<h2 class="transcript">Detailed Transcript</h2>',
    )  # fmt: skip
    assert [page.index(mark) for mark in marks] == sorted(map(page.index, marks))
    assert base64.b64encode(PICTURE.png).decode() in page
    assert 'alt="Round 1: &quot;agree&quot;"' in page
    assert "@media print" in page


def test_a_page_without_a_picture_has_none() -> None:
    assert "<img" not in printable_page(full_record(), None)


def test_code_keeps_its_lines() -> None:
    said = "before\n```python\nif x < 1:\n\n    y()\n```\nafter **bold** `code`"
    page = printable_page(record(speeches=(speech(ADVOCATE, text=said),)), None)
    assert "<pre>if x &lt; 1:\n\n    y()\n</pre>" in page
    assert "<p>after <strong>bold</strong> <code>code</code></p>" in page


def test_a_speech_that_begins_with_code_ends_with_it() -> None:
    page = printable_page(record(speeches=(speech(ADVOCATE, text="```\nx\n```"),)), None)
    assert "<strong>Advocate(claude-opus)</strong>:</p>\n<pre>x\n</pre>\n<blockquote>" in page


def test_the_minutes_hold_no_markup_of_discord() -> None:
    text = minutes_text(hostile())
    for mark in ("\n-# ", "<@", "<#", "<t:", "](javascript", "](https://evil", "**🔧"):
        assert mark not in text
    shown = minutes_text(record(speeches=(speech(ADVOCATE, text="-# a <#12> <t:5:R> <:ok:99>"),)))
    assert "**Advocate(claude-opus)**: a   :ok:" in shown


def test_nothing_is_said_twice_below_the_five_lines() -> None:
    summary, _, rest = minutes_text(record()).partition("\n## ")
    for words in ("It saves time", "Pick a team"):
        assert rest.count(words) == 1
    assert "Adopt it for one team first." in summary
    assert "Adopt it for one team first." not in rest


def test_positions_are_a_list_inside_their_point_and_a_quote_keeps_its_list() -> None:
    """C23."""
    page = printable_page(full_record(), None)
    said = "<ul><li>Advocate: yes, 80 % sure · It saves time.</li><li>Critic: agree"
    assert f"</a>){said}" in page
    assert "read of it)</p><ul><li>Thesis: Advocate thinks so</li></ul></blockquote>" in page
    assert "(answered below):</p>\n<blockquote><p>Critic, why?</p></blockquote>" in page
