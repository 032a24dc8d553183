//! The folder in which a page runs: its commands find `lithe`, the C library with its header, and `python3`.

use std::io::Write as _;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::{env, fs};

pub struct Workshop {
    /// The working folder of commands.
    work: tempfile::TempDir,
    /// The programs and libraries that commands find.
    tools: tempfile::TempDir,
    has_python: bool,
}

impl Workshop {
    pub fn new() -> Workshop {
        let (work, tools) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        symlink(env!("CARGO_BIN_EXE_lithe"), tools.path().join("lithe")).unwrap();
        for name in ["libsqlite3.so", "libsqlite3.so.0"] {
            symlink(library(), tools.path().join(name)).unwrap();
        }
        let python = python(tools.path());
        if let Some(python) = &python {
            let wrapper = tools.path().join("python3");
            fs::write(&wrapper, format!("#!/bin/sh\nexec {} \"$@\"\n", python.display())).unwrap();
            fs::set_permissions(&wrapper, fs::Permissions::from_mode(0o755)).unwrap();
        }
        Workshop { work, tools, has_python: python.is_some() }
    }

    pub fn write(&self, name: &str, content: &str) {
        fs::write(self.work.path().join(name), content).unwrap();
    }

    pub fn lacks_what_it_takes(&self, line: &str) -> bool {
        !self.has_python && line.contains("python3")
    }

    /// Runs a command line; answers its standard output and error output. With `input`, the command runs interactively.
    pub fn run(&self, line: &str, input: &str) -> String {
        let line = if input.is_empty() { line.to_owned() } else { format!("{line} --interactive") };
        let tools = self.tools.path().display().to_string();
        let include = Path::new(env!("CARGO_MANIFEST_DIR")).join("../capi/include");
        let mut child = Command::new("bash")
            .args(["-c", &format!("exec 2>&1; {line}")])
            .current_dir(self.work.path())
            .env("PATH", format!("{tools}:{}", env::var("PATH").unwrap_or_default()))
            .env("CPATH", include)
            .env("LIBRARY_PATH", &tools)
            .env("LD_LIBRARY_PATH", &tools)
            .env("HOME", self.work.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
        String::from_utf8_lossy(&child.wait_with_output().unwrap().stdout).into_owned()
    }
}

/// The C library, which cargo builds beside this test as its dependency.
fn library() -> PathBuf {
    let deps = env::current_exe().unwrap().parent().unwrap().to_path_buf();
    let found = [deps.join("libsqlite3.so"), deps.parent().unwrap().join("libsqlite3.so")];
    found.into_iter().find(|path| path.exists()).expect("libsqlite3.so beside the test")
}

/// A Python whose sqlite3 module loads the first `libsqlite3.so.0` on its path.
fn python(libraries: &Path) -> Option<PathBuf> {
    let probe = "import sqlite3, sys; sqlite3.connect(':memory:'); \
                 sys.exit('libsqlite3' not in open('/proc/self/maps').read() or sys.argv[1] not in open('/proc/self/maps').read())";
    let real = library().canonicalize().unwrap();
    ["python3", "/usr/bin/python3"].iter().find_map(|name| {
        let program = Command::new(name).args(["-c", "import sys; print(sys.executable)"]).output().ok()?;
        let program = PathBuf::from(String::from_utf8_lossy(&program.stdout).trim());
        let mut asked = Command::new(&program);
        asked.env("LD_LIBRARY_PATH", libraries).args(["-c", probe]).arg(&real).stderr(Stdio::null());
        asked.status().ok()?.success().then_some(program)
    })
}
