//! A database of stamped pages on a simulated machine, and the model of what must be in it.
#![allow(dead_code, reason = "each test uses its part")]

use std::path::Path;

use lithe_format::db_header::DbHeader;
use lithe_format::{PageNo, PageSize};
use lithe_pager::{BeginKind, CacheSize, CheckpointMode, Error, JournalMode, OpenOptions, Pager, Synchronous};
use lithe_vfs::{DeviceCharacteristics, Loss, Random, Sim};

#[derive(Clone, Copy, Debug)]
pub struct Config {
    pub journal: JournalMode,
    pub synchronous: Synchronous,
    pub page_size: PageSize,
    pub mapped: bool,
    pub cache_pages: u32,
    pub powersafe: bool,
    /// The VFS is the application's.
    pub foreign: bool,
}

impl Config {
    pub fn random(random: &mut Random) -> Config {
        Config {
            journal: JournalMode::Delete,
            synchronous: Synchronous::Full,
            page_size: PageSize::new(512 << random.below(4)).unwrap(),
            mapped: !random.one_in(3),
            cache_pages: if random.one_in(2) { 3 + random.below(8) as u32 } else { 1000 },
            powersafe: !random.one_in(4),
            foreign: random.one_in(3),
        }
    }
}

/// The content of the pages: a stamp each, the same eight bytes all over the page.
pub type State = Vec<u64>;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    Ok,
    Failed,
}

/// A database on a simulated machine, and its expected content.
pub struct Machine {
    pub sim: Sim,
    config: Config,
    pager: Option<Pager>,
    other: Option<Pager>,
    /// All states that were committed since the last power loss, oldest first.
    history: Vec<State>,
    /// The state of a commit whose result is unknown.
    in_doubt: Option<State>,
    /// States from before an interrupted recovery stay possible as long as no connection has read the result.
    stamps: u64,
    /// Whether another process seems to have the database open.
    others: Random,
}

const PATH: &str = "/db";
const PAGES_MAX: u32 = 40;

impl Machine {
    pub fn new(seed: u64, config: Config) -> Machine {
        let sim = Sim::new(seed);
        // The end of a log that a power loss has torn on such a device is repaired by calls that SQLite does not make.
        let mends = !config.foreign || config.journal != JournalMode::Wal;
        if !config.powersafe && mends {
            sim.set_device(DeviceCharacteristics::default(), 2048);
        }
        sim.set_foreign(config.foreign);
        let others = Random::new(!seed);
        Machine { sim, config, pager: None, other: None, history: vec![], in_doubt: None, stamps: 0, others }
    }

    fn open(&self) -> Result<Pager, Error> {
        let options = OpenOptions {
            page_size: self.config.page_size,
            mmap_size: if self.config.mapped { u64::MAX } else { 0 },
            cache_size: CacheSize::Pages(self.config.cache_pages),
            ..OpenOptions::default()
        };
        let pager = Pager::open(self.sim.vfs(), Path::new(PATH), &options)?;
        pager.set_synchronous(self.config.synchronous);
        pager.set_may_append_past_log(true);
        if self.config.journal != JournalMode::Wal {
            pager.set_journal_mode(self.config.journal)?;
        }
        Ok(pager)
    }

    fn pager(&mut self) -> Result<&Pager, Error> {
        if self.pager.is_none() {
            self.pager = Some(self.open()?);
        }
        Ok(self.pager.as_ref().unwrap())
    }

    fn next_stamp(&mut self) -> u64 {
        self.stamps += 1;
        // No byte is zero: a page of zeros is not mistaken for one that was written.
        self.stamps | 0x8080_8080_8080_8080
    }

    /// Makes the database, without failures.
    pub fn create(&mut self) {
        let stamp = self.next_stamp();
        let pager = self.open().unwrap();
        pager.begin_write(BeginKind::Immediate).unwrap();
        let mut first = pager.new_page(PageNo::FIRST).unwrap();
        stamp_page(&mut first, stamp);
        DbHeader::new(self.config.page_size, 0).write(&mut first);
        drop(first);
        pager.commit().unwrap();
        pager.end_read().unwrap();
        if self.config.journal == JournalMode::Wal {
            assert_eq!(pager.set_journal_mode(JournalMode::Wal).unwrap(), JournalMode::Wal);
        }
        drop(pager);
        self.sim.restart(Loss::KeepAll);
        self.history = vec![vec![stamp]];
    }

    pub fn committed(&self) -> State {
        self.history.last().unwrap().clone()
    }

