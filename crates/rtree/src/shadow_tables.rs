//! The shadow tables of an R-Tree: created, renamed and dropped with it; the node length and row count that they give.

use lithe_value::cast;
use lithe_vtab::{Names, SqlConnection, ValueRef, first_value, quoted};

use crate::bounds::CoordinateType;
use crate::error::{self, Error, Result};
use crate::node::Layout;
use crate::sql_store::SUFFIXES;

/// The least length of a node: that in a database with pages of 512 bytes.
const NODE_LEN_MIN: usize = 512 - 64;
/// The estimated rows of a table without statistics of ANALYZE, and the least estimate with them.
const ROWS_UNKNOWN: i64 = 1 << 20;
const ROWS_MIN: i64 = 100;

/// The length of a tree's nodes.
pub(crate) fn node_len(connection: &dyn SqlConnection, names: &Names) -> Result<usize> {
    let node = names.shadow("node");
    let len = first_value(connection, &format!("SELECT length(data) FROM {node} WHERE nodeno = 1"))?;
    let len = len.and_then(|len| usize::try_from(cast::to_integer(len.as_ref())).ok()).unwrap_or(0);
    if len < NODE_LEN_MIN {
        let message = format!("undersize RTree blobs in \"{}_node\"", names.table);
        return Err(Error::with_code(error::corrupt().code, message));
    }
    Ok(len)
}

/// Creates the tables of an R-Tree, with an empty root.
pub(crate) fn create_tables(
    connection: &dyn SqlConnection,
    names: &Names,
    auxiliary: usize,
    dimensions: usize,
    coordinates: CoordinateType,
) -> Result {
    let page_size = first_value(connection, &format!("PRAGMA {}.page_size", quoted(&names.database)))?;
    let page_size = page_size.and_then(|size| usize::try_from(cast::to_integer(size.as_ref())).ok()).unwrap_or(0);
    let layout = Layout::for_page_size(dimensions, coordinates, page_size);
    let extra: String = (0..auxiliary).map(|at| format!(",a{at}")).collect();
    let (node, parent, rowid) = (names.shadow("node"), names.shadow("parent"), names.shadow("rowid"));
    connection.execute(&format!(
        "CREATE TABLE {rowid}(rowid INTEGER PRIMARY KEY,nodeno{extra});\
         CREATE TABLE {node}(nodeno INTEGER PRIMARY KEY,data);\
         CREATE TABLE {parent}(nodeno INTEGER PRIMARY KEY,parentnode);\
         INSERT INTO {node} VALUES(1,zeroblob({}))",
        layout.node_len
    ))
}

/// The number of rows that ANALYZE has counted.
pub(crate) fn estimated_rows(connection: &dyn SqlConnection, names: &Names) -> Result<i64> {
    let sql = format!("SELECT stat FROM {}.sqlite_stat1 WHERE tbl = ?1", quoted(&names.database));
    let read = || -> Result<Option<i64>> {
        let mut statement = connection.prepare(&sql)?;
        statement.bind(1, ValueRef::Text(format!("{}_rowid", names.table).as_bytes()))?;
        Ok(if statement.step()? { Some(cast::to_integer(statement.column(0))) } else { None })
    };
    if !connection.has_table(&names.database, "sqlite_stat1") {
        return Ok(ROWS_UNKNOWN);
    }
    Ok(read()?.map_or(ROWS_UNKNOWN, |rows| rows.max(ROWS_MIN)))
}

/// Renames the tables of an R-Tree.
pub fn rename_tables(connection: &dyn SqlConnection, names: &Names, name: &str) -> Result {
    for suffix in SUFFIXES {
        names.rename_shadow(connection, suffix, name)?;
    }
    Ok(())
}

/// Drops the tables of an R-Tree.
pub fn drop_tables(connection: &dyn SqlConnection, names: &Names) -> Result {
    for suffix in SUFFIXES {
        connection.execute(&format!("DROP TABLE {}", names.shadow(suffix))).map_err(Error::silent)?;
    }
    Ok(())
}
