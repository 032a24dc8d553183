//! Calling functions, and aggregates.

use crate::builder::ProgramBuilder;
use crate::insn::Insn;
use crate::operand::{AggregateId, CallId, CollationId};
use crate::program::{AggregateCall, FunctionCall};
use crate::testing::{TestHost, load, load_row, show};
use lithe_functions::{AggregateFunction, AggregateState, Arity, Context, Flags, Function, FunctionError, Kind};
use lithe_functions::{Registry, ScalarFunction};
use lithe_value::{Collation, Value, ValueRef};
use std::sync::Arc;

fn builtin(name: &str, count: usize) -> Arc<Function> {
    match Registry::builtin().find(name.as_bytes(), count) {
        lithe_functions::Lookup::Found(function) => Arc::clone(function),
        _ => panic!("no function {name}({count})"),
    }
}

fn add_call(b: &mut ProgramBuilder, function: Arc<Function>, argument_count: u16) -> CallId {
    let collation = Collation::Binary;
    b.call(FunctionCall {
        function,
        argument_count,
        collation,
        constant_arguments: 0,
        bound_arguments: 0,
        must_be_pure: None,
    })
}

fn add_aggregate(b: &mut ProgramBuilder, function: Arc<Function>, argument_count: u16) -> AggregateId {
    b.aggregate(AggregateCall { function, argument_count, collation: Collation::Binary })
}

#[test]
fn scalar_functions() {
    let host = TestHost::new();
    host.state.last_insert_rowid.set(77);
    let mut b = ProgramBuilder::new();
    let upper = add_call(&mut b, builtin("upper", 1), 1);
    let text = load(&mut b, "some text that is not inline");
    b.emit(Insn::Call { call: upper, start: text, dst: text });
    b.emit(Insn::ResultRow { start: text, count: 1 });
    let rowid = add_call(&mut b, builtin("last_insert_rowid", 0), 0);
    let dst = b.register();
    b.emit(Insn::Call { call: rowid, start: dst, dst });
    b.emit(Insn::ResultRow { start: dst, count: 1 });
    b.emit(Insn::Halt {});
    assert_eq!(show(&host.run(b).unwrap()), "'SOME TEXT THAT IS NOT INLINE' ; 77");
}

struct Fails;

impl ScalarFunction for Fails {
    fn call(&self, _: &mut Context<'_>, _: &[ValueRef<'_>]) -> lithe_functions::Result {
        Err(FunctionError::new("it failed"))
    }
}

#[test]
fn a_function_of_the_application_may_fail() {
    let kind = Kind::CustomScalar(Arc::new(Fails));
    let function = Arc::new(Function::custom("fails", Arity::Exactly(1), Flags::default(), kind));
    let mut b = ProgramBuilder::new();
    let call = add_call(&mut b, function, 1);
    let start = load(&mut b, 1);
    b.emit(Insn::Call { call, start, dst: start });
    assert_eq!(TestHost::new().run(b).unwrap_err().to_string(), "it failed");
}

/// The results of calls in a loop are in turn short, long, numbers and NULL: each call has its own result, wherever its
/// memory comes from.
#[test]
fn results_of_all_kinds_by_turns() {
    let mut b = ProgramBuilder::new();
    let (upper, length) = (add_call(&mut b, builtin("upper", 1), 1), add_call(&mut b, builtin("length", 1), 1));
    let row = b.registers(3);
    let long = "x".repeat(40);
    let values =
        [Value::from("ab"), Value::from(&*long), Value::from(7), Value::NULL, Value::from(&*long), Value::from("c")];
    let body = b.label();
    let ret = b.register();
    for value in values {
        let start = load(&mut b, value);
        b.emit(Insn::Copy { src: start, dst: row, count: 1 });
        b.emit(Insn::Gosub { ret, target: body });
    }
    b.emit(Insn::Halt {});
    b.place(body);
    b.emit(Insn::Call { call: upper, start: row, dst: row.at(1) });
    b.emit(Insn::Call { call: length, start: row.at(1), dst: row.at(2) });
    b.emit(Insn::ResultRow { start: row.at(1), count: 2 });
    b.emit(Insn::Return { ret });
    let long = long.to_uppercase();
    let expected = format!("'AB',2 ; '{long}',40 ; '7',1 ; NULL,NULL ; '{long}',40 ; 'C',1");
    assert_eq!(show(&TestHost::new().run(b).unwrap()), expected);
}

/// The results of an aggregate over some values, and over none.
#[track_caller]
fn check(function: &Arc<Function>, values: &[Value], expected: &str) {
    let mut b = ProgramBuilder::new();
    let aggregate = add_aggregate(&mut b, Arc::clone(function), 1);
    let row = b.registers(2);
    for values in [values, &[]] {
        let acc = b.register();
        b.emit(Insn::Null { start: acc, count: 1 });
        for value in values {
            let start = load(&mut b, value.clone());
            b.emit(Insn::AggStep { aggregate, start, acc });
        }
        b.emit(Insn::AggValue { aggregate, acc, dst: row });
        b.emit(Insn::AggFinal { aggregate, acc, dst: row.at(1) });
        b.emit(Insn::ResultRow { start: row, count: 2 });
    }
    b.emit(Insn::Halt {});
    assert_eq!(show(&TestHost::new().run(b).unwrap()), expected, "{}", function.name());
}

