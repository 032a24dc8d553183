//! A VFS that records the calls on the system's files.

use std::io::{IoSlice, IoSliceMut};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::thread::{self, ThreadId};
use std::time::Duration;

use lithe_vfs::{
    Access, DeviceCharacteristics, File, FileId, Links, LockLevel, Mapping, OpenFlags, Opened, Result, ShmLock,
    ShmRegion, SyncFlags, UnixVfs, Vfs,
};

/// The calls of the thread that made this, since the list was last taken: which call, on which file ("db", "wal", "journal", "temp"). The thread
/// that watches kept read locks looks now and then whether others share the log.
#[derive(Clone, Debug)]
pub struct Calls {
    noted: Arc<Mutex<Vec<String>>>,
    of: ThreadId,
}

impl Default for Calls {
    fn default() -> Calls {
        Calls { noted: Arc::default(), of: thread::current().id() }
    }
}

impl Calls {
    fn note(&self, what: &str, file: &str) {
        if thread::current().id() == self.of {
            self.noted.lock().unwrap().push(format!("{what} {file}"));
        }
    }

    /// The recorded calls in order; repeated calls are written once with their number.
    pub fn take(&self) -> String {
        let calls = std::mem::take(&mut *self.noted.lock().unwrap());
        let runs = calls.chunk_by(|a, b| a == b).map(|run| match run.len() {
            1 => run[0].clone(),
            n => format!("{n} * {}", run[0]),
        });
        runs.collect::<Vec<_>>().join(", ")
    }
}

/// The system's files.
#[derive(Debug)]
pub struct CountingVfs(pub Calls);

fn kind_of(path: Option<&Path>) -> &'static str {
    match path.and_then(|path| path.to_str()) {
        None => "temp",
        Some(path) if path.ends_with("-wal") => "wal",
        Some(path) if path.ends_with("-journal") => "journal",
        Some(_) => "db",
    }
}

impl Vfs for CountingVfs {
    fn name(&self) -> &str {
        "counting"
    }

    fn open(&self, path: Option<&Path>, flags: OpenFlags) -> Result<Opened> {
        let kind = kind_of(path);
        self.0.note("open", kind);
        let opened = UnixVfs.open(path, flags)?;
        let file = Arc::new(CountingFile { file: opened.file, kind, calls: self.0.clone() });
        Ok(Opened { file, flags: opened.flags })
    }

    fn delete(&self, path: &Path, sync_folder: bool) -> Result<()> {
        self.0.note(if sync_folder { "delete durably" } else { "delete" }, kind_of(Some(path)));
        UnixVfs.delete(path, sync_folder)
    }

    fn access(&self, path: &Path, what: Access) -> Result<bool> {
        self.0.note("access", kind_of(Some(path)));
        UnixVfs.access(path, what)
    }

    fn full_path(&self, path: &Path, links: Links) -> Result<PathBuf> {
        UnixVfs.full_path(path, links)
    }

    fn randomness(&self, buf: &mut [u8]) {
        UnixVfs.randomness(buf);
    }

    fn sleep(&self, duration: Duration) {
        UnixVfs.sleep(duration);
    }

    fn julian_millis(&self) -> i64 {
        UnixVfs.julian_millis()
    }
}

#[derive(Debug)]
struct CountingFile {
    file: Arc<dyn File>,
    kind: &'static str,
    calls: Calls,
}

impl CountingFile {
    fn note(&self, what: &str) -> &dyn File {
        self.calls.note(what, self.kind);
        &*self.file
    }
}

impl File for CountingFile {
    fn read_at(&self, buf: &mut [u8], offset: u64) -> Result<usize> {
        self.note("read").read_at(buf, offset)
    }

    fn read_vectored_at(&self, bufs: &mut [IoSliceMut<'_>], offset: u64) -> Result<usize> {
        self.note("readv").read_vectored_at(bufs, offset)
    }

    fn write_at(&self, buf: &[u8], offset: u64) -> Result<()> {
        self.note("write").write_at(buf, offset)
    }

    fn write_vectored_at(&self, bufs: &[IoSlice<'_>], offset: u64) -> Result<()> {
        self.note("writev").write_vectored_at(bufs, offset)
    }

    fn truncate(&self, size: u64) -> Result<()> {
        self.note("truncate").truncate(size)
    }

    fn sync(&self, flags: SyncFlags) -> Result<()> {
        self.note("sync").sync(flags)
    }

    fn size(&self) -> Result<u64> {
        self.note("size").size()
    }

    fn lock(&self, level: LockLevel) -> Result<bool> {
        self.note(&format!("lock {level:?}")).lock(level)
    }

    fn unlock(&self, level: LockLevel) -> Result<()> {
        self.note(&format!("unlock to {level:?}")).unlock(level)
    }

    fn check_reserved(&self) -> Result<bool> {
        self.note("check reserved").check_reserved()
    }

    fn sector_size(&self) -> u32 {
        self.file.sector_size()
    }

    fn characteristics(&self) -> DeviceCharacteristics {
        self.file.characteristics()
    }

    fn has_shm(&self) -> bool {
        self.file.has_shm()
    }

    fn shm_map(&self, region: u32, extend: bool) -> Result<Option<ShmRegion>> {
        self.note("map shm").shm_map(region, extend)
    }

    fn shm_lock(&self, slots: Range<u8>, how: ShmLock) -> Result<bool> {
        self.note(&format!("lock shm {}", name_of(&slots, how))).shm_lock(slots, how)
    }

    fn shm_unlock(&self, slots: Range<u8>, how: ShmLock) -> Result<()> {
        self.note(&format!("unlock shm {}", name_of(&slots, how))).shm_unlock(slots, how)
    }

    fn shm_barrier(&self) {
        self.file.shm_barrier();
    }

    fn shm_is_shared(&self) -> Result<bool> {
        self.note("look who shares shm").shm_is_shared()
    }

    fn shm_unmap(&self, delete: bool) -> Result<()> {
        self.note("unmap shm").shm_unmap(delete)
    }

    fn map(&self, reserve: u64) -> Result<Option<Mapping>> {
        self.note("map").map(reserve)
    }

    fn id(&self) -> Option<FileId> {
        self.file.id()
    }

    fn has_moved(&self) -> Result<bool> {
        self.note("stat").has_moved()
    }

    fn write_back(&self, offset: u64, len: u64) {
        self.note("write back").write_back(offset, len);
    }

    fn size_hint(&self, size: u64) -> Result<()> {
        self.file.size_hint(size)
    }
}

fn name_of(slots: &Range<u8>, how: ShmLock) -> String {
    let name = match slots.start {
        0 => "write",
        1 => "checkpoint",
        2 => "recover",
        _ => "read",
    };
    format!("{name} {how:?}").to_lowercase()
}
