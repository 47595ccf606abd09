"""Changes the code that carries a requirement and sees whether a test that names its id fails.

    python tools/mutate.py A5 E24               some changes for each of these ids
    python tools/mutate.py A5 --each 30         up to 30 for each
    python tools/mutate.py --all --sample 300 --seed 1
    python tools/mutate.py --survivors          those again that survived before
    python tools/mutate.py --all --again        what was tried and has changed since

The rule, plainly:

- Which code carries an id is written by hand in tools/requirement_code.txt: functions, tables of
  words, keys of panels.json, lines of prompts. It is not "everything the tests run", for a test of
  a whole meeting runs nearly everything and proves little of it.
- In a function only lines count that a test naming the id really runs (tools/traces.py); what
  stands outside functions counts as it is. tools/code_mutations.py says what is changed and what
  never is (log lines, texts of errors, docstrings, annotations).
- Only tests that name the id are run, and of them those that run the line. A change is caught when
  one of them fails or does not end in time, and does so again, and passes without the change;
  nothing else catches it. What fails only once, or without the change, too, has no result.
- A sample goes round the ids in a shuffled order, one change of each at a time, so that no id with
  much code outweighs the others.

Results are written to docs/mutations.json as they come, so a run that was interrupted goes on
where it stood: what was tried and has not changed since, code and tests, is not tried again.
Only the code at the place and the test itself count for that; `--survivors` asks all the same.
Survivors keep the reason that somebody wrote there. Nothing of this is part of `make check`.
"""

import argparse
import os
import random
import shutil
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tools.code_mutations import Mutation
from tools.mutation_results import Results, Trial, state_of
from tools.mutations import PLACES, of_place, read_places
from tools.requirements import TESTS, named_by_tests
from tools.traces import KEPT, Trace, Traces
from tools.workshop import Workshop

ROOT = Path(__file__).resolve().parents[1]
EACH = 8
WANTED = 0.95
_WORDS = {True: "caught  ", False: "SURVIVED", None: "NO RESULT"}


class Planner:
    """Finds the changes that the tests of an id can notice."""

    def __init__(
        self,
        places: Mapping[str, Sequence[str]],
        named: Mapping[str, Sequence[str]],
        traces: Mapping[str, Trace],
    ) -> None:
        self._places = places
        self._named = named
        self._traces = traces
        self._sources: dict[str, str] = {}

    def mutations(self, id_: str) -> list[Mutation]:
        """Every change at the places of an id, once where places overlap."""
        places = self._places.get(id_, ())
        every = (found for place in places for found in of_place(place, self._text(place)))
        once: dict[tuple[str, int, int, str], Mutation] = {}
        for found in every:
            once.setdefault((found.path, found.start, found.end, found.new), found)
        return list(once.values())

    def trials(self, id_: str, seed: int) -> Iterator[Trial]:
        """The changes of an id that its tests can notice, in the order of the seed."""
        found = self.mutations(id_)
        random.Random(f"{seed} {id_}").shuffle(found)
        for mutation in found:
            tests = self._tests(id_, mutation)
            source = self._text(mutation.path)
            if tests and mutation.is_program(source):
                seconds = sum(self._traces[test].seconds for test in tests)
                state = state_of(mutation, source, tests)
                yield Trial(id_, mutation, tests, seconds, state)

    def unreached(self, ids: Iterable[str]) -> int:
        """How many changes stand where no test of their id comes, so that none is tried."""
        every = ((id_, mutation) for id_ in ids for mutation in self.mutations(id_))
        return sum(not self._tests(id_, mutation) for id_, mutation in every)

    def _tests(self, id_: str, mutation: Mutation) -> tuple[str, ...]:
        tests = [test for test in self._named.get(id_, ()) if test in self._traces]
        usable = [test for test in tests if self._traces[test].passed]
        if mutation.in_function:
            lines = set(mutation.lines)
            ran = {
                test: self._traces[test].lines.get(mutation.path, frozenset()) for test in usable
            }
            usable = [test for test in usable if lines & ran[test]]
        return tuple(sorted(usable, key=lambda test: self._traces[test].seconds))

    def _text(self, place: str) -> str:
        path = place.partition("::")[0]
        if path not in self._sources:
            self._sources[path] = (ROOT / path).read_text(encoding="utf-8")
        return self._sources[path]


