//! Statements with different texts that share one program: those that differ in comments before or behind them, and those that differ in
//! literals (auto-parameterisation).
//!
//! A statement's literals are bound to the parameters of its template ([`lithe_sql::Template`]). The program of a template is run only if the plan would
//! be the same with literals in their place, whatever these are: [`Compiled::depends_on_literals`]. If it is not, the template is remembered as
//! refused, and its statements are compiled as they are.

use std::sync::Arc;

use bumpalo::Bump;
use lithe_sql::{Bare, LiteralValue, Template, Templated, Templates};
use lithe_value::{ValueRef, number};
use lithe_vm::vm::Vm;

use crate::connection::Connection;
use crate::connection::program_cache::Lookup;
use crate::connection::statement::{Compiled, Statement};

/// The bare text of the first statement of `sql`, if it is another one.
pub(crate) fn bare(connection: &Connection, sql: &[u8]) -> Option<Bare> {
    let bare = connection.compile_memory.bare_text(sql)?;
    let limits = connection.settings.limits();
    (limits.comments && bare.tail <= limits.sql_length as usize).then_some(bare)
}

/// The first statement of `sql`, with the program of its bare text, if there is one, or if the bare text has come before.
///
/// `None` does not mean an error: the text is then compiled as it is, which finds errors and their offsets.
pub(crate) fn of_bare_text(connection: &Connection, sql: &[u8], bare: Bare) -> Option<Statement> {
    let text = bare.span.text(sql);
    let programs = &connection.programs;
    let hash = programs.hash(text);
    let (compiled, idle) = match programs.take(Lookup::Text, text, hash, connection.now()) {
        Some(known) => known,
        None if programs.comes_again(Lookup::Text, hash) => (compile_bare_text(connection, text, hash)?, None),
        None => return None,
    };
    connection.statement_of(compiled, idle).with_text(sql.get(..bare.tail)?).ok()
}

fn compile_bare_text(connection: &Connection, text: &[u8], hash: u64) -> Option<Arc<Compiled>> {
    let (compiled, _) = connection.compile(text, None).ok()?;
    let mut compiled = compiled.filter(|compiled| compiled.is_cacheable())?;
    Compiled::new_one(&mut compiled).hash = hash;
    connection.programs.put(Lookup::Text, text, &compiled, connection.now());
    Some(compiled)
}

/// The first statement of `sql` and the offset behind it, if the program of its template can run it.
///
/// `None` does not mean an error: the text is then compiled as it is.
pub(crate) fn of_template(connection: &Connection, sql: &[u8]) -> Option<(Statement, usize)> {
    if !Templates::may_have(sql) {
        return None;
    }
    connection.compile_memory.with_templates(|templates| prepare_template(connection, templates, sql))
}

fn prepare_template(connection: &Connection, templates: &mut Templates, sql: &[u8]) -> Option<(Statement, usize)> {
    let Templated { template, tail } = templates.read(sql)?;
    if !is_within_limits(connection, template, tail) {
        return None;
    }
    let programs = &connection.programs;
    let hash = programs.hash(template.text());
    if programs.is_refused(hash, connection.now()) {
        return None;
    }
    let known = programs.take(Lookup::Template, template.text(), hash, connection.now());
    // A text whose template is seen for the first time is compiled as it is.
    if known.is_none() && !programs.comes_again(Lookup::Template, hash) {
        return None;
    }
    let (compiled, idle) = match known {
        Some(known) => known,
        None => (compile_template(connection, template, hash)?, None),
    };
    let mut statement = connection.statement_of(compiled, idle).with_text(sql.get(..tail)?).ok()?;
    let length_max = connection.state.length_max.get() as usize;
    let bind = |arena: &Bump| bind_literals(statement.machine()?, template, sql, length_max, arena);
    connection.compile_memory.with_arena(bind)?;
    #[cfg(debug_assertions)]
    assert_plan(connection, template, sql.get(..tail)?);
    templates.has_occurred_before();
    Some((statement, tail))
}

/// Whether no limit applies to the text that does not apply to its template.
fn is_within_limits(connection: &Connection, template: &Template, tail: usize) -> bool {
    let limits = connection.settings.limits();
    // A tree has fewer levels than its text has bytes.
    let is_deep = template.text().len() >= limits.expr_depth as usize && limits.expr_depth != 0 && template.has_signs();
    limits.comments && tail <= limits.sql_length as usize && !is_deep
}

