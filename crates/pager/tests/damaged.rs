//! Damaged databases, journals, logs and shared memory: errors or old content, never a panic, a hang, or a
//! signal. Real files, because a mapping that is touched past the end of its file is a signal.
//!
//! `PAGER_WORLDS=…` says how many there are of each kind.

mod common;

use std::fs;
use std::path::{Path, PathBuf};

use common::{Folder, Sqlite, make_rows, no, open_with};
use lithe_pager::{BeginKind, CheckpointMode, Error, OpenOptions, Pager, Synchronous};
use lithe_vfs::Random;

#[test]
fn sqlite_process() {
    common::serve();
}

fn runs() -> u64 {
    std::env::var("PAGER_WORLDS").ok().and_then(|runs| runs.parse().ok()).unwrap_or(200)
}

/// Everything that a connection does with a database.
fn use_it(pager: &Pager, random: &mut Random) -> Result<(), Error> {
    pager.set_synchronous(Synchronous::Off);
    pager.begin_read()?;
    for n in 1..=pager.page_count().min(3000) {
        if pager.page(no(n)).is_ok_and(|page| page.len() != pager.page_size().bytes()) {
            panic!("a page of another size");
        }
    }
    pager.end_read()?;
    pager.begin_write(BeginKind::Immediate)?;
    let count = pager.page_count();
    if count > 0 {
        pager.write(no(1 + random.below(u64::from(count.min(3000))) as u32))?.fill(7);
    }
    if let Some(next) = lithe_format::PageNo::new(count.wrapping_add(1)) {
        pager.new_page(next)?.fill(8);
    }
    pager.commit()?;
    pager.end_read()?;
    pager.checkpoint(CheckpointMode::Truncate)?;
    Ok(())
}

/// Changes some bytes, mostly where numbers are, or the length.
fn damage(bytes: &mut Vec<u8>, random: &mut Random, hot: usize) {
    if random.one_in(6) {
        let len = random.below(bytes.len() as u64 + 1);
        bytes.truncate(len as usize);
    }
    if bytes.is_empty() {
        return;
    }
    for _ in 0..1 + random.below(8) {
        let within = if random.one_in(3) { bytes.len() } else { bytes.len().min(hot) };
        let at = random.below(within as u64) as usize;
        bytes[at] = match random.below(4) {
            0 => 0,
            1 => 0xff,
            2 => bytes[at] ^ (1 << random.below(8)),
            _ => random.number() as u8,
        };
    }
}

struct Image {
    files: Vec<(&'static str, Vec<u8>)>,
}

impl Image {
    fn take(folder: &Folder, names: &[&'static str]) -> Image {
        let files = names.iter().map(|&name| (name, fs::read(folder.file(name)).unwrap())).collect();
        Image { files }
    }

    /// Writes the image, with one file damaged.
    fn put_damaged(&self, folder: &Folder, which: &str, random: &mut Random, hot: usize) -> PathBuf {
        for name in ["a.db", "a.db-journal", "a.db-wal", "a.db-shm"] {
            let _ = fs::remove_file(folder.file(name));
        }
        for (name, bytes) in &self.files {
            let mut bytes = bytes.clone();
            if *name == which {
                damage(&mut bytes, random, hot);
            }
            fs::write(folder.file(name), bytes).unwrap();
        }
        folder.file("a.db")
    }
}

fn try_image(image: &Image, which: &str, hot: usize) {
    let folder = Folder::new();
    for seed in 0..runs() {
        let mut random = Random::new(seed);
        let path = image.put_damaged(&folder, which, &mut random, hot);
        let mmap_size = if random.one_in(2) { u64::MAX } else { 0 };
        // Any outcome is right, as long as the call returns.
        let _ = use_it(&open_with(&path, &OpenOptions { mmap_size, ..OpenOptions::default() }), &mut random);
    }
}

fn leave_behind(folder: &Folder, pragmas: &str, sql: &str) {
    let path = folder.file("a.db");
    make_rows(&path, 30, pragmas);
    let mut sqlite = Sqlite::open(&path);
    assert!(!sqlite.sql(sql).starts_with("error"));
    sqlite.kill();
}

const SPILL: &str = "PRAGMA cache_size=1; BEGIN; UPDATE t SET v=zeroblob(810); SELECT count(*) FROM t";
const LOG: &str = "PRAGMA wal_autocheckpoint=0; UPDATE t SET v=zeroblob(810); INSERT INTO t SELECT id+100,v FROM t";

#[test]
fn databases() {
    let folder = Folder::new();
    leave_behind(&folder, "", "SELECT 1");
    try_image(&Image::take(&folder, &["a.db"]), "a.db", 100);
}

#[test]
fn journals() {
    let folder = Folder::new();
    leave_behind(&folder, "", SPILL);
    let image = Image::take(&folder, &["a.db", "a.db-journal"]);
    try_image(&image, "a.db-journal", 600);
    try_image(&image, "a.db", 100);
}

#[test]
fn logs() {
    let folder = Folder::new();
    leave_behind(&folder, "PRAGMA journal_mode=WAL", LOG);
    let image = Image::take(&folder, &["a.db", "a.db-wal"]);
    try_image(&image, "a.db-wal", 32 + 24);
    try_image(&image, "a.db", 100);
}

/// Another program overwrites parts of the shared memory of a database in use.
#[test]
fn shared_memory() {
    let folder = Folder::new();
    leave_behind(&folder, "PRAGMA journal_mode=WAL", LOG);
    let image = Image::take(&folder, &["a.db", "a.db-wal"]);
    for seed in 0..runs() {
        let mut random = Random::new(seed);
        let path = image.put_damaged(&folder, "", &mut random, 0);
        let mmap_size = if random.one_in(2) { u64::MAX } else { 0 };
        let options = OpenOptions { mmap_size, ..OpenOptions::default() };
        let keeper = open_with(&path, &options);
        keeper.begin_read().unwrap();
        keeper.end_read().unwrap();
        let other = open_with(&path, &options);
        let _ = use_it(&other, &mut random);
        scribble(&folder.file("a.db-shm"), &mut random);
        let _ = use_it(&keeper, &mut random);
        let _ = use_it(&other, &mut random);
        let _ = use_it(&open_with(&path, &options), &mut random);
    }
}

/// Changes the file in place, as a process would through its mapping; sometimes with a valid header of wrong content.
fn scribble(path: &Path, random: &mut Random) {
    use lithe_format::wal_index::IndexHeader;
    let mut bytes = fs::read(path).unwrap();
    if random.one_in(2) {
        let words: [u32; 12] =
            std::array::from_fn(|at| u32::from_ne_bytes(bytes[4 * at..4 * at + 4].try_into().unwrap()));
        if let Some(mut header) = IndexHeader::read(&words) {
            let wild = [0, 1, header.last_frame + 1, 5000, 1 << 20, u32::MAX];
            match random.below(3) {
                0 => header.last_frame = wild[random.below(6) as usize],
                1 => header.page_count = wild[random.below(6) as usize],
                _ => header.page_size = lithe_format::PageSize::new(512 << random.below(8)),
            }
            for copy in [0, 48] {
                for (at, word) in header.write().iter().enumerate() {
                    bytes[copy + 4 * at..][..4].copy_from_slice(&word.to_ne_bytes());
                }
            }
        }
    }
    let len = bytes.len();
    damage(&mut bytes, random, 136);
    bytes.resize(len, 0);
    use std::os::unix::fs::FileExt;
    fs::OpenOptions::new().write(true).open(path).unwrap().write_all_at(&bytes, 0).unwrap();
}
