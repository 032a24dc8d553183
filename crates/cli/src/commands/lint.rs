//! `.lint fkey-indexes`: foreign keys whose child table has no index on the key's columns.

use crate::commands::failure::Failure;
use lithe::Connection;

use crate::quote;
use crate::shell::Shell;

type Result<T> = std::result::Result<T, Failure>;

/// A foreign key of a table.
struct ForeignKey {
    child: String,
    child_columns: Vec<String>,
    parent: String,
    parent_columns: Vec<String>,
}

/// `.lint fkey-indexes ?-verbose? ?-groupbyparent?`
pub fn lint(shell: &mut Shell, arguments: &[String]) -> Result<()> {
    let Some((command, switches)) = arguments.split_first().filter(|(name, _)| is_beginning(name, "fkey-indexes"))
    else {
        return Err("Usage lint sub-command ?switches...?\nWhere sub-commands are:\n    fkey-indexes".into());
    };
    let (mut is_verbose, mut groups) = (false, false);
    for switch in switches {
        match switch.strip_prefix('-') {
            Some(name) if is_beginning(name, "verbose") => is_verbose = true,
            Some(name) if is_beginning(name, "groupbyparent") => groups = true,
            _ => return Err(Failure::Usage(format!("lint {command} ?-verbose? ?-groupbyparent?"))),
        }
    }
    let connection = &shell.database.connection;
    let mut keys = foreign_keys(connection).map_err(|e| e.to_string())?;
    if groups {
        keys.sort_by_key(|key| key.parent.to_lowercase());
    }
    let (mut text, mut group) = (String::new(), None);
    for key in &keys {
        let line = match key.has_index(connection).map_err(|e| e.to_string())? {
            true if is_verbose => key.satisfied(),
            true => continue,
            false => key.missing_index(),
        };
        if groups && group != Some(&key.parent) {
            text.push_str(&format!("-- Parent table {}\n", key.parent));
            group = Some(&key.parent);
        }
        text.push_str(&format!("{}{line}\n", if groups { "    " } else { "" }));
    }
    Ok(shell.output.print(&text)?)
}

fn is_beginning(name: &str, of: &str) -> bool {
    !name.is_empty() && of.get(..name.len()).is_some_and(|start| start.eq_ignore_ascii_case(name))
}

fn foreign_keys(connection: &Connection) -> lithe::Result<Vec<ForeignKey>> {
    let sql = "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name COLLATE nocase";
    let tables: Vec<String> = connection.prepare(sql)?.query_map([], |row| row.get(0))?;
    let mut keys = Vec::new();
    for table in tables {
        let pragma = format!("PRAGMA foreign_key_list({})", quote::string(&table));
        let parts: Vec<(i64, String, String, Option<String>)> = connection
            .prepare(&pragma)?
            .query_map([], |row| Ok((row.get("id")?, row.get("table")?, row.get("from")?, row.get("to")?)))?;
        let mut last = None;
        for (id, parent, from, to) in parts {
            if last.replace(id) != Some(id) {
                let child = table.clone();
                keys.push(ForeignKey { child, child_columns: Vec::new(), parent, parent_columns: Vec::new() });
            }
            if let Some(key) = keys.last_mut() {
                key.child_columns.push(from);
                key.parent_columns.extend(to);
            }
        }
    }
    for key in keys.iter_mut().filter(|key| key.parent_columns.is_empty()) {
        key.parent_columns = primary_key(connection, &key.parent)?;
    }
    Ok(keys)
}

/// The columns of a primary key, in the order of the key.
fn primary_key(connection: &Connection, table: &str) -> lithe::Result<Vec<String>> {
    let sql = "SELECT name FROM pragma_table_info(?1) WHERE pk > 0 ORDER BY pk";
    connection.prepare(sql)?.query_map([table], |row| row.get(0))
}

impl ForeignKey {
    /// Whether an equality on all columns of the key uses an index, not a full scan.
    fn has_index(&self, connection: &Connection) -> lithe::Result<bool> {
        let terms: Vec<String> =
            self.child_columns.iter().map(|name| format!("{} = ?", quote::identifier(name))).collect();
        let table = quote::identifier(&self.child);
        let sql = format!("EXPLAIN QUERY PLAN SELECT 1 FROM {table} WHERE {}", terms.join(" AND "));
        let mut plan = connection.prepare(&sql)?;
        while let Some(step) = plan.step()? {
            let detail: &str = step.get("detail")?;
            // An index covers the key if the plan has an equality for each of its columns.
            if detail.starts_with("SEARCH") && detail.matches("=?").count() == self.child_columns.len() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn described(&self) -> String {
        format!("{}({})", self.parent, self.parent_columns.join(","))
    }

    fn satisfied(&self) -> String {
        let child = format!("{}({})", self.child, self.child_columns.join(","));
        format!("/* no extra indexes required for {child} -> {} */", self.described())
    }

    fn missing_index(&self) -> String {
        let quoted: Vec<String> = self.child_columns.iter().map(|name| quote::string(name)).collect();
        let name = format!("{}_{}", self.child, self.child_columns.join("_"));
        let (name, child) = (quote::string(&name), quote::string(&self.child));
        format!("CREATE INDEX {name} ON {child}({}); --> {}", quoted.join(", "), self.described())
    }
}
