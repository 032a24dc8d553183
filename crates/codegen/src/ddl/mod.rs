//! CREATE, DROP, REINDEX and the like.
//!
//! All of them change rows of the schema table, count up the schema cookie, and then let the connection read what they wrote:
//! the catalog is made from the schema table's text only, so that what one connection creates is what the next one loads.
//!
//! | module | its one subject |
//! | --- | --- |
//! | `names` | which database an object goes to; names that are taken or reserved |
//! | `system` | rows of the schema table and of the other tables whose names begin with sqlite_ |
//! | `create_table`, `create_as`, `new_table` | CREATE TABLE, and from a select; what both share |
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
