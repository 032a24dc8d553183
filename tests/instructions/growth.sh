#!/usr/bin/env bash
# How the cost of operations grows with the size of what they work on, in instructions, on this library and on SQLite's: each operation of
# crates/capi/examples/growth.c at two sizes, one four times the other. Prints how many times the larger one costs the smaller, and
# Lithe / SQLite at the larger one.
#
#   tests/instructions/growth.sh FOLDER [OPERATION…]   FOLDER has our libsqlite3.so, such as target/release
#   tests/instructions/growth.sh --check FOLDER        fails where an operation grows by more than one and a half times what it does on
#                                                      SQLite, and takes more instructions there
#
# SQLite is the one of run.sh, or REFERENCE/libsqlite3.so.0.
set -euo pipefail
cd "$(dirname "$0")/../.."
check=0
if [ "${1:-}" = --check ]; then check=1 && shift; fi
ours=$(realpath "${1:?the folder of libsqlite3.so}")
shift
out="${CARGO_TARGET_DIR:-$PWD/target}/instructions/growth"
mkdir -p "$out/lithe" "$out/sqlite"

if ! command -v valgrind >/dev/null; then echo "growth: skipped, no valgrind" >&2; exit 0; fi

if [ -n "${REFERENCE:-}" ]; then
    cp "$REFERENCE/libsqlite3.so.0" "$out/sqlite/"
else
    manifest=$(cargo metadata --format-version 1 --filter-platform x86_64-unknown-linux-gnu | grep -o '"manifest_path":"[^"]*/libsqlite3-sys-[^"]*"' | head -1 | cut -d'"' -f4)
    if [ ! -e "$out/sqlite/libsqlite3.so.0" ]; then
        cc -O2 -g -shared -fPIC -DHAVE_FDATASYNC=1 -DSQLITE_ENABLE_DBSTAT_VTAB -o "$out/sqlite/libsqlite3.so.0" "$(dirname "$manifest")/sqlite3/sqlite3.c" -lpthread -ldl -lm
    fi
fi
cp "$ours/libsqlite3.so" "$out/lithe/libsqlite3.so.0"
for library in lithe sqlite; do
    cc -O2 -g -o "$out/$library/growth" crates/capi/examples/growth.c -Icrates/capi/include "$out/$library/libsqlite3.so.0" -Wl,-rpath,'$ORIGIN'
done

# count LIBRARY OPERATION SIZE: the instructions of the operation.
count() {
    (
        cd "$out/$1"
        valgrind --tool=callgrind --toggle-collect=measured --callgrind-out-file=growth.out ./growth "$2" "$3" >log 2>&1 </dev/null || { cat log >&2; exit 1; }
        awk '/^(summary|totals):/ { total = $2 } END { print total }' growth.out
    )
}

printf '%-26s %9s %14s %14s %8s %8s %8s\n' operation size SQLite Lithe 'grows by' and ratio
bad=0
while read -r size name; do
    if [ $# -gt 0 ] && [[ ! " $* " == *"$name"* ]]; then continue; fi
    large=$((4 * size))
    numbers="$(count sqlite "$name" "$size") $(count sqlite "$name" "$large") $(count lithe "$name" "$size") $(count lithe "$name" "$large")"
    awk -v name="$name" -v size="$large" '{
        printf "%-26s %9d %14d %14d %8.1f %8.1f %8.2f\n", name, size, $2, $4, $2 / $1, $4 / $3, $4 / $2
        exit ($4 / $3 > 1.5 * $2 / $1 && $4 > $2)
    }' <<<"$numbers" || { echo "$name: grows faster than on SQLite" >&2; bad=1; }
done < <("$out/lithe/growth")
[ $check = 0 ] || exit $bad
