//! The content of a temporary table, which several cursors may share: in memory, or moved to a tree.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use lithe_btree::{Btree, Cursor, KeyInfo, TreeKind};
use lithe_format::payload::Payload;
use lithe_format::{PageNo, record};

use super::Position;
use super::index::MemoryIndex;
use super::set::MemorySet;
use super::table::MemoryTable;
use crate::arena::Stored;
use crate::error::Error;
use crate::host::Host;
use crate::keys::KeyHasher;

/// The content of a temporary table.
pub(super) enum Store {
    Table(MemoryTable),
    Index(MemoryIndex),
    Set(MemorySet),
    /// The content has moved to a tree.
    Moved(Tree),
}

/// The tree with the content.
pub(super) struct Tree {
    pub btree: Rc<Btree>,
    pub root: PageNo,
    /// The key of an index; `None` for a table.
    pub key: Option<Arc<KeyInfo>>,
}

impl Store {
    /// A hash set if the keys can be hashed, else an index.
    pub fn set(key: Arc<KeyInfo>) -> Store {
        if KeyHasher::can_hash(&key) { Store::Set(MemorySet::new(key)) } else { Store::Index(MemoryIndex::new(key)) }
    }

    #[inline]
    pub fn record(&self, position: Position) -> Option<Stored<'_>> {
        match (self, position) {
            (Store::Table(table), Position::Row { rowid, at }) => {
                table.stored_of(at, rowid).or_else(|| table.stored_of(table.find(rowid).ok()?, rowid))
            }
            (Store::Index(index), Position::Entry { span, .. }) => Some(index.stored(span)),
            (Store::Set(set), Position::Member(span)) => Some(set.stored(span)),
            _ => None,
        }
    }

    #[inline]
    pub fn keep_within_budget(&mut self, host: &dyn Host, temporary: &Temporary) -> Result<(), Error> {
        let bytes = match self {
            Store::Table(table) => table.bytes(),
            Store::Index(index) => index.bytes(),
            Store::Set(set) => set.bytes(),
            Store::Moved(_) => 0,
        };
        if bytes > host.memory_budget() { self.spill(&temporary.btree(host)?) } else { Ok(()) }
    }

    #[cold]
    fn spill(&mut self, btree: &Rc<Btree>) -> Result<(), Error> {
        assert!(!matches!(self, Store::Moved(_)), "what has moved does not move again");
        let key = match self {
            Store::Index(index) => Some(Arc::clone(index.key())),
            Store::Set(set) => Some(Arc::clone(set.key())),
            Store::Table(_) | Store::Moved(_) => None,
        };
        let kind = if key.is_some() { TreeKind::Index } else { TreeKind::Table };
        let tree = Tree { btree: Rc::clone(btree), root: btree.create_tree(kind)?, key };
        self.write_to(&tree)?;
        *self = Store::Moved(tree);
        Ok(())
    }

    fn write_to(&self, tree: &Tree) -> Result<(), Error> {
        let mut cursor = tree.cursor();
        match self {
            Store::Table(table) => {
                for at in 0..table.len() {
                    if let (Some(rowid), Some(record)) = (table.rowid(at), table.record(at)) {
                        cursor.insert_table(&tree.btree, rowid, &Payload::from_bytes(record), None)?;
                    }
                }
            }
            Store::Index(index) => {
                let mut place = index.first();
                while let Some(record) = index.record(place) {
                    insert_entry(&mut cursor, &tree.btree, record)?;
                    place = index.after(place);
                }
            }
            Store::Set(set) => {
                for record in set.records() {
                    insert_entry(&mut cursor, &tree.btree, record)?;
                }
            }
            Store::Moved(_) => {}
        }
        Ok(())
    }
}

impl Tree {
    pub fn cursor(&self) -> Cursor {
        match &self.key {
            Some(key) => Cursor::index(self.root, Arc::clone(key)),
            None => Cursor::table(self.root),
        }
    }
}

/// Inserts a record that this crate has built into an index.
pub fn insert_entry(cursor: &mut Cursor, btree: &Btree, record: &[u8]) -> Result<(), Error> {
    let values = record::values(record)?;
    Ok(cursor.insert_index(btree, &values, &Payload::from_bytes(record), None)?)
}

/// The temporary database of one statement, opened at its first use.
#[derive(Default)]
pub struct Temporary(RefCell<Option<Rc<Btree>>>);

impl Temporary {
    /// The database.
    pub fn btree(&self, host: &dyn Host) -> Result<Rc<Btree>, Error> {
        if let Some(btree) = &*self.0.borrow() {
            return Ok(Rc::clone(btree));
        }
        let btree = host.temporary_btree()?;
        *self.0.borrow_mut() = Some(Rc::clone(&btree));
        Ok(btree)
    }

    /// Closes the database, whose content is dropped.
    pub fn close(&mut self) {
        self.0.take();
    }
}
