//! Subprograms: frames, recursion, RAISE, the state after a trigger.

use crate::builder::ProgramBuilder;
use crate::connection_state::Flags;
use crate::insn::Insn;
use crate::operand::{CollationId, CompareFlags, OnConflict, Reg, SubprogramId};
use crate::program::Subprogram;
use crate::testing::{TestHost, load, rows, show};
use crate::vm::Vm;
use lithe_value::Value;
use lithe_vfs::ResultCode;
use std::sync::Arc;

fn subprogram(mut b: ProgramBuilder, token: u64) -> Arc<Subprogram> {
    Arc::new(Subprogram { program: b.finish(), token, name: format!("trigger {token}") })
}

fn call(b: &mut ProgramBuilder, program: SubprogramId, recursive: u8) {
    let after = b.label();
    b.emit(Insn::Subprogram { recursive, program, ignore: after });
    b.place(after);
}

/// A trigger that fails when the number in the caller's register 0 is odd, with the given policy.
fn refuses_odd(policy: OnConflict) -> Arc<Subprogram> {
    let mut b = ProgramBuilder::new();
    let (number, two, even) = (b.register(), b.register(), b.label());
    b.emit(Insn::ParentRegister { src: Reg(0), dst: number });
    b.emit(Insn::Integer { value: 2, dst: two });
    b.emit(Insn::Remainder { lhs: number, rhs: two, dst: number });
    b.emit(Insn::IfNot { null_jumps: 0, reg: number, target: even });
    let message = b.text("odd");
    b.emit(Insn::HaltError { policy: policy as u8, code: ResultCode::CONSTRAINT_TRIGGER.0, message });
    b.place(even);
    b.emit(Insn::Halt {});
    subprogram(b, 1)
}

/// Calls the trigger for 0 to 3; a row for each number that it does not refuse.
fn calls_for_each(trigger: Arc<Subprogram>) -> ProgramBuilder {
    let mut b = ProgramBuilder::new();
    let number = b.register();
    let trigger = b.subprogram(trigger);
    for value in 0..4 {
        let ignore = b.label();
        b.emit(Insn::Integer { value, dst: number });
        b.emit(Insn::Subprogram { recursive: 0, program: trigger, ignore });
        b.emit(Insn::ResultRow { start: number, count: 1 });
        b.place(ignore);
    }
    b.emit(Insn::Halt {});
    b
}

#[test]
fn raise_ignore_abandons_the_row() {
    let host = TestHost::new();
    assert_eq!(show(&host.run(calls_for_each(refuses_odd(OnConflict::Ignore))).unwrap()), "0 ; 2");
}

#[test]
fn raise_ends_the_statement() {
    for policy in [OnConflict::Abort, OnConflict::Fail, OnConflict::Rollback] {
        let host = TestHost::new();
        let error = host.run(calls_for_each(refuses_odd(policy))).unwrap_err();
        assert_eq!((error.policy(), error.to_string().as_str()), (policy, "odd"));
    }
}

#[test]
fn a_trigger_restores_changes_and_rowid() {
    let host = TestHost::new();
    host.state.last_insert_rowid.set(5);
    host.state.changes.set(17);
    let root = host.btree.create_tree(lithe_btree::TreeKind::Table).unwrap();
    let trigger = {
        let mut b = ProgramBuilder::new();
        let cursor = b.cursor(crate::testing::info(crate::program::CursorKind::Table, Some(root), None, 1));
        let rowid = load(&mut b, 99);
        b.emit(Insn::OpenWrite { cursor });
        let flags = crate::insn::insert_flags::COUNT_CHANGE | crate::insn::insert_flags::LAST_ROWID;
        let affinities = crate::operand::AffinityListId::NONE;
        b.emit(Insn::InsertRow { flags, cursor, count: 1, affinities, rowid, start: rowid });
        b.emit(Insn::ResetCount {});
        b.emit(Insn::Halt {});
        subprogram(b, 1)
    };
    let mut b = ProgramBuilder::new();
    let trigger = b.subprogram(trigger);
    call(&mut b, trigger, 0);
    b.emit(Insn::Halt {});
    let mut program = b.finish();
    program.counts_changes = true;
    rows(&mut Vm::new(Arc::new(program)), &host).unwrap();
    assert_eq!(host.state.last_insert_rowid.get(), 5);
    // The trigger's row counts in the total only.
    assert_eq!((host.state.changes.get(), host.state.total_changes.get()), (0, 1));
}

