# `make` alone prints what there is. `make demo` and `make test` need nothing before them but Python 3.11 or newer.
.DEFAULT_GOAL := help
.PHONY: help setup web demo test test-web screenshots check bench docs pages lock lint
MAKEFLAGS += --no-print-directory
unexport PYTHONDONTWRITEBYTECODE # or each process of a test compiles its libraries anew
BIN := .venv/bin

help: ## print this
	@awk 'BEGIN {FS = ":.*## "} /^[a-z-]+:.*## / {printf "  make %-11s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

setup: ## make .venv with everything in it (only when something changed)
	@scripts/setup.sh

web: setup ## build the pages (only when something changed)
	@scripts/web.sh

demo: setup ## two order questions and a trip over real HTTP, with the timeline
	@$(BIN)/handrail demo

lint: setup
	@echo "ruff";         $(BIN)/ruff check --quiet .
	@echo "ruff format";  $(BIN)/ruff format --quiet --check .
	@echo "mypy";         $(BIN)/mypy --no-error-summary
	@echo "lint-imports"; $(BIN)/lint-imports --no-logo --no-cache

screenshots: setup web ## a picture of every page into docs/pictures/
	@scripts/browser.sh
	@$(BIN)/python -m tests.web.screenshots

check: lint ## style, types, import contracts, fast tests (under a minute)
	@$(BIN)/pytest -q -n 2 --dist worksteal -m "not slow"

test: lint web docs ## the same with all tests
	@scripts/browser.sh
	@$(BIN)/pytest -q -n 2 --dist worksteal

test-web: setup web ## the tests of the pages alone: their own, and a browser from end to end
	@scripts/browser.sh
	@$(BIN)/pytest -q -n 2 --dist worksteal tests/web

bench: setup ## every benchmark in its short form, side by side with the peers (`python -m benchmarks` writes the committed figures)
	@$(BIN)/python -m benchmarks --short

docs: setup ## build the documentation into site/
	@scripts/docs.sh

pages: setup ## write the generated documentation pages again
	@$(BIN)/python -m tests.docs.regenerate

lock: setup ## make requirements/*.lock again (UPGRADE=1 takes newer versions)
	@scripts/lock.sh $(if $(UPGRADE),--upgrade)
