# Copyright 2026 The kubectl-sandbox Authors.
# SPDX-License-Identifier: Apache-2.0

SHELL := /usr/bin/env bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory

MODULE  := github.com/agent-sandbox/kubectl-sandbox
VERSION ?= $(or $(shell git describe --tags --always --dirty 2>/dev/null),v0.0.0-dev)
COMMIT  ?= $(or $(shell git rev-parse HEAD 2>/dev/null),unknown)
# The date of the commit, so that the same source gives the same bytes.
DATE    ?= $(or $(shell TZ=UTC git show --no-patch --format=%cd --date=format-local:%Y-%m-%dT%H:%M:%SZ 2>/dev/null),unknown)

INFO     := $(MODULE)/apis/buildinfo
LDFLAGS  := -s -w -X $(INFO).version=$(VERSION) -X $(INFO).commit=$(COMMIT) -X $(INFO).date=$(DATE)
GO_BUILD := CGO_ENABLED=0 go build -trimpath -buildvcs=false

BIN   := $(CURDIR)/bin
IMAGE ?= localhost/agent-sandbox-controller:$(VERSION)
ROUTER_IMAGE ?= localhost/sandbox-router:$(VERSION)
# The documents name this tag, for the clusters of `make cluster` and `make demo`.
RUNTIME_IMAGE ?= localhost/sandbox-runtime:v1
# Directory for reports, and for logs and YAML of failed tests.
ARTIFACTS ?= artifacts
override ARTIFACTS := $(abspath $(ARTIFACTS))
export ARTIFACTS

# Name of the built-in cluster for cluster, deploy and demo.
CLUSTER ?= dev
KIND_CLUSTER ?= agent-sandbox
EXTENSIONS ?= false
ROUTER ?= false
CONTROLLER_ARGS ?=

# RUN selects tests by name, as `go test -run` does.
RUN ?=
select := $(if $(RUN),-run '$(RUN)')
export RUN VERSION

TESTCLUSTER   := $(BIN)/testcluster
GOTESTSUM     := $(BIN)/tools/gotestsum
GOLANGCI_LINT := $(BIN)/tools/golangci-lint
GOVULNCHECK   := $(BIN)/tools/govulncheck
# Tests and the programs that they run share one set of flags, and so one set of compiled packages. With -trimpath another
# clone shares them too. Without -dwarf a cold build is a quarter shorter. `make lint` runs vet.
RACE   := -race -trimpath -gcflags=all=-dwarf=false
export GORACE := atexit_sleep_ms=0
gotest = $(GOTESTSUM) --format pkgname --format-hide-empty-pkg --junitfile $(ARTIFACTS)/junit-$(1).xml \
	--junitfile-testsuite-name relative --junitfile-testcase-classname relative -- $(RACE) -vet=off
# For tests of third-party programs such as Helm and Open Policy Agent, which run no concurrent code of ours. The race detector makes them six times
# slower.
gotest-plain = $(subst $(RACE),-trimpath,$(call gotest,$(1)))

# The Python client is tested with the interpreter that Debian's packages are for.
PYTHON := $(firstword $(wildcard /usr/bin/python3) python3)
pytest = cd clients/python && $(PYTHON) -m pytest --quiet --junitxml=$(ARTIFACTS)/junit-python.xml $(if $(RUN),-k '$(RUN)')

##@ Start

.PHONY: help
help: ## Show this list.
	@awk 'BEGIN { FS = ":.*## "; printf "Usage: make TARGET [NAME=value ...]\n" } \
		/^##@ / { printf "\n%s\n", substr($$0, 5) } \
		/^[a-z0-9-]+:.*## / { printf "  %-18s %s\n", $$1, $$2 }' Makefile
	@printf '\n%s\n' 'Values: RUN=name-of-tests ARTIFACTS=dir CLUSTER=dev EXTENSIONS=true ROUTER=true CONTROLLER_ARGS="--flag ..." VERSION=v1.2.3'

.PHONY: demo
demo: ## Build everything, start a cluster, and show the usual commands on a sandbox.
	@test/demo/run.sh

##@ Build

