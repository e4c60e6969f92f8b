# memd's commands. `make` alone lists them.

GO       ?= go
PYTHON   ?= python3
# Tests of one package may take this long; -long has more time.
TIMEOUT  ?= 10m
# Packages that compute, and their tests that do so from several sides at once.
ALONE    = lexical|extract|llm
TOGETHER = ^Test(Pattern|NastyShapes|ManyAtOnce|AnEndedContext)
# Tests that are left out or small under the race detector, of packages that have others.
WHOLE    = ^Test(EveryCodePoint|Extreme|BodiesAreBounded|NearlyRightBodies|TheLastTurn|ALongLastTurn|WhatIsFree|NothingIsLeftOut|DefusingIsLinear)
# How long each fuzz target runs.
FUZZTIME ?= 5s
VERSION  ?= $(shell git describe --tags --dirty 2>/dev/null || echo v0.2.0-dev)

# The version comes from here, so the build needs neither git nor its history.
GOFLAGS_BUILD = -trimpath -buildvcs=false -ldflags '-X main.version=$(VERSION)'

export CGO_ENABLED = 1

# What holds for one checkout only, such as: export MEMD_EVAL_RECALL = ../conversations
-include local.mk

.DEFAULT_GOAL := help
.PHONY: help setup build run test test-long bench bench-peers eval demo fuzz notices clean needs-go needs-python

help: ## List the targets.
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: needs-python ## Fetch Postgres, the model and its runtime into the cache (once).
	@$(PYTHON) -S setup/fetch.py --quiet

build: needs-go ## Build bin/memd.
	@mkdir -p bin
	$(GO) build $(GOFLAGS_BUILD) -o bin/memd ./cmd/memd

run: needs-go setup build ## Set up, build and start memd on 127.0.0.1:7411.
	@exec bin/memd serve

test: needs-go setup ## Set up, check the sources and run all tests.
	@unformatted=$$(gofmt -l .); if [ -n "$$unformatted" ]; then echo "not as gofmt has it:"; echo "$$unformatted"; exit 1; fi
	$(GO) vet ./...
	# Tests of whole daemons wait for most of their time: more of them run at once than there are
	# cores. All has been vetted above.
	$(GO) test -race -vet=off -p 3 -parallel 4 -timeout $(TIMEOUT) $$($(GO) list ./... | grep -vE '/($(ALONE))$$')
	# The detector makes the rules ten times slower. Of what does nothing beside it that could race
	# it gets what is there to be run at once; all of it, and what is large elsewhere, runs without.
	$(GO) test -race -vet=off -timeout $(TIMEOUT) -run '$(TOGETHER)' ./extract/...
	$(GO) test -vet=off -timeout $(TIMEOUT) ./lexical ./extract/...
	$(GO) test -vet=off -timeout $(TIMEOUT) -run '$(WHOLE)' ./embed/e5 ./httpapi ./assemble

test-long: needs-go setup ## Run the tests that take long, too, and print what came of each fault.
	@mkdir -p bin && rm -f bin/faults.txt
	# As in make test, the rules and what is large run without the detector.
	@MEMD_TEST_TABLE=$(CURDIR)/bin/faults.txt $(GO) test -race -tags long -count 1 -p 3 -parallel 4 -timeout 60m \
	  $$($(GO) list ./... | grep -vE '/($(ALONE))$$') && \
	  $(GO) test -tags long -count 1 -timeout 60m ./lexical ./extract/... ./embed/e5 ./httpapi ./assemble; status=$$?; \
	  if [ -f bin/faults.txt ]; then cat bin/faults.txt; fi; exit $$status

bench: needs-go setup ## Measure memd against plain pgx and the bare model (BENCH="-only search").
	$(GO) run -trimpath ./bench $(BENCH)

bench-peers: needs-go needs-python setup ## Measure memd beside mem0 and PowerMem, which it installs (BENCH="-json FILE").
	$(GO) run -trimpath ./bench/peers -python $(PYTHON) $(BENCH)

eval: needs-go setup ## Measure what is remembered and found of sample conversations (EVAL="-set open -v", MEMD_EVAL_RECALL=FOLDER).
	$(GO) run -trimpath ./eval $(EVAL)

demo: needs-go setup build ## Play a conversation through a fresh memd and show its contexts.
	$(GO) run -trimpath ./examples/demo

fuzz: needs-go setup ## Run every fuzz target for FUZZTIME each.
	@set -e; for package in $$($(GO) list ./...); do \
	  for target in $$($(GO) test -list '^Fuzz' $$package | grep '^Fuzz' || true); do \
	    echo "$$package $$target"; \
	    $(GO) test -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZTIME) $$package; \
	  done; \
	done

notices: needs-go needs-python ## Write third_party anew from the modules that are linked.
	@$(PYTHON) third_party/notices.py

clean: ## Remove what was built here; cache and data stay.
	rm -rf bin

needs-go:
	@command -v $(GO) >/dev/null || { echo "make: Go is missing; install Go 1.26 or newer"; exit 1; }
	@command -v $$($(GO) env CC) >/dev/null || { echo "make: a C compiler is missing (the model's runtime needs cgo); install gcc or clang"; exit 1; }

needs-python:
	@command -v $(PYTHON) >/dev/null || { echo "make: python3 is missing; install Python 3.10 or newer with pip"; exit 1; }
