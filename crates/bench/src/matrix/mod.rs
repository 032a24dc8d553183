//! Inside or outside: BLOBs of seven sizes in databases of seven page sizes, against files.
//!
//! The databases and files of a cell are made, read in turns, and removed before the next cell. A turn reads all BLOBs of the cell, in
//! random order, through the BLOB interface, with a page cache of about 2 MB.

mod cell;
mod goals;

use clap::Args;

use crate::blobs::kilobytes;
use crate::common::Common;
use crate::frame::Result;
use crate::frame::progress::Progress;
use crate::frame::results::{Chart, Data, Experiment, Row};
use crate::frame::scratch::Scratch;

/// See [`Command::Matrix`](crate::cli::Command::Matrix).
#[derive(Clone, Debug, Args)]
pub struct Options {
    #[command(flatten)]
    pub common: Common,
    /// The BLOBs' sizes in bytes
    #[arg(long, value_name = "BYTES", value_delimiter = ',', default_values_t = [10_000, 20_000, 50_000, 100_000, 200_000, 500_000, 1_000_000])]
    pub sizes: Vec<usize>,
    /// The databases' page sizes in bytes
    #[arg(long, value_name = "BYTES", value_delimiter = ',', default_values_t = [1024, 2048, 4096, 8192, 16384, 32768, 65536])]
    pub page_sizes: Vec<usize>,
    /// How many bytes of BLOBs a cell has
    #[arg(long, value_name = "BYTES", default_value_t = 100_000_000)]
    pub total: usize,
    /// The page cache in KiB
    #[arg(long, value_name = "KIB", default_value_t = 2000)]
    pub cache_kib: u32,
}

/// The options of `--quick`.
pub const QUICK: &[&str] = &["--total=10000000", "--rounds=7"];

/// Runs the experiment.
pub fn run(options: &Options) -> Result<Experiment> {
    let scratch = Scratch::new(&options.common.folder(), 4 * options.total as u64)?;
    let progress = Progress::start("matrix", options.page_sizes.len() * options.sizes.len());
    // A list of cells for each contestant, line by line.
    let mut series: Vec<Vec<Row>> = Vec::new();
    for &page_size in &options.page_sizes {
        for &size in &options.sizes {
            progress.now(&format!("{} in pages of {page_size}", kilobytes(size)));
            let rows = cell::measure(&scratch, options, page_size, size)?;
            series.resize_with(rows.len(), Vec::new);
            series.iter_mut().zip(rows).for_each(|(cells, row)| cells.push(row));
            progress.step();
        }
    }
    progress.finish();
    let names = |sizes: &[usize], name: &dyn Fn(usize) -> String| sizes.iter().map(|size| name(*size)).collect();
    let data = Data::Matrix {
        lines: ("page".to_owned(), names(&options.page_sizes, &|size| size.to_string())),
        columns: ("BLOB".to_owned(), names(&options.sizes, &short)),
        baseline: cell::BASELINE.to_owned(),
        series,
    };
    let title = "How many times faster than files, by page size and BLOB size".to_owned();
    let chart = Chart { id: "matrix".to_owned(), title, unit: "µs a BLOB".to_owned(), more_is_better: false, data };
    let mut experiment = Experiment {
        id: "matrix".to_owned(),
        title: "Inside or outside: BLOBs by their size and the page size".to_owned(),
        about: format!(
            "For each size of BLOB and each page size, {} MB of BLOBs in a database and as files in one folder, read in \
             random order through the BLOB interface with {} kB of page cache, everything in the system's cache. A cell is \
             the files' time divided by the database's: above 1 the database is faster. \u{201c}External\u{201d} keeps the \
             file's name in the database and the content in the file.",
            options.total / 1_000_000,
            options.cache_kib
        ),
        options: described(options),
        charts: vec![chart],
        ..Experiment::default()
    };
    goals::judge(&mut experiment);
    Ok(experiment)
}

/// "10k", "1M".
fn short(bytes: usize) -> String {
    match bytes {
        0..1000 => bytes.to_string(),
        1000..1_000_000 => format!("{}k", bytes as f64 / 1e3),
        _ => format!("{}M", bytes as f64 / 1e6),
    }
}

fn described(options: &Options) -> std::collections::BTreeMap<String, String> {
    let list = |sizes: &[usize]| sizes.iter().map(usize::to_string).collect::<Vec<_>>().join(", ");
    let pairs = [
        ("BLOB sizes", list(&options.sizes)),
        ("page sizes", list(&options.page_sizes)),
        ("bytes a cell", options.total.to_string()),
        ("page cache in KiB", options.cache_kib.to_string()),
        ("rounds", options.common.rounds.to_string()),
        ("seed", options.common.seed.to_string()),
    ];
    pairs.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}