.PHONY: build
build: ## Build the plugin, the operator, the router and the runtime into bin/.
	@mkdir -p $(BIN)
	@$(GO_BUILD) -ldflags '$(LDFLAGS)' -o $(BIN)/ ./cmd/...
	@ls $(BIN)/kubectl-sandbox $(BIN)/agent-sandbox-controller $(BIN)/sandbox-router $(if $(filter Linux,$(shell uname -s)),$(BIN)/sandbox-runtime)

# Static, so that the images need no C library.
.PHONY: build-race
build-race: ## Build them with the race detector into bin/race/, for the end-to-end tests.
	@mkdir -p $(BIN)/race
	@CGO_ENABLED=1 go build $(RACE) -buildvcs=false -ldflags '$(LDFLAGS) -linkmode external -extldflags -static' \
		-o $(BIN)/race/ ./cmd/...

.PHONY: generate
generate: ## Write all generated files: deepcopy, CRDs, RBAC, clients, references, manifests.
	@./hack/generate.sh

.PHONY: pictures
pictures: ## Draw the frames of the dashboard for tests and documents.
	@go test ./tui -run 'TestFrames|TestPictures' -update
	@ls docs/pictures

.PHONY: image
image: build testcluster ## Write the images of operator, router and runtime to bin/, without Docker.
	@$(TESTCLUSTER) image operator --binary $(BIN)/agent-sandbox-controller --tag $(IMAGE) \
		--out $(BIN)/agent-sandbox-controller.tar
	@$(TESTCLUSTER) image router --binary $(BIN)/sandbox-router --tag $(ROUTER_IMAGE) --out $(BIN)/sandbox-router.tar
	@$(TESTCLUSTER) image runtime --binary $(BIN)/sandbox-runtime --tag $(RUNTIME_IMAGE) --out $(BIN)/sandbox-runtime.tar
	@printf '%s is in bin/%s.tar\n' $(IMAGE) agent-sandbox-controller $(ROUTER_IMAGE) sandbox-router \
		$(RUNTIME_IMAGE) sandbox-runtime

.PHONY: testcluster
testcluster:
	@mkdir -p $(BIN)
	@cd test/cluster && $(GO_BUILD) -ldflags '-s -w' -o $(TESTCLUSTER) .

# Separate modules pin the tools, so that their dependencies are not in the product's go.mod.
$(GOTESTSUM): tools/go.mod tools/go.sum
	@cd tools && $(GO_BUILD) -o $@ gotest.tools/gotestsum

# golangci-lint with the Kubernetes API linter. One build serves both configurations.
$(GOLANGCI_LINT): tools/lint/go.mod tools/lint/go.sum
	@echo "building golangci-lint (minutes the first time)"
	@cd tools/lint && $(GO_BUILD) -ldflags '-s -w' -o $@ sigs.k8s.io/kube-api-linter/cmd/golangci-lint-kube-api-linter

$(GOVULNCHECK): tools/vuln/go.mod tools/vuln/go.sum
	@cd tools/vuln && $(GO_BUILD) -o $@ golang.org/x/vuln/cmd/govulncheck

.PHONY: clean
clean: ## Remove the output of builds and tests. Clusters and their cache stay.
	@rm -rf $(BIN) $(ARTIFACTS)

##@ Test

.PHONY: test
test: $(GOTESTSUM) testcluster ## Run all tests. The last line counts those that passed and failed.
	@rm -rf $(ARTIFACTS)/junit* && mkdir -p $(ARTIFACTS)
	@echo "== programs of the test cluster (minutes the first time)"; $(TESTCLUSTER) binaries --only cluster >/dev/null
	@failed=; \
	for layer in unit python integration e2e; do \
		echo "== $$layer tests"; SECONDS=0; \
		$(MAKE) test-$$layer && echo "== $$layer tests passed in $${SECONDS} s" || \
			{ failed="$$failed $$layer"; echo "== $$layer tests FAILED after $${SECONDS} s"; }; \
	done; \
	reports=$$(ls -d $(if $(RUN),$(ARTIFACTS),$(ARTIFACTS)/junit*)); \
	[ -z "$$failed" ] || { echo "failed:$$failed (reports and logs are in $(ARTIFACTS))"; }; \
	go run -C tools ./testcount $$reports || failed=yes; \
	[ -z "$$failed" ]

