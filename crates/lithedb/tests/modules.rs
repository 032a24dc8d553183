//! The modules of `lithe-modules`, compared with SQLite's answers.

use lithe::{Connection, ValueRef};

fn answer(connection: &Connection, sql: &str) -> String {
    let text = |value: ValueRef<'_>| match value {
        ValueRef::Null => "NULL".to_owned(),
        ValueRef::Integer(integer) => integer.to_string(),
        ValueRef::Real(real) => lithe::real_to_text(real),
        ValueRef::Text(text) | ValueRef::Blob(text) => String::from_utf8_lossy(text).into_owned(),
    };
    let run = || -> lithe::Result<String> {
        let mut statement = connection.prepare(sql)?;
        let width = statement.column_count();
        let mut rows = statement.query([])?;
        let mut lines = Vec::new();
        while let Some(row) = rows.next()? {
            let columns: Vec<String> = (0..width).map(|at| text(row.get_ref(at))).collect();
            lines.push(columns.join("|"));
        }
        Ok(lines.join(" "))
    };
    run().unwrap_or_else(|error| format!("error: {error}"))
}

#[track_caller]
fn check(connection: &Connection, sql: &str, expected: &str) {
    assert_eq!(answer(connection, sql), expected, "{sql}");
}

fn filled() -> Connection {
    let connection = Connection::open_in_memory().unwrap();
    connection
        .execute_batch(
            "PRAGMA page_size = 1024;
             CREATE TABLE zz(x PRIMARY KEY, y); CREATE TABLE a(x); CREATE TABLE m(b);
             INSERT INTO zz SELECT value, zeroblob(3000) FROM json_each('[1,2]');
             WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE i < 20)
             INSERT INTO a SELECT zeroblob(60) FROM c;",
        )
        .unwrap();
    connection
}

#[test]
fn dbstat_shows_how_pages_are_used() {
    let connection = filled();
    let columns = "name, path, pageno, pagetype, ncell, payload, unused, mx_payload, pgoffset, pgsize";
    check(
        &connection,
        &format!("SELECT {columns} FROM dbstat WHERE name = 'zz'"),
        "zz|/|2|internal|1|0|1005|0|1024|1024 zz|/000/|10|leaf|1|964|43|3004|9216|1024 \
         zz|/000/000+000000|6|overflow|0|1020|0|0|5120|1024 zz|/000/000+000001|7|overflow|0|1020|0|0|6144|1024 \
         zz|/001/|11|leaf|1|965|42|3005|10240|1024 zz|/001/000+000000|8|overflow|0|1020|0|0|7168|1024 \
         zz|/001/000+000001|9|overflow|0|1020|0|0|8192|1024",
    );
    check(
        &connection,
        "SELECT name, path, pageno, pagetype, ncell, pgoffset FROM dbstat('main', 1)",
        "sqlite_schema|NULL|1|NULL|4|NULL zz|NULL|7|NULL|3|NULL sqlite_autoindex_zz_1|NULL|1|NULL|2|NULL \
         a|NULL|3|NULL|21|NULL m|NULL|1|NULL|0|NULL",
    );
    check(&connection, "SELECT count(*) FROM dbstat('nope')", "0");
    for (aggregate, count) in [("NULL", "0"), ("'x'", "0"), ("2", "0"), ("'1'", "5"), ("1.0", "5"), ("x'31'", "0")] {
        check(&connection, &format!("SELECT count(*) FROM dbstat('main', {aggregate})"), count);
    }
    check(&connection, "SELECT count(*) FROM dbstat('MAIN' || char(0) || 'x', 1) WHERE name = x'61'", "0");
    check(&connection, "SELECT DISTINCT name FROM dbstat", "a m sqlite_autoindex_zz_1 sqlite_schema zz");
    let plan = "EXPLAIN QUERY PLAN SELECT * FROM dbstat WHERE name = 'a' ORDER BY name, path";
    assert!(
        answer(&connection, plan).ends_with("SCAN dbstat VIRTUAL TABLE INDEX 0xa:"),
        "{}",
        answer(&connection, plan)
    );
    check(&connection, "CREATE VIRTUAL TABLE temp.s USING dbstat(nope)", "error: no such database: nope");
    check(&connection, "CREATE VIRTUAL TABLE temp.s USING dbstat(main)", "");
    check(&connection, "SELECT sum(pgsize) FROM s WHERE aggregate = 1", "13312");
}

