//! The content of a database as a number: schema, rows, and every byte of every value.

/// The content of the databases main and aux. Two states are equal if the contents are.
pub type State = [u64; 2];

/// The names of the databases, in the order of [`State`].
pub const NAMES: [&str; 2] = ["main", "aux"];

/// A value of a row, of either engine.
#[derive(Clone, Copy, Debug)]
pub enum Cell<'a> {
    Null,
    Integer(i64),
    Real(f64),
    Text(&'a [u8]),
    Blob(&'a [u8]),
}

/// A connection of either engine.
pub trait Query {
    /// Runs a query and calls `row` with each row.
    fn query(&self, sql: &str, row: &mut dyn FnMut(&[Cell<'_>])) -> Result<(), String>;

    /// The first column of a query, as text.
    fn texts(&self, sql: &str) -> Result<Vec<String>, String> {
        let mut texts = Vec::new();
        self.query(sql, &mut |row| {
            texts.push(match row[0] {
                Cell::Text(text) => String::from_utf8_lossy(text).into_owned(),
                Cell::Integer(n) => n.to_string(),
                other => format!("{other:?}"),
            });
        })?;
        Ok(texts)
    }
}

/// The content that the connection reads; of aux only if it is `attached`.
pub fn state_of(db: &dyn Query, attached: bool) -> Result<State, String> {
    let mut state = [0; 2];
    for (name, state) in NAMES.iter().zip(&mut state).take(1 + usize::from(attached)) {
        *state = digest_of(db, name)?;
    }
    Ok(state)
}

fn digest_of(db: &dyn Query, name: &str) -> Result<u64, String> {
    let mut digest = Digest(0x9e37_79b9_7f4a_7c15);
    let schema = format!("SELECT type, name, tbl_name, sql FROM {name}.sqlite_schema ORDER BY name");
    let mut tables = Vec::new();
    db.query(&schema, &mut |row| {
        digest.add_row(row);
        if let (Cell::Text(b"table"), Cell::Text(table)) = (row[0], row[1])
            && !is_shadow(table)
        {
            tables.push(String::from_utf8_lossy(table).into_owned());
        }
    })?;
    for table in tables {
        digest.add(table.as_bytes());
        db.query(&format!("SELECT * FROM {name}.{table} ORDER BY 1"), &mut |row| digest.add_row(row))?;
    }
    Ok(digest.0)
}

/// Whether a table is a shadow table, which is left out because two indexes of the same rows may have different bytes.
fn is_shadow(table: &[u8]) -> bool {
    [b"words_".as_slice(), b"letters_", b"boxes_"].iter().any(|owner| table.starts_with(owner))
}

/// The errors that `integrity_check` reports.
pub fn damage_of(db: &dyn Query, attached: bool) -> Result<Vec<String>, String> {
    let mut damage = Vec::new();
    for name in &NAMES[..1 + usize::from(attached)] {
        damage.extend(db.texts(&format!("PRAGMA {name}.integrity_check"))?);
    }
    damage.retain(|line| line != "ok");
    Ok(damage)
}

/// A hash, not a cryptographic one.
struct Digest(u64);

impl Digest {
    fn number(&mut self, n: u64) {
        self.0 = (self.0.rotate_left(23) ^ n).wrapping_mul(0xff51_afd7_ed55_8ccd);
        self.0 ^= self.0 >> 32;
    }

    fn add(&mut self, bytes: &[u8]) {
        self.number(bytes.len() as u64);
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.number(u64::from_le_bytes(word));
        }
    }

    fn add_row(&mut self, row: &[Cell<'_>]) {
        self.number(row.len() as u64);
        for cell in row {
            match *cell {
                Cell::Null => self.number(1),
                Cell::Integer(n) => {
                    self.number(2);
                    self.number(n.cast_unsigned());
                }
                Cell::Real(n) => {
                    self.number(3);
                    self.number(n.to_bits());
                }
                Cell::Text(text) => {
                    self.number(4);
                    self.add(text);
                }
                Cell::Blob(blob) => {
                    self.number(5);
                    self.add(blob);
                }
            }
        }
    }
}
