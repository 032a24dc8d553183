//! A follower that works like Litestream 0.3: it holds a read transaction, copies new frames, and takes a new copy of the database if it
//! cannot continue from the frames it has.
//!
//! It continues if the log is the known one, or if the log has restarted but the last copied frame is still in place, because then no other
//! frame can have come between. Any other change begins a new generation.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::application::HOLDS;
use crate::log::{Frame, HEADER_LEN, Header, Log, Published, published};

pub struct Follower {
    path: PathBuf,
    /// The database, and each index file that was opened. They are never closed, because closing one would drop this process's locks on the
    /// file.
    file: File,
    indexes: Vec<File>,
    /// Has a read transaction while it is attached.
    connection: Option<rusqlite::Connection>,
    generation: Option<Generation>,
    begun: u32,
    /// The log, and the number of its frames in the index, when the application was killed.
    published_at_kill: Option<Published>,
}

/// A copy of the database, and the frames since its log began.
struct Generation {
    image: Vec<u8>,
    page_size: usize,
    frames: Vec<Frame>,
    header: Header,
    /// The end of the copied frames in the log, and the last of these frames.
    end: usize,
}

impl Follower {
    pub fn new(path: &Path) -> Follower {
        let file = File::open(path).unwrap();
        Follower {
            path: path.to_path_buf(),
            file,
            indexes: Vec::new(),
            connection: None,
            generation: None,
            begun: 0,
            published_at_kill: None,
        }
    }

    /// The number of generations begun.
    pub fn begun(&self) -> u32 {
        self.begun
    }

    /// The length of the copied part of the followed log.
    pub fn copied_len(&self) -> usize {
        self.generation.as_ref().map_or(0, |known| known.end)
    }

    fn log_path(&self) -> PathBuf {
        let mut path = self.path.clone().into_os_string();
        path.push("-wal");
        path.into()
    }

    /// Attaches; answers whether it is attached, which fails while the application holds a lock.
    pub fn attach(&mut self) -> bool {
        if self.connection.is_some() {
            return true;
        }
        let connection = rusqlite::Connection::open(&self.path).unwrap();
        connection.busy_timeout(Duration::from_millis(100)).unwrap();
        let mode: Result<String, _> = connection.query_row("PRAGMA journal_mode = WAL", [], |row| row.get(0));
        if mode.is_err() || mode.is_ok_and(|mode| mode != "wal") {
            return false;
        }
        connection.execute_batch("PRAGMA wal_autocheckpoint = 0").unwrap();
        // A log must exist.
        let touched = "INSERT INTO follower VALUES (1, 1) ON CONFLICT DO UPDATE SET seq = seq + 1";
        let begun = connection
            .execute_batch(touched)
            .and_then(|()| connection.execute_batch("BEGIN; SELECT count(*) FROM follower"));
        if begun.is_err() {
            return false;
        }
        self.connection = Some(connection);
        let is_attached = self.catch_up().is_ok();
        if !is_attached {
            self.detach();
        }
        is_attached
    }

