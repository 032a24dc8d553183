//! Switches of the connection.

use std::sync::Arc;

use lithe_functions::Registry;
use lithe_functions::scalar::like_of_pragma;
use lithe_resolve::environment::Flags as CompileFlags;
use lithe_value::{Collation, Value};
use lithe_vm::connection_state::Flags;

use super::{Call, NEEDS_SCHEMA, Pragma, REUSABLE, SILENT, SILENT_WHEN_SET, answer, nothing};
use crate::connection::statement::command::CommandRow;
use crate::error::{Error, Result};
use crate::heap_limit;
use crate::setting_text::fitting_integer;
use crate::settings::EMPTY_RESULT_CALLBACKS;
use crate::settings::config::Config;

pub(super) const PRAGMAS: &[Pragma] = &[
    switch("automatic_index", automatic_index),
    switch("cell_size_check", |call| remembered(call, 1)),
    switch("checkpoint_fullfsync", |call| remembered(call, 2)),
    switch("count_changes", count_changes),
    switch("defer_foreign_keys", defer_foreign_keys),
    switch("empty_result_callbacks", |call| remembered(call, EMPTY_RESULT_CALLBACKS)),
    switch("foreign_keys", foreign_keys),
    switch("full_column_names", full_column_names),
    switch("fullfsync", fullfsync),
    switch("ignore_check_constraints", ignore_check_constraints),
    switch("legacy_alter_table", legacy_alter_table),
    switch("query_only", query_only),
    switch("read_uncommitted", read_uncommitted),
    switch("recursive_triggers", recursive_triggers),
    switch("reverse_unordered_selects", reverse_unordered_selects),
    switch("short_column_names", short_column_names),
    switch("trusted_schema", trusted_schema),
    switch("writable_schema", writable_schema),
    Pragma { name: "case_sensitive_like", columns: &[], traits: SILENT, run: case_sensitive_like },
    Pragma { name: "busy_timeout", columns: &["timeout"], traits: 0, run: busy_timeout },
    Pragma { name: "analysis_limit", columns: &[], traits: 0, run: analysis_limit },
    Pragma { name: "threads", columns: &[], traits: 0, run: threads },
    Pragma { name: "soft_heap_limit", columns: &[], traits: 0, run: soft_heap_limit },
    Pragma { name: "hard_heap_limit", columns: &[], traits: 0, run: hard_heap_limit },
    Pragma { name: "shrink_memory", columns: &[], traits: SILENT, run: |_| nothing() },
    Pragma { name: "optimize", columns: &[], traits: NEEDS_SCHEMA, run: super::optimize::optimize },
    Pragma { name: "compile_options", columns: &[], traits: REUSABLE, run: compile_options },
    Pragma { name: "collation_list", columns: &["seq", "name"], traits: 0, run: collation_list },
    Pragma { name: "module_list", columns: &["name"], traits: 0, run: module_list },
];

const fn switch(name: &'static str, run: fn(&Call<'_>) -> Result<Vec<CommandRow>>) -> Pragma {
    Pragma { name, columns: &[], traits: SILENT_WHEN_SET, run }
}

/// Sets a switch among the flags of the compiler: a change makes compiled programs stale.
fn compile_switch(call: &Call<'_>, field: fn(&mut CompileFlags) -> &mut bool) -> Result<Vec<CommandRow>> {
    let settings = &call.connection.settings;
    let Some(on) = call.boolean() else { return answer(*field(&mut settings.flags())) };
    call.connection.expire_statements();
    settings.set_flag(field, on);
    nothing()
}

/// Sets a switch among the flags that running programs read, and the compiler's flag of the same meaning if there is
/// one.
fn runtime_switch(
    call: &Call<'_>,
    flag: Flags,
    twin: Option<fn(&mut CompileFlags) -> &mut bool>,
) -> Result<Vec<CommandRow>> {
    let state = &call.connection.state;
    let Some(on) = call.boolean() else { return answer(state.has(flag)) };
    call.connection.expire_statements();
    state.flags.set(state.flags.get().with(flag, on));
    match twin {
        Some(twin) => compile_switch(call, twin),
        None => nothing(),
    }
}

fn automatic_index(call: &Call<'_>) -> Result<Vec<CommandRow>> {
    compile_switch(call, |flags| &mut flags.automatic_index)
}

