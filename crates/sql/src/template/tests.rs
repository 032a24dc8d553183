use super::*;

#[track_caller]
fn check(sql: &str, expected: Option<(&str, usize, &[LiteralValue<'_>])>) {
    let arena = Bump::new();
    let mut templates = Templates::default();
    // Of several rows only the second statement is read.
    if templates.read(sql.as_bytes()).is_some() {
        templates = Templates::default();
    }
    let read = templates.read(sql.as_bytes());
    let Some((text, rest, values)) = expected else { return assert_eq!(read.map(|read| read.tail), None, "{sql}") };
    let read = read.unwrap_or_else(|| panic!("no template: {sql}"));
    assert_eq!(read.tail, sql.len() - rest, "{sql}");
    assert_eq!(String::from_utf8_lossy(read.template.text()), text);
    let found: Vec<_> = read.template.literals().iter().map(|literal| literal.value(sql.as_bytes(), &arena)).collect();
    assert_eq!(found, values, "{sql}");
    // Now that the template is known, the statement is read in another way.
    let again = templates.read(sql.as_bytes()).unwrap_or_else(|| panic!("no template again: {sql}"));
    let found: Vec<_> = again.template.literals().iter().map(|literal| literal.value(sql.as_bytes(), &arena)).collect();
    assert_eq!(found, values, "{sql}");
}

#[test]
fn rows_of_values() {
    use LiteralValue::{Blob, Integer, Real, Text};
    check("INSERT INTO t VALUES(1)", Some(("INSERT INTO t VALUES(?)", 0, &[Integer(1)])));
    check(
        " /* x */ replace into t(a, b) values ( -5 , 'a''b' ) ; select 1",
        Some(("replace into t(a, b) values ( ? , ? )", 9, &[Integer(-5), Text(b"a'b")])),
    );
    check(
        "insert into t values(1,x'0aF0'),(NULL,-1.5e3);",
        Some(("insert into t values(?,?),(NULL,?)", 0, &[Integer(1), Blob(&[0x0a, 0xf0]), Real(b"1.5e3", true)])),
    );
    check(
        "insert into t values(1+2, f(3, 'x'), 4, - 9223372036854775808, 9223372036854775808, (5)) -- c",
        Some((
            "insert into t values(1+2, f(3, 'x'), ?, ?, ?, (5))",
            0,
            &[Integer(4), Integer(i64::MIN), Real(b"9223372036854775808", false)],
        )),
    );
}

#[test]
fn numbers() {
    use LiteralValue::{Decimal, Integer, Real};
    let values = [
        Integer(0),
        Integer(-7),
        Decimal(125, 2, false),
        Decimal(125, 2, true),
        Decimal(5, 0, false),
        Real(b".5", true),
        Integer(999_999_999_999_999_999),
        Integer(1_000_000_000_000_000_000),
        Integer(i64::MIN),
        Real(b"123456789.123456789", false),
        Decimal(12345678123456789, 9, false),
        Decimal(0, 1, true),
        Real(b"7e2", false),
    ];
    check(
        "insert into t values(0,-7,1.25,-1.25,5.,-.5,999999999999999999,1000000000000000000,-9223372036854775808,123456789.123456789,12345678.123456789,-0.0,7e2)",
        Some(("insert into t values(?,?,?,?,?,?,?,?,?,?,?,?,?)", 0, &values)),
    );
    for not_ordinary in ["0x10", "1_000", "1a", "1.2.3", "1.x", "--5"] {
        let mut templates = Templates::default();
        let known = templates.read(b"insert into t values(5, 6)").map(|read| read.template.text().to_vec());
        assert_eq!(known.as_deref(), Some(&b"insert into t values(?, ?)"[..]));
        let sql = format!("insert into t values({not_ordinary}, 6)");
        let other = templates.read(sql.as_bytes()).map(|read| read.template.text().to_vec());
        assert_ne!(other, known, "{sql}");
    }
}

#[test]
fn operands_of_where() {
    use LiteralValue::{Blob, Decimal, Integer, Text};
    check("SELECT a, 2 FROM t WHERE b = 17", Some(("SELECT a, 2 FROM t WHERE b = ?", 0, &[Integer(17)])));
    check(
        "-- x\nselect a from t where b=='it''s' and c<>x'00' or d <= - 2.5 order by 2 limit 3; x",
        Some((
            "select a from t where b==? and c<>? or d <= ? order by 2 limit 3",
            2,
            &[Text(b"it's"), Blob(&[0]), Decimal(25, 1, true)],
        )),
    );
    check(
        "select a from t where b = 1 and c = -1 and d > 0 and e < 01 and f >= 2 group by c /* x */",
        Some(("select a from t where b = 1 and c = -1 and d > 0 and e < 01 and f >= ? group by c", 0, &[Integer(2)])),
    );
    check(
        "select a from (select 5 as a where 3 = 3) where a in (5, 6) and (b = 7 or c = 8) and d = 9",
        Some((
            "select a from (select 5 as a where 3 = 3) where a in (5, 6) and (b = 7 or c = 8) and d = ?",
            0,
            &[Integer(9)],
        )),
    );
    check(
        "delete from t where a between 3 and 4 and b like 'x' and c = 0x10 and d = 5 + 6 and e = 7 returning a + 1",
        Some((
            "delete from t where a between 3 and 4 and b like 'x' and c = 0x10 and d = 5 + 6 and e = ? returning a + 1",
            0,
            &[Integer(7)],
        )),
    );
    check(
        "select a from t where b = 5 and case when c = 6 and d then 7 end = 8 and e = 9",
        Some(("select a from t where b = ? and case when c = 6 and d then 7 end = 8 and e = 9", 0, &[Integer(5)])),
    );
    check(
        "select a from t where b = 5 or c = 'x' union select a from u where b = 6 and c = 7",
        Some(("select a from t where b = ? or c = 'x' union select a from u where b = 6 and c = 7", 0, &[Integer(5)])),
    );
}

#[test]
fn assignments_of_set() {
    use LiteralValue::{Integer, Text};
    check(
        "update t set a = 1, b=-5, c = c + 1, (d, e) = (2, 3), f = 'x' where g = 6",
        Some((
            "update t set a = ?, b=?, c = c + 1, (d, e) = (2, 3), f = ? where g = ?",
            0,
            &[Integer(1), Integer(-5), Text(b"x"), Integer(6)],
        )),
    );
    check(
        "update or ignore t set a = 1, b = c = 5, d = 2 from u where x = 7 returning a, 5 + 1 ;",
        Some((
            "update or ignore t set a = ?, b = c = 5, d = ? from u where x = ? returning a, 5 + 1",
            0,
            &[Integer(1), Integer(2), Integer(7)],
        )),
    );
    check("update t set a = 0", Some(("update t set a = ?", 0, &[Integer(0)])));
}

/// Statements of which some have the same template.
const STATEMENTS: &[&str] = &[
    "insert into t values(1,'a')",
    "insert into t values(-2.5,x'01');",
    "\n\tinsert into t values(- /* x */ 3,'it''s'); select 1",
    "insert into t values('b',9223372036854775808)\n",
    "insert into t values('b',4) -- c",
    "insert into t values('b',4) -- c\n",
    "/* x */ insert into t values('b',5) -- c ; insert into t values('b',6)",
    "insert into t values('b',4) /* c",
    "insert into t values('b',5) /* c ; */ ; x",
    "insert into t values('b',5) ;",
    "insert into t values('b' ,5)",
    "insert into t values('b',5,'?')",
    "insert into t values('b',5,lower('?'))",
    "insert into t values('b',-5,lower('?'))",
    "insert into t values('b',--5,lower('?'))",
    "insert into t values('b',--\n5,lower('?'))",
    "insert into t values('b',0x10,lower('?'))",
    "insert into t values('b',5)+1",
    "insert into t values('b',5),(1,2)",
    "insert into t values('b',15),(1,-2)",
    "insert into t values('b',5e),(1,2)",
    "insert into t values('b',5e3),(.1,2.)",
    "insert into t values('b','c),(1,2)",
    "insert into t values(1 ,2)",
    "insert into t values(12,2)",
    "insert into t values(12,2",
    "insert into t values(null)",
    "",
    "insert into t values(12,2)\0",
    "insert into t values(12,?)",
    "insert into t values(12,2) returning 1",
    "select a from t where b=5",
    "select a from t where b=1",
    "select a from t where b=-1",
    "select a from t where b=--1\n5",
    "select a from t where b=-7 -- x",
    "select a from t where b='x';",
    "select a from t where b='x'' y' /* ; */; y",
    "select a from t where b='x' 'y'",
    "select a from t where b=5 and c=6",
    "select a from t where b=5 and c=6 limit 1",
    "select a from t where b=5 and c=6 limit 10",
    "select a from t where b=5 and c=6 limit 1.",
    "select a from t where b=5 and c=6 limit 1--",
    "select a from t where b=5 and c=6 limit 1-",
    "select a from t where b=5 and c=6 limit 1/*",
    "select a from t where b=5 and c=6 limit 1/* x",
    "select a from t where b=5 and c=6 order by a",
    "select a from t where b=5 and c=6 order by ab",
    "select a from t where b=5 and c=6 order by a'b'",
    "select a from t where b=5 and c=6 order by [a]",
    "select a from t where b=5 and c=6 order by \"a\"\"\"",
    "select a from t where b=5 and c=6 order by \"a\"",
    "select a from t where b=5x and c=6",
    "select a from t where b=5_0 and c=6",
    "select a from t where b=0x5 and c=6",
    "select a from t where b=5 collate x and c=6",
    "select a from t where b=(5) and c=6",
    "select a from t where b=5)",
    "select a from t where (b=5",
    "select a from t where b=5 and c=?",
    "delete from t where b=5 returning a+1",
    "delete from t where b=6 returning a+1 ;",
    "delete from t where b=6 returning a+1 /* x */",
    "delete from t where b=6 returning a+1 /* x */;",
    "update t set a=5 where b=6",
    "update t set a=1 where b=6",
    "update t set a=1 where b=1",
    "update t set a='x',b=5 where b=6 ; x",
];

/// A statement that is read after others has the same result as on its own.
#[test]
fn templates_that_come_again() {
    let arena = Bump::new();
    let shown = |sql: &str, read: Option<Templated<'_>>| {
        let value = |literal: &Literal| format!("{:?}", literal.value(sql.as_bytes(), &arena));
        let shown = |read: Templated<'_>| {
            let literals: Vec<String> = read.template.literals.iter().map(value).collect();
            (read.tail, read.template.text.clone(), literals)
        };
        read.map(shown)
    };
    let mut templates = Templates::default();
    for before in STATEMENTS {
        for sql in STATEMENTS {
            for text in [before, sql] {
                let mut alone = Templates::default();
                let again = |first: Option<_>, templates: &mut Templates| {
                    first.or_else(|| shown(text, templates.read(text.as_bytes())))
                };
                let first = shown(text, alone.read(text.as_bytes()));
                let expected = again(first, &mut alone);
                let first = shown(text, templates.read(text.as_bytes()));
                assert_eq!(again(first, &mut templates), expected, "{before}; {sql}");
                templates.has_occurred_before();
            }
        }
    }
}