fn compile_template(connection: &Connection, template: &Template, hash: u64) -> Option<Arc<Compiled>> {
    let compile = || connection.compile(template.text(), None);
    // A row of literals is given to a module as it is. Of other statements, no module is asked for a plan that none of them would have.
    let is_insert = matches!(template.text().first(), Some(b'i' | b'I' | b'r' | b'R'));
    let compiled = if is_insert { compile() } else { connection.settings.without_virtual_tables(compile) };
    let compiled = compiled.ok().and_then(|(compiled, _)| compiled);
    let Some(mut compiled) = compiled.filter(|compiled| compiled.is_cacheable() && !compiled.depends_on_literals())
    else {
        connection.programs.refuse(hash, connection.now());
        return None;
    };
    let new = Compiled::new_one(&mut compiled);
    new.parameter_count = 0;
    (new.is_template, new.hash, new.no_virtual_tables) = (true, hash, false);
    connection.programs.put(Lookup::Template, template.text(), &compiled, connection.now());
    Some(compiled)
}

/// Panics if EXPLAIN QUERY PLAN tells something else of the text than of its template.
#[cfg(debug_assertions)]
fn assert_plan(connection: &Connection, template: &Template, sql: &[u8]) {
    use lithe_sql::ast::Explain;

    use crate::connection::statement::Body;

    let plan = |sql: &[u8]| {
        let (compiled, _) = connection.compile(sql, Some(Explain::QueryPlan)).ok()?;
        let Body::Command(command) = &compiled?.body else { return None };
        let lines = &command.explained()?.query_plan;
        Some(lines.iter().map(|line| (line.cost, line.detail.clone())).collect::<Vec<_>>())
    };
    let (of_template, of_text) = (plan(template.text()), plan(sql));
    assert!(of_template == of_text, "{}: {of_template:?}, {of_text:?}", String::from_utf8_lossy(sql));
}

/// Binds the literals of the text to the parameters of its template. `None`: a literal exceeds the length limit.
fn bind_literals(vm: &mut Vm, template: &Template, sql: &[u8], length_max: usize, arena: &Bump) -> Option<()> {
    debug_assert!(template.literals().len() == vm.program().parameter_count as usize, "each literal has a parameter");
    for (index, literal) in template.literals().iter().enumerate() {
        if literal.len_in_text() > length_max {
            return None;
        }
        let value = match literal.value(sql, arena) {
            LiteralValue::Integer(value) => ValueRef::Integer(value),
            LiteralValue::Real(digits, is_negative) => {
                ValueRef::Real(signed(number::text_to_real(digits), is_negative))
            }
            LiteralValue::Decimal(digits, decimals, is_negative) => {
                ValueRef::Real(signed(number::decimal_to_real(digits, -i32::from(decimals)), is_negative))
            }
            LiteralValue::Text(text) => ValueRef::Text(text),
            LiteralValue::Blob(bytes) => ValueRef::Blob(bytes),
        };
        vm.bind(index + 1, value).ok()?;
    }
    Some(())
}

