//! Reading with cold caches: the system's caches are dropped before every turn, so that bytes, file names and inodes come from the device.
//! Only root may drop them.

use std::fs;
use std::hint::black_box;

use crate::blobs::limit::{OnePread, Packed};
use crate::blobs::read::{ReadFiles, ReadSql, Transactions};
use crate::blobs::workload::Workload;
use crate::files::{Layout, settle};
use crate::frame::results::{Chart, Name, Side};
use crate::frame::turns::{Contestant, Contestants, Round, Turn, take_turns};
use crate::frame::{Context, Result};
use crate::sql::{Library, Lithe, Settings, Sqlite};

const SWITCH: &str = "/proc/sys/vm/drop_caches";

/// Writing this to the switch drops pages, folder entries and inodes.
const EVERYTHING: &str = "3";

/// Whether this process may drop the system's caches.
pub fn is_permitted() -> bool {
    fs::OpenOptions::new().write(true).open(SWITCH).is_ok()
}

/// Runs the experiment.
pub fn read_cold(workload: &Workload) -> Result<Chart> {
    let common = &workload.options.common;
    let packed = if common.has(Side::Limit) { Some(Packed::create(workload)?) } else { None };
    let mut contestants: Contestants<'_> = Vec::new();
    if common.has(Side::Files) {
        contestants.push(Cold::boxed(workload, ReadFiles::new(workload, Layout::Folder)));
        contestants.push(Cold::boxed(workload, ReadFiles::new(workload, Layout::Tree)));
    }
    if common.has(Side::Sqlite) {
        contestants.push(sql::<Sqlite>(workload, "sqlite", "SQLite", Settings::default()));
        contestants.push(sql::<Sqlite>(workload, "sqlite-mapped", "SQLite, mapped", super::mapped()));
    }
    if common.has(Side::Lithe) {
        contestants.push(sql::<Lithe>(workload, "lithe", "Lithe", Settings::default()));
        let name = "Lithe, no mapping, small cache";
        contestants.push(sql::<Lithe>(workload, "lithe-buffered", name, super::buffered(workload)));
    }
    if let Some(packed) = &packed {
        contestants.push(Cold::boxed(workload, OnePread::open(workload, packed)?));
    }
    let rows = take_turns("blobs: reading with cold caches", common.rounds(), common.seed, &mut contestants)?;
    let title = format!("Reading {} of {} BLOBs with cold caches", workload.options.cold_reads, workload.options.count);
    Ok(Chart::bars("cold", title, "µs a BLOB", rows))
}

fn sql<'w, L: Library>(workload: &'w Workload, id: &str, label: &str, settings: Settings) -> Box<dyn Contestant + 'w> {
    let name = Name::new(id, label, L::SIDE);
    Box::new(Turn(name.clone(), move |round: Round| {
        // Each turn has its own connection: the kernel does not drop pages that a process has mapped and touched, and the next contestant
        // would find them in the cache.
        let reader = ReadSql::<L>::open(name.clone(), workload, &settings, Transactions::One)?;
        Cold { workload, reader }.turn(round)
    }))
}

/// A reader with cold caches, which reads only as many BLOBs as a cold turn has.
struct Cold<'w, C> {
    workload: &'w Workload,
    reader: C,
}

impl<'w, C: Contestant + 'w> Cold<'w, C> {
    fn boxed(workload: &'w Workload, reader: C) -> Box<dyn Contestant + 'w> {
        Box::new(Cold { workload, reader })
    }
}

impl<C: Contestant> Contestant for Cold<'_, C> {
    fn name(&self) -> Name {
        self.reader.name()
    }

    fn turn(&mut self, round: Round) -> Result<f64> {
        settle(self.workload.folder())?;
        fs::write(SWITCH, EVERYTHING).context("write", SWITCH)?;
        reload_program();
        self.reader.turn(Round { reads: Some(self.workload.options.cold_reads), ..round })
    }
}

/// Reads this program's file again before the clock starts, because the dropped caches included it.
fn reload_program() {
    if let Ok(program) = std::env::current_exe() {
        black_box(fs::read(program).map_or(0, |bytes| bytes.len()));
    }
}
