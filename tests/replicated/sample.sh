#!/usr/bin/env bash
# A sample of the tests beside this script, on a libsqlite3.so given: a minute for all, once Go has built the programs. Where Go has never built
# them, that takes ten minutes: each program gets BUILD_SECONDS (90), and is skipped when they are over. Go keeps what it has built, so that the next time goes on there.
#
#   tests/replicated/sample.sh FOLDER
#
# FOLDER has libsqlite3.so. What cannot be had is skipped, with a line that says so.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
export BUILD_SECONDS="${BUILD_SECONDS:-90}"
# Always the same folder: Go keeps what it has built with the same flags.
lib=$1/replicated
mkdir -p "$lib"
for name in libsqlite3.so libsqlite3.so.0; do ln -sf "$(readlink -f "$1/libsqlite3.so")" "$lib/$name"; done
"$here/dqlite.sh" "$lib" 200 1
"$here/litestream.sh" "$lib" 1 20
"$here/rqlite.sh" "$lib" 200 1
