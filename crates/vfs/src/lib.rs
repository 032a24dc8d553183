//! The interface to the system: files, locks, shared memory, mappings, clock and randomness.
//!
//! ```text
//!   pager ──► Vfs::open ──► File: read_at, write_at, sync, lock, shm_map, map
//!                │
//!                ├── UnixVfs      the system's files
//!                ├── MemoryVfs    files in memory
//!                └── Sim          records calls, makes them fail, loses power
//! ```
//!
//! Read first: [`Vfs`], [`File`], [`LockLevel`].
//!
//! [`Vfs`] and [`File`] are the traits; [`UnixVfs`] is the system's file system, [`MemoryVfs`] keeps files in memory,
//! and [`Sim`] simulates a machine that fails on command. The crate must not know what a page is: it handles paths,
//! offsets and lock levels.
//!
//! `unsafe` is for system calls and for memory that other processes write too; it is in `address_space`, `mapping`,
//! `mapping_fault`, `memory_bytes`, `shm` and `unix`.

mod address_space;
mod error;
mod error_log;
mod file;
mod flags;
mod local_time;
mod mapping;
mod mapping_fault;
mod memory;
mod memory_bytes;
mod shm;
mod sim;
mod temp_directory;
mod unix;
mod vfs;

pub use error::{Error, Op, Result};
pub use error_log::{log_error, set_error_log};
pub use file::{File, FileId, PragmaAnswer};
pub use flags::{Access, DeviceCharacteristics, FileEvent, LockLevel, OpenFlags, ShmLock, SyncFlags};
pub use lithe_base::ResultCode;
pub use local_time::local_offset;
pub use mapping::Mapping;
pub use mapping_fault::mapping_faults;
pub use memory::MemoryVfs;
pub use shm::{SHM_REGION_BYTES, ShmRegion};
pub use sim::{Done, Fault, Loss, Random, Recording, Replay, Sim};
pub use temp_directory::{TempDirectory, keep_temp_directory, set_temp_directory, temp_directory};
pub use unix::{UNIX_PATH_MAX, UnixVfs, temporary_path};
pub use vfs::{Links, Opened, Vfs};
