//! The instructions of virtual tables.

use std::rc::Rc;

use lithe_functions::{CallSite, Context, SqlConnection};
use lithe_value::{Collation, Numeric, Value, ValueRef};
use lithe_vfs::ResultCode;

use crate::call::{FunctionConnection, RegisterArguments, check_length};
use crate::cursor::VmCursor;
use crate::cursor::scan::{ScanCursor, failed};
use crate::error::Error;
use crate::flow::check_immediate_violations;
use crate::host::Host;
use crate::machine::{Machine, with_values};
use crate::operand::{CursorId, Db, OnConflict, Reg, ScanId, TextId, VirtualId};
use crate::program::Program;
use crate::register::Register;
use crate::virtual_table::{
    Change, ColumnContext, Values, VirtualTable, is_unchanged_pointer, list_pointer, unchanged_pointer,
};

/// Runs code of a module, which may commit, on the cursor of a virtual table.
fn call_cursor<T>(m: &mut Machine, cursor: CursorId, f: impl FnOnce(&mut Machine, &mut ScanCursor) -> T) -> Option<T> {
    let mut slot = std::mem::take(m.cursor(cursor));
    let result = match &mut slot {
        VmCursor::Scan(scan) => {
            m.suspend();
            let result = f(m, scan);
            m.resume();
            Some(result)
        }
        _ => None,
    };
    *m.cursor(cursor) = slot;
    result
}

fn table_of(host: &dyn Host, table: VirtualId) -> Result<Rc<dyn VirtualTable>, Error> {
    // The table was disconnected since: the statement is compiled again, which connects it.
    host.virtual_table(table).ok_or(Error::Schema)
}

fn sql_of(host: &dyn Host) -> Result<&dyn SqlConnection, Error> {
    host.sql().ok_or_else(|| Error::unsupported("virtual tables"))
}

/// Opens a cursor on a virtual table, if it is not open on this table already: a subquery runs many times.
#[inline(never)]
pub fn open(m: &mut Machine, host: &dyn Host, cursor: CursorId, table: VirtualId) -> Result<(), Error> {
    let table = table_of(host, table)?;
    if matches!(m.cursor(cursor), VmCursor::Scan(scan) if scan.is_on(&table)) {
        return Ok(());
    }
    m.cursor(cursor).close();
    m.suspend();
    let opened = ScanCursor::open(table);
    m.resume();
    *m.cursor(cursor) = VmCursor::Scan(Box::new(opened?));
    Ok(())
}

/// Begins a scan. False if it has no row.
#[inline(never)]
pub fn filter(
    m: &mut Machine,
    program: &Program,
    host: &dyn Host,
    cursor: CursorId,
    scan: ScanId,
    start: Reg,
) -> Result<bool, Error> {
    let connection = sql_of(host)?;
    let scan = &program.scans[usize::from(scan.0)];
    let filtered = call_cursor(m, cursor, |m, slot| {
        let registers = m.regs(start, usize::from(scan.arguments));
        slot.begin();
        with_values(registers, |values| {
            slot.filter(connection, scan, &Values { values, attributes: &RegisterArguments(registers) })
        })
        .map_err(failed)?;
        Ok(!slot.eof())
    });
    filtered.unwrap_or_else(|| Err(not_open()))
}

/// Goes to the next row. False if there is none.
#[inline(never)]
pub fn next(m: &mut Machine, host: &dyn Host, cursor: CursorId) -> Result<bool, Error> {
    match m.cursor(cursor) {
        // No code of the application runs, so the machine is not paused.
        VmCursor::Scan(scan) => {
            if scan.next_in_memory() {
                return Ok(true);
            }
        }
        other => return other.next(),
    }
    let connection = sql_of(host)?;
    match call_cursor(m, cursor, |_, slot| slot.next(connection)) {
        Some(moved) => moved,
        None => Err(not_open()),
    }
}

/// Counts rows that the cursor has in memory into `acc`, if that is the state of count(*). The cursor moves to the last of them.
#[inline(never)]
pub fn count_in_memory(m: &mut Machine, cursor: CursorId, acc: Reg) {
    if !matches!(m.reg(acc), Register::CountRows(_)) {
        return;
    }
    let VmCursor::Scan(scan) = m.cursor(cursor) else { return };
    let passed = scan.pass_in_memory();
    if let Register::CountRows(count) = m.reg_mut(acc) {
        *count += passed as i64;
    }
    m.count_passed(passed);
}

fn not_open() -> Error {
    Error::new(ResultCode::INTERNAL, "no cursor on a virtual table")
}

