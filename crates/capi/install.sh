#!/usr/bin/env bash
# Installs the library as libsqlite3 below PREFIX (default /usr/local): shared and static library, header, pkg-config file.
#   cargo build --release -p lithe-capi && crates/capi/install.sh PREFIX
# LIBDIR=lib64 and TARGET=folder with libsqlite3.so may be set in the environment.
set -euo pipefail
prefix=${1:-/usr/local}
here=$(cd "$(dirname "$0")" && pwd)
target=${TARGET:-${CARGO_TARGET_DIR:-$here/../../target}/release}
libdir=$prefix/${LIBDIR:-lib}
version=3.54.1

[ -f "$target/libsqlite3.so" ] || { echo "no $target/libsqlite3.so: run cargo build --release -p lithe-capi first" >&2; exit 1; }
install -d "$libdir/pkgconfig" "$prefix/include"
install -m 755 "$target/libsqlite3.so" "$libdir/libsqlite3.so.$version"
ln -sf "libsqlite3.so.$version" "$libdir/libsqlite3.so.0"
ln -sf libsqlite3.so.0 "$libdir/libsqlite3.so"
[ ! -f "$target/libsqlite3.a" ] || install -m 644 "$target/libsqlite3.a" "$libdir/libsqlite3.a"
install -m 644 "$here/include/sqlite3.h" "$here/include/sqlite3ext.h" "$prefix/include/"
cat >"$libdir/pkgconfig/sqlite3.pc" <<EOF
prefix=$prefix
libdir=$libdir
includedir=\${prefix}/include

Name: SQLite
Description: Lithe, an SQL database engine, with SQLite's C interface
Version: $version
Libs: -L\${libdir} -lsqlite3
Libs.private: -lm -ldl -lpthread
Cflags: -I\${includedir}
EOF
echo "installed libsqlite3 $version in $libdir"
