//! The schema of a recorded table: its columns, their defaults, its primary key.

use lithe_vtab::{Result, SqlConnection, Value, ValueRef};

use lithe_vtab::quoted;

/// The table with the row counts of ANALYZE. It has no declared primary key, but is recorded all the same.
pub(crate) const STATISTICS: &str = "sqlite_stat1";
/// The name of the column for the rowid.
pub(crate) const ROWID: &str = "_rowid_";

/// A column that is recorded.
#[derive(Clone, Debug)]
pub(crate) struct Column {
    pub name: String,
    /// Its position among all columns of the table, generated ones included; `None` for the rowid.
    pub position: Option<usize>,
    /// The expression of its default.
    default: Option<String>,
}

/// A table.
#[derive(Clone, Debug, Default)]
pub(crate) struct Schema {
    pub columns: Vec<Column>,
    /// The primary key, as in the header of a changeset.
    pub primary_key: Vec<u8>,
    /// The columns of the primary key.
    pub keys: Vec<usize>,
    /// The number of columns, generated ones included.
    pub total: usize,
    /// Whether the key is the rowid, as an additional first column.
    pub has_rowid_key: bool,
    /// The columns are those of the table, and their values are recorded as they are.
    pub is_plain: bool,
}

impl Schema {
    /// The current schema of the table; `None` if it does not exist. With `rowid_as_key`, a table without a primary key gets its rowid as
    /// key.
    pub fn read(
        connection: &dyn SqlConnection,
        database: &str,
        table: &str,
        rowid_as_key: bool,
    ) -> Result<Option<Schema>> {
        let text = |value: ValueRef<'_>| String::from_utf8_lossy(value.bytes().unwrap_or_default()).into_owned();
        let sql = format!("PRAGMA {}.table_xinfo({})", quoted(database), quoted(table));
        let mut statement = connection.prepare(&sql)?;
        let mut schema = Schema::default();
        let is_statistics = table.eq_ignore_ascii_case(STATISTICS);
        while statement.step()? {
            let position = schema.total;
            schema.total += 1;
            // A generated or hidden column.
            if statement.column(6) != ValueRef::Integer(0) {
                continue;
            }
            let name = text(statement.column(1));
            let default = statement.column(4);
            let default = if default.is_null() { None } else { Some(text(default)) };
            let key = match statement.column(5) {
                // The two columns that identify its rows.
                _ if is_statistics => [1, 2].get(position).copied().unwrap_or(0),
                ValueRef::Integer(key) => u8::try_from(key).unwrap_or(u8::MAX),
                _ => 0,
            };
            schema.primary_key.push(key);
            schema.columns.push(Column { name, position: Some(position), default });
        }
        if schema.total == 0 {
            return Ok(None);
        }
        if rowid_as_key && schema.primary_key.iter().all(|key| *key == 0) {
            schema.columns.insert(0, Column { name: ROWID.to_owned(), position: None, default: None });
            schema.primary_key.insert(0, 1);
            schema.has_rowid_key = true;
        }
        let mut positions = schema.columns.iter().map(|column| column.position).enumerate();
        schema.is_plain = !is_statistics && positions.all(|(at, position)| position == Some(at));
        schema.keys = (0..schema.columns.len()).filter(|at| schema.is_key(*at)).collect();
        Ok(Some(schema))
    }

    /// Whether the table has a primary key; otherwise its changes are not recorded.
    pub fn has_key(&self) -> bool {
        !self.keys.is_empty()
    }

    /// Whether a column belongs to the primary key.
    pub fn is_key(&self, column: usize) -> bool {
        self.primary_key.get(column).is_some_and(|key| *key != 0)
    }

    /// The values of the columns from `first` on in rows that are older than these columns.
    pub fn defaults_from(&self, connection: &dyn SqlConnection, first: usize) -> Result<Vec<Value>> {
        let columns = self.columns.get(first..).unwrap_or_default();
        let exprs: Vec<&str> = columns.iter().map(|column| column.default.as_deref().unwrap_or("NULL")).collect();
        if exprs.is_empty() {
            return Ok(Vec::new());
        }
        let mut statement = connection.prepare(&format!("SELECT {}", exprs.join(", ")))?;
        statement.step()?;
        (0..exprs.len()).map(|at| Ok(Value::try_copy(statement.column(at))?)).collect()
    }

    /// The names of the columns, quoted, with commas between them.
    pub fn column_list(&self) -> String {
        self.columns.iter().map(|column| quoted(&column.name)).collect::<Vec<_>>().join(", ")
    }

    /// The condition that finds a row by its key; the parameter of a column has the number of its position, counted from 1.
    pub fn key_condition(&self, comparison: &str) -> String {
        let keys = self.columns.iter().enumerate().filter(|(at, _)| self.is_key(*at));
        keys.map(|(at, column)| format!("{} {comparison} ?{}", quoted(&column.name), at + 1))
            .collect::<Vec<_>>()
            .join(" AND ")
    }
}
