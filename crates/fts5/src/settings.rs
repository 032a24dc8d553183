//! The contents of `x_config`: the version of the format, and the settings that commands change.

use lithe_vtab::{FunctionError, OutOfMemory, SqlConnection, ValueRef, lossy_copy, lowercase};

use crate::Result;
use lithe_vtab::Names;

/// The version of the format.
pub const VERSION: i64 = 4;
/// The version of the format once secure-delete has changed a page.
pub const VERSION_SECURE_DELETE: i64 = 5;

/// The settings that commands change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// The version of the format.
    pub version: i64,
    /// The length of the index's pages, in bytes.
    pub page_size: usize,
    /// The largest size of pending terms, in bytes.
    pub hash_size: usize,
    /// The number of segments of a level from which the level is merged step by step; 0: never.
    pub automerge: usize,
    /// The same number for the command `merge`.
    pub user_merge: usize,
    /// The number of segments of a level from which the level is merged at once.
    pub crisis_merge: usize,
    /// The percentage of a level's rows that must be deleted for the level to be merged; 0: never.
    pub delete_merge: u32,
    /// The function of `rank`, with its arguments.
    pub rank: Option<String>,
    /// Whether deleted entries are removed from their pages.
    pub secure_delete: bool,
    /// Whether functions see the tokens of prefix queries.
    pub inst_token: bool,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            version: VERSION,
            page_size: 4050,
            hash_size: 1 << 20,
            automerge: 4,
            user_merge: 4,
            crisis_merge: 16,
            delete_merge: 10,
            rank: None,
            secure_delete: false,
            inst_token: false,
        }
    }
}

const AUTOMERGE_MAX: i64 = 64;
const SEGMENTS_OF_LEVEL_MAX: i64 = 2000;

/// The result of a setting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The value is set.
    Set,
    /// The value is not valid for the setting.
    WrongValue,
    /// There is no such setting.
    Unknown,
}

impl Settings {
    /// Reads `x_config`.
    ///
    /// # Errors
    /// `invalid fts5 file format`; the errors of reading the table.
    pub fn read(connection: &dyn SqlConnection, names: &Names) -> Result<Settings> {
        let mut settings = Settings { version: 0, ..Settings::default() };
        let mut statement = connection.prepare(&format!("SELECT k, v FROM {}", names.shadow("config")))?;
        while statement.step()? {
            let (ValueRef::Text(key), value) = (statement.column(0), statement.column(1)) else { continue };
            if key.eq_ignore_ascii_case(b"version") {
                settings.version = lithe_value::cast::to_integer(value);
            } else {
                settings.set(key, value)?;
            }
        }
        drop(statement);
        if ![VERSION, VERSION_SECURE_DELETE].contains(&settings.version) {
            return Err(FunctionError::new(format!(
                "invalid fts5 file format (found {}, expected {VERSION} or {VERSION_SECURE_DELETE}) - run 'rebuild'",
                settings.version
            )));
        }
        Ok(settings)
    }

    /// Sets the setting that a command names.
    ///
    /// # Errors
    /// If the memory is short.
    pub fn set(&mut self, key: &[u8], value: ValueRef<'_>) -> Result<Outcome, OutOfMemory> {
        let number = lithe_vtab::as_integer(value);
        let within = |low: i64, high: i64| number.filter(|number| (low..=high).contains(number));
        let key = lowercase(key)?;
        let done = match key.as_str() {
            "pgsz" => within(32, 64 * 1024).map(|size| self.page_size = size as usize),
            "hashsize" => within(1, i64::from(i32::MAX)).map(|size| self.hash_size = size as usize),
            "automerge" => {
                within(0, AUTOMERGE_MAX).map(|count| self.automerge = if count == 1 { 4 } else { count as usize })
            }
            "usermerge" => within(2, 16).map(|count| self.user_merge = count as usize),
            "crisismerge" => within(0, i64::from(i32::MAX)).map(|count| {
                let count = if count <= 1 { 16 } else { count.min(SEGMENTS_OF_LEVEL_MAX - 1) };
                self.crisis_merge = count as usize;
            }),
            "deletemerge" => number.map(|percent| {
                self.delete_merge = match percent {
                    ..0 => 10,
                    101.. => 0,
                    _ => percent as u32,
                };
            }),
            "rank" => self.set_rank(value)?,
            "secure-delete" => within(0, i64::MAX).map(|flag| self.secure_delete = flag != 0),
            "insttoken" => within(0, i64::MAX).map(|flag| self.inst_token = flag != 0),
            _ => return Ok(Outcome::Unknown),
        };
        Ok(if done.is_some() { Outcome::Set } else { Outcome::WrongValue })
    }

    fn set_rank(&mut self, value: ValueRef<'_>) -> Result<Option<()>, OutOfMemory> {
        let (ValueRef::Text(text) | ValueRef::Blob(text)) = value else { return Ok(None) };
        let text = lossy_copy(text)?;
        let is_rank = crate::rank::parse(&text)?.is_some();
        if is_rank {
            self.rank = Some(text);
        }
        Ok(is_rank.then_some(()))
    }
}