    /// Runs one transaction of random changes.
    pub fn transaction(&mut self, random: &mut Random) -> Outcome {
        let mut state = self.committed();
        let stamps: Vec<u64> = (0..PAGES_MAX * 2).map(|_| self.next_stamp()).collect();
        // Another process may come, or go, while the transaction runs.
        let (sim, others) = (self.sim.clone(), [0; 2].map(|_| self.others.one_in(4)));
        let Ok(pager) = self.pager() else { return Outcome::Failed };
        let mut stamps = stamps.into_iter();
        sim.set_shm_shared(others[0]);
        let change = Change { pager, state: &mut state, random, stamps: &mut stamps, savepoints: Vec::new() };
        let changed = change.run();
        sim.set_shm_shared(others[1]);
        let outcome = match changed {
            Ok(true) => {
                let committed = pager.commit();
                if committed.is_ok() {
                    self.history.push(state);
                } else {
                    self.in_doubt = Some(state);
                }
                committed
            }
            Ok(false) => self.pager.as_ref().unwrap().rollback(),
            Err(error) => Err(error),
        };
        let failed = outcome.is_err();
        let pager = self.pager.as_ref().unwrap();
        if failed {
            let _ = pager.rollback();
        }
        let ended = pager.end_read();
        if failed || ended.is_err() { Outcome::Failed } else { Outcome::Ok }
    }

    pub fn checkpoint(&mut self, mode: CheckpointMode) {
        if let Ok(pager) = self.pager() {
            let _ = pager.checkpoint(mode);
        }
    }

    /// Answers whether the database has left WAL mode.
    pub fn leave_wal(&mut self) -> bool {
        self.pager().is_ok_and(|pager| pager.set_journal_mode(JournalMode::Delete).is_ok())
    }

    pub fn reopen(&mut self) {
        self.pager = None;
    }

    pub fn swap_connections(&mut self) {
        std::mem::swap(&mut self.pager, &mut self.other);
    }

    pub fn try_to_read(&mut self) {
        if let Ok(pager) = self.pager() {
            let _ = pager.begin_read();
            let _ = pager.end_read();
        }
    }

    /// The power fails now, if it has not yet.
    pub fn lose_power(&mut self, loss: Loss) {
        self.sim.restart(loss);
        self.drop_connections();
    }

    /// The power fails during recovery.
    pub fn lose_power_unknowing(&mut self, loss: Loss) {
        self.lose_power(loss);
    }

    /// The process dies: what it wrote is there.
    pub fn die(&mut self) {
        self.lose_power(Loss::KeepAll);
    }

    fn drop_connections(&mut self) {
        self.pager = None;
        self.other = None;
    }

    /// The content must be one of the states that the configuration promises.
    pub fn check_after_power_loss(&mut self) {
        let found = self.read_all();
        let mut allowed: Vec<State> = self.history.clone();
        // A transaction that changed nothing wrote nothing.
        allowed.dedup();
        let lasting = self.config.synchronous >= Synchronous::Full;
        let deletes = self.config.journal == JournalMode::Delete;
        let kept = match self.config.journal {
            // Not every commit is synced, but the order is kept.
            JournalMode::Wal if !lasting => allowed.len(),
            JournalMode::Wal => 1,
            // The journal may come back as long as the folder is not synced.
            _ if self.config.synchronous == Synchronous::Extra || (lasting && !deletes) => 1,
            _ => 2,
        };
        allowed.drain(..allowed.len().saturating_sub(kept));
        allowed.extend(self.in_doubt.take());
        if !allowed.contains(&found) {
            let place = self.history.iter().rev().position(|state| *state == found);
            panic!("{:?}: found {found:x?}, {place:?} commits back, allowed {allowed:x?}", self.config);
        }
        self.history = vec![found];
    }

    /// The content must be the last committed state, or that of a commit whose result is unknown.
    pub fn check_exactly(&mut self) {
        let found = self.read_all();
        let committed = self.committed();
        let doubtful = self.in_doubt.take();
        let right = found == committed || doubtful.as_ref() == Some(&found);
        assert!(right, "{:?}: found {found:x?}, committed {committed:x?}, in doubt {doubtful:x?}", self.config);
        self.history.push(found);
    }

    fn read_all(&mut self) -> State {
        let size = self.config.page_size;
        let pager = self.pager().unwrap();
        if let Err(error) = pager.begin_read() {
            let names = ["/db", "/db-journal", "/db-wal"];
            let sizes: Vec<_> =
                names.iter().map(|name| self.sim.read_file(Path::new(name)).map(|file| file.len())).collect();
            panic!("{error}: {:?}, files {sizes:?}", self.config);
        }
        let pager = self.pager().unwrap();
        assert_eq!(pager.page_size(), size);
        let state = (1..=pager.page_count()).map(|n| stamp_of(pager, n)).collect();
        pager.end_read().unwrap();
        state
    }
}

