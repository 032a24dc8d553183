//! Common tables that no query uses.

use lithe_sql::ast;

use super::sources::misses_source;
use super::with::use_common_table;
use crate::resolver::Resolver;
use crate::resolver::scope::with::WithScope;
use crate::resolver::scope::{Found, Rules, Scope};

/// Logs the names in unused common tables, which ALTER TABLE replaces too. Such a table sees no enclosing query but the rows of a
/// trigger. As in SQLite, an error in it ends the search: names in the tables behind it are not replaced, nor are its own where the error is
/// about what it selects from, which is looked up before any column.
pub(super) fn log_unused<'a>(
    resolver: &Resolver<'a>,
    scope: &Scope<'_, 'a>,
    all: &'a ast::With<'a>,
    with: &WithScope<'_, 'a>,
) {
    let Some(log) = resolver.log.as_ref().filter(|log| log.is_about(scope.text)) else { return };
    let found = Found::default();
    let statement = scope.statement();
    let (sources, fixed_db) = (statement.map_or(&[][..], |trigger| trigger.sources), scope.fixed_db);
    let rules = Rules { raise: scope.rules.raise, ..Rules::default() };
    let alone = Scope { with: Some(with), sources, rules, fixed_db, ..Scope::outermost(scope.text, &found) };
    for at in with.unused() {
        if use_common_table(resolver, &alone, with, at).is_err() {
            let first = if misses_source(resolver, &alone, all, at) { at } else { at + 1 };
            all.tables[first..].iter().for_each(|table| log.forget(table.select.span));
            break;
        }
    }
}
