//! What the pager and the file's header know.

use lithe_btree::AutoVacuum;
use lithe_format::PageSize;
use lithe_format::db_header::Meta;
use lithe_pager::{CacheSize, JournalMode, Synchronous};
use lithe_value::{Encoding, Value};
use lithe_vm::operand::Db;

use super::{Call, Pragma, SILENT, SILENT_WHEN_SET, WRITES, answer, integer, nothing, safety_level};
use crate::error::{Error, Result};
use crate::native::NativeRow;

pub(super) const PRAGMAS: &[Pragma] = &[
    entry("application_id", SILENT_WHEN_SET | WRITES, |call| header_value(call, Meta::ApplicationId)),
    entry("auto_vacuum", SILENT_WHEN_SET, auto_vacuum),
    entry("cache_size", SILENT_WHEN_SET, cache_size),
    entry("data_version", 0, data_version),
    entry("encoding", SILENT_WHEN_SET, encoding),
    entry("freelist_count", 0, freelist_count),
    entry("journal_mode", WRITES, journal_mode),
    entry("mmap_size", 0, mmap_size),
    entry("page_count", 0, page_count),
    entry("page_size", SILENT_WHEN_SET, page_size),
    entry("schema_version", SILENT_WHEN_SET | WRITES, |call| header_value(call, Meta::SchemaCookie)),
    entry("synchronous", SILENT_WHEN_SET, synchronous),
    entry("temp_store", SILENT_WHEN_SET, temp_store),
    entry("user_version", SILENT_WHEN_SET | WRITES, |call| header_value(call, Meta::UserVersion)),
    Pragma { name: "incremental_vacuum", columns: &[], traits: SILENT, run: incremental_vacuum },
    Pragma { name: "wal_checkpoint", columns: &["busy", "log", "checkpointed"], traits: 0, run: wal_checkpoint },
];

const fn entry(name: &'static str, traits: u8, run: fn(&Call<'_>) -> Result<Vec<NativeRow>>) -> Pragma {
    Pragma { name, columns: &[], traits, run }
}

/// A value of the header that applications own: read, or written in a transaction.
fn header_value(call: &Call<'_>, meta: Meta) -> Result<Vec<NativeRow>> {
    let Some(value) = call.value else {
        call.connection.begin_on(call.db(), false, call.run)?;
        let value = call.connection.database(call.db())?.btree().meta(meta)?;
        return answer(i64::from(value.cast_signed()));
    };
    let value = (integer(value) as i32).cast_unsigned();
    call.connection.begin_on(call.db(), true, call.run)?;
    call.connection.set_cookie(call.db(), meta as u8, value)?;
    nothing()
}

fn freelist_count(call: &Call<'_>) -> Result<Vec<NativeRow>> {
    call.connection.begin_on(call.db(), false, call.run)?;
    answer(i64::from(call.connection.database(call.db())?.btree().meta(Meta::FreelistCount)?))
}

fn page_count(call: &Call<'_>) -> Result<Vec<NativeRow>> {
    call.connection.begin_on(call.db(), false, call.run)?;
    answer(i64::from(call.connection.database(call.db())?.btree().pager().page_count()))
}

/// Only a database that has no pages yet takes another size at once.
fn page_size(call: &Call<'_>) -> Result<Vec<NativeRow>> {
    let database = call.connection.database(call.db())?;
    let pager = database.btree().pager();
    let Some(size) = call.integer() else {
        call.connection.begin_on(call.db(), false, call.run)?;
        return answer(i64::from(pager.page_size().get()));
    };
    call.connection.begin_on(call.db(), false, call.run)?;
    if let Some(size) = u32::try_from(size).ok().and_then(PageSize::new) {
        pager.set_page_size(size, pager.reserved());
    }
    nothing()
}

fn cache_size(call: &Call<'_>) -> Result<Vec<NativeRow>> {
    let database = call.connection.database(call.db())?;
    let pager = database.btree().pager();
    match call.integer() {
        None => answer(match pager.cache_size() {
            CacheSize::Pages(pages) => i64::from(pages),
            CacheSize::KiB(kib) => -i64::from(kib),
        }),
        Some(size) => {
            let magnitude = u32::try_from(size.unsigned_abs()).unwrap_or(u32::MAX);
            pager.set_cache_size(if size < 0 { CacheSize::KiB(magnitude) } else { CacheSize::Pages(magnitude) });
            nothing()
        }
    }
}

fn mmap_size(call: &Call<'_>) -> Result<Vec<NativeRow>> {
    let database = call.connection.database(call.db())?;
    let pager = database.btree().pager();
    if let Some(size) = call.integer() {
        pager.set_mmap_size(u64::try_from(size).unwrap_or(u64::MAX));
    }
    if pager.path().is_none() {
        return nothing(); // a database without a file has no mapping
    }
    answer(i64::try_from(pager.mmap_size()).unwrap_or(i64::MAX))
}

