#!/usr/bin/env bash
# Counts the instructions of single statements, on this library and on SQLite, with callgrind: a count does not depend on what else
# the machine does. Prints a table of Lithe / SQLite for each operation of crates/capi/examples/statements.c, and the geometric mean.
#
#   tests/instructions/run.sh FOLDER [OPERATION…]   FOLDER has our libsqlite3.so, such as target/release
#   tests/instructions/run.sh --check FOLDER        fails, too, where an operation takes 3% more than kept.txt says
#   tests/instructions/run.sh --keep FOLDER         writes kept.txt
#
# SQLite is compiled with -O2 from the sources that the crate libsqlite3-sys brings along, without options that slow its statements down
# (STAT4 and others); REFERENCE names a folder with another libsqlite3.so.0. Its counts are kept in target/instructions for the next run.
set -euo pipefail
cd "$(dirname "$0")/../.."
mode=print
case "${1:-}" in --check | --keep) mode=${1#--}; shift ;; esac
ours=$(realpath "${1:?the folder of libsqlite3.so}")
shift
out="${CARGO_TARGET_DIR:-$PWD/target}/instructions"
kept=tests/instructions/kept.txt
mkdir -p "$out/lithe" "$out/sqlite"

if ! command -v valgrind >/dev/null; then echo "instructions: skipped, no valgrind" >&2; exit 0; fi

reference() {
    if [ -n "${REFERENCE:-}" ]; then cp "$REFERENCE/libsqlite3.so.0" "$out/sqlite/"; return; fi
    [ -e "$out/sqlite/libsqlite3.so.0" ] && return
    local manifest
    manifest=$(cargo metadata --format-version 1 --filter-platform x86_64-unknown-linux-gnu | grep -o '"manifest_path":"[^"]*/libsqlite3-sys-[^"]*"' | head -1 | cut -d'"' -f4)
    cc -O2 -g -shared -fPIC -DHAVE_FDATASYNC=1 -o "$out/sqlite/libsqlite3.so.0" "$(dirname "$manifest")/sqlite3/sqlite3.c" -lpthread -ldl -lm
    rm -f "$out/sqlite/counts"
}

# count LIBRARY OPERATION COUNT: instructions of one execution.
count() {
    local folder="$out/$1"
    (
        cd "$folder"
        ./statements "$2" fill
        valgrind --tool=callgrind --toggle-collect=measured --callgrind-out-file="$2.out" ./statements "$2" "$3" >log 2>&1 || { cat log >&2; exit 1; }
        awk -v count="$3" '/^(summary|totals):/ { total = $2 } END { printf "%d\n", total / count }' "$2.out"
        rm -f statements.db
    )
}

known() { [ ! -e "$1" ] || awk -v name="$2" '$1 == name { print $2 }' "$1" | tail -1; }

reference
cp "$ours/libsqlite3.so" "$out/lithe/libsqlite3.so.0"
for library in lithe sqlite; do
    if [ crates/capi/examples/statements.c -nt "$out/$library/statements" ]; then
        cc -O2 -g -o "$out/$library/statements" crates/capi/examples/statements.c -Icrates/capi/include \
            "$out/$library/libsqlite3.so.0" -Wl,-rpath,'$ORIGIN'
        rm -f "$out/$library/counts"
    fi
done
: >"$out/lithe/counts"

printf '%-18s %12s %12s %8s\n' operation SQLite Lithe ratio
"$out/lithe/statements" 2>&1 | while read -r name times; do
    if [ $# -gt 0 ] && [[ " $* " != *" $name "* ]]; then continue; fi
    theirs=$(known "$out/sqlite/counts" "$name")
    if [ -z "$theirs" ]; then
        theirs=$(count sqlite "$name" "$times")
        echo "$name $theirs" >>"$out/sqlite/counts"
    fi
    mine=$(count lithe "$name" "$times")
    echo "$name $mine $theirs" >>"$out/lithe/counts"
    awk -v name="$name" -v mine="$mine" -v theirs="$theirs" \
        'BEGIN { printf "%-18s %12d %12d %8.2f\n", name, theirs, mine, mine / theirs }'
done

awk '{ sum += log($2 / $3); n++; if (n == 17) printf "geometric mean of the first 17: %.3f\n", exp(sum / n) }
     END { if (n != 17 && n) printf "geometric mean of all %d: %.3f\n", n, exp(sum / n) }' "$out/lithe/counts"

case "$mode" in
    keep) awk '{ print $1, $2 }' "$out/lithe/counts" >"$kept" ;;
    check)
        awk 'NR == FNR { kept[$1] = $2; next }
             ($1 in kept) && $2 > kept[$1] * 1.03 { printf "%s: %d instructions, %d were kept\n", $1, $2, kept[$1]; bad = 1 }
             END { exit bad }' "$kept" "$out/lithe/counts" >&2
        ;;
esac