/// dst = a column of the row. False on a null row, and on the rows of a table-valued function.
#[inline(never)]
pub fn column(
    m: &mut Machine,
    host: &dyn Host,
    cursor: CursorId,
    column: u16,
    is_unchanged: bool,
    dst: Reg,
) -> Result<bool, Error> {
    let known = match m.cursor(cursor) {
        VmCursor::Scan(slot) if !slot.is_null_row() => slot.number_in_memory(usize::from(column)),
        _ => return Ok(false),
    };
    if let Some(number) = known {
        let register = m.reg_mut(dst);
        match number {
            Numeric::Integer(integer) => register.set_integer(integer),
            Numeric::Real(real) => register.set_real(real),
        }
        return Ok(true);
    }
    let sql = sql_of(host)?;
    let mut out = std::mem::take(&mut m.out);
    out.set_null();
    let (connection, mut site) = (FunctionConnection(host), CallSite::new());
    let mut context = Context::new(&mut out, &Collation::Binary, &mut site, &connection);
    let mut answer = ColumnContext { context: &mut context, is_unchanged, leaves_out: false };
    let called = call_cursor(m, cursor, |_, slot| slot.column(sql, &mut answer, usize::from(column)));
    called.unwrap_or(Ok(())).map_err(failed)?;
    let leaves_out = answer.leaves_out;
    let (subtype, pointer) = (context.subtype, context.pointer.take());
    check_length(&out, host)?;
    let pointer = if is_unchanged && leaves_out { Some(unchanged_pointer()) } else { pointer };
    m.reg_mut(dst).set_result(&mut out, subtype, pointer);
    m.out = out;
    Ok(true)
}

/// dst = all values of the set under `cursor`, for a scan that takes them at once.
#[inline(never)]
pub fn list(m: &mut Machine, cursor: CursorId, dst: Reg) -> Result<(), Error> {
    let mut values = Vec::new();
    let mut is_on_row = m.cursor(cursor).first()?;
    while is_on_row {
        let mut register = std::mem::take(m.reg_mut(dst));
        m.cursor(cursor).column(0, &mut register)?;
        values.push(Value::from(register.as_ref()));
        *m.reg_mut(dst) = register;
        is_on_row = m.cursor(cursor).next()?;
    }
    m.reg_mut(dst).set_pointer(Some(list_pointer(values)));
    Ok(())
}

/// dst = a blob with a byte for each register, 1 if the column was omitted.
#[inline(never)]
pub fn note_unchanged(m: &mut Machine, start: Reg, count: u32, dst: Reg) {
    let is_left_out =
        |register: &crate::register::Register| register.pointer().is_some_and(|p| is_unchanged_pointer(p));
    let bytes: Vec<u8> = m.regs(start, count as usize).iter().map(|register| u8::from(is_left_out(register))).collect();
    m.reg_mut(dst).set(ValueRef::Blob(&bytes));
}

/// Marks the registers again whose columns were omitted.
#[inline(never)]
pub fn mark_unchanged(m: &mut Machine, start: Reg, count: u32, src: Reg) {
    let bytes = m.reg(src).as_ref().bytes().unwrap_or_default().to_vec();
    for at in (0..count as usize).filter(|&at| bytes.get(at) == Some(&1)) {
        m.reg_mut(start.at(at)).set_pointer(Some(unchanged_pointer()));
    }
}

/// Changes a row (xUpdate). With the policy IGNORE a failed constraint changes nothing, and is no error.
#[inline(never)]
pub fn update(
    m: &mut Machine,
    host: &dyn Host,
    table: VirtualId,
    policy: u8,
    (start, count): (Reg, u16),
    dst: Reg,
) -> Result<(), Error> {
    let (table, connection) = (table_of(host, table)?, sql_of(host)?);
    m.suspend();
    let policy = OnConflict::from_u8(policy);
    let registers = m.regs(start, usize::from(count));
    let is_insert = count > 1 && registers[0].is_null();
    let changed = with_values(registers, |values| {
        let values = Values { values, attributes: &RegisterArguments(registers) };
        table.update(connection, &Change { values, policy })
    });
    m.resume();
    match changed {
        Ok(rowid) => {
            m.changes += 1;
            if let Some(rowid) = rowid.filter(|_| is_insert) {
                host.state().last_insert_rowid.set(rowid);
            }
            match rowid {
                Some(rowid) => m.reg_mut(dst).set_integer(rowid),
                None => m.reg_mut(dst).set_null(),
            }
            Ok(())
        }
        Err(error) => {
            let code = ResultCode(error.code);
            match policy {
                _ if code.primary() != ResultCode::CONSTRAINT || !table.supports_constraints() => Err(failed(error)),
                OnConflict::Ignore => Ok(()),
                // The table itself must replace the rows that conflict.
                OnConflict::Replace => Err(failed(error)),
                policy => {
                    if policy == OnConflict::Fail {
                        // The changes so far stay, and with them a violated foreign key.
                        check_immediate_violations(m)?;
                    }
                    Err(Error::constraint(policy, code, failed(error).to_string()))
                }
            }
        }
    }
}

/// Makes (0), destroys (1) or renames (2) a virtual table.
#[inline(never)]
pub fn change(
    m: &mut Machine,
    program: &Program,
    host: &dyn Host,
    op: u8,
    db: Db,
    name: TextId,
    to: TextId,
) -> Result<(), Error> {
    let name = program.text(name).unwrap_or_default();
    m.suspend();
    let changed = match op {
        0 => host.create_virtual(db, name),
        1 => host.destroy_virtual(db, name),
        _ => host.rename_virtual(db, name, program.text(to).unwrap_or_default()),
    };
    m.resume();
    changed
}
