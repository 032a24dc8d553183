//! `dbstat`: the space usage of a database's pages, a row for each page or for each tree.

use lithe_value::cast;
use lithe_vtab::{
    ColumnContext, ConnectRequest, Connected, FunctionError, IndexInfo, Kept, Module, ModuleKind, Result, Risk, Scan,
    ScanPlan, SqlConnection, ValueRef, Values, VirtualCursor, VirtualTable, constraint, lossy_copy,
};

use crate::function::database_named;
use crate::tree::{PageInfo, Walk};

const DECLARATION: &str = "CREATE TABLE x(name TEXT, path TEXT, pageno INTEGER, pagetype TEXT, ncell INTEGER, \
     payload INTEGER, unused INTEGER, mx_payload INTEGER, pgoffset INTEGER, pgsize INTEGER, schema TEXT HIDDEN, \
     aggregate BOOLEAN HIDDEN)";

const NAME: i32 = 0;
const PATH: i32 = 1;
const SCHEMA: i32 = 10;
const AGGREGATE: i32 = 11;

/// Bits of the plan's number: the arguments that the scan gets, and whether rows are sorted.
const WITH_SCHEMA: i32 = 1;
const WITH_NAME: i32 = 2;
const WITH_AGGREGATE: i32 = 4;
const SORTED: i32 = 8;

/// The module.
pub struct Dbstat;

impl Module for Dbstat {
    fn kind(&self) -> ModuleKind {
        ModuleKind::Eponymous
    }

    fn connect(&self, connection: &dyn SqlConnection, request: &ConnectRequest<'_>) -> Result<Connected> {
        let database = match request.arguments.first() {
            Some(argument) => {
                let name = unquoted(argument);
                let known = connection.databases().into_iter().find(|known| known.eq_ignore_ascii_case(&name));
                known.ok_or_else(|| FunctionError::new(format!("no such database: {name}")))?
            }
            None => "main".to_owned(),
        };
        let table = Box::new(StatTable { database });
        Ok(Connected { table, declaration: DECLARATION.to_owned(), risk: Risk::DirectOnly })
    }
}

/// A name in an argument of CREATE VIRTUAL TABLE, without its quotes.
fn unquoted(argument: &[u8]) -> String {
    let text = String::from_utf8_lossy(argument).into_owned();
    let mut rest = text.chars();
    let Some(quote @ ('\'' | '"' | '`' | '[')) = rest.next() else { return text };
    let end = if quote == '[' { ']' } else { quote };
    let inner = rest.as_str().strip_suffix(end).unwrap_or(rest.as_str());
    inner.replace(&format!("{end}{end}"), &end.to_string())
}

struct StatTable {
    database: String,
}

impl VirtualTable for StatTable {
    fn has_reusable_plans(&self) -> bool {
        true
    }

    fn best_index(&self, info: &mut IndexInfo) -> Result<bool> {
        let mut arguments = 0;
        for (column, bit) in [(SCHEMA, WITH_SCHEMA), (NAME, WITH_NAME), (AGGREGATE, WITH_AGGREGATE)] {
            let is_it = |of: &lithe_vtab::IndexConstraint| of.column == column && of.op == constraint::EQ;
            // An unusable constraint on the schema: another plan must provide the schema.
            if column == SCHEMA && info.constraints.iter().any(|of| is_it(of) && !of.usable) {
                return Ok(false);
            }
            let Some(at) = info.constraints.iter().position(|of| is_it(of) && of.usable) else { continue };
            arguments += 1;
            info.pass(at, arguments, column == SCHEMA);
            info.plan.number |= bit;
        }
        let is_rising = |at: usize, column: i32| {
            info.order_by.get(at).is_none_or(|order| order.column == column && !order.descending)
        };
        info.estimated_cost = 1.0;
        if (1..=2).contains(&info.order_by.len()) && is_rising(0, NAME) && is_rising(1, PATH) {
            info.order_by_consumed = true;
            info.plan.number |= SORTED;
        }
        info.shows_hex = true;
        Ok(true)
    }

    fn open(&self) -> Result<Box<dyn VirtualCursor>> {
        Ok(Box::new(StatCursor::default()))
    }
}

#[derive(Default)]
struct StatCursor {
    database: String,
    /// The statement that lists the trees; it stands on the one that is walked through.
    trees: Option<Kept>,
    walk: Option<(String, Walk)>,
    sums_up: bool,
    row: Option<Row>,
}

struct Row {
    name: String,
    page: PageInfo,
    /// The size on disk, in bytes.
    size: i64,
    /// The number of pages, if the row is for a whole tree.
    count: i64,
}

