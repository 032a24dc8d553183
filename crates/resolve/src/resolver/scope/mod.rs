//! The names that are visible at a place in a statement.
//!
//! Scopes form a chain from the innermost query outwards. A scope has the sources of one FROM clause, the result
//! columns that can be named by their aliases, and the rules of the clause that is being resolved. Scopes live on the
//! stack of the resolver.

pub(super) mod with;

use std::cell::RefCell;

use lithe_base::Db;
use lithe_catalog::Table;
use lithe_sql::ast::{JoinKind, Name};

use crate::environment::Flags;
use crate::ir::{Aggregate, Column, Expr, OutputColumn, SourceId, WindowCall};
pub use with::WithScope;

/// One link of the chain.
pub struct Scope<'s, 'a> {
    /// The scope around it.
    pub parent: Option<&'s Scope<'s, 'a>>,
    /// The sources that can be seen.
    pub sources: &'s [ScopeSource<'a>],
    /// Result columns that can be named by their aliases.
    pub aliases: &'s [Alias<'a>],
    /// The tables of WITH.
    pub with: Option<&'s WithScope<'s, 'a>>,
    /// The text that the syntax tree was made from.
    pub text: &'a [u8],
    /// What may stand here.
    pub rules: Rules,
    /// The sources, aggregates and windows that the resolution of this query collects.
    pub found: &'s Found<'a>,
    /// Windows of the WINDOW clause.
    pub windows: &'a [lithe_sql::ast::WindowDef<'a>],
    /// Tables are searched in this database only, because the text is that of a view or trigger in it.
    pub fixed_db: Option<Db>,
    /// The view, trigger or common table whose text this is, for the authorizer.
    pub within: Option<Name<'a>>,
}

/// What the expressions of one query use, collected while they are resolved.
#[derive(Default)]
pub struct Found<'a> {
    /// Sources of enclosing queries that were used.
    pub outer: RefCell<Vec<SourceId>>,
    /// Aggregates that belong to the query.
    pub aggregates: RefCell<Vec<&'a Aggregate<'a>>>,
    /// Window functions of the query.
    pub windows: RefCell<Vec<&'a WindowCall<'a>>>,
}

/// A result column with an alias.
#[derive(Clone, Copy)]
pub struct Alias<'a> {
    /// The alias.
    pub name: Name<'a>,
    /// The column.
    pub expr: Expr<'a>,
}

/// A source in a scope.
#[derive(Clone, Copy)]
pub struct ScopeSource<'a> {
    /// Its number.
    pub id: SourceId,
    /// The name that qualifies its columns.
    pub name: Name<'a>,
    /// The name of its table or view, even if it has an alias.
    pub table_name: Name<'a>,
    /// The database, if the source is a table or view of one.
    pub db: Option<Db>,
    /// Its columns.
    pub columns: ScopeColumns<'a>,
    /// How it is joined.
    pub join: JoinKind,
    /// The columns of its USING clause (or those that NATURAL found).
    pub using: &'a [Name<'a>],
    /// Its columns are seen only by their qualified names: OLD, NEW, `excluded`.
    pub qualified_only: bool,
    /// OLD or NEW: its columns compare without the affinity that they have elsewhere.
    pub is_trigger_row: bool,
    /// The row that RETURNING shows.
    pub is_returned: bool,
}

/// The columns of a source in a scope.
#[derive(Clone, Copy)]
pub enum ScopeColumns<'a> {
    /// Those of a table.
    Table(&'a Table),
    /// Those of a query.
    Query(&'a [OutputColumn<'a>]),
    /// Those of a join in parentheses: each also by the name of its own source.
    Nested(&'a [OutputColumn<'a>], &'a [NestedName<'a>]),
}

/// What a column of a join in parentheses can be qualified by.
#[derive(Clone, Copy)]
pub struct NestedName<'a> {
    /// The database of its table.
    pub db: Option<Db>,
    /// Its source.
    pub table: Name<'a>,
    /// The column, whose name as a result may have been made unique.
    pub column: Name<'a>,
    /// Seen only when it is qualified: an operand of USING, a rowid.
    pub qualified_only: bool,
    /// What USING has made of two.
    pub is_merged: bool,
}

/// What may stand in the clause that is being resolved.
#[derive(Clone, Copy, Default)]
pub struct Rules {
    /// Aggregates of this query.
    pub aggregates: bool,
    /// Window functions.
    pub windows: bool,
    /// Inside the arguments of an aggregate.
    pub in_aggregate: bool,
    /// Aggregates may not stand here, but may elsewhere in the query: a misuse has another message.
    pub aggregates_elsewhere: bool,
    /// RAISE: within a trigger.
    pub raise: bool,
    /// A name in double quotes may be a string.
    pub no_strings_in_double_quotes: bool,
    /// No subqueries, no parameters, no functions that are not deterministic, as the clause says.
    pub stored: Option<Stored>,
    /// In WHERE, or an ON beside it.
    pub in_where: bool,
    /// In a view that stands in a query that is not in the WHERE of another.
    pub outside_where: bool,
    /// In DEFAULT: IS TRUE and IS FALSE compare with 1 and 0.
    pub in_default: bool,
    /// The expression is kept in the catalog: its functions were not looked up when the schema was loaded.
    pub is_loaded: bool,
}

impl Rules {
    /// Those of a statement, and of the queries of views and triggers: SQLITE_DBCONFIG_DQS_DML tells of names in double quotes.
    pub fn of_statements(flags: &Flags) -> Rules {
        Rules { no_strings_in_double_quotes: !flags.dqs_dml, ..Rules::default() }
    }
}

