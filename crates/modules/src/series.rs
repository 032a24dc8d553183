//! `generate_series(start, stop, step)`: the numbers from start to stop.

use lithe_value::cast::to_integer;
use lithe_vtab::{
    ColumnContext, ConnectRequest, Connected, FunctionError, IndexInfo, Module, ModuleKind, Result, Risk, Scan,
    ScanPlan, SqlConnection, ValueRef, Values, VirtualCursor, VirtualTable, constraint,
};

/// The default of stop.
const STOP: i64 = 4_294_967_295;
/// The plan's number has a bit for each of start, stop and step, and these bits.
const DESCENDING: i32 = 8;
const ASCENDING: i32 = 16;

/// The module.
pub struct GenerateSeries;

impl Module for GenerateSeries {
    fn kind(&self) -> ModuleKind {
        ModuleKind::EponymousOnly
    }

    fn connect(&self, _: &dyn SqlConnection, _: &ConnectRequest<'_>) -> Result<Connected> {
        let declaration = "CREATE TABLE x(value, start HIDDEN, stop HIDDEN, step HIDDEN)".to_owned();
        Ok(Connected { table: Box::new(GenerateSeries), declaration, risk: Risk::Innocuous })
    }
}

/// The constraints on the numbers themselves, by their bits in the plan's number.
const LIMITS: [(u8, i32); 5] = [
    (constraint::EQ, 0x80),
    (constraint::GE, 0x100),
    (constraint::GT, 0x200),
    (constraint::LE, 0x1000),
    (constraint::LT, 0x2000),
];

impl VirtualTable for GenerateSeries {
    fn has_reusable_plans(&self) -> bool {
        true
    }

    fn best_index(&self, info: &mut IndexInfo) -> Result<bool> {
        let mut arguments = 0;
        let mut has_start = false;
        for column in 1..=3 {
            let is_it = |of: &lithe_vtab::IndexConstraint| of.column == column && of.op == constraint::EQ;
            let Some(at) = info.constraints.iter().position(|of| is_it(of) && of.usable) else {
                if info.constraints.iter().any(is_it) {
                    return Ok(false);
                }
                continue;
            };
            arguments += 1;
            info.pass(at, arguments, true);
            info.plan.number |= 1 << (column - 1);
            has_start |= column == 1;
        }
        for (op, bit) in LIMITS {
            let is_it = |of: &lithe_vtab::IndexConstraint| (of.column == 0 || of.column == -1) && of.op == op;
            let Some(at) = info.constraints.iter().position(|of| is_it(of) && of.usable) else { continue };
            arguments += 1;
            info.pass(at, arguments, false);
            info.plan.number |= bit;
            has_start |= bit < 0x1000;
        }
        if !has_start {
            return Err(FunctionError::new("first argument to \"generate_series()\" missing or unusable"));
        }
        let is_bounded = info.plan.number & 3 == 3;
        (info.estimated_cost, info.estimated_rows) = if is_bounded { (2.0, 1000) } else { (2147483647.0, 2147483647) };
        if let ([order], true) = (&*info.order_by, is_bounded)
            && order.column == 0
        {
            info.order_by_consumed = true;
            info.plan.number |= if order.descending { DESCENDING } else { ASCENDING };
        }
        Ok(true)
    }

    fn open(&self) -> Result<Box<dyn VirtualCursor>> {
        Ok(Box::new(Numbers::default()))
    }
}

#[derive(Default)]
struct Numbers {
    at: i128,
    last: i128,
    by: i128,
    /// The arguments as given.
    given: [i64; 3],
}

/// Narrows the interval of two numbers by a constraint. A bound without a fraction is exact.
fn narrow(low: &mut i128, high: &mut i128, op: u8, value: ValueRef<'_>) {
    let bound = match value {
        ValueRef::Integer(integer) => integer as f64,
        ValueRef::Real(real) => real,
        // The engine itself compares values of other types.
        _ => return,
    };
    let (floor, ceil) = match value {
        ValueRef::Integer(integer) => (i128::from(integer), i128::from(integer)),
        _ => (bound.floor() as i128, bound.ceil() as i128),
    };
    let is_whole = floor == ceil;
    match op {
        constraint::EQ if is_whole => (*low, *high) = ((*low).max(floor), (*high).min(floor)),
        constraint::EQ => *high = *low - 1,
        constraint::GE => *low = (*low).max(ceil),
        constraint::GT => *low = (*low).max(floor + 1),
        constraint::LE => *high = (*high).min(floor),
        _ => *high = (*high).min(ceil - 1),
    }
}

impl VirtualCursor for Numbers {
    fn filter(&mut self, _: &Scan<'_>, plan: &ScanPlan, arguments: &Values<'_>) -> Result {
        let number = plan.number;
        (self.at, self.last, self.by) = (1, 0, 1);
        if arguments.values.iter().any(|value| value.is_null()) {
            return Ok(());
        }
        let mut values = arguments.values.iter().copied();
        let mut given = |bit: i32| if number & bit != 0 { values.next() } else { None };
        let [start, stop, step] = [1, 2, 4].map(|bit| given(bit).map(to_integer));
        let limits = LIMITS.map(|(op, bit)| (op, given(bit)));
        let step = if step == Some(0) { 1 } else { step.unwrap_or(1) };
        let (mut low, mut high) = if step > 0 {
            (i128::from(start.unwrap_or(i64::MIN)), i128::from(stop.unwrap_or(STOP)))
        } else {
            (i128::from(stop.unwrap_or(STOP)), i128::from(start.unwrap_or(i64::MAX)))
        };
        let origin = if step > 0 { low } else { high };
        for (op, value) in limits {
            if let Some(value) = value {
                narrow(&mut low, &mut high, op, value);
            }
        }
        let origin = if start.is_some() {
            origin
        } else if step > 0 {
            low
        } else {
            high
        };
        self.given = [start.unwrap_or(origin as i64), stop.unwrap_or(STOP), step];
        self.set(origin, low, high, i128::from(step), number & DESCENDING != 0, number & ASCENDING != 0);
        Ok(())
    }

    fn next(&mut self, _: &Scan<'_>) -> Result {
        self.at += self.by;
        Ok(())
    }

    fn eof(&self) -> bool {
        if self.by > 0 { self.at > self.last } else { self.at < self.last }
    }

    fn column(&mut self, _: &Scan<'_>, answer: &mut ColumnContext<'_, '_>, column: usize) -> Result {
        let [start, stop, step] = self.given;
        let value = match column {
            0 => self.at as i64,
            1 => start,
            2 => stop,
            _ => step,
        };
        answer.context.out.set_integer(value);
        Ok(())
    }

    fn rowid(&mut self) -> Result<i64> {
        Ok(self.at as i64)
    }
}

impl Numbers {
    /// Sets the numbers to those between `low` and `high` that differ from `origin` by a multiple of `step`.
    fn set(&mut self, origin: i128, low: i128, high: i128, step: i128, descends: bool, ascends: bool) {
        if low > high {
            return;
        }
        let width = step.abs();
        let first = low + (origin - low).rem_euclid(width);
        let last = high - (high - origin).rem_euclid(width);
        if first > last {
            return;
        }
        let is_downward = if step > 0 { descends } else { !ascends };
        (self.at, self.last, self.by) = if is_downward { (last, first, -width) } else { (first, last, width) };
    }
}
