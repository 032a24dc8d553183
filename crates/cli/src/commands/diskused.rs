//! `.diskused`: the space that each table and index uses, as a comment to read and as SQL to query.
//!
//! The text has the form of SQLite's program `sqlite3_analyzer`, as its documentation shows it: a report within a comment, then the
//! statements that create the table `space_used` with the figures.

use crate::commands::failure::Failure;
use lithe::Connection;

use super::usage;
use crate::quote;
use crate::shell::Shell;

type Result<T> = std::result::Result<T, Failure>;

/// Columns of `space_used`: their names, types and meanings.
const COLUMNS: [(&str, &str); 18] = [
    ("name clob", "Name of a table or index in the database file"),
    ("tblname clob", "Name of associated table"),
    ("is_index boolean", "TRUE if it is an index, false for a table"),
    ("is_without_rowid boolean", "TRUE if WITHOUT ROWID table"),
    ("nentry int", "Number of entries in the BTree"),
    ("leaf_entries int", "Number of leaf entries"),
    ("depth int", "Depth of the b-tree"),
    ("payload int", "Total amount of data stored in this table or index"),
    ("ovfl_payload int", "Total amount of data stored on overflow pages"),
    ("ovfl_cnt int", "Number of entries that use overflow"),
    ("mx_payload int", "Maximum payload size"),
    ("int_pages int", "Number of interior pages used"),
    ("leaf_pages int", "Number of leaf pages used"),
    ("ovfl_pages int", "Number of overflow pages used"),
    ("int_unused int", "Number of unused bytes on interior pages"),
    ("leaf_unused int", "Number of unused bytes on primary pages"),
    ("ovfl_unused int", "Number of unused bytes on overflow pages"),
    ("compressed_size int", "Total bytes stored on disk"),
];

/// The figures of every tree, from `dbstat`. The keys on interior pages of a rowid table do not count as entries.
const FIGURES: &str = "
    WITH tree(name, tbl_name, is_index, is_without_rowid) AS (
        SELECT 'sqlite_schema', 'sqlite_schema', 0, 0
        UNION ALL SELECT name, tbl_name, type = 'index', type = 'table' AND coalesce((SELECT wr FROM pragma_table_list
            WHERE schema = :schema AND pragma_table_list.name = s.name), 0) FROM schema_of AS s WHERE rootpage > 0)
    SELECT tree.name, tbl_name, is_index, is_without_rowid,
        sum(CASE WHEN pagetype = 'leaf' OR is_index OR is_without_rowid THEN ncell ELSE 0 END),
        sum(ncell) FILTER (WHERE pagetype = 'leaf'),
        max(length(path) - length(replace(path, '/', ''))),
        sum(payload), total(payload) FILTER (WHERE pagetype = 'overflow'),
        count(*) FILTER (WHERE path LIKE '%+000000'), max(mx_payload),
        count(*) FILTER (WHERE pagetype = 'internal'), count(*) FILTER (WHERE pagetype = 'leaf'),
        count(*) FILTER (WHERE pagetype = 'overflow'),
        total(unused) FILTER (WHERE pagetype = 'internal'), total(unused) FILTER (WHERE pagetype = 'leaf'),
        total(unused) FILTER (WHERE pagetype = 'overflow'), sum(pgsize)
    FROM tree JOIN dbstat(:schema) AS d ON d.name = tree.name GROUP BY tree.name ORDER BY tbl_name, is_index, tree.name";

/// The figures of one tree, or of several together.
#[derive(Clone, Default)]
struct Tree {
    name: String,
    table: String,
    is_index: bool,
    is_without_rowid: bool,
    entries: i64,
    leaf_entries: i64,
    depth: i64,
    payload: i64,
    overflow_payload: i64,
    overflow_count: i64,
    payload_max: i64,
    /// The interior, leaf and overflow pages, and the unused bytes on each kind.
    pages: [i64; 3],
    unused: [i64; 3],
    bytes: i64,
}

