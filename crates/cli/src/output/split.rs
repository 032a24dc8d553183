//! Mode split: the values of a single column in as many columns as fit the screen, filled from top to bottom. Rows of several columns are
//! shown as in mode column.

use std::io::{self, Write};

use lithe::Row;
use unicode_width::UnicodeWidthStr;

use super::aligned::Aligned;
use super::{Printer, Style, cell};

/// The width of the screen if the output is no terminal.
const SCREEN_COLUMNS: usize = 80;

/// The spaces between two columns.
const GAP_MIN: usize = 2;
const GAP_MAX: usize = 5;

/// The printer of mode split.
pub fn printer(style: &Style, columns: Vec<String>) -> Box<dyn Printer + '_> {
    match columns.len() {
        1 => Box::new(Split { style, values: Vec::new() }),
        _ => Box::new(Aligned::new(style, columns)),
    }
}

struct Split<'s> {
    style: &'s Style,
    values: Vec<String>,
}

impl Printer for Split<'_> {
    fn row(&mut self, _: &mut dyn Write, row: &Row<'_>) -> io::Result<()> {
        let value = cell(self.style, row.get_ref(0));
        self.values.push(String::from_utf8_lossy(&value).into_owned());
        Ok(())
    }

    fn end(&mut self, out: &mut dyn Write) -> io::Result<()> {
        let screen = self.style.screen_columns().unwrap_or(SCREEN_COLUMNS);
        let widths: Vec<usize> = self.values.iter().map(|value| value.width()).collect();
        let layout = Layout::fitting(&widths, screen);
        for row in 0..layout.rows {
            let mut line = String::new();
            for (column, at) in (row..self.values.len()).step_by(layout.rows).enumerate() {
                let is_last = at + layout.rows >= self.values.len();
                let padding = if is_last { 0 } else { layout.widths[column] + layout.gap - widths[at] };
                line.push_str(&self.values[at]);
                line.push_str(&" ".repeat(padding));
            }
            writeln!(out, "{line}")?;
        }
        Ok(())
    }
}

/// How values are distributed.
#[derive(Debug, PartialEq, Eq)]
struct Layout {
    rows: usize,
    /// The width of each column.
    widths: Vec<usize>,
    gap: usize,
}

impl Layout {
    /// The layout with the most columns that fits the screen; all but the last are equally long. What is left of the screen widens the gaps.
    fn fitting(widths: &[usize], screen: usize) -> Layout {
        // Each column but the last takes its gap.
        let columns_max = (screen + GAP_MIN) / GAP_MIN;
        (2..=columns_max.min(widths.len()))
            .rev()
            .find_map(|columns| Layout::of_rows(widths, widths.len().div_ceil(columns), screen))
            .unwrap_or_else(|| Layout { rows: widths.len(), widths: Vec::new(), gap: 0 })
    }

    fn of_rows(widths: &[usize], rows: usize, screen: usize) -> Option<Layout> {
        let widths: Vec<usize> = widths.chunks(rows).map(|column| column.iter().copied().max().unwrap_or(0)).collect();
        let gaps = widths.len() - 1;
        let left = screen.checked_sub(widths.iter().sum::<usize>() + gaps * GAP_MIN)?;
        let gap = (GAP_MIN + left.checked_div(gaps).unwrap_or(0)).min(GAP_MAX);
        Some(Layout { rows, widths, gap })
    }
}

#[cfg(test)]
mod tests {
    use super::Layout;

    /// The widths of 25 names, from `alice` to `zoe`. The expected layouts are those of SQLite's formatter, which prints these names on
    /// screens of 22 to 80 columns in its test qrf04.
    const NAMES: [usize; 25] = [5, 3, 21, 6, 4, 4, 8, 6, 6, 4, 4, 4, 4, 8, 5, 7, 4, 3, 5, 7, 6, 7, 9, 5, 3];

    #[test]
    fn as_many_columns_as_fit() {
        let check = |screen, rows, gap| {
            let layout = Layout::fitting(&NAMES, screen);
            assert_eq!((layout.rows, layout.gap), (rows, gap), "on {screen} columns");
        };
        check(22, 25, 0);
        check(31, 25, 0);
        check(32, 13, 2);
        check(33, 13, 3);
        check(41, 13, 5);
        check(42, 9, 2);
        check(44, 9, 3);
        check(50, 9, 5);
        check(51, 7, 2);
        check(53, 7, 2);
        check(54, 7, 3);
        check(61, 5, 2);
        check(74, 4, 2);
        check(79, 4, 2);
        check(80, 4, 3);
    }

    #[test]
    fn nothing_and_one_value_have_a_layout() {
        assert_eq!(Layout::fitting(&[], 80).rows, 0);
        assert_eq!(Layout::fitting(&[100], 80).rows, 1);
    }
}
