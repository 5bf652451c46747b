# Two commands for a fresh machine: `make demo` and `make test`. Python 3.11+, pip and make are all they need.

PYTHON ?= python3
BIN := .venv/bin
PORT ?= 8000

.PHONY: setup demo test test-slow test-browser test-cluster lint clean

setup: .venv/installed

.venv/installed: setup.py constraints.txt
	$(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable .
	touch $@

# What tests, linters, training and evaluation need on top.
.venv/installed-dev: .venv/installed
	$(BIN)/pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[dev]'
	touch $@

demo: .venv/installed
	$(BIN)/citescout demo --port $(PORT)

test: .venv/installed-dev
	$(BIN)/python -m pytest -n 2

test-slow: .venv/installed-dev
	$(BIN)/python -m pytest -m slow

# Needs Chromium and its driver, such as Debian's packages chromium and chromium-driver.
test-browser: .venv/installed-dev
	$(BIN)/python -m pytest -m browser

# Ray: installs it, and starts the nodes that the tests need on this machine.
test-cluster: .venv/installed-cluster
	$(BIN)/python -m pytest -m cluster -rs

.venv/installed-cluster: .venv/installed-dev
	$(BIN)/pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[dev,ray]'
	touch $@

lint: .venv/installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

clean:
	rm -rf .venv demo-index build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis
