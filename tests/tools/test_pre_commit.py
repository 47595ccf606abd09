"""The hooks before a commit are the first steps of `make check`."""

import re

from tests.support.syntax_trees import ROOT


def test_the_hooks_run_what_make_check_runs_first() -> None:
    hooks = (ROOT / ".pre-commit-config.yaml").read_text(encoding="utf-8")
    recipe = (ROOT / "Makefile").read_text(encoding="utf-8").partition("\ncheck:")[2]
    quick = recipe.partition("$(MAKE)")[0]
    assert re.findall(r"entry: \.venv/bin/(.+)", hooks) == re.findall(r"\t\$\(BIN\)/(.+)", quick)
