//! Takes the sources of Lithe that are modelled, and gives them loom's atomics, mutexes and condition variables.

use std::path::Path;
use std::{env, fs};

/// What is taken of a file: all in front of the line that begins with the text, or all of it.
const SOURCES: [(&str, Option<&str>); 4] = [
    ("crates/capi/src/recursive_mutex.rs", Some("#[cfg(test)]")),
    ("crates/pager/src/shared_cache/readers.rs", Some("/// Waits while `is_busy`")),
    ("crates/pager/src/wal/commit_queue.rs", None),
    ("crates/pager/src/wal/waiters.rs", Some("#[cfg(test)]")),
];

/// What reads otherwise here. Loom's types are made at run time; a thread has variables of its own only if loom knows of
/// them; and looking a hundred times is not another order than looking once.
const CHANGES: [(&str, &str); 4] = [
    ("std::sync", "crate::sync"),
    ("const fn", "fn"),
    ("thread_local!(static HERE: u8 = const { 0 });", "loom::thread_local!(static HERE: u8 = 0);"),
    ("const SPINS: u32 = 100;", "const SPINS: u32 = 1;"),
];

fn main() {
    let root = Path::new(&env::var("CARGO_MANIFEST_DIR").unwrap()).join("../../..");
    let out = env::var("OUT_DIR").unwrap();
    for (source, end) in SOURCES {
        let path = root.join(source);
        println!("cargo::rerun-if-changed={}", path.display());
        let text = fs::read_to_string(&path).unwrap();
        let end = end.map_or(text.len(), |line| text.find(&format!("\n{line}")).expect("the line is there") + 1);
        // The names that a source takes from its own crate come from the module that includes it.
        let is_own = |line: &&str| line.starts_with("use crate::") || line.starts_with("use super::");
        let lines = text[..end].lines().filter(|line| !line.starts_with("//!") && !is_own(line));
        let taken: String = lines.flat_map(|line| [line, "\n"]).collect();
        let taken = CHANGES.iter().fold(taken, |text, (from, to)| text.replace(from, to));
        fs::write(Path::new(&out).join(path.file_name().unwrap()), taken).unwrap();
    }
}
