"""Small changes to code and data, the table of places, and what is kept of the results."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from tools.code_mutations import PlaceError
from tools.mutate import Planner, report, sampled
from tools.mutation_results import Results, Trial, read_results, state_of
from tools.mutations import PLACES, of_place, read_places
from tools.requirements import IDS, ROOT, read_requirements
from tools.traces import Trace

CODE = '''
LIMIT = 3
WORDS = ("tea", "coffee")


class Cup:
    """Words of a docstring stay."""

    size: int = 2

    def fill(self, drops: int, note: str = "n") -> bool:
        """Stay, too."""
        _log.info("a log line %d", drops)
        if drops >= LIMIT and not self.full:
            raise ValueError("too much")
        self.pour(drops)
        return any(drop for drop in [drops] if drop != 0)


def unused():
    return 1
'''


def changes(place: str, source: str = CODE) -> list[str]:
    found = of_place(place, source)
    assert all(mutation.applied(source) != source for mutation in found)
    return [mutation.change for mutation in found if mutation.is_program(source)]


def test_a_function_is_changed_where_a_careless_hand_could_have_been() -> None:
    assert sorted(changes("x.py::Cup.fill")) == sorted(
        [
            "`drops >= LIMIT and not self.full` → `(not (drops >= LIMIT and not self.full))`",
            "`>=` → `>`",
            "`and` → `or`",
            "`not self.full` → `(self.full)`",
            '`raise ValueError("too much")` → `pass`',
            "`self.pour(drops)` → `pass`",
            "`any(drop for drop in [drops] if drop != 0)` → `None`",
            "`any` → `all`",
            "`drop != 0` → `True`",
            "`!=` → `==`",
            "`0` → `1`",
        ]
    )


def test_constants_classes_and_second_occurrences_have_names_of_their_own() -> None:
    assert changes("x.py::LIMIT") == ["`3` → `4`"]
    assert changes("x.py::WORDS") == ["""`"tea"` → `'teax'`""", """`"coffee"` → `'coffeex'`"""]
    assert "`2` → `3`" in changes("x.py::Cup")
    assert changes("x.py::A", "A = (1, 1)\n") == ["`1` → `2`", "`1` → `2` (2)"]
    assert changes("x.py::A.ONE", "A = {M.ONE: 1, M.TWO: 2}\n") == ["`1` → `2`"]
    assert changes("x.py::A", "A = {b, c}\n") == ["`b` → `*()`", "`c` → `*()`"]
    (limit,) = of_place("x.py::LIMIT", CODE)
    assert (limit.in_function, limit.lines) == (False, (2, 2))
    assert changes("x.py::Cup.fill~raise") == ['`raise ValueError("too much")` → `pass`']
    inside, outside = of_place("x.py::unused", CODE), of_place("x.py::unused!", CODE)
    assert [m.in_function for m in (*inside, *outside)] == [True, False]
    assert limit.applied(CODE).startswith("\nLIMIT = 4\n")


def test_letters_of_several_bytes_do_not_shift_a_change() -> None:
    source = 'def f(x):\n    return "é…" if x else "ü"\n'
    applied = [mutation.applied(source) for mutation in of_place("x.py::f", source)]
    assert "def f(x):\n    return 'é…x' if x else \"ü\"\n" in applied


def test_json_lines_and_imports_can_be_changed() -> None:
    data = '{"a": {"role": "x", "n": 1}, "b": [{"role": "y", "on": true}]}'
    assert changes("f.json::a", data) == ["`role: x` → `xx`", "`n: 1` → `2`"]
    found = of_place("f.json::b.*.role", data)
    assert [json.loads(m.applied(data))["b"][0]["role"] for m in found] == ["yx"]
    both = '{"a": [{"role": "x"}, {"role": "y"}]}'
    assert [m.change for m in of_place("f.json::a", both)] == [
        "`0.role: x` → `y`",
        "`1.role: y` → `x`",
    ]
    assert changes("f.md::two", "one\ntwo\n\ntwo and three\n") == [
        "`two` → ``",
        "`two and three` → ``",
    ]
    (added,) = of_place("x.py::+discord", '"""Doc."""\n\nimport json\n')
    assert added.applied('"""Doc."""\n\nimport json\n') == (
        '"""Doc."""\n\nimport discord\nimport json\n'
    )


@pytest.mark.parametrize("place", ["x.py::gone", "x.py::Cup.gone", "f.md::gone"])
def test_a_place_that_is_gone_is_said(place: str) -> None:
    with pytest.raises(PlaceError, match="gone"):
        of_place(place, CODE)


@pytest.mark.heavy  # parses every module again and again
def test_every_requirement_has_places_that_exist() -> None:
    """A function that moved or a sentence that went must leave the table, too."""
    places = read_places(PLACES.read_text(encoding="utf-8"))
    wanted = [row.id for row in read_requirements(IDS.read_text(encoding="utf-8"))]
    assert list(places) == wanted
    for id_, named in places.items():
        for place in named:
            source = (ROOT / place.partition("::")[0]).read_text(encoding="utf-8")
            assert of_place(place, source), f"{id_}: nothing to change at {place}"


PLANNED = {"A1": ("bot/errors.py::+discord",), "A2": ("bot/errors.py::+httpx",)}
TRACES = {
    "tests/a.py::slow": Trace(2.0, True, {}),
    "tests/a.py::quick": Trace(1.0, True, {}),
    "tests/a.py::broken": Trace(0.1, False, {}),
}
NAMED = {"A1": list(TRACES), "A2": ["tests/a.py::broken"]}


def test_only_tests_that_pass_are_asked_and_the_quickest_first(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("tools.mutation_results._source_of_test", str)
    planner = Planner(PLANNED, NAMED, TRACES)
    (trial,) = sampled(planner, PLANNED, 9, seed=1)
    assert (trial.id, trial.tests, trial.seconds) == (
        "A1",
        ("tests/a.py::quick", "tests/a.py::slow"),
        3.0,
    )
    assert report([trial], [False]).splitlines() == ["A1: 0 of 1 caught", "0 of 1 caught: 0.0%"]


def test_in_a_function_only_lines_count_that_a_test_of_the_id_runs(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("tools.mutation_results._source_of_test", str)
    place = "bot/measures/convergence.py::stance_result"
    path = place.partition("::")[0]
    source = (ROOT / path).read_text(encoding="utf-8")
    line = min(mutation.lines[0] for mutation in of_place(place, source))
    traces = {"tests/a.py::t": Trace(1.0, True, {path: frozenset({line})})}
    found = Planner({"A19": (place,)}, {"A19": list(traces)}, traces).trials("A19", 1)
    assert {trial.mutation.lines[0] for trial in found} == {line}


IMPORTS = ("aiohttp", "discord", "httpx", "sqlalchemy", "typer")


def drawn(size: int, seed: int) -> list[str]:
    """The sample of three ids with five changes each, as `id change`."""
    ids = ("A1", "A2", "A3")
    places = {id_: tuple(f"bot/errors.py::+{name}" for name in IMPORTS) for id_ in ids}
    named = {id_: ["tests/a.py::quick"] for id_ in ids}
    chosen = sampled(Planner(places, named, TRACES), ids, size, seed)
    return [f"{trial.id} {trial.mutation.new}" for trial in chosen]


def test_a_sample_goes_round_the_ids_and_is_the_same_for_the_same_seed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Issue 23 point 9: no id with much code outweighs others, and the seed alone decides."""
    monkeypatch.setattr("tools.mutation_results._source_of_test", str)
    seven = drawn(7, seed=1)
    assert [one.split()[0] for one in seven[:3]] == [one.split()[0] for one in seven[3:6]]
    assert len(set(seven)) == 7
    assert drawn(7, seed=1) == seven
    assert drawn(99, seed=1)[:7] == seven
    assert len(drawn(99, seed=1)) == 15
    others = [drawn(15, seed) for seed in range(2, 7)]
    assert len({one[0].split()[0] for one in others}) > 1
    assert len({tuple(line for line in one if line.startswith("A1")) for one in others}) > 1


