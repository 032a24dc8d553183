//! A table of ratios in colours: how many times better than the baseline. The tables of contestants are below each other.

use plotters::prelude::*;
use plotters::style::text_anchor::HPos;

use super::palette::{Role, heat};
use super::{Area, Drawn, Pen};
use crate::frame::results::{Chart, Row};
use crate::frame::table::belongs_to;

const TITLE: i32 = 30;
const LINE: i32 = 30;

pub(super) fn draw(
    pen: &Pen,
    chart: &Chart,
    lines: &(String, Vec<String>),
    columns: &(String, Vec<String>),
    baseline: &str,
    series: &[Vec<Row>],
) -> String {
    let Some(base) = series.iter().find(|cells| belongs_to(cells, baseline)) else { return String::new() };
    let tables: Vec<&Vec<Row>> = series.iter().filter(|cells| !belongs_to(cells, baseline)).collect();
    let each = TITLE + LINE * (lines.1.len() as i32 + 1) + 14;
    pen.draw(each * tables.len() as i32, |area| {
        tables.iter().enumerate().try_for_each(|(at, cells)| {
            let table = Table { pen, chart, lines, columns, base, cells, top: each * at as i32 };
            table.draw(area)
        })
    })
}

struct Table<'a> {
    pen: &'a Pen,
    chart: &'a Chart,
    lines: &'a (String, Vec<String>),
    columns: &'a (String, Vec<String>),
    base: &'a [Row],
    cells: &'a [Row],
    top: i32,
}

impl Table<'_> {
    fn draw(&self, area: &Area<'_>) -> Drawn {
        let (pen, top) = (self.pen, self.top);
        let title = self.cells.first().map_or("", |row| row.name.label.as_str());
        area.draw(&Text::new(title.to_owned(), (1, top + TITLE / 2), pen.bold(Role::Text, HPos::Left)))?;
        let corner = format!("{} \\ {}", self.lines.0, self.columns.0);
        let corner = if pen.is_narrow() { String::new() } else { corner };
        area.draw(&Text::new(corner, (1, self.y(0) - LINE / 2), pen.style(Role::Faint, HPos::Left)))?;
        for (column, name) in self.columns.1.iter().enumerate() {
            let x = (self.x(column) + self.x(column + 1)) / 2;
            area.draw(&Text::new(name.clone(), (x, self.y(0) - LINE / 2), pen.style(Role::Faint, HPos::Center)))?;
        }
        for (line, name) in self.lines.1.iter().enumerate() {
            let middle = self.y(line) + LINE / 2;
            let style = pen.style(Role::Faint, HPos::Right);
            area.draw(&Text::new(name.clone(), (self.x(0) - 8, middle), style))?;
            for column in 0..self.columns.1.len() {
                self.draw_cell(area, line, column)?;
            }
        }
        Ok(())
    }

    fn draw_cell(&self, area: &Area<'_>, line: usize, column: usize) -> Drawn {
        let at = line * self.columns.1.len() + column;
        let (Some(cell), Some(base)) = (self.cells.get(at), self.base.get(at)) else { return Ok(()) };
        let ratio = self.chart.advantage(cell, base);
        if !ratio.is_finite() {
            return Ok(());
        }
        let (x0, x1, y) = (self.x(column), self.x(column + 1), self.y(line));
        let color = self.pen.color(heat(ratio));
        area.draw(&Rectangle::new([(x0 + 1, y + 1), (x1 - 1, y + LINE - 1)], color.filled()))?;
        let middle = ((x0 + x1) / 2, y + LINE / 2);
        area.draw(&Text::new(format!("{ratio:.2}"), middle, self.pen.style(Role::Text, HPos::Center)))
    }

    /// The left end of a column.
    fn x(&self, column: usize) -> i32 {
        let names = self.lines.1.iter().map(|name| self.pen.text_width(name)).max().unwrap_or(0) + 12;
        let left = if self.pen.is_narrow() { names } else { names.max(150) };
        let width = self.pen.width.pixels() as i32 - left;
        left + width * column as i32 / self.columns.1.len().max(1) as i32
    }

    /// The top of a line.
    fn y(&self, line: usize) -> i32 {
        self.top + TITLE + LINE * (line as i32 + 1)
    }
}
