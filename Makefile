# make demo     archive three days of a living demonstration site in about a minute and show the result
# make test     set up and run what a change can break; make test-all runs the rest
# make help     the rest
.DEFAULT_GOAL := help
SHELL := /bin/bash
BIN := .venv/bin
unexport PYTHONDONTWRITEBYTECODE

help: ## this list
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-12s %s\n", $$1, $$2}'

demo: ## watch a living demonstration site: what was learned, and caught beside round robin
	@scripts/setup plain
	@$(BIN)/strandline demo

test: ## what a change can break: units, contracts, journeys, style, types and import rules
	@scripts/setup dev
	@scripts/compile
	@# The plugin takes a second to load in each process, and none of these tests needs it.
	@scripts/ring first -p no:schemathesis $(PYTEST_FLAGS)

test-all: ## what make test leaves out: browsers, clusters, long faults, experiments, pywb
	@scripts/setup dev
	@scripts/setup-browser
	@scripts/setup-object-stores
	@scripts/compile
	@# The soak does little but wait, and goes on beside.
	@$(BIN)/python -m pytest -q -p no:cacheprovider tests/journeys/test_watch_soak.py & soak=$$!; \
	scripts/ring second --ignore=tests/journeys/test_watch_soak.py $(PYTEST_FLAGS); rest=$$?; \
	wait $$soak && exit $$rest

explore: ## the property tests with examples no run had before (TESTS=tests/core RUNS=5)
	@scripts/setup dev
	@for run in $$(seq $(or $(RUNS),5)); do \
	$(BIN)/python -m pytest -n $$(getconf _NPROCESSORS_ONLN) --dist loadgroup --hypothesis-profile explore -m hypothesis -p no:schemathesis $(or $(TESTS),tests) || exit 1; done

check: ## style, types and import rules only
	@scripts/setup dev
	scripts/check

bench: ## speed, as ratios measured side by side in one run
	@scripts/setup dev
	$(BIN)/python -m benchmarks

crash: ## the long kill -9 and power-loss loops (CYCLES=10000)
	@scripts/setup dev
	STRANDLINE_KILL_CYCLES=$(or $(CYCLES),10000) STRANDLINE_CRAWL_KILLS=$$(( $(or $(CYCLES),10000) / 6 )) STRANDLINE_POWER_CYCLES=$(or $(CYCLES),1000) $(BIN)/python -m pytest --timeout=0 tests/faults tests/journeys/test_crawl_crashes.py -q

soak: ## watch a living site for half an hour (SECONDS=1800): memory and open files stay as they are
	@scripts/setup dev
	STRANDLINE_SOAK_SECONDS=$(or $(SECONDS),1800) $(BIN)/python -m pytest --timeout=0 tests/journeys/test_watch_soak.py -q

month: ## a month of a watch in an hour: outages, kills, clocks, full disks, redesigns (HOURS=720, of HOUR=4.2 s each)
	@scripts/setup dev
	STRANDLINE_MONTH_HOURS=$(or $(HOURS),720) STRANDLINE_MONTH_HOUR=$(or $(HOUR),4.2) STRANDLINE_MONTH_REPORT=results/month.json $(BIN)/python -m pytest --timeout=0 tests/journeys/test_month.py -q

watch-trial: ## a watch against the truth of a living site, beside round robin (HOURS=120)
	@scripts/setup dev
	STRANDLINE_TRIAL_HOURS=$(or $(HOURS),120) STRANDLINE_TRIAL_HOUR=3 $(BIN)/python -m pytest --timeout=0 tests/journeys/test_watch_trial.py -q

watch-crash: ## kill -9 a watch at random moments (CYCLES=200)
	@scripts/setup dev
	STRANDLINE_WATCH_KILLS=$(or $(CYCLES),200) $(BIN)/python -m pytest --timeout=0 tests/faults/test_watch_crashes.py -q

browser-crash: ## crawls and watches killed with their browsers, and browsers alone (KILLS=20, and 50 browsers)
	@scripts/setup dev
	@scripts/setup-browser
	STRANDLINE_BROWSER_KILLS=$(or $(KILLS),20) $(BIN)/python -m pytest --timeout=0 tests/browser/test_killed_browsers.py -q

docs: ## the documentation as a site under site/
	@scripts/setup dev
	$(BIN)/mkdocs build --strict --quiet --site-dir site

screenshots: ## the pictures of the interface in docs/pictures
	@scripts/setup dev
	@scripts/setup-browser
	PYTHONPATH=tests $(BIN)/python scripts/screenshots

score-picture: ## the picture of scores over captures in docs/pictures
	@scripts/setup dev
	$(BIN)/python scripts/score-picture

lock: ## pin dependencies after changing pyproject.toml
	@scripts/setup dev
	scripts/lock

erase-crash: ## 1,000 erasures among 20,000 records, compacted ones among them, with 50 kills in between (ERASURES=1000)
	@scripts/setup dev
	STRANDLINE_ERASURES=$(or $(ERASURES),1000) $(BIN)/python -m pytest --timeout=0 tests/faults/test_erasing.py -q -s

crash-cluster: ## 200 killed workers and 5 database restarts over 20,000 pages (KILLS=200)
	@scripts/setup dev
	STRANDLINE_WORKER_KILLS=$(or $(KILLS),200) $(BIN)/python -m pytest --timeout=0 tests/journeys/test_cluster.py -k killed -q -s

# What is about the store itself has tests of every kind of store; these are the ones that use one.
STORED = tests/cluster tests/test_cluster.py tests/journeys/test_migrating.py tests/journeys/test_moving_while_running.py \
	tests/journeys/test_cluster.py tests/journeys/test_cluster_faults.py tests/web/test_cluster_pages.py

object-stores: ## everything a cluster does, on Azure's store (its emulator) and a stand-in for Google's (STORE=az)
	@scripts/setup dev
	@scripts/setup-object-stores
	@for store in $(or $(STORE),az gs); do echo "== $$store ==" && \
	STRANDLINE_TEST_STORE=$$store $(RING) -p no:schemathesis tests/warc/test_objects.py tests/warc/test_objects_faults.py \
	tests/keeping/test_backup_objects.py tests/learn/test_mining_objects.py $(STORED) || exit 1; done

kernels: ## compile the kernels ahead of time, after changing one (needs a C compiler)
	@scripts/setup dev
	$(BIN)/python scripts/kernels

wheel: ## what pip installs, under dist/, with the machine code of all kernels
	@scripts/setup dev
	@$(BIN)/python -m strandline.kernels.shipped || { echo "The kernels changed: make kernels" >&2; exit 1; }
	$(BIN)/uv build --quiet --wheel --out-dir dist

release: ## wheel and sdist under dist/, each installed by itself and tried
	@scripts/setup dev
	scripts/release

first-use: ## what a first use costs on a new machine, in CPU: make demo, and the wheel (needs an index of packages)
	scripts/first-use demo
	scripts/first-use wheel

clean: ## remove what was built
	rm -rf .venv site results demo-archive .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis

.PHONY: help demo test test-all check bench crash erase-crash soak month watch-trial watch-crash crash-cluster object-stores docs screenshots lock kernels wheel release first-use clean
