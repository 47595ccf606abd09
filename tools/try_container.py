"""Takes the steps of deploy/Dockerfile in a clean Debian and holds a roundtable in what comes out.

    sudo python tools/try_container.py [--extras mcp,speed] [--base FOLDER]

No Docker engine is needed, only root and debootstrap: `FROM debian:SUITE-slim` is a minimal Debian
made by debootstrap, and `RUN` runs in it by chroot. `--base` keeps that Debian for the next time.
The context holds what deploy/Dockerfile.dockerignore lets through. Then the entry point runs as
the user of the image: it must check the settings, write the panels out and hold a roundtable in its
volume. Where the docker command is installed, deploy/compose.yaml is checked with it, too.
"""

import argparse
import json
import os
import re
import shlex
import shutil
import ssl
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatch
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
DEPLOY = ROOT / "deploy"
TOPIC = "roundtable --quick --vote tabs or spaces?"
HOLD = ("play", "--port", "0", "--say", TOPIC, "--exit-when-done")
_PASSED = re.compile(r"\w+_PROXY|\w+_proxy|PIP_(INDEX_URL|DEFAULT_TIMEOUT)")
_QUIET = ("VOLUME", "EXPOSE", "HEALTHCHECK", "LABEL")


class FailedError(Exception):
    """A step did not do what it should; the text says what came instead."""


@dataclass(slots=True)
class Stage:
    """One stage of the build: its file system, and what its instructions have set."""

    root: Path
    env: dict[str, str] = field(default_factory=dict)
    args: dict[str, str] = field(default_factory=dict)
    workdir: str = "/"
    user: str = "root"
    entrypoint: tuple[str, ...] = ()
    command: tuple[str, ...] = ()

    def path(self, inside: str) -> Path:
        """A place of the image, as seen from here; relative ones begin at the working directory."""
        return self.root / str(Path(self.workdir) / inside).lstrip("/")

    def run(self, command: Sequence[str]) -> str:
        """What a command prints in the image; raises FailedError when it fails."""
        prefix = ["unshare", "--mount", "--pid", "--fork", f"--mount-proc={self.root}/proc"]
        inside = [shutil.which("chroot") or "chroot", f"--userspec={self.user}", str(self.root)]
        start = ["/bin/sh", "-c", 'cd "$0" && exec "$@"', self.workdir, *command]
        passed = {k: v for k, v in os.environ.items() if _PASSED.fullmatch(k)}
        home = {"HOME": "/root" if self.user == "root" else "/data"}
        env = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", **home, **passed, **self.args, **self.env}
        return _run([*prefix, *inside, *start], env)


class Build:
    """Follows a Dockerfile; `stages` holds what came out, by name or number."""

    def __init__(self, context: Path, work: Path, base: Path | None, extras: str) -> None:
        self._context, self._work = context, work
        self._base, self._extras = base, extras
        self.stages: dict[str, Stage] = {}
        self.last: Stage

    def follow(self, dockerfile: str) -> None:
        """Take every step."""
        for word, rest in instructions(dockerfile):
            began = time.monotonic()
            if word == "FROM":
                self._begin(rest)
            elif word not in _QUIET:
                getattr(self, f"_do_{word.lower()}")(rest)
            shown = f"{word} {rest}"[:90]
            print(f"{shown}: {time.monotonic() - began:.1f} s", flush=True)

    def _begin(self, rest: str) -> None:
        image, _, name = rest.partition(" AS ")
        suite = re.fullmatch(r"debian:(\w+)-slim", image)
        if suite is None:
            raise FailedError(f"only debian:SUITE-slim can be made here, not {image}")
        self.last = Stage(self._work / f"stage-{len(self.stages)}")
        self.stages[name or str(len(self.stages))] = self.last
        _run(["cp", "-a", str(self._debian(suite[1])), str(self.last.root)])
        shutil.copy("/etc/resolv.conf", self.last.root / "etc/resolv.conf")
        # Some networks are left through a proxy with a certificate of its own.
        if certificates := _certificates():
            shutil.copy(certificates, self.last.root / "etc/machine.crt")
            self.last.args["PIP_CERT"] = "/etc/machine.crt"

    def _debian(self, suite: str) -> Path:
        base = self._base or self._work / "base"
        if not (base / "etc/debian_version").exists():
            _run(["debootstrap", "--variant=minbase", suite, str(base)])
        return base

    def _do_run(self, rest: str) -> None:
        self.last.run(["/bin/sh", "-c", rest])

    def _do_env(self, rest: str) -> None:
        self.last.env |= dict(word.split("=", 1) for word in shlex.split(rest))

    def _do_arg(self, rest: str) -> None:
        name, _, default = rest.partition("=")
        given = {"EXTRAS": self._extras}
        self.last.args[name] = given.get(name) or default.strip('"')

    def _do_workdir(self, rest: str) -> None:
        self.last.workdir = rest
        self.last.path(".").mkdir(parents=True, exist_ok=True)

    def _do_user(self, rest: str) -> None:
        self.last.user = rest

    def _do_entrypoint(self, rest: str) -> None:
        self.last.entrypoint = tuple(json.loads(rest))

    def _do_cmd(self, rest: str) -> None:
        self.last.command = tuple(json.loads(rest))

    def _do_copy(self, rest: str) -> None:
        words = shlex.split(rest)
        source = self._context
        if words[0].startswith("--from="):
            source = self.stages[words.pop(0).removeprefix("--from=")].root
        *names, target = words
        for name in names:
            origin, goal = source / name.lstrip("/"), self.last.path(target)
            if not origin.exists():
                raise FailedError(f"{name} is not in the context: see Dockerfile.dockerignore")
            if target.endswith("/"):
                goal /= origin.name
            _run(["cp", "-a", "-T", str(origin), str(goal)])


