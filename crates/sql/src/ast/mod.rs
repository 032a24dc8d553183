//! The syntax tree: a statement as written, before its names are resolved.
//!
//! All nodes are allocated in one `bumpalo` arena and are plain `Copy` data: references and slices of the arena, no destructors,
//! no interior mutability. The tree represents the text and resolves nothing: `true` is a [`Column`](ExprKind::Column) until the
//! resolver finds no such column, `"x"` is a column that keeps its quotes, `ORDER BY 2` is an integer.
//!
//! Parentheses are not nodes: `(a)` is `a`, `(a, b)` is a [`RowValue`](ExprKind::RowValue).
//!
//! | file | nodes |
//! | --- | --- |
//! | `name` | spans, names, identifiers |
//! | `expr` | expressions, function calls, windows |
//! | `select` | SELECT, VALUES, FROM, WITH |
//! | `dml` | INSERT, UPDATE, DELETE, UPSERT, RETURNING |
//! | `create` | CREATE TABLE, INDEX, VIEW, TRIGGER, VIRTUAL TABLE |
//! | `command` | ALTER, DROP, PRAGMA, transactions, ATTACH, VACUUM, ... |
//! | `walk` | visiting all nodes of a tree |

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

/// One parsed statement, with the data of the statement as a whole.
#[derive(Clone, Copy, Debug)]
pub struct Statement<'a> {
    /// The statement itself.
    pub kind: StatementKind<'a>,
    /// The EXPLAIN or EXPLAIN QUERY PLAN prefix.
    pub explain: Explain,
    /// The parameters.
    pub parameters: Parameters<'a>,
    /// The number of SELECTs that have a number.
    pub select_count: u32,
    /// From the first byte of the first token (EXPLAIN, if any) to the last byte before the `;`.
    pub span: Span,
}

impl<'a> Statement<'a> {
    /// The statement if it is compiled to a program, and not one of the engine's commands.
    pub fn program(&self) -> Option<Stmt<'a>> {
        match self.kind {
            StatementKind::Program(stmt) => Some(stmt),
            StatementKind::Command(_) => None,
        }
    }
}

/// How a statement is run.
#[derive(Clone, Copy, Debug)]
pub enum StatementKind<'a> {
    /// The statement is compiled to a program.
    Program(Stmt<'a>),
    /// The engine runs the statement without a program.
    Command(Command<'a>),
}

/// The EXPLAIN prefix.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Explain {
    /// No prefix: the statement is run.
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
    /// The largest number in use: the result of `sqlite3_bind_parameter_count`.
    pub count: u32,
    /// The parameters with a name, in order of first appearance. `?5` is named "?5"; `?` has no name.
    pub names: &'a [ParameterName<'a>],
}

impl<'a> Parameters<'a> {
    /// The name of parameter `number` (from 1), prefix included: the result of `sqlite3_bind_parameter_name`.
    pub fn name(&self, number: u32) -> Option<&'a [u8]> {
        self.names.iter().find(|p| p.number == number).map(|p| p.name)
    }

    /// The number of the parameter of that name, prefix included. The case of letters matters.
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

/// A statement about the connection or a whole file, not about the content of a schema.
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
    /// ANALYZE; of all databases if there is no name.
    Analyze(Option<&'a QualifiedName<'a>>),
    /// REINDEX; of everything if there is no name.
    Reindex(Option<&'a QualifiedName<'a>>),
}