/// A transaction that is under way: its expected pages, now and at each savepoint.
struct Change<'a, I> {
    pager: &'a Pager,
    state: &'a mut State,
    random: &'a mut Random,
    /// Stamps that no page has had yet.
    stamps: &'a mut I,
    /// The model at each savepoint.
    savepoints: Vec<State>,
}

impl<I: Iterator<Item = u64>> Change<'_, I> {
    /// Changes pages at random. Answers whether the transaction is to be committed.
    fn run(mut self) -> Result<bool, Error> {
        let kinds = [BeginKind::Immediate, BeginKind::Exclusive, BeginKind::Concurrent];
        self.pager.begin_write(kinds[self.random.below(3) as usize])?;
        let most = if self.random.one_in(4) { 40 } else { 6 };
        let work = 1 + self.random.below(most);
        for _ in 0..work {
            let count = self.state.len() as u64;
            if self.random.one_in(4) {
                // This transaction holds no page between two steps.
                self.pager.begin_statement_alone()?;
            }
            match self.random.below(16) {
                0..=7 => self.change_page()?,
                8..=11 if count < u64::from(PAGES_MAX) => self.add_page()?,
                12 if count > 3 => {
                    let shorter = 2 + self.random.below(count - 2) as u32;
                    self.pager.set_page_count(shorter)?;
                    self.state.truncate(shorter as usize);
                }
                13 => {
                    self.pager.savepoint()?;
                    self.savepoints.push(self.state.clone());
                }
                14 if !self.savepoints.is_empty() => {
                    let depth = self.any_savepoint();
                    self.pager.rollback_to(depth)?;
                    self.state.clone_from(&self.savepoints[depth]);
                    self.savepoints.truncate(depth + 1);
                }
                15 if !self.savepoints.is_empty() => {
                    let depth = self.any_savepoint();
                    self.pager.release(depth)?;
                    self.savepoints.truncate(depth);
                }
                _ => {
                    let n = self.any_page();
                    let page = self.pager.page(PageNo::new(n).unwrap())?;
                    assert_stamp(&page, n, self.state[n as usize - 1]);
                }
            }
            assert_eq!(self.pager.page_count() as usize, self.state.len());
        }
        Ok(!self.random.one_in(6))
    }

    /// Writes a new stamp to a page, with or without reading its content first.
    fn change_page(&mut self) -> Result<(), Error> {
        let n = self.any_page();
        let Some(stamp) = self.stamps.next() else { return Ok(()) };
        let no = PageNo::new(n).unwrap();
        let mut page = if self.random.one_in(3) {
            let header_len = if n == 1 { 104 } else { 0 };
            self.pager.overwrite(no, header_len..self.pager.page_size().bytes())?
        } else {
            let page = self.pager.write(no)?;
            assert_stamp(&page, n, self.state[n as usize - 1]);
            page
        };
        restamp_page(&mut page, n, stamp);
        self.state[n as usize - 1] = stamp;
        drop(page);
        if self.random.one_in(4) { self.pager.finish_page(no) } else { Ok(()) }
    }

    /// Writes a page behind the last one.
    fn add_page(&mut self) -> Result<(), Error> {
        let Some(stamp) = self.stamps.next() else { return Ok(()) };
        let no = PageNo::new(self.state.len() as u32 + 1).unwrap();
        stamp_page(&mut self.pager.new_page(no)?, stamp);
        self.state.push(stamp);
        if self.random.one_in(2) { self.pager.finish_page(no) } else { Ok(()) }
    }

    fn any_page(&mut self) -> u32 {
        1 + self.random.below(self.state.len() as u64) as u32
    }

    fn any_savepoint(&mut self) -> usize {
        self.random.below(self.savepoints.len() as u64) as usize
    }
}

fn stamp_page(page: &mut [u8], stamp: u64) {
    for place in page.chunks_exact_mut(8) {
        place.copy_from_slice(&stamp.to_le_bytes());
    }
}

/// Page 1 keeps its header.
fn restamp_page(page: &mut [u8], n: u32, stamp: u64) {
    stamp_page(if n == 1 { &mut page[104..] } else { page }, stamp);
}

fn assert_stamp(page: &[u8], n: u32, stamp: u64) {
    let page = if n == 1 { &page[104..] } else { page };
    for place in page.chunks_exact(8) {
        assert_eq!(place, stamp.to_le_bytes(), "page {n}");
    }
}

fn stamp_of(pager: &Pager, n: u32) -> u64 {
    let page = pager.page(PageNo::new(n).unwrap()).unwrap();
    let stamp = u64::from_le_bytes(page[page.len() - 8..].try_into().unwrap());
    assert_stamp(&page, n, stamp);
    stamp
}
