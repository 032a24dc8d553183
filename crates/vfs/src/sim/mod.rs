//! A simulated machine: files in memory, all randomness from one seed, that loses power or fails a call on command.
//!
//! ```no_run
//! # use lithe_vfs::{Fault, Loss, Sim};
//! let sim = Sim::new(0x3f21);
//! sim.fail_at(17, Fault::PowerLoss);     // the 17th call from now
//! // ... use `sim.vfs()` until everything fails ...
//! sim.restart(Loss::Torn);               // bytes that were not synced may be on the disk or not
//! // ... use `sim.vfs()` again: the database must have exactly the committed transactions
//! ```

mod disk;
mod file;
mod random;
mod recording;

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

pub use self::disk::Loss;
pub use self::random::Random;
pub use self::recording::{Done, Recording, Replay};

use self::disk::{Disk, Event};
use self::file::SimFile;
use crate::error::{EIO, ENOSPC, Error, Op, Result};
use crate::memory::{MemoryFile, MemoryInode};
use crate::{Access, DeviceCharacteristics, Links, OpenFlags, Opened, ResultCode, Vfs};

/// Address space for each file: crash tests use small ones, many at a time.
const FILE_LEN_MAX: usize = 64 << 20;

/// The fault of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The power fails: this call and all that follow fail, and do nothing.
    PowerLoss,
    /// The device fails once.
    Eio,
    /// There is no space left, for this call only.
    Enospc,
    /// A read or write stops half-way and fails.
    Short,
    /// The call panics, as a bug of its caller would.
    Panic,
}

/// A simulated machine.
#[derive(Clone, Debug)]
pub struct Sim {
    world: Arc<Mutex<World>>,
}

#[derive(Debug)]
struct World {
    random: Random,
    clock_millis: i64,
    disk: Disk,
    /// The files that have a name, by their numbers on the disk.
    files: HashMap<u64, Arc<MemoryInode>>,
    recording: Option<Recording>,
    /// How many times the machine was started: handles from before a restart fail.
    boot: u64,
    calls: u64,
    fault: Option<(u64, Fault)>,
    characteristics: DeviceCharacteristics,
    sector_size: u32,
    sync_time: Duration,
    shm_is_shared: bool,
    is_foreign: bool,
}

impl Sim {
    /// A machine without files.
    pub fn new(seed: u64) -> Sim {
        let world = World {
            random: Random::new(seed),
            clock_millis: 0,
            disk: Disk::default(),
            files: HashMap::new(),
            recording: None,
            boot: 0,
            calls: 0,
            fault: None,
            characteristics: DeviceCharacteristics::POWERSAFE_OVERWRITE,
            sector_size: 4096,
            sync_time: Duration::ZERO,
            shm_is_shared: false,
            is_foreign: false,
        };
        Sim { world: Arc::new(Mutex::new(world)) }
    }

    /// A machine that starts with these files, all of them durable.
    pub fn with_files(seed: u64, files: Vec<(PathBuf, Vec<u8>)>) -> Sim {
        let sim = Sim::new(seed);
        sim.world().start(files);
        sim
    }

    /// The machine's VFS.
    pub fn vfs(&self) -> Arc<dyn Vfs> {
        Arc::new(SimVfs { sim: self.clone() })
    }

    /// How many calls were made.
    pub fn calls(&self) -> u64 {
        self.world().calls
    }

    /// Makes the call number `n` from now, which is at least 1, fail with `fault`.
    pub fn fail_at(&self, n: u64, fault: Fault) {
        let mut world = self.world();
        world.fault = Some((world.calls + n, fault));
    }

    /// Cancels a fault that has not happened yet.
    pub fn fail_no_more(&self) {
        self.world().fault = None;
    }

    /// Whether the power has failed.
    pub fn is_off(&self) -> bool {
        self.world().is_off()
    }