.PHONY: test-unit
test-unit: $(GOTESTSUM) ## Run the tests that need no API server.
	@mkdir -p $(ARTIFACTS)
	@$(call gotest,unit) -timeout 10m $(select) \
		$$(go list ./... | grep -Ev '/test/(integration|e2e)(/|$$)')
	@cd test/cluster && $(call gotest,unit-cluster) -timeout 10m $(select) ./...
	@cd tools && $(call gotest,unit-tools) -timeout 5m $(select) ./...
	@cd tools/rules && $(call gotest,unit-rules) -timeout 5m $(select) ./...
	@cd tools/examples && CGO_ENABLED=0 $(call gotest-plain,unit-examples) -timeout 5m $(select) ./...
	@cd test/chart && CGO_ENABLED=0 $(call gotest-plain,unit-chart) -timeout 5m $(select) .

# Exit code 5 means that RUN selects no test.
.PHONY: test-python
test-python: ## Run the tests of the Python client, which need no cluster.
	@mkdir -p $(ARTIFACTS)
	@$(pytest) || { code=$$?; [ -n '$(RUN)' ] && [ $$code = 5 ]; }

.PHONY: test-integration
test-integration: $(GOTESTSUM) testcluster ## Run the tests that need a kube-apiserver and etcd.
	@mkdir -p $(ARTIFACTS)
	@KUBEBUILDER_ASSETS=$$($(TESTCLUSTER) binaries --only integration); export KUBEBUILDER_ASSETS; \
		$(call gotest,integration) -timeout 20m $(select) ./test/integration/...; \
		cd test/chart && CGO_ENABLED=0 $(call gotest-plain,integration-chart) -timeout 10m $(select) ./apply

.PHONY: test-e2e
test-e2e: $(GOTESTSUM) ## Start a cluster and run the tests that need one.
	@mkdir -p $(ARTIFACTS)
	@RACE='$(RACE)' test/e2e/run.sh

# ROUNDS is the number of random histories for each test of `make soak`. The value "long" means 100 or 1,000, by test.
ROUNDS ?= long
.PHONY: soak
soak: $(GOTESTSUM) ## Run many more random histories of claims and pools than `make test` does.
	@mkdir -p $(ARTIFACTS)
	@SOAK_ROUNDS=$(ROUNDS) $(call gotest,soak) -timeout 3h -run '$(or $(RUN),Histories|NeverAbove|ThreeClaims)' ./operator/...

# DURATION is the length of the soak of a whole cluster.
DURATION ?= 1h
.PHONY: soak-cluster
soak-cluster: $(GOTESTSUM) ## Run a busy day on a real cluster in DURATION=1h: volumes, expiry, drains, killed operators.
	@mkdir -p $(ARTIFACTS)
	@RACE='$(RACE)' SOAK_DURATION='$(DURATION)' test/e2e/run.sh

# PROFILE is full, which the budgets refer to, or small. RUNS is the number of repetitions of a scenario that varies. RUN=help
# lists the scenarios. OPERATOR is another binary of the operator to measure.
PROFILE ?= full
RUNS ?= 3
OPERATOR_ARGS ?=
.PHONY: bench
bench: ## Measure the operator on a control plane with simulated nodes; without RUN also bench-copy.
	@mkdir -p $(ARTIFACTS)
	@PROFILE='$(PROFILE)' RUNS='$(RUNS)' OPERATOR_ARGS='$(OPERATOR_ARGS)' test/bench/run.sh
	@$(if $(RUN)$(filter-out full,$(PROFILE)),,test/bench/copy/run.sh)

.PHONY: bench-copy
bench-copy: ## Start a cluster and compare exec, cp and port-forward with kubectl's. ARGS="-only file -rounds 1"
	@test/bench/copy/run.sh $(ARGS)

.PHONY: bench-router
bench-router: ## Compare the router with a direct connection and a bare reverse proxy, and measure its memory; two minutes.
	@CGO_ENABLED=0 go test -trimpath -buildvcs=false -vet=off -run '^$$' -bench '$(or $(RUN),Load|Stream)' -benchtime 1x ./router

.PHONY: bench-python
bench-python: ## Start a cluster and measure the Python client: many sandboxes at once, what a command costs. ARGS="-only command"
	@test/bench/python/run.sh $(ARGS)

