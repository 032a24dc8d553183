//! A column's name → the column.
//!
//! A name is looked up in the innermost scope first. There, all sources are asked; two answers are ambiguous unless
//! USING made them one column. Then come the rowid under its three names, then the aliases of result columns, then
//! the enclosing scope. What is found nowhere may be TRUE, FALSE, or a string in double quotes.

use lithe_base::Db;
use lithe_catalog::{CompileError, Result, Table};
use lithe_sql::ast::{Ident, JoinKind, Name, QualifiedColumn, Quote, Span};
use lithe_value::Affinity;

use super::scope::{Alias, NestedName, Scope, ScopeColumns, ScopeSource, Stored};
use super::{Resolver, function};
use crate::authorize::Action;
use crate::ir::{Coll, Column, ColumnIndex, Expr, OutputColumn, SourceId, any};

/// A name as it was written.
#[derive(Clone, Copy)]
pub(super) struct Wanted<'a> {
    schema: Option<Ident<'a>>,
    table: Option<Ident<'a>>,
    column: Ident<'a>,
    /// Where it stands, for messages.
    span: Span,
}

impl<'a> From<Ident<'a>> for Wanted<'a> {
    fn from(column: Ident<'a>) -> Wanted<'a> {
        Wanted { schema: None, table: None, column, span: column.span() }
    }
}

impl<'a> From<&QualifiedColumn<'a>> for Wanted<'a> {
    fn from(name: &QualifiedColumn<'a>) -> Wanted<'a> {
        let first = name.schema.unwrap_or(name.table);
        Wanted { schema: name.schema, table: Some(name.table), column: name.column, span: first.span() }
    }
}

