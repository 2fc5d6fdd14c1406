# make test   every module's tests
# make check  what CI runs after them: vet, linters, race detector, cross-builds
# make soak   the random tests with new seeds, and ten minutes of internal/test/soak, until one fails or Ctrl-C
# make torture  the long forms of the tests, as root; FAMILY=fsx is one of them; it goes on where it was ended
# make cover  how many statements of the library and of copytree the tests reach, as root
# make mutate  changes of the library that the tests should notice; it goes on where it was ended
# make fuzz  each fuzz target for a minute; TIME=1h
# make conformance  tests of Go and of other programs, with and without sluice
# make conformance-ci  that of packages os and io/fs, as CI runs it
# make results  every experiment in its published form, into docs/results (several hours)
# make pebble-suite  Pebble's own tests on integrations/pebblevfs, and its crash tests
# make databases  databases of other authors, built by go build and by sluice build; as root
# make databases-mapped  Prometheus' queries through package mapped, and through mapped memory; as root
# make programs  programs that are built for disks, by go build and by sluice build; as root; PROGRAMS="git bbolt" for some
# make fix-programs  the tests of real programs, before and after sluice fix; PROGRAMS="etcd nats" for some
# make bench  the benchmark against os.File, on a temporary file in this folder
# make tidy   go mod tidy in each module, though they require each other unpublished
# make tag VERSION=v0.1.0  set the modules' versions, check, commit, tag; push nothing
# make release VERSION=v0.1.0  the archives of that tag, with SHA256SUMS, in .bin/release
# make release-check  build the archives twice, in two folders, and compare their bytes

MODULES = . bench bench/pebble cmd/sluice copytree dev integrations/pebblevfs
PLATFORMS = linux/arm64 linux/386 darwin/arm64 windows/amd64 freebsd/amd64

# Packages in which goroutines meet, beside the root and its tests.
RACE = ./batch ./internal/handle ./internal/sched/... ./internal/iopath ./internal/ioengine ./internal/budget ./internal/device ./internal/groupcommit ./internal/qos ./internal/usecount ./internal/workers ./internal/rangelock ./internal/driver/... ./internal/buffer/... ./cache/... ./internal/evict/... ./internal/record ./trace ./mapped ./transparent ./copytree ./copytree/internal/engine ./copytree/internal/walk ./copytree/internal/entry ./copytree/internal/queue ./copytree/internal/content ./copytree/internal/durable ./copytree/internal/fetch

LINT = .bin/golangci-lint

.PHONY: test check vet lint fmt race cross soak torture cover mutate fuzz conformance conformance-ci pebble-suite databases databases-mapped programs fix-programs results bench tidy tag release release-check clean

# In CI the command's tests leave out those that compile the standard library in one more way
# (build modes, coverage, the race detector), and the longest experiments: ten minutes in all.
test:
	@for m in $(MODULES); do echo "== $$m"; \
		short=; if [ "$(CI)" ]; then case $$m in cmd/sluice|dev) short=-short ;; esac; fi; \
		(cd $$m && go test -timeout=20m $$short ./...) || exit 1; done

check: vet lint race cross

vet:
	@for m in $(MODULES); do (cd $$m && go vet ./...) || exit 1; done
	go vet -tags=sluice_stress ./internal/handle ./transparent
	go vet -tags=sluice_probes ./internal/probe ./internal/ioengine ./internal/budget ./internal/device ./internal/groupcommit ./sluicetest

lint: $(LINT)
	@for m in $(MODULES); do echo "lint $$m"; (cd $$m && $(CURDIR)/$(LINT) run --allow-parallel-runners ./...) || exit 1; done

fmt: $(LINT)
	@for m in $(MODULES); do (cd $$m && $(CURDIR)/$(LINT) fmt ./...) || exit 1; done

# The linters' versions are pinned in dev/tools/go.mod, which no user of the
# library ever sees.
$(LINT): dev/tools/go.mod
	cd dev/tools && GOWORK=off go build -o ../../$(LINT) github.com/golangci/golangci-lint/v2/cmd/golangci-lint

# The tests of package sluice, by theme. Not here: frozen, of which RACE_SKIP leaves out all.
THEMES = classes closing copies differential files hazards paths positions schedulers seccomp syncs threads traces

