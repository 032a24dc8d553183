//! Small rows by their keys: a prepared `SELECT` inside one transaction, which costs only statement, tree and row.

use std::hint::black_box;
use std::path::Path;

use crate::blobs::workload::Workload;
use crate::content::{Order, keys, text};
use crate::frame::results::{Chart, Name, Side};
use crate::frame::turns::{Contestants, Round, Turn, micros_each, take_turns};
use crate::frame::{Error, Result};
use crate::sql::{Cell, Connection, Library, Lithe, Settings, Sqlite, Statement};

/// The number of rows.
const ROWS: usize = 100_000;

/// The length of a row's text.
const TEXT_LEN: usize = 40;

/// Runs the experiment.
pub fn lookup(workload: &Workload) -> Result<Chart> {
    let common = &workload.options.common;
    let mut contestants: Contestants<'_> = Vec::new();
    if common.has(Side::Sqlite) {
        let large_cache = Settings { cache_size: Some(-64_000), ..Settings::default() };
        add::<Sqlite>(workload, &mut contestants, "sqlite", "SQLite", &Settings::default())?;
        add::<Sqlite>(workload, &mut contestants, "sqlite-cached", "SQLite, all in its cache", &large_cache)?;
    }
    if common.has(Side::Lithe) {
        add::<Lithe>(workload, &mut contestants, "lithe", "Lithe", &Settings::default())?;
    }
    let rows = take_turns("blobs: looking up small rows", common.rounds(), common.seed, &mut contestants)?;
    Ok(Chart::bars("lookup", "Looking up a small row by its key, inside a transaction", "µs a row", rows))
}

fn add<'w, L: Library>(
    workload: &'w Workload,
    contestants: &mut Contestants<'w>,
    id: &str,
    label: &str,
    settings: &Settings,
) -> Result<()> {
    let path = workload.folder().join(format!("{id}-lookup.db"));
    let connection = create::<L>(&path, settings, workload.options.common.seed)?;
    contestants.push(Box::new(Turn(Name::new(id, label, L::SIDE), move |round: Round| look_up(&connection, round))));
    Ok(())
}

fn create<L: Library>(path: &Path, settings: &Settings, seed: u64) -> Result<L::Connection> {
    let connection = L::open(path, settings)?;
    connection.run("CREATE TABLE t(id INTEGER PRIMARY KEY, n INT, name TEXT); BEGIN")?;
    let mut insert = connection.prepare("INSERT INTO t VALUES (?1, ?2, ?3)")?;
    let mut rng = fastrand::Rng::with_seed(seed);
    for key in 1..=ROWS {
        insert.run(&[Cell::from(key), Cell::from(key * 7), Cell::from(text(&mut rng, TEXT_LEN).as_str())])?;
    }
    drop(insert);
    connection.run("COMMIT")?;
    Ok(connection)
}

fn look_up(connection: &impl Connection, round: Round) -> Result<f64> {
    let keys = keys(Order::Random, ROWS, ROWS, round.seed);
    let mut select = connection.prepare("SELECT n, name FROM t WHERE id=?1")?;
    let (micros, sum) = micros_each(ROWS, || {
        let mut sum = 0;
        connection.run("BEGIN")?;
        for &key in &keys {
            select.each(&[Cell::from(key)], |row| {
                sum += row.integer(0) + black_box(row.bytes(1)).len() as i64;
                Ok(())
            })?;
        }
        connection.run("COMMIT")?;
        Ok(sum)
    })?;
    let wanted = 7 * (ROWS * (ROWS + 1) / 2) + ROWS * TEXT_LEN;
    if usize::try_from(sum) != Ok(wanted) {
        return Err(Error::WrongContent(format!("rows add up to {sum} instead of {wanted}")));
    }
    Ok(micros)
}
