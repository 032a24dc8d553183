//! The goals, which hold for every cell.

use crate::frame::results::{Data, Experiment};
use crate::frame::table::belongs_to;

/// Adds the goals, each with the ratio of its worst cell.
pub fn judge(experiment: &mut Experiment) {
    let goals = [
        ("lithe", "files", "Where it does worst of all cells, Lithe reads BLOBs", "files", 1.5),
        ("lithe", "sqlite-mapped", "Where it does worst of all cells, Lithe reads BLOBs", "SQLite, mapped", 1.0),
        (
            "lithe-buffered",
            "files",
            "Where it does worst of all cells, Lithe without mapping reads BLOBs",
            "files",
            1.0,
        ),
    ];
    for (row, against, what, than, wanted) in goals {
        if let Some(measured) = worst(experiment, row, against) {
            experiment.judge_ratio(what.to_owned(), than, wanted, measured);
        }
    }
}

/// The smallest advantage over all cells.
fn worst(experiment: &Experiment, row: &str, against: &str) -> Option<f64> {
    let chart = experiment.chart("matrix")?;
    let Data::Matrix { series, .. } = &chart.data else { return None };
    let find = |id: &str| series.iter().find(|cells| belongs_to(cells, id));
    let ratios = find(row)?.iter().zip(find(against)?).map(|(ours, theirs)| chart.advantage(ours, theirs));
    ratios.min_by(f64::total_cmp)
}