impl<'a> Wanted<'a> {
    /// A name that stands nowhere in the text: a star's.
    pub fn bare(name: Name<'a>) -> Wanted<'a> {
        Ident::new(name, Span::default(), Quote::Other).into()
    }

    /// The name as messages show it.
    fn display(&self) -> String {
        let mut text = String::new();
        for qualifier in [self.schema, self.table].into_iter().flatten() {
            text += &qualifier.name.to_str_lossy();
            text.push('.');
        }
        text + &self.column.name.to_str_lossy()
    }
}

/// What one scope says to a name.
enum Answer<'a> {
    Unknown,
    Found(Expr<'a>),
    Ambiguous,
}

impl<'a> Resolver<'a> {
    /// The column of that name, seen from `scope`.
    pub(super) fn column(&self, scope: &Scope<'_, 'a>, wanted: Wanted<'a>) -> Result<Expr<'a>> {
        let mut at = Some(scope);
        while let Some(here) = at {
            match self.column_here(here, wanted)? {
                Answer::Found(expr) => {
                    if !std::ptr::eq(here, scope) && has_window(&expr) {
                        let name = wanted.column.name;
                        return Err(CompileError::new(format!("misuse of aliased window function {name}")));
                    }
                    note_sources(scope, &expr);
                    self.note_names(scope, wanted, &expr);
                    return self.may_read(scope, here.sources, expr);
                }
                Answer::Ambiguous => {
                    return Err(CompileError::at(wanted.span, format!("ambiguous column name: {}", wanted.display())));
                }
                Answer::Unknown => at = here.parent,
            }
        }
        self.no_column(scope, wanted)
    }

    /// The column, if the authorizer allows it to be read; NULL if it says so.
    pub(super) fn may_read(
        &self,
        scope: &Scope<'_, 'a>,
        sources: &[ScopeSource<'a>],
        expr: Expr<'a>,
    ) -> Result<Expr<'a>> {
        let (Expr::Column(column), Some(_)) = (expr, &self.env.authorizer.0) else { return Ok(expr) };
        // What stands in the definition of a table or index was asked about when it was created.
        if scope.rules.is_loaded {
            return Ok(expr);
        }
        let Some(source) = sources.iter().find(|source| source.id == column.source) else { return Ok(expr) };
        // The row that could not be inserted is read from nowhere.
        if source.qualified_only && !source.is_trigger_row {
            return Ok(expr);
        }
        let position = column.index.position();
        let (table, name, db) = match source.columns {
            ScopeColumns::Table(table) => {
                if position.is_some() {
                    self.read_sources.borrow_mut().push(source.id);
                }
                let named = position.or(table.rowid_column.map(usize::from)).map(|at| table.columns[at].name.name());
                let db = source.db.or_else(|| Some(self.env.catalog.find_table(None, table.name.name())?.db));
                (table.name.name(), named.unwrap_or(Name::new(b"ROWID")), db)
            }
            // Only views are queries of a database.
            ScopeColumns::Query(columns) => match position {
                Some(at) if source.db.is_some() => (source.table_name, columns[at].name, source.db),
                _ => return Ok(expr),
            },
            ScopeColumns::Nested(..) => return Ok(expr),
        };
        let is_allowed = self.env.ask_read(table, name, db.unwrap_or(Db::MAIN), scope.within)?;
        Ok(if is_allowed { expr } else { Expr::Null })
    }

    /// A table of which no column is read is read all the same.
    pub(super) fn may_use_tables(&self, scope: &Scope<'_, 'a>, sources: &[ScopeSource<'a>]) -> Result<()> {
        if self.env.authorizer.0.is_none() {
            return Ok(());
        }
        for source in sources {
            if let ScopeColumns::Table(table) = source.columns
                && !self.read_sources.borrow().contains(&source.id)
            {
                let nothing = Some(Name::new(b""));
                self.env.ask(Action::Read, Some(table.name.name()), nothing, None, scope.within)?;
            }
        }
        Ok(())
    }

    /// Keeps the log of names, where there is one.
    fn note_names(&self, scope: &Scope<'_, 'a>, wanted: Wanted<'a>, expr: &Expr<'a>) {
        let (Some(log), Expr::Column(column)) = (&self.log, expr) else { return };
        let Some(table) = column.table else { return };
        let position = column.index.position().map(|at| at as u16).or(table.rowid_column);
        if let Some(at) = position {
            log.note_column(scope.text, wanted.column, table, at);
        }
        if let Some(qualifier) = wanted.table {
            log.note_qualifier(scope.text, qualifier, column.source, table);
        }
    }

    fn column_here(&self, scope: &Scope<'_, 'a>, mut wanted: Wanted<'a>) -> Result<Answer<'a>> {
        // A constraint is about its own table, whatever database the name says.
        if matches!(scope.rules.stored, Some(Stored::Check | Stored::PartialIndex)) {
            wanted.schema = None;
        }
        // Where the rowid may not be named, its name in double quotes is a string.
        let has_rowid = !matches!(scope.rules.stored, Some(Stored::Generated | Stored::Index));
        let answer = self.column_of_sources(scope.sources, wanted, has_rowid);
        if wanted.table.is_some() || !matches!(answer, Answer::Unknown) {
            return Ok(answer);
        }
        match scope.aliases.iter().find(|alias| alias.name == wanted.column.name) {
            Some(alias) => self.aliased(scope, alias).map(Answer::Found),
            None => Ok(Answer::Unknown),
        }
    }

    /// The column of that name among `sources`.
    fn column_of_sources(&self, sources: &[ScopeSource<'a>], wanted: Wanted<'a>, has_rowid: bool) -> Answer<'a> {
        let db = match wanted.schema {
            None => None,
            Some(schema) => match self.env.catalog.find_database(schema.name) {
                Some(db) => Some(db),
                None => return Answer::Unknown,
            },
        };
        let mut matches = bumpalo::collections::Vec::new_in(self.arena);
        for source in sources {
            let Some(found) = self.column_of_source(source, db, wanted) else { continue };
            let is_using = source.using.contains(&wanted.column.name);
            match source.join {
                JoinKind::Full if is_using && !matches.is_empty() => matches.push(found),
                JoinKind::Right if is_using && !matches.is_empty() => {
                    matches.clear();
                    matches.push(found);
                }
                _ if is_using && !matches.is_empty() => {}
                _ if matches.is_empty() => matches.push(found),
                _ => return Answer::Ambiguous,
            }
        }
        match matches[..] {
            [] if has_rowid => self.rowid_of_sources(sources, db, wanted),
            [] => Answer::Unknown,
            [one] => Answer::Found(one),
            _ => Answer::Found(self.coalesce(&matches)),
        }
    }

    fn column_of_source(&self, source: &ScopeSource<'a>, db: Option<Db>, wanted: Wanted<'a>) -> Option<Expr<'a>> {
        let name = wanted.column.name;
        if let ScopeColumns::Nested(columns, names) = source.columns {
            return self.column_of_nested(source, columns, names, db, wanted);
        }
        match wanted.table {
            Some(table) if !source.is_named(db, table.name) => return None,
            None if source.qualified_only => return None,
            _ => {}
        }
        let found = match source.columns {
            ScopeColumns::Table(table) => self.table_column(source.id, table, table.column(name)?),
            ScopeColumns::Query(columns) => {
                let position = columns.iter().position(|column| column.name == name)?;
                self.query_column(source.id, columns, position)
            }
            ScopeColumns::Nested(..) => return None,
        };
        Some(match source.qualified_only {
            false => found,
            true if source.is_trigger_row => self.of_trigger_row(found),
            true => self.of_excluded(found),
        })
    }

    /// A column of `excluded` has neither an affinity nor a collation.
    fn of_excluded(&self, expr: Expr<'a>) -> Expr<'a> {
        match expr {
            Expr::Column(column) => {
                self.source_column(Column { affinity: None, collation: Coll::Binary, is_excluded: true, ..*column })
            }
            expr => expr,
        }
    }

    /// A column of OLD or NEW has no affinity in comparisons; a rowid keeps its own.
    fn of_trigger_row(&self, expr: Expr<'a>) -> Expr<'a> {
        match expr {
            Expr::Column(column) if !column.index.is_rowid() => {
                self.source_column(Column { affinity: None, ..*column })
            }
            expr => expr,
        }
    }

    fn column_of_nested(
        &self,
        source: &ScopeSource<'a>,
        columns: &'a [OutputColumn<'a>],
        names: &'a [NestedName<'a>],
        db: Option<Db>,
        wanted: Wanted<'a>,
    ) -> Option<Expr<'a>> {
        let by_alias = wanted.table.is_some_and(|table| source.is_named(db, table.name));
        let is_meant = |position: &usize| {
            let origin = &names[*position];
            let is_rowid = columns[*position].hidden && is_rowid_name(wanted.column.name);
            (origin.column == wanted.column.name || is_rowid)
                && match wanted.table {
                    None => !origin.qualified_only,
                    Some(_) if by_alias => !origin.qualified_only,
                    Some(table) => origin.table == table.name && (db.is_none() || origin.db == db),
                }
        };
        let position = (0..columns.len()).find(is_meant)?;
        Some(self.query_column(source.id, columns, position))
    }

    /// The rowid, when the name is one of its names and no column has it.
    fn rowid_of_sources(&self, sources: &[ScopeSource<'a>], db: Option<Db>, wanted: Wanted<'a>) -> Answer<'a> {
        if !is_rowid_name(wanted.column.name) {
            return Answer::Unknown;
        }
        let has_rowid = |source: &&ScopeSource<'a>| match (wanted.table, source.columns) {
            (Some(table), _) if !source.is_named(db, table.name) => false,
            (None, _) if source.qualified_only => false,
            (_, ScopeColumns::Table(table)) => table.has_rowid(),
            _ => false,
        };
        let mut found = sources.iter().filter(has_rowid);
        match (found.next(), found.next()) {
            (Some(source), None) => match source.columns {
                ScopeColumns::Table(table) => {
                    let rowid = self.rowid(source.id, table);
                    let is_excluded = source.qualified_only && !source.is_trigger_row;
                    Answer::Found(if is_excluded { self.of_excluded(rowid) } else { rowid })
                }
                ScopeColumns::Query(_) | ScopeColumns::Nested(..) => Answer::Unknown,
            },
            (None, _) => Answer::Unknown,
            (Some(_), Some(_)) => Answer::Ambiguous,
        }
    }

