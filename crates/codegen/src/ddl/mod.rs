//! CREATE, DROP, REINDEX, ANALYZE, ALTER TABLE.
//!
//! All of them change rows of the schema table, increment the schema cookie, and then reload the changed rows: the catalog is
//! built from the schema table's text only, so that an object that one connection creates is the same when the next one loads it.
//!
//! | module | its one subject |
//! | --- | --- |
//! | `names` | the database of a new object; names that are in use or reserved |
//! | `system` | rows of the schema table and of the other tables whose names begin with sqlite_ |
//! | `create_table`, `create_as`, `new_table` | CREATE TABLE, and from a select; the steps of both |
//! | `create_index`, `fill_index`, `reindex` | CREATE INDEX, REINDEX |
//! | `create_other` | CREATE VIEW, CREATE TRIGGER, CREATE VIRTUAL TABLE |
//! | `analyze` | ANALYZE |
//! | `drop` | DROP |
//! | `alter` | ALTER TABLE |

mod alter;
mod analyze;
mod build_options;
mod create_as;
mod create_index;
mod create_other;
mod create_table;
mod drop;
mod fill_index;
mod names;
mod new_table;
mod reindex;
mod system;

pub(crate) use alter::alter_table;
pub use alter::with_single_quotes;
pub(crate) use analyze::analyze;
pub(crate) use create_index::create_index;
pub(crate) use create_other::{create_trigger, create_view, create_virtual_table};
pub(crate) use create_table::create_table;
pub(crate) use drop::drop_object;
pub(crate) use reindex::reindex;
