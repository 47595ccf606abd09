"""No text freezes the loop: every regular expression is linear (20 kB within 100 ms)."""

import dataclasses
import json
import queue
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from tests.security.pattern_finder import ROOT, Found
from tests.security.pattern_timing import LIMIT

SILENCE = 240
"""Who says nothing for so many seconds, though every text is given up soon, is never done."""
# Each needs more than twice the limit, so that a fast machine finds them, too.
BAD = {
    "nested": (r"(a+)+$", "search"),
    "nested words": (r"^(?:\w+\s?)*$", "match"),
    "overlapping alternatives": (r"(?:x|xx)*!", "match"),
    "two neighbours": (r"\s*\|?\s*:", "fullmatch"),
    "begun anew at every blank": (r"\s*x\|", "sub"),
    "begun anew at every line": (r"(?m)^\s*?>\s.*$", "sub"),
    "masked links": (r"\[[^\]]*?\]\([^)]*\)", "sub"),
    "masked links with limits": (r"\[([^\]]{0,300})\]\(([^\s)]{0,2000})[^)]{0,300}\)", "sub"),
    "schemes": (r"\b[a-z][^\s/]*://\S+", "sub"),
    "lazy": (r"<b>.*?</b>", "findall"),
    "in a lookahead": (r"x(?=\s*\w*\s*y)|\d(?=\d*z)", "search"),
    "trailing blanks": (r"\s+(.*\S)\s*$", "match"),
    "words around": (r"\S*\*{3}\S*", "sub"),
}
GOOD = {
    "possessive": (r"\s*+\|?+\s*+:", "fullmatch"),
    "guarded": (r"(?<!\s)\s++x\|", "sub"),
    "bounded": (r"[a-z][a-z0-9+.-]{0,30}+://\S+", "sub"),
    "atomic": (r"^(?>\w+\s?)*+$", "match"),
}


class _Judge:
    """The process that tries patterns; whoever waits for it too long kills it."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self._process = process
        self._lines: queue.Queue[str] = queue.Queue()
        threading.Thread(target=self._listen, daemon=True).start()

    def verdicts(self) -> Iterator[dict[str, Any]]:
        trying = ""
        while True:
            try:
                line = self._lines.get(timeout=SILENCE)
            except queue.Empty:
                self._process.kill()
                yield {"tried": trying, "seconds": float("inf"), "text": "never done"}
                return
            if not line:
                assert self._process.wait() == 0
                return
            said = json.loads(line)
            trying = said.get("trying", trying)
            if "trying" not in said:
                yield said

    def _listen(self) -> None:
        assert self._process.stdout
        for line in self._process.stdout:
            self._lines.put(line)
        self._lines.put("")


@contextmanager
def judged(*options: str, patterns: str = "") -> Iterator[_Judge]:
    command = [sys.executable, "-m", "tests.security.pattern_timing", *options]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, cwd=ROOT, stdin=pipe, stdout=pipe, text=True) as process:
        assert process.stdin
        process.stdin.write(patterns)
        process.stdin.close()
        try:
            yield _Judge(process)
        finally:
            process.kill()


@pytest.mark.heavy  # every pattern against many texts: two minutes
def test_every_pattern_of_the_bot_is_linear() -> None:
    with judged("--all") as judge:
        unseen, *verdicts = judge.verdicts()
    assert unseen == {"unseen": []}, "add a sample to tests/security/pattern_finder.py"
    slow = [
        f"{said['tried']}\n  took {said['seconds']:.2f} s: {said['text']}"
        for said in verdicts
        if said["seconds"] > LIMIT
    ]
    assert not slow, "\n".join(slow)
    assert len(verdicts) > 200


def test_patterns_that_are_not_linear_are_found_and_linear_ones_let_through() -> None:
    """The judge is right about patterns whose nature is known."""
    wanted = [Found(name, 0, pattern, 0, (use,)) for name, (pattern, use) in (BAD | GOOD).items()]
    lines = "".join(f"{json.dumps(dataclasses.asdict(one))}\n" for one in wanted)
    with judged(patterns=lines) as judge:
        slow = {
            said["tried"].partition(":")[0]: said["seconds"] > LIMIT for said in judge.verdicts()
        }
    assert slow == dict.fromkeys(BAD, True) | dict.fromkeys(GOOD, False)