def sampled(planner: Planner, ids: Iterable[str], size: int, seed: int) -> list[Trial]:
    """So many changes of all ids: one of each id in turn, the ids shuffled."""
    order = list(ids)
    random.Random(seed).shuffle(order)
    left = [planner.trials(id_, seed) for id_ in order]
    chosen: list[Trial] = []
    while left and len(chosen) < size:
        going = []
        for trials in left:
            if len(chosen) < size and (trial := next(trials, None)) is not None:
                chosen.append(trial)
                going.append(trials)
        left = going
    return chosen


def run(trials: Sequence[Trial], results: Results, jobs: int, *, anew: bool = False) -> list[bool]:
    """Try what has no result yet (or all `anew`), write results as they come, and give all."""
    KEPT.mkdir(exist_ok=True)
    folder = Path(tempfile.mkdtemp(prefix="copies-", dir=KEPT))
    try:
        fresh = [trial for trial in trials if anew or results.known(trial) is None]
        fresh.sort(key=lambda trial: trial.seconds)
        print(f"{len(trials)} changes, {len(fresh)} of them to be tried now.", flush=True)
        if fresh:
            workshop = Workshop(folder, min(jobs, len(fresh)))
            pool = ThreadPoolExecutor(jobs)
            try:
                for trial, caught in zip(fresh, pool.map(workshop.caught, fresh), strict=True):
                    results.add(trial, caught)
                    word = _WORDS[caught]
                    place = f"{trial.mutation.place}:{trial.mutation.lines[0]}"
                    print(f"{word} {trial.id} {place} {trial.mutation.change}", flush=True)
            finally:
                pool.shutdown(cancel_futures=True)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return [bool(results.known(trial)) for trial in trials]


def report(trials: Sequence[Trial], outcome: Sequence[bool]) -> str:
    """How many were caught, in all and for each id."""
    lines = []
    for id_ in dict.fromkeys(trial.id for trial in trials):
        mine = [caught for trial, caught in zip(trials, outcome, strict=True) if trial.id == id_]
        lines.append(f"{id_}: {sum(mine)} of {len(mine)} caught")
    if len(lines) > 40:
        lines = [line for line in lines if line.split()[1] != line.split()[3]]
    share = sum(outcome) / len(outcome) if outcome else 1.0
    return "\n".join((*lines, f"{sum(outcome)} of {len(outcome)} caught: {share:.1%}"))


def main(arguments: Sequence[str]) -> int:
    """Try changes and write what became of them."""
    options = _options(arguments)
    named = {
        id_: [f"tests/{test}" for test in tests] for id_, tests in named_by_tests(TESTS).items()
    }
    places = read_places(PLACES.read_text(encoding="utf-8"))
    ids = options.ids or list(places)
    if unknown := [id_ for id_ in ids if id_ not in places]:
        sys.stderr.write(f"tools/requirement_code.txt has no line for {', '.join(unknown)}.\n")
        return 2
    results = Results()
    if options.survivors:
        ids = results.ids_with_survivors()
    traces = Traces().of((test for id_ in ids for test in named.get(id_, ())), options.jobs)
    if broken := sorted(test for test, trace in traces.items() if not trace.passed):
        print(f"Not asked, for they do not pass without any change: {', '.join(broken)}")
    planner = Planner(places, named, traces)
    results.keep_only({id_: planner.mutations(id_) for id_ in places})
    if options.sample:
        trials = sampled(planner, ids, options.sample, options.seed)
    else:
        trials = [trial for id_ in ids for trial in _some(planner, id_, options, results)]
    outcome = run(trials, results, options.jobs, anew=options.survivors)
    print(f"Not tried, for no test of their id runs their lines: {planner.unreached(ids)}")
    print(report(trials, outcome))
    return 0 if not outcome or sum(outcome) / len(outcome) >= WANTED else 1


def _some(planner: Planner, id_: str, options: argparse.Namespace, results: Results) -> list[Trial]:
    trials = planner.trials(id_, options.seed)
    if options.survivors:
        return [trial for trial in trials if results.survived(trial)]
    if options.again:
        return [trial for trial in trials if results.has(trial)]
    return [trial for trial, _ in zip(trials, range(options.each), strict=False)]


def _options(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Try small changes against the tests of an id.")
    parser.add_argument("ids", nargs="*", metavar="ID")
    parser.add_argument("--all", action="store_true", help="every id of the table")
    parser.add_argument("--survivors", action="store_true", help="what survived, once more")
    parser.add_argument("--again", action="store_true", help="what was tried before, if changed")
    parser.add_argument("--sample", type=int, default=0, help="so many changes in all")
    parser.add_argument("--each", type=int, default=EACH, help="at most so many for each id")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    options = parser.parse_args(arguments)
    if not (options.ids or options.all or options.survivors):
        parser.error("name ids, or say --all or --survivors")
    return options


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
