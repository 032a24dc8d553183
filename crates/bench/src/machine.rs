//! The machine of the measurements: processor, memory, system, file system, versions.

use std::fs;
use std::path::Path;

use serde::{Deserialize, Serialize};

/// The properties of a machine on which figures depend.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Machine {
    /// The processor's name.
    pub cpu: String,
    /// The number of processors that the program may use.
    pub cores: usize,
    /// Memory in bytes.
    pub memory: u64,
    /// The kernel, its version, the architecture.
    pub system: String,
    /// The type of the file system of the measured files, its device and mount options.
    pub file_system: String,
    /// The folder of the measured files.
    pub folder: String,
    /// The load at the start: the average number of runnable processes in the last minute.
    pub load: String,
    /// Version and commit of Lithe.
    pub lithe: String,
    /// SQLite's version.
    pub sqlite: String,
    /// The options that SQLite was compiled with.
    pub sqlite_options: Vec<String>,
    /// The compiler.
    pub rustc: String,
}

impl Machine {
    /// This machine, with files in `folder`.
    pub fn here(folder: &Path) -> Machine {
        let uname = rustix::system::uname();
        let part = |text: &std::ffi::CStr| text.to_string_lossy().into_owned();
        Machine {
            cpu: field("/proc/cpuinfo", "model name").unwrap_or_else(|| part(uname.machine())),
            cores: std::thread::available_parallelism().map_or(1, usize::from),
            memory: memory_bytes(),
            system: format!("{} {} {}", part(uname.sysname()), part(uname.release()), part(uname.machine())),
            file_system: file_system(folder).unwrap_or_else(|| "unknown".to_owned()),
            folder: folder.display().to_string(),
            load: first_word("/proc/loadavg").unwrap_or_default(),
            lithe: format!("{} ({}, {} build)", env!("CARGO_PKG_VERSION"), env!("BENCH_COMMIT"), env!("BENCH_PROFILE")),
            sqlite: format!("{} (bundled, through rusqlite)", rusqlite::version()),
            sqlite_options: sqlite_options(),
            rustc: env!("BENCH_RUSTC").to_owned(),
        }
    }

    /// The properties as names and values, for people.
    pub fn properties(&self) -> Vec<(&'static str, String)> {
        vec![
            ("Processor", format!("{}, {} cores", self.cpu, self.cores)),
            ("Memory", format!("{:.1} GiB", self.memory as f64 / f64::from(1 << 30))),
            ("System", self.system.clone()),
            ("File system", format!("{} at {}", self.file_system, self.folder)),
            ("Load at the start", self.load.clone()),
            ("Lithe", self.lithe.clone()),
            ("SQLite", self.sqlite.clone()),
            ("SQLite's compile options", self.sqlite_options.join(" ")),
            ("Compiler", self.rustc.clone()),
        ]
    }

    /// Conditions that make figures of this machine unreliable.
    pub fn warnings(&self) -> Vec<String> {
        let mut warnings = Vec::new();
        if cfg!(debug_assertions) {
            warnings.push("this program was built without optimisation: run it with --release".to_owned());
        }
        if self.file_system.starts_with("tmpfs") {
            warnings.push(
                "the folder is in memory (tmpfs): commits and cold reads cost nothing there; name another with --folder"
                    .to_owned(),
            );
        }
        if self.load.parse::<f64>().is_ok_and(|load| load > 0.5 * self.cores as f64) {
            warnings.push(format!("the machine is busy (load {}): figures will scatter", self.load));
        }
        warnings
    }
}

/// The value of the first line "name : value" of a file in /proc.
fn field(path: &str, name: &str) -> Option<String> {
    let text = fs::read_to_string(path).ok()?;
    let line = text.lines().find(|line| line.starts_with(name))?;
    Some(line.split_once(':')?.1.trim().to_owned())
}

fn first_word(path: &str) -> Option<String> {
    fs::read_to_string(path).ok()?.split_whitespace().next().map(str::to_owned)
}

fn memory_bytes() -> u64 {
    let kilobytes = field("/proc/meminfo", "MemTotal");
    kilobytes.and_then(|text| text.split_whitespace().next()?.parse::<u64>().ok()).unwrap_or(0) * 1024
}

/// The mount that contains the folder: the one with the longest path that is a prefix of the folder's.
fn file_system(folder: &Path) -> Option<String> {
    let folder = fs::canonicalize(folder).ok()?;
    let mounts = fs::read_to_string("/proc/self/mounts").ok()?;
    let fields = |line: &str| -> Option<[String; 4]> {
        let mut words = line.split_whitespace().map(str::to_owned);
        Some([words.next()?, words.next()?, words.next()?, words.next()?])
    };
    let fitting = mounts.lines().filter_map(fields).filter(|[_, place, ..]| folder.starts_with(place));
    let [device, _, kind, options] = fitting.max_by_key(|[_, place, ..]| place.len())?;
    Some(format!("{kind} on {device} ({options})"))
}

fn sqlite_options() -> Vec<String> {
    let options = || -> rusqlite::Result<Vec<String>> {
        let connection = rusqlite::Connection::open_in_memory()?;
        let mut statement = connection.prepare("PRAGMA compile_options")?;
        statement.query_map([], |row| row.get(0))?.collect()
    };
    options().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_machine_has_a_name() {
        let machine = Machine::here(&std::env::temp_dir());
        assert!(machine.cores > 0 && machine.memory > 0 && !machine.cpu.is_empty());
        assert!(machine.sqlite.starts_with("3."), "{}", machine.sqlite);
        assert!(machine.properties().iter().all(|(name, _)| !name.is_empty()));
    }
}