def _certificates() -> str | None:
    """The certificates that this machine trusts."""
    named = os.environ.get("PIP_CERT") or os.environ.get("SSL_CERT_FILE")
    return named or ssl.get_default_verify_paths().cafile


def instructions(dockerfile: str) -> Iterator[tuple[str, str]]:
    """The instructions of a Dockerfile, each on one line, without comments."""
    lines = [line for line in dockerfile.splitlines() if not line.lstrip().startswith("#")]
    for line in re.sub(r"\\\n\s*", "", "\n".join(lines)).splitlines():
        if line.strip():
            word, _, rest = line.partition(" ")
            yield word, rest.strip()


def context_files(ignore: str, names: Sequence[str]) -> list[str]:
    """Which of the top level's names a .dockerignore lets through."""
    kept = []
    for name in names:
        ignored = False
        for line in ignore.splitlines():
            if fnmatch(name, line.removeprefix("!")):
                ignored = not line.startswith("!")
        if not ignored:
            kept.append(name)
    return kept


def _make_context(work: Path) -> Path:
    context = work / "context"
    context.mkdir()
    ignore = (DEPLOY / "Dockerfile.dockerignore").read_text(encoding="utf-8")
    for name in context_files(ignore, [path.name for path in ROOT.iterdir()]):
        _run(["cp", "-a", str(ROOT / name), str(context / name)])
    for caches in [*context.rglob("__pycache__")]:
        shutil.rmtree(caches)
    return context


def _try_image(image: Stage) -> None:
    """What people do with the image."""
    if image.user == "root" or image.command != ("run",):
        raise FailedError("the image must run the bot, and not as root")
    image.env["ROUNDTABLE_LOCAL"] = "off"
    _expect(image.run([*image.entrypoint, "check"]), "shipped/panels.json")
    _expect(image.run([*image.entrypoint, "init"]), "Written: /data/panels.json")
    _expect(image.run([*image.entrypoint, "check"]), "Panels file: /data/panels.json")
    _expect(image.run([*image.entrypoint, *HOLD]), "META")
    if not [*image.path("memory/roundtables").glob("*-tabs-or-spaces.json")]:
        raise FailedError("the roundtable left no files in the volume")
    print("check, init and a roundtable in the image: fine", flush=True)


def _try_compose() -> None:
    """The compose file, where a docker command can read it."""
    try:
        _run(["docker", "compose", "version"], os.environ)
    except (FailedError, FileNotFoundError):
        print("compose.yaml: not checked, there is no `docker compose` here")
        return
    file, settings = DEPLOY / "compose.yaml", ROOT / ".env"
    made = not settings.exists()
    settings.touch()
    try:
        _run(["docker", "compose", "-f", str(file), "config", "--quiet"], os.environ)
    finally:
        if made:
            settings.unlink()
    print("compose.yaml: fine")


def _expect(said: str, words: str) -> None:
    if words not in said:
        raise FailedError(f"{words!r} was expected, but this was said:\n{said}")


def _run(command: Sequence[str], env: Mapping[str, str] | None = None) -> str:
    done = subprocess.run(  # noqa: S603 (our own commands)
        command, env=env, capture_output=True, text=True, check=False
    )
    if done.returncode:
        said = f"{done.stdout[-3000:]}{done.stderr[-3000:]}"
        raise FailedError(f"{shlex.join(command)} ended with {done.returncode}:\n{said}")
    return done.stdout


def main() -> int:
    """Build, try, clean up; 1 when a step fails, 2 when this machine cannot."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--extras", default="", help="extras to build in, such as mcp,speed")
    parser.add_argument("--base", type=Path, help="a folder that keeps the clean Debian")
    given = parser.parse_args()
    if os.geteuid() != 0 or shutil.which("debootstrap") is None:
        print("This needs root and debootstrap (apt install debootstrap).", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory(prefix="roundtable-container-") as folder:
        work = Path(folder)
        try:
            build = Build(_make_context(work), work, given.base, given.extras)
            build.follow((DEPLOY / "Dockerfile").read_text(encoding="utf-8"))
            _try_image(build.last)
            _try_compose()
        except FailedError as error:
            print(error, file=sys.stderr)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