    /// After an absence, copies the new frames if the log is the same; for another log, the missed frames are unknown. Meanwhile a write
    /// lock keeps the log from restarting; after the copy, the log can restart only with all copied frames in the database.
    fn catch_up(&mut self) -> rusqlite::Result<()> {
        let writer = rusqlite::Connection::open(&self.path)?;
        writer.busy_timeout(Duration::from_millis(100))?;
        writer.execute_batch("BEGIN IMMEDIATE")?;
        let is_same = |known: &Generation| Log::read(&self.log_path()).is_some_and(|log| log.header == known.header);
        if !self.generation.as_ref().is_some_and(is_same) {
            self.generation = None;
        }
        self.copy_frames();
        writer.set_db_config(rusqlite::config::DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
        writer.execute_batch("ROLLBACK")
    }

    pub fn is_attached(&self) -> bool {
        self.connection.is_some()
    }

    pub fn detach(&mut self) {
        if let Some(connection) = self.connection.take() {
            // As after a kill, the log stays.
            connection.set_db_config(rusqlite::config::DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true).unwrap();
        }
    }

    /// Records that the application was killed: its last commit may be whole in the log, but not in the index yet. If a connection has kept
    /// the index, the next writer overwrites those frames, which no commit has published. SQLite does the same.
    pub fn note_kill(&mut self) {
        let mut path = self.path.clone().into_os_string();
        path.push("-shm");
        let Ok(index) = File::open(&path) else { return };
        self.published_at_kill = published(&index);
        self.indexes.push(index);
    }

    /// Releases its lock for a checkpoint of its own.
    pub fn checkpoint(&mut self, restarts: bool) {
        let Some(connection) = &self.connection else { return };
        connection.execute_batch("COMMIT").unwrap();
        let mode = if restarts { "RESTART" } else { "PASSIVE" };
        let _ = connection.execute_batch(&format!("PRAGMA wal_checkpoint = {mode}"));
        self.detach();
        self.attach();
    }

    /// Copies new frames; answers whether there was a log.
    pub fn copy_frames(&mut self) -> bool {
        let path = self.log_path();
        let Some(log) = Log::read(&path) else { return false };
        let Some(known) = self.generation.as_mut().filter(|known| known.continues_in(&log)) else {
            self.generation = None;
            return self.begin_generation(&log);
        };
        let from = if known.header == log.header { known.end } else { HEADER_LEN };
        let frames = log.frames();
        let have = (from - HEADER_LEN) / log.frame_len();
        if frames.len() < have {
            let left = frames.len();
            let may_go = |kill: &Published| kill.salts == log.header[16..24] && kill.frames <= left;
            let were_lost = self.published_at_kill.as_ref().is_some_and(may_go);
            assert!(were_lost, "frames that were committed are gone: {have} were copied, {left} are left");
            self.generation = None;
            return self.begin_generation(&log);
        }
        known.end = HEADER_LEN + frames.len() * log.frame_len();
        known.header = log.header;
        known.frames.extend_from_slice(&frames[have..]);
        true
    }

    /// Copies the frames first, then the database: meanwhile a checkpoint may write later frames to the database, but only frames that the
    /// log still has at the next read.
    fn begin_generation(&mut self, log: &Log) -> bool {
        let frames = log.frames();
        let end = HEADER_LEN + frames.len() * log.frame_len();
        let mut image = vec![0; self.file.metadata().unwrap().len() as usize];
        let len = self.file.read_at(&mut image, 0).unwrap();
        image.truncate(len);
        self.generation = Some(Generation { image, page_size: log.page_size(), frames, header: log.header, end });
        self.begun += 1;
        self.copy_frames()
    }

    /// Restores a database from the copy, which must be sound and consistent; answers its moment.
    pub fn restore(&self, path: &Path) -> u64 {
        let known = self.generation.as_ref().expect("frames were copied");
        for suffix in ["", "-wal", "-shm", "-journal"] {
            let _ = std::fs::remove_file(format!("{}{suffix}", path.display()));
        }
        std::fs::write(path, known.restored()).unwrap();
        let connection = rusqlite::Connection::open(path).unwrap();
        let sound: String = connection.query_row("PRAGMA integrity_check", [], |row| row.get(0)).unwrap();
        assert_eq!(sound, "ok");
        let moment: Result<i64, _> = connection.query_row(HOLDS, [], |row| row.get(0));
        moment.expect("a copy is a moment of the database").unsigned_abs()
    }
}

impl Generation {
    fn continues_in(&self, log: &Log) -> bool {
        if self.end > log.len() || self.page_size != log.page_size() {
            return false;
        }
        if self.end == HEADER_LEN {
            return self.header == log.header;
        }
        let last = self.frames.last().expect("it has copied frames");
        log.bytes_at(self.end - log.frame_len(), log.frame_len()) == Some(&last.bytes)
    }

    fn restored(&self) -> Vec<u8> {
        let mut image = self.image.clone();
        for frame in &self.frames {
            let at = (frame.page as usize - 1) * self.page_size;
            if image.len() < at + self.page_size {
                image.resize(at + self.page_size, 0);
            }
            image[at..at + self.page_size].copy_from_slice(frame.image());
            if let Some(pages) = frame.commits {
                image.truncate(pages as usize * self.page_size);
            }
        }
        image
    }
}
