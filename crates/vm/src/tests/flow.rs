//! Jumps, coroutines, operators, errors.

use crate::builder::ProgramBuilder;
use crate::insn::Insn;
use crate::operand::{CollationId, CompareFlags, OnConflict};
use crate::testing::{TestHost, info, load, load_row, rows, show};
use crate::vm::Vm;
use lithe_value::{Value, ValueRef};
use lithe_vfs::ResultCode;
use std::sync::Arc;

#[track_caller]
fn check(b: ProgramBuilder, expected: &str) {
    assert_eq!(show(&TestHost::new().run(b).unwrap()), expected);
}

/// A program whose rows are the results of one instruction over pairs of values.
#[track_caller]
fn check_pairs(
    pairs: &[(Value, Value)],
    insn: impl Fn(crate::operand::Reg, crate::operand::Reg, crate::operand::Reg) -> Insn,
    expected: &str,
) {
    let mut b = ProgramBuilder::new();
    for (lhs, rhs) in pairs {
        let (lhs, rhs, dst) = (load(&mut b, lhs.clone()), load(&mut b, rhs.clone()), b.register());
        b.emit(insn(lhs, rhs, dst));
        b.emit(Insn::ResultRow { start: dst, count: 1 });
    }
    b.emit(Insn::Halt {});
    check(b, expected);
}

fn pair(lhs: impl Into<Value>, rhs: impl Into<Value>) -> (Value, Value) {
    (lhs.into(), rhs.into())
}

#[test]
fn a_counting_loop() {
    let mut b = ProgramBuilder::new();
    let (i, five) = (b.register(), load(&mut b, 5));
    b.emit(Insn::Integer { value: 0, dst: i });
    let again = b.here();
    b.emit(Insn::AddImmediate { reg: i, value: 1 });
    b.emit(Insn::ResultRow { start: i, count: 1 });
    b.emit(Insn::Lt {
        flags: CompareFlags::default(),
        collation: CollationId::BINARY,
        lhs: i,
        rhs: five,
        target: again,
    });
    b.emit(Insn::Halt {});
    check(b, "1 ; 2 ; 3 ; 4 ; 5");
}

#[test]
fn a_small_integer_is_added() {
    let mut b = ProgramBuilder::new();
    let reg = load(&mut b, 40);
    b.emit(Insn::AddImmediate { reg, value: 2 });
    b.emit(Insn::ResultRow { start: reg, count: 1 });
    b.emit(Insn::Halt {});
    check(b, "42");
}

#[test]
fn operators() {
    let pairs =
        [pair(2, 3), pair(i64::MAX, 1), pair("12abc", 1.5), pair(Value::NULL, 1), pair(7, 0), pair(i64::MIN, -1)];
    check_pairs(
        &pairs,
        |lhs, rhs, dst| Insn::Add { lhs, rhs, dst },
        "5 ; 9.2233720368547758e+18 ; 13.5 ; NULL ; 7 ; -9.2233720368547758e+18",
    );
    check_pairs(
        &pairs,
        |lhs, rhs, dst| Insn::Divide { lhs, rhs, dst },
        "0 ; 9223372036854775807 ; 8.0 ; NULL ; NULL ; 9.2233720368547758e+18",
    );
    check_pairs(&pairs, |lhs, rhs, dst| Insn::Remainder { lhs, rhs, dst }, "2 ; 0 ; 0.0 ; NULL ; NULL ; 0");
    check_pairs(
        &pairs[..4],
        |lhs, rhs, dst| Insn::Concat { lhs, rhs, dst },
        "'23' ; '92233720368547758071' ; '12abc1.5' ; NULL",
    );
    check_pairs(&pairs[..1], |lhs, rhs, _| Insn::Copy { src: rhs, dst: lhs, count: 1 }, "NULL");
}

