# make report   set up .venv with what the report needs, run the main job on the bundled example
# make test     add to .venv what only the tests need (Spark), run the tests in random order, one worker a core
# make test-all the same, with simulations of coverage, chains of samplers and builds of the documentation
# make lint     ruff, mypy, and no function of complexity over 20
# make format   let ruff put things in order
# make house    figures of the source: modules, lines, decisions by a sentence, parameters of public functions
# make docs     build the documentation in docs/_build/html
# make tables   read made tables, and real ones where they are, and count what was right, asked about and wrong; fails
#               where too many are wrong (TABLES=600: fewer, and no real ones)
# make fuzz     100,000 broken files through every reader and the command line (RATERS_FUZZ=20000 for fewer)
# make packages build wheel and source archive, install each into a clean environment, make the report there
# make bench    raters and its peers side by side, each in its own environment; writes docs/benchmarks.md
# make bench-check  measure again at 10,000 items; fail where raters became slower beside its peers
# make clean    remove .venv, builds and caches
#
# PYTHON names the interpreter that .venv is made with: make test PYTHON=python3.12
# PYTEST_ARGS goes to pytest:                           make test PYTEST_ARGS="-k gwet"
#                                                       make test PYTEST_ARGS="--order 1234" repeats an order

PYTHON ?= python3
PYTEST_ARGS ?=

VENV := .venv
BIN := $(VENV)/bin
# Newer than pyproject.toml: the environment holds what pyproject.toml asks for: the package alone, or with the extra [dev].
STAMP := $(VENV)/.installed
DEV := $(VENV)/.installed-dev

.DEFAULT_GOAL := help

TABLES ?= 2000
tables: $(DEV)
	$(BIN)/python tests/made_tables.py $(TABLES) 1
	[ $(TABLES) -lt 2000 ] || [ ! -f ../shared/data/tables/check.py ] || $(BIN)/python ../shared/data/tables/check.py

.PHONY: tables help report test test-all lint format house docs packages bench bench-check fuzz clean
.DELETE_ON_ERROR:

help:
	@sed -n 's/^# \(make [a-z-]*  *.*\)/\1/p' Makefile

report: $(STAMP)
	$(BIN)/raters demo --force

# Workers take tests from one another, so that none waits; the tests of a file stay together as far as that allows.
PYTEST := $(BIN)/python -m pytest --numprocesses auto --dist worksteal

test: $(DEV)
	$(PYTEST) -m "not long" $(PYTEST_ARGS)

test-all: $(DEV)
	$(PYTEST) $(PYTEST_ARGS)

lint: $(DEV)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/xenon --max-absolute C src benchmarks tests docs

format: $(DEV)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

house: $(DEV)
	$(BIN)/python .ci/house.py

docs: $(DEV)
	$(BIN)/python -m sphinx -W --keep-going -b html docs docs/_build/html

packages: $(DEV)
	$(BIN)/python .ci/packages.py --extras statistics

fuzz: $(STAMP)
	$(BIN)/python tests/fuzzing.py

bench-check: $(DEV)
	$(BIN)/python benchmarks/check.py

bench: $(DEV)
	$(BIN)/python benchmarks/agreement.py

clean:
	rm -rf $(VENV) benchmarks/.envs build dist docs/_build .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find src tests docs -name __pycache__ -type d -prune -exec rm -rf {} +

# The touch comes first: a pyproject.toml changed during the installation stays newer than the stamp.
$(STAMP): pyproject.toml | $(BIN)/pip
	@touch $@.new
	$(BIN)/python -m pip install --quiet --editable .
	@mv $@.new $@

$(DEV): pyproject.toml | $(BIN)/pip
	@touch $@.new
	$(BIN)/python -m pip install --quiet --editable '.[dev]'
	@touch $(STAMP)
	@mv $@.new $@

# Debian's python3 has no ensurepip unless python3-venv is installed, and then `-m venv` fails. In that case
# the environment is made without pip, and the pip at hand installs one into it.
$(BIN)/pip:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo 'raters needs Python 3.11 or newer; name one: make PYTHON=python3.12' >&2; exit 1; }
	@echo '$(PYTHON) -m venv $(VENV)'
	@$(PYTHON) -m venv $(VENV) >/dev/null 2>&1 || { \
	  echo '$(PYTHON) has no ensurepip: making $(VENV) with the pip at hand'; \
	  $(PYTHON) -m venv --clear --without-pip $(VENV) && \
	  if $(PYTHON) -m pip --version >/dev/null 2>&1; then pip='$(PYTHON) -m pip'; else pip=pip; fi && \
	  $$pip --python $(BIN)/python install --quiet pip; }
