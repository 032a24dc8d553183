//! Rows as records: where their columns are, and the cursors that stand on rows of B-trees.
//!
//! | module | its one subject |
//! | --- | --- |
//! | `columns` | where the columns of an ordinary record are |
//! | `view` | columns of records in memory |
//! | `tree` | cursors on B-trees |
//! | `texts` | texts of a database that is not UTF-8 |

pub mod columns;
pub mod texts;
pub mod tree;
pub mod view;
