//! Hash tables of equi-joins: rows by key. The rows of one key are in the order of their other columns, as in the automatic index
//! that SQLite makes (with a key column that is DESC: in reverse order). Equal rows are in the order of insertion.
//!
//! ```text
//!   heads     hash of the key ──► | first row, last row |
//!                                      │
//!   rows      | span, next | span, next | ...      a chain for each key
//!                  │
//!   records   | record | record | ...
//! ```
//!
//! A chain is sorted at its first search. A row with a NULL in its key joins no row and is left out. Beyond the
//! budget the rows move to a temporary index with one more column, the number of the row.

use std::cmp::Ordering;
use std::collections::TryReserveError;
use std::rc::Rc;
use std::sync::Arc;

use hashbrown::HashTable;
use hashbrown::hash_table::Entry as Slot;
use lithe_btree::{Btree, Cursor, KeyColumn, KeyInfo, Prefix, SearchKey, Seek, TreeKind};
use lithe_format::record::{self, Builder};
use lithe_value::{Collation, Value, ValueRef};

use crate::arena::{Arena, Span, Stored};
use crate::ephemeral::{Temporary, insert_entry};
use crate::error::Error;
use crate::host::Host;
use crate::keys::{Columns, KeyHasher, compare_records, compare_to_values};
use crate::register::Register;
use crate::row::tree::TreeCursor;
use crate::row::view::RecordView;

/// A hash table, and a place in it.
pub struct HashCursor {
    key: Arc<KeyInfo>,
    builder: Builder,
    content: Content,
    view: RecordView,
    is_null_row: bool,
}

enum Content {
    Memory { table: MemoryHash, row: Option<u32> },
    Tree(Box<HashTree>),
}

impl HashCursor {
    /// An empty table.
    pub fn new(key: Arc<KeyInfo>) -> HashCursor {
        HashCursor {
            key,
            builder: Builder::new(),
            content: Content::Memory { table: MemoryHash::default(), row: None },
            view: RecordView::default(),
            is_null_row: false,
        }
    }

    /// Removes all rows.
    pub fn clear(&mut self) -> Result<(), Error> {
        self.forget_row();
        match &mut self.content {
            Content::Memory { table, row } => {
                table.clear();
                *row = None;
                Ok(())
            }
            Content::Tree(tree) => tree.clear(),
        }
    }

