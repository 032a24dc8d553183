//! Switches of the connection.

use lithe_plan::environment::Flags as CompileFlags;
use lithe_value::Value;
use lithe_vm::facts::Flags;

use super::{Call, NEEDS_SCHEMA, Pragma, SILENT, SILENT_WHEN_SET, answer, nothing};
use crate::error::Result;
use crate::native::NativeRow;

pub(super) const PRAGMAS: &[Pragma] = &[
    switch("automatic_index", automatic_index),
    switch("cell_size_check", no_effect),
    switch("checkpoint_fullfsync", no_effect),
    switch("count_changes", count_changes),
    switch("defer_foreign_keys", defer_foreign_keys),
    switch("empty_result_callbacks", no_effect),
    switch("foreign_keys", foreign_keys),
    switch("full_column_names", full_column_names),
    switch("fullfsync", no_effect),
    switch("ignore_check_constraints", ignore_check_constraints),
    switch("legacy_alter_table", legacy_alter_table),
    switch("query_only", query_only),
    switch("read_uncommitted", no_effect),
    switch("recursive_triggers", recursive_triggers),
    switch("reverse_unordered_selects", reverse_unordered_selects),
    switch("short_column_names", short_column_names),
    switch("trusted_schema", trusted_schema),
    switch("writable_schema", writable_schema),
    Pragma { name: "case_sensitive_like", columns: &[], traits: SILENT, run: case_sensitive_like },
    Pragma { name: "busy_timeout", columns: &["timeout"], traits: 0, run: busy_timeout },
    Pragma { name: "analysis_limit", columns: &[], traits: 0, run: zero },
    Pragma { name: "threads", columns: &[], traits: 0, run: zero },
    Pragma { name: "soft_heap_limit", columns: &[], traits: 0, run: zero },
    Pragma { name: "hard_heap_limit", columns: &[], traits: 0, run: zero },
    Pragma { name: "shrink_memory", columns: &[], traits: SILENT, run: |_| nothing() },
    Pragma { name: "optimize", columns: &[], traits: NEEDS_SCHEMA, run: |_| nothing() },
    Pragma { name: "compile_options", columns: &[], traits: 0, run: compile_options },
    Pragma { name: "collation_list", columns: &["seq", "name"], traits: 0, run: collation_list },
    Pragma { name: "module_list", columns: &["name"], traits: 0, run: |_| nothing() },
];

const fn switch(name: &'static str, run: fn(&Call<'_>) -> Result<Vec<NativeRow>>) -> Pragma {
    Pragma { name, columns: &[], traits: SILENT_WHEN_SET, run }
}

/// A switch among the flags that the compiler reads: a change makes compiled programs stale.
fn compile_switch(call: &Call<'_>, field: fn(&mut CompileFlags) -> &mut bool) -> Result<Vec<NativeRow>> {
    let cell = &call.connection.compile_flags;
    let mut flags = cell.get();
    let Some(on) = call.boolean() else { return answer(*field(&mut flags)) };
    if *field(&mut flags) != on {
        *field(&mut flags) = on;
        cell.set(flags);
        call.connection.expire_programs();
    }
    nothing()
}

/// A switch among the facts that running programs read, and its twin for the compiler if there is one.
fn fact_switch(
    call: &Call<'_>,
    flag: Flags,
    twin: Option<fn(&mut CompileFlags) -> &mut bool>,
) -> Result<Vec<NativeRow>> {
    let facts = &call.connection.facts;
    let Some(on) = call.boolean() else { return answer(facts.has(flag)) };
    facts.flags.set(facts.flags.get().with(flag, on));
    match twin {
        Some(twin) => compile_switch(call, twin),
        None => nothing(),
    }
}

fn automatic_index(call: &Call<'_>) -> Result<Vec<NativeRow>> {
    compile_switch(call, |flags| &mut flags.automatic_index)
}

fn count_changes(call: &Call<'_>) -> Result<Vec<NativeRow>> {
    fact_switch(call, Flags::COUNT_CHANGES, Some(|flags| &mut flags.count_changes))
}

