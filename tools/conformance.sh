#!/usr/bin/env bash
# Runs the tests of packages of the standard library as they are, and with
# os.File on sluice, once for each driver; prints the counts of each, and each
# test whose result differs. Exit status 1 if any does.
#
#   tools/conformance.sh [-d "uring aio pool"] [package...]
#
# A package of the standard library cannot import a module. So sluice is vendored
# into a copy of the toolchain's source, in a temporary directory (300 MB). Of a
# name there the linker demands that it is given away, hence the flag; in the
# environment, as net/http's tests run go test themselves.
set -euo pipefail
cd "$(dirname "$0")/.."
drivers="uring aio pool"
if [ "${1-}" = -d ]; then
	drivers=$2
	shift 2
fi
packages=("$@")
if [ $# = 0 ]; then
	packages=(os io io/fs io/ioutil bufio internal/poll archive/zip compress/gzip os/exec log text/template net/http)
fi

goroot=$(go env GOROOT)
work=$(mktemp -d "${TMPDIR:-/tmp}/sluice-conformance-XXXXXX")
trap 'rm -rf "$work"' EXIT
copy=$work/goroot
mkdir "$copy"
for entry in "$goroot"/*; do
	[ "${entry##*/}" = src ] || ln -s "$entry" "$copy/"
done
cp -r "$goroot/src" "$copy/src"
chmod -R u+w "$copy/src"

# internal/poll, as sluice makes it for a program of one file.
mkdir "$work/probe"
printf 'module probe\n\ngo 1.26\n' >"$work/probe/go.mod"
printf 'package main\n\nfunc main() {}\n' >"$work/probe/main.go"
(cd cmd/sluice && go build -o "$work/sluice" .)
(cd "$work/probe" && GOWORK=off "$work/sluice" overlay -o "$work/overlay" -- . >/dev/null)
for file in "$work"/overlay/poll/*.go; do
	sed 's#probe/_sluice/transparent#vendor/github.com/sluiceio/sluice/transparent#' "$file" >"$copy/src/internal/poll/${file##*/}"
done

GOWORK=off go list -deps -f '{{if not .Standard}}{{.ImportPath}} {{.Dir}}{{end}}' ./transparent |
	while read -r path dir; do
		mkdir -p "$copy/src/vendor/$path"
		find "$dir" -maxdepth 1 -type f \( -name '*.go' -o -name '*.s' \) ! -name '*_test.go' -exec cp {} "$copy/src/vendor/$path/" \;
	done
for package in "${packages[@]}"; do
	printf 'package %s_test\n\nimport _ "github.com/sluiceio/sluice/transparent"\n' "$(go list -f '{{.Name}}' "$package")" \
		>"$copy/src/$package/zz_sluice_transparent_test.go"
done

# results NAME: runs the tests, and keeps what came of each in NAME.
results() {
	(cd "$work/probe" && GOWORK=off GOFLAGS=-ldflags=-checklinkname=0 go test -count=1 -vet=off -v -timeout 5m "${packages[@]}") >"$work/$1.log" 2>&1 || true
	sed -nE 's/^ *--- (PASS|FAIL|SKIP): ([^ ]+).*/\2 \1/p; s/^(ok|FAIL)\s+([^ \t]+).*/package \2 \1/p' "$work/$1.log" | sort >"$work/$1"
	echo "$1: $(grep -c ' PASS$' "$work/$1") passed, $(grep -c ' FAIL$' "$work/$1") failed, $(grep -c ' SKIP$' "$work/$1") skipped"
}

status=0
results plain
for driver in $drivers; do
	export GOROOT=$copy SLUICE_DRIVER=$driver
	results "$driver"
	if ! diff "$work/plain" "$work/$driver"; then
		status=1
		grep -A20 -E '^ *--- FAIL|^panic:|^fatal error|^#' "$work/$driver.log" | head -100 || true
	fi
	unset GOROOT SLUICE_DRIVER
done
exit $status