#[test]
fn pages_are_read_and_written() {
    let connection = filled();
    check(&connection, "SELECT count(*), sum(length(data)), max(pgno) FROM sqlite_dbpage", "13|13312|13");
    check(&connection, "SELECT pgno FROM sqlite_dbpage WHERE pgno = 4000", "");
    check(&connection, "SELECT pgno FROM sqlite_dbpage WHERE pgno IN ('2x', 3.5, x'34', 'x', 4294967298)", "3 2 4");
    let beyond = "INSERT INTO sqlite_dbpage(pgno, data) VALUES (4294967295, zeroblob(1024))";
    check(&connection, beyond, "error: bad page number");
    check(&connection, "SELECT count(*) FROM sqlite_dbpage('nope')", "0");
    check(&connection, "DELETE FROM sqlite_dbpage WHERE pgno = 1", "error: cannot delete");
    check(&connection, "UPDATE sqlite_dbpage SET data = zeroblob(3) WHERE pgno = 2", "error: bad page value");
    check(&connection, "INSERT INTO sqlite_dbpage(pgno, data) VALUES (0, zeroblob(1024))", "error: bad page number");
    let other = "INSERT INTO sqlite_dbpage(pgno, data, schema) VALUES (1, zeroblob(1024), 'x')";
    check(&connection, other, "error: no such schema");
    check(&connection, "SELECT count(*) FROM a WHERE length(x) = 60", "20");
    // Another page is written over the table's page, so the table has that page's content.
    connection
        .execute_batch(
            "CREATE TABLE other(x); INSERT INTO other VALUES ('here');
             UPDATE sqlite_dbpage SET data = (SELECT data FROM sqlite_dbpage WHERE pgno =
                 (SELECT rootpage FROM sqlite_schema WHERE name = 'other'))
             WHERE pgno = (SELECT rootpage FROM sqlite_schema WHERE name = 'm');",
        )
        .unwrap();
    check(&connection, "SELECT * FROM m", "here");
    connection.execute_batch("BEGIN; UPDATE sqlite_dbpage SET data = zeroblob(1024) WHERE pgno = 2; ROLLBACK").unwrap();
    check(&connection, "PRAGMA integrity_check", "ok");
}

#[test]
fn a_database_is_copied_page_by_page() {
    let connection = filled();
    connection
        .execute_batch("ATTACH ':memory:' AS copy; PRAGMA copy.page_size = 1024; CREATE TABLE copy.x(y)")
        .unwrap();
    connection
        .execute_batch(
            "INSERT INTO sqlite_dbpage(pgno, data, schema) SELECT pgno, data, 'copy' FROM sqlite_dbpage('main')",
        )
        .unwrap();
    check(&connection, "SELECT count(*) FROM sqlite_dbpage('copy')", "13");
}

#[test]
fn series_count_up_and_down() {
    let connection = Connection::open_in_memory().unwrap();
    connection.add_extension(&lithe::extension::SHELL);
    let series = |arguments: &str, expected: &str| {
        check(&connection, &format!("SELECT value FROM generate_series{arguments}"), expected);
    };
    series("(5, 1, -2)", "5 3 1");
    series("(1, 6, 2)", "1 3 5");
    series("(5, 1)", "");
    series("(1, 6, 2) ORDER BY value DESC", "5 3 1");
    series("(5, 1, -2) ORDER BY value", "1 3 5");
    series("(1.5, 2)", "1 2");
    series("('a', 1)", "0 1");
    series("(NULL, 1)", "");
    series("(1, 3, 0)", "1 2 3");
    series("(1, 10, 3) WHERE value > 4", "7 10");
    series(" WHERE value BETWEEN 3 AND 5", "3 4 5");
    series("(9223372036854775806, 9223372036854775807)", "9223372036854775806 9223372036854775807");
    series("", "error: first argument to \"generate_series()\" missing or unusable");
}

