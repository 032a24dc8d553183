//! From text to a statement: program cache, parser, compiler.

use std::sync::Arc;

use bumpalo::Bump;
use lithe_catalog::{CompileError, ErrorKind};
use lithe_codegen::CompileRequest;
use lithe_resolve::environment::Environment;
use lithe_sql::ast::{self, Explain, StatementKind, Stmt};
use lithe_sql::{Lexer, TokenKind};
use lithe_value::Value;
use lithe_vfs::ResultCode;
use lithe_vm::operand::Db;
use lithe_vm::program::{CursorKind, Program, QuotedStrings};
use lithe_vm::vm::Vm;

use crate::command::{self, EngineCommand};
use crate::connection::Connection;
use crate::connection::program_cache::{Lookup, Now};
use crate::connection::statement::{Body, Compiled, ParameterNames, Runner, SqlText, Statement};
use crate::error::{Error, Result};
use crate::planner_calls::PlannerCalls;
use crate::settings::config::Config;
use crate::settings::limit::Limit;
use crate::shared_cache::locked;
use crate::shared_program;
use crate::statement_text;

/// A compiled statement and the offset behind it.
pub struct Prepared {
    /// The statement; `None` if there is only white space, comments or a lone semicolon.
    pub statement: Option<Statement>,
    /// The offset of the first byte behind the statement.
    pub tail: usize,
}

/// What is known of a statement beyond its text.
#[derive(Clone, Copy)]
struct Known<'k> {
    /// The values of the parameters; none if they are not known.
    values: &'k [Value],
    /// Names, in lower case, of the collations that the application was asked for and has not defined.
    missing_collations: &'k [String],
}

impl Known<'_> {
    /// The environment of the connection, with what is known of the statement.
    fn environment(self, connection: &Connection) -> Environment {
        let mut environment = connection.environment();
        if !self.values.is_empty() {
            environment.parameters = self.values.to_vec();
        }
        if !self.missing_collations.is_empty() {
            environment.missing_collations = self.missing_collations.to_vec();
        }
        environment
    }
}

impl Connection {
    /// Compiles the first statement of `sql`.
    pub fn prepare(&self, sql: &[u8]) -> Result<Prepared> {
        self.check_may_compile(sql)?;
        if self.hooks.has_authorizer() || self.is_privileged() {
            // The authorizer is called for each compilation, and a statement that a method runs may do what others may
            // not: no cached program can be used.
            return self.prepare_anew(sql);
        }
        let hash = self.programs.hash(sql);
        if let Some((compiled, idle)) = self.programs.take(Lookup::Text, sql, hash, self.now()) {
            return Ok(Prepared { statement: Some(self.statement_of(compiled, idle)), tail: sql.len() });
        }
        if let Some((statement, tail)) = shared_program::of_template(self, sql) {
            return Ok(Prepared { statement: Some(statement), tail });
        }
        let bare = shared_program::bare(self, sql);
        if let Some(bare) = bare
            && let Some(statement) = shared_program::of_bare_text(self, sql, bare)
        {
            return Ok(Prepared { statement: Some(statement), tail: bare.tail });
        }
        let (compiled, tail) = self.compile(sql, None)?;
        let Some(mut compiled) = compiled else { return Ok(Prepared { statement: None, tail }) };
        let may_be_kept = bare.is_none() && tail == sql.len() && compiled.is_cacheable();
        if may_be_kept && self.programs.comes_again(Lookup::Text, hash) {
            Compiled::new_one(&mut compiled).hash = hash;
            self.programs.put(Lookup::Text, sql, &compiled, self.now());
        }
        Ok(Prepared { statement: Some(self.statement_of(compiled, None)), tail })
    }

    /// The state by which the program cache tells what is current.
    pub(crate) fn now(&self) -> Now {
        Now { generation: self.generation.number(), changes: self.total_changes() }
    }

    /// As [`Connection::prepare`], as if the connection had no virtual tables.
    pub fn prepare_without_virtual_tables(&self, sql: &[u8]) -> Result<Prepared> {
        self.check_may_compile(sql)?;
        self.settings.without_virtual_tables(|| self.prepare_anew(sql))
    }

