//! `completion(prefix, wholeline)`: the words that can complete the user's input.
//!
//! | phase | words |
//! | --- | --- |
//! | 1 | keywords |
//! | 7 | databases |
//! | 8 | tables of every database |
//! | 9 | their columns |

use lithe_value::cast::to_text;
use lithe_vtab::{
    ColumnContext, ConnectRequest, Connected, Grow, IndexInfo, Module, ModuleKind, OutOfMemory, Result, Risk, Scan,
    ScanPlan, SqlConnection, ValueRef, Values, VirtualCursor, VirtualTable, constraint, copied, quoted,
};

/// The columns that are arguments, and their bits in the plan's number.
const ARGUMENTS: [(i32, i32); 2] = [(1, 1), (2, 2)];

/// The module.
pub struct Completion;

impl Module for Completion {
    fn kind(&self) -> ModuleKind {
        ModuleKind::EponymousOnly
    }

    fn connect(&self, _: &dyn SqlConnection, _: &ConnectRequest<'_>) -> Result<Connected> {
        let declaration = "CREATE TABLE x(candidate TEXT, prefix TEXT HIDDEN, wholeline TEXT HIDDEN, phase INT HIDDEN)";
        Ok(Connected { table: Box::new(Completion), declaration: declaration.to_owned(), risk: Risk::Innocuous })
    }
}

impl VirtualTable for Completion {
    fn has_reusable_plans(&self) -> bool {
        true
    }

    fn best_index(&self, info: &mut IndexInfo) -> Result<bool> {
        let mut arguments = 0;
        for (column, bit) in ARGUMENTS {
            let is_it = |of: &lithe_vtab::IndexConstraint| of.column == column && of.op == constraint::EQ && of.usable;
            if let Some(at) = info.constraints.iter().position(is_it) {
                arguments += 1;
                info.pass(at, arguments, true);
                info.plan.number |= bit;
            }
        }
        info.estimated_cost = 5000.0 - 1000.0 * f64::from(arguments);
        info.estimated_rows = 500 - 100 * i64::from(arguments);
        Ok(true)
    }

    fn open(&self) -> Result<Box<dyn VirtualCursor>> {
        Ok(Box::new(Words::default()))
    }
}

#[derive(Default)]
struct Words {
    prefix: Vec<u8>,
    line: Option<Vec<u8>>,
    /// The words that begin with the prefix, with their phases.
    found: Vec<(Vec<u8>, i64)>,
    at: usize,
}

impl VirtualCursor for Words {
    fn filter(&mut self, scan: &Scan<'_>, plan: &ScanPlan, arguments: &Values<'_>) -> Result {
        let mut values = arguments.values.iter().copied();
        let mut given = |bit: i32| {
            let value = if plan.number & bit != 0 { values.next() } else { None };
            value.filter(|value| !value.is_null()).map(|value| copied(&to_text(value))).transpose()
        };
        let prefix = given(1)?.filter(|prefix| !prefix.is_empty());
        self.line = given(2)?;
        self.prefix = match prefix {
            Some(prefix) => prefix,
            None => copied(last_word(self.line.as_deref().unwrap_or_default()))?,
        };
        (self.found, self.at) = (Vec::new(), 0);
        lithe_sql::keywords().iter().try_for_each(|keyword| self.add(keyword.text.as_bytes(), 1))?;
        let databases = scan.connection.databases();
        databases.iter().try_for_each(|database| self.add(database.as_bytes(), 7))?;
        for database in &databases {
            self.add_all(scan, &format!("SELECT name FROM {}.sqlite_schema", quoted(database)), 8)?;
        }
        for database in &databases {
            let name = format!("'{}'", database.replace('\'', "''"));
            let sql = format!(
                "SELECT pti.name FROM {}.sqlite_schema AS sm JOIN pragma_table_xinfo(sm.name, {name}) AS pti \
                 WHERE sm.type = 'table'",
                quoted(database)
            );
            self.add_all(scan, &sql, 9)?;
        }
        Ok(())
    }

    fn next(&mut self, _: &Scan<'_>) -> Result {
        self.at += 1;
        Ok(())
    }

    fn eof(&self) -> bool {
        self.at >= self.found.len()
    }

    fn column(&mut self, _: &Scan<'_>, answer: &mut ColumnContext<'_, '_>, column: usize) -> Result {
        let Some((word, phase)) = self.found.get(self.at) else { return Ok(()) };
        answer.context.answer(match column {
            0 => ValueRef::Text(word),
            1 => ValueRef::Text(&self.prefix),
            2 => self.line.as_deref().map_or(ValueRef::Null, ValueRef::Text),
            _ => ValueRef::Integer(*phase),
        })
    }

    fn rowid(&mut self) -> Result<i64> {
        Ok(self.at as i64 + 1)
    }
}

impl Words {
    fn add(&mut self, word: &[u8], phase: i64) -> Result<(), OutOfMemory> {
        let start = word.get(..self.prefix.len());
        if start.is_some_and(|start| start.eq_ignore_ascii_case(&self.prefix)) {
            self.found.try_push((copied(word)?, phase))?;
        }
        Ok(())
    }

    /// Adds the values of a statement's first column.
    fn add_all(&mut self, scan: &Scan<'_>, sql: &str, phase: i64) -> Result {
        let mut statement = scan.connection.prepare(sql)?;
        while statement.step()? {
            self.add(&to_text(statement.column(0)), phase)?;
        }
        Ok(())
    }
}

/// The letters, digits and underscores at the end of a line.
fn last_word(line: &[u8]) -> &[u8] {
    let is_of_word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    let length = line.iter().rev().take_while(|byte| is_of_word(byte)).count();
    line.get(line.len() - length..).unwrap_or_default()
}