/// A trigger that counts the caller's caller's register 0 down and calls itself, for as long as it is above zero.
fn recursive(recursive: u8) -> ProgramBuilder {
    let mut b = ProgramBuilder::new();
    let number = b.register();
    b.emit(Insn::ParentRegister { src: Reg(0), dst: number });
    let done = b.label();
    b.emit(Insn::AddImmediate { reg: number, value: -1 });
    b.emit(Insn::IfNot { null_jumps: 1, reg: number, target: done });
    // Entry 0 of the outermost program's table is this trigger itself.
    b.emit(Insn::Subprogram { recursive, program: SubprogramId(0), ignore: done });
    b.place(done);
    b.emit(Insn::Halt {});
    b
}

fn calls_recursive(depth: i64, flag: u8) -> ProgramBuilder {
    let mut b = ProgramBuilder::new();
    let number = load(&mut b, depth);
    let trigger = b.subprogram(subprogram(recursive(flag), 1));
    call(&mut b, trigger, flag);
    b.emit(Insn::ResultRow { start: number, count: 1 });
    b.emit(Insn::Halt {});
    b
}

#[test]
fn recursion_has_a_limit() {
    let host = TestHost::new();
    assert_eq!(show(&host.run(calls_recursive(1000, 1)).unwrap()), "1000");
    let mut vm = Vm::new(Arc::new(calls_recursive(1001, 1).finish()));
    let error = rows(&mut vm, &host).unwrap_err();
    assert_eq!(error.to_string(), "triggers nested too deep");
    // The outermost frame is back: the statement can run again.
    assert_eq!(rows(&mut vm, &host).unwrap_err().code(), ResultCode::ERROR);
    // Without recursive_triggers a trigger does not fire itself.
    assert_eq!(show(&host.run(calls_recursive(5000, 0)).unwrap()), "5000");
}

#[test]
fn foreign_key_counters() {
    let run = |host: &TestHost, deferred: u8, deltas: &[i32]| {
        let mut b = ProgramBuilder::new();
        for delta in deltas {
            b.emit(Insn::FkCounter { deferred, delta: *delta });
        }
        let (zero, end) = (b.label(), b.label());
        b.emit(Insn::FkIfZero { deferred, target: zero });
        let some = load(&mut b, "some");
        b.emit(Insn::ResultRow { start: some, count: 1 });
        b.emit(Insn::Goto { target: end });
        b.place(zero);
        let none = load(&mut b, "none");
        b.emit(Insn::ResultRow { start: none, count: 1 });
        b.place(end);
        b.emit(Insn::Halt {});
        host.run(b).map(|rows| show(&rows))
    };
    let host = TestHost::new();
    assert_eq!(run(&host, 0, &[1, -1]).unwrap(), "'none'");
    let error = run(&host, 0, &[1]).unwrap_err();
    assert_eq!(error.code(), ResultCode::CONSTRAINT_FOREIGNKEY);
    assert_eq!(error.to_string(), "FOREIGN KEY constraint failed");
    assert_eq!(run(&host, 1, &[2, -1]).unwrap(), "'some'");
    assert_eq!(host.state.deferred_violations.get(), 1);
    host.state.flags.set(Flags::DEFER_FOREIGN_KEYS);
    assert_eq!(run(&host, 0, &[1]).unwrap(), "'some'");
    assert_eq!(host.state.deferred_immediate_violations.get(), 1);
}

#[test]
fn each_call_has_its_own_registers_and_once() {
    let host = TestHost::new();
    let trigger = {
        let mut b = ProgramBuilder::new();
        let (number, again, end) = (b.register(), b.label(), b.label());
        b.emit(Insn::NotNull { reg: number, target: again });
        b.emit(Insn::Once { target: again });
        b.emit(Insn::Integer { value: 1, dst: number });
        b.emit(Insn::Goto { target: end });
        b.place(again);
        let message = b.text("a register or Once was left from another call");
        b.emit(Insn::HaltError { policy: 2, code: 1, message });
        b.place(end);
        b.emit(Insn::Halt {});
        subprogram(b, 1)
    };
    let mut b = ProgramBuilder::new();
    let trigger = b.subprogram(trigger);
    for _ in 0..3 {
        call(&mut b, trigger, 0);
    }
    let done = load(&mut b, Value::from("done"));
    let end = b.label();
    let (flags, collation) = (CompareFlags::default(), CollationId::BINARY);
    b.emit(Insn::Ne { flags, collation, lhs: done, rhs: done, target: end });
    b.emit(Insn::ResultRow { start: done, count: 1 });
    b.place(end);
    b.emit(Insn::Halt {});
    assert_eq!(show(&host.run(b).unwrap()), "'done'");
}