fn count_changes(call: &Call<'_>) -> Result<Vec<CommandRow>> {
    runtime_switch(call, Flags::COUNT_CHANGES, Some(|flags| &mut flags.count_changes))
}

/// Has an effect only within a transaction. Turning it off forgets all violations that were deferred, as in SQLite.
fn defer_foreign_keys(call: &Call<'_>) -> Result<Vec<CommandRow>> {
    if call.boolean() == Some(false) {
        call.connection.state.deferred_violations.set(0);
        call.connection.state.deferred_immediate_violations.set(0);
    }
    runtime_switch(call, Flags::DEFER_FOREIGN_KEYS, Some(|flags| &mut flags.defer_foreign_keys))
}

/// Cannot be changed within a transaction; trying to is not an error.
fn foreign_keys(call: &Call<'_>) -> Result<Vec<CommandRow>> {
    if call.value.is_some() && !call.connection.is_autocommit() {
        call.connection.expire_statements();
        return nothing();
    }
    runtime_switch(call, Flags::FOREIGN_KEYS, Some(|flags| &mut flags.foreign_keys))
}

fn full_column_names(call: &Call<'_>) -> Result<Vec<CommandRow>> {
    compile_switch(call, |flags| &mut flags.full_column_names)
}

fn ignore_check_constraints(call: &Call<'_>) -> Result<Vec<CommandRow>> {
    runtime_switch(call, Flags::IGNORE_CHECK_CONSTRAINTS, Some(|flags| &mut flags.ignore_check_constraints))
}

fn legacy_alter_table(call: &Call<'_>) -> Result<Vec<CommandRow>> {
    compile_switch(call, |flags| &mut flags.legacy_alter_table)
}

fn query_only(call: &Call<'_>) -> Result<Vec<CommandRow>> {
    compile_switch(call, |flags| &mut flags.query_only)
}

fn recursive_triggers(call: &Call<'_>) -> Result<Vec<CommandRow>> {
    runtime_switch(call, Flags::RECURSIVE_TRIGGERS, Some(|flags| &mut flags.recursive_triggers))
}

fn reverse_unordered_selects(call: &Call<'_>) -> Result<Vec<CommandRow>> {
    runtime_switch(call, Flags::REVERSE_UNORDERED_SELECTS, Some(|flags| &mut flags.reverse_unordered_selects))
}

fn short_column_names(call: &Call<'_>) -> Result<Vec<CommandRow>> {
    compile_switch(call, |flags| &mut flags.short_column_names)
}

fn trusted_schema(call: &Call<'_>) -> Result<Vec<CommandRow>> {
    compile_switch(call, |flags| &mut flags.trusted_schema)
}

/// A defensive connection does not let SQL write the schema. RESET turns the switch off and reads the schemas again as
/// they were written.
fn writable_schema(call: &Call<'_>) -> Result<Vec<CommandRow>> {
    if call.boolean() == Some(true) && call.connection.settings.config(Config::Defensive) {
        return nothing();
    }
    if call.text().is_some_and(|value| value.eq_ignore_ascii_case("reset")) {
        call.connection.reset_schemas();
    }
    compile_switch(call, |flags| &mut flags.writable_schema)
}

/// Switches that are only stored, because they change nothing here.
fn remembered(call: &Call<'_>, bit: u8) -> Result<Vec<CommandRow>> {
    let settings = &call.connection.settings;
    let Some(on) = call.boolean() else { return answer(settings.remembers(bit)) };
    call.connection.expire_statements();
    settings.remember(bit, on);
    nothing()
}

fn fullfsync(call: &Call<'_>) -> Result<Vec<CommandRow>> {
    if let Some(on) = call.boolean() {
        for (_, database) in call.connection.databases.iter() {
            if let Some(btree) = database.opened() {
                btree.pager().set_full_fsync(on);
            }
        }
    }
    remembered(call, 8)
}

fn read_uncommitted(call: &Call<'_>) -> Result<Vec<CommandRow>> {
    let cell = &call.connection.databases.settings.read_uncommitted;
    let Some(on) = call.boolean() else { return answer(cell.get()) };
    call.connection.expire_statements();
    call.connection.databases.set_read_uncommitted(on);
    nothing()
}

