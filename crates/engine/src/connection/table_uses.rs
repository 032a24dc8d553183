//! The tables that a program reads and writes, for the locks on tables in shared caches.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use lithe_catalog::{Catalog, Schema, Table};
use lithe_format::PageNo;
use lithe_vm::insn::Insn;
use lithe_vm::operand::Db;
use lithe_vm::program::Program;

use crate::shared_cache::{SCHEMA, TableUse};

/// The tables of the program that ran last, cached because a connection mostly runs the same program again.
#[derive(Default)]
pub(crate) struct TableUses(RefCell<Option<Known>>);

struct Known {
    program: Arc<Program>,
    generation: u64,
    tables: Rc<[TableUse]>,
}

impl TableUses {
    /// The tables that a program reads and writes, by database, each beginning with the schema table. The program was
    /// compiled against `catalog`, at this generation.
    pub(crate) fn of(&self, program: &Arc<Program>, catalog: &Catalog, generation: u64) -> Rc<[TableUse]> {
        if let Some(known) = &*self.0.borrow()
            && Arc::ptr_eq(&known.program, program)
            && known.generation == generation
        {
            return Rc::clone(&known.tables);
        }
        let mut trees = Vec::new();
        collect_uses(program, &mut trees);
        trees.sort_by_key(|tree| tree.db.0);
        let mut tables = Vec::new();
        for trees in trees.chunk_by(|a, b| a.db == b.db) {
            let db = trees[0].db;
            tables.push(TableUse { db, table: SCHEMA.into(), writes: false });
            tables.extend(trees.iter().map(|tree| TableUse {
                db,
                table: table_of(catalog.schema(db), tree.root).into(),
                writes: tree.writes,
            }));
        }
        let tables: Rc<[TableUse]> = tables.into();
        let program = Arc::clone(program);
        let _old = self.0.replace(Some(Known { program, generation, tables: Rc::clone(&tables) }));
        tables
    }
}

/// A tree that a program reads or writes.
struct TreeUse {
    db: Db,
    root: PageNo,
    writes: bool,
}

fn collect_uses(program: &Program, uses: &mut Vec<TreeUse>) {
    for insn in program.insns.iter() {
        let (cursor, writes) = match insn {
            Insn::OpenRead { cursor } => (*cursor, false),
            Insn::OpenWrite { cursor } | Insn::OpenWriteAt { cursor, .. } | Insn::ClearTree { cursor, .. } => {
                (*cursor, true)
            }
            _ => continue,
        };
        let info = program.cursor(cursor);
        uses.extend(info.root.map(|root| TreeUse { db: info.db, root, writes }));
    }
    program.subprograms.iter().for_each(|sub| collect_uses(&sub.program, uses));
}

/// The name of the table that a tree belongs to.
fn table_of(schema: &Schema, root: PageNo) -> String {
    let is_it =
        |table: &&Arc<Table>| table.root == Some(root) || table.indexes.iter().any(|index| index.root == Some(root));
    match schema.tables().into_iter().find(is_it) {
        Some(table) if root != PageNo::FIRST => String::from_utf8_lossy(table.name.as_bytes()).into_owned(),
        _ => SCHEMA.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::connection::Connection;
    use crate::connection::statement::Body;
    use crate::open::OpenFlags;

    #[test]
    fn a_program_uses_the_schema_and_its_tables() {
        let connection = Connection::open(b":memory:", OpenFlags::DEFAULT).unwrap();
        let prepare = |sql: &str| connection.prepare(sql.as_bytes()).unwrap().statement.unwrap();
        for sql in ["CREATE TABLE t(a UNIQUE)", "CREATE TABLE u(a)", "CREATE TEMP TABLE v(a)"] {
            prepare(sql).step(&connection).unwrap();
        }
        let statement = prepare("INSERT INTO t SELECT u.a FROM u, v");
        let Body::Program(program) = &statement.compiled.body else { panic!("an INSERT has a program") };
        let (uses, catalog) = (TableUses::default(), connection.catalog());
        let tables = uses.of(program, &catalog, 1);
        let mut shown: Vec<_> = tables.iter().map(|used| (used.db.0, &*used.table, used.writes)).collect();
        assert!(shown.is_sorted_by_key(|(db, ..)| *db), "as they are locked");
        assert_eq!((shown[0], shown.iter().find(|(db, ..)| *db == 1)), ((0, SCHEMA, false), Some(&(1, SCHEMA, false))));
        shown.sort_unstable();
        shown.dedup();
        let expected = [(0, SCHEMA, false), (0, "t", true), (0, "u", false), (1, SCHEMA, false), (1, "v", false)];
        assert_eq!(shown, expected, "an index is its table");
        assert!(Rc::ptr_eq(&uses.of(program, &catalog, 1), &tables), "known from before");
        assert!(!Rc::ptr_eq(&uses.of(program, &catalog, 2), &tables), "of another generation");
    }
}