#[test]
fn percentiles_of_groups_and_windows() {
    let connection = Connection::open_in_memory().unwrap();
    connection.execute_batch("CREATE TABLE t(x); INSERT INTO t VALUES (10), (1), (NULL), (3), (2)").unwrap();
    check(&connection, "SELECT median(x), percentile(x, 25), percentile_cont(x, 0.3) FROM t", "2.5|1.75|1.9");
    check(&connection, "SELECT percentile_disc(x, 0.3), percentile_disc(x, '1'), median(NULL) FROM t", "1.0|10.0|NULL");
    check(&connection, "SELECT median(x) FROM t WHERE 0", "NULL");
    let over = "SELECT median(x) OVER (ORDER BY x ROWS 1 PRECEDING) FROM t";
    check(&connection, over, "NULL 1.0 1.5 2.5 6.5");
    let fraction = "the fraction argument to percentile() is not";
    check(&connection, "SELECT percentile(x, 101) FROM t", &format!("error: {fraction} between 0.0 and 100.0"));
    check(&connection, "SELECT percentile(x, x) FROM t", &format!("error: {fraction} the same for all input rows"));
    check(
        &connection,
        "SELECT percentile_cont(x, -1) FROM t",
        "error: the fraction argument to percentile_cont() is not between 0.0 and 1.0",
    );
    check(&connection, "SELECT median('12')", "error: input to median() is not numeric");
    check(&connection, "SELECT median(9e999)", "error: Inf input to median()");
}

#[cfg(feature = "rtree")]
#[test]
fn polygons_are_found() {
    let connection = Connection::open_in_memory().unwrap();
    connection
        .execute_batch(
            "CREATE VIRTUAL TABLE g USING geopoly(name, size);
             INSERT INTO g(_shape, name) VALUES('[[0,0],[1,0],[1,1],[0,1],[0,0]]', 'square'),
                 ('[[5,5],[6,5],[6,6],[5,5]]', 'far'), ('[[0.2,0.2],[0.4,0.2],[0.4,0.4],[0.2,0.2]]', 'within');",
        )
        .unwrap();
    let square = "'[[0,0],[1,0],[1,1],[0,1],[0,0]]'";
    check(&connection, &format!("SELECT name FROM g WHERE geopoly_overlap(_shape, {square})"), "square within");
    check(&connection, &format!("SELECT name FROM g WHERE geopoly_within(_shape, {square})"), "square within");
    check(&connection, "SELECT name FROM g WHERE rowid = 2", "far");
    check(&connection, "SELECT count(*) FROM g WHERE geopoly_overlap(_shape, '[1')", "error: SQL logic error");
    check(&connection, "SELECT count(*) FROM g WHERE geopoly_overlap(_shape, 'text')", "0");
    check(&connection, "INSERT INTO g(_shape) VALUES(5)", "error: _shape does not contain a valid polygon");
    check(
        &connection,
        &format!("INSERT INTO g(rowid, _shape) VALUES(1, {square})"),
        "error: UNIQUE constraint failed: g._shape",
    );
    check(&connection, "UPDATE g SET size = 7 WHERE name = 'far'", "");
    check(&connection, "UPDATE g SET rowid = 9 WHERE name = 'far'", "error: _shape does not contain a valid polygon");
    check(&connection, "UPDATE g SET _shape = geopoly_xform(_shape, 1, 0, 0, 1, 1, 0) WHERE rowid = 3", "");
    check(
        &connection,
        "SELECT size, geopoly_json(_shape) FROM g WHERE rowid = 2",
        "7|[[5.0,5.0],[6.0,5.0],[6.0,6.0],[5.0,5.0]]",
    );
    check(&connection, &format!("SELECT name FROM g WHERE geopoly_within(_shape, {square})"), "square");
    check(&connection, "PRAGMA integrity_check", "ok");
    check(
        &connection,
        "SELECT geopoly_json(geopoly_group_bbox(_shape)) FROM g",
        "[[0.0,0.0],[6.0,0.0],[6.0,6.0],[0.0,6.0],[0.0,0.0]]",
    );
    check(
        &connection,
        "EXPLAIN QUERY PLAN SELECT * FROM g WHERE geopoly_overlap(_shape, 'x')",
        "1|0|82|SCAN g VIRTUAL TABLE INDEX 2:rtree",
    );
}