/// The clauses of the schema, which also hold for other connections and later times.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stored {
    /// CHECK
    Check,
    /// GENERATED ALWAYS AS
    Generated,
    /// An indexed expression
    Index,
    /// WHERE of a partial index
    PartialIndex,
    /// The body of a trigger or view, which may use only its own database.
    Body,
}

impl Stored {
    /// The clause, as "prohibited in ..." names it.
    pub fn clause(self) -> &'static str {
        match self {
            Stored::Check => "CHECK constraints",
            Stored::Generated => "generated columns",
            Stored::Index => "index expressions",
            Stored::PartialIndex => "partial index WHERE clauses",
            Stored::Body => "views and triggers",
        }
    }
}

impl Stored {
    /// The place of a function that may only be called as long as its result never changes, in SQLite's words.
    pub fn pure_place(self) -> Option<&'static str> {
        match self {
            Stored::Check => Some("a CHECK constraint"),
            Stored::Generated => Some("a generated column"),
            Stored::Index | Stored::PartialIndex => Some("an index"),
            Stored::Body => None,
        }
    }
}

impl<'s, 'a> Scope<'s, 'a> {
    /// The outermost scope of a statement: nothing to be seen.
    pub fn outermost(text: &'a [u8], found: &'s Found<'a>) -> Scope<'s, 'a> {
        Scope {
            parent: None,
            sources: &[],
            aliases: &[],
            with: None,
            text,
            rules: Rules::default(),
            found,
            windows: &[],
            fixed_db: None,
            within: None,
        }
    }

    /// The same scope for another clause.
    pub fn with_rules(&self, rules: Rules) -> Scope<'s, 'a> {
        Scope { rules, ..*self }
    }

    /// The same scope where aliases can be seen.
    pub fn with_aliases(&self, aliases: &'s [Alias<'a>]) -> Scope<'s, 'a> {
        Scope { aliases, ..*self }
    }

    /// The rules of a clause of a query in this scope, before the clause allows aggregates or windows.
    pub fn clause_rules(&self) -> Rules {
        Rules {
            aggregates: false,
            windows: false,
            in_aggregate: false,
            aggregates_elsewhere: false,
            in_where: false,
            ..self.rules
        }
    }

    /// Whether `source` is one of this scope's own.
    pub fn owns(&self, source: SourceId) -> bool {
        self.sources.iter().any(|own| own.id == source)
    }

    /// Records that this query uses `source`, unless the source is the query's own.
    pub fn note_use(&self, source: SourceId) {
        let mut outer = self.found.outer.borrow_mut();
        if !self.owns(source) && !outer.contains(&source) {
            outer.push(source);
        }
    }
}

impl<'a> Scope<'_, 'a> {
    /// The scope around the whole statement, if it has nothing but the rows of a trigger.
    pub fn statement(&self) -> Option<&Self> {
        let outermost = self.with_enclosing().last()?;
        outermost.is_statement().then_some(outermost)
    }

    fn is_statement(&self) -> bool {
        self.parent.is_none() && self.sources.iter().all(|source| source.is_trigger_row)
    }

    /// Whether SQLite answers IS NULL of a column here while it resolves names: the column is never NULL, and this is in the WHERE
    /// of a query, as are all queries that enclose this one.
    pub fn knows_null(&self, column: &Column<'a>) -> bool {
        self.is_in_where() && self.with_enclosing().any(|scope| scope.never_null_here(column))
    }

    /// Whether this is in the WHERE of a query, as are all queries that enclose this one.
    pub fn is_in_where(&self) -> bool {
        let is_in = |scope: &Self| (scope.is_statement() || scope.rules.in_where) && !scope.rules.outside_where;
        self.with_enclosing().all(is_in)
    }

    /// This scope and those around it, up to `last`.
    pub fn up_to(&self, last: &Self) -> impl Iterator<Item = &Self> {
        let mut is_behind = false;
        self.with_enclosing().take_while(move |scope| !std::mem::replace(&mut is_behind, std::ptr::eq(*scope, last)))
    }

    fn with_enclosing(&self) -> impl Iterator<Item = &Self> {
        std::iter::successors(Some(self), |scope| scope.parent)
    }

    /// Whether the column is one of this scope's, is declared NOT NULL, and is not made NULL by an outer join.
    fn never_null_here(&self, column: &Column<'a>) -> bool {
        let Some(table) = column.table else { return false };
        let Some(at) = self.sources.iter().position(|source| source.id == column.source) else { return false };
        let is_declared = column.index.position().is_none_or(|at| {
            let of = &table.columns[at];
            of.not_null.is_some() || table.is_without_rowid() && of.primary_key > 0
        });
        let source = &self.sources[at];
        let is_optional = matches!(source.join, JoinKind::Left | JoinKind::Full);
        let mut behind = self.sources[at + 1..].iter();
        let is_before_right = behind.any(|other| matches!(other.join, JoinKind::Right | JoinKind::Full));
        is_declared && !source.qualified_only && !is_optional && !is_before_right
    }
}

impl<'a> ScopeSource<'a> {
    /// Whether `x.column` may mean a column of this source. The rows that a change makes are in no database, though their table is.
    pub fn is_named(&self, db: Option<Db>, table: Name<'_>) -> bool {
        let is_in = |db| self.db == Some(db) && !self.qualified_only && !self.is_returned;
        self.name == table && db.is_none_or(is_in)
    }
}
