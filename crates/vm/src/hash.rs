//! Hash tables of equi-joins: rows by key, the rows of one key in the order they came.
//!
//! ```text
//!   heads     hash of the key ──► | first row, last row |
//!                                      │
//!   rows      | span, next | span, next | ...      a chain for each key
//!                  │
//!   records   | record | record | ...
//! ```
//!
//! A row with a NULL in its key joins nothing and is left out. Beyond the budget the rows move to a temporary
//! index whose key has one more column, the number of the row, so that rows of one key keep their order.

use std::collections::TryReserveError;
use std::rc::Rc;
use std::sync::Arc;

use hashbrown::HashTable;
use hashbrown::hash_table::Entry as Slot;
use lithe_btree::{Btree, Cursor, KeyColumn, KeyInfo, Prefix, SearchKey, Seek, TreeKind};
use lithe_format::record::{self, Builder};
use lithe_value::{Value, ValueRef};

use crate::arena::{Arena, Span};
use crate::cursor::row::RecordView;
use crate::cursor::tree::TreeCursor;
use crate::ephemeral::{Temporary, insert_entry};
use crate::error::Error;
use crate::host::Host;
use crate::keys::{KeyHasher, compare_records, compare_to_values};
use crate::register::Register;

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
                table.make_room(record.len())?;
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
        let mut tree = HashTree::new(btree, &self.key)?;
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
                *row = table.find(values, &self.key);
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
                self.view.column(table.record(*row), column, dst)
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

    /// Makes room for one more record.
    #[inline]
    fn make_room(&mut self, len: usize) -> Result<(), TryReserveError> {
        self.records.make_room(len)?;
        if self.rows.len() == self.rows.capacity() { self.rows.try_reserve(1) } else { Ok(()) }
    }

    fn insert(&mut self, record: &[u8], key: &KeyInfo) {
        let MemoryHash { hasher, heads, rows, records } = self;
        let row = rows.len() as u32;
        let hash = hasher.hash_record(record, key);
        let key_of = |chain: &Chain| records.get(rows[chain.first as usize].span);
        let equal = |chain: &Chain| compare_records(key_of(chain), record, key).is_eq();
        let rehash = |chain: &Chain| hasher.hash_record(key_of(chain), key);
        let before = match heads.entry(hash, equal, rehash) {
            Slot::Occupied(mut slot) => Some(std::mem::replace(&mut slot.get_mut().last, row)),
            Slot::Vacant(slot) => {
                slot.insert(Chain { first: row, last: row });
                None
            }
        };
        if let Some(before) = before {
            rows[before as usize].next = row;
        }
        rows.push(Row { span: records.push(record), next: END });
    }

    #[inline]
    fn find(&self, values: &[ValueRef<'_>], key: &KeyInfo) -> Option<u32> {
        let hash = self.hasher.hash_values(values, key);
        let equal = |chain: &Chain| compare_to_values(self.record(chain.first), values, key).is_eq();
        self.heads.find(hash, equal).map(|chain| chain.first)
    }

    #[inline]
    fn next(&self, row: u32) -> Option<u32> {
        let next = self.rows[row as usize].next;
        (next != END).then_some(next)
    }

    #[inline]
    fn record(&self, row: u32) -> &[u8] {
        self.records.get(self.rows[row as usize].span)
    }
}

/// The rows in a temporary index: the key's columns, the number of the row, the other columns.
struct HashTree {
    tree: TreeCursor,
    key: Arc<KeyInfo>,
    key_len: usize,
    count: i64,
    /// What was sought.
    sought: Vec<Value>,
}

impl HashTree {
    fn new(btree: &Rc<Btree>, key: &KeyInfo) -> Result<HashTree, Error> {
        let mut columns = key.columns().to_vec();
        let key_len = columns.len();
        columns.push(KeyColumn::default());
        let key = Arc::new(KeyInfo::new(columns, key.encoding()));
        let root = btree.create_tree(TreeKind::Index)?;
        let cursor = Cursor::index(root, Arc::clone(&key));
        let tree = TreeCursor::standing(Rc::clone(btree), cursor, false);
        Ok(HashTree { tree, key, key_len, count: 0, sought: Vec::new() })
    }

    fn clear(&mut self) -> Result<(), Error> {
        self.count = 0;
        self.tree.clear()
    }

    fn insert(&mut self, row: &[ValueRef<'_>], builder: &mut Builder) -> Result<(), Error> {
        let mut numbered = row.to_vec();
        numbered.insert(self.key_len.min(row.len()), ValueRef::Integer(self.count));
        self.count += 1;
        self.tree.release_row();
        insert_entry(&mut self.tree.place.cursor, &self.tree.btree, builder.build(&numbered))
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
        let at = if column < self.key_len { column } else { column + 1 };
        self.tree.column(at, dst)
    }
}
