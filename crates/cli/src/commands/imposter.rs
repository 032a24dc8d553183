//! `.imposter`: a table whose rows are the entries of an index.

use crate::commands::failure::Failure;
use lithe::{Connection, params};

use super::usage;
use crate::shell::Shell;

type Result<T> = std::result::Result<T, Failure>;

/// The B-tree that an imposter table shows.
struct Tree {
    root: u32,
    is_table: bool,
}

/// `.imposter INDEX NAME` and `.imposter off`. INDEX may be the name of a table WITHOUT ROWID.
pub fn imposter(shell: &mut Shell, arguments: &[String]) -> Result<()> {
    let connection = &shell.database.connection;
    let (index, name) = match arguments {
        [off] if off == "off" => {
            connection.engine().forget_imposters();
            return Ok(());
        }
        [index, name] => (index, name),
        _ => return Err(usage(".imposter")),
    };
    let tree = tree(connection, index).map_err(|error| error.to_string())?;
    let Some(tree) = tree else { return Err(format!("no such index: \"{index}\"").into()) };
    let create = definition(connection, index, name, &tree).map_err(|error| error.to_string())?;
    let created = connection.engine().create_imposter("main", name, &create, tree.root);
    created.map_err(|error| format!("in [{create}]: {error}"))?;
    let kind = if tree.is_table { "table" } else { "index" };
    let warning = format!("WARNING: writing to an imposter table will corrupt the \"{index}\" {kind}!");
    Ok(shell.output.print(&format!("{create};\n{warning}\n"))?)
}

fn tree(connection: &Connection, name: &str) -> lithe::Result<Option<Tree>> {
    let sql = "SELECT rootpage, type = 'table' FROM main.sqlite_schema s WHERE name = ?1 AND (type = 'index' OR type = 'table' AND
        (SELECT wr FROM pragma_table_list(s.name) WHERE schema = 'main'))";
    let mut statement = connection.prepare(sql)?;
    let mut found =
        statement.query_map(params![name], |row| Ok(Tree { root: row.get(0)?, is_table: row.get::<i64>(1)? != 0 }))?;
    Ok(found.pop())
}

/// The CREATE TABLE statement: the columns of the tree's records. All of an index are its key.
fn definition(connection: &Connection, index: &str, name: &str, tree: &Tree) -> lithe::Result<String> {
    let mut statement = connection.prepare("SELECT seqno, cid, name, key FROM pragma_index_xinfo(?1, 'main')")?;
    let columns: Vec<(String, bool)> = statement.query_map(params![index], |row| {
        let (number, column): (i64, i64) = (row.get(0)?, row.get(1)?);
        let name = match column {
            -1 => "_ROWID_".to_owned(),
            -2 => format!("expr{}", number + 1),
            _ => row.get(2)?,
        };
        Ok((quoted(&name), row.get::<i64>(3)? != 0))
    })?;
    let list = |columns: &mut dyn Iterator<Item = &(String, bool)>| {
        columns.map(|(name, _)| name.as_str()).collect::<Vec<_>>().join(",")
    };
    let all = list(&mut columns.iter());
    let key = list(&mut columns.iter().filter(|(_, is_key)| *is_key || !tree.is_table));
    Ok(format!("CREATE TABLE {}({all},PRIMARY KEY({key}))WITHOUT ROWID", quoted(name)))
}

/// A name in double quotes, also where it needs none.
fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}