#[test]
fn three_valued_logic() {
    let values = [Value::from(1), Value::from(0), Value::NULL];
    let pairs: Vec<_> = values.iter().flat_map(|a| values.iter().map(|b| (a.clone(), b.clone()))).collect();
    check_pairs(&pairs, |lhs, rhs, dst| Insn::And { lhs, rhs, dst }, "1 ; 0 ; NULL ; 0 ; 0 ; 0 ; NULL ; 0 ; NULL");
    check_pairs(&pairs, |lhs, rhs, dst| Insn::Or { lhs, rhs, dst }, "1 ; 1 ; 1 ; 1 ; 0 ; NULL ; 1 ; NULL ; NULL");
    let is_not_true = |src, _, dst| Insn::IsTrue { null_gives: 1, invert: 1, src, dst };
    check_pairs(&pairs, is_not_true, "0 ; 0 ; 0 ; 1 ; 1 ; 1 ; 1 ; 1 ; 1");
    let is_true = |src, _, dst| Insn::IsTrue { null_gives: 0, invert: 0, src, dst };
    check_pairs(&pairs, is_true, "1 ; 1 ; 1 ; 0 ; 0 ; 0 ; 0 ; 0 ; 0");
    check_pairs(&pairs, |src, _, dst| Insn::Not { src, dst }, "0 ; 0 ; 0 ; 1 ; 1 ; 1 ; NULL ; NULL ; NULL");
}

#[test]
fn a_coroutine() {
    let mut b = ProgramBuilder::new();
    let (co, value) = (b.register(), b.register());
    let (entry, main, end) = (b.label(), b.label(), b.label());
    b.emit(Insn::InitCoroutine { co, entry, target: main });
    b.place(entry);
    for number in [10, 20, 30] {
        b.emit(Insn::Integer { value: number, dst: value });
        b.emit(Insn::Yield { co, target: end });
    }
    b.emit(Insn::EndCoroutine { co });
    b.place(main);
    let again = b.here();
    b.emit(Insn::Yield { co, target: end });
    b.emit(Insn::ResultRow { start: value, count: 1 });
    b.emit(Insn::Goto { target: again });
    b.place(end);
    // A coroutine that has ended stays ended.
    let ended = b.label();
    b.emit(Insn::Yield { co, target: ended });
    b.emit(Insn::ResultRow { start: value, count: 1 });
    b.place(ended);
    b.emit(Insn::Halt {});
    check(b, "10 ; 20 ; 30");
}

#[test]
fn subroutines_and_once() {
    let mut b = ProgramBuilder::new();
    let (ret, count) = (b.register(), b.register());
    b.emit(Insn::Integer { value: 0, dst: count });
    let (routine, end) = (b.label(), b.label());
    for _ in 0..3 {
        b.emit(Insn::Gosub { ret, target: routine });
    }
    b.emit(Insn::Goto { target: end });
    b.place(routine);
    let skip = b.label();
    b.emit(Insn::Once { target: skip });
    b.emit(Insn::AddImmediate { reg: count, value: 100 });
    b.place(skip);
    b.emit(Insn::AddImmediate { reg: count, value: 1 });
    b.emit(Insn::Return { ret });
    b.place(end);
    b.emit(Insn::ResultRow { start: count, count: 1 });
    b.emit(Insn::Halt {});
    let mut vm = Vm::new(Arc::new(b.finish()));
    let host = TestHost::new();
    for _ in 0..2 {
        assert_eq!(show(&rows(&mut vm, &host).unwrap()), "103"); // once in each run
    }
}

