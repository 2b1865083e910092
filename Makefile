# The index of everything that can be done here. Tools outside the repository
# call these targets: names stay.

SHELL := /bin/sh
.DEFAULT_GOAL := build

PORT ?= 8787
COUNTS := web/test/output/counts

# Node and js builds of Go get a small environment: above 8 KB of it a js
# program of Go does not start (WASM.md 2.22).
CLEAN := env -i PATH="$$PATH" HOME="$$HOME" GOCACHE="$$(go env GOCACHE)" GOMODCACHE="$$(go env GOMODCACHE)" GOPROXY="$$(go env GOPROXY)" GOSUMDB="$$(go env GOSUMDB)" GOFLAGS="$$(go env GOFLAGS)"
NODE_TEST := --test --test-reporter=spec --test-reporter-destination=stdout --test-reporter=tap --test-reporter-destination
# The race detector needs a C compiler; without one the tests run without it.
RACE := $(shell command -v gcc >/dev/null 2>&1 && echo -race)

.PHONY: demo build build-fast build-demo test test-go test-wasm test-web test-e2e types check \
	lint fuzz sim mutants bench size pack clean

demo: build-demo
	PORT=$(PORT) go run ./playground

build:
	go run ./web/internal/build

# Without compressed copies and, for the demo, without the file with WebSockets.
build-fast:
	@go run ./web/internal/build -compress=false

build-demo:
	@go run ./web/internal/build -compress=false -sockets=false

# Every layer runs, also after one has failed.
test:
	@rm -rf $(COUNTS)
	@failed=; for layer in lint test-go test-wasm test-web test-e2e; do \
		$(MAKE) --no-print-directory $$layer || failed="$$failed $$layer"; \
	done; \
	go run ./web/internal/counts -show $(COUNTS); \
	test -z "$$failed" || { echo "failed:$$failed"; exit 1; }

test-go:
	@test -n "$(RACE)" || echo "no C compiler: the race detector is off"
	go test $(RACE) -json ./... | go run ./web/internal/counts -as go -in $(COUNTS)

test-wasm:
	$(CLEAN) GOOS=js GOARCH=wasm go test -json \
		-exec "$$(go env GOROOT)/lib/wasm/go_js_wasm_exec" \
		./session/... ./toolregistry/... ./wasm/... | go run ./web/internal/counts -as wasm -in $(COUNTS)

test-web: types check
	cd web && npx --no-install tsc -p test/types/tsconfig.json
	@mkdir -p $(COUNTS)
	@go run ./web/internal/build -probe web/test/output
	cd web && $(CLEAN) node $(NODE_TEST)=test/output/counts/web.tap test/unit/*.test.js

test-e2e: build-fast web/node_modules
	@.ci/browsers
	@mkdir -p $(COUNTS) web/test/output
	go build -o web/test/output/playground ./playground
	cd web && $(CLEAN) node --import ./test/exit.js $(NODE_TEST)=test/output/counts/e2e.tap --test-concurrency=1 $$(ls test/e2e/*.test.js test/asgard/*.test.js test/card/*.test.js)

web/node_modules: web/package-lock.json
	cd web && npm ci
	@touch $@

check: build-fast web/node_modules
	cd web && npx --no-install tsc -p tsconfig.json

types: build-fast web/node_modules
	@find web/dist -name '*.d.ts' -delete
	@go run ./web/internal/build -compress=false
	cd web && npx --no-install tsc -p tsconfig.types.json

lint:
	@unformatted=$$(gofmt -l $$(git ls-files '*.go')); test -z "$$unformatted" || { echo "gofmt would change: $$unformatted"; exit 1; }
	go vet ./...
	GOOS=js GOARCH=wasm go vet ./wasm/... ./session/... ./toolregistry/...
	GOOS=js GOARCH=wasm go vet -tags websocket ./wasm/...
	go run ./web/internal/sinks web/src web/demo

size: build web/node_modules
	go run ./web/internal/size

pack: build types
	@mkdir -p web/test/output
	cd web && npm pack --pack-destination test/output

# Each target of the tests, for FUZZTIME.
fuzz:
	@go test -list '^Fuzz' ./... | awk '/^Fuzz/ { names[++n] = $$1 } /^ok/ { for (i = 1; i <= n; i++) print $$2, names[i]; n = 0 }' | \
	while read -r package target; do \
		echo "fuzz $$package $$target"; \
		go test -run '^$$' -fuzz "^$$target$$" -fuzzminimizetime 10x -fuzztime $(or $(FUZZTIME),30s) "$$package" </dev/null || exit 1; \
	done

# A failing seed: go run ./session/sim -seed N -trace
sim:
	go run ./session/sim -seeds $(or $(SEEDS),10000)
	go run ./session/sim -model
	@native=$$(go run ./session/sim -seeds 500 -hash) && \
	wasm=$$($(CLEAN) GOOS=js GOARCH=wasm go run -exec "$$(go env GOROOT)/lib/wasm/go_js_wasm_exec" ./session/sim -seeds 500 -hash) && \
	echo "trace hash of 500 seeds: $$native natively, $$wasm in WebAssembly under Node" && test "$$native" = "$$wasm"

# Breaks the session's rules one by one; each must be noticed. Some minutes.
mutants:
	go run ./session/sim/mutants

# ROW picks rows by a word of their names. Fails when a goal is missed, after
# both tables.
bench: build-fast web/node_modules
	cd web/bench && npm ci --no-audit --no-fund
	@node --expose-gc web/bench/node.js; node=$$?; node web/bench/chromium.js && exit $$node

clean:
	rm -rf web/dist web/test/output
