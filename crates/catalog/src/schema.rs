//! The objects of one database: the decoded rows of its schema table.

use std::sync::{Arc, OnceLock};

use hashbrown::HashMap;

use lithe_format::PageNo;
use lithe_format::db_header::TextEncoding;
use lithe_sql::ast::Name;
use lithe_value::Affinity;

use super::name::Key;
use super::persistent_map::PersistentMap;
use super::statistics::TableStatistics;
use super::{Column, Derived, ForeignKey, Index, NameBuf, Table, Trigger};

/// The objects of one database. Shared as an `Arc`, which is changed only by its single owner.
#[derive(Clone, Debug)]
pub struct Schema {
    /// The header's schema cookie when the schema was loaded.
    pub cookie: u32,
    /// The header's schema format: from 4 on, DESC counts in indexes.
    pub file_format: u32,
    /// The encoding of the texts in the file.
    pub encoding: TextEncoding,
    tables: PersistentMap<NameBuf, Numbered<Table>>,
    /// The table of each index.
    indexes: PersistentMap<NameBuf, (NameBuf, u64)>,
    triggers: PersistentMap<NameBuf, Numbered<Trigger>>,
    /// The number of the next object; numbers are in the order of creation.
    next_number: u64,
    references: References,
    /// Whether its schema table has a temporary trigger whose table was not there when the schema was read.
    pub(super) has_waiting_triggers: bool,
}

impl Schema {
    /// About how many bytes it takes.
    pub fn memory_used(&self) -> u64 {
        let of_table = |table: &Table| {
            let columns = table.columns.len() * size_of::<Column>();
            let indexes =
                table.indexes.iter().map(|index| size_of::<Index>() + index.columns.len() * size_of::<usize>() * 4);
            size_of::<Table>() + table.sql.len() + columns + indexes.sum::<usize>()
        };
        let tables: usize = self.tables.values().map(|table| of_table(&table.object)).sum();
        let triggers: usize =
            self.triggers.values().map(|trigger| size_of::<Trigger>() + trigger.object.sql.len()).sum();
        (tables + triggers) as u64
    }
}

/// An object with its number in the order of creation.
#[derive(Debug)]
struct Numbered<T> {
    number: u64,
    object: Arc<T>,
}

impl<T> Clone for Numbered<T> {
    fn clone(&self) -> Numbered<T> {
        Numbered { number: self.number, object: Arc::clone(&self.object) }
    }
}

/// A foreign key: its number among all, its child, and its place there.
type Reference = (u64, NameBuf, usize);

/// The foreign keys that name each table, found when they are first asked for. A copy of a schema, which is made to be changed, begins
/// without them.
#[derive(Default, Debug)]
struct References(OnceLock<HashMap<NameBuf, Vec<Reference>>>);

impl Clone for References {
    fn clone(&self) -> References {
        References::default()
    }
}

/// The schema table's name, and that of the temporary database's.
pub const SCHEMA_TABLE: &str = "sqlite_master";
/// See [`SCHEMA_TABLE`].
pub const TEMP_SCHEMA_TABLE: &str = "sqlite_temp_master";
/// The names that users may write for [`SCHEMA_TABLE`] and [`TEMP_SCHEMA_TABLE`].
pub const SCHEMA_TABLE_ALIAS: &str = "sqlite_schema";
/// See [`SCHEMA_TABLE_ALIAS`].
pub const TEMP_SCHEMA_TABLE_ALIAS: &str = "sqlite_temp_schema";
/// The table that keeps the largest rowid of AUTOINCREMENT tables.
pub const SEQUENCE_TABLE: &str = "sqlite_sequence";

impl Schema {
    /// A schema with nothing but its schema table.
    pub fn new(temporary: bool) -> Schema {
        let mut schema = Schema {
            cookie: 0,
            file_format: 0,
            encoding: TextEncoding::Utf8,
            tables: PersistentMap::new(),
            indexes: PersistentMap::new(),
            triggers: PersistentMap::new(),
            next_number: 0,
            references: References::default(),
            has_waiting_triggers: false,
        };
        schema.add_table(schema_table(temporary));
        schema
    }

    /// The table or view of that name.
    pub fn table(&self, name: Name<'_>) -> Option<&Arc<Table>> {
        self.tables.get(&Key(name)).map(|table| &table.object)
    }

    /// The index of that name.
    pub fn index(&self, name: Name<'_>) -> Option<&Arc<Index>> {
        self.indexed_table(name)?.indexes.iter().find(|index| index.name == name)
    }

    /// The table that the index of that name belongs to.
    pub fn indexed_table(&self, name: Name<'_>) -> Option<&Arc<Table>> {
        self.table(self.indexes.get(&Key(name))?.0.name())
    }

    /// The trigger of that name.
    pub fn trigger(&self, name: Name<'_>) -> Option<&Arc<Trigger>> {
        self.triggers.get(&Key(name)).map(|trigger| &trigger.object)
    }

