# Everything works from a fresh clone on a machine with Python 3.11+ and make: each target sets up
# .venv in the checkout first.
PYTHON ?= python3
BIN := .venv/bin

.PHONY: install run test test-slow lint bench fuzz docs clean

install: .venv/installed

.venv/installed: pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Oddsmith needs Python 3.11 or later: make PYTHON=python3.12")'
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --upgrade "pip>=25.1"
	$(BIN)/python -m pip install --quiet --editable ".[frame,cluster,plot]" --group dev
	touch $@

run: install
	$(BIN)/oddsmith reproduce goose

test: install lint
	$(BIN)/pytest

test-slow: install
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

docs: install
	$(BIN)/pytest -n 0 README.md docs

clean:
	rm -rf .venv build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis
