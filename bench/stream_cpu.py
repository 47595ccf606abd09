"""CPU per streamed token: our adapter over a bare httpx-sse loop, and beside the openai package.

Two hundred streams at once come from a server in a process of its own, one token in each write,
slow enough that every client wakes up for every token. Each client is a process of its own, they
run in turns, and the smallest CPU time of each counts. A token lost or doubled fails the benchmark.
The openai package is no dependency: it is installed for this benchmark alone, into a folder that
is removed afterwards.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from bench.support.stream_server import stream_server

STREAMS = 200
TOKENS = 48
TOKENS_PER_SECOND = 8.0
RUNS = 3
LIMIT_BARE = 1.3
LIMIT_SDK = 0.8
CLIENTS = ("bare", "ours", "sdk")


@dataclass(frozen=True)
class Measured:
    """What one client took in one turn."""

    cpu: float
    seconds: float
    lost: int

    @property
    def micros_per_token(self) -> float:
        """CPU time for one token in millionths of a second."""
        return self.cpu / (STREAMS * TOKENS) * 1e6


def install_sdk(folder: str) -> bool:
    """Put the openai package and what it needs into a folder of its own."""
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--target", folder, "openai"]
    done = subprocess.run(command, stderr=subprocess.PIPE, text=True, check=False)
    if done.returncode:
        print(done.stderr, end="")
    return done.returncode == 0


def run_client(kind: str, url: str, packages: str | None) -> Measured:
    """One turn of one client in a fresh process."""
    paths = [str(ROOT), *([packages] if packages else [])]
    command = [sys.executable, "-m", "bench.support.stream_client", kind, url]
    done = subprocess.run(
        [*command, str(STREAMS), str(TOKENS)],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    told = json.loads(done.stdout.splitlines()[-1])
    return Measured(told["cpu"], told["seconds"], int(told["lost"]))


def measure(kinds: Sequence[str], runs: int, packages: str | None) -> dict[str, list[Measured]]:
    """All clients in turns against one server."""
    taken: dict[str, list[Measured]] = {kind: [] for kind in kinds}
    with stream_server(TOKENS, TOKENS_PER_SECOND, STREAMS) as url:
        for _ in range(runs):
            for kind in kinds:
                taken[kind].append(run_client(kind, url, packages if kind == "sdk" else None))
    return taken


def report(taken: Mapping[str, Sequence[Measured]]) -> bool:
    """Print the figures; whether all of them are within their limits."""
    best = {kind: min(m.micros_per_token for m in turns) for kind, turns in taken.items()}
    lost = {kind: sum(m.lost for m in turns) for kind, turns in taken.items()}
    for kind, turns in taken.items():
        wall = min(m.seconds for m in turns)
        print(
            f"{kind:5} {best[kind]:7.1f} us of CPU per token, {wall:5.1f} s, "
            f"{lost[kind]} of {STREAMS * len(turns)} streams not whole"
        )
    good = sum(lost.values()) == 0
    if "sdk" in best:
        over_sdk = best["ours"] / best["sdk"]
        good = good and over_sdk < LIMIT_SDK
        print(f"stream_cpu over the openai package: {over_sdk:.2f} (limit {LIMIT_SDK:g})")
    over_bare = best["ours"] / best["bare"]
    print(f"stream_cpu: {over_bare:.2f} (limit {LIMIT_BARE:g})")
    return good and over_bare <= LIMIT_BARE


def main() -> int:
    """Measure, print, and say whether it is good enough."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=RUNS, help="turns of each client")
    parser.add_argument("--no-sdk", action="store_true", help="leave the openai package out")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as packages:
        kinds = [kind for kind in CLIENTS if kind != "sdk" or not options.no_sdk]
        if "sdk" in kinds and not install_sdk(packages):
            print("stream_cpu: the openai package could not be installed; see pip's words above")
            return 1
        return 0 if report(measure(kinds, options.runs, packages)) else 1


if __name__ == "__main__":
    sys.exit(main())
