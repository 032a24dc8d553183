//! Tables, views and virtual tables, with their columns.

use std::any::Any;
use std::fmt;
use std::sync::{Arc, OnceLock};

use lithe_format::PageNo;
use lithe_sql::ast::{Conflict, Name};
use lithe_value::{Affinity, Value};
use lithe_vtab::Risk;
use lithe_vtab::VirtualId;

use super::{CollationName, ForeignKey, Index, IndexColumn, NameBuf, TableStatistics, TableTriggers};

/// A table, view or virtual table.
#[derive(Clone, Debug, Default)]
pub struct Table {
    /// Its name.
    pub name: NameBuf,
    /// What it is.
    pub kind: TableKind,
    /// The root page of its B-tree; none for views and virtual tables.
    pub root: Option<PageNo>,
    /// Its columns in the order of the CREATE statement. Empty for a view, whose select determines its columns.
    pub columns: Vec<Column>,
    /// The column that is another name of the rowid: INTEGER PRIMARY KEY.
    pub rowid_column: Option<u16>,
    /// The ON CONFLICT clause of the INTEGER PRIMARY KEY.
    pub rowid_conflict: Option<Conflict>,
    /// Rowids are never used again.
    pub autoincrement: bool,
    /// Values must have the declared type.
    pub strict: bool,
    /// Its indexes: the newest first, those that REPLACE last. A WITHOUT ROWID table's primary key is among them, and its
    /// root is the table's.
    pub indexes: Vec<Arc<Index>>,
    /// The triggers of its own database, the newest first: the order in which they fire.
    pub triggers: TableTriggers,
    /// CHECK constraints in the order in which they were written, those of columns first.
    pub checks: Vec<Check>,
    /// The foreign keys of which it is the child, the last written first.
    pub foreign_keys: Vec<ForeignKey>,
    /// The CREATE statement as the schema table has it.
    pub sql: Box<[u8]>,
    /// What ANALYZE found.
    pub statistics: Option<TableStatistics>,
    /// ANALYZE has taken samples since the schema was loaded, even if they are gone. Like SQLite, the planner trusts its estimates more.
    pub was_sampled: bool,
    /// Data that the code generator derived from the table.
    pub derived: Derived,
}

/// Data that a layer above derived from an object of the catalog, kept with the object because each statement would derive the same. The
/// data are no part of the object: a copy, which is made to be changed, begins without them.
#[derive(Default)]
pub struct Derived(OnceLock<Box<dyn Any + Send + Sync>>);

impl Derived {
    /// What the layer keeps with this object, empty at first.
    ///
    /// # Panics
    /// If this function was called with another type before: one layer keeps one type with one kind of object.
    pub fn get<T: Default + Send + Sync + 'static>(&self) -> &T {
        let kept = self.0.get_or_init(|| Box::new(T::default()));
        kept.downcast_ref().expect("one type is kept with one kind of object")
    }
}

impl Clone for Derived {
    fn clone(&self) -> Derived {
        Derived::default()
    }
}

impl fmt::Debug for Derived {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Derived")
    }
}

/// What a table is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum TableKind {
    /// Rows by rowid.
    #[default]
    Ordinary,
    /// Rows by primary key: the B-tree is that of the primary key's index.
    WithoutRowid,
    /// A view.
    View(View),
    /// A virtual table.
    Virtual(VirtualTable),
}

/// What a view adds to a table.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct View {
    /// The names that the view gives to its columns; empty if it lists none.
    pub columns: Vec<NameBuf>,
    /// The text of its select.
    pub select: Box<[u8]>,
}

/// What a virtual table adds to a table.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct VirtualTable {
    /// USING module.
    pub module: NameBuf,
    /// Its arguments as written.
    pub arguments: Vec<Box<[u8]>>,
    /// Whether it can be used as it is.
    pub state: VirtualState,
}

/// Whether a virtual table can be used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum VirtualState {
    /// Its module has not been called yet: its columns are not known.
    #[default]
    Unconnected,
    /// It is connected.
    Connected(ConnectedTable),
    /// A table-valued function of the engine, and where it may be used.
    Function(Risk),
}

/// The properties of a virtual table that is connected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ConnectedTable {
    /// Which of the connection's.
    pub id: VirtualId,
    /// Rows can be changed.
    pub is_writable: bool,
    /// For a WITHOUT ROWID virtual table, the position of the column that is the key of its rows.
    pub key: Option<u16>,
    /// Where it may be used.
    pub risk: Risk,
}

/// A column of a table.
#[derive(Clone, Debug, Default)]
pub struct Column {
    /// Its name.
    pub name: NameBuf,
    /// Its type as written (the six standard types in capitals); empty without one.
    pub declared_type: Box<[u8]>,
    /// The affinity of the type.
    pub affinity: Affinity,
    /// The collation by which its texts compare.
    pub collation: CollationName,
    /// NOT NULL, with its ON CONFLICT clause. Columns of a WITHOUT ROWID table's primary key are NOT NULL without
    /// saying so.
    pub not_null: Option<Conflict>,
    /// DEFAULT.
    pub default: Option<ColumnDefault>,
    /// GENERATED ALWAYS AS.
    pub generated: Option<Generated>,
    /// Not shown by `*` (virtual tables).
    pub hidden: bool,
    /// Its place in the primary key from 1; 0 if it is not part of it.
    pub primary_key: u16,
    /// Its place in the table's records; [`Column::NOT_STORED`] for virtual generated columns.
    pub stored_at: u16,
}

impl Column {
    /// "In no record."
    pub const NOT_STORED: u16 = u16::MAX;

    /// Whether records hold it.
    pub fn is_stored(&self) -> bool {
        self.stored_at != Column::NOT_STORED
    }

