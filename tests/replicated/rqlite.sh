#!/usr/bin/env bash
# rqlite 8.36.3, on a library given: three nodes on loopback, the leader killed under load, a snapshot taken and a node started anew; no acknowledged
# row is missing, and all nodes have the same.
#
#   tests/replicated/rqlite.sh LIBDIR [ROWS [KILLS]]
#
# LIBDIR has libsqlite3.so and libsqlite3.so.0; ROWS rows (3000), KILLS kills (5). rqlite comes as a Go module and is built with cgo. Without Go
# or the module, the test is skipped. With RQLITED, the path of a program that was built before, it is not built again.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
lib=$(cd "$1" && pwd)
version=v8.36.3
limit=${BUILD_SECONDS:-1800}
skip() { echo "rqlite: skipped, $1"; exit 0; }

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
program=${RQLITED:-$work/rqlited}
if [ ! -x "$program" ]; then
    command -v go >/dev/null || skip "there is no Go"
    module=$(cd "$work" && timeout 120 go mod download -json "github.com/rqlite/rqlite/v8@$version" 2>/dev/null | sed -n 's/.*"Dir": "\(.*\)",/\1/p') || true
    [ -n "$module" ] || skip "its module cannot be had"
    (cd "$module" && CGO_ENABLED=1 CGO_CFLAGS="-I$here/../../crates/capi/include" CGO_LDFLAGS="-L$lib -lsqlite3" \
        timeout "$limit" go build -mod=readonly -tags libsqlite3 -o "$program" ./cmd/rqlited 2>"$work/build.log") \
        || skip "it is not built within $limit s: $(tail -1 "$work/build.log")"
fi
LD_LIBRARY_PATH=$lib python3 "$here/rqlite.py" "$program" "$work" "${2:-3000}" "${3:-5}"
