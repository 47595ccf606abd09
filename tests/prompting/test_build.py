"""Specs, files and reviews of a build are read as models write them, or refused."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.prompting.build_files import FILE_BYTES, name_problem, parse_built_files
from bot.prompting.build_review import (
    BuildReview,
    ReviewFinding,
    ReviewVerdict,
    parse_build_review,
)
from bot.prompting.build_spec import (
    parse_build_spec,
    spec_text,
    spec_weaknesses,
    undeclared,
)
from bot.settings import SHIPPED_PROMPTS
from tests.e2e.scripted_models import a_review, a_spec, some_files

MOST_FILES = 20


def test_a_spec_is_read_with_every_field_and_written_back_the_same() -> None:
    """B11."""
    spec = parse_build_spec(a_spec())
    assert spec.goal == "A rate limiter in one file."
    assert (spec.scope_in, spec.scope_out) == (("one process",), ("clusters",))
    assert (spec.inputs, spec.outputs, spec.risks) == (
        ("the wish",),
        ("limiter.py",),
        ("clocks go wrong",),
    )
    assert len(spec.acceptance_criteria) == 3
    assert parse_build_spec(spec_text(spec)) == spec
    assert spec_weaknesses(spec) == ()


def test_headings_may_be_decorated_and_spelled_otherwise() -> None:
    """B11."""
    text = "## Goal\nCount.\n### In scope\n* a\n### Acceptance criteria:\n1) It returns 429.\n"
    spec = parse_build_spec(text)
    assert (spec.goal, spec.scope_in) == ("Count.", ("a",))
    assert spec.acceptance_criteria == ("It returns 429.",)


@pytest.mark.parametrize(
    ("criteria", "weakness"),
    [
        (("It returns 429 when full.",), "fewer than 3"),
        (("It returns 429 when full.", "ok", "It keeps 10 names."), "criterion 2 is too short"),
        (
            ("It is fast and robust under load", "It returns 429.", "It keeps 10 names."),
            "criterion 1 cannot be tested",
        ),
    ],
)
def test_weak_criteria_are_named(criteria: tuple[str, ...], weakness: str) -> None:
    """B12."""
    assert any(weakness in said for said in spec_weaknesses(parse_build_spec(a_spec(*criteria))))


def test_a_spec_without_a_field_is_weak() -> None:
    """B11 B12."""
    text = a_spec().replace("**RISKS:**\n- clocks go wrong", "")
    assert spec_weaknesses(parse_build_spec(text)) == ("RISKS is missing",)
    assert "GOAL is missing" in spec_weaknesses(parse_build_spec("no spec at all"))


@pytest.mark.parametrize(
    ("outputs", "taken", "refused"),
    [
        (("limiter.py",), ("limiter.py", "LIMITER.py", "src/limiter.py"), ("x.py", "alimiter.py")),
        (("`src/limiter.py`: the limiter",), ("src/limiter.py",), ("limiter.py", "src/x.py")),
        (("The module limiter.py.", "Makefile"), ("limiter.py", "Makefile"), ("README.md",)),
        (("tests/ with one file each",), ("tests/test_a.py",), ("test_a.py", "tests.py")),
        (("docs/*.md", "*.toml"), ("docs/a.md", "pyproject.toml"), ("a.md", "docs/a.txt")),
        (
            ("./limiter.py（限流器）", ".github/ci.yml"),
            ("limiter.py", ".github/ci.yml"),
            ("ci.yml",),
        ),
        (("limiter.py / tests, * as needed",), ("limiter.py",), ("tests/a.py", "b.py", "/b.py")),
        (("x/* and paper.tex.",), ("x/a.py", "paper.tex"), ("a.py", "paper.te")),
        (("src/**/*.py",), ("src/a.py", "src/x/y/b.py"), ("a.py", "src/a.sh")),
        (("**/*.md",), ("README.md", "docs/use.md"), ("a.py",)),
        (("**limiter.py**: *the* limiter",), ("limiter.py",), ("xlimiter.pyz", "the.py")),
        (("***`limiter.py`***, *use.md*",), ("limiter.py", "use.md"), ("limiter.pyc", "reuse.mdx")),
        (("*.toml and *.md",), ("a.toml", "docs/b.md"), ("a.py",)),
        (("tests/*, and src/*_test.py",), ("tests/a.py", "src/a_test.py"), ("src/a.py",)),
        (("`bin/limit`", "docs/LICENSE"), ("bin/limit", "docs/LICENSE"), ("limit",)),
        (("bin/limit", "limiter.py"), ("bin/limit", "limiter.py"), ("bin/x",)),
        (
            ("`src/limiter`: the package", "`.github/workflows`"),
            ("src/limiter/core.py", "src/limiter", ".github/workflows/ci.yml"),
            ("src/limiter.py", "src/limiters/x.py", "limiter/core.py"),
        ),
        (("`src/limit.d`", "docs/v1.2"), ("src/limit.d",), ("src/limit.d/x", "docs/v1.2/x")),
        (("写一个limiter.py文件", "README.md-файл"), ("limiter.py", "README.md"), ("x.py",)),
    ],
)
def test_files_are_compared_with_the_outputs_that_the_spec_declares(
    outputs: tuple[str, ...], taken: tuple[str, ...], refused: tuple[str, ...]
) -> None:
    """B20: by name, by folder and by pattern."""
    spec = parse_build_spec(a_spec(outputs=outputs))
    assert undeclared(spec, (*taken, *refused)) == refused
    assert spec_weaknesses(spec) == ()


def test_a_spec_may_name_as_many_files_as_a_build_may_have() -> None:
    """B11 B20: none of them is dropped from the spec and then refused."""
    names = tuple(f"part{number}.py" for number in range(MOST_FILES))
    spec = parse_build_spec(a_spec(outputs=names))
    assert spec.outputs == names
    assert undeclared(spec, (*names, "part99.py")) == ("part99.py",)


@pytest.mark.parametrize("output", ["a `Dockerfile`", "./Makefile that builds it", "LICENSE"])
def test_a_file_without_an_ending_is_named_by_its_usual_name(output: str) -> None:
    """B12 B20."""
    spec = parse_build_spec(a_spec(outputs=(output,)))
    assert spec_weaknesses(spec) == ()
    assert undeclared(spec, ("limiter.py",)) == ("limiter.py",)


@pytest.mark.parametrize(
    "output",
    [
        "a limiter, e.g. for Node.js",
        "a command for Python 3.11",
        "text and/or pictures",
        "**Library** – the *whole* limiter",
        "**A limiter** / a class * as needed",
        "an input/output module for CI/CD",
        "what https://example.com/limits asks for",
    ],
)
def test_outputs_without_a_file_name_are_weak_and_refuse_nothing(output: str) -> None:
    """B12 B20: a spec of before has nothing to compare with; a new one has to name its files."""
    spec = parse_build_spec(a_spec(outputs=(output,)))
    (weakness,) = spec_weaknesses(spec)
    assert weakness == "OUTPUTS names no file; name each one, such as `limiter.py`"
    assert undeclared(spec, ("limiter.py", "Makefile")) == ()


@pytest.mark.parametrize(
    ("output", "named"),
    [
        ("`отчёт.md`: отчёт", "отчёт.md"),
        ("limiter.py, **отчёт.md**", "отчёт.md"),
        ("limiter.py und Größe.txt.", "Größe.txt"),
        ("`naïve.py`", "naïve.py"),
        ("`limiter.py` и `тесты/`", "тесты/"),
        ("`отчёты/*.md`", "отчёты/*.md"),
        ("报告.md", "报告.md"),
        ("`报告v2.md`", "报告v2.md"),
        ("limiter.py и src/модуль/core.py", "src/модуль/core.py"),
        ("`мой.py`, *тест.py*, `мой.py`", "мой.py`, `тест.py"),
    ],
)
def test_a_spec_names_no_file_that_no_builder_may_write(output: str, named: str) -> None:
    """B12 B20: a name in other letters is refused whoever writes it, so the spec says it first."""
    (weakness,) = spec_weaknesses(parse_build_spec(a_spec(outputs=(output,))))
    assert weakness == (
        f"OUTPUTS names `{named}`; only Latin letters, digits, `.`, `_`, `+`, `-` and `/` "
        "may stand in the name of a file"
    )
    assert name_problem(named)


@pytest.mark.parametrize(
    "more",
    [
        "т.е. один файл",
        "версия 2.0",
        "см. https://пример.com/limits",
        "и/или ничего",
        "Node.js-модуль",
        "*важно",
        "写一个x.py文件",
    ],
)
def test_words_in_another_script_are_no_names_of_files(more: str) -> None:
    """B12 B20: specs are written in the language of the wish."""
    assert spec_weaknesses(parse_build_spec(a_spec(outputs=("`limiter.py`", more)))) == ()


def test_files_are_read_with_fences_inside_them() -> None:
    """B20."""
    readme = "# Use\n\n```python\nimport limiter\n```\n"
    built = parse_built_files(some_files({"README.md": readme, "src/limiter.py": "LIMIT = 1\n"}))
    assert {file.name: file.content for file in built.files} == {
        "README.md": readme,
        "src/limiter.py": "LIMIT = 1\n",
    }
    three = (
        f"Here it is.\n\n**FILE:** `README.md`\n```markdown\n{readme}```\n\nFILE: a.py\n```\nx\n```"
    )
    built = parse_built_files(three)
    assert [file.name for file in built.files] == ["README.md", "a.py"]
    assert built.files[0].content == readme


@pytest.mark.parametrize(
    "name",
    [
        "../x.py",
        "/etc/passwd",
        "a/../b.py",
        "C:\\x.py",
        "a\\b.py",
        "~/x",
        "a//b",
        ".",
        "nul.txt",
        ".git/hooks/pre-commit",
        "a/.GIT/config",
        "-rf",
        "a b.py",
        "x" * 200,
        "a/b/c/d/e/f/g.py",
        "con",
        "a/aux.py",
        "PRN",
        "git~1/config",
    ],
)
def test_a_name_that_leads_elsewhere_is_refused(name: str) -> None:
    """B20: no traversal, no absolute path, nothing odd."""
    built = parse_built_files(some_files({name: "x\n"}))
    assert built.files == ()
    assert name_problem(name)


@pytest.mark.parametrize("name", ["a/b/c/d/e/f.py", "x" * 120, "console.py", "a/auxiliary.py"])
def test_a_name_within_the_limits_is_taken(name: str) -> None:
    """B20."""
    (file,) = parse_built_files(some_files({name: "x\n"})).files
    assert (file.name, name_problem(name)) == (name, "")


def test_counts_sizes_and_doubles_are_limited() -> None:
    """B20: each file, and all of them together."""
    five = parse_built_files(some_files({f"f{n}.txt": "x" * 99_000 + "\n" for n in range(5)}))
    assert ([file.name for file in five.files], len(five.refused)) == (
        [f"f{n}.txt" for n in range(4)],
        1,
    )
    many = parse_built_files(some_files({f"f{n}.txt": "x\n" for n in range(MOST_FILES + 1)}))
    assert len(many.files) == MOST_FILES
    assert "more than" in many.refused[0]
    big = parse_built_files(some_files({"big.txt": "x" * FILE_BYTES + "\n"}))
    assert (big.files, len(big.refused)) == ((), 1)
    twice = parse_built_files(some_files({"A.py": "1\n"}) + "\n" + some_files({"a.py": "2\n"}))
    assert [file.content for file in twice.files] == ["1\n"]
    assert parse_built_files("I would rather not.") == parse_built_files("")


def test_a_review_is_read_criterion_by_criterion() -> None:
    """B41."""
    review = parse_build_review(a_review("CHANGES_REQUESTED", met="13", unmet="2", finding="mend"))
    assert review.verdict is ReviewVerdict.CHANGES_REQUESTED
    assert [(c.number, c.met) for c in review.criteria] == [(1, True), (2, False), (3, True)]
    assert review.criteria[0].where == "limiter.py, LIMIT"
    (finding,) = review.findings
    assert (finding.severity, finding.where, finding.message) == ("major", "limiter.py", "mend")


@pytest.mark.parametrize("verdict", list(ReviewVerdict)[:3])
def test_the_form_that_the_quality_reviewer_is_given_is_read_whole(verdict: ReviewVerdict) -> None:
    """B42: concerns, test gaps, risk and recommendation stand in the shipped prompt."""
    prompt = (SHIPPED_PROMPTS / "build-quality-gate.md").read_text(encoding="utf-8")
    form = prompt.partition("there is nothing:\n")[2].partition("<!-- user -->")[0]
    filled = (
        form.replace("<one verdict only>", verdict.value.upper())
        .replace("<at most 60 words>", "Read it all.")
        .replace("<critical, major or minor> | <file and place> | <why>", "critical | a.py | long")
        .replace("<what no test covers>", "no clock")
        .replace("<safety and regression risk in one sentence>", "Low.")
    )
    assert "<" not in filled
    found = (ReviewFinding("critical", "long", "a.py"),)
    read = parse_build_review(filled)
    assert read == BuildReview(verdict, "Read it all.", (), found, ("no clock",), "Low.")
    for name in ("APPROVED", "CHANGES_REQUESTED", "BLOCKED"):
        assert f"- {name}: " in prompt


def test_a_quality_review_may_name_its_parts_otherwise() -> None:
    """B42: all of its concerns are kept, with how grave each is."""
    review = parse_build_review(
        "**RECOMMENDATION:** rework\n**REASONING:** Read it.\n**MAINTAINABILITY CONCERNS:**\n"
        "- critical | a.py | open to all\n- major | b.py | no limit\n- minor | c.py | long\n"
        "- minor | d.py | twice\n**TESTS:**\n- no clock\n- no load\n"
        "**SAFETY AND REGRESSION RISK:** High."
    )
    assert (review.verdict, review.summary) == (ReviewVerdict.CHANGES_REQUESTED, "Read it.")
    assert [(found.severity, found.where) for found in review.findings] == [
        *(("critical", "a.py"), ("major", "b.py"), ("minor", "c.py"), ("minor", "d.py")),
    ]
    assert (review.test_gaps, review.risk) == (("no clock", "no load"), "High.")


def test_a_quality_review_has_concerns_gaps_and_risk() -> None:
    """B42."""
    review = parse_build_review(
        "**VERDICT:** rework\n**CONCERNS:**\n- minor | xml.py | long\n**TEST GAPS:**\n- no clock\n"
        "**RISK:** Low."
    )
    assert review.verdict is ReviewVerdict.CHANGES_REQUESTED
    assert review.findings == (ReviewFinding("minor", "long", "xml.py"),)
    assert (review.test_gaps, review.risk) == (("no clock",), "Low.")
    unrated = parse_build_review("**VERDICT:** rework\n**CONCERNS:**\n- a.py | no limit")
    assert [(found.severity, found.where) for found in unrated.findings] == [("major", "a.py")]
    bare = parse_build_review("Rework.\n\n**CONCERNS:**\n- a.py | no limit")
    assert (bare.verdict, len(bare.findings)) == (ReviewVerdict.CHANGES_REQUESTED, 1)
    none = parse_build_review("**VERDICT:** approved\n**CONCERNS:**\nnone\n**TEST GAPS:**\n- None.")
    assert (none.findings, none.test_gaps) == ((), ())


@pytest.mark.parametrize(
    "said",
    [
        "Nothing tests a clock that goes back.",
        "None of the error paths is covered",
        "No findings file is ever read in a test",
        "Nothing's tested beyond LIMIT",
    ],
)
def test_a_gap_may_begin_with_a_word_for_nothing(said: str) -> None:
    """B42: and so may a concern, with which a rework begins (B22)."""
    review = parse_build_review(
        f"**VERDICT:** rework\n**CONCERNS:**\n- {said}\n**TEST GAPS:**\n- {said}\n**RISK:** Low."
    )
    assert [finding.message for finding in review.findings] == [said]
    assert review.test_gaps == (said,)


@pytest.mark.parametrize(
    "said",
    ["none", "None.", "**None**", "No gaps found.", "None: all is covered", "Nothing to report"],
)
def test_a_word_for_nothing_is_neither_a_gap_nor_a_concern(said: str) -> None:
    """B42."""
    review = parse_build_review(
        f"**VERDICT:** approved\n**CONCERNS:** {said}\n**TEST GAPS:**\n- {said}\n**RISK:** Low."
    )
    assert (review.findings, review.test_gaps) == ((), ())


@pytest.mark.parametrize(
    "text", ["", "fine", "**VERDICT:** APPROVED / CHANGES_REQUESTED / BLOCKED"]
)
def test_what_is_no_verdict_approves_nothing(text: str) -> None:
    """B41 B42."""
    assert parse_build_review(text).verdict is ReviewVerdict.UNKNOWN


@given(st.text())
def test_any_text_can_be_read(text: str) -> None:
    """B11 B41: garbage gives an empty reading and no error."""
    spec_weaknesses(parse_build_spec(text))
    parse_build_review(text)
    for file in parse_built_files(f"FILE: {text}\n```\nx\n```").files:
        assert name_problem(file.name) == ""
