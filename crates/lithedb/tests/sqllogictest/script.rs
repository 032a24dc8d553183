//! Reads a sqllogictest script into records.

use md5::{Digest, Md5};

/// One statement or query, with the expected result.
pub struct Record<'a> {
    /// Line of the record's first line, from 1.
    pub line: usize,
    pub sql: String,
    pub expected: Expected<'a>,
}

pub enum Expected<'a> {
    Ok,
    Error,
    Rows { types: &'a str, sort: SortMode, values: Values<'a> },
}

#[derive(Clone, Copy)]
pub enum SortMode {
    None,
    Rows,
    Values,
}

/// The values of a result: listed, or their number and MD5.
pub enum Values<'a> {
    Listed(Vec<&'a str>),
    Hashed { count: usize, md5: &'a str },
}

impl Values<'_> {
    /// Whether no value is listed.
    pub fn is_none(&self) -> bool {
        matches!(self, Values::Listed(values) if values.is_empty())
    }

    pub fn check(&self, found: &[String]) -> Result<(), String> {
        match self {
            Values::Listed(values) if values.iter().eq(found) => Ok(()),
            Values::Listed(values) => Err(format!("expected {values:?}, found {found:?}")),
            Values::Hashed { count, md5 } => {
                let hash = hash(found);
                if *count == found.len() && hash == *md5 {
                    return Ok(());
                }
                let start = &found[..found.len().min(12)];
                Err(format!(
                    "expected {count} values hashing to {md5}, found {} hashing to {hash}: {start:?} …",
                    found.len()
                ))
            }
        }
    }
}

fn hash(values: &[String]) -> String {
    let mut hasher = Md5::new();
    for value in values {
        hasher.update(value);
        hasher.update("\n");
    }
    hasher.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The records of a script that apply to SQLite.
pub fn parse(text: &str) -> Result<Vec<Record<'_>>, String> {
    let mut lines = Lines { lines: text.lines().collect(), at: 0 };
    let mut records = Vec::new();
    let mut is_for_us = true; // what the conditions before the next record say
    while let Some(line) = lines.next() {
        let mut words = line.split_ascii_whitespace();
        match words.next() {
            None | Some("hash-threshold") => {}
            Some(word) if word.starts_with('#') => {}
            Some("skipif") => is_for_us &= words.next() != Some("sqlite"),
            Some("onlyif") => is_for_us &= words.next() == Some("sqlite"),
            Some("halt") if is_for_us => break,
            Some("halt") => is_for_us = true,
            Some(_) => {
                let record = lines.record(line)?;
                if is_for_us {
                    records.push(record);
                }
                is_for_us = true;
            }
        }
    }
    Ok(records)
}

struct Lines<'a> {
    lines: Vec<&'a str>,
    at: usize,
}

impl<'a> Lines<'a> {
    fn next(&mut self) -> Option<&'a str> {
        self.at += 1;
        self.lines.get(self.at - 1).copied()
    }

    /// The lines up to an empty one or a line of dashes; the latter is reported and consumed.
    fn block(&mut self) -> (Vec<&'a str>, bool) {
        let mut block = Vec::new();
        while let Some(line) = self.next() {
            match line {
                "" => break,
                "----" => return (block, true),
                line => block.push(line),
            }
        }
        (block, false)
    }

    /// The record that begins with `header`, the line just read.
    fn record(&mut self, header: &'a str) -> Result<Record<'a>, String> {
        let line = self.at;
        let (sql, has_values) = self.block();
        let sql = sql.join("\n");
        let header = header.split_once('#').map_or(header, |(header, _)| header);
        let words: Vec<&str> = header.split_ascii_whitespace().collect();
        let expected = match words[..] {
            ["statement", "ok"] => Expected::Ok,
            ["statement", "error"] => Expected::Error,
            ["query", types, ref rest @ ..] => {
                let sort = match rest.first() {
                    Some(&"rowsort") => SortMode::Rows,
                    Some(&"valuesort") => SortMode::Values,
                    _ => SortMode::None,
                };
                let values = if has_values { self.block().0 } else { Vec::new() };
                Expected::Rows { types, sort, values: values_of(values)? }
            }
            _ => return Err(format!("line {line}: cannot read {header:?}")),
        };
        Ok(Record { line, sql, expected })
    }
}

fn values_of(lines: Vec<&str>) -> Result<Values<'_>, String> {
    if let [line] = lines[..]
        && let Some((count, md5)) = line.split_once(" values hashing to ")
    {
        let count = count.parse().map_err(|_| format!("cannot read {line:?}"))?;
        return Ok(Values::Hashed { count, md5 });
    }
    Ok(Values::Listed(lines))
}
