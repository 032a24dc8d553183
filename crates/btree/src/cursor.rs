//! A position in a tree.
//!
//! A cursor keeps its path, the pages from the root to its position, and borrows nothing: every call gets the [`Btree`]
//! as an argument. The pages of the path stay as they were when the cursor read them, whatever others write meanwhile
//! (the pager copies a page before a write while another reference to it exists), so a row can be read for as long as
//! the cursor stands on it, even after its deletion. What the cursor itself replaces, its leaf shows.
//!
//! ```text
//!                                  write elsewhere in the tree
//!   Nowhere ── first, seek ──► Row ───────────── restore ─────────► Row   still there
//!      ▲                        │ ▲                    └──────────► Gap   deleted meanwhile
//!      └──── past either end ───┘ └─────── next, previous ─────────── ┘
//! ```
//!
//! In a **gap** the cursor stands where its row was: `next` goes to the row after, `previous` to the
//! row before, and neither skips one.
//!
//! The path of a cursor on a table ends at a leaf; on an index it may end at an interior page, because the cells there
//! are entries too.

mod append;
mod blob;
mod delete;
mod insert;
mod ordinary;
mod path;
mod restore;
mod row;
mod seek;
mod walk;

pub use append::SortedEntries;
use blob::Chain;
use path::{Level, Path};
pub use row::{Leaf, Row};

use crate::balance::Step;
use crate::btree::Btree;
use crate::error::{Error, Result};
use crate::key::KeyInfo;
use crate::node::{MAX_DEPTH, TreeKind};
use lithe_format::cell::{self, PayloadSpan};
use lithe_format::payload::Limits;
use lithe_format::{PageNo, btree_page::PageKind};
use std::sync::Arc;

/// Index entries up to this length are saved for the comparison with the next one.
const SAVED_LEN_MAX: u32 = 256;

/// Where a search left the cursor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Seek {
    /// On the entry that was sought.
    Exact,
    /// On an entry less than the key: the largest such one of the tree.
    Less,
    /// On an entry greater than the key: the smallest such one of the tree.
    Greater,
    /// On no entry: the tree is empty.
    Empty,
}

/// A position in a tree; see the [module's documentation](self).
pub struct Cursor {
    key_info: Option<Arc<KeyInfo>>,
    limits: Limits,
    state: State,
    /// Whether the cursor is known to stand on the very last entry.
    at_last: bool,
    /// A rollback has ended the cursor: until the next [`Cursor::reset`] every call answers [`Error::RolledBack`].
    is_tripped: bool,
    path: Path,
    written: Step,
    /// The cell of the leaf at the end of the path before which the cursor has just removed an entry.
    removed_before: Option<u16>,
    /// The last search of an index ended on the same leaf as the one before it: then the next one may, too.
    repeats_leaf: bool,
    /// The parsed cell on which the cursor stands, computed at the first use.
    row: Option<ParsedRow>,
    /// The index entry to seek when the page is not in the path any more.
    saved_key: SavedKey,
    /// The overflow pages of the payload that was last read or written in parts.
    chain: Chain,
    /// A buffer for payloads that have to be assembled before they can be compared.
    scratch: Vec<u8>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// On no entry.
    Nowhere,
    /// On an entry: the cell `index` of the last page of the path.
    Row,
    /// On the entry that it has just written, on `written`, which the path leads to but does not hold: the pager copies
    /// a page before a write while another reference to it exists, and the next write is likely to go there too.
    Written,
    /// The entry is gone, and the last page of the path shows a neighbour of the gap.
    Gap(Neighbour),
    /// The path does not lead to the entry any more: it has to be sought, by the rowid in `row` or by `saved_key`.
    Lost,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Neighbour {
    /// The entry before the gap.
    Before,
    /// The entry after it.
    After,
}

/// The start of an index entry's record, at least up to the last column that is compared.
#[derive(Default)]
struct SavedKey {
    bytes: Vec<u8>,
    /// The length of the whole record.
    len: u32,
}

impl SavedKey {
    /// Keeps the record of `len` bytes that begins with `start`.
    fn keep(&mut self, start: &[u8], len: u32) {
        self.bytes.clear();
        self.bytes.extend_from_slice(start);
        self.len = len;
    }
}

#[derive(Clone, Copy, Debug)]
struct ParsedRow {
    /// 0 in an index.
    rowid: i64,
    span: PayloadSpan,
    /// Whether `saved_key` has the entry.
    is_saved: bool,
}

impl Cursor {
    /// A cursor on the table at `root`.
    pub fn table(root: PageNo) -> Cursor {
        Cursor::new(root, None)
    }

    /// A cursor on the index at `root`, or on a table WITHOUT ROWID, which is one.
    pub fn index(root: PageNo, key_info: Arc<KeyInfo>) -> Cursor {
        Cursor::new(root, Some(key_info))
    }

    fn new(root: PageNo, key_info: Option<Arc<KeyInfo>>) -> Cursor {
        let kind = kind_of(key_info.as_ref());
        Cursor {
            key_info,
            limits: Limits { usable: 0, max_local: 0, min_local: 0 },
            state: State::Nowhere,
            at_last: false,
            is_tripped: false,
            path: Path::new(root, kind),
            written: Step { no: root, index: 0 },
            removed_before: None,
            repeats_leaf: false,
            row: None,
            saved_key: SavedKey::default(),
            chain: Chain::default(),
            scratch: Vec::new(),
        }
    }

    /// Moves the cursor to another tree, and reuses its memory. The cursor has been [reset](Cursor::reset).
    #[inline]
    pub fn reopen(&mut self, root: PageNo, key_info: Option<&Arc<KeyInfo>>) {
        debug_assert!(
            matches!(self.state, State::Nowhere | State::Written),
            "a cursor is reset before it is opened anew"
        );
        if self.path.root != root || !is_same_order(self.key_info.as_ref(), key_info) {
            self.move_to(root, key_info);
        }
    }

