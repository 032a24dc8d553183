//! `.dbinfo`: the header of a database. `.dbtotxt`: the bytes of a database as text.

use crate::commands::failure::Failure;
use std::io::Write;

use lithe::Connection;

use super::usage;
use crate::quote;
use crate::shell::Shell;

type Result<T> = std::result::Result<T, Failure>;

/// The length of the header at the start of page 1.
const HEADER_LEN: usize = 100;

/// The four-byte fields of the header.
const FIELDS: [(&str, usize); 12] = [
    ("file change counter:", 24),
    ("database page count:", 28),
    ("freelist page count:", 36),
    ("schema cookie:", 40),
    ("schema format:", 44),
    ("default cache size:", 48),
    ("autovacuum top root:", 52),
    ("incremental vacuum:", 64),
    ("text encoding:", ENCODING_AT),
    ("user version:", 60),
    ("application id:", 68),
    ("software version:", 96),
];
const ENCODING_AT: usize = 56;

/// The queries of the schema.
const QUERIES: [(&str, &str); 5] = [
    ("number of tables:", "SELECT count(*) FROM {} WHERE type = 'table'"),
    ("number of indexes:", "SELECT count(*) FROM {} WHERE type = 'index'"),
    ("number of triggers:", "SELECT count(*) FROM {} WHERE type = 'trigger'"),
    ("number of views:", "SELECT count(*) FROM {} WHERE type = 'view'"),
    ("schema size:", "SELECT coalesce(sum(length(sql)), 0) FROM {}"),
];

/// `.dbinfo ?DB?`
pub fn dbinfo(shell: &mut Shell, arguments: &[String]) -> Result<()> {
    let schema = match arguments {
        [] => "main",
        [schema] => schema.as_str(),
        _ => return Err(usage(".dbinfo")),
    };
    let connection = &shell.database.connection;
    let unreadable = || "unable to read database header".to_owned();
    let page = page(connection, schema, 1).ok_or_else(unreadable)?;
    let header: &[u8; HEADER_LEN] = page.first_chunk().ok_or_else(unreadable)?;
    let page_size = match u16::from_be_bytes([header[16], header[17]]) {
        1 => 65536,
        size => u32::from(size),
    };
    let mut text = String::new();
    let mut line = |name: &str, value: String| text.push_str(&format!("{name:<20} {value}\n"));
    line("database page size:", page_size.to_string());
    line("write format:", header[18].to_string());
    line("read format:", header[19].to_string());
    line("reserved bytes:", header[20].to_string());
    for (name, at) in FIELDS {
        let bytes = header.get(at..).and_then(|bytes| bytes.first_chunk());
        let value = bytes.map_or(0, |bytes| u32::from_be_bytes(*bytes));
        line(name, format!("{value}{}", if at == ENCODING_AT { encoding(value) } else { "" }));
    }
    for (name, sql) in QUERIES {
        let sql = sql.replace("{}", &schema_table(schema));
        let value: i64 = connection.query_row(&sql, [], |row| row.get(0)).map_err(|e| e.to_string())?;
        line(name, value.to_string());
    }
    let file = connection.database_file(schema).ok_or_else(unreadable)?;
    line("data version", file.data_version().map_err(|e| e.to_string())?.to_string());
    Ok(shell.output.print(&text)?)
}

fn encoding(number: u32) -> &'static str {
    match number {
        1 => " (utf8)",
        2 => " (utf16le)",
        3 => " (utf16be)",
        _ => "",
    }
}

/// The schema table of a database.
pub fn schema_table(schema: &str) -> String {
    match schema {
        "temp" => "sqlite_temp_schema".to_owned(),
        _ => format!("{}.sqlite_schema", quote::identifier(schema)),
    }
}

fn page(connection: &Connection, schema: &str, no: i64) -> Option<Vec<u8>> {
    let sql = "SELECT data FROM sqlite_dbpage(?1) WHERE pgno = ?2";
    let parameters = lithe::params![schema, no];
    connection.query_row(sql, parameters, |row| row.get::<&[u8]>(0).map(<[u8]>::to_vec)).ok()
}

/// `.dbtotxt`: rows of 16 bytes, without the rows of zeros.
pub fn dbtotxt(shell: &mut Shell, arguments: &[String]) -> Result<()> {
    if !arguments.is_empty() {
        return Err(usage(".dbtotxt"));
    }
    let connection = std::rc::Rc::clone(&shell.database.connection);
    let number = |sql: &str| connection.query_row(sql, [], |row| row.get::<i64>(0)).map_err(|e| e.to_string());
    let (count, size) = (number("PRAGMA page_count")?, number("PRAGMA page_size")?);
    let name = shell.database.file.rsplit('/').next().unwrap_or("unknown.db").to_owned();
    let mut out = shell.output.writer();
    let mut write = |text: String| out.write_all(text.as_bytes()).map_err(|e| e.to_string());
    write(format!("| size {} pagesize {size} filename {name}\n", count * size))?;
    for no in 1..=count {
        let bytes = page(&connection, "main", no).ok_or_else(|| format!("cannot read page {no}"))?;
        let mut has_line = false;
        for (i, row) in bytes.chunks(16).enumerate().filter(|(_, row)| row.iter().any(|byte| *byte != 0)) {
            if !std::mem::replace(&mut has_line, true) {
                write(format!("| page {no} offset {}\n", (no - 1) * size))?;
            }
            let digits: String = row.iter().map(|byte| format!(" {byte:02x}")).collect();
            write(format!(
                "|  {:5}:{digits}   {}\n",
                i * 16,
                row.iter().map(|byte| printable(*byte)).collect::<String>()
            ))?;
        }
    }
    write(format!("| end {name}\n"))?;
    Ok(out.flush().map_err(|e| e.to_string())?)
}

fn printable(byte: u8) -> char {
    match byte {
        b'{' | b'}' | b'"' | b'\\' => '.',
        b' '..=b'~' => char::from(byte),
        _ => '.',
    }
}
