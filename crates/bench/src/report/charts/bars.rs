//! A bar for each contestant: it ends at the median, with a line from the least sample to the greatest.
//!
//! ```text
//!   wide                                    narrow
//!   SQLite: SQL  ████████-|--  4.2          SQLite: SQL
//!   Lithe: SQL   ████|  2.0                 ████████-|--  4.2
//! ```

use plotters::prelude::*;
use plotters::style::text_anchor::HPos;

use super::palette::Role;
use super::{Area, Drawn, Pen, axis};
use crate::frame::results::{Chart, Row, Side};
use crate::frame::statistics::Summary;
use crate::frame::table::number;

const BAR: i32 = 15;
const AXIS: i32 = 30;

/// The positions of a chart's parts.
struct Layout {
    /// Height of a row.
    pitch: i32,
    /// The middle of the bar within its row.
    bar_at: i32,
    /// The left end of bars, and their furthest right end.
    left: i32,
    right: i32,
    /// The value at `right`.
    largest: f64,
    lines: Vec<f64>,
}

pub(super) fn draw(pen: &Pen, _chart: &Chart, rows: &[Row]) -> String {
    let rows: Vec<(&Row, Summary)> = rows.iter().filter_map(|row| Some((row, row.summary()?))).collect();
    let layout = Layout::of(pen, &rows);
    let height = layout.pitch * rows.len() as i32 + AXIS;
    pen.draw(height, |area| {
        draw_grid(pen, area, &layout, rows.len())?;
        rows.iter()
            .enumerate()
            .try_for_each(|(at, (row, summary))| draw_bar(pen, area, &layout, layout.pitch * at as i32, row, summary))
    })
}

impl Layout {
    fn of(pen: &Pen, rows: &[(&Row, Summary)]) -> Layout {
        let width = pen.width.pixels() as i32;
        let widest = |text: &dyn Fn(&(&Row, Summary)) -> String| {
            rows.iter().map(|row| pen.text_width(&text(row))).max().unwrap_or(0)
        };
        let value = widest(&|(_, summary)| number(summary.median)) + 14;
        let (largest, lines) =
            axis(rows.iter().map(|(_, summary)| summary.max).fold(0.0, f64::max), if pen.is_narrow() { 4 } else { 8 });
        if pen.is_narrow() {
            return Layout { pitch: 44, bar_at: 29, left: 1, right: width - value, largest, lines };
        }
        let left = widest(&|(row, _)| row.name.label.clone()) + 12;
        Layout { pitch: 26, bar_at: 13, left, right: width - value, largest, lines }
    }

    fn x(&self, value: f64) -> i32 {
        self.left + (f64::from(self.right - self.left) * value / self.largest).round() as i32
    }
}

fn draw_grid(pen: &Pen, area: &Area<'_>, layout: &Layout, rows: usize) -> Drawn {
    let bottom = layout.pitch * rows as i32 + 4;
    for line in std::iter::once(&0.0).chain(&layout.lines) {
        let x = layout.x(*line);
        area.draw(&PathElement::new([(x, 0), (x, bottom)], pen.color(Role::Grid)))?;
        let anchor = if x < 12 { HPos::Left } else { HPos::Center };
        area.draw(&Text::new(tick(*line), (x, bottom + 13), pen.style(Role::Faint, anchor)))?;
    }
    Ok(())
}

/// The shortest form of a number: "0", "2.5", "500", "1.5 M".
fn tick(value: f64) -> String {
    match value {
        v if v >= 1e6 => format!("{} M", trimmed(v / 1e6)),
        v if v >= 1e4 => format!("{} k", trimmed(v / 1e3)),
        v => trimmed(v),
    }
}

fn trimmed(value: f64) -> String {
    let text = format!("{value:.4}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

fn draw_bar(pen: &Pen, area: &Area<'_>, layout: &Layout, top: i32, row: &Row, summary: &Summary) -> Drawn {
    let middle = top + layout.bar_at;
    let (start, end) = (layout.x(0.0), layout.x(summary.median).max(layout.x(0.0) + 1));
    let (low, high) = (layout.x(summary.min), layout.x(summary.max));
    let color = pen.color(Role::Side(row.name.side));
    area.draw(&Rectangle::new([(start, middle - BAR / 2), (end, middle + BAR / 2)], color.filled()))?;
    let faint = pen.color(Role::Text);
    if high > low {
        area.draw(&PathElement::new([(low, middle), (high, middle)], faint))?;
        for x in [low, high] {
            area.draw(&PathElement::new([(x, middle - 4), (x, middle + 4)], faint))?;
        }
    }
    let is_ours = row.name.side == Side::Lithe;
    let style = |anchor| if is_ours { pen.bold(Role::Text, anchor) } else { pen.style(Role::Text, anchor) };
    let (place, anchor) =
        if pen.is_narrow() { ((1, top + 10), HPos::Left) } else { ((layout.left - 8, middle), HPos::Right) };
    area.draw(&Text::new(row.name.label.clone(), place, style(anchor)))?;
    area.draw(&Text::new(number(summary.median), (end.max(high) + 6, middle), style(HPos::Left)))
}