    /// Sets the guarantees of the device. A device without powersafe overwrite harms the whole sector of a torn write.
    pub fn set_device(&self, characteristics: DeviceCharacteristics, sector_size: u32) {
        let mut world = self.world();
        let is_safe = characteristics.contains(DeviceCharacteristics::POWERSAFE_OVERWRITE);
        world.disk.set_harmed(if is_safe { 0 } else { u64::from(sector_size) });
        (world.characteristics, world.sector_size) = (characteristics, sector_size);
    }

    /// Sets how long a sync takes, in real time: runs with several threads do not repeat, but their speed may be
    /// compared.
    pub fn set_sync_time(&self, time: Duration) {
        self.world().sync_time = time;
    }

    /// Sets whether another process seems to use the shared memory of databases.
    pub fn set_shm_shared(&self, shared: bool) {
        self.world().shm_is_shared = shared;
    }

    /// Makes the files look like those of an application's VFS: without a mapping, each handle by itself.
    pub fn set_foreign(&self, is_foreign: bool) {
        self.world().is_foreign = is_foreign;
    }

    /// Turns the power off, if it is on, and on again: locks and shared memory are gone, and `loss` decides which
    /// unsynced changes survive. Handles from before answer errors.
    pub fn restart(&self, loss: Loss) {
        let world = &mut *self.world();
        let files = world.disk.after_power_loss(loss, &mut world.random);
        world.start(files);
    }

    /// Begins to record the changes of the disk.
    pub fn record(&self) {
        let world = &mut *self.world();
        world.recording = Some(Recording { start: world.disk.clone(), events: Vec::new() });
    }

    /// How many changes were recorded so far.
    pub fn recorded(&self) -> usize {
        self.world().recording.as_ref().map_or(0, Recording::len)
    }

    /// Ends the recording.
    pub fn stop_recording(&self) -> Recording {
        self.world().recording.take().unwrap_or_default()
    }

    /// The content of a file as the system shows it.
    pub fn read_file(&self, path: &Path) -> Option<Vec<u8>> {
        let inode = self.world().find(path)?;
        let mut content = vec![0; inode.size() as usize];
        inode.read_at(&mut content, 0);
        Some(content)
    }

    /// All files as the system shows them, by name.
    pub fn files(&self) -> Vec<(PathBuf, Vec<u8>)> {
        let mut paths: Vec<PathBuf> = self.world().disk.names().map(|(path, _)| path.clone()).collect();
        paths.sort();
        let content = |path: PathBuf| self.read_file(&path).map(|content| (path, content));
        paths.into_iter().filter_map(content).collect()
    }

    fn world(&self) -> MutexGuard<'_, World> {
        self.world.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}

impl World {
    /// Starts with these files, all of them durable.
    fn start(&mut self, files: Vec<(PathBuf, Vec<u8>)>) {
        self.disk = Disk::default();
        let is_safe = self.characteristics.contains(DeviceCharacteristics::POWERSAFE_OVERWRITE);
        self.disk.set_harmed(if is_safe { 0 } else { u64::from(self.sector_size) });
        self.files.clear();
        for (path, content) in files {
            let inode = Arc::new(MemoryInode::new(FILE_LEN_MAX).expect("a small file"));
            inode.write_at(&content, 0).expect("it fitted before");
            let file = self.add_name(&path, inode);
            self.note(Event::Write { file, offset: 0, bytes: content.into() });
            self.note(Event::Sync { file, until: 1 });
        }
        self.note(Event::SyncNames);
        self.recording = None;
        self.boot += 1;
        self.fault = None;
    }

    /// Applies a change to the disk, and records it.
    fn note(&mut self, event: Event) {
        self.disk.apply(&event);
        if let Some(recording) = &mut self.recording {
            recording.events.push(event);
        }
    }

    fn add_name(&mut self, path: &Path, inode: Arc<MemoryInode>) -> u64 {
        let file = inode.id().inode;
        self.files.insert(file, inode);
        self.note(Event::Name { path: path.to_path_buf(), to: Some(file) });
        file
    }

