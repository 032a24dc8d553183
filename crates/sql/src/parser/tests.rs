use bumpalo::Bump;

use crate::ast::*;
use crate::{Limits, ParseError, parse_statement};

/// Parses `sql` and calls `check` with the statement.
fn with_statement<T>(sql: &str, check: impl FnOnce(&Statement<'_>) -> T) -> T {
    let arena = Bump::new();
    let parsed = parse_statement(sql.as_bytes(), &arena, &Limits::default());
    let parsed = parsed.unwrap_or_else(|error| panic!("{sql}: {error}"));
    check(&parsed.statement.unwrap_or_else(|| panic!("{sql}: nothing")))
}

/// Calls `check` with the first result column of the SELECT `sql`.
fn with_column<T>(sql: &str, check: impl FnOnce(&ResultColumn<'_>, &Expr<'_>) -> T) -> T {
    with_statement(sql, |statement| {
        let Some(Stmt::Select(Select { first: SelectCore::Query(query), .. })) = statement.program() else {
            panic!("{sql} is no SELECT");
        };
        let column = &query.columns[0];
        match &column.kind {
            ResultColumnKind::Expr(expr) => check(column, expr),
            other => panic!("{sql}: {other:?}"),
        }
    })
}

fn error(sql: &str, limits: &Limits) -> ParseError {
    let arena = Bump::new();
    parse_statement(sql.as_bytes(), &arena, limits).expect_err(sql)
}

#[test]
fn statements_are_taken_one_by_one() {
    let check = |sql: &str, found: bool, tail: usize| {
        let arena = Bump::new();
        let parsed = parse_statement(sql.as_bytes(), &arena, &Limits::default()).expect(sql);
        assert_eq!((parsed.statement.is_some(), parsed.tail), (found, tail), "{sql:?}");
    };
    check("", false, 0);
    check(" ;; -- x", false, 8);
    check("/* x", false, 4);
    check("select 1", true, 8);
    check("select 1 ; select 2", true, 10);
    check(";; select 1;", true, 12);
    check("select 1\0 garbage", true, 8);
}

#[test]
fn the_span_of_a_statement_ends_with_its_last_token() {
    let span = |sql: &str| with_statement(sql, |statement| statement.span.text(sql.as_bytes()).to_vec());
    assert_eq!(span(" explain select 1 /* x */ ; x"), b"explain select 1");
    assert_eq!(span(";;begin"), b"begin");
}

#[test]
fn spans_and_names_of_columns() {
    let check = |sql: &str, column_text: &str, expr_text: &str| {
        with_column(sql, |column, expr| {
            let text = |span: Span| String::from_utf8_lossy(span.text(sql.as_bytes())).into_owned();
            assert_eq!((text(column.span).as_str(), text(expr.span).as_str()), (column_text, expr_text), "{sql}");
        });
    };
    check("select a+b from t", "a+b", "a+b");
    check("select  (a) + (b)  x", "(a) + (b)", "(a) + (b)");
    check("select ((a+b))", "((a+b))", "a+b");
    check("select -a.b", "-a.b", "-a.b");
    check("select max(a, b) over () as m", "max(a, b) over ()", "max(a, b) over ()");
    check("select (a, b)", "(a, b)", "(a, b)");
    check("select a not between 1 and 2", "a not between 1 and 2", "a not between 1 and 2");
    check("select (select 1)", "(select 1)", "select 1");
    check("select a /* x */ , b", "a /* x */", "a");
}

#[test]
fn heights() {
    let check = |sql: &str, height: u32| with_column(sql, |_, expr| assert_eq!(expr.height, height, "{sql}"));
    check("select 1", 1);
    check("select (((1)))", 1);
    check("select t.a", 2);
    check("select main.t.a", 3);
    check("select 1+1+1", 3);
    check("select 1+(1+1)", 3);
    check("select not - ~ 1", 4);
    check("select abs(1+1)", 3);
    check("select 1 not in (2)", 3);
    check("select 1 in (2)", 2);
    check("select (select 1+1)", 3);
}

#[test]
fn literals() {
    let check = |sql: &str, expected: &str| {
        with_column(sql, |_, expr| assert_eq!(format!("{:?}", expr.kind), expected, "{sql}"));
    };
    check("select 42", "Integer(42)");
    check("select 4_2", "Integer(42)");
    check("select 0x2A", "Integer(42)");
    check("select 0x2_A", "Integer(42)");
    check("select 'it''s'", "String([105, 116, 39, 115])");
    check("select x'00fF'", "Blob([0, 255])");
    check("select 1.5", "Float([49, 46, 53])");
    check("select 1_0.5", "Float([49, 48, 46, 53])");
    check(
        "select 9223372036854775808",
        "Float([57, 50, 50, 51, 51, 55, 50, 48, 51, 54, 56, 53, 52, 55, 55, 53, 56, 48, 56])",
    );
    check("select null", "Null");
    check("select current_time", "Current(Time)");
    check("select true", "Column(\"true\")");
}

#[test]
fn quotes_are_remembered() {
    let check = |sql: &str, expected: Quote| {
        with_column(sql, |_, expr| match expr.kind {
            ExprKind::Column(ident) => assert_eq!(ident.quote(), expected, "{sql}"),
            other => panic!("{other:?}"),
        });
    };
    check("select a", Quote::None);
    check("select \"a\"", Quote::Double);
    check("select [a]", Quote::Other);
    check("select `a`", Quote::Other);
    check("select key", Quote::None);
}

#[test]
fn parameters_are_numbered() {
    let check = |sql: &str, count: u32, names: &[(&str, u32)]| {
        with_statement(sql, |statement| {
            let parameters = statement.parameters;
            let found: Vec<_> =
                parameters.names.iter().map(|p| (std::str::from_utf8(p.name).unwrap(), p.number)).collect();
            assert_eq!((parameters.count, found.as_slice()), (count, names), "{sql}");
        });
    };
    check("select 1", 0, &[]);
    check("select ?, ?", 2, &[]);
    check("select ?5, ?", 6, &[("?5", 5)]);
    check("select :a, @a, $a, :a, ?", 4, &[(":a", 1), ("@a", 2), ("$a", 3)]);
    check("select :a, ?1, ?01", 1, &[(":a", 1)]);
    check("select ?3, :a, ?2", 4, &[("?3", 3), (":a", 4), ("?2", 2)]);
}

#[test]
fn limits_are_checked() {
    let check = |sql: &str, limits: Limits, message: &str, offset: Option<u32>| {
        let error = error(sql, &limits);
        assert_eq!((error.message.as_str(), error.offset), (message, offset), "{sql}");
    };
    let limits = Limits { expr_depth: 2, ..Limits::default() };
    check("select 1+1+1", limits, "Expression tree is too large (maximum depth 2)", None);
    let limits = Limits { compound_select: 2, ..Limits::default() };
    check("select 1 union select 2 union select 3", limits, "too many terms in compound SELECT", None);
    // As in SQLite, terms do not count where VALUES stands last.
    assert!(parse_statement(b"select 1 union select 2 union values (3)", &Bump::new(), &limits).is_ok());
    let limits = Limits { function_args: 2, ..Limits::default() };
    check("select max(1, 2, 3)", limits, "too many arguments on function max", Some(7));
    let limits = Limits { variable_number: 2, ..Limits::default() };
    check("select ?3", limits, "variable number must be between ?1 and ?2", Some(7));
    check("select ?, :a, ?", limits, "too many SQL variables", Some(14));
    let limits = Limits { columns: 2, ..Limits::default() };
    check("create table z(a, b, c)", limits, "too many columns on z", None);
    check("update t set (a, b) = (1, 2), c = 3", limits, "too many columns in set list", None);
    let limits = Limits { sql_length: 8, ..Limits::default() };
    check("select 1;", limits, "string or blob too big", None);
    assert!(error("select 10", &limits).too_big);
    let limits = Limits { sql_length: 5, ..Limits::default() };
    assert!(error("select 1", &limits).too_big);
    assert_eq!(error("selec 1", &limits).message, "near \"selec\": syntax error");
    let limits = Limits { compound_select: 0, ..Limits::default() };
    let arena = Bump::new();
    assert!(parse_statement(b"select 1 union select 2", &arena, &limits).is_ok());
}

#[test]
fn old_schemas_may_collate_columns_of_keys() {
    let sql = "create table t(a, foreign key(a collate nocase desc) references u)";
    assert_eq!(error(sql, &Limits::default()).message, "syntax error after column name \"a\"");
    let arena = Bump::new();
    let limits = Limits { loading_schema: true, ..Limits::default() };
    assert!(parse_statement(sql.as_bytes(), &arena, &limits).is_ok());
}

#[test]
fn names_of_constraints_last_until_the_next() {
    with_statement("create table t(a constraint x not null check(1) constraint y unique)", |statement| {
        let Some(Stmt::CreateTable(CreateTable { body: TableBody::Columns(body), .. })) = statement.program() else {
            panic!("no columns");
        };
        let names: Vec<_> = body.columns[0].constraints.iter().map(|c| c.name.map(|n| n.name.to_string())).collect();
        assert_eq!(names, [Some("x".to_string()), Some("x".to_string()), Some("y".to_string())]);
    });
}

#[test]
fn types_of_columns() {
    let check = |column: &str, expected: &str| {
        with_statement(&format!("create table t({column})"), |statement| {
            let Some(Stmt::CreateTable(CreateTable { body: TableBody::Columns(body), .. })) = statement.program()
            else {
                panic!("no columns");
            };
            assert_eq!(String::from_utf8_lossy(body.columns[0].type_name), expected, "{column}");
        });
    };
    check("a", "");
    check("a int", "int");
    check("a double /* x */ precision(1, -2) not null", "double /* x */ precision(1, -2)");
    check("a \"foo bar\" x", "foo bar");
    check("a int generated always as (1)", "int");
    check("a generated always as (1)", "");
    check("a generated as (1)", "generated");
}

#[test]
fn windows_extend_those_before_them() {
    let sql = "select sum(a) over y from t window x as (partition by a), y as (x order by b)";
    with_statement(sql, |statement| {
        let Some(Stmt::Select(Select { first: SelectCore::Query(query), .. })) = statement.program() else {
            panic!("{sql}")
        };
        let y = &query.windows[1].window;
        assert_eq!((y.base.is_some(), y.partition_by.len(), y.order_by.len()), (false, 1, 1));
    });
}

#[test]
fn arguments_of_virtual_tables_are_texts() {
    with_statement("create virtual table t using m( a  b, c(d, e) , , 'x,y' )", |statement| {
        let Some(Stmt::CreateVirtualTable(table)) = statement.program() else { panic!("no virtual table") };
        let args: Vec<_> = table.args.iter().map(|arg| String::from_utf8_lossy(arg)).collect();
        assert_eq!(args, ["a  b", "c(d, e)", "'x,y'"]);
    });
}

#[test]
fn values_of_pragmas() {
    let check = |sql: &str, expected: Option<&str>| {
        with_statement(sql, |statement| {
            let StatementKind::Command(Command::Pragma(pragma)) = statement.kind else { panic!("{sql}") };
            assert_eq!(pragma.value.map(String::from_utf8_lossy).as_deref(), expected, "{sql}");
        });
    };
    check("pragma x", None);
    check("pragma x=1", Some("1"));
    check("pragma x = - 1.5", Some("-1.5"));
    check("pragma x(+1)", Some("1"));
    check("pragma x=on", Some("on"));
    check("pragma x='it''s'", Some("it's"));
    check("pragma x(\"y\")", Some("y"));
}

#[test]
fn any_bytes_give_an_answer() {
    let base =
        b"select \"a\xff\", 'b\xc3', [c\xe2\x82], \xf0\x9f from t where x'0\xff' = :\xe9 -- \xff\n and 1".as_slice();
    for cut in 0..base.len() {
        for byte in [0x00, 0x0b, b'\'', b'/', 0x80, 0xef, 0xff] {
            let mut sql = base.to_vec();
            sql[cut] = byte;
            for sql in [sql.as_slice(), &sql[..cut], &sql[cut..]] {
                let arena = Bump::new();
                let _ = parse_statement(sql, &arena, &Limits::default());
            }
        }
    }
}

#[test]
fn streamed_rows_have_the_same_width() {
    let check = |rows: &str, is_wrong: bool| {
        let arena = Bump::new();
        let sql = format!("CREATE VIEW v AS VALUES{rows}");
        let parsed = parse_statement(sql.as_bytes(), &arena, &Limits::default());
        let found = parsed.err().map(|error| error.message);
        assert_eq!(found.as_deref(), is_wrong.then_some("all VALUES must have the same number of terms"), "{sql}");
    };
    check("(1), (2, 3), (4)", true);
    check("((SELECT 1)), (2, 3), (4)", true);
    check("((SELECT 1)), (2, 3), (4, 5), (6)", true);
    check("(CAST(1 AS INT)), (2, 3), (4)", true);
    check("(1), (2), ((SELECT 2), 3), (5, 6), (7)", true);
    // The widths of rows that are not streamed are checked when the view is used.
    check("((SELECT 1)), (2, 3)", false);
    check("(CAST(1 AS INT)), (2, 3), (4, 5)", false);
    check("((SELECT 1), 2), (2), (4)", false);
}

#[test]
fn selects_have_sqlites_numbers() {
    // The numbers that EXPLAIN QUERY PLAN shows for queries in expressions.
    let check = |sql: &str, expected: &[u32]| {
        with_statement(sql, |statement| {
            let mut found = Vec::new();
            walk_stmt(&statement.program().unwrap(), &mut |node| {
                if let Node::Expr(Expr { kind: ExprKind::Subquery(select), .. }) = node {
                    found.push(select.rest.last().map_or(select.number, |term| term.number).0);
                }
            });
            assert_eq!(found, expected, "{sql}");
        });
    };
    check("SELECT (SELECT 1), (SELECT 2 UNION SELECT 3), (SELECT 4)", &[1, 3, 4]);
    check("SELECT * FROM t, (u, v) WHERE (SELECT 1)", &[2]);
    check("SELECT * FROM (t, u), (v) WHERE (SELECT 1)", &[1]);
    check("SELECT * FROM t WHERE a IN u AND (SELECT 1)", &[2]);
    // Each row is a SELECT, unless the rows are streamed.
    check("SELECT * FROM t WHERE (a, b) IN ((1, 2), (3, (SELECT 4))) AND (SELECT 5)", &[1, 4]);
    check("SELECT * FROM t WHERE a IN (1, (SELECT 2)) AND (SELECT 3)", &[1, 2]);
    check("VALUES(1), (2), ((SELECT 3)), (4), (5), ((SELECT 6))", &[3, 7]);
    check("VALUES(1), ((SELECT 2)), ((SELECT 3))", &[2, 4]);
    check("SELECT * FROM (VALUES(1), (2), (3)) WHERE (SELECT 4)", &[3]);
    check("SELECT * FROM (VALUES(CAST(1 AS INT)), (2), (3)) WHERE (SELECT 4)", &[4]);
    check("WITH z AS (SELECT 0) SELECT * FROM (VALUES(1), (2), (3)) WHERE (SELECT 4)", &[5]);
    check("SELECT * FROM (SELECT 0 UNION VALUES(1), ((SELECT 2))) WHERE (SELECT 3)", &[3, 6]);
}
