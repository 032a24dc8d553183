//! The name of a table → the table of the catalog.

use lithe_base::Db;
use lithe_catalog::{CompileError, FoundTable, Result, VirtualState, fail, no_such_table};
use lithe_sql::ast;
use lithe_vtab::Risk;

use super::Resolver;
use super::scope::Scope;

/// A table that was looked up, with the name and scope of the look-up.
#[derive(Clone, Copy)]
pub(super) struct LookedUp<'a> {
    fixed_db: Option<Db>,
    /// The words of the text that name it: the database, if it is named, and the table.
    words: [Word; 2],
    found: FoundTable<'a>,
}

/// A word of the text: its place, not its letters; none is (0, 0).
type Word = (usize, usize);

fn words_of(name: ast::QualifiedName<'_>) -> [Word; 2] {
    let word = |ident: ast::Ident<'_>| (ident.name.as_bytes().as_ptr().addr(), ident.name.as_bytes().len());
    [name.schema.map_or((0, 0), word), word(name.name)]
}

impl<'a> Resolver<'a> {
    /// The table of that name. In views and triggers of one database, only that database is searched.
    pub fn find_table(&self, scope: &Scope<'_, 'a>, name: ast::QualifiedName<'a>) -> Result<FoundTable<'a>> {
        let found = self.look_up_table(scope, name)?;
        self.check_connected(scope, found)?;
        if let Some(log) = &self.log {
            log.note_table(scope.text, name.name, found.table);
        }
        Ok(found)
    }

    /// Checks that a virtual table is connected, and that it is safe to use from the schema if the name stands there.
    pub(super) fn check_connected(&self, scope: &Scope<'_, 'a>, found: FoundTable<'a>) -> Result<()> {
        let Some(table) = found.table.virtual_table() else { return Ok(()) };
        let risk = match table.state {
            VirtualState::Unconnected => return Err(CompileError::unconnected(found.db, &found.table.name)),
            VirtualState::Connected(connected) if self.env.virtual_tables.get(connected.id.0).is_none() => {
                return Err(CompileError::unconnected(found.db, &found.table.name));
            }
            VirtualState::Connected(connected) => connected.risk,
            VirtualState::Function(risk) => risk,
        };
        let is_allowed = match risk {
            Risk::Innocuous => true,
            Risk::Normal => self.env.flags.trusted_schema,
            Risk::DirectOnly => false,
        };
        if scope.fixed_db.is_some() && !is_allowed && !self.is_looking.get() {
            return fail(format!("unsafe use of virtual table \"{}\"", found.table.name));
        }
        Ok(())
    }

    /// Several parts of a statement look up the table that one word of its text names, so the last result is kept.
    pub(super) fn look_up_table(&self, scope: &Scope<'_, 'a>, name: ast::QualifiedName<'a>) -> Result<FoundTable<'a>> {
        let (fixed_db, words) = (scope.fixed_db, words_of(name));
        if let Some(last) = self.last_table.get()
            && (last.fixed_db, last.words) == (fixed_db, words)
        {
            return Ok(last.found);
        }
        let found = self.look_up_table_anew(scope, name)?;
        self.last_table.set(Some(LookedUp { fixed_db, words, found }));
        Ok(found)
    }

    pub(super) fn look_up_table_anew(
        &self,
        scope: &Scope<'_, 'a>,
        name: ast::QualifiedName<'a>,
    ) -> Result<FoundTable<'a>> {
        let is_known = |found: &FoundTable<'_>| self.env.flags.may_use(found.table);
        let Some(db) = scope.fixed_db.filter(|_| name.schema.is_none()) else {
            let found = self.env.catalog.table(name.schema, name.name)?;
            return if is_known(&found) {
                Ok(found)
            } else {
                Err(no_such_table(name.schema.map(|schema| schema.name), name.name.name))
            };
        };
        let database = self.env.catalog.database_name(db).name();
        let found = self.env.catalog.find_table(Some(database), name.name.name).filter(is_known);
        found.ok_or_else(|| no_such_table(Some(database), name.name.name))
    }
}
