//! Scans of virtual tables.

use crate::expr::computed;
use lithe_catalog::{Result, Table};
use lithe_optimize::access::{Key, VirtualPath};
use lithe_resolve::ir::{Compare, CompareOp, Expr};
use lithe_vm::insn::Insn;
use lithe_vm::operand::{Addr, CursorId, Reg};

use super::super::Codegen;
use super::Exits;
use super::keys::{Around, begin_sets, when_none};
use super::walk::Walk;
use crate::expr::in_set;

/// Begins the scan; its rows have the values of the INs that are loops around it.
pub(super) fn begin_search<'a>(
    cg: &mut Codegen<'a>,
    cursor: CursorId,
    path: &VirtualPath<'a>,
    exits: Exits,
) -> Result<Walk> {
    let (walk, arguments) = begin_scan(cg, cursor, path, exits.exhausted)?;
    check_sets(cg, path, arguments, exits.next)?;
    Ok(walk)
}

/// Computes the arguments, in the registers that are returned, and begins the scan. INs are loops around it, unless the table
/// takes their values at once.
pub(super) fn begin_scan<'a>(
    cg: &mut Codegen<'a>,
    cursor: CursorId,
    path: &VirtualPath<'a>,
    exhausted: Addr,
) -> Result<(Walk, Reg)> {
    let start = cg.b.registers(path.keys.len().max(1));
    let mut looped: Vec<Key<'a>> = Vec::with_capacity(path.keys.len());
    for (at, (key, all_at_once)) in path.keys.iter().zip(path.all_at_once).enumerate() {
        let dst = start.at(at);
        match key {
            Key::In { set, .. } if *all_at_once => {
                let set = in_set::made_key_set(cg, set)?;
                cg.b.emit(Insn::VList { cursor: set, dst });
            }
            key => emit_argument(cg, key, dst)?,
        }
        looped.push(if *all_at_once { Key::Null } else { *key });
    }
    let mut around: Vec<Around> = Vec::new();
    begin_sets(cg, &looped, start, |_| false, exhausted, &mut around)?;
    cg.b.emit(Insn::VFilter { cursor, scan: path.scan, start, target: when_none(&around, exhausted) });
    let step = Insn::VNext { cursor, target: cg.b.here() };
    Ok((Walk { step: Some(step), around }, start))
}

/// Computes an argument. The module gets the value unconverted, NULL too, because it defines the comparison. The loop around the scan
/// sets that of an IN.
fn emit_argument<'a>(cg: &mut Codegen<'a>, key: &Key<'a>, dst: Reg) -> Result<()> {
    match key {
        Key::Value { value, .. } => cg.emit_into(value, dst)?,
        Key::In { .. } => {}
        Key::Null | Key::Any => cg.b.emit(Insn::Null { start: dst, count: 1 }),
    }
    Ok(())
}

/// Calls a table-valued function, and begins the walk over its rows. INs are loops around the call.
pub(super) fn begin_function<'a>(
    cg: &mut Codegen<'a>,
    table: &'a Table,
    cursor: CursorId,
    arguments: &[Option<Key<'a>>],
    exhausted: Addr,
) -> Result<Walk> {
    let start = cg.b.registers(1 + arguments.len());
    let mut given = 0;
    for (at, argument) in arguments.iter().enumerate() {
        let Some(argument) = argument else { continue };
        emit_argument(cg, argument, start.at(1 + at))?;
        given |= 1 << at;
    }
    let keys: Vec<Key<'a>> = arguments.iter().map(|argument| argument.unwrap_or(Key::Null)).collect();
    let mut around: Vec<Around> = Vec::new();
    begin_sets(cg, &keys, start.at(1), |_| false, exhausted, &mut around)?;
    cg.b.emit(Insn::Integer { value: given, dst: start });
    let name = cg.b.text(table.name.to_string());
    cg.calls_table_functions = true;
    cg.b.emit(Insn::FunctionRows { cursor, name, start, target: when_none(&around, exhausted) });
    let step = Insn::VNext { cursor, target: cg.b.here() };
    if around.is_empty() {
        cg.free_registers(start, 1 + arguments.len());
    }
    Ok(Walk { step: Some(step), around })
}

/// Jumps to `next` if the row does not have the values of the INs that are loops around the scan: a table may use its constraints
/// and return other rows all the same. `start` has the arguments.
fn check_sets<'a>(cg: &mut Codegen<'a>, path: &VirtualPath<'a>, start: Reg, next: Addr) -> Result<()> {
    for (at, key) in path.keys.iter().enumerate() {
        let Key::In { set, column, how } = *key else { continue };
        if path.all_at_once[at] || path.omit[at] {
            continue;
        }
        let left = match set.value {
            Expr::Row(items) => items[usize::from(column)],
            value => value,
        };
        let right = computed(start.at(at), None);
        let compare = cg.arena.alloc(Compare { op: CompareOp::Eq, left, right, how, replaced: None });
        cg.jump_if_false(&Expr::Compare(compare), next, true)?;
    }
    Ok(())
}