    /// A number that no other trigger of this schema has or had: the trigger's identity while programs run.
    pub fn trigger_number(&self, name: Name<'_>) -> Option<u64> {
        self.triggers.get(&Key(name)).map(|trigger| trigger.number)
    }

    /// The table's number in the order of creation of all objects.
    pub fn table_number(&self, name: Name<'_>) -> Option<u64> {
        self.tables.get(&Key(name)).map(|table| table.number)
    }

    /// The index's number in the order of creation of all objects.
    pub fn index_number(&self, name: Name<'_>) -> Option<u64> {
        self.indexes.get(&Key(name)).map(|(_, number)| *number)
    }

    /// All tables and views in the order of their creation, the schema table first.
    pub fn tables(&self) -> Vec<&Arc<Table>> {
        in_order(self.tables.values())
    }

    /// The foreign keys that name a table, of the newest child first, each with its child, and with its number among all foreign
    /// keys in that order.
    pub fn references_to(&self, name: Name<'_>) -> impl Iterator<Item = (u64, &Arc<Table>, &ForeignKey)> {
        let found = self.references.0.get_or_init(|| self.find_references()).get(&Key(name));
        found.into_iter().flatten().filter_map(|(number, child, at)| {
            let child = self.table(child.name())?;
            Some((*number, child, child.foreign_keys.get(*at)?))
        })
    }

    fn find_references(&self) -> HashMap<NameBuf, Vec<Reference>> {
        let mut references: HashMap<NameBuf, Vec<Reference>> = HashMap::new();
        let mut number = 0;
        for child in self.tables().into_iter().rev() {
            for (at, key) in child.foreign_keys.iter().enumerate() {
                references.entry(key.parent.clone()).or_default().push((number, child.name.clone(), at));
                number += 1;
            }
        }
        references
    }

    /// All triggers in the order of their creation.
    pub fn triggers(&self) -> Vec<&Arc<Trigger>> {
        in_order(self.triggers.values())
    }

    /// Whether it has any trigger. Most temporary schemas have none, and then need not be searched.
    pub fn has_triggers(&self) -> bool {
        !self.triggers.is_empty()
    }

    /// Adds a table or view with the indexes that it brings. A table of the same name is replaced, and the new one
    /// keeps its triggers.
    pub fn add_table(&mut self, mut table: Table) {
        if let Some(old) = self.take_table(table.name.name()) {
            table.triggers.clone_from(&old.triggers);
        }
        self.references = References::default();
        let number = self.number();
        for index in &table.indexes {
            let number = self.number();
            self.indexes.insert(index.name.clone(), (table.name.clone(), number));
        }
        self.tables.insert(table.name.clone(), Numbered { number, object: Arc::new(table) });
    }

    /// Puts another description in the place of the one that a table has; nothing happens if there is no such table.
    pub fn replace_table(&mut self, table: Table) {
        self.references = References::default();
        if let Some(known) = self.tables.get_mut(&Key(table.name.name())) {
            known.object = Arc::new(table);
        }
    }

    /// Adds an index to its table, which must exist.
    pub fn add_index(&mut self, index: Index) {
        let Some(table) = self.table_mut(index.table.clone().name()) else { return };
        let name = (index.name.clone(), table.name.clone());
        insert_index(&mut table.indexes, Arc::new(index));
        let number = self.number();
        self.indexes.insert(name.0, (name.1, number));
    }

    /// Adds a trigger. One on a table of this schema is put before that table's other triggers.
    pub fn add_trigger(&mut self, trigger: Trigger) {
        let trigger = Arc::new(trigger);
        self.remove_trigger(trigger.name.name());
        if trigger.table_schema.is_none()
            && let Some(table) = self.table_mut(trigger.table.name())
        {
            table.triggers.put_first(Arc::clone(&trigger));
        }
        let number = self.number();
        self.triggers.insert(trigger.name.clone(), Numbered { number, object: trigger });
    }

    /// Forgets a table or view with its indexes and triggers.
    pub fn remove_table(&mut self, name: Name<'_>) -> Option<Arc<Table>> {
        let table = self.take_table(name)?;
        for trigger in table.triggers.iter() {
            self.triggers.remove(&Key(trigger.name.name()));
        }
        Some(table)
    }

    fn take_table(&mut self, name: Name<'_>) -> Option<Arc<Table>> {
        self.references = References::default();
        let table = self.tables.remove(&Key(name))?.object;
        for index in &table.indexes {
            self.indexes.remove(&Key(index.name.name()));
        }
        Some(table)
    }

    /// Forgets an index. Its table keeps the number of rows that ANALYZE has counted in it, until the schema is read again.
    pub fn remove_index(&mut self, name: Name<'_>) {
        if let Some((table, _)) = self.indexes.remove(&Key(name))
            && let Some(table) = self.table_mut(table.name())
        {
            let removed = table.indexes.iter().find(|index| index.name == name && index.filter.is_none());
            let counted = removed.and_then(|index| index.statistics.as_ref()).map(|index| index.rows);
            table.statistics = table.statistics.or(counted.map(|rows| TableStatistics { rows }));
            table.indexes.retain(|index| index.name != name);
        }
    }

