# Everything works from a fresh clone on a machine with Python 3.11+ and make: each target sets up
# .venv in the checkout first.
PYTHON ?= python3
BIN := .venv/bin
MAKEFLAGS += --jobs=2
# Processes are started by the hundred: each would compile all its modules from their source. On all
# processors, and without the tests of libraries, that takes a third of the time that pip needs.
unexport PYTHONDONTWRITEBYTECODE
BYTECODE := $(BIN)/python -m compileall -q -j 0 -x '/tests?/'
PLACE := $(BIN)/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))'

.PHONY: install develop browser kernels grammars wheel run test test-slow lint bench fuzz grind docs clean

# What running needs.
install: .venv/kernels

.venv/running: pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Oddsmith needs Python 3.11 or later: make PYTHON=python3.12")'
	@echo "setting up .venv: Oddsmith and the libraries it runs on (0.8 GB) ..."
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile \
		--editable ".[frame,cluster,plot,web]"
	@$(BYTECODE) $$($(PLACE)) src
	@touch $@

# Machine code of the kernels; without it, it is made at first use.
.venv/kernels: .venv/running $(wildcard src/oddsmith/ahead/text/*.json)
	$(BIN)/python -m oddsmith.ahead.build
	@touch $@

# What the tests, linters and benchmarks need besides: Storm, a browser's driver, Numba.
develop: .venv/developing

.venv/developing: .venv/kernels
	@echo "adding what tests need: linters, Storm, a browser's driver (about 0.8 GB) ..."
	$(BIN)/python -m pip install --quiet --no-compile --upgrade "pip>=25.1"
	$(BIN)/python -m pip install --quiet --no-compile --group dev
	@$(BYTECODE) $$($(PLACE))
	@touch $@

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

# The LLVM text of kernels that were edited; of all, two minutes.
kernels: develop
	$(BIN)/python -m oddsmith.ahead.make
	$(BIN)/python -m oddsmith.ahead.build
	@touch .venv/kernels

# The parser's tables of grammars that were edited.
grammars: develop
	$(BIN)/python -m oddsmith.rules.prism.tables

# One wheel for all machines, with machine code for each kind of them.
wheel: develop
	$(BIN)/python -m pip install --quiet --group wheel
	$(BIN)/python -m oddsmith.ahead.build --everywhere
	$(BIN)/python -m pip wheel --quiet --no-deps --wheel-dir dist .

test: develop lint browser .venv/collected
	$(BIN)/pytest

# Pytest compiles the tests, once, while the linters run: both of its workers would, at the same time.
.venv/collected: .venv/developing
	@$(BIN)/pytest -n 0 --collect-only >/dev/null || true # pytest will say what is wrong
	@touch $@

test-slow: develop browser
	$(BIN)/pytest -m slow -n 0

lint: develop
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports
	$(BIN)/mypy

bench: develop
	$(BIN)/python -m benchmarks

FUZZ_SECONDS ?= 60
fuzz: develop
	$(BIN)/python -m pip install --quiet --group fuzz
	for target in model question files constants; do \
		$(BIN)/python -m fuzz.run $$target $(FUZZ_SECONDS) || exit 1; \
	done
	$(BIN)/python -m fuzz.replay

SECONDS ?= 60
SEED ?= 1
KINDS ?=
grind: develop
	$(BIN)/python -m grind --seconds $(SECONDS) --seed $(SEED) --kinds "$(KINDS)"

docs: develop
	$(BIN)/pytest -n 0 README.md docs

clean:
	rm -rf .venv build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis
