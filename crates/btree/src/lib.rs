//! B-trees over pages: cursors, search, balancing, overflow runs, freelist, pointer maps, bulk
//! loading, integrity check.
//!
//! ```text
//!                      Cursor ── seek, next, insert, delete, payload
//!                        │
//!            path: root ─┴─ interior ── ... ── leaf         each a Node: a page that was checked
//!                                               │
//!      edit (one page) ◄── insert / delete ──► balance (siblings) ──► parent, up to the root
//!                                               │
//!        overflow chains      freelist      pointer maps            pages of the database
//!              └──────────────────┴──────────────┴───── Pager
//! ```
//!
//! The crate knows pages and records; it must not know SQL, schemas or files. Every call goes through `&Btree` (one a
//! connection and attached database) and cursors, which own their position in a tree but borrow nothing.
//!
//! Read first: [`Btree`], [`Cursor`], `node::Node`. The modules in reading order:
//!
//! | module | its one subject |
//! | --- | --- |
//! | `node` | a page of a tree, checked |
//! | `cursor` | a position in a tree: walking, seeking, inserting, deleting, restoring |
//! | [`key`] | what index entries are compared with |
//! | `edit`, `freeblocks`, `balance` | the cells of one page; the space between them; sharing them among siblings |
//! | `search`, `interiors` | finding a rowid among those of a page; interior pages that are searched often, decoded |
//! | `overflow` | long payloads |
//! | `freelist`, `ptrmap` | unused pages; in auto-vacuum databases, the parent of each page |
//! | `btree`, `tree`, `copy` | the trees of a database; making, emptying and dropping whole trees; copying one to another database |
//! | `relocate`, `auto_vacuum` | moving a page; moving those at the file's end |
//! | `check` | the integrity check |
//! | [`estimate`] | estimated numbers of entries, for planners |
//! | `lost_keys` | keys of deleted entries on which cursors still are |
//!
//! **The content of a file is never trusted**: a page is checked in constant time when it enters a path, every offset
//! that it holds is checked when it is followed, and no walk is deeper or longer than the format allows. Damage is
//! reported as [`Error::Corrupt`](lithe_pager::Error) with the page's number.
#![forbid(unsafe_code)]

mod auto_vacuum;
mod balance;
mod btree;
mod check;
mod copy;
mod cursor;
mod edit;
mod error;
pub mod estimate;
mod freeblocks;
mod freelist;
mod interiors;
pub mod key;
mod lost_keys;
mod node;
mod overflow;
mod ptrmap;
mod relocate;
mod search;
mod tree;

pub use auto_vacuum::Sizes;
pub use btree::{AutoVacuum, Btree, SecureDelete};
pub use cursor::{Cursor, Leaf, Row, Seek, SortedEntries};
pub use error::{Error, Result};
pub use key::{KeyColumn, KeyInfo, Prefix, SearchKey};
pub use node::TreeKind;
