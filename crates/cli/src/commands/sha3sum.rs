//! `.sha3sum`: a hash of the database's content that is independent of its storage.
//!
//! ```text
//!   hash of    S<bytes>:<sql of the query>     for each table
//!              R                               for each row
//!              N | I<8 bytes> | F<8 bytes> | T<bytes>:<text> | B<bytes>:<blob>    for each value
//! ```

use crate::commands::failure::Failure;
use lithe::{Connection, ValueRef};
use sha3::{Digest, Sha3_224, Sha3_256, Sha3_384, Sha3_512};

use crate::shell::Shell;

type Result<T> = std::result::Result<T, Failure>;

#[derive(Clone, Copy)]
enum Size {
    Bits224,
    Bits256,
    Bits384,
    Bits512,
}

struct Options {
    size: Size,
    with_schema: bool,
    pattern: Option<String>,
}

/// `.sha3sum ?--schema? ?--sha3-224|256|384|512? ?PATTERN?`
pub fn sha3sum(shell: &mut Shell, arguments: &[String]) -> Result<()> {
    let options = Options::parse(arguments)?;
    let connection = &shell.database.connection;
    let queries = queries(connection, &options)?;
    let text = match options.pattern {
        None => {
            let all: Vec<&str> = queries.iter().map(|(_, sql)| sql.as_str()).collect();
            format!("{}\n", hash(connection, &all, options.size)?)
        }
        Some(_) => {
            let line =
                |(name, sql): &(String, String)| Ok(format!("{}|{name}\n", hash(connection, &[sql], options.size)?));
            queries.iter().map(line).collect::<Result<String>>()?
        }
    };
    Ok(shell.output.print(&text)?)
}

impl Options {
    fn parse(arguments: &[String]) -> Result<Options> {
        let mut options = Options { size: Size::Bits224, with_schema: false, pattern: None };
        for argument in arguments {
            match argument.strip_prefix('-').map(|name| name.trim_start_matches('-')) {
                Some("schema") => options.with_schema = true,
                Some("sha3-224") => options.size = Size::Bits224,
                Some("sha3-256") => options.size = Size::Bits256,
                Some("sha3-384") => options.size = Size::Bits384,
                Some("sha3-512") => options.size = Size::Bits512,
                Some(_) => return Err(format!("Unknown option \"{argument}\" on \"sha3sum\"").into()),
                None if options.pattern.is_some() => {
                    return Err(Failure::Usage(".sha3sum ?OPTIONS? ?LIKE-PATTERN?".to_owned()));
                }
                None => {
                    options.with_schema |=
                        argument.to_ascii_lowercase().starts_with("sqlite\\_") || is_system(argument);
                    options.pattern = Some(argument.clone());
                }
            }
        }
        Ok(options)
    }
}

fn is_system(name: &str) -> bool {
    name.get(..7).is_some_and(|start| start.eq_ignore_ascii_case("sqlite_"))
}

/// The tables that are hashed, each with its query.
fn queries(connection: &Connection, options: &Options) -> Result<Vec<(String, String)>> {
    let condition = match options.with_schema {
        true => "UNION ALL SELECT 'sqlite_schema'",
        false => "AND name NOT LIKE 'sqlite_%'",
    };
    let sql = format!(
        "SELECT lower(name) AS tname FROM sqlite_schema WHERE type = 'table' AND coalesce(rootpage, 0) > 1 {condition} ORDER BY 1 COLLATE nocase"
    );
    let mut statement = connection.prepare(&sql).map_err(|e| e.to_string())?;
    let names: Vec<String> = statement.query_map([], |row| row.get(0)).map_err(|e| e.to_string())?;
    let mut queries = Vec::new();
    for name in names {
        if let Some(pattern) = &options.pattern
            && !is_like(connection, &name, pattern)?
        {
            continue;
        }
        let sql = match name.as_str() {
            "sqlite_schema" => "SELECT type,name,tbl_name,sql FROM sqlite_schema ORDER BY name;".to_owned(),
            "sqlite_sequence" => "SELECT name,seq FROM sqlite_sequence ORDER BY name;".to_owned(),
            "sqlite_stat1" => "SELECT tbl,idx,stat FROM sqlite_stat1 ORDER BY tbl,idx;".to_owned(),
            "sqlite_stat4" => "SELECT * FROM sqlite_stat4 ORDER BY tbl, idx, rowid;".to_owned(),
            _ if is_system(&name) => continue,
            _ => format!("SELECT * FROM \"{}\" NOT INDEXED;", name.replace('"', "\"\"")),
        };
        queries.push((name, sql));
    }
    Ok(queries)
}

fn is_like(connection: &Connection, name: &str, pattern: &str) -> Result<bool> {
    let sql = "SELECT ?1 LIKE ?2 ESCAPE '\\'";
    Ok(connection
        .query_row(sql, [name, pattern], |row| row.get::<i64>(0))
        .map(|is| is != 0)
        .map_err(|e| e.to_string())?)
}

fn hash(connection: &Connection, queries: &[&str], size: Size) -> Result<String> {
    match size {
        Size::Bits224 => hash_with::<Sha3_224>(connection, queries),
        Size::Bits256 => hash_with::<Sha3_256>(connection, queries),
        Size::Bits384 => hash_with::<Sha3_384>(connection, queries),
        Size::Bits512 => hash_with::<Sha3_512>(connection, queries),
    }
}

fn hash_with<D: Digest>(connection: &Connection, queries: &[&str]) -> Result<String> {
    let mut digest = D::new();
    for sql in queries {
        digest.update(format!("S{}:{sql}", sql.len()));
        let mut statement = connection.prepare(sql).map_err(|e| e.to_string())?;
        while let Some(row) = statement.step().map_err(|e| e.to_string())? {
            digest.update(b"R");
            for i in 0..row.column_count() {
                update(&mut digest, row.get_ref(i));
            }
        }
    }
    Ok(digest.finalize().iter().map(|byte| format!("{byte:02x}")).collect())
}

fn update(digest: &mut impl Digest, value: ValueRef<'_>) {
    match value {
        ValueRef::Null => digest.update(b"N"),
        ValueRef::Integer(integer) => digest.update([&b"I"[..], &integer.to_be_bytes()].concat()),
        ValueRef::Real(real) => digest.update([&b"F"[..], &real.to_bits().to_be_bytes()].concat()),
        ValueRef::Text(text) => {
            digest.update(format!("T{}:", text.len()));
            digest.update(text);
        }
        ValueRef::Blob(blob) => {
            digest.update(format!("B{}:", blob.len()));
            digest.update(blob);
        }
    }
}
