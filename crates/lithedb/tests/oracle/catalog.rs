//! Random queries of the schema: the pragmas as table-valued functions.

use fastrand::Rng;

use crate::schema::{Schema, pick};

/// A SELECT from a pragma, or from one for each table of the schema.
pub fn select(rng: &mut Rng, schema: &Schema) -> String {
    let name = schema.any_source(rng).map_or("nothing", |table| table.name.as_str());
    let index = if schema.indexes.is_empty() { "nothing" } else { pick(rng, &schema.indexes) };
    match rng.u32(0..9) {
        0 => format!("SELECT * FROM pragma_table_info('{name}')"),
        1 => format!("SELECT * FROM pragma_table_xinfo('{name}') WHERE hidden <> 1"),
        2 => format!("SELECT * FROM pragma_index_list('{name}')"),
        3 => format!("SELECT * FROM pragma_index_info('{index}')"),
        4 => format!("SELECT * FROM pragma_index_xinfo('{index}')"),
        5 => format!("SELECT * FROM pragma_foreign_key_list('{name}')"),
        // Without views, because a view may have become invalid.
        6 => "SELECT s.name, i.* FROM sqlite_schema AS s, pragma_table_xinfo(s.name) AS i WHERE s.type = 'table'".to_owned(),
        7 => "SELECT s.name, i.name, i.\"unique\", i.origin, i.partial, x.* FROM sqlite_schema AS s JOIN pragma_index_list(s.name) AS i JOIN pragma_index_xinfo(i.name) AS x WHERE s.type = 'table'".to_owned(),
        _ => "SELECT schema, name, type, ncol, wr, strict FROM pragma_table_list WHERE type <> 'view'".to_owned(),
    }
}