# The flags are those of each module's tests, so that the linters find its packages compiled.
.PHONY: lint
lint: $(GOLANGCI_LINT) ## Run the linters over all modules, and the API linter over the types.
	@GOFLAGS='$(RACE)' $(GOLANGCI_LINT) run ./...
	@GOFLAGS='$(RACE)' $(GOLANGCI_LINT) run --config .golangci-api.yaml ./apis/agents/... ./apis/extensions/...
	@GOFLAGS=-trimpath GOOS=windows CGO_ENABLED=0 $(GOLANGCI_LINT) run --tests=false \
		./sdk/files ./sdk/signals ./sdk/terminal
	@for module in test/cluster tools tools/rules; do \
		(cd $$module && GOFLAGS='$(RACE)' $(GOLANGCI_LINT) run --config $(CURDIR)/.golangci.yaml ./...); done
	@for module in test/chart tools/examples; do \
		(cd $$module && GOFLAGS=-trimpath CGO_ENABLED=0 $(GOLANGCI_LINT) run --config $(CURDIR)/.golangci.yaml ./...); done

.PHONY: lint-python
lint-python: ## Check the format, the style and the types of the Python client.
	@cd clients/python && black --quiet --check . && flake8 && \
		mypy --no-error-summary

.PHONY: verify
verify: $(GOLANGCI_LINT) ## Check generated files, go.mod, format, scripts, laws, lint. Changes nothing.
	@hack/verify.sh

# The database changes while the tree does not, so `make verify` must not depend on it.
.PHONY: vulncheck
vulncheck: $(GOVULNCHECK) ## Check the programs for known vulnerabilities. Needs the network.
	@$(GOVULNCHECK) ./cmd/...

##@ Release

.PHONY: release
release: ## Write a release of VERSION=v1.2.3 into dist/: archives, checksums, SBOMs, manifests, krew.
	@go run -C tools ./release -root .. -out $(CURDIR)/dist -version '$(VERSION)'

.PHONY: krew-verify
krew-verify: ## Build a release, start a cluster, and install and run the plugin with krew.
	@trap '$(TESTCLUSTER) down --name krew >/dev/null' EXIT; \
		$(MAKE) cluster deploy CLUSTER=krew EXTENSIONS=true && programs=$$($(TESTCLUSTER) binaries --only cluster) && \
		KUBECONFIG=$$($(TESTCLUSTER) kubeconfig --name krew) PATH=$$programs:$$PATH krew/verify.sh

##@ Cluster

.PHONY: cluster
cluster: testcluster ## Start a real single-node Kubernetes on this machine (Linux, root).
	@$(TESTCLUSTER) up --name $(CLUSTER)
	@echo; echo "export KUBECONFIG=$$($(TESTCLUSTER) kubeconfig --name $(CLUSTER))"

.PHONY: cluster-down
cluster-down: testcluster ## Stop the built-in cluster and remove everything of it.
	@$(TESTCLUSTER) down --name $(CLUSTER)

.PHONY: deploy
deploy: image ## Install the operator of this tree in the built-in cluster, and load the other images. ROUTER=true adds a router.
	@$(TESTCLUSTER) load $(BIN)/agent-sandbox-controller.tar $(BIN)/sandbox-router.tar $(BIN)/sandbox-runtime.tar \
		--name $(CLUSTER)
	@PATH=$$($(TESTCLUSTER) binaries --only cluster):$$PATH KUBECONFIG=$$($(TESTCLUSTER) kubeconfig --name $(CLUSTER)) \
		EXTENSIONS='$(EXTENSIONS)' ROUTER='$(ROUTER)' CONTROLLER_ARGS='$(CONTROLLER_ARGS)' \
		hack/deploy.sh $(IMAGE) $(ROUTER_IMAGE)

.PHONY: deploy-kind
deploy-kind: ## Start a kind cluster and install the operator of this tree in it, with ROUTER=true a router. Needs Docker and kind.
	@VERSION='$(VERSION)' COMMIT='$(COMMIT)' DATE='$(DATE)' KIND_CLUSTER='$(KIND_CLUSTER)' \
		EXTENSIONS='$(EXTENSIONS)' ROUTER='$(ROUTER)' CONTROLLER_ARGS='$(CONTROLLER_ARGS)' \
		hack/kind.sh up $(IMAGE) $(ROUTER_IMAGE)

.PHONY: delete-kind
delete-kind: ## Delete the kind cluster of deploy-kind.
	@KIND_CLUSTER='$(KIND_CLUSTER)' hack/kind.sh down