impl Tree {
    fn page_count(&self) -> i64 {
        self.pages.iter().sum()
    }

    /// The sum of several trees.
    fn of_all<'t>(trees: impl Iterator<Item = &'t Tree>) -> Tree {
        trees.fold(Tree::default(), |all, tree| {
            let [pages, unused] = [(all.pages, tree.pages), (all.unused, tree.unused)]
                .map(|(a, b): ([i64; 3], [i64; 3])| std::array::from_fn(|at| a[at] + b[at]));
            Tree {
                entries: all.entries + tree.entries,
                leaf_entries: all.leaf_entries + tree.leaf_entries,
                payload: all.payload + tree.payload,
                overflow_payload: all.overflow_payload + tree.overflow_payload,
                overflow_count: all.overflow_count + tree.overflow_count,
                payload_max: all.payload_max.max(tree.payload_max),
                bytes: all.bytes + tree.bytes,
                pages,
                unused,
                ..all
            }
        })
    }

    /// A row of `space_used`.
    fn values(&self) -> String {
        let numbers = [
            i64::from(self.is_index),
            i64::from(self.is_without_rowid),
            self.entries,
            self.leaf_entries,
            self.depth,
            self.payload,
            self.overflow_payload,
            self.overflow_count,
            self.payload_max,
            self.pages[0],
            self.pages[1],
            self.pages[2],
            self.unused[0],
            self.unused[1],
            self.unused[2],
            self.bytes,
        ];
        let numbers: Vec<String> = numbers.iter().map(i64::to_string).collect();
        format!("{},{},{}", quote::string(&self.name), quote::string(&self.table), numbers.join(","))
    }
}

/// `.diskused ?DB?`
pub fn diskused(shell: &mut Shell, arguments: &[String]) -> Result<()> {
    let schema = match arguments {
        [] => "main",
        [schema] => schema.as_str(),
        _ => return Err(usage(".diskused")),
    };
    let text = report(&shell.database.connection, schema, &shell.database.file)?;
    Ok(shell.output.print(&text)?)
}

fn report(connection: &Connection, schema: &str, file: &str) -> Result<String> {
    let trees = figures(connection, schema)?;
    let pragma = |name: &str| {
        let sql = format!("PRAGMA {}.{name}", quote::identifier(schema));
        connection.query_row(&sql, [], |row| row.get::<i64>(0)).map_err(|error| error.to_string())
    };
    let (page_size, page_count, free) = (pragma("page_size")?, pragma("page_count")?, pragma("freelist_count")?);
    let used: i64 = trees.iter().map(Tree::page_count).sum();
    let mut text = format!("/** Disk-Space Utilization Report For {file}\n\n");
    let indexes = trees.iter().filter(|tree| tree.is_index).count() as i64;
    let implied = trees.iter().filter(|tree| tree.name.starts_with("sqlite_autoindex_")).count() as i64;
    let payload: i64 =
        trees.iter().filter(|tree| !tree.is_index && tree.name != "sqlite_schema").map(|t| t.payload).sum();
    let size = page_size * page_count;
    text.push_str(&line("Page size in bytes", page_size, None));
    text.push_str(&line("Pages in the whole file", page_count, None));
    text.push_str(&line("Pages that store data", used, Some((used, page_count))));
    text.push_str(&line("Pages on the freelist", free, Some((free, page_count))));
    let other = page_count - used - free;
    text.push_str(&line("Pages of auto-vacuum overhead", other, Some((other, page_count))));
    text.push_str(&line("Number of tables in the database", trees.len() as i64 - indexes, None));
    text.push_str(&line("Number of indices", indexes, None));
    text.push_str(&line("Number of defined indices", indexes - implied, None));
    text.push_str(&line("Number of implied indices", implied, None));
    text.push_str(&line("Size of the file in bytes", size, None));
    text.push_str(&line("Bytes of user payload stored", payload, Some((payload, size))));
    let tables: Vec<&Tree> = trees.iter().filter(|tree| !tree.is_index).collect();
    text.push_str(&title("Page counts for all tables with their indices"));
    let of_table = |table: &&Tree| Tree::of_all(trees.iter().filter(|tree| tree.table == table.name)).page_count();
    for table in sorted(tables.iter().map(|table| (table.name.as_str(), of_table(table)))) {
        text.push_str(&line(&table.0.to_uppercase(), table.1, Some((table.1, page_count))));
    }
    text.push_str(&title("Page counts for all tables and indices separately"));
    for tree in sorted(trees.iter().map(|tree| (tree.name.as_str(), tree.page_count()))) {
        text.push_str(&line(&tree.0.to_uppercase(), tree.1, Some((tree.1, page_count))));
    }
    if indexes > 0 {
        text.push_str(&section("All tables and indices", &Tree::of_all(trees.iter()), size));
    }
    text.push_str(&section("All tables", &Tree::of_all(tables.iter().copied()), size));
    if indexes > 0 {
        text.push_str(&section("All indices", &Tree::of_all(trees.iter().filter(|tree| tree.is_index)), size));
    }
    for table in tables {
        text.push_str(&table_sections(&trees, table, size));
    }
    text.push_str("\n*/\n");
    Ok(text + &statements(&trees))
}

