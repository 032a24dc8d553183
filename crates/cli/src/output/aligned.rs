//! Values in aligned columns as wide as their content: column, box, table, markdown.

use std::io::{self, Write};

use lithe::{Row, ValueRef};
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use super::style::{Align, Layout, Titles};
use super::{Printer, Style, cell, text};

pub struct Aligned<'s> {
    style: &'s Style,
    titles: Vec<Cell>,
    rows: Vec<Vec<Cell>>,
}

/// A cell of the table.
struct Cell {
    text: String,
    align: Align,
}

/// The lines around cells: left, between, right.
struct Rule {
    left: &'static str,
    fill: &'static str,
    between: &'static str,
    right: &'static str,
}

/// The lines of a layout.
struct Frame {
    top: Option<Rule>,
    below_titles: Option<Rule>,
    /// Between rows, if a row has several lines.
    between_rows: Option<Rule>,
    bottom: Option<Rule>,
    /// Below titles without rows.
    without_rows: Option<Rule>,
    cell: Rule,
}

const fn rule(left: &'static str, fill: &'static str, between: &'static str, right: &'static str) -> Rule {
    Rule { left, fill, between, right }
}

const BOX: Frame = Frame {
    top: Some(rule("╭─", "─", "─┬─", "─╮")),
    below_titles: Some(rule("╞═", "═", "═╪═", "═╡")),
    between_rows: Some(rule("├─", "─", "─┼─", "─┤")),
    bottom: Some(rule("╰─", "─", "─┴─", "─╯")),
    without_rows: Some(rule("╘═", "═", "═╧═", "═╛")),
    cell: rule("│ ", " ", " │ ", " │"),
};
const TABLE: Frame = Frame {
    top: Some(rule("+-", "-", "-+-", "-+")),
    below_titles: Some(rule("+-", "-", "-+-", "-+")),
    between_rows: Some(rule("+-", "-", "-+-", "-+")),
    bottom: Some(rule("+-", "-", "-+-", "-+")),
    without_rows: Some(rule("+-", "-", "-+-", "-+")),
    cell: rule("| ", " ", " | ", " |"),
};
const MARKDOWN: Frame = Frame {
    top: None,
    below_titles: Some(rule("|-", "-", "-|-", "-|")),
    between_rows: None,
    bottom: None,
    without_rows: Some(rule("|-", "-", "-|-", "-|")),
    cell: rule("| ", " ", " | ", " |"),
};
const COLUMN: Frame = Frame {
    top: None,
    below_titles: Some(rule("", "-", "  ", "")),
    between_rows: Some(rule("", "", "", "")),
    bottom: None,
    without_rows: Some(rule("", "-", "  ", "")),
    cell: rule("", " ", "  ", ""),
};

/// A tab extends to the next multiple of this.
const TAB_WIDTH: usize = 8;

/// The least width of columns that are narrowed to fit the screen.
const SQUEEZED_WIDTH_MIN: usize = 5;