/// The number of rows that ANALYZE is to examine. It always examines all rows, which is never worse, but takes no
/// samples if a limit is set.
fn analysis_limit(call: &Call<'_>) -> Result<Vec<CommandRow>> {
    let cell = &call.connection.state.analysis_limit;
    if let Some(limit) = call.long_integer().filter(|limit| *limit >= 0) {
        cell.set(limit & i64::from(i32::MAX));
    }
    answer(cell.get())
}

/// The largest number of helper threads of a statement. Statements use none.
fn threads(call: &Call<'_>) -> Result<Vec<CommandRow>> {
    const THREADS_MAX: i64 = 8;
    let cell = &call.connection.settings.threads;
    if let Some(count) = call.long_integer().filter(|count| *count >= 0) {
        cell.set((count & i64::from(i32::MAX)).min(THREADS_MAX));
    }
    answer(cell.get())
}

fn soft_heap_limit(call: &Call<'_>) -> Result<Vec<CommandRow>> {
    heap_limit::soft_heap_limit(call.long_integer().unwrap_or(-1));
    answer(heap_limit::soft_heap_limit(-1))
}

/// SQL can lower the limit, not raise it. The limit can be enforced only if a gauge tells how much memory is in use.
fn hard_heap_limit(call: &Call<'_>) -> Result<Vec<CommandRow>> {
    let before = heap_limit::hard_heap_limit(-1);
    match call.long_integer() {
        Some(1..) if !heap_limit::has_gauge() => return Err(Error::not_supported("PRAGMA hard_heap_limit")),
        Some(limit) if limit > 0 && (before == 0 || limit < before) => {
            heap_limit::hard_heap_limit(limit);
        }
        _ => {}
    }
    answer(heap_limit::hard_heap_limit(-1))
}

fn case_sensitive_like(call: &Call<'_>) -> Result<Vec<CommandRow>> {
    // A function is not replaced while other statements run. That this has failed the pragma does not tell.
    let is_alone = call.connection.transaction.active_count() <= 1;
    if call.value.is_some() && is_alone {
        runtime_switch(call, Flags::CASE_SENSITIVE_LIKE, Some(|flags| &mut flags.case_sensitive_like))?;
        let like = like_of_pragma();
        let replace = |registry: &mut Registry| -> Vec<_> {
            like.into_iter().filter_map(|one| registry.define(Arc::new(one))).collect()
        };
        call.connection.definitions.change_functions(replace).iter().for_each(|old| old.removed());
    }
    nothing()
}

fn busy_timeout(call: &Call<'_>) -> Result<Vec<CommandRow>> {
    if let Some(milliseconds) = call.value.and_then(fitting_integer) {
        let milliseconds = u64::try_from(milliseconds).unwrap_or(0);
        call.connection.set_busy_timeout(std::time::Duration::from_millis(milliseconds));
    }
    answer(i64::try_from(call.connection.busy.timeout().as_millis()).unwrap_or(i64::MAX))
}

fn compile_options(_: &Call<'_>) -> Result<Vec<CommandRow>> {
    Ok(crate::compile_options().iter().map(|option| vec![Value::from(*option)]).collect())
}

fn collation_list(call: &Call<'_>) -> Result<Vec<CommandRow>> {
    let collations = call.connection.collations();
    // Each collation is listed under the name by which it was defined.
    let name = |(key, collation): (&'_ String, &Collation)| match collation {
        Collation::Custom(custom) => custom.name().to_owned(),
        _ => key.clone(),
    };
    let mut names: Vec<String> = collations.iter().map(name).collect();
    names.sort_unstable();
    names.extend(["RTRIM", "NOCASE", "BINARY"].map(str::to_owned));
    Ok(names.into_iter().enumerate().map(|(i, name)| vec![Value::from(i as i64), Value::from(name)]).collect())
}

/// The modules of the application, and the table-valued functions.
fn module_list(call: &Call<'_>) -> Result<Vec<CommandRow>> {
    let functions = call.connection.catalog().table_functions().map(|table| table.name.to_string()).collect::<Vec<_>>();
    let mut names = call.connection.virtual_tables.module_names();
    names.extend(functions);
    names.sort_unstable();
    names.dedup();
    Ok(names.into_iter().map(|name| vec![Value::from(name)]).collect())
}
