//! The syntax tree: a statement as it is written, before its names are resolved.
//!
//! All nodes live in one `bumpalo` arena and are plain `Copy` data: references and slices of the
//! arena, no destructors, no interior mutability. The tree keeps what the text said and resolves
//! nothing: `true` is a [`Column`](ExprKind::Column) until the resolver finds no such column, `"x"` is
//! a column that remembers its quotes, `ORDER BY 2` is an integer.
//!
//! Parentheses leave no node: `(a)` is `a`, `(a, b)` is a [`RowValue`](ExprKind::RowValue).
//!
//! | file | nodes |
//! | --- | --- |
//! | `name` | spans, names, identifiers |
//! | `expr` | expressions, function calls, windows |
//! | `select` | SELECT, VALUES, FROM, WITH |
//! | `dml` | INSERT, UPDATE, DELETE, UPSERT, RETURNING |
//! | `create` | CREATE TABLE, INDEX, VIEW, TRIGGER, VIRTUAL TABLE |
//! | `command` | ALTER, DROP, PRAGMA, transactions, ATTACH, VACUUM, ... |
//! | `walk` | visiting everything in a tree |

mod command;
mod create;
mod dml;
mod expr;
mod name;
mod select;
mod walk;

pub use command::*;
pub use create::*;
pub use dml::*;
pub use expr::*;
pub use name::*;
pub use select::*;
pub use walk::*;

/// One parsed statement with everything that belongs to it as a whole.
#[derive(Clone, Copy, Debug)]
pub struct Statement<'a> {
    /// What the statement does.
    pub kind: StatementKind<'a>,
    /// Whether EXPLAIN or EXPLAIN QUERY PLAN stands before it.
    pub explain: Explain,
    /// Its parameters.
    pub parameters: Parameters<'a>,
    /// How many SELECTs have a number.
    pub select_count: u32,
    /// From the first byte of the first token (EXPLAIN, if any) to the last byte before the `;`.
    pub span: Span,
}

impl<'a> Statement<'a> {
    /// The statement as one that is compiled to a program, if it is none of the engine's commands.
    pub fn program(&self) -> Option<Stmt<'a>> {
        match self.kind {
            StatementKind::Program(stmt) => Some(stmt),
            StatementKind::Command(_) => None,
        }
    }
}

/// Who runs a statement.
#[derive(Clone, Copy, Debug)]
pub enum StatementKind<'a> {
    /// It is compiled to a program.
    Program(Stmt<'a>),
    /// The engine runs it itself.
    Command(Command<'a>),
}

/// The EXPLAIN prefix.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Explain {
    /// None: run it.
    #[default]
    No,
    /// `EXPLAIN`: list the program.
    Program,
    /// `EXPLAIN QUERY PLAN`: list the plan.
    QueryPlan,
}

/// The parameters of a statement.
#[derive(Clone, Copy, Debug, Default)]
pub struct Parameters<'a> {
    /// The largest number in use: what `sqlite3_bind_parameter_count` answers.
    pub count: u32,
    /// The ones that have a name, in order of first appearance. `?5` is named "?5"; `?` has no name.
    pub names: &'a [ParameterName<'a>],
}

impl<'a> Parameters<'a> {
    /// The name of parameter `number` (from 1), prefix included, as `sqlite3_bind_parameter_name` says.
    pub fn name(&self, number: u32) -> Option<&'a [u8]> {
        self.names.iter().find(|p| p.number == number).map(|p| p.name)
    }

    /// The number of the parameter of that name, prefix included; names differ by case.
    pub fn number(&self, name: &[u8]) -> Option<u32> {
        self.names.iter().find(|p| p.name == name).map(|p| p.number)
    }
}

/// A named parameter and its number.
#[derive(Clone, Copy, Debug)]
pub struct ParameterName<'a> {
    /// The name as written, with its `?`, `:`, `@` or `$`.
    pub name: &'a [u8],
    /// The number, from 1.
    pub number: u32,
}

/// A statement that is about the connection or a whole file, and not about what is in a schema.
#[derive(Clone, Copy, Debug)]
pub enum Command<'a> {
    /// PRAGMA.
    Pragma(&'a Pragma<'a>),
    /// BEGIN.
    Begin(TransactionKind),
    /// COMMIT or END.
    Commit,
    /// ROLLBACK of the whole transaction.
    Rollback,
    /// SAVEPOINT name.
    Savepoint(&'a Ident<'a>),
    /// RELEASE \[SAVEPOINT\] name.
    Release(&'a Ident<'a>),
    /// ROLLBACK TO \[SAVEPOINT\] name.
    RollbackTo(&'a Ident<'a>),
    /// ATTACH.
    Attach(&'a Attach<'a>),
    /// DETACH; the schema is an expression.
    Detach(&'a Expr<'a>),
    /// VACUUM.
    Vacuum(&'a Vacuum<'a>),
}

/// A statement that is compiled to a program.
#[derive(Clone, Copy, Debug)]
pub enum Stmt<'a> {
    /// SELECT or VALUES.
    Select(&'a Select<'a>),
    /// INSERT or REPLACE.
    Insert(&'a Insert<'a>),
    /// UPDATE.
    Update(&'a Update<'a>),
    /// DELETE.
    Delete(&'a Delete<'a>),
    /// CREATE TABLE.
    CreateTable(&'a CreateTable<'a>),
    /// CREATE INDEX.
    CreateIndex(&'a CreateIndex<'a>),
    /// CREATE VIEW.
    CreateView(&'a CreateView<'a>),
    /// CREATE TRIGGER.
    CreateTrigger(&'a CreateTrigger<'a>),
    /// CREATE VIRTUAL TABLE.
    CreateVirtualTable(&'a CreateVirtualTable<'a>),
    /// ALTER TABLE.
    AlterTable(&'a AlterTable<'a>),
    /// DROP TABLE, INDEX, VIEW or TRIGGER.
    Drop(&'a Drop<'a>),
    /// ANALYZE, of everything when no name is given.
    Analyze(Option<&'a QualifiedName<'a>>),
    /// REINDEX, of everything when no name is given.
    Reindex(Option<&'a QualifiedName<'a>>),
}