    fn find(&self, path: &Path) -> Option<Arc<MemoryInode>> {
        self.files.get(&self.disk.find(path)?).cloned()
    }

    fn is_off(&self) -> bool {
        matches!(self.fault, Some((at, Fault::PowerLoss)) if at <= self.calls)
    }

    /// Counts a call and answers its fault.
    fn call(&mut self) -> Option<Fault> {
        self.calls += 1;
        if self.is_off() {
            return Some(Fault::PowerLoss);
        }
        let (at, fault) = self.fault?;
        if at != self.calls {
            return None;
        }
        self.fault = None;
        assert!(fault != Fault::Panic, "the simulated call panics");
        Some(fault)
    }

    /// Counts a call that either succeeds or fails.
    fn check(&mut self, op: Op, path: Option<&Path>) -> Result<()> {
        match self.call() {
            None => Ok(()),
            Some(fault) => Err(error_of(fault, op, path)),
        }
    }
}

fn error_of(fault: Fault, op: Op, path: Option<&Path>) -> Error {
    let errno = if fault == Fault::Enospc { ENOSPC } else { EIO };
    let error = Error::from_errno(op, errno);
    match path {
        Some(path) => error.at(path),
        None => error,
    }
}

/// The files of a simulated machine.
#[derive(Debug)]
struct SimVfs {
    sim: Sim,
}

impl Vfs for SimVfs {
    fn name(&self) -> &str {
        "sim"
    }

    fn open(&self, path: Option<&Path>, flags: OpenFlags) -> Result<Opened> {
        let mut world = self.sim.world();
        world.check(Op::Open, path)?;
        let inode = match path.and_then(|path| world.find(path)) {
            Some(_) if flags.contains(OpenFlags::EXCLUSIVE) => return Err(Error::new(Op::Open)),
            Some(inode) => inode,
            None if path.is_some() && !flags.contains(OpenFlags::CREATE) => return Err(Error::new(Op::Open)),
            None => {
                let inode = Arc::new(MemoryInode::new(FILE_LEN_MAX)?);
                if let Some(path) = path {
                    world.add_name(path, inode.clone());
                }
                inode
            }
        };
        // The flag counts even if another call has created the file, because that call may not have synced the name.
        let file =
            SimFile::new(self.sim.clone(), world.boot, MemoryFile::new(inode), path, flags.contains(OpenFlags::CREATE));
        Ok(Opened { file: Arc::new(file), flags })
    }

    fn delete(&self, path: &Path, sync_folder: bool) -> Result<()> {
        let mut world = self.sim.world();
        world.check(Op::Delete, Some(path))?;
        let Some(file) = world.disk.find(path) else {
            return Err(Error::with_code(Op::Delete, ResultCode::IOERR_DELETE_NOENT).at(path));
        };
        world.files.remove(&file);
        world.note(Event::Name { path: path.to_path_buf(), to: None });
        if sync_folder {
            world.check(Op::SyncDirectory, Some(path))?;
            world.note(Event::SyncNames);
        }
        Ok(())
    }

    fn access(&self, path: &Path, _what: Access) -> Result<bool> {
        let mut world = self.sim.world();
        world.check(Op::Access, Some(path))?;
        Ok(world.find(path).is_some_and(|inode| inode.size() > 0))
    }

    fn full_path(&self, path: &Path, _: Links) -> Result<PathBuf> {
        Ok(path.to_path_buf())
    }

    fn randomness(&self, buf: &mut [u8]) {
        self.sim.world().random.fill(buf);
    }

    fn sleep(&self, duration: Duration) {
        self.sim.world().clock_millis += duration.as_millis() as i64 + 1;
    }

    fn julian_millis(&self) -> i64 {
        self.sim.world().clock_millis
    }
}
