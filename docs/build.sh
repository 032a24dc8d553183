#!/usr/bin/env bash
# Builds docs/ as a book (mdBook, with search) into target/book, and prints where its first page is. Skipped where the
# registry that has mdBook cannot be reached.
set -euo pipefail
cd "$(dirname "$0")/.."
target="${CARGO_TARGET_DIR:-$PWD/target}"
manifest=tools/book/Cargo.toml
if ! cargo fetch --quiet --locked --manifest-path $manifest 2>/dev/null; then
    echo "book: skipped, the registry cannot be reached" >&2
    exit 0
fi
cargo run --quiet --locked --manifest-path $manifest --target-dir "$target/book-builder"
