# coolid: every command sets up what it needs. Needed beforehand: Python 3.11 or later, make; for `deploy` AWS credentials.

PORT ?= 8080
# Another database: make run DATA=things.db
DATA ?=
# Lambda's processor, arm64 or x86_64. Not taken from the environment, where other tools use the same name.
ARCH = arm64
# This machine's processor, by Lambda's name.
MACHINE := $(patsubst aarch64,arm64,$(shell uname -m))
# How long make fuzz runs, and its seed.
SECONDS = 600
SEED := $(shell date +%s)
# More arguments for coolid serve, pytest or sam: make run ARGS=--help, make test ARGS='-k lui -x', make deploy ARGS=--guided
ARGS ?=

# Python without an ending, which ruff does not find by itself.
SCRIPTS := $(shell grep -ls '^\#!.*python' scripts/*)

VENV := .venv
VENV_RUN := .venv-run
VENV_SAM := .venv-sam
VENV_LOCALSTACK := .venv-localstack
VENV_SOAK := .venv-soak
VENV_DOCS := .venv-docs
VENV_DIST := .venv-dist
VENV_CLIENTS := .venv-clients
# The documentation site. The service serves it, and a wheel contains it.
SITE := layers/core/coolid/local/site
PYTHON := $(VENV)/bin/python
PIP_INSTALL := -m pip --disable-pip-version-check install --quiet
# The environment's python3 comes first on PATH for sam: the layers' Makefiles call it, and it has pip. Their
# make is not this one's child: without MAKEFLAGS it sees what a plain `sam build` would.
SAM := env -u MAKEFLAGS -u MAKELEVEL PATH="$(CURDIR)/$(VENV_SAM)/bin:$$PATH" SAM_CLI_TELEMETRY=$${SAM_CLI_TELEMETRY:-0} $(VENV_SAM)/bin/sam

CFN_LINT := $(VENV_SAM)/bin/cfn-lint --non-zero-exit-code informational

# Each candidate is run, because a name on PATH may be a shim without an interpreter behind it.
CANDIDATES := python3.13 python3.12 python3.11 python3 python
define find-python
found=; bare=; \
for candidate in $(CANDIDATES); do \
	$$candidate -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1 || continue; \
	if $$candidate -c 'import ensurepip, venv' >/dev/null 2>&1; then found=$$candidate; break; fi; \
	bare=$${bare:-$$candidate}; \
done; \
if [ -z "$$found" ] && [ -n "$$bare" ]; then \
	echo "coolid: $$bare cannot make virtual environments (no ensurepip); on Debian or Ubuntu: apt install python3-venv" >&2; exit 1; \
elif [ -z "$$found" ]; then \
	echo "coolid: no Python 3.11 or later found; tried $(CANDIDATES)" >&2; exit 1; \
fi
endef

.PHONY: help run install test dist test-package test-layers test-localstack test-browser test-clients lint format types docs validate build deploy deploy-global bench soak simulate drill model fuzz lock clean
.DEFAULT_GOAL := help

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "make %-16s %s\n", $$1, $$2}' Makefile

run: $(VENV_RUN)/.installed ## serve the whole system on http://127.0.0.1:$(PORT)
	@# The documentation site is built in the background, because the service starts without it. `make docs` shows errors.
	@[ -e $(SITE) ] || $(MAKE) --no-print-directory docs >/dev/null 2>&1 &
	@# Bytecode is written even if the environment forbids it, because every start would compile it again.
	@PYTHONDONTWRITEBYTECODE= exec $(VENV_RUN)/bin/coolid serve --port $(PORT) $(if $(DATA),--data "$(DATA)") $(ARGS)

install: $(VENV_RUN)/.installed ## install the coolid command in $(VENV_RUN), compiled, for users who may not write there
	@$(VENV_RUN)/bin/python -m compileall -q $(VENV_RUN)/lib layers/core/coolid

test: $(VENV)/.installed ## run the tests
	@# As above: workers and commands would compile it again.
	PYTHONDONTWRITEBYTECODE= $(PYTHON) -m pytest -n auto --dist worksteal $(ARGS)

test-layers: $(VENV)/.installed ## build the layers, and test the functions with them alone
	PYTHONDONTWRITEBYTECODE= $(PYTHON) -m pytest -n auto --dist worksteal -m layers tests/packaging $(ARGS)

test-localstack: $(VENV)/.installed $(if $(AWS_ENDPOINT_URL),,$(VENV_LOCALSTACK)/.installed) ## deploy to LocalStack and test through API Gateway
	@$(MAKE) --no-print-directory build ARCH=$(MACHINE)
	$(PYTHON) scripts/with-localstack sh -c '$(PYTHON) -m pytest -n 3 --dist loadfile tests/e2e $(ARGS) && $(PYTHON) -m pytest tests/deployed $(ARGS)'

# The same commit gives the same bytes: files get its time.
dist: export SOURCE_DATE_EPOCH := $(shell git log -1 --format=%ct 2>/dev/null || echo 1577836800)
dist: $(VENV_DIST)/.installed docs ## build the wheel and the sdist into dist/, with the documentation site, and check both
	@rm -rf dist
	$(VENV_DIST)/bin/hatchling build -d dist
	$(VENV_DIST)/bin/twine check --strict dist/*
	$(VENV_DIST)/bin/check-wheel-contents dist/*.whl
	@# Of its ten points, two are for an address of the authors and for a URL of the project, of which there is none yet.
	$(VENV_DIST)/bin/pyroma --min 8 dist/*.tar.gz

test-package: $(VENV)/.installed dist ## install the wheel into bare environments of every Python, and test what it brings
	COOLID_DIST="$(CURDIR)/dist" $(PYTHON) -m pytest -n 2 --dist loadgroup tests/distribution $(ARGS)

test-browser: $(VENV)/.installed docs ## test the pages in Chromium, which is installed if possible
	@scripts/browser
	COOLID_BROWSER=1 $(PYTHON) -m pytest -n 2 --dist loadfile tests/browser tests/functions/test_naughty_strings.py $(ARGS)

test-clients: $(VENV)/.installed $(VENV_CLIENTS)/.installed tests/clients/node_modules/.locked ## lint the API's description, generate clients, and test them, those of EZID and LinkIDs, and Go's verification of logs
	COOLID_CLIENTS=1 $(PYTHON) -m pytest -n 2 tests/clients $(ARGS)

lint: $(VENV)/.installed ## check style and import rules
	$(VENV)/bin/ruff check . $(SCRIPTS)
	$(VENV)/bin/ruff format --check . $(SCRIPTS)
	$(VENV)/bin/lint-imports

format: $(VENV)/.installed ## correct style automatically
	$(VENV)/bin/ruff check --fix . $(SCRIPTS)
	$(VENV)/bin/ruff format . $(SCRIPTS)

types: $(VENV)/.installed ## check types
	$(VENV)/bin/mypy

docs: $(VENV_DOCS)/.installed ## build the documentation site, which the service serves at /docs/; a broken link fails
	@# Without --quiet, which hides the warnings that --strict counts.
	NO_MKDOCS_2_WARNING=1 $(VENV_DOCS)/bin/python -m mkdocs build --strict
	@rm -rf $(SITE)
	@mv build/site $(SITE)

validate: $(VENV_SAM)/.installed ## check the templates; any warning fails
	AWS_DEFAULT_REGION=$${AWS_DEFAULT_REGION:-us-east-1} $(SAM) validate --lint
	$(CFN_LINT) infra/edge.yaml infra/watch.yaml infra/global.yaml
	$(CFN_LINT) template.yaml --parameters PublicBaseUrl=https://id.example.org Architecture=arm64
	$(CFN_LINT) template.yaml --parameters PublicBaseUrl=https://id.example.org Architecture=x86_64

build: $(VENV_SAM)/.installed ## build functions and layers for $(ARCH) into .aws-sam/
	$(SAM) build --parameter-overrides Architecture=$(ARCH)
	@$(VENV_SAM)/bin/python scripts/sizes

deploy-global: $(VENV_SAM)/.installed ## deploy the certificate and web ACL of the edge: make deploy-global ARGS='DomainName=id.example.org HostedZoneId=Z…'
	$(SAM) deploy --template-file infra/global.yaml --stack-name coolid-global --region us-east-1 --parameter-overrides $(ARGS)

deploy: build ## build, then deploy: make deploy PUBLIC_BASE_URL=https://id.example.org ARGS=--guided
	$(SAM) deploy --parameter-overrides Architecture=$(ARCH) $(if $(PUBLIC_BASE_URL),PublicBaseUrl=$(PUBLIC_BASE_URL)) $(ARGS)

bench: $(VENV)/.installed ## compare with other libraries, into docs/…/bench; quickly: make bench ARGS=--quick
	$(PYTHON) -m scripts.benchmark $(ARGS)

soak: $(VENV)/.installed $(VENV_SOAK)/.installed ## send an hour of requests, report into docs/…/soak; fewer: make soak ARGS='--requests 9000'
	$(PYTHON) -m scripts.soak $(ARGS)

simulate: $(VENV)/.installed ## simulate the service at AWS with 10^9 identifiers: make simulate ARGS='--seconds 60'
	$(PYTHON) -m scripts.simulation $(ARGS)

drill: $(VENV)/.installed ## run all tests in their long form, then the drill; the drill alone: make drill ARGS='--seed 4'
	$(if $(ARGS),,COOLID_DRILL=1 $(PYTHON) -m pytest -n auto --dist worksteal -m '')
	$(if $(ARGS),,scripts/browser && COOLID_DRILL=1 COOLID_BROWSER=1 $(PYTHON) -m pytest tests/browser/test_bulk_walk.py)
	$(PYTHON) -m tests.drill $(ARGS)
	$(if $(ARGS),,$(PYTHON) -m tests.drill.log_drill)

model: $(VENV)/.installed ## check the models of the mint and the log with spin, which is installed if possible
	@scripts/spin
	$(PYTHON) -m tests.models.spin_runs

fuzz: $(VENV)/.installed ## test with mutated inputs: make fuzz SECONDS=3600 SEED=7
	COOLID_FUZZ=$(SECONDS) COOLID_FUZZ_SEED=$(SEED) $(PYTHON) -m pytest -s --hypothesis-seed=$(SEED) tests/fuzz tests/infra/test_openapi.py -k "bad_ones or lie" $(ARGS)

lock: ## regenerate the locks, with the same pins where possible
	scripts/lock

clean: ## remove environments, builds and caches; .local/ and data files stay
	rm -rf $(SITE) .venv .venv-run .venv-sam .venv-localstack .venv-soak .venv-docs .venv-dist .venv-clients .venv-runtime tests/browser/node_modules tests/clients/node_modules .aws-sam build dist .hypothesis .pytest_cache .mypy_cache .ruff_cache .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# $(call install,FOLDER,LOCK): what the lock names, into a new environment. The lock is complete, so nothing is resolved
# (--no-deps). uv is several times as fast as pip, but does not read pip's settings, such as an index. If it fails, pip
# installs. Both compile, because otherwise the first import would warn of each questionable string in a library.
define install
$(1)/bin/python $(PIP_INSTALL) --require-hashes --no-deps --requirement requirements-uv.lock && \
$(1)/bin/uv pip install --quiet --compile-bytecode --python $(1)/bin/python --require-hashes --no-deps --requirement $(2) || { \
	echo "coolid: uv could not install $(2), so pip does" >&2; \
	$(1)/bin/python $(PIP_INSTALL) --require-hashes --no-deps --requirement $(2); \
}
endef

# The stamps are written last, so that an interrupted installation is begun again. A changed lock makes a new
# environment: nothing lingers that the lock does not name.
define environment
@$(find-python); echo "coolid: setting up $(1) with $$($$found --version)"; $$found -m venv --clear $(1)
@$(call install,$(1),$(2))
@touch $@
endef

$(VENV)/.locked: requirements.lock
	$(call environment,$(VENV),$<)

$(VENV_RUN)/.locked: requirements-run.lock
	$(call environment,$(VENV_RUN),$<)

$(VENV)/.installed $(VENV_RUN)/.installed: %/.installed: %/.locked pyproject.toml
	@$*/bin/python $(PIP_INSTALL) --no-deps --no-build-isolation --editable .
	@touch $@

$(VENV_SAM)/.installed: requirements-sam.lock
	$(call environment,$(VENV_SAM),$<)

$(VENV_SOAK)/.installed: requirements-soak.lock
	$(call environment,$(VENV_SOAK),$<)

$(VENV_DOCS)/.installed: requirements-docs.lock
	$(call environment,$(VENV_DOCS),$<)

$(VENV_DIST)/.installed: requirements-dist.lock
	$(call environment,$(VENV_DIST),$<)

$(VENV_CLIENTS)/.installed: requirements-clients.lock
	$(call environment,$(VENV_CLIENTS),$<)

tests/clients/node_modules/.locked: tests/clients/package-lock.json
	@command -v npm >/dev/null && node -p "'Node ' + process.version" | grep -qE 'v(20\.(19|[2-9][0-9])|2[1-9]|[3-9][0-9])\.' || { \
	echo "coolid: npm and Node 20.19 or later are needed" >&2; exit 1; }
	@echo "coolid: setting up tests/clients/node_modules"
	@npm ci --prefix tests/clients --silent --no-audit --no-fund --ignore-scripts
	@touch $@

# LocalStack runs the functions in its own Python, so that is Lambda's.
$(VENV_LOCALSTACK)/.installed: requirements-localstack.lock
	@for found in python3.13 $${PYENV_ROOT:-$$HOME/.pyenv}/versions/3.13.*/bin/python3.13 none; do \
		$$found -c 'import ensurepip, venv' >/dev/null 2>&1 && break; \
	done; \
	if [ "$$found" = none ]; then \
		echo "coolid: LocalStack needs Python 3.13, which was found neither on PATH nor in pyenv" >&2; exit 1; \
	fi; \
	echo "coolid: setting up $(VENV_LOCALSTACK) with $$($$found --version)"; $$found -m venv --clear $(VENV_LOCALSTACK)
	@$(call install,$(VENV_LOCALSTACK),$<)
	@touch $@