# A third of the random operations beside package os: each takes five times as long here. Left out are
# tests of one goroutine, of memory and threads, and of disks that hang or lose writes, which take
# minutes here.
RACE_SKIP = ^(TestDifferential|TestDirectModel|TestDirectEveryEdge|TestDirectNoSpace|TestStreamMemory|TestStreamResident|TestOddBufferSizes|TestReadManyAllocatesNothing|TestThreads.*|TestCalls|TestCopyFile|TestDirFS|TestFrozen.*|TestLost.*)$$
race:
	go test -race -timeout=20m -skip '$(RACE_SKIP)' . ./direct $(THEMES:%=./internal/test/%) -sluice.diff.n=250
	go test -race -timeout=20m $(RACE)

# The library and copytree are vetted, their assembler too. Of the other modules the types are checked,
# because vet compiles all that they import; not of pebblevfs and bench/pebble, which are Pebble's.
TYPES = $(filter-out . copytree integrations/% bench/pebble,$(MODULES))
cross:
	@for p in $(PLATFORMS); do for m in $(filter . copytree,$(MODULES)); do echo "vet $$p $$m"; \
		(cd $$m && GOOS=$${p%/*} GOARCH=$${p#*/} CGO_ENABLED=0 go vet ./...) || exit 1; done; done
	@for p in $(if $(TYPES),$(PLATFORMS)); do echo "types $$p $(TYPES)"; go run ./dev/typecheck $$p $(TYPES) || exit 1; done

# CI has one seed for all (.ci/run), so that it judges a commit and not the
# draw. This is where new ones are drawn.
soak:
	@while go test -count=1 -timeout=30m ./... ./copytree/... && \
		go test -count=1 -timeout=30m ./internal/test/soak -soak.for=10m && \
		(cd cmd/sluice/sluice-tools && go test -count=1 -run 'TestBuilds/random$$' . -sluice.random.n=20000); do :; done; false

# What was done is in .torture. FLAGS="-seed 1000" begins with other seeds, FLAGS=-list prints the figures.
torture:
	go run ./dev/torture $(FLAGS) $(FAMILY)

# The statements of packages that a user's program may contain: not the examples, and not what tests are made of.
# Each is counted if the tests of any package reach it.
SHIPPED = $$(go list -deps -f '{{if not .Standard}}{{.ImportPath}}{{end}}' \
	$$(go list ./... ./copytree/... | grep -vE '/(internal|examples|docs)(/|$$)') | grep '^github.com/sluiceio/sluice' | paste -sd,)
cover:
	@mkdir -p .bin
	go test -count=1 -timeout=0 -coverpkg="$(SHIPPED)" -coverprofile=.bin/cover.out ./... ./copytree/...
	@go tool cover -func=.bin/cover.out | awk '$$3 != "100.0%"'

# Takes a few hours for a sample of 300. FLAGS="-seed 2" draws another one, FLAGS=-list prints the survivors.
mutate:
	go run ./dev/mutate $(FLAGS)

# An input that fails is kept in testdata/fuzz of the package: commit it with what mends it.
TIME = 1m
fuzz:
	@for m in $(MODULES); do (cd $$m && for p in $$(go list ./...); do \
		for f in $$(go test -list '^Fuzz' $$p | grep '^Fuzz'); do echo "== $$p $$f"; \
			go test -run '^$$' -fuzz "^$$f$$" -fuzztime $(TIME) -fuzzminimizetime=1x $$p || exit 1; \
		done || exit 1; done) || exit 1; done

# Tests that make thousands of names make them in memory, if there is a place.
MEMORY = $(if $(wildcard /dev/shm/.),-memory /dev/shm)

# Needs the module proxy, an hour and 2 GB; not a part of check. With FLAGS=-once the
# four sides of a package run at once, and all takes some 25 minutes.
conformance:
	go run ./dev/conformance $(MEMORY) $(FLAGS)

conformance-ci:
	go run ./dev/conformance -drivers "uring pool" -off -once $(MEMORY) io/fs os

