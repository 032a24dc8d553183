//! BLOBs in a database against BLOBs in files: the experiment behind SQLite's "35% faster than the filesystem".
//!
//! | module | subject |
//! | --- | --- |
//! | `options` | the command line |
//! | `workload` | the BLOBs, and those that a turn touches |
//! | `schema` | the table, and its keys |
//! | `fill` | making databases and files |
//! | `read` | reading in random order |
//! | `limit` | the same bytes without a database: the limit of reading |
//! | `lookup` | small rows by their key |
//! | `cold` | reading with cold system caches |
//! | `overwrite` | new content of the same size |
//! | `bare` | the same pages without a database: the limit of overwriting |
//! | `tool` | making, exporting and running databases that stay on disk |
//! | `goals` | the goals |

mod bare;
mod cold;
mod fill;
mod goals;
mod limit;
mod lookup;
mod options;
mod overwrite;
mod read;
mod schema;
mod tool;
mod workload;

use std::time::Instant;

use crate::bare::PAGE_LEN;
use crate::files::{Layout, Overwrite, disk_bytes};
use crate::frame::Result;
use crate::frame::results::{Chart, Experiment, Name, Row, Side};
use crate::frame::turns::{Contestants, take_turns};
use crate::sql::{Library, Lithe, MAP_ALL, Settings, Sqlite};

use bare::Bare;
pub use goals::kilobytes;
use limit::{CopyFromMapping, OnePread, Packed};
use options::Part;
pub use options::{Options, QUICK};
use overwrite::OverwriteFiles;
use read::{ReadBlob, ReadFiles, ReadSql, Transactions};
pub use tool::use_tool;
use workload::Workload;

/// Runs the experiment.
pub fn run(options: &Options) -> Result<Experiment> {
    let start = Instant::now();
    let mut experiment = Experiment {
        id: "blobs".to_owned(),
        title: "BLOBs: a database against files".to_owned(),
        about: about(options),
        options: described(options),
        ..Experiment::default()
    };
    let workload = Workload::new(options)?;
    fill::fill(&workload, &options.common)?;
    if options.has(Part::Read) {
        experiment.charts.push(read_warm(&workload)?);
    }
    if options.has(Part::Lookup) {
        experiment.charts.push(lookup::lookup(&workload)?);
    }
    // Before overwrites, because they may leave free pages behind.
    let disk = disk_space(&workload)?;
    if options.has(Part::Cold) && cold::is_permitted() {
        experiment.charts.push(cold::read_cold(&workload)?);
    } else if options.has(Part::Cold) {
        experiment.skipped.push("reading with cold caches: only root may drop them".to_owned());
    }
    let overwrites = [Part::Overwrite, Part::Commit].iter().any(|part| options.has(*part));
    let has_limit = overwrites && options.common.has(Side::Limit);
    let bare = if has_limit && options.page_size == PAGE_LEN { Some(Bare::create(&workload)?) } else { None };
    if has_limit && bare.is_none() {
        experiment.skipped.push(format!("the limit of overwriting: bare calls know pages of {PAGE_LEN} bytes only"));
    }
    if options.has(Part::Overwrite) {
        experiment.charts.push(overwrite_warm(&workload, bare.as_ref())?);
    }
    if options.has(Part::Commit) {
        experiment.charts.push(overwrite_durably(&workload, bare.as_ref())?);
    }
    experiment.charts.push(disk);
    experiment.judge(&goals::goals(options));
    experiment.seconds = start.elapsed().as_secs_f64();
    Ok(experiment)
}

fn about(options: &Options) -> String {
    format!(
        "{} BLOBs of {} to {} random bytes in kv(k INTEGER PRIMARY KEY, v BLOB), page size {}, and as one file each. \
         All of them are visited in random order, everything in the system's cache unless a chart says otherwise. \
         Connections stay open from round to round. The limit moves the same bytes without a database, by bare calls.",
        options.count,
        options.size.saturating_sub(options.variance),
        options.size + options.variance,
        options.page_size
    )
}

fn described(options: &Options) -> std::collections::BTreeMap<String, String> {
    let pairs = [
        ("count", options.count.to_string()),
        ("size", options.size.to_string()),
        ("variance", options.variance.to_string()),
        ("page size", options.page_size.to_string()),
        ("reads a turn", options.reads().to_string()),
        ("cold reads a turn", options.cold_reads.to_string()),
        ("overwrites a turn", options.overwrites.to_string()),
        ("commits a turn", options.commits.to_string()),
        ("writers", options.writers.to_string()),
        ("rounds", options.common.rounds.to_string()),
        ("seed", options.common.seed.to_string()),
    ];
    pairs.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

/// Reading while all data is in the system's cache.
fn read_warm(workload: &Workload) -> Result<Chart> {
    let common = &workload.options.common;
    let packed = if common.has(Side::Limit) { Some(Packed::create(workload)?) } else { None };
    let mut contestants: Contestants<'_> = Vec::new();
    if common.has(Side::Files) {
        contestants.push(Box::new(ReadFiles::new(workload, Layout::Folder)));
        contestants.push(Box::new(ReadFiles::new(workload, Layout::Tree)));
    }
    if common.has(Side::Sqlite) {
        let ways = [("", "", Settings::default()), ("-mapped", ", mapped", mapped())];
        add_readers::<Sqlite>(workload, &mut contestants, &ways)?;
    }
    if common.has(Side::Lithe) {
        let ways = [("", "", Settings::default()), ("-buffered", ", no mapping, small cache", buffered(workload))];
        add_readers::<Lithe>(workload, &mut contestants, &ways)?;
    }
    if let Some(packed) = &packed {
        contestants.push(Box::new(CopyFromMapping::open(workload, packed)?));
        contestants.push(Box::new(OnePread::open(workload, packed)?));
    }
    let rows = take_turns("blobs: reading", common.rounds(), common.seed, &mut contestants)?;
    let title = format!("Reading BLOBs of {} in random order", goals::kilobytes(workload.options.size));
    Ok(Chart::bars("read", title, "µs a BLOB", rows))
}

/// Adds readers through SQL and the BLOB interface with each of the settings; and through SQL with a transaction for each read, with the
/// first.
fn add_readers<'w, L: Library>(
    workload: &'w Workload,
    contestants: &mut Contestants<'w>,
    ways: &[(&str, &str, Settings)],
) -> Result<()> {
    let side = L::SIDE;
    let (id, label) = (side.name().to_lowercase(), side.name());
    for (suffix, words, settings) in ways {
        let name = Name::new(format!("{id}-sql{suffix}"), format!("{label}: SQL{words}"), side);
        contestants.push(Box::new(ReadSql::<L>::open(name, workload, settings, Transactions::One)?));
        let name = Name::new(format!("{id}-blob{suffix}"), format!("{label}: BLOB interface{words}"), side);
        contestants.push(Box::new(ReadBlob::<L>::open(name, workload, settings)?));
    }
    let name = Name::new(format!("{id}-sql-each"), format!("{label}: SQL, each read its own transaction"), side);
    contestants.push(Box::new(ReadSql::<L>::open(name, workload, &ways[0].2, Transactions::Each)?));
    Ok(())
}