/// The templates of some statements are known at the same time.
#[test]
fn statements_in_turns() {
    let mut templates = Templates::default();
    for number in 2..10 {
        for table in 0..KEPT {
            let sql = format!("select a from t{table} where b = {number}");
            assert!(templates.read(sql.as_bytes()).is_some(), "{sql}");
        }
    }
    assert_eq!(templates.read, KEPT);
}

/// Templates that never occur again are read less often, until one does.
#[test]
fn templates_in_vain() {
    let mut templates = Templates::default();
    let mut read = |tables: std::ops::Range<u32>| {
        let sql = |table| format!("insert into t{table} values(1)");
        tables.filter(|table| templates.read(sql(*table).as_bytes()).is_some()).count() as u32
    };
    assert_eq!(read(0..IN_VAIN_MAX), IN_VAIN_MAX);
    assert_eq!(read(100..100 + 10 * READ_EVERY), 10);
    templates.has_occurred_before();
    assert_eq!(templates.read(b"insert into u values(1)").map(|read| read.tail), Some(23));
}

/// Several rows are read when an INSERT of several rows has begun in the same way before.
#[test]
fn lists_that_come_again() {
    let mut templates = Templates::default();
    let mut is_read = |sql: &str| templates.read(sql.as_bytes()).is_some();
    assert!(!is_read("insert into t values(1, 'a'), (2, 'b')"));
    assert!(!is_read("insert into u values(1, 'a'), (2, 'b')"));
    assert!(is_read("insert into t values(1)"));
    assert!(is_read("insert into t values(3, 'c'), (4, 'd'), (5, 'e')"));
    assert!(is_read("insert into u values(3, 'c'), (4, 'd')"));
    for table in 0..KEPT {
        assert!(!is_read(&format!("insert into t{table} values(1), (2)")));
    }
    assert!(!is_read("insert into t values(1, 'a'), (2, 'b')"));
}

