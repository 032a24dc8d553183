//! CREATE TABLE, INDEX, VIEW, TRIGGER, VIRTUAL TABLE.
//!
//! The schema table keeps the text of these statements, and the text of their parts: nodes that
//! SQLite prints again (CHECK, DEFAULT, generated columns, view and trigger) carry the span of it.

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
    /// From the name (without a schema) to the closing parenthesis, or with table options to the next token:
    /// the schema table gets "CREATE TABLE " and this text.
    pub text: Span,
}

/// What stands after the name of a new table.
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
    /// The closing parenthesis: ALTER TABLE ADD COLUMN writes before it.
    pub close: Span,
}

/// A column of a new table.
#[derive(Clone, Copy, Debug)]
pub struct ColumnDef<'a> {
    /// Its name.
    pub name: Ident<'a>,
    /// Its type as written, without GENERATED ALWAYS; empty without one.
    pub type_name: &'a [u8],
    /// Its constraints in order.
    pub constraints: &'a [ColumnConstraint<'a>],
    /// From its name to its last token.
    pub span: Span,
}

/// A constraint of a column.
#[derive(Clone, Copy, Debug)]
pub struct ColumnConstraint<'a> {
    /// CONSTRAINT name; a name without a constraint behind it counts for nothing.
    pub name: Option<Ident<'a>>,
    /// What it says.
    pub kind: ColumnConstraintKind<'a>,
    /// Its text, CONSTRAINT name included.
    pub span: Span,
}

/// What a column constraint says.
#[derive(Clone, Copy, Debug)]
pub enum ColumnConstraintKind<'a> {
    /// NULL: nothing.
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
    /// DEFAULT; the span is the text that the schema keeps, without parentheses around it.
    Default(Expr<'a>, Span),
    /// COLLATE
    Collate(Ident<'a>),
    /// REFERENCES
    References(&'a ForeignKeyTarget<'a>),
    /// \[NOT\] DEFERRABLE: says whether the last foreign key of the table so far is deferred, and nothing
    /// if there is none. (DEFERRABLE alone is not deferred.)
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
    /// The text between the parentheses, comments included: a violation names it when the constraint has no name.
    pub text: Span,
    /// ON CONFLICT (accepted on a table's CHECK; it has no effect).
    pub conflict: Option<Conflict>,
}

/// A constraint of a table.
#[derive(Clone, Copy, Debug)]
pub struct TableConstraint<'a> {
    /// CONSTRAINT name.
    pub name: Option<Ident<'a>>,
    /// What it says.
    pub kind: TableConstraintKind<'a>,
    /// Its text, CONSTRAINT name included.
    pub span: Span,
}

/// What a table constraint says.
#[derive(Clone, Copy, Debug)]
pub enum TableConstraintKind<'a> {
    /// PRIMARY KEY
    PrimaryKey {
        /// The columns; SQLite's grammar takes expressions and refuses them later.
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
        /// The parent and what happens.
        target: &'a ForeignKeyTarget<'a>,
    },
}

/// `REFERENCES table [(columns)] actions`.
#[derive(Clone, Copy, Debug)]
pub struct ForeignKeyTarget<'a> {
    /// The parent table.
    pub table: Ident<'a>,
    /// Its columns; empty if not listed.
    pub columns: &'a [Ident<'a>],
    /// ON DELETE
    pub on_delete: ForeignKeyAction,
    /// ON UPDATE
    pub on_update: ForeignKeyAction,
    /// DEFERRABLE INITIALLY DEFERRED.
    pub deferred: bool,
}

/// What happens to the children.
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
    /// From the name (without a schema) to the next token, space before that included: the schema table gets
    /// "CREATE INDEX " or "CREATE UNIQUE INDEX " and this text.
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
    /// Its columns; empty if not listed.
    pub columns: &'a [Ident<'a>],
    /// What it shows.
    pub select: &'a Select<'a>,
    /// From the name (without a schema) to the next token, without the space before that: the schema table
    /// gets "CREATE VIEW " and this text.
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
    /// The statements: INSERT, UPDATE, DELETE, SELECT.
    pub body: &'a [TriggerStep<'a>],
    /// From the name (without a schema) to END: the schema table gets "CREATE TRIGGER " and this text.
    pub text: Span,
}

/// When a trigger runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TriggerTime {
    /// BEFORE, or nothing written
    Before,
    /// AFTER
    After,
    /// INSTEAD OF
    InsteadOf,
}

/// What makes a trigger run.
#[derive(Clone, Copy, Debug)]
pub enum TriggerEvent<'a> {
    /// DELETE
    Delete,
    /// INSERT
    Insert,
    /// UPDATE \[OF columns\]; no columns means any.
    Update(&'a [Ident<'a>]),
}

/// A statement of a trigger.
#[derive(Clone, Copy, Debug)]
pub struct TriggerStep<'a> {
    /// Select, Insert, Update or Delete.
    pub stmt: Stmt<'a>,
    /// Its text, without the semicolon.
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
    /// From the name (without a schema) to the last token: the schema table gets "CREATE VIRTUAL TABLE " and this
    /// text.
    pub text: Span,
}
