//! Results as text, printed at the end of an experiment.

use std::fmt::Write;

use crate::frame::goals::{Goal, digits_or_two};
use crate::frame::results::{Chart, Data, Experiment, Row, Side};

/// The text of an experiment.
pub fn experiment(experiment: &Experiment) -> String {
    let mut out = format!("\n## {}\n", experiment.title);
    for chart in &experiment.charts {
        out.push_str(&self::chart(chart));
    }
    for (name, value) in &experiment.figures {
        let _ = writeln!(out, "{name}: {value}");
    }
    if !experiment.goals.is_empty() {
        out.push('\n');
        experiment.goals.iter().for_each(|goal| out.push_str(&verdict(goal)));
    }
    for line in &experiment.skipped {
        let _ = writeln!(out, "left out: {line}");
    }
    out
}

fn verdict(goal: &Goal) -> String {
    let mark = if goal.is_met() { "reached" } else { "MISSED " };
    let limit_note = goal.limit_note().map_or_else(String::new, |words| format!("; {words}"));
    format!("{mark}  {} (goal: {} times{limit_note})\n", goal.sentence(), digits_or_two(goal.wanted))
}

fn chart(chart: &Chart) -> String {
    format!("\n{} ({})\n{}", chart.title, chart.unit, align(&chart_lines(chart)))
}

/// A chart as lines of cells, with a header.
pub fn chart_lines(chart: &Chart) -> Vec<Vec<String>> {
    match &chart.data {
        Data::Bars { rows } => bars(chart, rows),
        Data::Curves { along, places, series } => curves(along, places, series),
        Data::Matrix { lines, columns, baseline, series } => matrix(chart, lines, columns, baseline, series),
    }
}

/// A row for each contestant: median, least and greatest sample, how many times better than the first file and SQLite row.
fn bars(chart: &Chart, rows: &[Row]) -> Vec<Vec<String>> {
    let baselines: Vec<&Row> = [Side::Files, Side::Sqlite]
        .iter()
        .filter_map(|side| rows.iter().find(|row| row.name.side == *side && !row.samples.is_empty()))
        .collect();
    let mut head = vec![String::new(), "median".to_owned(), "min".to_owned(), "max".to_owned()];
    head.extend(baselines.iter().map(|row| format!("vs {}", row.name.label)));
    let mut lines = vec![head];
    for row in rows {
        let Some(summary) = row.summary() else { continue };
        let mut line = vec![row.name.label.clone(), number(summary.median), number(summary.min), number(summary.max)];
        line.extend(baselines.iter().map(|other| format!("{:.2}", chart.advantage(row, other))));
        lines.push(line);
    }
    lines
}

fn curves(along: &str, places: &[f64], series: &[Vec<Row>]) -> Vec<Vec<String>> {
    let mut head = vec![along.to_owned()];
    head.extend(places.iter().map(|place| place.to_string()));
    let mut lines = vec![head];
    for rows in series {
        let mut line = vec![rows.first().map_or_else(String::new, |row| row.name.label.clone())];
        line.extend(rows.iter().map(|row| number(row.median())));
        lines.push(line);
    }
    lines
}

/// A table for each contestant: the baseline's time divided by its own.
fn matrix(
    chart: &Chart,
    lines: &(String, Vec<String>),
    columns: &(String, Vec<String>),
    baseline: &str,
    series: &[Vec<Row>],
) -> Vec<Vec<String>> {
    let base = series.iter().find(|cells| belongs_to(cells, baseline));
    let mut out = Vec::new();
    for cells in series.iter().filter(|cells| !belongs_to(cells, baseline)) {
        let mut head = vec![cells.first().map_or_else(String::new, |row| row.name.label.clone())];
        head.extend(columns.1.iter().cloned());
        out.push(head);
        for (line, (name, cells_of_line)) in lines.1.iter().zip(cells.chunks(columns.1.len())).enumerate() {
            let mut row = vec![name.clone()];
            for (column, cell) in cells_of_line.iter().enumerate() {
                let other = base.and_then(|base| base.get(line * columns.1.len() + column));
                row.push(other.map_or_else(String::new, |other| format!("{:.2}", chart.advantage(cell, other))));
            }
            out.push(row);
        }
    }
    out
}

/// Whether the cells are those of the series `id`: cells are named "series/line/column".
pub fn belongs_to(cells: &[Row], id: &str) -> bool {
    cells.first().is_some_and(|row| row.name.id.split('/').next() == Some(id))
}

/// A figure with three significant digits, or all digits before the point.
pub fn number(value: f64) -> String {
    match value {
        v if !v.is_finite() => "-".to_owned(),
        v if v >= 1_000_000.0 => format!("{:.2} M", v / 1e6),
        v if v >= 100.0 => format!("{v:.0}"),
        v if v >= 10.0 => format!("{v:.1}"),
        v if v >= 0.1 => format!("{v:.2}"),
        v => format!("{v:.4}"),
    }
}

/// Aligns columns: the first to the left, the others to the right.
fn align(lines: &[Vec<String>]) -> String {
    let width =
        |column: usize| lines.iter().filter_map(|l| l.get(column)).map(|c| c.chars().count()).max().unwrap_or(0);
    let columns = lines.iter().map(Vec::len).max().unwrap_or(0);
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let mut out = String::new();
    for line in lines {
        let mut text = String::new();
        for (at, (cell, width)) in line.iter().zip(&widths).enumerate() {
            let _ = if at == 0 { write!(text, "{cell:<width$}") } else { write!(text, "  {cell:>width$}") };
        }
        out.push_str(text.trim_end());
        out.push('\n');
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame::results::Name;

    #[test]
    fn bars_show_medians_and_ratios() {
        let row = |id: &str, side, samples: &[f64]| Row { name: Name::new(id, id, side), samples: samples.to_vec() };
        let rows = vec![row("files", Side::Files, &[4.0, 5.0, 4.5]), row("lithe", Side::Lithe, &[2.0, 1.5, 2.5])];
        let text = chart(&Chart::bars("x", "Reading", "µs", rows));
        let wanted = "\nReading (µs)\n       median   min   max  vs files\n\
                      files    4.50  4.00  5.00      1.00\n\
                      lithe    2.00  1.50  2.50      2.25\n";
        assert_eq!(text, wanted);
    }
}
