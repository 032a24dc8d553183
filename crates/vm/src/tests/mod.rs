//! Programs against databases in memory.

mod flow;
mod functions;
mod memory;
mod seek;
mod triggers;
mod write;

use lithe_btree::{Btree, Cursor, KeyInfo, TreeKind};
use lithe_format::PageNo;
use lithe_format::payload::Payload;
use lithe_format::record::Builder;
use lithe_value::ValueRef;
use std::sync::Arc;

/// A table of these rows.
fn table(btree: &Btree, rows: &[(i64, Vec<ValueRef<'_>>)]) -> PageNo {
    let root = btree.create_tree(TreeKind::Table).unwrap();
    let mut cursor = Cursor::table(root);
    let mut builder = Builder::new();
    for (rowid, row) in rows {
        cursor.insert_table(btree, *rowid, &Payload::from_bytes(builder.build(row)), None).unwrap();
    }
    root
}

/// An index of these entries.
fn index(btree: &Btree, key: &Arc<KeyInfo>, entries: &[Vec<ValueRef<'_>>]) -> PageNo {
    let root = btree.create_tree(TreeKind::Index).unwrap();
    let mut cursor = Cursor::index(root, Arc::clone(key));
    let mut builder = Builder::new();
    for entry in entries {
        cursor.insert_index(btree, entry, &Payload::from_bytes(builder.build(entry)), None).unwrap();
    }
    root
}
