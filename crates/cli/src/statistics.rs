//! The costs of statements and of the connection.

use std::io::{self, Write};

use lithe::{Connection, Counter, PageCounter, Statement};

/// The output after each statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Statistics {
    Off,
    On,
    /// Also the result columns.
    Statement,
    /// Only the instructions.
    VmSteps,
}

impl Statistics {
    pub fn name(self) -> &'static str {
        match self {
            Statistics::Off => "off",
            Statistics::On => "on",
            Statistics::Statement => "stmt",
            Statistics::VmSteps => "vmstep",
        }
    }
}

/// Shows the costs of a statement, as `.stats` is set.
pub fn show_statistics(
    shown: Statistics,
    connection: &Connection,
    statement: &mut Statement<'_>,
    out: &mut dyn Write,
) -> io::Result<()> {
    match shown {
        Statistics::Off => Ok(()),
        Statistics::VmSteps => writeln!(out, "VM-steps: {}", statement.counter(Counter::VmStep, false)),
        shown => {
            if shown == Statistics::Statement {
                column_lines(statement, out)?;
            }
            connection_lines(connection, out)?;
            statement_lines(statement, out)?;
            process_lines(out)
        }
    }
}

fn line(out: &mut dyn Write, name: &str, value: impl std::fmt::Display) -> io::Result<()> {
    writeln!(out, "{:<36} {value}", format!("{name}:"))
}

fn column_lines(statement: &Statement<'_>, out: &mut dyn Write) -> io::Result<()> {
    line(out, "Number of output columns", statement.column_count())?;
    for i in 0..statement.column_count() {
        let origin = statement.column_origin(i);
        let missing = |text: Option<&str>| text.unwrap_or("(null)").to_owned();
        line(out, &format!("Column {i} name"), statement.column_name(i))?;
        line(out, &format!("Column {i} declared type"), missing(statement.column_decltype(i)))?;
        line(out, &format!("Column {i} database name"), missing(origin.map(|origin| origin.0)))?;
        line(out, &format!("Column {i} table name"), missing(origin.map(|origin| origin.1)))?;
        line(out, &format!("Column {i} origin name"), missing(origin.map(|origin| origin.2)))?;
    }
    Ok(())
}

/// SQLite's lines on the allocator and on lookaside memory are left out: the engine does not count memory, and has no lookaside.
pub fn connection_lines(connection: &Connection, out: &mut dyn Write) -> io::Result<()> {
    let pages = |counter| connection.page_count(counter, true);
    line(out, "Pager Heap Usage", format_args!("{} bytes", connection.page_memory()))?;
    line(out, "Page cache hits", pages(PageCounter::Hit))?;
    line(out, "Page cache misses", pages(PageCounter::Miss))?;
    line(out, "Page cache writes", pages(PageCounter::Write))?;
    line(out, "Page cache spills", pages(PageCounter::Spill))?;
    line(out, "Schema Heap Usage", format_args!("{} bytes", connection.schema_memory()))
}

fn statement_lines(statement: &mut Statement<'_>, out: &mut dyn Write) -> io::Result<()> {
    let lines = [
        ("Fullscan Steps", Counter::FullscanStep),
        ("Sort Operations", Counter::Sort),
        ("Autoindex Inserts", Counter::AutoIndex),
        ("Virtual Machine Steps", Counter::VmStep),
        ("Reprepare operations", Counter::Reprepare),
        ("Number of times run", Counter::Run),
        ("Memory used by prepared stmt", Counter::MemoryUsed),
    ];
    lines.into_iter().try_for_each(|(name, counter)| line(out, name, statement.counter(counter, false)))
}

/// The system's counters for this process, where they exist.
pub fn process_lines(out: &mut dyn Write) -> io::Result<()> {
    let names = [
        ("rchar: ", "Bytes received by read()"),
        ("wchar: ", "Bytes sent to write()"),
        ("syscr: ", "Read() system calls"),
        ("syscw: ", "Write() system calls"),
        ("read_bytes: ", "Bytes read from storage"),
        ("write_bytes: ", "Bytes written to storage"),
        ("cancelled_write_bytes: ", "Cancelled write bytes"),
    ];
    let counts = std::fs::read_to_string("/proc/self/io").unwrap_or_default();
    for count in counts.lines() {
        let found = names.iter().find_map(|(field, name)| Some((*name, count.strip_prefix(field)?)));
        if let Some((name, value)) = found {
            line(out, name, value)?;
        }
    }
    Ok(())
}