fn figures(connection: &Connection, schema: &str) -> Result<Vec<Tree>> {
    let sql = FIGURES.replace("schema_of", &format!("{}.sqlite_schema", quote::identifier(schema)));
    let mut statement = connection.prepare(&sql).map_err(|error| error.to_string())?;
    let row = |row: &lithe::Row<'_>| {
        let three = |at: usize| -> lithe::Result<[i64; 3]> {
            Ok([number(row, at)?, number(row, at + 1)?, number(row, at + 2)?])
        };
        Ok(Tree {
            name: row.get(0)?,
            table: row.get(1)?,
            is_index: row.get(2)?,
            is_without_rowid: row.get(3)?,
            entries: number(row, 4)?,
            leaf_entries: number(row, 5)?,
            depth: number(row, 6)?,
            payload: number(row, 7)?,
            overflow_payload: number(row, 8)?,
            overflow_count: number(row, 9)?,
            payload_max: number(row, 10)?,
            pages: three(11)?,
            unused: three(14)?,
            bytes: number(row, 17)?,
        })
    };
    Ok(statement.query_map([schema], row).map_err(|error| error.to_string())?)
}

/// An integer or real; a sum without rows is NULL and counts as 0.
fn number(row: &lithe::Row<'_>, at: usize) -> lithe::Result<i64> {
    Ok(match row.get_ref(at) {
        lithe::ValueRef::Integer(integer) => integer,
        lithe::ValueRef::Real(real) => real as i64,
        _ => 0,
    })
}

/// Sorts by descending count, then by name.
fn sorted<'n>(counts: impl Iterator<Item = (&'n str, i64)>) -> Vec<(&'n str, i64)> {
    let mut counts: Vec<_> = counts.collect();
    counts.sort_by(|one, other| other.1.cmp(&one.1).then(one.0.cmp(other.0)));
    counts
}

fn table_sections(trees: &[Tree], table: &Tree, size: i64) -> String {
    let name = table.name.to_uppercase();
    let indexes: Vec<&Tree> = trees.iter().filter(|tree| tree.is_index && tree.table == table.name).collect();
    if indexes.is_empty() {
        return section(&format!("Table {name}"), table, size);
    }
    let all = Tree::of_all(trees.iter().filter(|tree| tree.table == table.name));
    let mut text = section(&format!("Table {name} and all its indices"), &all, size);
    text.push_str(&section(&format!("Table {name} w/o any indices"), table, size));
    if indexes.len() > 1 {
        text.push_str(&section(&format!("Indices of table {name}"), &Tree::of_all(indexes.iter().copied()), size));
    }
    for index in indexes {
        text.push_str(&section(&format!("Index {} of table {name}", index.name.to_uppercase()), index, size));
    }
    text
}