#[test]
fn what_the_shell_has() {
    let connection = Connection::open_in_memory().unwrap();
    connection.add_extension(&lithe::extension::SHELL);
    let taken_apart = [
        ("45.25", "181,-2"),
        ("2.0", "2,0"),
        ("-0.5", "-1,-1"),
        ("0.0", "0,-1075"),
        ("-0.0", "1,-3071"),
        ("9e999", "4503599627370496,972"),
        ("1152921504606846976", "4503599627370496,8"),
        ("NULL", "0,-1075"),
        ("x'3ff8000000000000'", "3,-1"),
    ];
    for (number, parts) in taken_apart {
        check(&connection, &format!("SELECT ieee754({number})"), &format!("ieee754({parts})"));
    }
    check(
        &connection,
        "SELECT ieee754(181, -2), ieee754(-1, 3), ieee754(1, -1074) > 0, ieee754(1, 99999)",
        "45.25|-8.0|1|Inf",
    );
    check(&connection, "SELECT ieee754_mantissa(45.25), ieee754_exponent(45.25)", "181|-2");
    check(
        &connection,
        "SELECT hex(ieee754_to_blob(1.5)), ieee754_from_blob(x'3ff8000000000000'), ieee754_inc(1.0, 1) > 1",
        "3FF8000000000000|1.5|1",
    );
    let sorted = "SELECT value FROM json_each('[\"a10\",\"a9\",\"a01\",\"b\",\"a\"]') ORDER BY value COLLATE uint";
    check(&connection, sorted, "a a01 a9 a10 b");
    check(&connection, "SELECT 'a01' = 'a1' COLLATE uint, 'a1b2' < 'a1b10' COLLATE uint", "1|1");
}