    #[inline(never)]
    fn move_to(&mut self, root: PageNo, key_info: Option<&Arc<KeyInfo>>) {
        (self.state, self.at_last) = (State::Nowhere, false);
        self.path.move_to(root, kind_of(key_info));
        self.key_info = key_info.cloned();
    }

    /// Leaves the entry and drops its leaf. Cursors are reset before their transaction ends. The path to the leaf is kept
    /// for the next search, which checks whether it is still current: a statement that is run again and again reads no
    /// page above the leaves. A cursor that has just added the last entry of all keeps its position, which holds no leaf:
    /// rows that are added one by one, each by a statement of its own, are added without a search.
    pub fn reset(&mut self) {
        self.is_tripped = false;
        if self.state == State::Written && self.at_last {
            return;
        }
        self.state = State::Nowhere;
        self.at_last = false;
        self.removed_before = None;
        self.row = None;
        // A leaf that the cursor holds would be copied by the next write.
        self.path.leave_leaf();
    }

    /// Ends the cursor after a rollback that has undone the entry on which it stands.
    pub fn trip(&mut self) {
        self.reset();
        // Without a path every movement calls `load_root`, and a lost position `find_again`: both check the mark.
        self.path.clear();
        self.repeats_leaf = false;
        self.at_last = false;
        self.row = None;
        self.state = State::Lost;
        self.is_tripped = true;
    }

    /// The root page of the tree.
    #[inline]
    pub fn root(&self) -> PageNo {
        self.path.root
    }

    /// The order of the index, or `None` on a table.
    #[inline]
    pub fn key_info(&self) -> Option<&Arc<KeyInfo>> {
        self.key_info.as_ref()
    }

    /// Whether the cursor stands on an entry, as far as is known without [restoring](Cursor::restore) it.
    #[inline]
    pub fn is_valid(&self) -> bool {
        matches!(self.state, State::Row | State::Written | State::Lost)
    }

    /// Asserts the condition of each state. Called where a public call begins.
    #[inline]
    #[track_caller]
    fn assert_cursor_state(&self) {
        debug_assert!(self.path.len() <= MAX_DEPTH, "a path longer than any tree is deep");
        match self.state {
            State::Row => {
                assert!(!self.path.is_empty(), "a cursor on an entry has a path");
                debug_assert!(self.here().index < self.here().node.cell_count, "behind the last cell of a page");
                debug_assert!(self.key_info.is_some() || self.here().node.is_leaf(), "a row is on a leaf");
            }
            State::Gap(_) => assert!(!self.path.is_empty(), "a gap is beside an entry"),
            State::Written => debug_assert!(self.row.is_some(), "what was written is known"),
            State::Nowhere | State::Lost => {}
        }
    }

    fn kind(&self) -> TreeKind {
        kind_of(self.key_info.as_ref())
    }

    /// The page on which the cursor stands, and the cell there.
    #[inline]
    fn here(&self) -> &Level {
        self.path.last().expect("a cursor on an entry has a path")
    }

    #[inline]
    fn here_mut(&mut self) -> &mut Level {
        self.path.last_mut().expect("a cursor on an entry has a path")
    }

    /// Makes the root the first page of the path, unless it is there already and current.
    #[inline]
    fn enter_root(&mut self, btree: &Btree) -> Result<()> {
        if self.path.keeps_root(btree) { Ok(()) } else { self.load_root(btree) }
    }

    fn load_root(&mut self, btree: &Btree) -> Result<()> {
        if self.is_tripped {
            return Err(Error::RolledBack);
        }
        self.limits = match self.kind() {
            TreeKind::Table => btree.limits(PageKind::TableLeaf),
            TreeKind::Index => btree.limits(PageKind::IndexLeaf),
        };
        self.path.load_root(btree)
    }

    /// Reads the cell on which the cursor stands.
    #[inline]
    fn parse(&mut self) -> Result<ParsedRow> {
        match self.row {
            Some(row) => Ok(row),
            None => self.parse_cell(),
        }
    }

    #[inline]
    fn parse_cell(&mut self) -> Result<ParsedRow> {
        let row = self.here().parse(&self.limits)?;
        self.row = Some(row);
        Ok(row)
    }
}

impl Level {
    /// The row or entry at the level's index.
    fn parse(&self, limits: &Limits) -> Result<ParsedRow> {
        let Level { node, index } = self;
        let at = node.cell_at(usize::from(*index))?;
        let row = match node.kind {
            PageKind::TableLeaf => cell::read_table_leaf(&node.page, at, limits).map(|cell| ParsedRow {
                rowid: cell.rowid,
                span: cell.payload,
                is_saved: false,
            }),
            kind => {
                cell::read_index(&node.page, at, kind, limits).map(|span| ParsedRow { rowid: 0, span, is_saved: false })
            }
        };
        row.ok_or_else(|| node.corrupt("cell outside the page"))
    }
}

/// The kind of the tree whose entries have this order.
fn kind_of(key_info: Option<&Arc<KeyInfo>>) -> TreeKind {
    if key_info.is_some() { TreeKind::Index } else { TreeKind::Table }
}

/// Whether two cursors are on tables, or on indexes of one order.
#[inline]
fn is_same_order(one: Option<&Arc<KeyInfo>>, other: Option<&Arc<KeyInfo>>) -> bool {
    match (one, other) {
        (None, None) => true,
        (Some(one), Some(other)) => Arc::ptr_eq(one, other),
        _ => false,
    }
}
