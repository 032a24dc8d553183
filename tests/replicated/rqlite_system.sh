#!/usr/bin/env bash
# rqlite's own system tests, on a library given: those in Python (nodes as processes: clusters, joins, restarts, backups, upgrades, extensions), and those
# in Go of the packages that use the database.
#
#   tests/replicated/rqlite_system.sh LIBDIR [REFDIR]
#
# LIBDIR has libsqlite3.so and libsqlite3.so.0. With REFDIR, a folder with SQLite's, the tests run on that first, and each test that ends
# otherwise on LIBDIR is named and fails this script; without, the failing tests are listed. Tests that need a service of somebody's (S3, Consul, etcd)
# skip themselves or fail on both. rqlite comes as a Go module, the Python package requests from its registry: what cannot be had is skipped.
# With RQLITED, the path of a program that was built before, it is not built again. It takes 15 minutes a library.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
version=v8.36.3
limit=${BUILD_SECONDS:-1800}
skip() { echo "rqlite's system tests: skipped, $1"; exit 0; }

command -v go >/dev/null || skip "there is no Go"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
module=$(cd "$work" && timeout 120 go mod download -json "github.com/rqlite/rqlite/v8@$version" 2>/dev/null | sed -n 's/.*"Dir": "\(.*\)",/\1/p') || true
[ -n "$module" ] || skip "its module cannot be had"
cp -r "$module" "$work/source"
chmod -R u+w "$work/source"
python=${PYTHON:-python3}
if ! "$python" -c 'import requests' 2>/dev/null; then
    "$python" -m venv "$work/venv" && "$work/venv/bin/pip" install --quiet requests || skip "the Python package requests cannot be had"
    python=$work/venv/bin/python
fi

# As rqlite's own CI makes them, with the headers that it has: its carray.c defines a function that newer ones have. The one test that asks for a repository of more extensions finds an empty folder.
headers=$(cd "$work/source" && go list -mod=readonly -m -f '{{.Dir}}' github.com/rqlite/go-sqlite3 2>/dev/null) || skip "its modules cannot be had"
mkdir "$work/extensions" "$work/misc"
for name in rot13 carray; do
    cc -w -fPIC -shared -I"$headers" "$module/db/testdata/$name.c" -o "$work/extensions/$name.so"
done
"$python" -m zipfile -c "$work/rot13.zip" "$work/extensions/rot13.so"
tar -czf "$work/rot13.tar.gz" -C "$work/extensions" rot13.so
export EXTENSIONS_PATH="$work/extensions/rot13.so" EXTENSIONS_PATH_DIR="$work/extensions" EXTENSIONS_PATH_ZIP="$work/rot13.zip"
export EXTENSIONS_PATH_TAR_GZIP="$work/rot13.tar.gz" EXTENSIONS_PATH_MULTIPLE="$work/rot13.zip,$work/extensions/carray.so" EXTENSIONS_PATH_MISC="$work/misc"

# The outcome of each test, one a line, to standard output; what the tests say, to the file $2.
play() {
    local lib said=$2
    lib=$(cd "$1" && pwd)
    export CGO_ENABLED=1 CGO_CFLAGS="-I$here/../../crates/capi/include" CGO_LDFLAGS="-L$lib -lsqlite3" LD_LIBRARY_PATH="$lib"
    export RQLITED_PATH="${RQLITED:-$work/rqlited}"
    if [ ! -x "$RQLITED_PATH" ]; then
        (cd "$work/source" && timeout "$limit" go build -mod=readonly -tags libsqlite3 -o "$RQLITED_PATH" ./cmd/rqlited >"$said" 2>&1) \
            || skip "it is not built within $limit s: $(tail -1 "$said")"
    fi
    : >"$said"
    # The folder that they are run in is that of rqlite's CI.
    local tests folder
    for tests in single_node upgrade joining multi_node multi_node_adv auto_clustering auto_state extensions; do
        folder=$work/source
        [ $tests != upgrade ] || folder=$folder/system_test/e2e
        (cd "$folder" && TMPDIR=$work timeout 1800 "$python" -W ignore "$here/outcomes.py" "$work/source/system_test/e2e/$tests.py" 2>>"$said") || true
    done
    (cd "$work/source" && go test -mod=readonly -tags libsqlite3 -v ./db ./store ./system_test >"$said.part" 2>&1) || true
    sed -n 's/^ *--- \(PASS\|FAIL\|SKIP\): \([^ ]*\).*/go: \2: \1/p' "$said.part"
    cat "$said.part" >>"$said"
}

outcome() { echo "rqlite's system tests on $1: $(grep -c 'PASS$' "$2") passed, $(grep -c 'FAIL$' "$2") failed, $(grep -c 'SKIP$' "$2") skipped"; }
keep() { if [ -n "${KEEP:-}" ]; then mkdir -p "$KEEP" && cp "$work/$1" "$work/$1.said" "$KEEP/"; fi; }

if [ $# -gt 1 ]; then
    play "$2" "$work/ref.said" >"$work/ref"
    keep ref
    outcome "$2" "$work/ref"
fi
play "$1" "$work/own.said" >"$work/own"
keep own
outcome "$1" "$work/own"
[ -s "$work/own" ] || { tail -20 "$work/own.said"; exit 1; }
if [ $# -gt 1 ]; then
    diff <(sort "$work/ref") <(sort "$work/own") || exit 1
    echo "each test ends alike on both"
else
    grep 'FAIL$' "$work/own" || true
fi
