"""Tries changes in copies of the tree, by the tests that ought to notice them."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from queue import SimpleQueue

from tools.code_mutations import Mutation
from tools.mutation_results import Trial
from tools.traces import copy_tree, environment, outcomes, pytest_command

# A changed test may wait for what never comes: so much longer than usual, and then it has failed.
PATIENCE = 4.0
GRACE_SECONDS = 30.0
_FAILED = 1


class Workshop:
    """Copies of the tree, one for each job, in which changes are tried."""

    def __init__(self, folder: Path, jobs: int) -> None:
        self._free: SimpleQueue[Path] = SimpleQueue()
        self._sound: set[str] = set()
        for job in range(jobs):
            tree = folder / f"copy{job}"
            copy_tree(tree)
            compiling = [sys.executable, "-m", "compileall", "-q", "bot", "cogs", "tests", "tools"]
            subprocess.run(compiling, cwd=tree, check=False)  # noqa: S603 (our own)
            self._free.put(tree)

    def caught(self, trial: Trial) -> bool | None:
        """Whether a test fails because of the change; None when it may fail for another reason."""
        tree = self._free.get()
        try:
            with _changed(tree, trial.mutation):
                failed = _failing(tree, trial.tests, trial.seconds)
                # By chance, such as a busy machine, hardly any test fails twice.
                again = failed and _failing(tree, failed, trial.seconds)
            if not failed:
                return False
            return True if again and self._pass_unchanged(tree, failed, trial.seconds) else None
        finally:
            self._free.put(tree)

    def _pass_unchanged(self, tree: Path, tests: Sequence[str], seconds: float) -> bool:
        """Whether the tests pass in the copy as it is; each is asked once."""
        if unknown := [test for test in tests if test not in self._sound]:
            if _failing(tree, unknown, seconds):
                return False
            self._sound.update(unknown)
        return True


@contextmanager
def _changed(tree: Path, mutation: Mutation) -> Iterator[None]:
    """Keep the change in the copy until the end of the block."""
    file = tree / mutation.path
    source, stat = file.read_text(encoding="utf-8"), file.stat()
    try:
        file.write_text(mutation.applied(source), encoding="utf-8")
        yield
    finally:
        file.write_text(source, encoding="utf-8")
        # The compiled file of the original is good again.
        os.utime(file, ns=(stat.st_atime_ns, stat.st_mtime_ns))


def _failing(tree: Path, tests: Sequence[str], seconds: float) -> tuple[str, ...]:
    """The first of the tests that fails; all of them if the run itself went wrong or too long."""
    report = tree / "report.xml"
    report.unlink(missing_ok=True)
    options = ("-x", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", "-m", "not browser")
    process = subprocess.Popen(  # noqa: S603 (our own)
        pytest_command(*options, f"--junitxml={report}", *tests),
        cwd=tree,
        env={**environment(tree), "PYTHONDONTWRITEBYTECODE": "1"},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        code = process.wait(GRACE_SECONDS + PATIENCE * seconds)
    except subprocess.TimeoutExpired:
        return tuple(tests)
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
    if code == 0:
        return ()
    found = outcomes(report) if code == _FAILED and report.exists() else {}
    return tuple(test for test in tests if not found.get(test, (0.0, True))[1]) or tuple(tests)
