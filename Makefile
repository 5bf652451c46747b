# Two commands for a fresh machine: `make demo` and `make test`. Python 3.11+, pip and make are all they need.

PYTHON ?= python3
BIN := .venv/bin
PORT ?= 8000

.PHONY: setup demo test test-long test-slow test-browser test-cluster coverage newest lint docs d3 vscode screenshots bench clean

setup: .venv/installed

.venv/installed: setup.py constraints.txt
# An older one would stay in .venv when a newer one is named.
	@$(PYTHON) -c 'import sys; sys.version_info < (3, 11) and sys.exit("$(PYTHON) is older than Python 3.11: name a newer one, such as make PYTHON=python3.12 $(MAKECMDGOALS)")'
	$(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable .
# The process that reads manuscripts may write nothing, and would compile its modules again for each of them.
	$(BIN)/python -m compileall -q $(dir $(wildcard */__init__.py))
	touch $@

# What tests, linters, training and evaluation need on top.
.venv/installed-dev: .venv/installed
	$(BIN)/pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[dev]'
	touch $@

demo: .venv/installed
	$(BIN)/citescout demo --port $(PORT)

test: .venv/installed-dev
	$(BIN)/python -m pytest -n 2

# Those that take more than five seconds each: trainings, whole evaluations, the commands of all documents.
test-long: .venv/installed-dev
	$(BIN)/python -m pytest -n 2 -m 'long and not slow and not browser and not cluster'

# What cannot run here, such as what needs TeX, is told at the end.
test-slow: .venv/installed-dev
	$(BIN)/python -m pytest -m slow -rs

# Needs Chromium and its driver, such as Debian's packages chromium and chromium-driver. After `make d3`, axe is the one
# that package.json names; without Node, an older one from PyPI.
test-browser: .venv/installed-dev
	$(BIN)/python -m pytest -m browser -rs

# Milvus Lite and Ray, 0.7 GB more; Ray's nodes run on this machine.
.venv/installed-cluster: .venv/installed-dev
	$(BIN)/pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[dev,milvus,ray]'
	touch $@

test-cluster: .venv/installed-cluster
	$(BIN)/python -m pytest -m cluster -rs

# Which lines no test runs: a table, and a page a file in htmlcov/.
coverage: .venv/installed-dev
	$(BIN)/python -m pytest -n 2 -m 'not slow and not browser and not cluster' --cov --cov-report=term --cov-report=html

# Linters and tests with the newest releases that setup.py allows, in .newest; newest.txt says which these are, in the
# form of constraints.txt. What is to stay at a version: make newest HOLD='torch==2.13.0'
newest:
	$(PYTHON) -m venv --clear .newest
	.newest/bin/pip install --quiet --disable-pip-version-check --editable '.[dev,milvus,ray,bench]' $(HOLD)
	.newest/bin/pip freeze --all --exclude pip --exclude-editable | sed 's/+cpu$$//' > newest.txt
	.newest/bin/ruff check .
	.newest/bin/mypy
	.newest/bin/python -m pytest -n 2 -m 'not slow and not browser and not cluster'

lint: .venv/installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

# Small benchmarks against Pyserini, bm25s, faiss and sentence-transformers; fails where something became slow.
.venv/installed-bench: .venv/installed
	$(BIN)/pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[bench]'
	touch $@

bench: .venv/installed-bench
	$(BIN)/python benchmarks/regressions.py

# The page of all commands, from their own help.
docs: .venv/installed
	$(BIN)/python docs/cli_reference.py

# What the map takes of d3, built from npm, as webui/vendor/package-lock.json has it; needs Node 20 or later.
d3:
	cd webui/vendor && npm ci && npm run build && sha256sum ../static/d3.js > d3.sha256

# The extension for VS Code, build/citescout-0.1.0.vsix; needs Node 20 or later.
vscode:
	mkdir -p build/vscode && cp editors/vscode/* build/vscode
	cd build/vscode && npm ci && npx --yes @vscode/vsce@4.1.0 package --allow-missing-repository --skip-license --out ..

# The pictures of docs/page.md; needs Chromium and its driver.
screenshots: .venv/installed-dev
	$(BIN)/python benchmarks/screenshots.py

clean:
	rm -rf .venv .newest newest.txt .coverage htmlcov demo-index build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis
