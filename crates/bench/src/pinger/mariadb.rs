//! MariaDB: a server of its own in the temporary folder, on a socket, used through MariaDB's client program.
//!
//! Its times include the start of the client, a few milliseconds, because MariaDB runs scripts in that way.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use super::data::{DDL, QUERIES};
use crate::frame::duels::{Outcome, Worker};
use crate::frame::results::Side;
use crate::frame::scratch::{Scratch, Server};
use crate::frame::{Context, Error, Result};

/// The longest time for the start of the server.
const PATIENCE: Duration = Duration::from_secs(60);

/// A running server with its script.
pub struct MariaDb {
    socket: PathBuf,
    script: PathBuf,
    /// Stopped when dropped.
    _server: Server,
}

/// Whether MariaDB's programs are installed.
pub fn is_installed() -> bool {
    ["mariadb-install-db", "mariadbd", "mariadb"].iter().all(|program| find(program).is_some())
}

impl MariaDb {
    /// Starts a server, and writes the script that it will run.
    pub fn start(scratch: &Scratch, lines: &[String]) -> Result<MariaDb> {
        let (data, socket) = (scratch.file("mariadb"), scratch.file("mariadb.sock"));
        let script = scratch.file("pinger.sql");
        fs::write(&script, lines.join("\n")).context("write", &script)?;
        let folder = format!("--datadir={}", data.display());
        // The server refuses to run as root without this option.
        let user = format!("--user={}", std::env::var("USER").unwrap_or_else(|_| "root".to_owned()));
        let install = ["--no-defaults", &folder, &user, "--auth-root-authentication-method=normal", "--skip-test-db"];
        succeed("mariadb-install-db", program("mariadb-install-db").args(install).output())?;
        let log = scratch.file("mariadb.log");
        let errors = File::create(&log).context("create", &log)?;
        let socket_option = format!("--socket={}", socket.display());
        let child = program("mariadbd")
            .args(["--no-defaults", &folder, &user, "--skip-networking", &socket_option])
            .stdout(Stdio::null())
            .stderr(errors)
            .spawn()
            .context("start", "mariadbd")?;
        let this = MariaDb { socket, script, _server: Server::new(child) };
        this.wait(&log)?;
        Ok(this)
    }

    fn wait(&self, log: &Path) -> Result<()> {
        let start = Instant::now();
        while self.client(&["-e", "SELECT 1"]).is_err() {
            if start.elapsed() > PATIENCE || self._server.has_ended() {
                let log = fs::read_to_string(log).unwrap_or_default();
                let last: Vec<&str> = log.lines().rev().take(5).collect();
                return Err(Error::setup(format!("MariaDB's server does not start: {}", last.join(" | "))));
            }
            sleep(Duration::from_millis(100));
        }
        Ok(())
    }

    fn client(&self, arguments: &[&str]) -> Result<()> {
        let socket = format!("--socket={}", self.socket.display());
        let output = program("mariadb").args(["--no-defaults", &socket, "-uroot"]).args(arguments).output();
        succeed("mariadb", output).map(|_| ())
    }
}

impl Worker for MariaDb {
    fn side(&self) -> Side {
        Side::Mariadb
    }

    fn begin_round(&mut self, _: bool) -> Result<()> {
        self.client(&["-e", "DROP DATABASE IF EXISTS pinger; CREATE DATABASE pinger"])
    }

    fn operate(&mut self, at: usize) -> Result<Outcome> {
        let statements = match at {
            0 => DDL.join(";"),
            1 => format!("source {}", self.script.display()),
            query => QUERIES[query - 2].to_owned(),
        };
        let start = Instant::now();
        self.client(&["pinger", "-e", &statements])?;
        Ok(Outcome { millis: start.elapsed().as_secs_f64() * 1e3, digest: None })
    }
}

fn succeed(what: &str, output: std::io::Result<Output>) -> Result<Output> {
    let output = output.context("run", what)?;
    if output.status.success() {
        return Ok(output);
    }
    let text = String::from_utf8_lossy(&output.stderr);
    Err(Error::setup(format!("{what}: {}", text.lines().last().unwrap_or("failed"))))
}

fn program(name: &str) -> Command {
    Command::new(find(name).unwrap_or_else(|| name.into()))
}

/// Finds a program. Servers are often outside the PATH of ordinary users.
fn find(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::env::split_paths(&path).chain(["/usr/sbin".into(), "/usr/local/sbin".into()]);
    folders.map(|folder| folder.join(name)).find(|file| file.is_file())
}