impl<'s> Aligned<'s> {
    pub fn new(style: &'s Style, columns: Vec<String>) -> Aligned<'s> {
        let title = |name: &String| Cell {
            text: shortened(without_tabs(&String::from_utf8_lossy(&text::title(style, name))), style.limits.title),
            align: Align::Center,
        };
        let titles = columns.iter().map(title).collect();
        Aligned { style, titles, rows: Vec::new() }
    }

    fn cell(&self, index: usize, value: ValueRef<'_>) -> Cell {
        let is_number = matches!(value, ValueRef::Integer(_) | ValueRef::Real(_));
        let by_width = self.style.widths.get(index).is_some_and(|width| *width < 0);
        let by_value = if is_number || by_width { Align::Right } else { Align::Left };
        Cell {
            text: without_tabs(&String::from_utf8_lossy(&cell(self.style, value))),
            align: self.style.align.get(index).copied().unwrap_or(by_value),
        }
    }

    fn widths(&self, frame: &Frame) -> Vec<usize> {
        let widest = |i: usize| {
            let title = self.style.has_titles().then_some(&self.titles[i]);
            let cells = self.rows.iter().map(|row| &row[i]).chain(title);
            cells.flat_map(|cell| cell.text.lines()).map(UnicodeWidthStr::width).max().unwrap_or(0)
        };
        let wrapped = |width: usize| if self.style.wrap > 0 { width.min(self.style.wrap) } else { width };
        let mut widths: Vec<usize> = (0..self.titles.len())
            .map(|i| match self.style.widths.get(i) {
                Some(width) if *width != 0 => width.unsigned_abs() as usize,
                _ => wrapped(widest(i)),
            })
            .collect();
        if let Some(screen) = self.style.screen_columns() {
            let lines = frame.cell.between.width() * widths.len().saturating_sub(1);
            squeeze(&mut widths, screen.saturating_sub(lines + frame.cell.left.width() + frame.cell.right.width()));
        }
        widths
    }

    fn has_border(&self) -> bool {
        self.style.border || matches!(self.style.mode.layout, Layout::Markdown)
    }

    fn rule(&self, out: &mut dyn Write, rule: Option<&Rule>, widths: &[usize]) -> io::Result<()> {
        let Some(rule) = rule else { return Ok(()) };
        let fills: Vec<String> = widths.iter().map(|width| rule.fill.repeat(*width)).collect();
        let (left, right) = if self.has_border() { (rule.left, rule.right) } else { (rule.fill, rule.fill) };
        writeln!(out, "{left}{}{right}", fills.join(rule.between))
    }

    /// One row of cells, of as many lines as its highest cell.
    fn row_of(&self, out: &mut dyn Write, frame: &Frame, cells: &[Cell], widths: &[usize]) -> io::Result<()> {
        let lines_of = |(cell, width): (&'_ Cell, &usize)| wrapped(&cell.text, *width, self.style.word_wrap);
        let split: Vec<Vec<String>> = cells.iter().zip(widths).map(lines_of).collect();
        let height = split.iter().map(Vec::len).max().unwrap_or(1).max(1);
        let height = if self.style.limits.lines > 0 { height.min(self.style.limits.lines + 1) } else { height };
        let edge = |edge: &'static str| if self.has_border() { edge } else { frame.cell.fill };
        for line in 0..height {
            let mut text = edge(frame.cell.left).to_owned();
            for (i, width) in widths.iter().enumerate() {
                if i > 0 {
                    text.push_str(frame.cell.between);
                }
                let content = split[i].get(line).map_or("", String::as_str);
                text.push_str(&padded(content, *width, cells[i].align));
            }
            text.push_str(edge(frame.cell.right));
            // Without a border, trailing spaces are dropped, except in mode column.
            let is_open = !self.has_border() && self.style.mode.layout != Layout::Column;
            writeln!(out, "{}", if is_open { text.trim_end() } else { &text })?;
        }
        Ok(())
    }
}

impl Printer for Aligned<'_> {
    fn row(&mut self, _: &mut dyn Write, row: &Row<'_>) -> io::Result<()> {
        self.rows.push((0..row.column_count()).map(|i| self.cell(i, row.get_ref(i))).collect());
        Ok(())
    }

    fn end(&mut self, out: &mut dyn Write) -> io::Result<()> {
        if self.rows.is_empty() && self.style.titles() != Titles::Always {
            return Ok(());
        }
        let frame = match self.style.mode.layout {
            Layout::Box => &BOX,
            Layout::Table => &TABLE,
            Layout::Markdown => &MARKDOWN,
            _ => &COLUMN,
        };
        let widths = self.widths(frame);
        if self.has_border() {
            self.rule(out, frame.top.as_ref(), &widths)?;
        }
        if self.style.has_titles() {
            self.row_of(out, frame, &self.titles, &widths)?;
            let below = if self.rows.is_empty() { &frame.without_rows } else { &frame.below_titles };
            self.rule(out, below.as_ref(), &widths)?;
        }
        if self.rows.is_empty() {
            return Ok(());
        }
        let is_high = |cell: &Cell, width: usize| cell.text.lines().nth(1).is_some() || cell.text.width() > width;
        let has_high = self.rows.iter().any(|row| row.iter().zip(&widths).any(|(cell, width)| is_high(cell, *width)));
        for (i, row) in self.rows.iter().enumerate() {
            if i > 0 && has_high {
                self.rule(out, frame.between_rows.as_ref(), &widths)?;
            }
            self.row_of(out, frame, row, &widths)?;
        }
        if self.has_border() {
            self.rule(out, frame.bottom.as_ref(), &widths)?;
        }
        Ok(())
    }
}

/// Narrows the widest columns until the total width is at most `width_max`.
fn squeeze(widths: &mut [usize], width_max: usize) {
    let fits = |most: usize| widths.iter().map(|width| *width.min(&most)).sum::<usize>() <= width_max;
    let widest = widths.iter().copied().max().unwrap_or(0);
    if fits(widest) {
        return;
    }
    let (mut fitting, mut too_wide) = (0, widest);
    while too_wide - fitting > 1 {
        let middle = fitting.midpoint(too_wide);
        if fits(middle) { fitting = middle } else { too_wide = middle }
    }
    widths.iter_mut().for_each(|width| *width = (*width).min(fitting.max(SQUEEZED_WIDTH_MIN)));
}

/// The first line of a title, shortened to `limit` columns. A limit of 0 means none.
pub fn shortened(title: String, limit: usize) -> String {
    const DOTS: &str = "...";
    let line = title.lines().next().unwrap_or_default();
    if limit == 0 || (line.len() == title.len() && line.width() <= limit) {
        return title;
    }
    match limit.checked_sub(DOTS.len()) {
        None => line[..fitting(line, limit)].to_owned(),
        Some(0) => DOTS.to_owned(),
        Some(kept) => format!("{}{DOTS}", &line[..fitting(line, kept)]),
    }
}

fn without_tabs(text: &str) -> String {
    if !text.contains('\t') {
        return text.to_owned();
    }
    let (mut out, mut column) = (String::with_capacity(text.len() + TAB_WIDTH), 0);
    for c in text.chars() {
        match c {
            '\t' => {
                let spaces = TAB_WIDTH - column % TAB_WIDTH;
                out.extend(std::iter::repeat_n(' ', spaces));
                column += spaces;
            }
            '\n' => {
                out.push(c);
                column = 0;
            }
            c => {
                out.push(c);
                column += c.width().unwrap_or(0);
            }
        }
    }
    out
}

/// The lines of a cell, wrapped at `width`.
pub fn wrapped(cell: &str, width: usize, between_words: bool) -> Vec<String> {
    let mut pieces = Vec::new();
    for mut line in cell.lines() {
        loop {
            let end = line_end(line, width, between_words);
            pieces.push(line[..end].to_owned());
            line = &line[end..];
            if line.is_empty() {
                break;
            }
        }
    }
    pieces
}

/// The lines of a text, cut at `width`.
pub fn cut(text: &str, width: usize) -> Vec<String> {
    let mut pieces = Vec::new();
    for mut line in text.lines() {
        loop {
            let (piece, rest) = line.split_at(fitting(line, width));
            pieces.push(piece.to_owned());
            line = rest;
            if line.is_empty() {
                break;
            }
        }
    }
    pieces
}

/// Where a line that is too wide is wrapped: after the last space or hyphen, unless that would leave less than half of the line.
fn line_end(line: &str, width: usize, between_words: bool) -> usize {
    let end = fitting(line, width);
    if end == line.len() {
        return end;
    }
    if line[end..].starts_with(' ') && line[..end].width() <= width {
        return end + 1; // a space at the end of a line takes no width
    }
    let at_word = line[..end].rfind([' ', '-']).map_or(0, |at| at + 1);
    if at_word > 0 && (between_words || 2 * line[..at_word].width() >= width) { at_word } else { end }
}

/// Pads a text to a column's width. A text that is too wide can only end with a space.
fn padded(content: &str, width: usize, align: Align) -> String {
    let content = if content.width() > width { content.trim_end_matches(' ') } else { content };
    let missing = width - content.width().min(width);
    let left = match align {
        Align::Left => 0,
        Align::Center => missing / 2,
        Align::Right => missing,
    };
    format!("{}{content}{}", " ".repeat(left), " ".repeat(missing - left))
}

/// The number of bytes of the line that fit a width; at least one character.
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
        assert_eq!(padded("ab", 5, Align::Left), "ab   ");
        assert_eq!(padded("ab", 5, Align::Center), " ab  ");
        assert_eq!(padded("ab", 5, Align::Right), "   ab");
        assert_eq!(padded("日本", 5, Align::Left), "日本 ");
        assert_eq!(padded("abcde ", 5, Align::Left), "abcde");
    }

    #[test]
    fn long_cells_are_wrapped() {
        assert_eq!(wrapped("", 5, false), Vec::<&str>::new());
        assert_eq!(wrapped("abc\nde", 5, false), ["abc", "de"]);
        assert_eq!(wrapped("abcdefg", 3, false), ["abc", "def", "g"]);
        assert_eq!(wrapped("日本語", 4, false), ["日本", "語"]);
        assert_eq!(wrapped("日本", 1, false), ["日", "本"]);
        assert_eq!(wrapped("the quick brown", 9, false), ["the quick ", "brown"]);
        assert_eq!(wrapped("a quickness", 8, false), ["a quickn", "ess"]);
        assert_eq!(wrapped("a quickness", 8, true), ["a ", "quicknes", "s"]);
    }

    #[test]
    fn the_widest_columns_are_squeezed_first() {
        let squeezed = |widths: &[usize], width_max| {
            let mut widths = widths.to_vec();
            squeeze(&mut widths, width_max);
            widths
        };
        assert_eq!(squeezed(&[3, 40, 20], 80), [3, 40, 20]);
        assert_eq!(squeezed(&[3, 40, 20], 43), [3, 20, 20]);
        assert_eq!(squeezed(&[100, 100], 4), [5, 5]);
        assert_eq!(squeezed(&[], 4), [] as [usize; 0]);
    }

    #[test]
    fn titles_are_shortened() {
        assert_eq!(shortened("abcdefgh".to_owned(), 6), "abc...");
        assert_eq!(shortened("abcdef".to_owned(), 6), "abcdef");
        assert_eq!(shortened("abcd".to_owned(), 3), "...");
        assert_eq!(shortened("abcd".to_owned(), 2), "ab");
        assert_eq!(shortened("a\nb".to_owned(), 0), "a\nb");
    }

    #[test]
    fn tabs_go_to_the_next_stop() {
        assert_eq!(without_tabs("ab\tc\nd\te"), "ab      c\nd       e");
    }
}
