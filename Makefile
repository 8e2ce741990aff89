# Everything works from a fresh clone on a machine with Python 3.11+ and make: each target sets up
# .venv in the checkout first.
PYTHON ?= python3
BIN := .venv/bin
MAKEFLAGS += --jobs=2
# Processes are started by the hundred: each would compile all its modules from their source.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: install browser warm warm-games warm-models run test test-slow lint bench fuzz grind docs clean

install: .venv/installed

.venv/installed: pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Oddsmith needs Python 3.11 or later: make PYTHON=python3.12")'
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --upgrade "pip>=25.1"
	$(BIN)/python -m pip install --quiet --editable ".[frame,cluster,plot,web]" --group dev
	touch $@

# The tests of the page use a real browser: the one there is, else Debian's.
browser:
	@for name in chromium chromium-browser google-chrome; do \
		if command -v $$name >/dev/null; then exit 0; fi; \
	done; \
	if command -v apt-get >/dev/null; then \
		as_root=$$([ "$$(id -u)" = 0 ] || echo sudo); export DEBIAN_FRONTEND=noninteractive; \
		$$as_root apt-get update -qq && $$as_root apt-get install -qq -y \
			--no-install-recommends chromium fonts-dejavu-core >/dev/null; \
	else \
		echo "There is no Chromium here, so the tests of the page will be skipped."; \
	fi

run: install
	$(BIN)/oddsmith reproduce goose

# Compile, while the linters run, what most tests would compile at the same time, each for itself:
# the kernels of games, and those of models and boards. They are apart, so that no core is idle.
warm: warm-games warm-models

warm-games: install
	$(BIN)/oddsmith solve goose --engine compiled >/dev/null
	$(BIN)/oddsmith policy pig --set goal=12 >/dev/null
	$(BIN)/oddsmith solve goose --exact >/dev/null

warm-models: install
	$(BIN)/oddsmith check coin-race 'P=? [ F "win1" ]' >/dev/null
	$(BIN)/oddsmith check tests/data/defects/inf_min.prism 'Pmax=? [ F s=4 ]' >/dev/null
	$(BIN)/oddsmith solve goose --engine lattice >/dev/null

test: install lint browser warm
	$(BIN)/pytest

test-slow: install browser
	$(BIN)/pytest -m slow -n 0

lint: install
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench: install
	$(BIN)/python -m benchmarks

FUZZ_SECONDS ?= 60
fuzz: install
	$(BIN)/python -m pip install --quiet --group fuzz
	for target in model question files constants; do \
		$(BIN)/python -m fuzz.run $$target $(FUZZ_SECONDS) || exit 1; \
	done
	$(BIN)/python -m fuzz.replay

SECONDS ?= 60
SEED ?= 1
KINDS ?=
grind: install
	$(BIN)/python -m grind --seconds $(SECONDS) --seed $(SEED) --kinds "$(KINDS)"

docs: install
	$(BIN)/pytest -n 0 README.md docs

clean:
	rm -rf .venv build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis
