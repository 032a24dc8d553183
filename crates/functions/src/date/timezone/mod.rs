//! The offset of local time from UTC.
//!
//! The environment variable `TZ` or else the file `/etc/localtime` names the time zone:
//!
//! | TZ | |
//! | --- | --- |
//! | not set | `/etc/localtime` |
//! | empty | UTC |
//! | `Europe/Zurich`, `:Europe/Zurich`, `/path/to/file` | a file, below `/usr/share/zoneinfo` |
//! | `CET-1CEST,M3.5.0,M10.5.0/3` | a rule, if there is no such file |
//!
//! The C library could compute it as well, but its result is a structure that safe code cannot read.

mod rule;
mod tzif;

use std::ffi::OsString;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use rule::Rule;
use tzif::ZoneFile;

/// The offsets of a time zone.
#[derive(Clone, Debug)]
enum Zone {
    Utc,
    Rule(Rule),
    File(ZoneFile),
}

/// The zone that was used last, with the value of TZ then, because a program may change TZ.
static LAST: Mutex<Option<(Option<OsString>, Arc<Zone>)>> = Mutex::new(None);

/// The offset of local time from UTC in seconds, at a time given in seconds since 1970.
pub fn local_offset(unix_seconds: i64) -> i32 {
    current_zone().offset(unix_seconds)
}

fn current_zone() -> Arc<Zone> {
    let variable = std::env::var_os("TZ");
    let mut last = LAST.lock().unwrap_or_else(PoisonError::into_inner);
    match &*last {
        Some((name, zone)) if *name == variable => Arc::clone(zone),
        _ => {
            let zone = Arc::new(Zone::load(variable.as_ref()));
            *last = Some((variable, Arc::clone(&zone)));
            zone
        }
    }
}

impl Zone {
    /// The zone that TZ names. An invalid value means UTC, as in the C library.
    fn load(variable: Option<&OsString>) -> Zone {
        let Some(variable) = variable else {
            return Zone::read(Path::new("/etc/localtime")).unwrap_or(Zone::Utc);
        };
        let name = variable.to_string_lossy();
        let name = name.strip_prefix(':').unwrap_or(&name);
        if name.is_empty() {
            return Zone::Utc;
        }
        let path = PathBuf::from("/usr/share/zoneinfo").join(name); // an absolute name stays as it is
        let rule = || Rule::parse(name.as_bytes()).map(Zone::Rule);
        Zone::read(&path).or_else(rule).unwrap_or(Zone::Utc)
    }

    fn read(path: &Path) -> Option<Zone> {
        /// The largest file has a hundredth of that.
        const BYTES_MAX: u64 = 1 << 20;
        let mut bytes = Vec::new();
        File::open(path).ok()?.take(BYTES_MAX).read_to_end(&mut bytes).ok()?;
        ZoneFile::parse(&bytes).map(Zone::File)
    }

    fn offset(&self, unix_seconds: i64) -> i32 {
        match self {
            Zone::Utc => 0,
            Zone::Rule(rule) => rule.offset(unix_seconds),
            Zone::File(file) => file.offset(unix_seconds),
        }
    }
}