    /// Forgets a trigger.
    pub fn remove_trigger(&mut self, name: Name<'_>) {
        if let Some(trigger) = self.triggers.remove(&Key(name))
            && let Some(table) = self.table_mut(trigger.object.table.name())
        {
            table.triggers.remove(name);
        }
    }

    /// The database of the trigger's table is gone: the trigger stays, with its name, on no table. (As in SQLite it counts as one of its own
    /// database, and fires for none of its tables.)
    pub(super) fn orphan_trigger(&mut self, name: Name<'_>) {
        if let Some(trigger) = self.triggers.get_mut(&Key(name)) {
            trigger.object = Arc::new(Trigger { table_schema: None, ..Trigger::clone(&trigger.object) });
        }
    }

    /// Forgets the triggers that are on no table, or on one of a database that there is not, as SQLite does when it reads the schema.
    pub(super) fn forget_orphans(&mut self, has_database: impl Fn(Name<'_>) -> bool) {
        let is_orphan = |trigger: &&Arc<Trigger>| match &trigger.table_schema {
            Some(schema) => !has_database(schema.name()),
            None => {
                let table = self.table(trigger.table.name());
                !table.is_some_and(|table| table.triggers.iter().any(|own| own.name == trigger.name))
            }
        };
        let orphans: Vec<NameBuf> = self.triggers().into_iter().filter(is_orphan).map(|t| t.name.clone()).collect();
        orphans.iter().for_each(|orphan| drop(self.triggers.remove(&Key(orphan.name()))));
    }

    /// The table, to be changed: copied first if a running statement still has it.
    pub fn table_mut(&mut self, name: Name<'_>) -> Option<&mut Table> {
        self.references = References::default();
        let table = Arc::make_mut(&mut self.tables.get_mut(&Key(name))?.object);
        table.derived = Derived::default();
        Some(table)
    }

    /// The index, to be changed.
    pub fn index_mut(&mut self, name: Name<'_>) -> Option<&mut Index> {
        let (table, _) = self.indexes.get(&Key(name))?.clone();
        let indexes = &mut self.table_mut(table.name())?.indexes;
        let index = Arc::make_mut(indexes.iter_mut().find(|index| index.name == name)?);
        index.derived = Derived::default();
        Some(index)
    }

    /// The B-tree whose root was page `from` has moved to page `to` (auto-vacuum).
    pub fn move_root(&mut self, from: PageNo, to: PageNo) {
        let names: Vec<NameBuf> = self.tables.keys().cloned().collect();
        let is_moved = |table: &Table| table.root == Some(from) || table.indexes.iter().any(|i| i.root == Some(from));
        for name in names {
            if self.table(name.name()).is_some_and(|table| is_moved(table))
                && let Some(table) = self.table_mut(name.name())
            {
                table.root = if table.root == Some(from) { Some(to) } else { table.root };
                for index in table.indexes.iter_mut().filter(|index| index.root == Some(from)) {
                    Arc::make_mut(index).root = Some(to);
                }
            }
        }
    }

    fn number(&mut self) -> u64 {
        self.next_number += 1;
        self.next_number
    }
}

/// Inserts an index in SQLite's order: the newest first, but indexes with ON CONFLICT REPLACE after all others.
pub(super) fn insert_index(indexes: &mut Vec<Arc<Index>>, index: Arc<Index>) {
    let replaces = |index: &Index| index.conflict() == Some(lithe_sql::ast::Conflict::Replace);
    let at = if replaces(&index) { indexes.iter().take_while(|index| !replaces(index)).count() } else { 0 };
    indexes.insert(at, index);
}

fn in_order<'a, T>(objects: impl Iterator<Item = &'a Numbered<T>>) -> Vec<&'a Arc<T>> {
    let mut objects: Vec<&Numbered<T>> = objects.collect();
    objects.sort_unstable_by_key(|object| object.number);
    objects.into_iter().map(|object| &object.object).collect()
}

/// The schema table itself. Its root is page 1, and it is in no row of itself.
fn schema_table(temporary: bool) -> Table {
    let column = |name: &str, declared_type: &str, affinity, stored_at| Column {
        name: name.into(),
        declared_type: declared_type.as_bytes().into(),
        affinity,
        stored_at,
        ..Column::default()
    };
    let name = if temporary { TEMP_SCHEMA_TABLE } else { SCHEMA_TABLE };
    let columns = "(\n  type text,\n  name text,\n  tbl_name text,\n  rootpage int,\n  sql text\n)";
    Table {
        name: name.into(),
        root: Some(PageNo::FIRST),
        columns: vec![
            column("type", "TEXT", Affinity::Text, 0),
            column("name", "TEXT", Affinity::Text, 1),
            column("tbl_name", "TEXT", Affinity::Text, 2),
            column("rootpage", "INT", Affinity::Integer, 3),
            column("sql", "TEXT", Affinity::Text, 4),
        ],
        sql: format!("CREATE TABLE {name}{columns}").into_bytes().into(),
        ..Table::default()
    }
}