#[test]
fn counters_and_limits() {
    let mut b = ProgramBuilder::new();
    let limits = [(5, 3), (5, -3), (-1, 3), (0, 3), (i64::MAX, 1)];
    for (limit, offset) in limits {
        let (limit, offset, dst) = (load(&mut b, limit), load(&mut b, offset), b.register());
        b.emit(Insn::OffsetLimit { limit, offset, dst });
        b.emit(Insn::ResultRow { start: dst, count: 1 });
    }
    let (n, end) = (load(&mut b, 3), b.label());
    let again = b.here();
    b.emit(Insn::DecrementJumpZero { reg: n, target: end });
    b.emit(Insn::ResultRow { start: n, count: 1 });
    b.emit(Insn::Goto { target: again });
    b.place(end);
    let taken = b.label();
    b.emit(Insn::Integer { value: 4, dst: n });
    b.emit(Insn::IfPositive { reg: n, minus: 3, target: taken });
    b.emit(Insn::Halt {});
    b.place(taken);
    b.emit(Insn::ResultRow { start: n, count: 1 });
    b.emit(Insn::Halt {});
    check(b, "8 ; 5 ; -1 ; -1 ; -1 ; 2 ; 1 ; 1");
}

#[test]
fn conversions() {
    let mut b = ProgramBuilder::new();
    for value in [Value::from("12"), Value::from(3.0), Value::from("1.5"), Value::from("x"), Value::NULL] {
        let (reg, bad, end) = (load(&mut b, value), b.label(), b.label());
        b.emit(Insn::MustBeInteger { reg, target: bad });
        b.emit(Insn::ResultRow { start: reg, count: 1 });
        b.emit(Insn::Goto { target: end });
        b.place(bad);
        let no = load(&mut b, "no");
        b.emit(Insn::ResultRow { start: no, count: 1 });
        b.place(end);
    }
    let row = load_row(&mut b, &[Value::from("7"), Value::from(7), Value::from(7), Value::from("seven")]);
    use lithe_value::Affinity::{Integer, Real, Text};
    let affinities = b.affinity_list(&[Integer, Text, Real, Integer]);
    b.emit(Insn::Affinity { start: row, affinities });
    b.emit(Insn::ResultRow { start: row, count: 4 });
    b.emit(Insn::Halt {});
    check(b, "12 ; 3 ; 'no' ; 'no' ; 'no' ; 7,'7',7.0,'seven'");
}

#[test]
fn comparing_vectors() {
    let mut b = ProgramBuilder::new();
    let key = b.cursor(info(crate::program::CursorKind::KeyOnly, None, Some(crate::testing::key(2)), 0));
    for row in [[1, 2], [1, 3], [0, 9]] {
        let lhs = load_row(&mut b, &[Value::from(1), Value::from(2)]);
        let rhs = load_row(&mut b, &row.map(Value::from));
        let (less, equal, greater, end) = (b.label(), b.label(), b.label(), b.label());
        b.emit(Insn::CompareVectors { key, lhs, rhs, count: 2 });
        b.emit(Insn::Jump { less, equal, greater });
        for (label, name) in [(less, "<"), (equal, "="), (greater, ">")] {
            b.place(label);
            let name = load(&mut b, name);
            b.emit(Insn::ResultRow { start: name, count: 1 });
            b.emit(Insn::Goto { target: end });
        }
        b.place(end);
    }
    b.emit(Insn::Halt {});
    check(b, "'=' ; '<' ; '>'");
}

#[test]
fn errors_have_codes_policies_and_messages() {
    let mut b = ProgramBuilder::new();
    let message = b.text("NOT NULL constraint failed: t.a");
    let value = b.register();
    b.emit(Insn::Null { start: value, count: 1 });
    let code = ResultCode::CONSTRAINT_NOTNULL.0;
    b.emit(Insn::HaltIfNull { policy: OnConflict::Fail as u8, value, code, message });
    b.emit(Insn::Halt {});
    let error = TestHost::new().run(b).unwrap_err();
    assert_eq!((error.code(), error.policy()), (ResultCode::CONSTRAINT_NOTNULL, OnConflict::Fail));
    assert_eq!(error.to_string(), "NOT NULL constraint failed: t.a");

    let mut b = ProgramBuilder::new();
    let message = load(&mut b, 12.5);
    b.emit(Insn::HaltErrorReg { policy: 2, code: ResultCode::CONSTRAINT_TRIGGER.0, message });
    let error = TestHost::new().run(b).unwrap_err();
    assert_eq!(error.to_string(), "12.5");
}

