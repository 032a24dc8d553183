#!/usr/bin/env bash
# Litestream follows a database of an application on a library given, which is loaded, vacuumed and checkpointed while either side is killed.
# Each restore must be a moment of the source.
#
#   tests/replicated/litestream.sh LIBDIR [ROUNDS [MB [VERSION]]]
#
# LIBDIR has libsqlite3.so and libsqlite3.so.0; ROUNDS restores (50), loads of MB megabytes (200); VERSION of Litestream (v0.3.13), or
# "newest". It comes as a Go module. 0.3 is built with cgo, on the library; from 0.5 on it has an SQLite of its own, in Go, and only the
# application is on the library. Without Go, the module, or a Python that takes the library, the test is skipped. With LITESTREAM, the path
# of a program that was built before, it is not built again. FIRST is the number of the first round (0), whose random numbers it decides; KEEP a folder
# for the files of rounds that fail.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
lib=$(cd "$1" && pwd)
version=${4:-v0.3.13}
limit=${BUILD_SECONDS:-1800}
skip() { echo "litestream: skipped, $1"; exit 0; }

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
if [ -n "${LITESTREAM:-}" ]; then
    ln -s "$(readlink -f "$LITESTREAM")" "$work/litestream"
    version=$(basename "$LITESTREAM")
else
    command -v go >/dev/null || skip "there is no Go"
    cd "$work"
    if [ "$version" = newest ]; then
        version=$(go list -m -versions github.com/benbjohnson/litestream 2>/dev/null | tr ' ' '\n' | grep -v beta | tail -1) || true
        [ -n "$version" ] || skip "its versions cannot be had"
    fi
    module=$(timeout 120 go mod download -json "github.com/benbjohnson/litestream@$version" 2>/dev/null | sed -n 's/.*"Dir": "\(.*\)",/\1/p') || true
    [ -n "$module" ] || skip "its module cannot be had"
    (cd "$module" && CGO_ENABLED=1 CGO_CFLAGS="-I$here/../../crates/capi/include" CGO_LDFLAGS="-L$lib -lsqlite3" \
        timeout "$limit" go build -mod=readonly -tags libsqlite3 -o "$work/litestream" ./cmd/litestream 2>"$work/build.log") \
        || skip "it is not built within $limit s: $(tail -1 "$work/build.log")"
    cd "$here"
fi
echo "litestream $version"
for python in "${PYTHON:-/usr/bin/python3}" python3; do
    found=$(LD_LIBRARY_PATH=$lib "$python" -c 'import _sqlite3, sqlite3; print(next((l.split()[-1] for l in open("/proc/self/maps") if "libsqlite3.so" in l), ""))' 2>/dev/null || true)
    case $found in "$lib"/*|"$(readlink -f "$lib/libsqlite3.so.0")") break;; esac
    python=
done
[ -n "$python" ] || skip "no Python takes the library"
LD_LIBRARY_PATH=$lib "$python" "$here/litestream.py" "$work" "${2:-50}" "${3:-200}"
