//! The headline charts as standalone SVG files, light and dark, for a README.

use std::fs;
use std::path::Path;

use super::charts::{Palette, Width, svg};
use crate::frame::results::Report;
use crate::frame::{Context, Result};

/// The charts that are written, by experiment and chart.
const HEADLINES: &[(&str, &str)] = &[("blobs", "read"), ("matrix", "matrix"), ("points", "wal-hit")];

/// Writes `charts/EXPERIMENT-CHART-{light,dark}.svg` into `folder`.
pub fn write(report: &Report, folder: &Path) -> Result<()> {
    let folder = folder.join("charts");
    for (experiment, chart) in HEADLINES {
        let found = report.experiments.iter().find(|e| e.id == *experiment).and_then(|e| e.chart(chart));
        let Some(found) = found else { continue };
        fs::create_dir_all(&folder).context("create", &folder)?;
        for (palette, ground) in [(Palette::Light, "light"), (Palette::Dark, "dark")] {
            let path = folder.join(format!("{experiment}-{chart}-{ground}.svg"));
            fs::write(&path, svg(found, palette, Width::Wide)).context("write", &path)?;
        }
    }
    Ok(())
}
