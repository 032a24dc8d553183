//! Opening a connection: here a connection gets what stands above the connection's module.

use std::sync::Arc;

use lithe_vfs::{UnixVfs, Vfs};

use crate::connection::Connection;
use crate::error::Result;
use crate::open::{self, OpenFlags};
use crate::table_functions::PragmasAndJson;

impl Connection {
    /// Opens a connection. `filename` is a path, a URI if the flags allow it, ":memory:", or empty for a temporary database.
    pub fn open(filename: &[u8], flags: OpenFlags) -> Result<Connection> {
        Connection::open_with_vfs(filename, flags, None)
    }

    /// As [`Connection::open`], on files of `vfs` (`None`: the one that the URI names, else the operating system's).
    pub fn open_with_vfs(filename: &[u8], flags: OpenFlags, vfs: Option<Arc<dyn Vfs>>) -> Result<Connection> {
        let target = open::target(filename, flags)?;
        let vfs = match vfs {
            Some(vfs) => vfs,
            None => open::vfs(&target, &(Arc::new(UnixVfs) as Arc<dyn Vfs>))?,
        };
        Connection::open_target(&target, flags, vfs, &PragmasAndJson)
    }
}