    /// Compiles the statement without looking for a cached program, and does not cache its program.
    fn prepare_anew(&self, sql: &[u8]) -> Result<Prepared> {
        let (compiled, tail) = self.compile(sql, None)?;
        let statement = compiled.map(|compiled| self.statement_of(compiled, None));
        Ok(Prepared { statement, tail })
    }

    /// Fails in a state in which nothing can be compiled.
    fn check_may_compile(&self, sql: &[u8]) -> Result<()> {
        self.compile_memory.check_room(0)?;
        if self.check_interrupts().is_err() {
            let check = |arena: &Bump| statement_text::compile_interrupted(sql, &self.settings.limits(), arena);
            self.compile_memory.with_arena(check)?;
        }
        self.check_schema_locks()
    }

    /// Fails after an interruption until all running statements have stopped.
    pub(crate) fn check_interrupts(&self) -> Result<()> {
        if self.interrupts.is_set() {
            if self.transaction.has_active() {
                return Err(Error::interrupted());
            }
            self.interrupts.clear();
        }
        Ok(())
    }

    /// Fails while another connection of a shared cache changes the schema, because nothing can be compiled then.
    fn check_schema_locks(&self) -> Result<()> {
        if !self.databases.shares_cache() {
            return Ok(());
        }
        match self.databases.locked_schema() {
            None => Ok(()),
            Some(db) => {
                let name = self.catalog().database_name(db).clone();
                let name = String::from_utf8_lossy(name.as_bytes()).into_owned();
                Err(locked(&format!("database schema is locked: {name}")))
            }
        }
    }

    /// Where to continue after a statement that could not be compiled: behind the statement, if it was read to its end; else
    /// behind the unexpected token, or the token that follows what is wrong.
    pub fn tail_after_error(&self, sql: &[u8], error: &Error) -> usize {
        let parse = |arena: &Bump| {
            let parsed = lithe_sql::parse_statement(sql, arena, &self.settings.limits());
            parsed.map_or_else(|error| error.tail as usize, |parsed| parsed.tail)
        };
        let tail = error.tail().map(|tail| tail as usize);
        tail.unwrap_or_else(|| self.compile_memory.with_arena(parse)).min(sql.len())
    }

    /// Takes a statement that is no longer used, so that its machine can run another one. The caller resets a statement on a row first,
    /// if it has to report whether the statement's changes could be committed.
    pub fn put_back(&self, mut statement: Statement) {
        let _ = statement.reset(self);
        if self.transaction.is_broken() {
            return;
        }
        statement.clear_machine();
        // Taken apart here: a call would copy the statement.
        let Statement { compiled, runner: Runner::Program(vm), .. } = statement else { return };
        if let Some(program) = self.programs.put_back(compiled, vm) {
            self.compile_memory.builder.reuse(program);
        }
    }

    /// A statement with this program, run by `idle`, or by any spare machine.
    pub(crate) fn statement_of(&self, compiled: Arc<Compiled>, idle: Option<Box<Vm>>) -> Statement {
        let idle = idle.or_else(|| {
            let Body::Program(program) = &compiled.body else { return None };
            let mut vm = self.programs.take_spare()?;
            vm.load(Arc::clone(program));
            Some(vm)
        });
        Statement::new(compiled, idle)
    }

    /// Compiles the first statement of `sql` without the cache. `explain` says whether as an EXPLAIN; `None`: as the
    /// text says.
    pub(crate) fn compile(&self, sql: &[u8], explain: Option<Explain>) -> Result<(Option<Arc<Compiled>>, usize)> {
        self.compile_for(sql, explain, &[])
    }

    /// As [`Connection::compile`], for these values of the parameters; none if they are not known.
    pub(crate) fn compile_for(
        &self,
        sql: &[u8],
        explain: Option<Explain>,
        values: &[Value],
    ) -> Result<(Option<Arc<Compiled>>, usize)> {
        self.check_memory()?;
        self.with_collations(|missing_collations| {
            let known = Known { values, missing_collations };
            self.compile_memory.with_arena(|arena| self.compile_in(sql, explain, known, arena))
        })
    }

