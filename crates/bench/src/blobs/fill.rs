//! Makes the input of the readers: a database for each library, and files in both layouts.

use crate::blobs::schema::SCHEMA;
use crate::blobs::workload::Workload;
use crate::common::Common;
use crate::files::{Layout, settle};
use crate::frame::Result;
use crate::frame::progress::Progress;
use crate::frame::results::Side;
use crate::sql::{Cell, Connection, Library, Lithe, Sqlite, Statement};

/// The number of BLOBs that a transaction inserts.
const BATCH: usize = 10_000;

/// Makes the input of all contestants.
pub fn fill(workload: &Workload, common: &Common) -> Result<()> {
    if common.has(Side::Lithe) {
        database::<Lithe>(workload)?;
    }
    if common.has(Side::Sqlite) {
        database::<Sqlite>(workload)?;
    }
    if common.has(Side::Files) {
        files(workload, Layout::Folder)?;
        files(workload, Layout::Tree)?;
    }
    settle(workload.folder())
}

fn database<L: Library>(workload: &Workload) -> Result<()> {
    let count = workload.options.count;
    let progress = Progress::start(&format!("blobs: making {}'s database", L::SIDE.name()), count);
    let connection = L::open(&workload.database::<L>(), &workload.settings())?;
    connection.run(SCHEMA)?;
    let mut insert = connection.prepare("INSERT INTO kv(k, v) VALUES (?1, ?2)")?;
    let mut bytes = Vec::new();
    for first in (1..=count).step_by(BATCH) {
        connection.run("BEGIN")?;
        for key in first..(first + BATCH).min(count + 1) {
            workload.content.fill(key, 0, &mut bytes);
            insert.run(&[Cell::from(key), Cell::Blob(&bytes)])?;
        }
        connection.run("COMMIT")?;
        progress.advance(BATCH.min(count + 1 - first));
    }
    progress.finish();
    Ok(())
}

fn files(workload: &Workload, layout: Layout) -> Result<()> {
    let progress = Progress::start(&format!("blobs: making files ({layout:?})").to_lowercase(), workload.options.count);
    workload.files(layout).create(workload.options.count, |key, bytes| {
        workload.content.fill(key, 0, bytes);
        progress.step();
        Ok(())
    })?;
    progress.finish();
    Ok(())
}
