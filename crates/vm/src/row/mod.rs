//! Rows as records: the positions of their columns, and the cursors on rows of B-trees.
//!
//! | module | its one subject |
//! | --- | --- |
//! | `columns` | where the columns of an ordinary record are |
//! | `wide_header` | the header of the row before, with long types |
//! | `view` | columns of records in memory |
//! | `tree` | cursors on B-trees |
//! | `texts` | texts of a database that is not UTF-8 |

pub mod columns;
pub mod texts;
pub mod tree;
pub mod view;
mod wide_header;