#[test]
fn built_in_aggregates() {
    let values = [Value::from(3), Value::NULL, Value::from(1), Value::from("2"), Value::from(0.5)];
    check(&builtin("count", 1), &values, "4,4 ; 0,0");
    check(&builtin("sum", 1), &values, "6.5,6.5 ; NULL,NULL");
    check(&builtin("sum", 1), &values[..3], "4,4 ; NULL,NULL");
    check(&builtin("total", 1), &values, "6.5,6.5 ; 0.0,0.0");
    check(&builtin("avg", 1), &values, "1.625,1.625 ; NULL,NULL");
    check(&builtin("min", 1), &values, "0.5,0.5 ; NULL,NULL");
    check(&builtin("max", 1), &values, "'2','2' ; NULL,NULL");
    check(&builtin("group_concat", 1), &values, "'3,1,2,0.5','3,1,2,0.5' ; NULL,NULL");
}

struct Product;
struct ProductSoFar(i64);

impl AggregateFunction for Product {
    fn start(&self) -> Box<dyn AggregateState> {
        Box::new(ProductSoFar(1))
    }
}

impl AggregateState for ProductSoFar {
    fn step(&mut self, _: &mut Context<'_>, args: &[ValueRef<'_>]) -> lithe_functions::Result {
        self.0 *= lithe_value::cast::to_integer(args[0]);
        Ok(())
    }

    fn value(&mut self, context: &mut Context<'_>) -> lithe_functions::Result {
        context.out.set_integer(self.0);
        Ok(())
    }
}

#[test]
fn aggregates_of_the_application() {
    let kind = Kind::CustomAggregate(Arc::new(Product));
    let function = Arc::new(Function::custom("product", Arity::Exactly(1), Flags::default(), kind));
    check(&function, &[Value::from(2), Value::from(3), Value::from(7)], "42,42 ; 1,1");
}

#[test]
fn a_sliding_window() {
    let mut b = ProgramBuilder::new();
    let max = add_aggregate(&mut b, builtin("max", 1), 1);
    let sum = add_aggregate(&mut b, builtin("sum", 1), 1);
    let (acc, row) = (b.registers(2), b.registers(2));
    b.emit(Insn::Null { start: acc, count: 2 });
    let values: Vec<_> = [5, 1, 4, 2, 3].into_iter().map(|value| load(&mut b, value)).collect();
    for (at, start) in values.iter().enumerate() {
        for (aggregate, acc) in [(max, acc), (sum, acc.at(1))] {
            b.emit(Insn::AggStep { aggregate, start: *start, acc });
            if at >= 2 {
                b.emit(Insn::AggInverse { aggregate, start: values[at - 2], acc });
            }
        }
        b.emit(Insn::AggValue { aggregate: max, acc, dst: row });
        b.emit(Insn::AggValue { aggregate: sum, acc: acc.at(1), dst: row.at(1) });
        b.emit(Insn::ResultRow { start: row, count: 2 });
    }
    b.emit(Insn::Halt {});
    assert_eq!(show(&TestHost::new().run(b).unwrap()), "5,5 ; 5,6 ; 4,5 ; 4,6 ; 3,5");
}

#[test]
fn min_and_max_say_when_they_keep_their_value() {
    let mut b = ProgramBuilder::new();
    let aggregate = add_aggregate(&mut b, builtin("max", 1), 1);
    let (acc, flag) = (b.register(), b.register());
    b.emit(Insn::Null { start: acc, count: 1 });
    for value in [Value::NULL, Value::from(3), Value::from(2), Value::NULL, Value::from(3), Value::from(9)] {
        let start = load_row(&mut b, &[value]);
        b.emit(Insn::CollationFor { collation: CollationId::BINARY, flag });
        b.emit(Insn::AggStep { aggregate, start, acc });
        b.emit(Insn::ResultRow { start: flag, count: 1 });
    }
    b.emit(Insn::Halt {});
    assert_eq!(show(&TestHost::new().run(b).unwrap()), "0 ; 0 ; 1 ; 1 ; 1 ; 0");
}

#[test]
fn explain_shows_what_operands_mean() {
    let mut b = ProgramBuilder::new();
    let call = add_call(&mut b, builtin("upper", 1), 1);
    let start = load(&mut b, "some text");
    b.emit(Insn::Call { call, start, dst: start });
    b.emit(Insn::Halt {});
    let rows = crate::explain::listing(&b.finish());
    let shown: Vec<String> = rows
        .iter()
        .map(|row| {
            let p4 = row.p4.as_deref().unwrap_or("");
            format!("{} {} {} {} {} [{p4}]", row.addr, row.opcode, row.p1, row.p2, row.p3)
        })
        .collect();
    assert_eq!(shown, ["0 Const 0 0 0 [value='some text']", "1 Call 0 0 0 [upper(1)]", "2 Halt 0 0 0 []"]);
}
