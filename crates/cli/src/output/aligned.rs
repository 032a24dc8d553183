//! Values in columns that are as wide as their content: column, box, table, markdown.

use std::io::{self, Write};

use lithe::Row;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use super::{Mode, Printer, text, texts};
use crate::settings::Settings;

pub struct Aligned<'s> {
    settings: &'s Settings,
    columns: Vec<String>,
    rows: Vec<Vec<String>>,
}

/// The lines around cells: left, between, right.
struct Rule {
    left: &'static str,
    fill: &'static str,
    between: &'static str,
    right: &'static str,
}

/// What a mode draws.
struct Frame {
    top: Option<Rule>,
    below_header: Option<Rule>,
    /// Between rows, when a row has several lines.
    bottom: Option<Rule>,
    cell: Rule,
}

const fn rule(left: &'static str, fill: &'static str, between: &'static str, right: &'static str) -> Rule {
    Rule { left, fill, between, right }
}

const BOX: Frame = Frame {
    top: Some(rule("┌─", "─", "─┬─", "─┐")),
    below_header: Some(rule("├─", "─", "─┼─", "─┤")),
    bottom: Some(rule("└─", "─", "─┴─", "─┘")),
    cell: rule("│ ", " ", " │ ", " │"),
};
const TABLE: Frame = Frame {
    top: Some(rule("+-", "-", "-+-", "-+")),
    below_header: Some(rule("+-", "-", "-+-", "-+")),
    bottom: Some(rule("+-", "-", "-+-", "-+")),
    cell: rule("| ", " ", " | ", " |"),
};
const MARKDOWN: Frame = Frame {
    top: None,
    below_header: Some(rule("|-", "-", "-|-", "-|")),
    bottom: None,
    cell: rule("| ", " ", " | ", " |"),
};
const COLUMN: Frame =
    Frame { top: None, below_header: Some(rule("", "-", "  ", "")), bottom: None, cell: rule("", " ", "  ", "") };

impl<'s> Aligned<'s> {
    pub fn new(settings: &'s Settings, columns: Vec<String>) -> Aligned<'s> {
        Aligned { settings, columns, rows: Vec::new() }
    }

    fn widths(&self) -> Vec<usize> {
        let widest = |i: usize| {
            let cells = self.rows.iter().map(|row| row[i].as_str());
            let header = self.settings.headers.then_some(self.columns[i].as_str());
            cells.chain(header).flat_map(str::lines).map(UnicodeWidthStr::width).max().unwrap_or(0)
        };
        (0..self.columns.len())
            .map(|i| match self.settings.widths.get(i) {
                Some(width) if *width != 0 => width.unsigned_abs() as usize,
                _ => widest(i),
            })
            .collect()
    }

    /// One row of cells. A cell of several lines makes several lines of output.
    fn cells(
        &self,
        out: &mut dyn Write,
        frame: &Frame,
        cells: &[String],
        widths: &[usize],
        center: bool,
    ) -> io::Result<()> {
        let split: Vec<Vec<&str>> = cells.iter().zip(widths).map(|(cell, width)| wrapped(cell, *width)).collect();
        let height = split.iter().map(Vec::len).max().unwrap_or(1).max(1);
        for line in 0..height {
            out.write_all(frame.cell.left.as_bytes())?;
            for (i, width) in widths.iter().enumerate() {
                if i > 0 {
                    out.write_all(frame.cell.between.as_bytes())?;
                }
                let content = split[i].get(line).copied().unwrap_or("");
                let to_right = self.settings.widths.get(i).is_some_and(|w| *w < 0);
                out.write_all(padded(content, *width, center, to_right).as_bytes())?;
            }
            writeln!(out, "{}", frame.cell.right)?;
        }
        Ok(())
    }
}

impl Printer for Aligned<'_> {
    fn row(&mut self, _: &mut dyn Write, row: &Row<'_>) -> io::Result<()> {
        self.rows.push(texts(self.settings, row).iter().map(|t| text::harmless(t).replace('\t', "    ")).collect());
        Ok(())
    }

    fn end(&mut self, out: &mut dyn Write) -> io::Result<()> {
        if self.rows.is_empty() {
            return Ok(());
        }
        let frame = match self.settings.mode {
            Mode::Box => &BOX,
            Mode::Table => &TABLE,
            Mode::Markdown => &MARKDOWN,
            _ => &COLUMN,
        };
        let widths = self.widths();
        line(out, frame.top.as_ref(), &widths)?;
        if self.settings.headers {
            let center = self.settings.mode != Mode::Column;
            self.cells(out, frame, &self.columns, &widths, center)?;
            line(out, frame.below_header.as_ref(), &widths)?;
        }
        for row in &self.rows {
            self.cells(out, frame, row, &widths, false)?;
        }
        line(out, frame.bottom.as_ref(), &widths)
    }
}

fn line(out: &mut dyn Write, rule: Option<&Rule>, widths: &[usize]) -> io::Result<()> {
    let Some(rule) = rule else { return Ok(()) };
    let fills: Vec<String> = widths.iter().map(|width| rule.fill.repeat(*width)).collect();
    writeln!(out, "{}{}{}", rule.left, fills.join(rule.between), rule.right)
}

/// The lines of a cell, none wider than `width`.
fn wrapped(cell: &str, width: usize) -> Vec<&str> {
    let mut pieces = Vec::new();
    for mut line in cell.lines() {
        loop {
            let end = fitting(line, width);
            pieces.push(&line[..end]);
            line = &line[end..];
            if line.is_empty() {
                break;
            }
        }
    }
    pieces
}

fn padded(content: &str, width: usize, center: bool, to_right: bool) -> String {
    let missing = width - content.width().min(width);
    let left = match (center, to_right) {
        (true, _) => missing / 2,
        (false, true) => missing,
        (false, false) => 0,
    };
    format!("{}{content}{}", " ".repeat(left), " ".repeat(missing - left))
}

/// How many bytes of the line fit a width that the user has set; at least one character.
fn fitting(line: &str, width: usize) -> usize {
    let mut used = 0;
    for (at, c) in line.char_indices() {
        used += c.width().unwrap_or(0);
        if used > width && at > 0 {
            return at;
        }
    }
    line.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn padding_counts_columns_of_the_terminal() {
        assert_eq!(padded("ab", 5, false, false), "ab   ");
        assert_eq!(padded("ab", 5, true, false), " ab  ");
        assert_eq!(padded("ab", 5, false, true), "   ab");
        assert_eq!(padded("日本", 5, false, false), "日本 ");
    }

    #[test]
    fn long_cells_are_wrapped() {
        assert_eq!(wrapped("", 5), Vec::<&str>::new());
        assert_eq!(wrapped("abc\nde", 5), ["abc", "de"]);
        assert_eq!(wrapped("abcdefg", 3), ["abc", "def", "g"]);
        assert_eq!(wrapped("日本語", 4), ["日本", "語"]);
        assert_eq!(wrapped("日本", 1), ["日", "本"]);
    }
}
