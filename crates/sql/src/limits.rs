//! What a statement may not exceed. The values can be lowered at run time (`sqlite3_limit`).

/// The longest SQL text that any connection may allow.
pub const SQL_LENGTH_MAX: u32 = 1_000_000_000;

/// The limits that the parser checks; the defaults are SQLite's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes in a string or blob literal.
    pub length: u32,
    /// Bytes in a statement.
    pub sql_length: u32,
    /// Columns in a table, index, result, GROUP BY, ORDER BY, VALUES row or SET clause.
    pub columns: u32,
    /// The height of an expression.
    pub expr_depth: u32,
    /// Terms in a compound select.
    pub compound_select: u32,
    /// Arguments of a function.
    pub function_args: u32,
    /// The largest parameter number.
    pub variable_number: u32,
    /// Attached databases; not checked here.
    pub attached: u32,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            length: 1_000_000_000,
            sql_length: SQL_LENGTH_MAX,
            columns: 2000,
            expr_depth: 1000,
            compound_select: 500,
            function_args: 1000,
            variable_number: 32_766,
            attached: 10,
        }
    }
}
