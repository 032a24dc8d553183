#!/usr/bin/env bash
# Litestream 0.3.13, on a library given, follows a database that is loaded, vacuumed and checkpointed while either side is killed. Each restore
# must be a moment of the source.
#
#   tests/replicated/litestream.sh LIBDIR [ROUNDS [MB]]
#
# LIBDIR has libsqlite3.so and libsqlite3.so.0; ROUNDS restores (50), loads of MB megabytes (200). Litestream comes as a Go module and is
# built with cgo. Without Go, its module, or a Python that takes the library, the test is skipped.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
lib=$(cd "$1" && pwd)
version=v0.3.13
skip() { echo "litestream: skipped, $1"; exit 0; }

command -v go >/dev/null || skip "there is no Go"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
module=$(cd "$work" && go mod download -json "github.com/benbjohnson/litestream@$version" 2>/dev/null | sed -n 's/.*"Dir": "\(.*\)",/\1/p')
[ -n "$module" ] || skip "its module cannot be had"
include=$here/../../crates/capi/include
(cd "$module" && CGO_ENABLED=1 CGO_CFLAGS="-I$include" CGO_LDFLAGS="-L$lib -lsqlite3" \
    go build -mod=readonly -tags libsqlite3 -o "$work/litestream" ./cmd/litestream 2>"$work/build.log") \
    || skip "it cannot be built: $(tail -1 "$work/build.log")"
for python in "${PYTHON:-/usr/bin/python3}" python3; do
    found=$(LD_LIBRARY_PATH=$lib "$python" -c 'import _sqlite3, sqlite3; print(next((l.split()[-1] for l in open("/proc/self/maps") if "libsqlite3.so" in l), ""))' 2>/dev/null || true)
    case $found in "$lib"/*|"$(readlink -f "$lib/libsqlite3.so.0")") break;; esac
    python=
done
[ -n "$python" ] || skip "no Python takes the library"
LD_LIBRARY_PATH=$lib "$python" "$here/litestream.py" "$work" "${2:-50}" "${3:-200}"