/// The expected answers are documented by SQLite, or given by its shell.
#[test]
fn functions_of_the_shell() {
    let connection = Connection::open_in_memory().unwrap();
    connection.add_extension(&lithe::extension::SHELL);
    let sha3 = "3A985DA74FE225B2045C172D6BD390BD855F086E3E9D525B46BFE24511431532";
    let sha3_of_query = "29355B338AD34B4575278B3775539E31E3AD6DCE817C480A17163A7FF51AA59B";
    for (expression, expected) in [
        ("hex(sha3('abc'))", sha3),
        ("hex(sha3(x'616263', 256))", sha3),
        ("length(sha3('', 224)) || ' ' || length(sha3('', 512))", "28 64"),
        ("sha3(NULL)", "NULL"),
        ("sha3('', 100)", "error: SHA3 size should be one of: 224 256 384 512"),
        ("hex(sha3_query('select 1'))", sha3_of_query),
        ("sha3_query('delete from t')", "error: error SQL statement [delete from t]: no such table: t"),
        ("sha3_query('create table t(a)')", "error: non-query: [create table t(a)]"),
        ("CAST(sha1('abc') AS TEXT)", "a9993e364706816aba3e25717850c26c9cd0d89d"),
        ("hex(sha1b('abc'))", "A9993E364706816ABA3E25717850C26C9CD0D89D"),
        ("sha1_query('select 1')", "607ebfacbfd9bac2e9a1a19d4110aa08c6b11d32"),
        ("replace(base64(x'00ff10'), char(10), '!')", "AP8Q!"),
        ("hex(base64('AP8Q'))", "00FF10"),
        ("base64(5)", "error: base64 accepts only blob or text"),
        ("base85(NULL)", "error: base85 accepts only blob or text."),
        ("trim(base85(x'00ff1020'), char(10)) || is_base85('ab c') || is_base85('a(')", "#A8YV10"),
        ("decimal(0.1)", "0.1000000000000000055511151231257827021181583404541015625"),
        ("decimal(x'3ff8000000000000')", "1.5"),
        ("decimal_add(0.1, '0.2')", "0.3"),
        ("decimal_mul('1.50', '2.5')", "3.75"),
        ("decimal_cmp('1', '1.0')", "-1"),
        ("decimal_pow2(10) || ' ' || decimal_pow2(-3)", "+1.024e+03 +1.25e-01"),
        ("(SELECT decimal_sum(value) FROM json_each('[\"1.10\",null,\"2.20\"]'))", "3.30"),
        ("'10' > '9' COLLATE decimal", "1"),
        ("'concat' REGEXP '^c.t$', 'x' REGEXP NULL, regexpi('A+', 'caab')", "0|NULL|1"),
        ("'a' REGEXP '('", "error: unmatched '('"),
        ("lsmode(33188)", "-rw-r--r--"),
        ("readfile('/no/such/file')", "NULL"),
        ("writefile('x')", "error: wrong number of arguments to function writefile()"),
    ] {
        check(&connection, &format!("SELECT {expression}"), expected);
    }
    let path = std::env::temp_dir().join(format!("lithe-shell-functions-{}", std::process::id()));
    let path = path.display();
    check(
        &connection,
        &format!("SELECT writefile('{path}', 'content'), CAST(readfile('{path}') AS TEXT)"),
        "7|content",
    );
    std::fs::remove_file(path.to_string()).unwrap();
    connection.execute_batch("CREATE VIEW v AS SELECT readfile('x')").unwrap();
    check(&connection, "SELECT * FROM v", "error: unsafe use of readfile()");
}

/// A connection with the shell's extensions, and a folder for its files.
fn shell() -> (Connection, tempfile::TempDir) {
    let connection = Connection::open_in_memory().unwrap();
    connection.add_extension(&lithe::extension::SHELL);
    (connection, tempfile::tempdir().unwrap())
}

#[test]
fn csv_files_are_tables() {
    let (connection, folder) = shell();
    let file = folder.path().join("a.csv");
    std::fs::write(&file, "name,n\r\n\"Smith, \"\"J\"\"\",1\nshort\nlong,2,3\n").unwrap();
    let create = |arguments: &str| format!("CREATE VIRTUAL TABLE temp.t USING csv({arguments})");
    let source = format!("filename='{}'", file.display());
    check(&connection, &create(&format!("{source}, header=yes")), "");
    check(&connection, "SELECT rowid, *, typeof(n) FROM t", "1|Smith, \"J\"|1|text 2|short|NULL|null 3|long|2|text");
    check(&connection, "INSERT INTO t VALUES(1, 2)", "error: table t may not be modified");
    check(&connection, "DROP TABLE t", "");
    check(
        &connection,
        &create(
            "data='1,2
3,4', columns=3",
        ),
        "",
    );
    check(&connection, "SELECT c0, c1, c2 FROM t", "1|2|NULL 3|4|NULL");
    check(&connection, "DROP TABLE t", "");
    check(&connection, &create("data='a,b\n3,4', header, schema='CREATE TABLE x(p, q)'"), "");
    check(&connection, "SELECT p, q FROM t", "3|4");
    for (arguments, message) in [
        ("", "must specify either filename= or data= but not both"),
        ("data='', filename='x'", "must specify either filename= or data= but not both"),
        ("filename=nowhere", "cannot open 'nowhere' for reading"),
        ("data='', data=''", "more than one 'data' parameter"),
        ("data='', columns=0", "column= value must be positive"),
        ("data='', header=perhaps", "bad parameter: 'header=perhaps'"),
        ("rows=2", "bad parameter: 'rows=2'"),
    ] {
        check(&connection, &create(arguments).replace("temp.t", "temp.w"), &format!("error: {message}"));
    }
}

