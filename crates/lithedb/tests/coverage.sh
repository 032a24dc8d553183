#!/usr/bin/env bash
# What the random tests reach: builds them with the compiler's coverage counters, plays them, and prints how many instructions of
# the virtual machine, productions of the grammar (functions of the parser) and functions of planner, code generator and B-tree
# were executed, and which were not. Needs the component llvm-tools of rustup. The table is in docs/RELIABILITY.md.
set -euo pipefail
cd "$(dirname "$0")/../../.."

root=$PWD
target=${COVERAGE_TARGET:-$root/target/coverage}
tools=$(echo "$(rustc --print sysroot)"/lib/rustlib/*/bin)

binaries=$(CARGO_TARGET_DIR=$target RUSTFLAGS="-C instrument-coverage" cargo test --profile checked -p lithedb \
    --test oracle --test interleave --test relations --no-run 2>&1 | sed -n 's/.*Executable.*(\(.*\))/\1/p')
rm -f "$target"/*.profraw
objects=()
for binary in $binaries; do
    objects+=(-object "$binary")
    # A test that finds a difference has reached what it has reached.
    (cd crates/lithedb && LLVM_PROFILE_FILE="$target/%p.profraw" "$binary" >&2) || echo "$binary has failed" >&2
done
"$tools/llvm-profdata" merge -sparse "$target"/*.profraw -o "$target/all.profdata"
cover() { "$tools/llvm-cov" "$1" -instr-profile "$target/all.profdata" "${objects[@]:1}" "${@:2}"; }

# A line of the loop's match: its number, how often it ran, the instruction.
cover show -show-instantiations=false "$root/crates/vm/src/run.rs" |
    awk -F'|' '/Insn::[A-Z][A-Za-z]* / {
        ran = $2 + 0 > 0
        while (match($3, /Insn::[A-Z][A-Za-z]*/)) {
            name = substr($3, RSTART + 6, RLENGTH - 6); $3 = substr($3, RSTART + RLENGTH)
            if (!(name in seen)) { all++; seen[name] = 1 }
            if (ran) reached[name] = 1
        }
    }
    END {
        for (name in seen) if (name in reached) some++; else missing = missing " " name
        printf "instructions: %d of %d; not:%s\n", some, all, missing
    }'

# The functions of a folder: instances of one generic function are one. Names are mangled: the last part that is no hash is shown.
functions() {
    cover report -show-functions "${@:2}" | awk -v title="$1" '
        function last_name(mangled,    at, part, name, len) {
            for (at = 1; at <= length(mangled); at++) {
                if (match(substr(mangled, at), /^[0-9]+/)) {
                    len = substr(mangled, at, RLENGTH) + 0; part = substr(mangled, at + RLENGTH, len)
                    if (length(part) == len && part ~ /^_?[a-z_][a-zA-Z0-9_]*$/ && part !~ /^h[0-9a-f]{16}$/) { name = part; at += RLENGTH + len - 1 }
                }
            }
            return name
        }
        /^File/ { file = $2; sub(/.*crates\//, "", file); gsub(/[\x27:]/, "", file) }
        /^_/ { name = file ":" last_name($1); seen[name] = 1; if ($5 > $6) reached[name] = 1 }
        END {
            for (name in seen) { all++; if (name in reached) some++; else missing = missing "\n    " name }
            printf "%s: %d of %d; not:%s\n", title, some, all, missing
        }'
}
functions "grammar (functions of the parser)" "$root/crates/sql/src/parser"
functions "planner, access paths" "$root/crates/optimize/src"
functions "code generator" "$root/crates/codegen/src"
functions "machine" "$root/crates/vm/src"
functions "B-tree" "$root/crates/btree/src"
functions "pager" "$root/crates/pager/src"