#[test]
fn an_endless_loop_can_be_interrupted() {
    let mut b = ProgramBuilder::new();
    let again = b.here();
    b.emit(Insn::Goto { target: again });
    let host = TestHost::new();
    host.interrupted.set(true);
    let mut vm = Vm::new(Arc::new(b.finish()));
    assert_eq!(vm.step(&host).unwrap_err().code(), ResultCode::INTERRUPT);
    assert!(!vm.is_running());
}

#[test]
fn parameters() {
    let mut b = ProgramBuilder::new();
    let row = b.registers(3);
    for number in 1..=3 {
        b.uses_parameter(number);
        b.emit(Insn::Parameter { number, dst: row.at(number as usize - 1) });
    }
    b.emit(Insn::ResultRow { start: row, count: 3 });
    b.emit(Insn::Halt {});
    let mut vm = Vm::new(Arc::new(b.finish()));
    let host = TestHost::new();
    assert_eq!(show(&rows(&mut vm, &host).unwrap()), "NULL,NULL,NULL");
    vm.bind(1, ValueRef::from("text")).unwrap();
    vm.bind(2, ValueRef::from(5)).unwrap();
    vm.bind_zeroblob(3, 2).unwrap();
    for _ in 0..2 {
        assert_eq!(show(&rows(&mut vm, &host).unwrap()), "'text',5,x'0000'");
        vm.reset(); // keeps the bindings
    }
    assert_eq!(vm.bind(4, ValueRef::Null).unwrap_err().code(), ResultCode::RANGE);
    assert_eq!(vm.bind(0, ValueRef::Null).unwrap_err().code(), ResultCode::RANGE);
    vm.clear_bindings();
    assert_eq!(show(&rows(&mut vm, &host).unwrap()), "NULL,NULL,NULL");
}

#[test]
fn rows_stand_until_the_next_step() {
    let mut b = ProgramBuilder::new();
    let row = load_row(&mut b, &[Value::from("x".repeat(100)), Value::from(1)]);
    b.emit(Insn::ResultRow { start: row, count: 2 });
    b.emit(Insn::Halt {});
    let mut vm = Vm::new(Arc::new(b.finish()));
    let host = TestHost::new();
    vm.step(&host).unwrap();
    assert_eq!((vm.column_count(), vm.column(0)), (2, ValueRef::Text(&[b'x'; 100])));
    assert_eq!(vm.column(2), ValueRef::Null);
    vm.step(&host).unwrap();
    assert_eq!((vm.column_count(), vm.column(0)), (0, ValueRef::Null));
}

#[test]
fn a_machine_runs_another_program() {
    let program = |count: u32, is_measured: bool| {
        let mut b = ProgramBuilder::new();
        let row = b.registers(2);
        b.uses_parameter(count);
        b.emit(Insn::Parameter { number: count, dst: row });
        b.emit(Insn::Integer { value: count as i32, dst: row.at(1) });
        b.emit(Insn::ResultRow { start: row, count: 2 });
        b.emit(Insn::Halt {});
        let mut program = b.finish();
        program.measured = is_measured.then(Box::default);
        Arc::new(program)
    };
    let (host, mut vm) = (TestHost::new(), Vm::new(program(1, false)));
    for (count, is_measured) in [(2, true), (1, false), (3, true), (1, true)] {
        vm.bind(1, ValueRef::from(5)).unwrap();
        assert!(vm.unload(Arc::new(ProgramBuilder::new().finish())), "a small machine is kept");
        vm.load(program(count, is_measured));
        assert_eq!(show(&rows(&mut vm, &host).unwrap()), format!("NULL,{count}"));
        assert_eq!(vm.profile().is_some(), is_measured);
        vm.reset();
    }
}