fn section(name: &str, tree: &Tree, size: i64) -> String {
    let entries = tree.entries.max(1) as f64;
    let unused: i64 = tree.unused.iter().sum();
    let [interior, leaf, overflow] = tree.pages;
    let [interior_unused, leaf_unused, overflow_unused] = tree.unused;
    let metadata = tree.bytes - tree.payload - unused;
    let mut text = title(name);
    text.push_str(&statistic("Percentage of total database", &percent(tree.bytes, size), ""));
    text.push_str(&line("Number of entries", tree.entries, None));
    text.push_str(&line("Bytes of storage consumed", tree.bytes, None));
    text.push_str(&line("Bytes of payload", tree.payload, Some((tree.payload, tree.bytes))));
    text.push_str(&line("Bytes of metadata", metadata, Some((metadata, tree.bytes))));
    if tree.depth > 0 {
        text.push_str(&line("B-tree depth", tree.depth, None));
    }
    text.push_str(&statistic("Average payload per entry", &format!("{:.2}", tree.payload as f64 / entries), ""));
    text.push_str(&statistic("Average unused bytes per entry", &format!("{:.2}", unused as f64 / entries), ""));
    text.push_str(&line("Maximum payload per entry", tree.payload_max, None));
    text.push_str(&line("Entries that use overflow", tree.overflow_count, Some((tree.overflow_count, tree.entries))));
    if interior > 0 {
        text.push_str(&line("Index pages used", interior, None));
    }
    text.push_str(&line("Primary pages used", leaf, None));
    text.push_str(&line("Overflow pages used", overflow, None));
    text.push_str(&line("Total pages used", tree.page_count(), None));
    let of = |unused: i64, pages: i64| Some((unused, pages * (tree.bytes / tree.page_count().max(1))));
    if interior > 0 {
        text.push_str(&line("Unused bytes on index pages", interior_unused, of(interior_unused, interior)));
    }
    text.push_str(&line("Unused bytes on primary pages", leaf_unused, of(leaf_unused, leaf)));
    text.push_str(&line("Unused bytes on overflow pages", overflow_unused, of(overflow_unused, overflow)));
    text + &line("Unused bytes on all pages", unused, of(unused, tree.page_count()))
}

/// The SQL after the comment.
fn statements(trees: &[Tree]) -> String {
    let mut text = "BEGIN;\nCREATE TABLE space_used(\n".to_owned();
    for (at, (column, meaning)) in COLUMNS.iter().enumerate() {
        let comma = if at + 1 < COLUMNS.len() { "," } else { "" };
        text.push_str(&format!("   {:<26} -- {meaning}\n", format!("{column}{comma}")));
    }
    text.push_str(");\n");
    for tree in trees {
        text.push_str(&format!("INSERT INTO space_used VALUES({});\n", tree.values()));
    }
    text + "COMMIT;\n"
}

fn title(text: &str) -> String {
    const WIDTH: usize = 79;
    let head = format!("*** {text} ");
    format!("\n{head}{}\n\n", "*".repeat(WIDTH.saturating_sub(head.chars().count())))
}

fn line(name: &str, value: i64, share: Option<(i64, i64)>) -> String {
    statistic(name, &value.to_string(), &share.map_or_else(String::new, |(part, whole)| percent(part, whole)))
}

fn statistic(name: &str, value: &str, share: &str) -> String {
    const WIDTH: usize = 50;
    let dots = ".".repeat(WIDTH.saturating_sub(name.chars().count()));
    format!("{}\n", format!("{name}{dots} {value:<10} {share:>7}").trim_end())
}

/// A share in percent; 0% if the whole is 0.
fn percent(part: i64, whole: i64) -> String {
    let share = if whole == 0 { 0.0 } else { 100.0 * part as f64 / whole as f64 };
    format!("{share:.1}%")
}