def test_a_change_that_makes_no_program_is_not_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    """Issue 23 point 9: every test would fail, and it would count as caught."""
    monkeypatch.setattr("tools.mutation_results._source_of_test", str)
    (found,) = of_place("x.py::LIMIT", CODE)
    broken = replace(found, path="bot/errors.py", start=0, end=0, new="(")
    same = replace(broken, new="\n")
    monkeypatch.setattr("tools.mutate.of_place", lambda *_: (broken, same))
    assert list(Planner(PLANNED, NAMED, TRACES).trials("A1", 1)) == []


def test_a_result_holds_for_the_code_and_the_tests_it_was_tried_with(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Issue 23 point 9: what stands elsewhere in the file may change."""
    texts = {"t1": "assert f() == 3", "t2": "assert f()"}
    monkeypatch.setattr("tools.mutation_results._source_of_test", lambda test: texts[test])
    found = next(iter(of_place("x.py::unused", CODE)))
    before = state_of(found, CODE, ["t1", "t2"])
    assert state_of(found, CODE.replace("LIMIT = 3", "LIMIT = 4"), ["t2", "t1"]) == before
    others = [
        state_of(found, CODE.replace("return 1", "return 2"), texts),
        state_of(found, CODE, ["t1"]),
    ]
    texts["t2"] = "pass"
    others.append(state_of(found, CODE, ["t1", "t2"]))
    assert len({before, *others}) == 4


def trial(state: str = "s") -> Trial:
    (mutation,) = of_place("x.py::LIMIT", CODE)
    return Trial("A1", mutation, ("tests/a.py::t",), 1.0, state)


def test_results_are_kept_until_code_or_tests_change_and_reasons_stay(tmp_path: Path) -> None:
    file = tmp_path / "mutations.json"
    Results(file).add(trial(), caught=False)
    kept = json.loads(file.read_text(encoding="utf-8"))
    kept["A1"][0]["reason"] = "It is the same."
    file.write_text(json.dumps(kept), encoding="utf-8")
    again = Results(file)
    assert again.known(trial()) is False
    assert again.known(trial("other")) is None
    assert again.survived(trial("other"))
    assert again.ids_with_survivors() == ["A1"]
    again.add(trial("other"), caught=False)
    assert read_results(file)["A1"] == [
        {
            "place": "x.py::LIMIT",
            "change": "`3` → `4`",
            "state": "other",
            "caught": False,
            "reason": "It is the same.",
        }
    ]
    again.add(trial("third"), caught=True)
    assert Results(file).ids_with_survivors() == []


def test_what_survived_has_a_reason() -> None:
    """Somebody looked at it: the file says why no test can or need catch it."""
    survivors = [row for rows in read_results().values() for row in rows if not row["caught"]]
    assert [row for row in survivors if not row.get("reason")] == []
