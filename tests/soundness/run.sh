#!/usr/bin/env bash
# What the compiler cannot promise, watched while it runs: Miri, loom, ThreadSanitizer. See docs/RELIABILITY.md, "Soundness".
#
#   tests/soundness/run.sh            all of it: an hour
#   tests/soundness/run.sh sample     what two minutes hold
#   tests/soundness/run.sh miri       one of miri, loom, tsan
#
# Miri and ThreadSanitizer take a nightly toolchain with the components miri and rust-src, ThreadSanitizer a C compiler too,
# loom the registry. What is not here is skipped, and said so; TOOLCHAIN names another toolchain.
set -euo pipefail
cd "$(dirname "$0")/../.."
what="${1:-all}"
toolchain="${TOOLCHAIN:-nightly}"
target="${CARGO_TARGET_DIR:-$PWD/target}"
host=x86_64-unknown-linux-gnu

skip() { echo "soundness: $1: skipped, $2" >&2; }
has_component() { cargo "+$toolchain" "$@" --version >/dev/null 2>&1; }
has_sources() { [ -d "$(rustc "+$toolchain" --print sysroot 2>/dev/null)/lib/rustlib/src" ]; }

# Every pointer under the rules of Stacked Borrows. What the process leaves behind on purpose (address space) is no leak.
miri() {
    if ! has_component miri || ! has_sources; then skip miri "no $toolchain toolchain with miri and rust-src"; return; fi
    export MIRIFLAGS="-Zmiri-disable-isolation -Zmiri-permissive-provenance -Zmiri-ignore-leaks"
    cargo "+$toolchain" miri test -p lithe-vfs --lib
    if [ "$what" = sample ]; then
        cargo "+$toolchain" miri test -p lithe-pager --test memory
        return
    fi
    cargo "+$toolchain" miri test -p lithe-pager --lib --test memory
    cargo "+$toolchain" miri test -p lithe-btree --lib --test replaced
    cargo "+$toolchain" miri test -p lithedb --test soundness
}

# Every order of threads in the mutex of connections, in group commit, and in the reader states of a shared cache. Three changes of thread
# at moments of loom's choosing are enough for most mistakes; LOOM_MAX_PREEMPTIONS=100 tries all orders, for minutes.
loom() {
    local models=tests/soundness/models
    export LOOM_MAX_PREEMPTIONS="${LOOM_MAX_PREEMPTIONS:-$([ "$what" = sample ] && echo 2 || echo 3)}"
    if ! cargo fetch --quiet --manifest-path $models/Cargo.toml 2>/dev/null; then skip loom "the registry cannot be reached"; return; fi
    cargo test --quiet --release --manifest-path $models/Cargo.toml --target-dir "$target/models"
}

# The C library and a program of threads, both instrumented. (AddressSanitizer and valgrind run the C programs of crates/capi
# in its own tests.)
tsan() {
    if ! has_sources; then skip tsan "no $toolchain toolchain with rust-src"; return; fi
    local out="$target/tsan" program
    mkdir -p "$target"
    if ! echo 'int main(void){return 0;}' | cc -fsanitize=thread -x c -o "$out.probe" - 2>/dev/null; then
        skip tsan "no C compiler with -fsanitize=thread"
        return
    fi
    rm -f "$out.probe"
    RUSTFLAGS="-Zsanitizer=thread -Zexternal-clangrt" cargo "+$toolchain" build -p lithe-capi --profile checked \
        -Zbuild-std --target $host --target-dir "$out"
    local lib="$out/$host/checked"
    ln -sf libsqlite3.so "$lib/libsqlite3.so.0"
    program="$out/threads"
    cc -g -O1 -fsanitize=thread -rdynamic -Icrates/capi/include tests/soundness/threads.c tests/soundness/tsan_calls.c \
        "$lib/libsqlite3.so" -lpthread -o "$program"
    for mode in delete wal shared one; do
        rm -f "$out"/threads.db*
        # Older runtimes do not find their way in addresses that are random.
        LD_LIBRARY_PATH="$lib" TSAN_OPTIONS=halt_on_error=1 setarch -R "$program" $mode "$out/threads.db"
    done
}

case "$what" in
    all) miri; loom; tsan ;;
    sample) miri; loom ;;
    miri | loom | tsan) "$what" ;;
    *) echo "usage: $0 [all | sample | miri | loom | tsan]" >&2; exit 2 ;;
esac
