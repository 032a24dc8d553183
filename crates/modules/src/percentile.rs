//! `median`, `percentile`, `percentile_cont` and `percentile_disc`: aggregates, also over windows.

use std::sync::{Arc, OnceLock};

use lithe_vtab::{
    AggregateFunction, AggregateState, Arity, Context, Flags, Function, FunctionError, FunctionKind, Result, ValueRef,
};

/// The tolerance within which the fraction must be the same for all rows.
const SAME_FRACTION: f64 = 0.001;

/// One of the four functions.
#[derive(Clone, Copy)]
struct Percentile {
    name: &'static str,
    /// The greatest fraction: 100, or 1.
    whole: f64,
    /// Whether the result is always an input value, never an interpolation.
    is_discrete: bool,
}

const ALL: [Percentile; 4] = [
    Percentile { name: "median", whole: 1.0, is_discrete: false },
    Percentile { name: "percentile", whole: 100.0, is_discrete: false },
    Percentile { name: "percentile_cont", whole: 1.0, is_discrete: false },
    Percentile { name: "percentile_disc", whole: 1.0, is_discrete: true },
];

/// The functions, shared by the connections of a process.
pub fn functions() -> &'static [Arc<Function>] {
    static FUNCTIONS: OnceLock<Vec<Arc<Function>>> = OnceLock::new();
    FUNCTIONS.get_or_init(make)
}

fn make() -> Vec<Arc<Function>> {
    let function = |of: &Percentile| {
        let arity = Arity::Exactly(if of.name == "median" { 1 } else { 2 });
        let kind = FunctionKind::CustomAggregate(Arc::new(*of));
        Arc::new(Function::custom(of.name, arity, Flags::default(), kind).built_in())
    };
    ALL.iter().map(function).collect()
}

impl AggregateFunction for Percentile {
    fn start(&self) -> Box<dyn AggregateState> {
        Box::new(State { of: *self, fraction: None, numbers: Vec::new(), is_sorted: true })
    }

    fn has_inverse(&self) -> bool {
        true
    }
}

struct State {
    of: Percentile,
    fraction: Option<f64>,
    numbers: Vec<f64>,
    is_sorted: bool,
}

impl State {
    /// The fraction, divided by the whole.
    fn fraction(&self, argument: Option<&ValueRef<'_>>) -> Result<f64> {
        let given = match argument {
            None => return Ok(0.5),
            Some(ValueRef::Integer(integer)) => Some(*integer as f64),
            Some(ValueRef::Real(real)) => Some(*real),
            // A number in a text counts.
            Some(ValueRef::Text(text)) => std::str::from_utf8(text).ok().and_then(|text| text.trim().parse().ok()),
            Some(_) => None,
        };
        let (name, whole) = (self.of.name, self.of.whole);
        given.map(|given| given / whole).filter(|fraction| (0.0..=1.0).contains(fraction)).ok_or_else(|| {
            FunctionError::new(format!("the fraction argument to {name}() is not between 0.0 and {whole:.1}"))
        })
    }

    /// The number in a row; None for NULL.
    fn number(&self, value: ValueRef<'_>) -> Result<Option<f64>> {
        let number = match value {
            ValueRef::Null => return Ok(None),
            ValueRef::Integer(integer) => integer as f64,
            ValueRef::Real(real) => real,
            ValueRef::Text(_) | ValueRef::Blob(_) => {
                return Err(FunctionError::new(format!("input to {}() is not numeric", self.of.name)));
            }
        };
        if number.is_infinite() {
            return Err(FunctionError::new(format!("Inf input to {}()", self.of.name)));
        }
        Ok(Some(number))
    }

    fn sort(&mut self) {
        if !self.is_sorted {
            self.numbers.sort_unstable_by(f64::total_cmp);
            self.is_sorted = true;
        }
    }
}

impl AggregateState for State {
    fn step(&mut self, _: &mut Context<'_>, args: &[ValueRef<'_>]) -> Result {
        let fraction = self.fraction(args.get(1))?;
        if *self.fraction.get_or_insert(fraction) - fraction >= SAME_FRACTION
            || fraction - self.fraction.unwrap_or(fraction) >= SAME_FRACTION
        {
            let name = self.of.name;
            let message = format!("the fraction argument to {name}() is not the same for all input rows");
            return Err(FunctionError::new(message));
        }
        let Some(number) = self.number(args.first().copied().unwrap_or(ValueRef::Null))? else { return Ok(()) };
        self.numbers.try_reserve(1).map_err(|_| FunctionError::out_of_memory())?;
        self.is_sorted &= self.numbers.last().is_none_or(|last| *last <= number);
        self.numbers.push(number);
        Ok(())
    }

    fn inverse(&mut self, _: &mut Context<'_>, args: &[ValueRef<'_>]) -> Result {
        let Ok(Some(number)) = self.number(args.first().copied().unwrap_or(ValueRef::Null)) else { return Ok(()) };
        self.sort();
        let at = self.numbers.partition_point(|known| known.total_cmp(&number).is_lt());
        if self.numbers.get(at) == Some(&number) {
            self.numbers.remove(at);
        }
        Ok(())
    }

    fn value(&mut self, context: &mut Context<'_>) -> Result {
        self.sort();
        let (Some(fraction), Some(end)) = (self.fraction, self.numbers.last()) else {
            context.out.set_null();
            return Ok(());
        };
        let position = fraction * (self.numbers.len() - 1) as f64;
        let (at, rest) = (position as usize, position.fract());
        let low = self.numbers.get(at).unwrap_or(end);
        let value = match self.numbers.get(at + 1) {
            Some(high) if !self.of.is_discrete && rest != 0.0 => low + (high - low) * rest,
            _ => *low,
        };
        context.out.set(ValueRef::Real(value));
        Ok(())
    }
}