fn mapped() -> Settings {
    Settings { mmap_size: Some(MAP_ALL), ..Settings::default() }
}

fn buffered(workload: &Workload) -> Settings {
    let cache_size = Some(-i64::from(workload.options.cache_kib));
    Settings { mmap_size: Some(0), cache_size, ..Settings::default() }
}

/// Overwriting in one transaction; files without fsync.
fn overwrite_warm(workload: &Workload, bare: Option<&Bare<'_>>) -> Result<Chart> {
    let common = &workload.options.common;
    let mut contestants: Contestants<'_> = Vec::new();
    if common.has(Side::Files) {
        let ways = [
            ("files-truncate", "files, truncated and rewritten", Overwrite::Truncate),
            ("files-in-place", "files, in place", Overwrite::InPlace),
        ];
        for (id, label, how) in ways {
            let name = Name::new(id, label, Side::Files);
            contestants.push(Box::new(OverwriteFiles::new(name, workload, how, 1)));
        }
    }
    if common.has(Side::Sqlite) {
        contestants.extend(overwrite::in_one_transaction::<Sqlite>(workload));
    }
    if common.has(Side::Lithe) {
        contestants.extend(overwrite::in_one_transaction::<Lithe>(workload));
    }
    contestants.extend(bare.into_iter().flat_map(Bare::in_one_transaction));
    let rows = take_turns("blobs: overwriting in one transaction", common.rounds(), common.seed, &mut contestants)?;
    let title = format!("Overwriting {} BLOBs in one transaction", workload.options.overwrites);
    Ok(Chart::bars("overwrite", title, "µs a BLOB", rows))
}

/// Overwriting with a durable transaction for each BLOB.
fn overwrite_durably(workload: &Workload, bare: Option<&Bare<'_>>) -> Result<Chart> {
    let common = &workload.options.common;
    let writers = workload.options.writers;
    let mut contestants: Contestants<'_> = Vec::new();
    if common.has(Side::Files) {
        let several = format!("files, truncated, rewritten, fsync, {writers} threads");
        for (id, label, threads) in
            [("files-sync", "files, truncated, rewritten, fsync", 1), ("files-sync-threads", several.as_str(), writers)]
        {
            let name = Name::new(id, label, Side::Files);
            contestants.push(Box::new(OverwriteFiles::new(name, workload, Overwrite::TruncateAndSync, threads)));
        }
    }
    if common.has(Side::Sqlite) {
        contestants.extend(overwrite::one_by_one::<Sqlite>(workload));
    }
    if common.has(Side::Lithe) {
        contestants.extend(overwrite::one_by_one::<Lithe>(workload));
    }
    contestants.extend(bare.into_iter().flat_map(Bare::one_by_one));
    let rows = take_turns("blobs: overwriting one by one", common.rounds(), common.seed, &mut contestants)?;
    Ok(Chart::bars("commit", "Overwriting BLOBs, each durable before the next", "µs a BLOB", rows))
}

/// The disk space, as `du` reports it.
fn disk_space(workload: &Workload) -> Result<Chart> {
    let mut rows = Vec::new();
    let mut add = |id: &str, label: &str, side: Side, bytes: u64| {
        rows.push(Row { name: Name::new(id, label, side), samples: vec![bytes as f64 / 1e6] });
    };
    let common = &workload.options.common;
    if common.has(Side::Files) {
        add("files-folder", "files, one folder", Side::Files, workload.files(Layout::Folder).disk_bytes()?);
        add("files-tree", "files, tree of folders", Side::Files, workload.files(Layout::Tree).disk_bytes()?);
    }
    if common.has(Side::Sqlite) {
        add("sqlite", "SQLite", Side::Sqlite, disk_bytes(&workload.database::<Sqlite>())?);
    }
    if common.has(Side::Lithe) {
        add("lithe", "Lithe", Side::Lithe, disk_bytes(&workload.database::<Lithe>())?);
    }
    if common.has(Side::Limit) {
        let bytes = workload.content.total(workload.options.count);
        add("limit", "the BLOBs' bytes alone", Side::Limit, bytes);
    }
    Ok(Chart::bars("disk", "Space on the disk", "MB", rows))
}