    /// Compiles; if a collation is missing, calls the application to define it, and compiles again. If the application does not define it,
    /// its name is passed to `compile`, and queries leave out the indexes that need it, as in SQLite.
    pub(crate) fn with_collations<T>(&self, compile: impl Fn(&[String]) -> Result<T>) -> Result<T> {
        let mut asked: Vec<String> = Vec::new();
        let mut missing: Vec<String> = Vec::new();
        loop {
            let compiled = compile(&missing);
            let Some(name) = compiled.as_ref().err().and_then(Error::missing_collation) else { return compiled };
            if asked.iter().any(|known| known == name) {
                return compiled;
            }
            // The application is called once for each name.
            asked.push(name.to_owned());
            if !self.define_missing_collation(name) {
                missing.push(name.to_ascii_lowercase());
            }
        }
    }

    fn compile_in(
        &self,
        sql: &[u8],
        explain: Option<Explain>,
        known: Known<'_>,
        arena: &Bump,
    ) -> Result<(Option<Arc<Compiled>>, usize)> {
        let parsed = lithe_sql::parse_statement(sql, arena, &self.settings.limits());
        let parsed = parsed.map_err(|error| self.error_before(error, sql, arena))?;
        let tail = parsed.tail;
        assert!(tail <= sql.len(), "a statement ends behind its text");
        self.check_lengths_in(&sql[..tail])?;
        let Some(mut statement) = parsed.statement else { return Ok((None, tail)) };
        statement.explain = explain.unwrap_or(statement.explain);
        self.compile_memory.check_room(statement_text::len_of_names(&statement.kind, &sql[..tail]))?;
        let (body, uses) = self.compile_statement(sql, &statement, known, arena)?;
        let compiled = Arc::new(Compiled {
            sql: SqlText::new(&sql[..tail])?,
            hash: 0,
            body,
            parameter_count: statement.parameters.count as usize,
            is_template: false,
            no_virtual_tables: self.settings.flags().no_virtual_tables,
            parameters: ParameterNames::default(),
            quoted_strings: uses.quoted_strings,
            planned_parameters: uses.planned_parameters,
            explain: statement.explain,
            stamp: self.generation.stamp(),
        });
        Ok((Some(compiled), tail))
    }

    /// The error to report for a syntax error: SQLite checks CREATE and ALTER while it reads them, and reports what is wrong
    /// before the syntax error instead.
    #[cold]
    fn error_before(&self, error: lithe_sql::ParseError, sql: &[u8], arena: &Bump) -> Error {
        let beginning = lithe_sql::parse_beginning(sql, arena, &self.settings.limits());
        let Some(beginning) = beginning else { return error.into() };
        let Err(earlier) = self.check_beginning(beginning.stmt, sql, arena) else { return error.into() };
        let is_end_unexpected = error.offset.is_none() && error.tail as usize == sql.len();
        let is_before = |tail: u32| tail < error.tail || is_end_unexpected && tail == error.tail;
        match earlier.tail() {
            Some(tail) if is_before(tail) => earlier,
            None if beginning.is_whole => earlier.read_to(Some(error.tail)),
            _ => error.into(),
        }
    }

    /// Compiles a statement that is known in part.
    fn check_beginning(&self, stmt: Stmt<'_>, sql: &[u8], arena: &Bump) -> Result<()> {
        self.check_named_database(&stmt, sql)?;
        self.load_schemas()?;
        let explain = Explain::No;
        let request =
            CompileRequest { stmt, sql, explain, parameter_count: 0, select_count: 0, builders: None, evaluator: None };
        lithe_codegen::compile(&request, arena, &self.environment())?;
        Ok(())
    }

    /// Fails if a name or literal of the statement exceeds the length limit of values.
    fn check_lengths_in(&self, sql: &[u8]) -> Result<()> {
        let length_max = self.state.length_max.get() as usize;
        if sql.len() <= length_max {
            return Ok(());
        }
        let mut lexer = Lexer::new(sql);
        loop {
            let token = lexer.next_token();
            let len = (token.span.end - token.span.start) as usize;
            let bytes = match token.kind {
                TokenKind::EndOfText => return Ok(()),
                // As in SQLite, the limit does not apply to BLOB literals.
                TokenKind::Comment | TokenKind::Blob => 0,
                TokenKind::String => len.saturating_sub(2),
                _ => len,
            };
            if bytes > length_max {
                return Err(Error::from_code(ResultCode::TOOBIG));
            }
        }
    }