#[test]
fn completion_knows_keywords_and_names() {
    let (connection, _folder) = shell();
    connection.execute_batch("CREATE TABLE tt(aseb, secol); CREATE VIEW vv AS SELECT 1 AS sexy").unwrap();
    check(
        &connection,
        "SELECT candidate, prefix, wholeline, phase FROM completion('se')",
        "SELECT|se|NULL|1 SET|se|NULL|1 secol|se|NULL|9",
    );
    check(&connection, "SELECT candidate, prefix, phase FROM completion(NULL, 'SELECT * FROM TT')", "tt|TT|8");
    check(&connection, "SELECT candidate FROM completion('MAI')", "main");
}

#[test]
fn fsdir_walks_through_directories() {
    let (connection, folder) = shell();
    std::fs::create_dir(folder.path().join("d")).unwrap();
    std::fs::write(folder.path().join("d/f"), "content").unwrap();
    std::os::unix::fs::symlink("f", folder.path().join("d/l")).unwrap();
    let path = folder.path().display();
    let columns = "name, mode & 61440, typeof(data), data FROM fsdir";
    check(
        &connection,
        &format!("SELECT {columns}('d', '{path}') ORDER BY name"),
        "d|16384|null|NULL d/f|32768|blob|content d/l|40960|text|f",
    );
    check(&connection, "SELECT * FROM fsdir", "error: table function fsdir requires an argument");
    check(&connection, "SELECT * FROM fsdir(NULL)", "error: table function fsdir requires a non-NULL argument");
    check(&connection, "SELECT * FROM fsdir('/nowhere')", "error: cannot stat file: /nowhere");
    connection.execute_batch("CREATE VIEW v AS SELECT * FROM fsdir('.')").unwrap();
    check(&connection, "SELECT * FROM v", "error: unsafe use of virtual table \"fsdir\"");
}

#[test]
fn files_of_archives_are_compressed() {
    let (connection, _folder) = shell();
    check(
        &connection,
        "SELECT hex(sqlar_compress(zeroblob(100))), hex(sqlar_compress(x'0102')), sqlar_compress('aaaaaaaaaaaaaaaaaaaaaa')",
        "789C6360A03D000000640001|0102|aaaaaaaaaaaaaaaaaaaaaa",
    );
    check(&connection, "SELECT length(sqlar_uncompress(sqlar_compress(zeroblob(100)), 100))", "100");
    check(&connection, "SELECT length(sqlar_uncompress(sqlar_compress(zeroblob(100)), 150))", "100");
    check(&connection, "SELECT sqlar_uncompress('abc', 3), sqlar_uncompress('abc', -1)", "abc|abc");
    for wrong in ["sqlar_compress(zeroblob(100)), 50", "x'aabb', 20"] {
        check(&connection, &format!("SELECT sqlar_uncompress({wrong})"), "error: error in uncompress()");
    }
}

