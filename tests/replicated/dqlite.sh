#!/usr/bin/env bash
# dqlite, on a library given: three nodes on loopback, rows of 100 bytes and some of 100 kB, two readers beside the writer, the leader killed
# under load, a node added and removed; no acknowledged row is missing, and all nodes have the same.
#
#   tests/replicated/dqlite.sh LIBDIR [ROWS [KILLS]]
#
# LIBDIR has libsqlite3.so and libsqlite3.so.0; ROWS rows (10000), KILLS kills (10). dqlite's C library comes from Debian's packages, which
# are unpacked into a temporary folder, go-dqlite as a Go module. Where either cannot be had, the test is skipped.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
lib=$(cd "$1" && pwd)
limit=${BUILD_SECONDS:-1800}
skip() { echo "dqlite: skipped, $1"; exit 0; }

command -v go >/dev/null || skip "there is no Go"
command -v apt-get >/dev/null || skip "this is not Debian"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
(cd "$work" && timeout 120 apt-get download libdqlite0 libdqlite-dev libraft2 libraft-dev >download.log 2>&1) || skip "its packages cannot be had"
for package in "$work"/*.deb; do dpkg -x "$package" "$work/root"; done
libs=$(dirname "$(find "$work/root" -name libdqlite.so.0)")
cp -r "$here/dqlite" "$work/program"
(cd "$work/program" && CGO_CFLAGS="-I$work/root/usr/include -I$here/../../crates/capi/include" \
    CGO_LDFLAGS="-L$libs -ldqlite -lraft -L$lib -lsqlite3" CGO_LDFLAGS_ALLOW="-Wl,-z,now" \
    timeout "$limit" go build -mod=mod -tags libsqlite3 -o "$work/node" . 2>"$work/build.log") || skip "it is not built within $limit s: $(tail -1 "$work/build.log")"
LD_LIBRARY_PATH=$lib:$libs "$work/node" "${2:-10000}" "${3:-10}" "$work/dumps"

# The nodes' databases, with their logs: whichever library reads them.
python3 - "$work/dumps" <<'END'
import hashlib, os, sqlite3, sys
contents = set()
for node in sorted(os.listdir(sys.argv[1])):
    db = sqlite3.connect(f"{sys.argv[1]}/{node}/test")
    assert db.execute("PRAGMA integrity_check").fetchall() == [("ok",)], node
    contents.add(hashlib.sha256(repr(db.execute("SELECT * FROM t ORDER BY a").fetchall()).encode()).hexdigest())
assert len(contents) == 1, "the nodes differ"
print("dqlite: all nodes are equal and sound")
END