    /// Compiles a statement.
    fn compile_statement(
        &self,
        sql: &[u8],
        statement: &ast::Statement<'_>,
        known: Known<'_>,
        arena: &Bump,
    ) -> Result<(Body, Uses)> {
        let stmt = match statement.kind {
            StatementKind::Command(command) => {
                let compiled = command::compile(self, sql, statement, &command, arena)?;
                let compiled = match statement.explain {
                    Explain::No => compiled,
                    Explain::Program | Explain::QueryPlan => compiled.nothing_to_explain(statement.explain),
                };
                return Ok((Body::Command(compiled), Uses::default()));
            }
            StatementKind::Program(stmt) => stmt,
        };
        self.check_named_database(&stmt, sql)?;
        self.load_schemas_for(&stmt)?;
        if statement.explain == Explain::No && self.creates_temporary(&stmt) {
            self.databases.btree(Db::TEMP)?;
        }
        if self.settings.flags().writable_schema {
            self.definitions.may_have_written_schema.set(true);
        }
        let evaluator = PlannerCalls(self);
        let request = CompileRequest {
            stmt,
            sql,
            explain: statement.explain,
            parameter_count: statement.parameters.count,
            select_count: statement.select_count,
            builders: Some(&self.compile_memory.builder),
            evaluator: Some(&evaluator),
        };
        let compile = || self.compile_program(&request, known, arena);
        let forget_stale = || self.databases.forget_stale_schemas(&self.catalog(), self.transaction.user_count());
        let program = match compile() {
            // Another connection may have created the missing object.
            Err(error) if error.may_be_of_old_schema() && forget_stale() => {
                self.load_schemas()?;
                compile()?
            }
            compiled => compiled?,
        };
        if looks_for_temporary_users(&stmt) {
            self.databases.btree(Db::TEMP)?;
        }
        if program.insns.len() > self.settings.limit(Limit::VdbeOp, &self.state).unsigned_abs() as usize {
            return Err(Error::from_code(ResultCode::NOMEM));
        }
        let indexes = program.cursors.iter().filter(|cursor| cursor.kind == CursorKind::Index);
        self.searches.borrow_mut().extend(indexes.map(|cursor| (cursor.db, cursor.root)));
        let has_stable_plans = self.settings.config(Config::EnableQpsg);
        let uses = Uses {
            quoted_strings: if program.quoted_strings.is_empty() {
                Box::default()
            } else {
                program.quoted_strings.clone()
            },
            planned_parameters: if has_stable_plans { 0 } else { program.planned_parameters },
        };
        Ok((self.body_of(program, statement.explain), uses))
    }

    /// Whether the statement creates a temporary table or view: the temporary database is open from then on, even if that fails.
    fn creates_temporary(&self, stmt: &Stmt<'_>) -> bool {
        let (is_temporary, schema) = match stmt {
            Stmt::CreateTable(create) => (create.temporary, create.name.schema),
            Stmt::CreateView(create) => (create.temporary, create.name.schema),
            _ => return false,
        };
        is_temporary || schema.is_some_and(|schema| self.catalog().find_database(schema.name) == Some(Db::TEMP))
    }

    /// Loads the schemas that compiling the statement asks for.
    fn load_schemas_for(&self, stmt: &Stmt<'_>) -> Result<()> {
        if let Stmt::AlterTable(alter) = stmt
            && self.definitions.may_have_written_schema.get()
        {
            return self.reread_for_alter(alter);
        }
        // A query that names no table, or only its own common tables, asks nothing of a schema, once the encoding is known: it does not wait for a database that is locked,
        // and runs beside one that is malformed.
        let is_encoding_known = self.definitions.is_encoding_fixed.get();
        match self.load_schemas() {
            Err(_) if is_encoding_known && statement_text::names_no_table(stmt) => Ok(()),
            loaded => loaded,
        }
    }

    /// The body that runs the program, or explains it.
    fn body_of(&self, program: Arc<Program>, explain: Explain) -> Body {
        match explain {
            Explain::No => Body::Program(program),
            Explain::Program => Body::Command(EngineCommand::explain(program)),
            Explain::QueryPlan => {
                Body::Command(EngineCommand::explain_query_plan(program, self.settings.flags().trigger_eqp))
            }
        }
    }