fn encoding(call: &Call<'_>) -> Result<Vec<NativeRow>> {
    let facts = &call.connection.facts;
    let Some(value) = call.text() else {
        call.connection.load_schemas()?;
        return answer(match facts.encoding.get() {
            Encoding::Utf8 => "UTF-8",
            Encoding::Utf16le => "UTF-16le",
            Encoding::Utf16be => "UTF-16be",
        });
    };
    let names = [
        ("UTF8", Encoding::Utf8),
        ("UTF-8", Encoding::Utf8),
        ("UTF-16le", Encoding::Utf16le),
        ("UTF-16be", Encoding::Utf16be),
        ("UTF16le", Encoding::Utf16le),
        ("UTF16be", Encoding::Utf16be),
        ("UTF-16", Encoding::Utf16le),
        ("UTF16", Encoding::Utf16le),
    ];
    let Some((_, wanted)) = names.iter().find(|(name, _)| name.eq_ignore_ascii_case(&value)) else {
        return Err(Error::generic(format!("unsupported encoding: {value}")));
    };
    // A database that has pages keeps its encoding, and asking for another is no error.
    call.connection.begin_on(Db::MAIN, false, call.run)?;
    if call.connection.database(Db::MAIN)?.btree().pager().page_count() == 0 {
        facts.encoding.set(*wanted);
        call.connection.expire_programs();
    }
    nothing()
}

const JOURNAL_MODES: [(&str, JournalMode); 6] = [
    ("delete", JournalMode::Delete),
    ("persist", JournalMode::Persist),
    ("off", JournalMode::Off),
    ("truncate", JournalMode::Truncate),
    ("memory", JournalMode::Memory),
    ("wal", JournalMode::Wal),
];

/// Answers the mode in force, whether or not it could be changed.
fn journal_mode(call: &Call<'_>) -> Result<Vec<NativeRow>> {
    let wanted = call.text().and_then(|text| {
        JOURNAL_MODES.iter().find(|(name, _)| name.eq_ignore_ascii_case(&text)).map(|(_, mode)| *mode)
    });
    let database = call.connection.database(call.db())?;
    let pager = database.btree().pager();
    let mode = match wanted {
        Some(mode) => call.connection.set_journal_mode(&database, mode)?,
        None => pager.journal_mode(),
    };
    let name = JOURNAL_MODES.iter().find(|(_, m)| *m == mode).map_or("delete", |(name, _)| *name);
    answer(name)
}

fn synchronous(call: &Call<'_>) -> Result<Vec<NativeRow>> {
    let database = call.connection.database(call.db())?;
    let pager = database.btree().pager();
    let levels = [Synchronous::Off, Synchronous::Normal, Synchronous::Full, Synchronous::Extra];
    let Some(value) = call.value else {
        let level = levels.iter().position(|level| *level == pager.synchronous()).unwrap_or(0);
        return answer(level as i64);
    };
    if !call.connection.is_autocommit() {
        return Err(Error::generic("Safety level may not be changed inside a transaction"));
    }
    if call.db() != Db::TEMP {
        pager.set_synchronous(levels[usize::from(safety_level(value, 1) & 3)]);
    }
    nothing()
}

fn data_version(call: &Call<'_>) -> Result<Vec<NativeRow>> {
    call.connection.begin_on(call.db(), false, call.run)?;
    answer(i64::from(call.connection.database(call.db())?.btree().pager().data_version()))
}

fn auto_vacuum(call: &Call<'_>) -> Result<Vec<NativeRow>> {
    let database = call.connection.database(call.db())?;
    call.connection.begin_on(call.db(), false, call.run)?;
    let btree = database.btree();
    let Some(value) = call.text() else {
        return answer(btree.auto_vacuum_mode()? as i64);
    };
    let number = integer(value.as_bytes());
    let mode = match value.to_ascii_lowercase().as_str() {
        "full" => AutoVacuum::Full,
        "incremental" => AutoVacuum::Incremental,
        _ if number == 1 => AutoVacuum::Full,
        _ if number == 2 => AutoVacuum::Incremental,
        _ => AutoVacuum::None,
    };
    if btree.pager().page_count() > 0 {
        call.connection.begin_on(call.db(), true, call.run)?;
    }
    btree.set_auto_vacuum(mode)?;
    nothing()
}

fn incremental_vacuum(call: &Call<'_>) -> Result<Vec<NativeRow>> {
    let pages = call.integer().filter(|pages| *pages > 0).map_or(u32::MAX, |pages| pages as u32);
    call.connection.begin_on(call.db(), true, call.run)?;
    call.connection.database(call.db())?.btree().incremental_vacuum(pages)?;
    nothing()
}

/// Temporary tables are in memory whatever is asked; the setting is remembered for those who ask back.
fn temp_store(call: &Call<'_>) -> Result<Vec<NativeRow>> {
    let cell = &call.connection.temp_store;
    let Some(value) = call.text() else { return answer(i64::from(cell.get())) };
    cell.set(match value.to_ascii_lowercase().as_str() {
        "file" => 1,
        "memory" => 2,
        other => u8::try_from(integer(other.as_bytes())).ok().filter(|mode| *mode <= 2).unwrap_or(0),
    });
    nothing()
}

fn wal_checkpoint(call: &Call<'_>) -> Result<Vec<NativeRow>> {
    let result = call.connection.checkpoint(call.schema, call.text().as_deref())?;
    let numbers = [i64::from(result.is_busy), result.log_frames, result.checkpointed_frames];
    Ok(vec![numbers.into_iter().map(Value::from).collect()])
}