/// Only counts within a transaction.
fn defer_foreign_keys(call: &Call<'_>) -> Result<Vec<NativeRow>> {
    fact_switch(call, Flags::DEFER_FOREIGN_KEYS, None)
}

/// Within a transaction it cannot be changed, and trying is no error.
fn foreign_keys(call: &Call<'_>) -> Result<Vec<NativeRow>> {
    if call.value.is_some() && !call.connection.is_autocommit() {
        return nothing();
    }
    fact_switch(call, Flags::FOREIGN_KEYS, Some(|flags| &mut flags.foreign_keys))
}

fn full_column_names(call: &Call<'_>) -> Result<Vec<NativeRow>> {
    compile_switch(call, |flags| &mut flags.full_column_names)
}

fn ignore_check_constraints(call: &Call<'_>) -> Result<Vec<NativeRow>> {
    fact_switch(call, Flags::IGNORE_CHECK_CONSTRAINTS, Some(|flags| &mut flags.ignore_check_constraints))
}

fn legacy_alter_table(call: &Call<'_>) -> Result<Vec<NativeRow>> {
    compile_switch(call, |flags| &mut flags.legacy_alter_table)
}

fn query_only(call: &Call<'_>) -> Result<Vec<NativeRow>> {
    compile_switch(call, |flags| &mut flags.query_only)
}

fn recursive_triggers(call: &Call<'_>) -> Result<Vec<NativeRow>> {
    fact_switch(call, Flags::RECURSIVE_TRIGGERS, Some(|flags| &mut flags.recursive_triggers))
}

fn reverse_unordered_selects(call: &Call<'_>) -> Result<Vec<NativeRow>> {
    fact_switch(call, Flags::REVERSE_UNORDERED_SELECTS, Some(|flags| &mut flags.reverse_unordered_selects))
}

fn short_column_names(call: &Call<'_>) -> Result<Vec<NativeRow>> {
    compile_switch(call, |flags| &mut flags.short_column_names)
}

fn trusted_schema(call: &Call<'_>) -> Result<Vec<NativeRow>> {
    compile_switch(call, |flags| &mut flags.trusted_schema)
}

fn writable_schema(call: &Call<'_>) -> Result<Vec<NativeRow>> {
    compile_switch(call, |flags| &mut flags.writable_schema)
}

/// Switches that mean nothing here: they answer 0 whatever they are set to.
fn no_effect(call: &Call<'_>) -> Result<Vec<NativeRow>> {
    if call.value.is_some() { nothing() } else { answer(0) }
}

fn zero(_: &Call<'_>) -> Result<Vec<NativeRow>> {
    answer(0)
}

fn case_sensitive_like(call: &Call<'_>) -> Result<Vec<NativeRow>> {
    if call.value.is_some() {
        fact_switch(call, Flags::CASE_SENSITIVE_LIKE, None)?;
        call.connection.expire_programs();
    }
    nothing()
}

fn busy_timeout(call: &Call<'_>) -> Result<Vec<NativeRow>> {
    if let Some(milliseconds) = call.integer() {
        let milliseconds = u64::try_from(milliseconds).unwrap_or(0);
        call.connection.set_busy_timeout(std::time::Duration::from_millis(milliseconds));
    }
    answer(i64::try_from(call.connection.busy.timeout().as_millis()).unwrap_or(i64::MAX))
}

fn compile_options(_: &Call<'_>) -> Result<Vec<NativeRow>> {
    Ok(crate::COMPILE_OPTIONS.iter().map(|option| vec![Value::from(*option)]).collect())
}

fn collation_list(call: &Call<'_>) -> Result<Vec<NativeRow>> {
    let collations = call.connection.collations();
    let mut names: Vec<&str> = collations.keys().map(String::as_str).collect();
    names.sort_unstable();
    names.extend(["RTRIM", "NOCASE", "BINARY"]);
    Ok(names.into_iter().enumerate().map(|(i, name)| vec![Value::from(i as i64), Value::from(name)]).collect())
}