    /// CREATE in a database that is not attached fails before any schema is read, and so before any file is locked.
    fn check_named_database(&self, statement: &Stmt<'_>, sql: &[u8]) -> Result<()> {
        // SQLite looks the database up when it has read so much.
        let (name, read) = match statement {
            Stmt::CreateTable(create) => (&create.name, Some(create.name.name.span().end)),
            Stmt::CreateView(create) => (&create.name, None),
            Stmt::CreateTrigger(create) => (&create.name, Some(create.begin.start)),
            Stmt::CreateVirtualTable(create) => (&create.name, Some(create.module.span().end)),
            _ => return Ok(()),
        };
        let Some(schema) = name.schema else { return Ok(()) };
        let found = self.catalog().named_database(schema, sql);
        let placed = |error: CompileError| match read {
            Some(end) => error.while_reading(sql, end),
            None => error,
        };
        found.map_err(placed)?;
        Ok(())
    }

    /// ALTER TABLE edits the text in the schema table, so a text that was written by hand is read first. If that text
    /// does not define a table any more, it cannot be edited.
    fn reread_for_alter(&self, alter: &ast::AlterTable<'_>) -> Result<()> {
        self.load_schemas()?;
        // A table that is not known is looked for in the schema as it was read, and the statement fails.
        if self.catalog().table(alter.table.schema, alter.table.name).is_err() {
            return Ok(());
        }
        let is_table = || {
            let catalog = self.catalog();
            catalog.table(alter.table.schema, alter.table.name).is_ok_and(|found| found.table.view().is_none())
        };
        let was_table = is_table();
        self.reset_schemas();
        let malformed = || Error::from_code(ResultCode::CORRUPT);
        self.load_schemas().map_err(|error| if error.code() == ResultCode::CORRUPT { malformed() } else { error })?;
        self.definitions.may_have_written_schema.set(false);
        if was_table && !is_table() { Err(malformed()) } else { Ok(()) }
    }

    /// Compiles; if the planner lacks the sizes of large trees, they are measured and the statement is compiled again.
    fn compile_measured<T>(
        &self,
        known: Known<'_>,
        compile: impl Fn(&Environment) -> std::result::Result<T, CompileError>,
    ) -> std::result::Result<T, CompileError> {
        self.measured.forget_old(self.generation.number(), self.total_changes());
        let first = known.environment(self);
        let program = compile(&first)?;
        let wanted = first.wanted.take();
        // A tree that cannot be read stays unmeasured: the statement reports the error when it runs.
        if wanted.is_empty() || !self.measured.measure(&self.databases, &wanted).unwrap_or(false) {
            return Ok(program);
        }
        compile(&known.environment(self))
    }

    /// Calls the application for a missing collation; returns whether it is defined now.
    pub(crate) fn define_missing_collation(&self, name: &str) -> bool {
        let Some(callback) = self.hooks.collation_needed.get() else { return false };
        if let Some(collation) = callback(name, self.state.encoding.get())
            && self.set_collation(name, Some(collation)).is_err()
        {
            return false;
        }
        self.definitions.collations().contains_key(&name.to_ascii_lowercase())
    }

    /// Compiles the statement; if it names a virtual table that is not connected, connects it and compiles again.
    fn compile_program(&self, request: &CompileRequest<'_>, known: Known<'_>, arena: &Bump) -> Result<Arc<Program>> {
        let mut asked = Vec::new();
        loop {
            let compile = |environment: &Environment| lithe_codegen::compile(request, arena, environment);
            let error = match self.compile_measured(known, compile) {
                Ok(program) => return Ok(program),
                Err(error) => error,
            };
            match &error.kind {
                ErrorKind::Unconnected(table) if !asked.contains(table) => {
                    self.virtual_tables.connect(self.module_context(), table.db, table.name.name())?;
                    asked.push(table.clone());
                }
                _ => return Err(error.into()),
            }
        }
    }
}