    /// Whether INSERT and UPDATE may give it a value.
    pub fn is_generated(&self) -> bool {
        self.generated.is_some()
    }
}

/// DEFAULT.
#[derive(Clone, Debug, PartialEq)]
pub struct ColumnDefault {
    /// The expression's text.
    pub text: Box<[u8]>,
    /// Its value under the column's affinity, if it is a literal (perhaps with a sign), so that the text need not be parsed
    /// again.
    pub value: Option<Value>,
    /// The value of rows from before ALTER TABLE ADD COLUMN, if the expression is one that SQLite knows without running it.
    pub old_rows: Option<Value>,
}

/// GENERATED ALWAYS AS.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Generated {
    /// The expression's text.
    pub text: Box<[u8]>,
    /// STORED; otherwise VIRTUAL.
    pub stored: bool,
}

/// CHECK.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Check {
    /// CONSTRAINT name.
    pub name: Option<NameBuf>,
    /// The condition's text: the message of a violation shows it if the constraint has no name.
    pub text: Box<[u8]>,
}

impl Table {
    /// The column of that name.
    pub fn column(&self, name: Name<'_>) -> Option<u16> {
        self.columns.iter().position(|column| column.name == name).map(|at| at as u16)
    }

    /// Whether it has rowids: neither WITHOUT ROWID nor a view.
    #[inline]
    pub fn has_rowid(&self) -> bool {
        match self.kind {
            TableKind::Ordinary => true,
            TableKind::Virtual(_) => self.connected().is_none_or(|connected| connected.key.is_none()),
            TableKind::WithoutRowid | TableKind::View(_) => false,
        }
    }

    /// The properties of a virtual table that is connected.
    pub fn connected(&self) -> Option<&ConnectedTable> {
        match &self.virtual_table()?.state {
            VirtualState::Connected(connected) => Some(connected),
            VirtualState::Unconnected | VirtualState::Function(_) => None,
        }
    }

    /// Whether it is WITHOUT ROWID.
    #[inline]
    pub fn is_without_rowid(&self) -> bool {
        self.kind == TableKind::WithoutRowid
    }

    /// The view, if it is one.
    #[inline]
    pub fn view(&self) -> Option<&View> {
        if let TableKind::View(view) = &self.kind { Some(view) } else { None }
    }

    /// The virtual table, if it is one.
    #[inline]
    pub fn virtual_table(&self) -> Option<&VirtualTable> {
        if let TableKind::Virtual(table) = &self.kind { Some(table) } else { None }
    }

    /// The primary key's index. A rowid table whose key is an INTEGER PRIMARY KEY, or that has none, has no such index.
    pub fn primary_key(&self) -> Option<&Arc<Index>> {
        self.indexes.iter().find(|index| index.origin == super::IndexOrigin::PrimaryKey)
    }

    /// The columns that identify a row of a WITHOUT ROWID table; of another table the rowid does.
    pub fn row_key(&self) -> Option<impl Iterator<Item = u16> + '_> {
        let key = self.primary_key().filter(|_| self.is_without_rowid())?;
        Some(key.key_columns().iter().filter_map(IndexColumn::table_column))
    }

    /// How many columns its records have (the rowid alias, stored as NULL, included).
    pub fn stored_columns(&self) -> usize {
        self.columns.iter().filter(|column| column.is_stored()).count()
    }

    /// The columns in the order of the table's records: for a WITHOUT ROWID table that of the primary key's index.
    pub fn record_columns(&self) -> impl Iterator<Item = u16> + '_ {
        let key = if self.is_without_rowid() { self.primary_key() } else { None };
        let of_index = key.into_iter().flat_map(|key| &key.columns).filter_map(IndexColumn::table_column);
        let of_table =
            self.columns.iter().enumerate().filter(|(_, column)| column.is_stored()).map(|(at, _)| at as u16);
        of_index.chain(of_table.filter(move |_| key.is_none()))
    }

    /// Sets the root page. The primary key of a WITHOUT ROWID table has the same one.
    pub fn set_root(&mut self, root: Option<PageNo>) {
        self.root = root;
        let is_without_rowid = self.is_without_rowid();
        let is_table = |index: &&mut Arc<Index>| is_without_rowid && index.origin == super::IndexOrigin::PrimaryKey;
        if let Some(key) = self.indexes.iter_mut().find(is_table) {
            Arc::make_mut(key).root = root;
        }
    }

    /// Whether any column is GENERATED.
    pub fn has_generated_columns(&self) -> bool {
        self.columns.iter().any(Column::is_generated)
    }

    /// Whether its name begins with "sqlite_": not for users to alter.
    pub fn is_system(&self) -> bool {
        is_system_name(self.name.name())
    }

    /// Numbers the columns' places in the records; called once when all columns and the primary key are known.
    pub(super) fn number_stored_columns(&mut self) {
        for column in &mut self.columns {
            column.stored_at = Column::NOT_STORED;
        }
        let virtual_column = |column: &Column| column.generated.as_ref().is_some_and(|generated| !generated.stored);
        let order: Vec<u16> = if self.is_without_rowid() {
            self.record_columns().collect()
        } else {
            (0..self.columns.len() as u16).filter(|&at| !virtual_column(&self.columns[usize::from(at)])).collect()
        };
        for (place, column) in order.into_iter().enumerate() {
            // A WITHOUT ROWID key may name a column twice (under two collations): the first place is the one to read.
            let column = &mut self.columns[usize::from(column)];
            if column.stored_at == Column::NOT_STORED {
                column.stored_at = place as u16;
            }
        }
    }
}

/// Whether a name begins with "sqlite_".
pub fn is_system_name(name: Name<'_>) -> bool {
    name.as_bytes().get(..7).is_some_and(|prefix| prefix.eq_ignore_ascii_case(b"sqlite_"))
}
