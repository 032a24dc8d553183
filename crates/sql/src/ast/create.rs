//! CREATE TABLE, INDEX, VIEW, TRIGGER, VIRTUAL TABLE.
//!
//! The schema table keeps the text of these statements and of some of their parts. Nodes whose text SQLite prints (CHECK,
//! DEFAULT, generated columns, views and triggers) carry the span of that text.

use super::{Conflict, Expr, Ident, OrderTerm, QualifiedName, Select, Span, Stmt};

/// CREATE TABLE.
#[derive(Clone, Copy, Debug)]
pub struct CreateTable<'a> {
    /// TEMP.
    pub temporary: bool,
    /// IF NOT EXISTS.
    pub if_not_exists: bool,
    /// The table.
    pub name: QualifiedName<'a>,
    /// Columns, or AS select.
    pub body: TableBody<'a>,
    /// From the name (without a schema) to the closing parenthesis, or with table options to the next token: the schema table
    /// stores "CREATE TABLE " and this text.
    pub text: Span,
}

/// The part of CREATE TABLE after the name.
#[derive(Clone, Copy, Debug)]
pub enum TableBody<'a> {
    /// ( columns, constraints ) options
    Columns(&'a TableColumns<'a>),
    /// AS select
    Select(&'a Select<'a>),
}

/// `( columns, constraints ) options`.
#[derive(Clone, Copy, Debug)]
pub struct TableColumns<'a> {
    /// The columns.
    pub columns: &'a [ColumnDef<'a>],
    /// The constraints after the columns.
    pub constraints: &'a [TableConstraint<'a>],
    /// WITHOUT ROWID.
    pub without_rowid: bool,
    /// STRICT.
    pub strict: bool,
    /// The closing parenthesis: ALTER TABLE ADD COLUMN inserts its text before this parenthesis.
    pub close: Span,
}

/// A column of a new table.
#[derive(Clone, Copy, Debug)]
pub struct ColumnDef<'a> {
    /// The name.
    pub name: Ident<'a>,
    /// The type as written, without GENERATED ALWAYS; empty if there is no type.
    pub type_name: &'a [u8],
    /// The constraints in order.
    pub constraints: &'a [ColumnConstraint<'a>],
    /// From the name to the last token of the column.
    pub span: Span,
}

/// A constraint of a column.
#[derive(Clone, Copy, Debug)]
pub struct ColumnConstraint<'a> {
    /// CONSTRAINT name. A name that is not followed by a constraint is ignored.
    pub name: Option<Ident<'a>>,
    /// The constraint itself.
    pub kind: ColumnConstraintKind<'a>,
    /// The text of the constraint, CONSTRAINT name included.
    pub span: Span,
}

/// The kinds of column constraints.
#[derive(Clone, Copy, Debug)]
pub enum ColumnConstraintKind<'a> {
    /// NULL: no effect.
    Null(Option<Conflict>),
    /// NOT NULL
    NotNull(Option<Conflict>),
    /// PRIMARY KEY
    PrimaryKey {
        /// ASC or DESC, if written.
        direction: Option<super::Direction>,
        /// ON CONFLICT
        conflict: Option<Conflict>,
        /// AUTOINCREMENT
        autoincrement: bool,
    },
    /// UNIQUE
    Unique(Option<Conflict>),
    /// CHECK
    Check(Check<'a>),
    /// DEFAULT; the span is the text that the schema keeps, without the parentheses around it.
    Default(Expr<'a>, Span),
    /// COLLATE
    Collate(Ident<'a>),
    /// REFERENCES
    References(&'a ForeignKeyTarget<'a>),
    /// \[NOT\] DEFERRABLE: sets whether the last foreign key of the table so far is deferred; ignored if there is none.
    /// (DEFERRABLE alone does not defer the key.)
    Deferrable {
        /// INITIALLY DEFERRED
        deferred: bool,
    },
    /// GENERATED ALWAYS AS
    Generated {
        /// The value.
        value: Expr<'a>,
        /// The text between the parentheses.
        text: Span,
        /// STORED; otherwise VIRTUAL.
        stored: bool,
    },
}

/// CHECK ( condition ).
#[derive(Clone, Copy, Debug)]
pub struct Check<'a> {
    /// The condition.
    pub condition: Expr<'a>,
    /// The text between the parentheses, comments included: the error message of a violation shows this text if the constraint
    /// has no name.
    pub text: Span,
    /// ON CONFLICT (accepted in a table's CHECK, but without effect).
    pub conflict: Option<Conflict>,
}

impl ColumnDef<'_> {
    /// Where its constraints begin; its end, if it has none.
    pub fn constraints_start(&self) -> u32 {
        self.constraints.first().map_or(self.span.end, |first| first.span.start)
    }
}

/// A constraint of a table.
#[derive(Clone, Copy, Debug)]
pub struct TableConstraint<'a> {
    /// CONSTRAINT name.
    pub name: Option<Ident<'a>>,
    /// The constraint itself.
    pub kind: TableConstraintKind<'a>,
    /// The text of the constraint, CONSTRAINT name included.
    pub span: Span,
}