    /// A result column by its alias.
    fn aliased(&self, scope: &Scope<'_, 'a>, alias: &Alias<'a>) -> Result<Expr<'a>> {
        let owns_aggregate = any(&alias.expr, &mut |expr| matches!(expr, Expr::Aggregate(_)));
        if owns_aggregate && !scope.rules.aggregates {
            if scope.rules.in_aggregate {
                return Err(CompileError::new(format!("misuse of aliased aggregate {}", alias.name)));
            }
            return Err(function::misuse_of_aggregate_in(&alias.expr));
        }
        if has_window(&alias.expr) && !scope.rules.windows {
            return Err(CompileError::new(format!("misuse of aliased window function {}", alias.name)));
        }
        if matches!(alias.expr, Expr::Row(_)) {
            return Err(CompileError::new("row value misused"));
        }
        Ok(alias.expr)
    }

    /// Column `position` of a table that is a source.
    pub fn table_column(&self, source: SourceId, table: &'a Table, position: u16) -> Expr<'a> {
        if table.rowid_column == Some(position) {
            return self.rowid(source, table);
        }
        let column = &table.columns[usize::from(position)];
        self.source_column(Column {
            source,
            index: ColumnIndex::new(usize::from(position)),
            affinity: Some(column.affinity),
            collation: Coll::of(&column.collation),
            is_excluded: false,
            table: Some(table),
        })
    }

    /// The rowid of a table that is a source.
    pub fn rowid(&self, source: SourceId, table: &'a Table) -> Expr<'a> {
        let index = ColumnIndex::ROWID;
        let affinity = Some(Affinity::Integer);
        self.source_column(Column {
            source,
            index,
            affinity,
            collation: Coll::Binary,
            is_excluded: false,
            table: Some(table),
        })
    }

    /// Column `position` of a query that is a source.
    pub fn query_column(&self, source: SourceId, columns: &[OutputColumn<'a>], position: usize) -> Expr<'a> {
        let OutputColumn { affinity, collation, .. } = columns[position];
        self.source_column(Column {
            source,
            index: ColumnIndex::new(position),
            affinity,
            collation,
            is_excluded: false,
            table: None,
        })
    }

    fn source_column(&self, column: Column<'a>) -> Expr<'a> {
        Expr::Column(self.arena.alloc(column))
    }

    /// What a name that is no column is.
    fn no_column(&self, scope: &Scope<'_, 'a>, wanted: Wanted<'a>) -> Result<Expr<'a>> {
        let Wanted { column, table: None, .. } = wanted else {
            return Err(CompileError::at(wanted.span, format!("no such column: {}", wanted.display())));
        };
        match column.quote() {
            Quote::Double if !scope.rules.no_strings_in_double_quotes => {
                if let Some(log) = &self.log {
                    log.note_string(scope.text, column);
                }
                self.quoted_strings.borrow_mut().push(column.name.as_bytes());
                Ok(Expr::Text(column.name.as_bytes()))
            }
            Quote::Double => Err(CompileError::at(
                wanted.span,
                format!("no such column: \"{}\" - should this be a string literal in single-quotes?", column.name),
            )),
            Quote::None if column.name.is("true") => Ok(Expr::Boolean(true)),
            Quote::None if column.name.is("false") => Ok(Expr::Boolean(false)),
            _ => Err(CompileError::at(wanted.span, format!("no such column: {}", column.name))),
        }
    }
}

/// Tells every query between `scope` and the one that owns a source that the source is used.
pub(super) fn note_sources<'a>(scope: &Scope<'_, 'a>, expr: &Expr<'a>) {
    crate::ir::for_each_source(expr, &mut |source| scope.note_use(source));
}

/// Whether it is one of the names that every rowid has.
pub fn is_rowid_name(name: Name<'_>) -> bool {
    name.is("rowid") || name.is("oid") || name.is("_rowid_")
}

fn has_window(expr: &Expr<'_>) -> bool {
    any(expr, &mut |expr| matches!(expr, Expr::Window(_)))
}
