//! Limits of statements. They can be lowered at run time (`sqlite3_limit`).

/// The longest SQL text that any connection may allow.
pub const SQL_LENGTH_MAX: u32 = 1_000_000_000;

/// The limits that the parser checks; the defaults are SQLite's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes in a statement. (The caller checks the length of a text with several statements.)
    pub sql_length: u32,
    /// Columns in a table or SET clause, terms of ORDER BY in a call. (The planner checks the columns of results and indexes.)
    pub columns: u32,
    /// The height of an expression.
    pub expr_depth: u32,
    /// Terms in a compound select; 0 for no limit.
    pub compound_select: u32,
    /// Arguments of a function.
    pub function_args: u32,
    /// The largest parameter number.
    pub variable_number: u32,
    /// Entries of SQLite's parser stack. An open parenthesis takes one entry, a function call three. This parser takes at most
    /// about 1 MB of the native stack for 2500 entries.
    pub parser_depth: u32,
    /// Whether the text is read from a schema table: old databases contain column lists with COLLATE or ASC in foreign keys and
    /// views, which are an error in new statements.
    pub loading_schema: bool,
    /// Whether a text may have comments (SQLITE_DBCONFIG_ENABLE_COMMENTS).
    pub comments: bool,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            sql_length: SQL_LENGTH_MAX,
            columns: 2000,
            expr_depth: 1000,
            compound_select: 500,
            function_args: 1000,
            variable_number: 32_766,
            parser_depth: 2500,
            loading_schema: false,
            comments: true,
        }
    }
}