fn signed(value: f64, is_negative: bool) -> f64 {
    if is_negative { -value } else { value }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::connection::statement::Step;
    use crate::open::OpenFlags;

    fn open(schema: &[&str]) -> Connection {
        let connection = Connection::open(b":memory:", OpenFlags::DEFAULT).unwrap();
        schema.iter().for_each(|sql| run(&connection, sql));
        connection
    }

    fn prepare(connection: &Connection, sql: &str) -> Statement {
        connection.prepare(sql.as_bytes()).unwrap().statement.unwrap()
    }

    fn run(connection: &Connection, sql: &str) {
        let mut statement = prepare(connection, sql);
        while statement.step(connection).unwrap() == Step::Row {}
        connection.put_back(statement);
    }

    /// Whether the third statement with another literal each time is run by the program of its template.
    fn shares(connection: &Connection, text: &str) -> bool {
        let mut shares = false;
        for literal in ["5", "'x'", "6"] {
            let sql = text.replace("{}", literal);
            let statement = prepare(connection, &sql);
            assert_eq!(statement.sql(), sql);
            assert_eq!(statement.parameter_count(), 0);
            shares = statement.compiled.is_template;
            connection.put_back(statement);
        }
        shares
    }

    const SCHEMA: [&str; 2] =
        ["CREATE TABLE t(a INTEGER PRIMARY KEY, b TEXT, c)", "CREATE TABLE u(a INTEGER PRIMARY KEY, b, c)"];

    #[test]
    fn literals_that_may_differ() {
        let connection = open(&SCHEMA);
        for text in [
            "SELECT c FROM t WHERE a = {}",
            "SELECT c, count(*) FROM t WHERE b < {} OR c = {} AND a <> 7 GROUP BY c ORDER BY 2 LIMIT 1",
            "SELECT t.c FROM t JOIN u ON t.a = u.a WHERE u.c = {} AND t.b > 5 /* {} */",
            "SELECT c FROM u WHERE a = b AND b = {}",
            "UPDATE t SET b = {}, c = 1 WHERE a = {} RETURNING a + 1",
            "DELETE FROM t WHERE a <= {}",
            "INSERT INTO t VALUES ({}, 5, 'x') -- {}",
        ] {
            assert!(shares(&connection, text), "{text}");
        }
    }

    /// The plan may depend on these literals.
    #[test]
    fn literals_on_which_the_plan_depends() {
        let connection = open(&SCHEMA);
        // What is equal to a text literal is replaced by it elsewhere, a number is not.
        assert!(!shares(&connection, "SELECT t.c FROM t, u WHERE t.b = {} AND u.a = t.b"));
        assert!(!shares(&connection, "SELECT c FROM t WHERE c > {} OR c = 5"));
        for text in ["SELECT a FROM t WHERE c = {} AND a > 5", "DELETE FROM t WHERE c = {}"] {
            assert!(shares(&connection, text), "{text}");
        }
        run(&connection, "CREATE INDEX t_c ON t(b) WHERE c = 5");
        for text in ["SELECT a FROM t WHERE c = {} AND a > 5", "DELETE FROM t WHERE c = {}"] {
            assert!(!shares(&connection, text), "{text}");
        }
        assert!(shares(&connection, "SELECT a FROM t WHERE b = {} AND a > 5"));
        run(&connection, "DROP INDEX t_c");
        assert!(shares(&connection, "SELECT a FROM t WHERE c = {} AND a > 5"));
        run(&connection, "CREATE INDEX t_c ON t(c = 5, b)");
        assert!(!shares(&connection, "SELECT a FROM t WHERE c = {} AND a > 5"));
        run(&connection, "DROP INDEX t_c");
        run(&connection, "CREATE INDEX t_c ON t(b) WHERE c IS NOT NULL");
        assert!(shares(&connection, "SELECT a FROM t WHERE c = {} AND b = 7"));
    }

    #[test]
    fn comments_at_the_ends() {
        let connection = open(&SCHEMA);
        for number in 0..3 {
            let sql = format!("/* {number} */ SELECT a FROM t WHERE b = ?1 -- {number}");
            let statement = prepare(&connection, &sql);
            assert_eq!(statement.sql(), sql);
            assert_eq!(statement.parameter_count(), 1);
            let is_shared = statement.compiled.sql.as_bytes() == b"SELECT a FROM t WHERE b = ?1";
            assert_eq!(is_shared, number > 0, "{sql}");
            connection.put_back(statement);
        }
        let statement = prepare(&connection, "SELECT a FROM t WHERE b = ?1");
        assert_ne!(statement.compiled.hash, 0);
        connection.put_back(statement);
    }

    #[test]
    fn limits() {
        use crate::settings::limit::Limit;
        let connection = open(&SCHEMA);
        let shares_with = |limit, value, text| {
            let before = connection.set_limit(limit, value);
            let shares = shares(&connection, text);
            connection.set_limit(limit, before);
            shares
        };
        assert!(shares(&connection, "SELECT c FROM t WHERE a = {} AND b = -5"));
        assert!(!shares_with(Limit::ExprDepth, 10, "SELECT c FROM t WHERE a = {} AND b = -5"));
        assert!(shares_with(Limit::ExprDepth, 10, "SELECT c FROM t WHERE a = {} AND b = 5"));
    }
}
