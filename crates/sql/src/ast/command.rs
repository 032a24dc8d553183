//! ALTER, DROP, PRAGMA, transactions and the other short statements.

use super::{Check, ColumnDef, Conflict, Expr, Ident, QualifiedName, Span};

/// ALTER TABLE.
#[derive(Clone, Copy, Debug)]
pub struct AlterTable<'a> {
    /// The table.
    pub table: QualifiedName<'a>,
    /// What is altered.
    pub action: AlterAction<'a>,
}

/// What ALTER TABLE does.
#[derive(Clone, Copy, Debug)]
pub enum AlterAction<'a> {
    /// RENAME TO name
    RenameTable(Ident<'a>),
    /// RENAME \[COLUMN\] from TO to
    RenameColumn {
        /// The old name.
        from: Ident<'a>,
        /// The new name.
        to: Ident<'a>,
    },
    /// ADD \[COLUMN\] definition; the span of the definition is the text that is added to the schema.
    AddColumn(&'a ColumnDef<'a>),
    /// DROP \[COLUMN\] name
    DropColumn(Ident<'a>),
    /// ADD \[CONSTRAINT name\] CHECK (...)
    AddCheck {
        /// CONSTRAINT name.
        name: Option<Ident<'a>>,
        /// The constraint.
        check: Check<'a>,
        /// The text of the constraint, CONSTRAINT name included, which is added to the schema.
        span: Span,
    },
    /// DROP CONSTRAINT name
    DropConstraint(Ident<'a>),
    /// ALTER \[COLUMN\] name SET NOT NULL
    SetNotNull {
        /// The column.
        column: Ident<'a>,
        /// ON CONFLICT
        conflict: Option<Conflict>,
        /// From NOT to the last token: the text that is added to the schema.
        span: Span,
    },
    /// ALTER \[COLUMN\] name DROP NOT NULL
    DropNotNull(Ident<'a>),
}

/// DROP TABLE, INDEX, VIEW, TRIGGER.
#[derive(Clone, Copy, Debug)]
pub struct Drop<'a> {
    /// Which of the four.
    pub kind: ObjectKind,
    /// IF EXISTS.
    pub if_exists: bool,
    /// The object.
    pub name: QualifiedName<'a>,
}

/// What can be dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ObjectKind {
    /// TABLE
    Table,
    /// INDEX
    Index,
    /// VIEW
    View,
    /// TRIGGER
    Trigger,
}

/// `PRAGMA name`, `PRAGMA name = value`, `PRAGMA name(value)`.
#[derive(Clone, Copy, Debug)]
pub struct Pragma<'a> {
    /// The pragma, with a schema if one is written.
    pub name: QualifiedName<'a>,
    /// The value: a name, keyword, string or signed number, as one text, unquoted.
    pub value: Option<&'a [u8]>,
    /// Whether the value is written in quotes.
    pub is_quoted: bool,
}

/// The kinds of BEGIN.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TransactionKind {
    /// DEFERRED, or no keyword.
    Deferred,
    /// IMMEDIATE
    Immediate,
    /// EXCLUSIVE
    Exclusive,
    /// CONCURRENT: concurrent write transactions in WAL mode.
    Concurrent,
}

/// `ATTACH [DATABASE] file AS schema [KEY key]`.
#[derive(Clone, Copy, Debug)]
pub struct Attach<'a> {
    /// The file; a bare name is its own text.
    pub file: Expr<'a>,
    /// The schema; a bare name is its own text.
    pub schema: Expr<'a>,
    /// KEY, which is evaluated and otherwise ignored.
    pub key: Option<Expr<'a>>,
}

/// `VACUUM [schema] [INTO file]`.
#[derive(Clone, Copy, Debug)]
pub struct Vacuum<'a> {
    /// The schema.
    pub schema: Option<Ident<'a>>,
    /// INTO.
    pub into: Option<Expr<'a>>,
}