# As root for all of it; what the machine lacks is said and left out. FLAGS=--quick tries
# the command with tiny sizes, FLAGS="wal fair" measures these pages.
results:
	go run ./dev/results $(FLAGS)

# Takes hours. FLAGS=-pebble.suite=F runs the tests of the folders F of Pebble, as in vfs,sstable/..., and
# FLAGS=-pebble.meta=N makes N runs of the metamorphic test in each mode. They write some hundred MB each, one at a
# time. -pebble.meta.first=N goes on with the run of seed N.
pebble-suite:
	cd integrations/pebblevfs && go test -count=1 -v -timeout=24h -run='^(TestPebble|TestMetamorphic|TestKill|TestCut)$$' . \
		-pebble.suite=all -pebble.meta=500 -pebble.kills=500 -pebble.cuts=200 $(FLAGS)

# Needs the module proxy and half an hour; not a part of check, and not of the workspace.
databases:
	cd bench/databases && GOWORK=off go test . && GOWORK=off go run . -o ../../docs/results/databases.md $(FLAGS)

# Needs the module proxy, half an hour and 2 GB of disk; not a part of check.
databases-mapped:
	cd bench/databases && GOWORK=off go test . && \
		GOWORK=off go run . -o ../../docs/results/prometheus.md $(FLAGS) prometheus-query

# Takes half an hour, a quarter of it for the builds, and 4 GB. A result that is there is replaced.
programs:
	cd bench/databases && GOWORK=off go test . && \
		GOWORK=off go run . -rounds 8 -rows ../../docs/results/data/programs/rows.json \
		-o ../../docs/results/programs.md $(FLAGS) $(or $(PROGRAMS),programs)

# Needs the module proxy, half an hour and 200 MB; not a part of check.
fix-programs:
	go run ./dev/fixprograms -rows docs/results/data/fix/programs.json -o docs/results/fix.md $(PROGRAMS)

bench:
	go run ./cmd/sluice/sluice-tools bench

tidy:
	go run ./dev/release tidy

tag:
	go run ./dev/release tag "$(VERSION)"

# The version is pinned; the go command verifies what it downloads. Takes five minutes, once.
GORELEASER = .bin/goreleaser-v2.16.0
$(GORELEASER):
	GOBIN=$(CURDIR)/.bin go install github.com/goreleaser/goreleaser/v2@$(@:.bin/goreleaser-%=%)
	mv .bin/goreleaser $@

# Beside other work the builds may take longer than GoReleaser's limit of an hour.
release: $(GORELEASER)
	@test "$(VERSION)" || { echo "make release: want VERSION=v0.1.0"; exit 1; }
	GORELEASER_CURRENT_TAG="$(VERSION)" $(GORELEASER) release --config=dev/release/goreleaser.yaml --clean --timeout=6h

# The second build has a tree and a build cache of its own. Both are of the last commit.
TRY = GORELEASER_CURRENT_TAG=v0.0.0 $(CURDIR)/$(GORELEASER) release --config=dev/release/goreleaser.yaml --snapshot --timeout=6h
release-check: $(GORELEASER)
	@dir=$$(mktemp -d) && trap 'rm -rf "$$dir"' EXIT && set -e && \
		git clone -q . "$$dir/one" && git clone -q . "$$dir/elsewhere" && \
		(cd "$$dir/one" && $(TRY)) && \
		(cd "$$dir/elsewhere" && GOCACHE="$$dir/cache" $(TRY)) && \
		diff "$$dir/one/.bin/release/SHA256SUMS" "$$dir/elsewhere/.bin/release/SHA256SUMS" && \
		(cd "$$dir/one/.bin/release" && sha256sum --check SHA256SUMS) && \
		tar -C "$$dir" -xzf "$$dir/one/.bin/release/sluice-v0.0.0-linux-amd64.tar.gz" && cd "$$dir"/sluice-v0.0.0-* && \
		for f in LICENSE README.md CHANGELOG.md NOTICES sluice sluice-tools man/man1/sluice.1 man/man1/sluice-cp.1 \
			completions/sluice.bash completions/_sluice completions/sluice.fish; do test -s "$$f" || { echo "no $$f"; exit 1; }; done

clean:
	rm -rf .bin