#[test]
fn no_template() {
    for sql in [
        "",
        "select 1",
        "insert into t default values",
        "insert into t select 1",
        "insert into t values(?, 1)",
        "insert into t values(1, ?1 + 2)",
        "insert into t values(null)",
        "insert into t values(0x10)",
        "insert into t values(1",
        "insert into t values(1) returning a",
        "insert into t values(1) on conflict do nothing",
        "insert into t values(1),",
        "insert into t values 1",
        "insert into t values(-'a')",
        "insert into t values(1))",
        "insert into t values(1 'a)",
        "select a from t",
        "select 5 from t",
        "select a from t where b = 1",
        "select a from t where b = c",
        "select a from t where b = :c and d = 5",
        "select a from t where (b = 5)",
        "select a from t where b in (5, 6)",
        "select a from t where b is 5",
        "select a from t where b = 5 + 1",
        "select a from t where b = -'x'",
        "select a from t where b = \"x\"",
        "select a from t where b = null",
        "select a from t join u on b = 5",
        "select a from t group by b having c = 5",
        "select 1 union select a from t where b = 5",
        "with x as (select 1) select a from x where b = 5",
        "explain select a from t where b = 5",
        "delete from t where b = 5 returning a + 1 -- x",
        "create view v as select a from t where b = 5",
    ] {
        check(sql, None);
    }
}
