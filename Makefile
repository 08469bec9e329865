# Everything is built without cgo and with trimmed paths, so that all targets
# share one build cache; only the race detector needs cgo (and gcc).
export CGO_ENABLED := 0
export GOFLAGS     := -trimpath

VERSION ?= 0.1.0-dev
LDFLAGS := -s -w -X main.version=$(VERSION)
TOOL    := go tool -modfile=$(CURDIR)/tools/go.mod
GOFILES  = $(shell git ls-files --cached --others --exclude-standard '*.go')

.DEFAULT_GOAL := help
.PHONY: help build examples-install oracle cost generate generate-check released fmt fmt-check vet lint vuln unit race check test e2e judge-e2e bench demo collector db-install clean

help: ## Show this help
	@awk -F ':.*## ' '/^[a-z][a-z0-9-]*:.*## / {printf "  %-16s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

build: ## Build bin/tracegrade and the helper of the embedded ClickHouse
	go build -ldflags '$(LDFLAGS)' -o bin/ ./cmd/...

db-install: build ## Get the library of the embedded ClickHouse (npm, 180 MB; once)
	bin/tracegrade db install

EXAMPLES := $(patsubst %/package-lock.json,%/node_modules/.package-lock.json,$(wildcard examples/*/package-lock.json))

examples-install: $(EXAMPLES) ## Get the packages of the agents in examples/ (needs Node 20 and npm; 300 MB; once)

examples/%/node_modules/.package-lock.json: examples/%/package-lock.json
	cd examples/$* && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error

demo: build db-install ## Send the bundled traces through the collector and show what it finds
	go run ./examples/demo

check: fmt-check generate-check vet lint ## The fast part of the tests: for every commit
	go test -short ./...

test: fmt-check generate-check vet lint db-install examples-install unit race ## Everything that CI runs
	@echo 'make test: all passed'

unit: ## All tests: unit, property, contract, end to end
	go test -timeout 20m ./...

race: ## The concurrent packages under the race detector (needs cgo and gcc)
	CGO_ENABLED=1 go test -short -race -timeout 20m ./internal/... ./receiver/... ./processor/... ./exporter/... ./connector/... ./harness/server ./harness/agent ./harness/journal

e2e: build examples-install ## The end-to-end tests alone
	go test -timeout 20m -count=1 ./e2e/...

judge-e2e: ## Test the judges against llama.cpp's server (builds it once, 10 minutes)
	tools/judge-e2e.sh

bench: build ## Measure what docs/performance.md states
	go run ./e2e/bench

oracle: ## Compare the value scanner with an independent recogniser (needs Node and npm)
	npm install --silent --no-save --prefix _build/oracle @microsoft/recognizers-text-suite@1.3.1
	TRACEGRADE_RECOGNIZERS=$(CURDIR)/_build/oracle/node_modules go test -count=1 -v -run IndependentRecogniser ./internal/atom

cost: ## Hold evidence and rule functions to their bounds of CPU, growth and memory (quiet machine)
	TRACEGRADE_COST=1 go test -count=1 -v -run TestCost ./internal/evidence
	TRACEGRADE_COST=1 go test -count=1 -run TestEveryFunctionIsLinear ./rules

generate: ## Write the generated files
	@tools/generate.sh .

released: ## Keep what this version reads and grades, for the test that versions change with meaning: a step of a release
	go test ./rules/packs -run TestVersionsChangeWithMeaning -release $(VERSION)

generate-check: ## Fail when a generated file is stale
	@tools/generate.sh --check

fmt: ## Format the code
	gofmt -w $(GOFILES)

fmt-check:
	@bad=$$(gofmt -l $(GOFILES)); [ -z "$$bad" ] || { echo "not formatted (run make fmt):"; echo "$$bad"; exit 1; }

vet:
	go vet ./...

lint: ## Static analysis
	$(TOOL) staticcheck ./...

vuln: ## Known vulnerabilities in what is built (asks vuln.go.dev)
	$(TOOL) govulncheck ./...

collector: ## Build the distribution from builder-config.yaml with the builder alone
	$(TOOL) builder --config builder-config.yaml

clean: ## Remove what the targets built
	rm -rf bin _build
