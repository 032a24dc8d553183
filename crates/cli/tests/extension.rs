//! Extensions made in C, loaded into the shell.

mod common;

use std::path::{Path, PathBuf};
use std::process::Command;

/// Compiles the extension of the C library's tests, with the function `twice()`, the collation `by_length` and the table `words`.
fn extension(folder: &Path) -> PathBuf {
    let capi = Path::new(env!("CARGO_MANIFEST_DIR")).join("../capi");
    let library = folder.join("extension.so");
    let mut compiler = Command::new("cc");
    compiler.args(["-shared", "-fPIC", "-Wall", "-o"]).arg(&library);
    compiler.arg("-I").arg(capi.join("include")).arg(capi.join("tests/extension.c"));
    let output = compiler.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    library
}

/// The output and the error output of the shell.
fn run(folder: &Path, arguments: &[&str], input: &str) -> (String, String) {
    let output = common::shell(folder, arguments, input);
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (text(output.stdout), text(output.stderr))
}

#[test]
fn an_extension_adds_functions_collations_and_modules() {
    let folder = tempfile::tempdir().unwrap();
    extension(folder.path());
    let script = "CREATE TABLE t(a); INSERT INTO t VALUES ('bbb'), ('c'), ('aa');
.load ./extension
SELECT twice(21);
SELECT a FROM t ORDER BY a COLLATE by_length;
SELECT word FROM words('some text');
CREATE TEMP TABLE kept AS SELECT twice(a) AS a FROM (SELECT 4 AS a);
SELECT a FROM kept;
SELECT word FROM words('open when closed') LIMIT 1;
";
    let (out, err) = run(folder.path(), &[], script);
    assert_eq!((out.as_str(), err.as_str()), ("42\nc\naa\nbbb\nsome\ntext\n8\nopen\n", ""));
}

#[test]
fn an_extension_belongs_to_its_connection() {
    let folder = tempfile::tempdir().unwrap();
    extension(folder.path());
    let script = "SELECT load_extension('./extension.so', 'sqlite3_extension_init');
SELECT twice(1);
.open other.db
SELECT twice(2);
.load extension
.load ./extension.so no_such_entry
.load ./extension.so
.connection 1
.connection 0
SELECT twice(3);
";
    let (out, err) = run(folder.path(), &[], script);
    assert_eq!(out, "\n2\n6\n");
    let lines: Vec<&str> = err.lines().collect();
    assert_eq!(lines.len(), 5, "{err}");
    assert_eq!(lines[0], "Parse error near line 4: no such function: twice");
    assert_eq!(lines[3], "Error: extension.so: cannot open shared object file: No such file or directory");
    assert!(lines[4].starts_with("Error: ") && lines[4].contains("no_such_entry"), "{err}");
}

#[test]
fn the_safe_mode_loads_nothing() {
    let folder = tempfile::tempdir().unwrap();
    extension(folder.path());
    let (out, err) = run(folder.path(), &["--safe"], ".load ./extension\nSELECT 1;\n");
    assert_eq!((out.as_str(), err.as_str()), ("", "line 1: cannot run .load in safe mode\n"));
    let (out, err) = run(folder.path(), &["--safe"], "SELECT load_extension('./extension');\n");
    assert_eq!((out.as_str(), err.as_str()), ("", "line 1: cannot use the load_extension() function in safe mode\n"));
}
