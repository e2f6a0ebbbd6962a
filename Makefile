# make demo     archive a living demonstration site for about a minute and show the result
# make test     set up and run all tests
# make help     the rest
.DEFAULT_GOAL := help
SHELL := /bin/bash
BIN := .venv/bin
unexport PYTHONDONTWRITEBYTECODE

help: ## this list
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-12s %s\n", $$1, $$2}'

demo: ## archive a living demonstration site and show what was captured
	@scripts/setup run
	@$(BIN)/strandline demo

test: ## all tests, style, types and import rules
	@scripts/setup dev
	@scripts/setup-browser
	$(BIN)/python -m pytest -n 2 --dist loadgroup $(PYTEST_FLAGS)

check: ## style, types and import rules only
	@scripts/setup dev
	scripts/check

bench: ## speed, as ratios measured side by side in one run
	@scripts/setup dev
	$(BIN)/python -m benchmarks

crash: ## the long kill -9 and power-loss loops (CYCLES=10000)
	@scripts/setup dev
	STRANDLINE_KILL_CYCLES=$(or $(CYCLES),10000) STRANDLINE_POWER_CYCLES=$(or $(CYCLES),1000) $(BIN)/python -m pytest tests/faults -q

docs: ## the documentation as a site under site/
	@scripts/setup dev
	$(BIN)/mkdocs build --strict --quiet --site-dir site

lock: ## pin dependencies after changing pyproject.toml
	@scripts/setup dev
	scripts/lock

clean: ## remove what was built
	rm -rf .venv site results demo-archive .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis

.PHONY: help demo test check bench crash docs lock clean
