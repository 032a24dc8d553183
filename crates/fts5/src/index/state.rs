//! The state of an index that a connection keeps between two calls.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, TryLockError};

use lithe_vtab::{FunctionError, code};

use super::found_terms::FoundTerms;
use super::known_pages::KnownPages;
use super::pending::Pending;
use super::store::{STRUCTURE_ID, Statements};
use super::{Index, Reader};
use crate::Result;
use crate::config::Config;
use crate::settings::Settings;
use crate::structure::Structure;
use lithe_vtab::Names;

/// The state of an index that a connection keeps between two calls.
#[derive(Debug, Default)]
pub(super) struct State {
    /// The terms that are not in a segment yet.
    pub pending: Pending,
    /// How many rows were inserted into `pending` (contentless_delete=1).
    pub pending_rows: u64,
    /// How many rows of segments were deleted since the last flush (contentless_delete=1).
    pub deletions: u64,
    /// The row of the last change, and whether it was a deletion.
    pub last_change: Option<(i64, bool)>,
    /// The structure, while the connection has a write transaction, so that no other connection changes it.
    pub structure: Option<Arc<Structure>>,
    pub is_writing: bool,
    /// The structure as it was read last, and what [`SqlConnection::content_version`](lithe_vtab::SqlConnection::content_version) was then.
    pub seen: Option<(u64, Arc<Structure>)>,
    /// Where terms were found.
    pub found: FoundTerms,
    /// Pages that were read.
    pub pages: KnownPages,
    pub settings: Arc<Settings>,
    /// The cookie of the structure that the settings belong to.
    pub cookie: Option<u32>,
}

impl Index {
    /// The index of a table.
    pub fn new(config: &Config, names: &Names) -> Index {
        Index {
            detail: config.detail,
            prefixes: config.prefixes.clone(),
            token_data: config.token_data,
            has_origins: config.contentless_delete,
            names: names.clone(),
            statements: Statements::new(names),
            state: Mutex::default(),
            generation: AtomicU64::new(0),
        }
    }

    /// The state. It is never held across a call of the connection, so only a bug finds it taken.
    pub(super) fn state(&self) -> Result<MutexGuard<'_, State>> {
        match self.state.try_lock() {
            Ok(state) => Ok(state),
            Err(TryLockError::Poisoned(poisoned)) => Ok(poisoned.into_inner()),
            Err(TryLockError::WouldBlock) => Err(FunctionError::of_code(code::INTERNAL)),
        }
    }

    /// How many records of the index were read, as far as Lithe reads them when SQLite does.
    pub fn reads(&self) -> i64 {
        self.statements.reads.load(Ordering::Relaxed)
    }

    /// Another number after each change that makes postings invalid.
    pub fn generation(&self) -> u64 {
        self.generation.load(Ordering::Relaxed)
    }

    pub(super) fn changed(&self) {
        self.generation.fetch_add(1, Ordering::Relaxed);
    }

    /// A transaction that writes begins.
    ///
    /// # Errors
    /// SQLITE_INTERNAL.
    pub fn begin(&self) -> Result {
        let mut state = self.state()?;
        state.is_writing = true;
        state.structure = None;
        state.last_change = None;
        Ok(())
    }

    /// The transaction was committed.
    pub fn end(&self) {
        if let Ok(mut state) = self.state() {
            (state.structure, state.is_writing) = (None, false);
        }
    }

    /// The transaction was rolled back, or a part of it: what is not written is forgotten.
    pub fn forget(&self, is_over: bool) {
        if let Ok(mut state) = self.state() {
            state.pending.clear();
            (state.pending_rows, state.deletions) = (0, 0);
            state.last_change = None;
            state.structure = None;
            state.cookie = None;
            state.is_writing &= !is_over;
        }
        self.changed();
    }
}

impl Reader<'_> {
    /// What the connection sees of the database, where what was read may serve again. None: nothing is kept, least of all by a connection
    /// that is writing.
    pub(super) fn version(&self) -> Result<Option<u64>> {
        let is_writing = self.index.state()?.is_writing;
        Ok(if is_writing { None } else { self.connection.content_version(&self.index.names.database) })
    }

    /// The structure of the index.
    ///
    /// # Errors
    /// SQLITE_CORRUPT_VTAB, and the errors of reading shadow tables.
    pub fn structure(&self) -> Result<Arc<Structure>> {
        let known = self.index.state()?.structure.clone();
        if let Some(structure) = known {
            return Ok(structure);
        }
        let version = self.version()?;
        let seen = self.index.state()?.seen.clone().filter(|(seen, _)| Some(*seen) == version);
        if let Some((_, structure)) = seen {
            return Ok(structure);
        }
        self.read_structure(version)
    }

    fn read_structure(&self, version: Option<u64>) -> Result<Arc<Structure>> {
        let store = self.store();
        let bytes: Vec<u8> = store.read(STRUCTURE_ID)?;
        let structure = Arc::new(Structure::read(&bytes).map_err(|_| store.corrupt_structure())?);
        let is_known = {
            let mut state = self.index.state()?;
            state.seen = version.map(|version| (version, Arc::clone(&structure)));
            if state.is_writing {
                state.structure = Some(Arc::clone(&structure));
            }
            state.cookie == Some(structure.cookie)
        };
        if !is_known {
            let settings = Arc::new(Settings::read(self.connection, &self.index.names)?);
            let mut state = self.index.state()?;
            state.settings = settings;
            state.cookie = Some(structure.cookie);
        }
        Ok(structure)
    }

    /// The settings that commands have made.
    ///
    /// # Errors
    /// As [`Reader::structure`].
    pub fn settings(&self) -> Result<Arc<Settings>> {
        self.structure()?;
        Ok(Arc::clone(&self.index.state()?.settings))
    }

    /// Writes the structure.
    pub(super) fn put_structure(&self, structure: Structure) -> Result {
        self.store().write(STRUCTURE_ID, &structure.write())?;
        let mut state = self.index.state()?;
        if state.is_writing {
            state.structure = Some(Arc::new(structure));
        }
        Ok(())
    }

    /// Makes all connections read the settings anew.
    ///
    /// # Errors
    /// As [`Reader::structure`], and the errors of writing.
    pub fn bump_cookie(&self) -> Result {
        let mut structure = Structure::clone(&*self.structure()?);
        structure.cookie = structure.cookie.wrapping_add(1);
        // The cookie is what a structure begins with.
        self.store().overwrite(STRUCTURE_ID, &structure.cookie.to_be_bytes())?;
        {
            let mut state = self.index.state()?;
            if state.is_writing {
                state.structure = Some(Arc::new(structure));
            }
        }
        self.index.state()?.cookie = None;
        let settings = Arc::new(Settings::read(self.connection, &self.index.names)?);
        let mut state = self.index.state()?;
        state.cookie = state.structure.as_ref().map(|structure| structure.cookie);
        state.settings = settings;
        Ok(())
    }

    /// Makes an index without any term.
    ///
    /// # Errors
    /// The errors of writing.
    pub fn reset(&self) -> Result {
        {
            let mut state = self.index.state()?;
            state.pending.clear();
            (state.pending_rows, state.deletions) = (0, 0);
            state.last_change = None;
        }
        let cookie = self.structure().map_or(0, |structure| structure.cookie);
        self.store().delete_all()?;
        self.store().write(super::store::AVERAGES_ID, &[])?;
        self.index.changed();
        self.put_structure(Structure { cookie, is_v2: self.index.has_origins, ..Structure::default() })
    }
}