impl StatCursor {
    /// Begins the list of the trees of the database in the wanted order.
    fn list(&mut self, connection: &dyn SqlConnection, name: Option<&[u8]>, is_sorted: bool) -> Result {
        let quoted = self.database.replace('"', "\"\"");
        let mut sql = format!(
            "SELECT * FROM (SELECT 'sqlite_schema' AS name, 1 AS rootpage UNION ALL \
             SELECT name, rootpage FROM \"{quoted}\".sqlite_schema WHERE rootpage != 0)"
        );
        sql += if name.is_some() { " WHERE name = ?1" } else { "" };
        sql += if is_sorted { " ORDER BY name" } else { "" };
        let kept = self.trees.insert(Kept::new(sql));
        let mut statement = connection.resume(kept)?;
        if let Some(name) = name {
            statement.bind(1, ValueRef::Text(name))?;
        }
        Ok(())
    }

    /// The next tree: its name and its root.
    fn next_tree(&mut self, connection: &dyn SqlConnection) -> Result<Option<(String, u32)>> {
        let Some(kept) = &self.trees else { return Ok(None) };
        let mut statement = connection.resume(kept)?;
        while statement.step()? {
            if let (ValueRef::Text(name), ValueRef::Integer(root)) = (statement.column(0), statement.column(1)) {
                let name = lossy_copy(name)?;
                return Ok(Some((name, u32::try_from(root).unwrap_or(0))));
            }
        }
        drop(statement);
        self.trees = None;
        Ok(None)
    }

    fn advance(&mut self, connection: &dyn SqlConnection) -> Result {
        let pages = connection.pages(&self.database)?;
        self.row = None;
        loop {
            let Some((name, walk)) = &mut self.walk else {
                // (As in SQLite, an error of the list has the message of its code.)
                let next = self.next_tree(connection).map_err(FunctionError::silent)?;
                let Some((name, root)) = next else { return Ok(()) };
                if root <= pages.page_count() {
                    self.walk = Some((name, Walk::new(root)));
                }
                continue;
            };
            if let Some(page) = walk.next(&*pages)? {
                add(&mut self.row, name, page, pages.page_size() as i64);
                if !self.sums_up {
                    return Ok(());
                }
            } else {
                self.walk = None;
                if self.row.is_some() {
                    return Ok(());
                }
            }
        }
    }
}

/// Adds a page to the row.
fn add(row: &mut Option<Row>, name: &str, page: PageInfo, size: i64) {
    match row {
        None => *row = Some(Row { name: name.to_owned(), page, size, count: 1 }),
        Some(row) => {
            row.page.cells += page.cells;
            row.page.payload += page.payload;
            row.page.unused += page.unused;
            row.page.payload_max = row.page.payload_max.max(page.payload_max);
            row.size += size;
            row.count += 1;
        }
    }
}

impl VirtualCursor for StatCursor {
    fn filter(&mut self, scan: &Scan<'_>, plan: &ScanPlan, arguments: &Values<'_>) -> Result {
        let table: &StatTable = scan.table()?;
        let mut values = arguments.values.iter().copied();
        let mut given = |bit: i32| if plan.number & bit != 0 { values.next() } else { None };
        let (schema, name, aggregate) = (given(WITH_SCHEMA), given(WITH_NAME), given(WITH_AGGREGATE));
        *self = StatCursor { database: table.database.clone(), ..StatCursor::default() };
        if let Some(schema) = schema {
            let Some(known) = database_named(scan.connection, schema.bytes().unwrap_or_default()) else {
                return Ok(());
            };
            self.database = known;
        }
        self.sums_up = aggregate.is_some_and(|aggregate| cast::to_real(aggregate) != 0.0);
        let name = name.map(|name| name.bytes().unwrap_or_default());
        self.list(scan.connection, name, plan.number & SORTED != 0)?;
        self.advance(scan.connection)
    }

    fn next(&mut self, scan: &Scan<'_>) -> Result {
        self.advance(scan.connection)
    }

    fn eof(&self) -> bool {
        self.row.is_none()
    }

    fn column(&mut self, _: &Scan<'_>, answer: &mut ColumnContext<'_, '_>, column: usize) -> Result {
        let Some(Row { name, page, size, count }) = &self.row else { return Ok(()) };
        let sums_up = self.sums_up;
        let number = i64::from(page.number);
        let out = &mut *answer.context.out;
        match column {
            0 => out.set_text(name.as_bytes()),
            1 if !sums_up => match &self.walk {
                Some((_, walk)) => out.set_text(walk.path().as_bytes()),
                None => out.set_null(),
            },
            2 => out.set_integer(if sums_up { *count } else { number }),
            3 if !sums_up => out.set_text(page.kind.as_bytes()),
            4 => out.set_integer(page.cells),
            5 => out.set_integer(page.payload),
            6 => out.set_integer(page.unused),
            7 => out.set_integer(page.payload_max),
            8 if !sums_up => out.set_integer((number - 1) * size),
            9 => out.set_integer(*size),
            10 => out.set_text(self.database.as_bytes()),
            11 => out.set_integer(i64::from(sums_up)),
            _ => out.set_null(),
        }
        Ok(())
    }

    fn rowid(&mut self) -> Result<i64> {
        Ok(self.row.as_ref().map_or(0, |row| i64::from(row.page.number)))
    }
}
