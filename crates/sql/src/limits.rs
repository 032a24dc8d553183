//! What a statement may not exceed. The values can be lowered at run time (`sqlite3_limit`).

/// The longest SQL text that any connection may allow.
pub const SQL_LENGTH_MAX: u32 = 1_000_000_000;

/// The limits that the parser checks; the defaults are SQLite's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes in a statement. (Whether the whole text given by a caller may be longer is for the caller to say.)
    pub sql_length: u32,
    /// Columns in a table or SET clause. (Of results and indexes the planner knows the number.)
    pub columns: u32,
    /// The height of an expression.
    pub expr_depth: u32,
    /// Terms in a compound select; 0 for any number.
    pub compound_select: u32,
    /// Arguments of a function.
    pub function_args: u32,
    /// The largest parameter number.
    pub variable_number: u32,
    /// Entries of SQLite's parser stack. An open parenthesis takes one, a function call three. Ours
    /// takes at most about 1 MB of the native stack for 2500 of them.
    pub parser_depth: u32,
    /// Whether the text comes out of a schema table: old databases hold column lists with COLLATE or
    /// ASC in foreign keys and views, which are an error in new statements.
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
