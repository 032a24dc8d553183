//! `rtreenode()`, `rtreedepth()` and `rtreecheck()`.

use std::sync::{Arc, OnceLock};

use lithe_functions::{Arity, Context, Flags, Function, Kind, format_values};
use lithe_value::cast;
use lithe_value::grow::check_room;
use lithe_vtab::{Grow, Names, ScalarFn, SqlConnection, ValueRef, code};

use crate::bounds::{CoordinateType, MAX_DIMENSIONS};
use crate::check;
use crate::error::{Error, Result};
use crate::node::Layout;
use crate::sql_store::{SqlStore, Statements};

/// All functions, shared by the connections of a process.
pub fn all() -> &'static [Arc<Function>] {
    static FUNCTIONS: OnceLock<Vec<Arc<Function>>> = OnceLock::new();
    FUNCTIONS.get_or_init(make)
}

fn make() -> Vec<Arc<Function>> {
    let scalar = |name, args, eval: ScalarFn| {
        Arc::new(Function::custom(name, args, Flags::default(), Kind::CustomScalar(Arc::new(eval))))
    };
    let own = [
        scalar("rtreenode", Arity::Exactly(2), rtreenode),
        scalar("rtreedepth", Arity::Exactly(1), rtreedepth),
        scalar("rtreecheck", Arity::AtLeast(0), rtreecheck),
    ];
    own.into_iter().chain(crate::geopoly::functions().iter().map(Arc::clone)).collect()
}

/// The cells of a node as text: `{rowid c c c c} {…}`, with all coordinates as single-precision floats. NULL if the BLOB is not a node.
fn rtreenode(context: &mut Context<'_>, args: &[ValueRef<'_>]) -> Result {
    let [dimensions, data] = args else { return context.answer(ValueRef::Null) };
    let dimensions = usize::try_from(cast::to_integer(*dimensions)).unwrap_or(0);
    let (ValueRef::Blob(data) | ValueRef::Text(data)) = *data else { return context.answer(ValueRef::Null) };
    let layout = Layout { dimensions, coordinates: CoordinateType::Float, node_len: data.len() };
    let is_known = (1..=MAX_DIMENSIONS).contains(&dimensions) && data.len() >= 4;
    if !is_known || layout.check(data).is_err() {
        return context.answer(ValueRef::Null);
    }
    let mut text = Vec::new();
    for cell in layout.cells_of(data).map(|(cell, _)| layout.decode(cell)) {
        text.try_append(if text.is_empty() { b"{" } else { b" {" })?;
        text.try_append(cell.id.to_string().as_bytes())?;
        for coordinate in cell.bounds.coordinates() {
            let number = format_values(b" %g", &[ValueRef::Real(*coordinate)], usize::MAX)?;
            text.try_append(number.as_slice())?;
        }
        text.try_push(b'}')?;
    }
    context.answer(if text.is_empty() { ValueRef::Null } else { ValueRef::Text(&text) })
}

/// The depth of a tree, from its root.
fn rtreedepth(context: &mut Context<'_>, args: &[ValueRef<'_>]) -> Result {
    match args {
        [ValueRef::Blob([high, low, ..])] => {
            context.answer(ValueRef::Integer(i64::from(u16::from_be_bytes([*high, *low]))))
        }
        _ => Err(Error::new("Invalid argument to rtreedepth()")),
    }
}

/// The damage of an R-Tree: `rtreecheck(table)`, `rtreecheck(schema, table)`.
fn rtreecheck(context: &mut Context<'_>, args: &[ValueRef<'_>]) -> Result {
    args.iter().try_for_each(|name| check_room(cast::to_text(*name).len()))?;
    let text = |value: &ValueRef<'_>| String::from_utf8_lossy(&cast::to_text(*value)).into_owned();
    let (database, table) = match args {
        [table] => ("main".to_owned(), text(table)),
        [database, table] => (text(database), text(table)),
        _ => return Err(Error::new("wrong number of arguments to function rtreecheck()")),
    };
    let sql = context.connection.sql().ok_or_else(crate::error::logic)?;
    let findings = check_table(sql, &Names::new(&database, &table))?;
    let findings = if findings.is_empty() { "ok".to_owned() } else { findings.join("\n") };
    context.answer(ValueRef::Text(findings.as_bytes()))
}

/// The damage of the R-Tree of that name.
fn check_table(connection: &dyn SqlConnection, names: &Names) -> Result<Vec<String>> {
    // The columns other than the auxiliary ones are the id and the coordinates.
    let columns = |name: &str| connection.prepare(&format!("SELECT * FROM {name}")).map(|found| found.column_count());
    let auxiliary = columns(&names.shadow("rowid")).map_or(0, |count| count.saturating_sub(2));
    let table = names.quoted();
    let mut statement = connection.prepare(&format!("SELECT * FROM {table}")).map_err(Error::silent)?;
    let coordinates = statement.column_count().saturating_sub(1 + auxiliary);
    let is_integer = match statement.step() {
        Ok(has_row) => has_row && matches!(statement.column(1), ValueRef::Integer(_)),
        // The check itself will report the damage.
        Err(error) if error.code & 0xff == code::CORRUPT => false,
        Err(error) => return Err(error),
    };
    drop(statement);
    if coordinates < 2 || coordinates % 2 == 1 || coordinates > 2 * MAX_DIMENSIONS {
        return Ok(vec!["Schema corrupt or not an rtree".to_owned()]);
    }
    let kind = if is_integer { CoordinateType::Integer } else { CoordinateType::Float };
    let layout = Layout { dimensions: coordinates / 2, coordinates: kind, node_len: 0 };
    let statements = Statements::new(names, auxiliary);
    check::check(&layout, &SqlStore::new(connection, &statements))
}