    /// Adds a row; its first columns are the key.
    pub fn insert(&mut self, row: &[ValueRef<'_>], host: &dyn Host, temporary: &Temporary) -> Result<(), Error> {
        let key_len = self.key.columns().len();
        if row.iter().take(key_len).any(|value| value.is_null()) {
            return Ok(());
        }
        match &mut self.content {
            Content::Memory { table, .. } => {
                let record = self.builder.try_build(row)?;
                table.reserve(record.len())?;
                table.insert(record, &self.key);
                if table.bytes() > host.memory_budget() { self.spill(&temporary.btree(host)?) } else { Ok(()) }
            }
            Content::Tree(tree) => tree.insert(row, &mut self.builder),
        }
    }

    #[cold]
    fn spill(&mut self, btree: &Rc<Btree>) -> Result<(), Error> {
        let Content::Memory { table, .. } = &self.content else {
            return Ok(());
        };
        let first = table.rows.first().map_or(&[][..], |row| table.records.get(row.span));
        let mut tree = HashTree::new(btree, &self.key, record::values(first)?.len())?;
        for row in &table.rows {
            tree.insert(&record::values(table.records.get(row.span))?, &mut self.builder)?;
        }
        self.content = Content::Tree(Box::new(tree));
        Ok(())
    }

    /// Goes to the first row with a key.
    #[inline]
    pub fn find(&mut self, values: &[ValueRef<'_>]) -> Result<bool, Error> {
        self.forget_row();
        if values.iter().any(|value| value.is_null()) {
            return Ok(false);
        }
        match &mut self.content {
            Content::Memory { table, row } => {
                *row = table.find(values, &self.key)?;
                Ok(row.is_some())
            }
            Content::Tree(tree) => tree.find(values),
        }
    }

    /// Goes to the next row with the same key.
    #[inline]
    pub fn next(&mut self) -> Result<bool, Error> {
        self.forget_row();
        match &mut self.content {
            Content::Memory { table, row } => {
                *row = row.and_then(|row| table.next(row));
                Ok(row.is_some())
            }
            Content::Tree(tree) => tree.next(),
        }
    }

    #[inline]
    fn forget_row(&mut self) {
        self.view.forget();
        self.is_null_row = false;
    }

    /// Every column is NULL until the next move.
    pub fn set_null_row(&mut self) {
        self.is_null_row = true;
    }

    /// Whether every column is NULL.
    pub fn is_null_row(&self) -> bool {
        self.is_null_row
    }

    /// Puts a column of the row into a register; false if the row has fewer columns.
    #[inline]
    pub fn column(&mut self, column: usize, dst: &mut Register) -> Result<bool, Error> {
        match &mut self.content {
            Content::Memory { table, row: Some(row) } if !self.is_null_row => {
                self.view.column(table.stored(*row), column, dst)
            }
            Content::Tree(tree) if !self.is_null_row => tree.column(column, dst),
            _ => {
                dst.set_null();
                Ok(true)
            }
        }
    }
}

/// The rows in memory.
#[derive(Default)]
struct MemoryHash {
    hasher: KeyHasher,
    heads: HashTable<Chain>,
    rows: Vec<Row>,
    records: Arena,
}

/// The rows of one key.
struct Chain {
    first: u32,
    last: u32,
    /// The rows are sorted: the key has been searched.
    is_ordered: bool,
}

struct Row {
    span: Span,
    next: u32,
}

/// No further row.
const END: u32 = u32::MAX;

impl MemoryHash {
    fn clear(&mut self) {
        self.heads.clear();
        self.rows.clear();
        self.records.clear();
    }

    fn bytes(&self) -> usize {
        let slots = self.heads.len() * (size_of::<Chain>() + 1) * 3 / 2;
        self.records.bytes() + self.rows.len() * size_of::<Row>() + slots
    }

    /// Reserves space for one more record.
    #[inline]
    fn reserve(&mut self, len: usize) -> Result<(), TryReserveError> {
        self.records.reserve(len)?;
        if self.rows.len() == self.rows.capacity() { self.rows.try_reserve(1) } else { Ok(()) }
    }

    fn insert(&mut self, record: &[u8], key: &KeyInfo) {
        let MemoryHash { hasher, heads, rows, records } = self;
        let row = rows.len() as u32;
        assert!(row != END, "a row with the number of none");
        let hash = hasher.hash_record(record, key);
        let key_of = |chain: &Chain| records.get(rows[chain.first as usize].span);
        let equal = |chain: &Chain| compare_records(key_of(chain), record, key).is_eq();
        let rehash = |chain: &Chain| hasher.hash_record(key_of(chain), key);
        let before = match heads.entry(hash, equal, rehash) {
            Slot::Occupied(mut slot) => {
                let chain = slot.get_mut();
                chain.is_ordered = false;
                Some(std::mem::replace(&mut chain.last, row))
            }
            Slot::Vacant(slot) => {
                slot.insert(Chain { first: row, last: row, is_ordered: true });
                None
            }
        };
        if let Some(before) = before {
            rows[before as usize].next = row;
        }
        rows.push(Row { span: records.push(record), next: END });
    }

    #[inline]
    fn find(&mut self, values: &[ValueRef<'_>], key: &KeyInfo) -> Result<Option<u32>, TryReserveError> {
        let MemoryHash { hasher, heads, rows, records } = self;
        let hash = hasher.hash_values(values, key);
        let record = |row: u32| records.get(rows[row as usize].span);
        let equal = |chain: &Chain| compare_to_values(record(chain.first), values, key).is_eq();
        let Some(chain) = heads.find_mut(hash, equal) else { return Ok(None) };
        if !chain.is_ordered {
            put_in_order(chain, rows, records, key)?;
        }
        Ok(Some(chain.first))
    }

    #[inline]
    fn next(&self, row: u32) -> Option<u32> {
        debug_assert!((row as usize) < self.rows.len(), "a row that there is none of");
        let next = self.rows[row as usize].next;
        (next != END).then_some(next)
    }

    #[inline]
    fn stored(&self, row: u32) -> Stored<'_> {
        self.records.stored(self.rows[row as usize].span)
    }
}

/// Puts the rows of one key in the order of their other columns.
#[cold]
fn put_in_order(chain: &mut Chain, rows: &mut [Row], records: &Arena, key: &KeyInfo) -> Result<(), TryReserveError> {
    chain.is_ordered = true;
    let next = |row: u32| Some(rows[row as usize].next).filter(|next| *next != END);
    let numbers = std::iter::successors(Some(chain.first), |row| next(*row));
    let order = |left: u32, right: u32| {
        let [left, right] = [left, right].map(|row| records.get(rows[row as usize].span));
        compare_others(left, right, key)
    };
    if numbers.clone().is_sorted_by(|left, right| order(*left, *right).is_le()) {
        return Ok(());
    }
    let mut sorted = Vec::new();
    sorted.try_reserve_exact(numbers.clone().count())?;
    sorted.extend(numbers);
    sorted.sort_unstable_by(|left, right| order(*left, *right).then(left.cmp(right)));
    for pair in sorted.windows(2) {
        rows[pair[0] as usize].next = pair[1];
    }
    assert!(!sorted.is_empty(), "a chain has rows");
    let (first, last) = (sorted[0], sorted[sorted.len() - 1]);
    rows[last as usize].next = END;
    (chain.first, chain.last) = (first, last);
    Ok(())
}

/// Compares two rows of one key by their other columns.
fn compare_others(left: &[u8], right: &[u8], key: &KeyInfo) -> Ordering {
    let (mut left, mut right) = (Columns::new(left), Columns::new(right));
    for _ in key.columns() {
        left.value();
        right.value();
    }
    let mut order = Ordering::Equal;
    while order.is_eq() && !left.is_at_end() {
        order = lithe_value::compare(left.value(), right.value(), &Collation::Binary);
    }
    if is_reversed(key) { order.reverse() } else { order }
}

/// Whether the rows of a key come in the reverse order.
fn is_reversed(key: &KeyInfo) -> bool {
    key.columns().first().is_some_and(|column| column.descending)
}

/// The rows in a temporary index: the key's columns, the other columns, the number of the row.
struct HashTree {
    tree: TreeCursor,
    key: Arc<KeyInfo>,
    count: i64,
    /// The key that was sought last.
    sought: Vec<Value>,
}

impl HashTree {
    fn new(btree: &Rc<Btree>, key: &KeyInfo, width: usize) -> Result<HashTree, Error> {
        let mut columns = key.columns().to_vec();
        columns.resize(width, KeyColumn { descending: is_reversed(key), ..KeyColumn::default() });
        columns.push(KeyColumn::default());
        let key = Arc::new(KeyInfo::new(columns, key.encoding()));
        let root = btree.create_tree(TreeKind::Index)?;
        let cursor = Cursor::index(root, Arc::clone(&key));
        let tree = TreeCursor::standing(Rc::clone(btree), cursor, false);
        Ok(HashTree { tree, key, count: 0, sought: Vec::new() })
    }

    fn clear(&mut self) -> Result<(), Error> {
        self.count = 0;
        self.tree.clear()
    }

    fn insert(&mut self, row: &[ValueRef<'_>], builder: &mut Builder) -> Result<(), Error> {
        let mut numbered = row.to_vec();
        numbered.push(ValueRef::Integer(self.count));
        self.count += 1;
        self.tree.release_row();
        insert_entry(&mut self.tree.inner.cursor, &self.tree.btree, builder.build(&numbered))
    }

    fn find(&mut self, values: &[ValueRef<'_>]) -> Result<bool, Error> {
        self.sought = values.iter().map(|value| Value::from(*value)).collect();
        let found = match self.tree.seek_key(&SearchKey::new(&self.key, values, Prefix::Before))? {
            Seek::Less => self.tree.next()?,
            Seek::Exact | Seek::Greater => true,
            Seek::Empty => false,
        };
        Ok(found && self.is_on_key()?)
    }

    fn next(&mut self) -> Result<bool, Error> {
        Ok(self.tree.next()? && self.is_on_key()?)
    }

    fn is_on_key(&mut self) -> Result<bool, Error> {
        let values: Vec<ValueRef<'_>> = self.sought.iter().map(Value::as_ref).collect();
        Ok(self.tree.compare_entry(&SearchKey::new(&self.key, &values, Prefix::Equal))?.is_eq())
    }

    fn column(&mut self, column: usize, dst: &mut Register) -> Result<bool, Error> {
        self.tree.column(column, dst)
    }
}