/// The answers of `sqlite3` 3.40 to the same statements, except ROLLBACK, which here leaves the file unchanged.
#[test]
fn zip_archives_are_tables() {
    let (connection, folder) = shell();
    let file = folder.path().join("a.zip");
    let file = file.display();
    check(&connection, &format!("CREATE VIRTUAL TABLE temp.z USING zipfile('{file}')"), "");
    check(&connection, "SELECT * FROM z", &format!("error: cannot open file: {file}"));
    for sql in [
        "INSERT INTO z(name, data) VALUES('a.txt', 'hello world')",
        "INSERT INTO z(name, mtime, data) VALUES('dir', 1000000000, NULL)",
        "INSERT INTO z(name, mode, mtime, data, method) VALUES('b', '-rw-rw-r--', 1600000001, zeroblob(500), 8)",
    ] {
        check(&connection, sql, "");
    }
    check(
        &connection,
        "SELECT name, mode, sz, typeof(rawdata), length(data), method FROM z",
        "a.txt|33188|11|blob|11|0 dir/|16877|0|null|NULL|0 b|33204|500|blob|500|8",
    );
    check(&connection, "SELECT json(zipfile_cds(z)) ->> '$.date' FROM z WHERE name = 'dir/'", "11049");
    for (sql, message) in [
        ("INSERT INTO z(name, data) VALUES('a.txt', 'x')", "duplicate name: \"a.txt\""),
        ("INSERT OR IGNORE INTO z(name, data) VALUES('a.txt', 'x')", ""),
        ("UPDATE z SET name = 'b' WHERE name = 'a.txt'", "duplicate name: \"b\""),
        ("INSERT INTO z(name, sz, data) VALUES('w', 3, 'x')", "sz must be NULL"),
        ("INSERT INTO z(name, rawdata, data) VALUES('w', 3, 'x')", "rawdata must be NULL"),
        ("INSERT INTO z(name, mode, data) VALUES('w', 'drwxr-xr-x', 'x')", "zipfile: mode does not match data"),
        ("INSERT INTO z(name, mode, data) VALUES('w', 'zrwxr-xr-x', 'x')", "zipfile: parse error in mode: zrwxr-xr-x"),
        ("INSERT INTO z(name, data, method) VALUES('w', 'x', 3)", "unknown compression method: 3"),
    ] {
        let expected = if message.is_empty() { String::new() } else { format!("error: {message}") };
        check(&connection, sql, &expected);
    }
    check(&connection, "INSERT OR REPLACE INTO z(name, data) VALUES('a.txt', 'yy')", "");
    check(&connection, "UPDATE z SET name = 'q' WHERE name = 'b'", "");
    check(&connection, "SELECT name, sz FROM z", "dir/|0 q|500 a.txt|2");
    connection.execute_batch("BEGIN; INSERT INTO z(name, data) VALUES('x', 'x'); ROLLBACK").unwrap();
    let steps =
        "BEGIN; INSERT INTO z(name, data) VALUES('in1', 1); SAVEPOINT s; INSERT INTO z(name, data) VALUES('in2', 2);
        ROLLBACK TO s; DELETE FROM z WHERE name = 'dir/'; COMMIT";
    connection.execute_batch(steps).unwrap();
    check(&connection, &format!("SELECT name, data FROM zipfile('{file}') WHERE sz < 500"), "a.txt|yy in1|1");
    check(&connection, "DELETE FROM z", "");
    check(&connection, "SELECT count(*) FROM z", "0");
}

#[test]
fn zip_archives_are_made_of_rows() {
    let (connection, _folder) = shell();
    check(
        &connection,
        "SELECT hex(zipfile('a', 33188, 1000000000, 'b'))",
        "504B0304140000080000D40D292BF9EFBE7101000000010000000100090061555405000100CA9A3B62504B01021E03140000080000D40D2\
         92BF9EFBE710100000001000000010009000000000000000000A4810000000061555405000100CA9A3B504B050600000000010001003800\
         0000290000000000",
    );
    let archive = "(SELECT zipfile(column1, column2) FROM (VALUES('a', 'one'), ('d', NULL), ('e', '')))";
    check(&connection, &format!("SELECT name, data FROM zipfile({archive})"), "a|one d/|NULL e|");
    for (arguments, message) in [
        ("1", "wrong number of arguments to function zipfile()"),
        ("NULL, 2", "first argument to zipfile() must be non-NULL"),
        ("1, 2, 3, 4, 5", "illegal method value: 5"),
        ("'a/', 'x'", "non-directory name must not end with /"),
        ("'a', 'b', 3, 4", "zipfile: parse error in mode: b"),
    ] {
        check(&connection, &format!("SELECT zipfile({arguments})"), &format!("error: {message}"));
    }
    check(&connection, "SELECT zipfile('a', 'b') FROM (SELECT 1 WHERE 0)", "NULL");
    for wrong in ["x''", "x'0102'", "x'504B0506000000000100010038000000290000000000'"] {
        assert!(answer(&connection, &format!("SELECT * FROM zipfile({wrong})")).starts_with("error: "), "{wrong}");
    }
}
