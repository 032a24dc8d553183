//! The number of a database within a connection, as `PRAGMA database_list` shows it.

/// A database of the connection: 0 main, 1 temp, 2… attached.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Db(pub u8);

impl Db {
    /// The main database.
    pub const MAIN: Db = Db(0);
    /// The temporary database.
    pub const TEMP: Db = Db(1);
}