/// The kinds of table constraints.
#[derive(Clone, Copy, Debug)]
pub enum TableConstraintKind<'a> {
    /// PRIMARY KEY
    PrimaryKey {
        /// The columns. SQLite's grammar accepts expressions, which are refused later.
        columns: &'a [OrderTerm<'a>],
        /// AUTOINCREMENT
        autoincrement: bool,
        /// ON CONFLICT
        conflict: Option<Conflict>,
    },
    /// UNIQUE
    Unique {
        /// The columns.
        columns: &'a [OrderTerm<'a>],
        /// ON CONFLICT
        conflict: Option<Conflict>,
    },
    /// CHECK
    Check(Check<'a>),
    /// FOREIGN KEY
    ForeignKey {
        /// The child's columns.
        columns: &'a [Ident<'a>],
        /// The parent table and the actions.
        target: &'a ForeignKeyTarget<'a>,
    },
}

/// `REFERENCES table [(columns)] actions`.
#[derive(Clone, Copy, Debug)]
pub struct ForeignKeyTarget<'a> {
    /// The parent table.
    pub table: Ident<'a>,
    /// The columns of the parent table; empty if not listed.
    pub columns: &'a [Ident<'a>],
    /// ON DELETE
    pub on_delete: ForeignKeyAction,
    /// ON UPDATE
    pub on_update: ForeignKeyAction,
    /// DEFERRABLE INITIALLY DEFERRED.
    pub deferred: bool,
}

/// The action on the child rows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ForeignKeyAction {
    /// NO ACTION
    #[default]
    NoAction,
    /// RESTRICT
    Restrict,
    /// SET NULL
    SetNull,
    /// SET DEFAULT
    SetDefault,
    /// CASCADE
    Cascade,
}

/// CREATE INDEX.
#[derive(Clone, Copy, Debug)]
pub struct CreateIndex<'a> {
    /// UNIQUE.
    pub unique: bool,
    /// IF NOT EXISTS.
    pub if_not_exists: bool,
    /// The index.
    pub name: QualifiedName<'a>,
    /// The table, in the index's schema.
    pub table: Ident<'a>,
    /// The indexed columns and expressions.
    pub columns: &'a [OrderTerm<'a>],
    /// WHERE of a partial index.
    pub filter: Option<Expr<'a>>,
    /// From the name (without a schema) to the next token, the space before that token included: the schema table stores "CREATE
    /// INDEX " or "CREATE UNIQUE INDEX " and this text.
    pub text: Span,
}

/// CREATE VIEW.
#[derive(Clone, Copy, Debug)]
pub struct CreateView<'a> {
    /// TEMP.
    pub temporary: bool,
    /// IF NOT EXISTS.
    pub if_not_exists: bool,
    /// The view.
    pub name: QualifiedName<'a>,
    /// The columns; empty if not listed.
    pub columns: &'a [Ident<'a>],
    /// The query.
    pub select: &'a Select<'a>,
    /// From the name (without a schema) to the next token, without the space before that token: the schema table stores "CREATE
    /// VIEW " and this text.
    pub text: Span,
}

/// CREATE TRIGGER.
#[derive(Clone, Copy, Debug)]
pub struct CreateTrigger<'a> {
    /// TEMP.
    pub temporary: bool,
    /// IF NOT EXISTS.
    pub if_not_exists: bool,
    /// The trigger.
    pub name: QualifiedName<'a>,
    /// BEFORE, AFTER, INSTEAD OF.
    pub time: TriggerTime,
    /// INSERT, DELETE, UPDATE.
    pub event: TriggerEvent<'a>,
    /// The table or view.
    pub table: QualifiedName<'a>,
    /// WHEN.
    pub when: Option<Expr<'a>>,
    /// BEGIN.
    pub begin: Span,
    /// The statements: INSERT, UPDATE, DELETE, SELECT.
    pub body: &'a [TriggerStep<'a>],
    /// From the name (without a schema) to END: the schema table stores "CREATE TRIGGER " and this text.
    pub text: Span,
}

/// When a trigger runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TriggerTime {
    /// BEFORE, or no keyword.
    Before,
    /// AFTER
    After,
    /// INSTEAD OF
    InsteadOf,
}

/// The event that fires a trigger.
#[derive(Clone, Copy, Debug)]
pub enum TriggerEvent<'a> {
    /// DELETE
    Delete,
    /// INSERT
    Insert,
    /// UPDATE \[OF columns\]; an empty list means any column.
    Update(&'a [Ident<'a>]),
}

/// A statement of a trigger.
#[derive(Clone, Copy, Debug)]
pub struct TriggerStep<'a> {
    /// Select, Insert, Update or Delete.
    pub stmt: Stmt<'a>,
    /// The text of the statement, without the semicolon.
    pub span: Span,
}

/// CREATE VIRTUAL TABLE.
#[derive(Clone, Copy, Debug)]
pub struct CreateVirtualTable<'a> {
    /// IF NOT EXISTS.
    pub if_not_exists: bool,
    /// The table.
    pub name: QualifiedName<'a>,
    /// USING module.
    pub module: Ident<'a>,
    /// The text of each argument as written, trimmed.
    pub args: &'a [&'a [u8]],
    /// From the name (without a schema) to the last token: the schema table stores "CREATE VIRTUAL TABLE " and this text.
    pub text: Span,
}