/// Whether the statement looks for uses in triggers and views of the temporary database, which opens it.
fn looks_for_temporary_users(stmt: &Stmt<'_>) -> bool {
    use ast::AlterAction::{DropColumn, RenameColumn, RenameTable};
    matches!(stmt, Stmt::AlterTable(alter) if matches!(alter.action, RenameTable(_) | RenameColumn { .. } | DropColumn(_)))
}

/// What a compiled statement has used of its text and parameters.
#[derive(Default)]
struct Uses {
    /// The words in double quotes that were taken for strings.
    quoted_strings: QuotedStrings,
    /// The parameters on whose values the plan depends.
    planned_parameters: u32,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::connection::statement::Step;
    use crate::open::OpenFlags;

    fn run(connection: &Connection, sql: &str) -> Result<()> {
        let mut statement = connection.prepare(sql.as_bytes())?.statement.expect("a statement");
        let done = loop {
            match statement.step(connection) {
                Ok(Step::Row) => {}
                Ok(Step::Done) => break Ok(()),
                Err(error) => break Err(error),
            }
        };
        connection.put_back(statement);
        done
    }

    #[track_caller]
    fn check(connection: &Connection, sql: &str, expected: &str) {
        assert_eq!(run(connection, sql).unwrap_err().to_string(), expected, "{sql}");
    }

    /// The messages that are kept with a table and its indexes follow a change of the table.
    #[test]
    fn messages_follow_their_table() {
        let connection = Connection::open(b":memory:", OpenFlags::DEFAULT).unwrap();
        let run = |sql: &str| run(&connection, sql).unwrap();
        run("CREATE TABLE t(a INTEGER PRIMARY KEY, b UNIQUE, c NOT NULL)");
        run("INSERT INTO t VALUES (1, 2, 3)");
        for _ in 0..2 {
            check(&connection, "INSERT INTO t VALUES (1, 3, 3)", "UNIQUE constraint failed: t.a");
            check(&connection, "INSERT INTO t VALUES (2, 2, 3)", "UNIQUE constraint failed: t.b");
            check(&connection, "INSERT INTO t VALUES (2, 3, NULL)", "NOT NULL constraint failed: t.c");
        }
        run("ALTER TABLE t RENAME COLUMN b TO x");
        run("ALTER TABLE t RENAME COLUMN c TO y");
        run("ALTER TABLE t RENAME TO u");
        run("CREATE UNIQUE INDEX i ON u(y DESC)");
        check(&connection, "INSERT INTO u VALUES (1, 3, 4)", "UNIQUE constraint failed: u.a");
        check(&connection, "INSERT INTO u VALUES (2, 2, 4)", "UNIQUE constraint failed: u.x");
        check(&connection, "INSERT INTO u VALUES (2, 3, NULL)", "NOT NULL constraint failed: u.y");
        check(&connection, "INSERT INTO u VALUES (2, 3, 3)", "UNIQUE constraint failed: u.y");
        run("BEGIN");
        run("ALTER TABLE u RENAME TO v");
        check(&connection, "INSERT INTO v VALUES (1, 3, 4)", "UNIQUE constraint failed: v.a");
        run("ROLLBACK");
        check(&connection, "INSERT INTO u VALUES (1, 3, 4)", "UNIQUE constraint failed: u.a");
    }

    /// The same name in the text means one table in a statement and another one, of another database, in its trigger.
    #[test]
    fn names_are_looked_up_where_they_stand() {
        let connection = Connection::open(b":memory:", OpenFlags::DEFAULT).unwrap();
        let run = |sql: &str| run(&connection, sql).unwrap();
        run("CREATE TABLE t(a UNIQUE)");
        run("CREATE TABLE log(a UNIQUE)");
        run("CREATE TRIGGER r AFTER INSERT ON t BEGIN INSERT INTO log VALUES (new.a); END");
        run("CREATE TEMP TABLE log(a)");
        run("INSERT INTO log VALUES (1)");
        run("INSERT INTO log VALUES (1)");
        run("INSERT INTO t VALUES (1)");
        run("DELETE FROM t");
        check(&connection, "INSERT INTO t VALUES (1)", "UNIQUE constraint failed: log.a");
        check(&connection, "INSERT INTO main.log VALUES (1)", "UNIQUE constraint failed: log.a");
    }
}
