//! Helpers of the tests of the C library: a folder, C programs, SQLite's source.
#![allow(dead_code)] // not every test needs all of it

pub mod recording;
pub mod worlds;

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::{env, fs};

/// Files of one test, in a folder of its own.
pub struct Workshop {
    pub folder: PathBuf,
}

impl Workshop {
    pub fn new(name: &str) -> Workshop {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("capi-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        // The library's soname.
        std::os::unix::fs::symlink(library(), folder.join("libsqlite3.so.0")).unwrap();
        Workshop { folder }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// Compiles one of the C files in the folder of the tests.
    pub fn compile(&self, source: &str, program: &str, options: &[&str]) -> PathBuf {
        let program = self.path(program);
        let mut compiler = Command::new("cc");
        compiler.args(["-g", "-O1", "-Wall", "-DLITHE", "-o"]).arg(&program);
        compiler.arg("-I").arg(crate_folder().join("include")).arg(crate_folder().join("tests").join(source));
        compiler.args(options); // libraries must follow the files that use them
        expect_success(&compiler.output().unwrap(), source);
        program
    }

    /// The extension that the program loads.
    pub fn extension(&self) -> PathBuf {
        self.compile("extension.c", "extension.so", &["-shared", "-fPIC"])
    }

    /// Runs a program that needs a folder of its own.
    pub fn run_in_folder(&self, mut command: Command, name: &str) -> Output {
        let folder = self.path(&format!("files of {name}"));
        fs::create_dir_all(&folder).unwrap();
        command.arg(folder);
        self.run(command)
    }

    pub fn run(&self, mut command: Command) -> Output {
        command.env("LD_LIBRARY_PATH", &self.folder).output().unwrap()
    }
}

impl Drop for Workshop {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.folder);
    }
}

pub fn crate_folder() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The shared library, which cargo has built for this test.
pub fn library() -> PathBuf {
    let deps = env::current_exe().unwrap().parent().unwrap().to_path_buf();
    let found = [deps.join("libsqlite3.so"), deps.parent().unwrap().join("libsqlite3.so")];
    found.into_iter().find(|path| path.exists()).expect("libsqlite3.so beside the test")
}

pub fn expect_success(output: &Output, what: &str) {
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{what}: {}\n{out}\n{err}", output.status);
}

/// The platform on which the tests run, by the compiler's name for it.
fn host() -> String {
    let compiler = env::var("RUSTC").unwrap_or_else(|_| "rustc".to_owned());
    let output = Command::new(compiler).arg("-vV").output().unwrap();
    expect_success(&output, "rustc -vV");
    let text = String::from_utf8(output.stdout).unwrap();
    text.lines().find_map(|line| line.strip_prefix("host: ")).expect("a host").to_owned()
}

/// The folder of SQLite's source in the crate that builds the reference library.
pub fn sqlite_source() -> PathBuf {
    let cargo = env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
    let mut command = Command::new(cargo);
    // Crates of other platforms were not fetched for this build. Not `--offline`: if only this crate was built, crates
    // of other members of the workspace were not fetched either.
    command.args(["metadata", "--format-version", "1", "--locked", "--filter-platform", &host()]);
    let output = command.current_dir(crate_folder()).output().unwrap();
    expect_success(&output, "cargo metadata");
    let text = String::from_utf8(output.stdout).unwrap();
    let marker = "\"manifest_path\":\"";
    let mut manifests = text.split(marker).skip(1).filter_map(|rest| rest.split('"').next());
    let manifest = manifests.find(|path| path.contains("libsqlite3-sys")).expect("libsqlite3-sys");
    Path::new(manifest).parent().unwrap().join("sqlite3")
}

/// The name of SQLite's library in its folder.
pub const SQLITE: &str = "libsqlite3.so.0";

/// A folder with SQLite's library: that of LITHE_REFERENCE, or one that is built here.
pub fn sqlite() -> PathBuf {
    sqlite_built("LITHE_REFERENCE", "sqlite", &[])
}

/// The same with the features that SQLite has only with build options: LITHE_REFERENCE_FULL, or a library that is built
/// here.
pub fn sqlite_with_options() -> PathBuf {
    let options = ["PREUPDATE_HOOK", "SESSION", "SNAPSHOT", "NORMALIZE", "BYTECODE_VTAB", "COLUMN_METADATA"]
        .map(|name| format!("-DSQLITE_ENABLE_{name}"));
    sqlite_built("LITHE_REFERENCE_FULL", "sqlite-with-all-options", &options.each_ref().map(String::as_str))
}

fn sqlite_built(variable: &str, name: &str, options: &[&str]) -> PathBuf {
    if let Some(folder) = env::var_os(variable) {
        return PathBuf::from(folder);
    }
    let source = sqlite_source().join("sqlite3.c");
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let library = folder.join(SQLITE);
    if library.exists() {
        return folder;
    }
    fs::create_dir_all(&folder).unwrap();
    // Another test may be building it, too: each renames its complete library into place.
    let built = folder.join(format!("{SQLITE}.{}.{:?}", std::process::id(), std::thread::current().id()));
    let mut compiler = Command::new("cc");
    compiler.args(["-O1", "-w", "-shared", "-fPIC", "-Wl,-soname,libsqlite3.so.0", "-o"]).arg(&built).arg(source);
    expect_success(&compiler.args(options).args(["-ldl", "-lpthread", "-lm"]).output().unwrap(), "SQLite");
    fs::rename(built, library).unwrap();
    folder
}
