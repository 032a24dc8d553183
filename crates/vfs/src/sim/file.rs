//! A file of the simulated machine: a file in memory, with every call counted and every change recorded.

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::MutexGuard;
use std::sync::atomic::{AtomicBool, Ordering};

use super::disk::Event;
use super::{Fault, Sim, World, error_of};
use crate::error::{Error, Op, Result};
use crate::mapping::Mapping;
use crate::memory::MemoryFile;
use crate::shm::ShmRegion;
use crate::{DeviceCharacteristics, File, FileId, LockLevel, ShmLock, SyncFlags};

/// A file of the simulated machine.
#[derive(Debug)]
pub(super) struct SimFile {
    sim: Sim,
    /// The boot number of the machine when this handle was opened.
    boot: u64,
    file: MemoryFile,
    path: Option<PathBuf>,
    /// The file's name may not be durable yet.
    new_in_folder: AtomicBool,
}

impl SimFile {
    pub(super) fn new(sim: Sim, boot: u64, file: MemoryFile, path: Option<&Path>, created: bool) -> SimFile {
        SimFile { sim, boot, file, path: path.map(Path::to_path_buf), new_in_folder: AtomicBool::new(created) }
    }

    /// Counts a call, and fails it if a fault is due. A handle from before a restart always fails.
    fn call(&self, op: Op) -> Result<MutexGuard<'_, World>> {
        let mut world = self.sim.world();
        self.check_boot(&world, op)?;
        world.check(op, self.path.as_deref())?;
        Ok(world)
    }

    fn check_boot(&self, world: &World, op: Op) -> Result<()> {
        if world.boot == self.boot { Ok(()) } else { Err(error_of(Fault::Eio, op, self.path.as_deref())) }
    }

    /// Records a change of the file. A file without a name is lost with the power.
    fn note(&self, world: &mut World, event: impl FnOnce(u64) -> Event) {
        if self.path.is_some() {
            world.note(event(self.file.inode().id().inode));
        }
    }

    fn error(&self, fault: Fault, op: Op) -> Error {
        error_of(fault, op, self.path.as_deref())
    }
}

impl File for SimFile {
    fn read_at(&self, buf: &mut [u8], offset: u64) -> Result<usize> {
        drop(self.call(Op::Read)?);
        self.file.read_at(buf, offset)
    }

    fn write_at(&self, buf: &[u8], offset: u64) -> Result<()> {
        let mut world = self.sim.world();
        self.check_boot(&world, Op::Write)?;
        let fault = world.call();
        let written = match fault {
            None => buf,
            Some(Fault::Short) => &buf[..world.random.below(buf.len() as u64 + 1) as usize],
            Some(fault) => return Err(self.error(fault, Op::Write)),
        };
        self.file.write_at(written, offset)?;
        self.note(&mut world, |file| Event::Write { file, offset, bytes: written.into() });
        match fault {
            None => Ok(()),
            Some(fault) => Err(self.error(fault, Op::Write)),
        }
    }

    fn truncate(&self, size: u64) -> Result<()> {
        let mut world = self.call(Op::Truncate)?;
        self.file.truncate(size)?;
        self.note(&mut world, |file| Event::Truncate { file, size });
        Ok(())
    }

    fn sync(&self, _flags: SyncFlags) -> Result<()> {
        let world = self.call(Op::Sync)?;
        let (until, time) = (world.disk.changes(self.file.inode().id().inode), world.sync_time);
        drop(world);
        if !time.is_zero() {
            std::thread::sleep(time);
        }
        let mut world = self.sim.world();
        self.check_boot(&world, Op::Sync)?;
        if world.is_off() {
            return Err(self.error(Fault::PowerLoss, Op::Sync));
        }
        self.note(&mut world, |file| Event::Sync { file, until });
        drop(world);
        if self.new_in_folder.load(Ordering::Relaxed) {
            self.call(Op::SyncDirectory)?.note(Event::SyncNames);
            self.new_in_folder.store(false, Ordering::Relaxed);
        }
        Ok(())
    }

    fn size(&self) -> Result<u64> {
        drop(self.call(Op::Stat)?);
        self.file.size()
    }

    fn lock(&self, level: LockLevel) -> Result<bool> {
        drop(self.call(Op::Lock)?);
        self.file.lock(level)
    }

    fn unlock(&self, level: LockLevel) -> Result<()> {
        drop(self.call(Op::Unlock)?);
        self.file.unlock(level)
    }

    fn check_reserved(&self) -> Result<bool> {
        drop(self.call(Op::CheckReserved)?);
        self.file.check_reserved()
    }

    fn sector_size(&self) -> u32 {
        self.sim.world().sector_size
    }

    fn characteristics(&self) -> DeviceCharacteristics {
        self.sim.world().characteristics
    }

    fn has_shm(&self) -> bool {
        true
    }

    fn shm_map(&self, region: u32, extend: bool) -> Result<Option<ShmRegion>> {
        drop(self.call(Op::ShmMap)?);
        self.file.shm_map(region, extend)
    }

    fn shm_lock(&self, slots: Range<u8>, how: ShmLock) -> Result<bool> {
        drop(self.call(Op::ShmLock)?);
        self.file.shm_lock(slots, how)
    }

    /// Never fails: releasing locks is part of error handling.
    fn shm_unlock(&self, slots: Range<u8>, how: ShmLock) -> Result<()> {
        self.file.shm_unlock(slots, how)
    }

    fn shm_is_shared(&self) -> Result<bool> {
        Ok(self.sim.world().shm_is_shared)
    }

    fn shm_unmap(&self, delete: bool) -> Result<()> {
        self.file.shm_unmap(delete)
    }

    fn map(&self, reserve: u64) -> Result<Option<Mapping>> {
        let is_foreign = self.call(Op::Map)?.is_foreign;
        if is_foreign { Ok(None) } else { self.file.map(reserve) }
    }

    fn id(&self) -> Option<FileId> {
        if self.is_foreign() { None } else { self.file.id() }
    }

    fn is_foreign(&self) -> bool {
        self.sim.world().is_foreign
    }
}
