//! The report: one self-contained page, the raw figures as JSON, and standalone charts.
//!
//! | module | subject |
//! | --- | --- |
//! | `page` | the page |
//! | `html` | text and tables as HTML |
//! | `charts` | charts as SVG |
//! | `pictures` | the charts for a README |

mod charts;
mod html;
mod page;
mod pictures;

use std::fs;
use std::path::Path;

use crate::frame::results::{FORMAT, Report};
use crate::frame::{Context, Error, Result};

/// The names of the files in the folder.
const FIGURES: &str = "results.json";
pub const PAGE: &str = "report.html";

/// Writes the report into `folder`, which is created if it does not exist.
pub fn write(report: &Report, folder: &Path) -> Result<()> {
    fs::create_dir_all(folder).context("create", folder)?;
    let figures = folder.join(FIGURES);
    let json = serde_json::to_string_pretty(report).map_err(|e| Error::setup(format!("cannot write JSON: {e}")))?;
    fs::write(&figures, json).context("write", &figures)?;
    let page = folder.join(PAGE);
    fs::write(&page, page::page(report)).context("write", &page)?;
    pictures::write(report, folder)
}

/// Reads stored raw figures.
pub fn read(file: &Path) -> Result<Report> {
    let json = fs::read_to_string(file).context("read", file)?;
    let not_ours = |e: serde_json::Error| Error::setup(format!("{} has no figures of ours: {e}", file.display()));
    let report: Report = serde_json::from_str(&json).map_err(not_ours)?;
    if report.format != FORMAT {
        let (found, path) = (report.format, file.display());
        return Err(Error::setup(format!("{path} is of format {found}, and this program reads {FORMAT}")));
    }
    Ok(report)
}
