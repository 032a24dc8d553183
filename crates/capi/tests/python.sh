#!/usr/bin/env bash
# Runs CPython's own tests of its sqlite3 module on this library: every test that passes on SQLite passes here, but for
# those in python_exceptions.txt.
#   python.sh FOLDER [PYTHON ...]      FOLDER has libsqlite3.so; default: every python3 found whose module is linked
#                                      dynamically and that has its tests
# Answers 0 if there is no such Python.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
folder=$(cd "$1" && pwd)
shift
library=$folder/libsqlite3.so
[ -f "$library" ] || library=$folder/deps/libsqlite3.so
[ -f "$library" ] || { echo "no libsqlite3.so in $folder" >&2; exit 1; }

is_fit() { # a python whose module takes whichever libsqlite3.so.0 it finds, and that has the tests
  local module
  module=$("$1" -c 'import _sqlite3; print(_sqlite3.__file__)' 2>/dev/null) || return 1
  ldd "$module" 2>/dev/null | grep -q 'libsqlite3\.so\.0' || return 1
  "$1" -c 'import importlib.util as u, sys; sys.exit(not (u.find_spec("test") and u.find_spec("test.test_sqlite3")))' 2>/dev/null
}

pythons=("$@")
[ ${#pythons[@]} -gt 0 ] || pythons=(python3 /usr/bin/python3 "$HOME"/.pyenv/versions/3.*/bin/python3)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
ln -s "$library" "$work/libsqlite3.so.0"
sed 's/ *#.*//; /^$/d' "$here/python_exceptions.txt" >"$work/exceptions"
status=0
found=
seen=
for python in "${pythons[@]}"; do
  command -v "$python" >/dev/null && is_fit "$python" || continue
  name=$("$python" -c 'import sys; print(sys.version.split()[0], sys.prefix)')
  case $seen in *"|$name|"*) continue ;; esac
  seen="$seen|$name|"
  found=yes
  options=()
  while read -r exception; do options+=(-i "$exception"); done <"$work/exceptions"
  echo "== test_sqlite3 of Python $name"
  (cd "$work" && LD_LIBRARY_PATH=$work "$python" -m test "${options[@]}" test_sqlite3) || status=1
done
[ -n "$found" ] || echo "no Python here that is linked with libsqlite3.so.0 and has its tests: nothing tested"
exit $status
