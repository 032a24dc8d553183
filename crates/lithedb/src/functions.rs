//! The application's own functions and collations.

use std::any::Any;
use std::cmp::Ordering;
use std::rc::Rc;
use std::sync::Arc;

use lithe_engine as engine;
use lithe_engine::function::{
    AggregateFunction, AggregateState, Arity, Context, Flags, Function, FunctionError, Kind, ScalarFunction,
};
use lithe_engine::value::collation::CustomCollation;
use lithe_engine::value::{Collation, Encoding, ValueRef};
use lithe_engine::{BindValue, Error, Result, ResultCode};

use crate::connection::Connection;
use crate::from_sql::FromSql;
use crate::to_sql::ToSql;

/// Properties of a function: `FunctionFlags::DETERMINISTIC` and so on.
pub use lithe_engine::function::Flags as FunctionFlags;

/// One call of a function: its arguments, and data that it keeps for the next call.
pub struct FunctionContext<'a, 'c> {
    context: &'a mut Context<'c>,
    args: &'a [ValueRef<'a>],
}

impl<'a> FunctionContext<'a, '_> {
    /// How many arguments there are.
    ///
    /// ```
    /// use lithe::{Connection, FunctionFlags};
    /// let connection = Connection::open_in_memory()?;
    /// connection.create_scalar_function("f", -1, FunctionFlags::DETERMINISTIC, |call| Ok(call.len() as i64))?;
    /// assert_eq!(connection.query_row("SELECT f(7, 8)", [], |row| row.get::<i64>(0))?, 2);
    /// # Ok::<(), lithe::Error>(())
    /// ```
    pub fn len(&self) -> usize {
        self.args.len()
    }

    /// Whether there are no arguments.
    ///
    /// ```
    /// use lithe::{Connection, FunctionFlags};
    /// let connection = Connection::open_in_memory()?;
    /// connection.create_scalar_function("f", -1, FunctionFlags::DETERMINISTIC, |call| Ok(call.is_empty()))?;
    /// assert_eq!(connection.query_row("SELECT f()", [], |row| row.get::<i64>(0))?, 1);
    /// # Ok::<(), lithe::Error>(())
    /// ```
    pub fn is_empty(&self) -> bool {
        self.args.is_empty()
    }

    /// An argument as a Rust type.
    ///
    /// Does not block.
    ///
    /// ```
    /// use lithe::{Connection, FunctionFlags};
    /// let connection = Connection::open_in_memory()?;
    /// connection.create_scalar_function("f", -1, FunctionFlags::DETERMINISTIC, |call| Ok(call.get::<i64>(0)? + 1))?;
    /// assert_eq!(connection.query_row("SELECT f(7)", [], |row| row.get::<i64>(0))?, 8);
    /// # Ok::<(), lithe::Error>(())
    /// ```
    ///
    /// # Errors
    /// SQLITE_MISMATCH if the value is not of that type, SQLITE_RANGE if there is no such argument.
    pub fn get<T: FromSql<'a>>(&self, index: usize) -> Result<T> {
        let value = self.args.get(index).ok_or_else(|| Error::from_code(ResultCode::RANGE))?;
        T::from_sql(*value).map_err(|e| Error::new(ResultCode::MISMATCH, format!("argument {index}: {e}")))
    }

    /// An argument, borrowed. NULL if there is no such argument.
    ///
    /// ```
    /// use lithe::{Connection, FunctionFlags};
    /// let connection = Connection::open_in_memory()?;
    /// connection.create_scalar_function("f", -1, FunctionFlags::DETERMINISTIC, |call| Ok(call.value(5).is_null()))?;
    /// assert_eq!(connection.query_row("SELECT f(1)", [], |row| row.get::<i64>(0))?, 1);
    /// # Ok::<(), lithe::Error>(())
    /// ```
    pub fn value(&self, index: usize) -> ValueRef<'a> {
        self.args.get(index).copied().unwrap_or_default()
    }

    /// Data that `make` computes from the argument `index`, for instance, a parsed pattern. If the argument is a
    /// constant, `make` is called once, otherwise for every call.
    ///
    /// Does not block, unless `make` does.
    ///
    /// ```
    /// use lithe::{Connection, FunctionFlags};
    /// let connection = Connection::open_in_memory()?;
    /// connection.create_scalar_function("f", -1, FunctionFlags::DETERMINISTIC, |call| Ok(*call.auxiliary(0, |pattern| Ok(pattern.bytes().map_or(0, <[u8]>::len)))? as i64))?;
    /// assert_eq!(connection.query_row("SELECT f('abc')", [], |row| row.get::<i64>(0))?, 3);
    /// # Ok::<(), lithe::Error>(())
    /// ```
    ///
    /// # Errors
    /// Those of `make`; SQLITE_RANGE if there is no such argument.
    pub fn auxiliary<T: 'static>(
        &mut self,
        index: usize,
        make: impl FnOnce(ValueRef<'a>) -> Result<T>,
    ) -> Result<Rc<T>> {
        let at = i32::try_from(index).unwrap_or(i32::MAX);
        if let Some(kept) = self.context.auxiliary(at).and_then(|kept| kept.downcast().ok()) {
            return Ok(kept);
        }
        let made = Rc::new(make(self.value(index))?);
        self.context.set_auxiliary(at, Rc::<T>::clone(&made) as Rc<dyn Any>);
        Ok(made)
    }

    /// Sets the subtype of the result. Only a function with `FunctionFlags::RESULT_SUBTYPE` should call this.
    ///
    /// ```
    /// use lithe::{Connection, FunctionFlags};
    /// let connection = Connection::open_in_memory()?;
    /// connection.create_scalar_function("tag", 1, FunctionFlags::RESULT_SUBTYPE, |call| {
    ///     call.set_subtype(74);
    ///     call.get::<String>(0)
    /// })?;
    /// connection.create_scalar_function("tag_of", 1, FunctionFlags::SUBTYPE, |call| Ok(i64::from(call.subtype(0))))?;
    /// assert_eq!(connection.query_row("SELECT tag_of(tag('x'))", [], |row| row.get::<i64>(0))?, 74);
    /// # Ok::<(), lithe::Error>(())
    /// ```
    pub fn set_subtype(&mut self, subtype: u8) {
        self.context.subtype = subtype;
    }

    /// The subtype of an argument.
    ///
    /// ```
    /// use lithe::{Connection, FunctionFlags};
    /// let connection = Connection::open_in_memory()?;
    /// connection.create_scalar_function("f", -1, FunctionFlags::DETERMINISTIC, |call| Ok(i64::from(call.subtype(0))))?;
    /// assert_eq!(connection.query_row("SELECT f(1)", [], |row| row.get::<i64>(0))?, 0);
    /// # Ok::<(), lithe::Error>(())
    /// ```
    pub fn subtype(&self, index: usize) -> u8 {
        self.context.arg_subtype(index)
    }
}

/// An aggregate function: one value from many rows.
pub trait Aggregate: Send + Sync + 'static {
    /// The state over the rows so far.
    type State: 'static;
    /// The type of the result.
    type Output: ToSql;

    /// The state before the first row.
    fn init(&self) -> Self::State;

    /// Adds a row.
    fn step(&self, state: &mut Self::State, row: &mut FunctionContext<'_, '_>) -> Result<()>;

    /// The result over all rows.
    fn finish(&self, state: Self::State) -> Result<Self::Output>;
}

/// An aggregate function that can be used with OVER.
pub trait WindowAggregate: Aggregate {
    /// Removes the oldest row.
    fn inverse(&self, state: &mut Self::State, row: &mut FunctionContext<'_, '_>) -> Result<()>;

    /// The result over the present rows; others may be added and removed later.
    fn value(&self, state: &Self::State) -> Result<Self::Output>;
}

impl Connection {
    /// Defines a scalar function, in place of one of the same name and number of arguments; -1 is any number.
    ///
    /// Does not block. Any thread that uses the connection may call the function: its shared data must be `Send` and `Sync`.
    ///
    /// ```
    /// use lithe::{Connection, FunctionFlags};
    /// let connection = Connection::open_in_memory()?;
    /// connection.create_scalar_function("reverse", 1, FunctionFlags::DETERMINISTIC, |call| {
    ///     Ok(call.get::<&str>(0)?.chars().rev().collect::<String>())
    /// })?;
    /// let text: String = connection.query_row("SELECT reverse('stressed')", [], |row| row.get(0))?;
    /// assert_eq!(text, "desserts");
    /// # Ok::<(), lithe::Error>(())
    /// ```
    ///
    /// # Errors
    /// SQLITE_BUSY if it would replace a function while statements run; SQLITE_MISUSE for a name or number of arguments
    /// out of bounds.
    pub fn create_scalar_function<T, F>(&self, name: &str, args: i32, flags: Flags, function: F) -> Result<()>
    where
        T: ToSql + 'static,
        F: Fn(&mut FunctionContext<'_, '_>) -> Result<T> + Send + Sync + 'static,
    {
        let kind = Kind::CustomScalar(Arc::new(Closure(function)));
        self.core.create_function(Function::custom(name, arity(args)?, flags, kind))
    }

    /// Defines an aggregate function.
    ///
    /// ```
    /// use lithe::{Aggregate, Connection, FunctionContext, FunctionFlags, Result};
    /// struct Product;
    /// impl Aggregate for Product {
    ///     type State = f64;
    ///     type Output = f64;
    ///     fn init(&self) -> f64 {
    ///         1.0
    ///     }
    ///     fn step(&self, product: &mut f64, row: &mut FunctionContext<'_, '_>) -> Result<()> {
    ///         *product *= row.get::<f64>(0)?;
    ///         Ok(())
    ///     }
    ///     fn finish(&self, product: f64) -> Result<f64> {
    ///         Ok(product)
    ///     }
    /// }
    /// let connection = Connection::open_in_memory()?;
    /// connection.create_aggregate_function("product", 1, FunctionFlags::DETERMINISTIC, Product)?;
    /// let sql = "SELECT product(column1) FROM (VALUES (2), (3), (7))";
    /// assert_eq!(connection.query_row(sql, [], |row| row.get::<f64>(0))?, 42.0);
    /// # Ok::<(), lithe::Error>(())
    /// ```
    ///
    /// Does not block.
    ///
    /// # Errors
    /// As [`Connection::create_scalar_function`].
    pub fn create_aggregate_function<A: Aggregate>(
        &self,
        name: &str,
        args: i32,
        flags: Flags,
        function: A,
    ) -> Result<()> {
        let kind = Kind::CustomAggregate(Arc::new(Plain(Arc::new(function))));
        self.core.create_function(Function::custom(name, arity(args)?, flags, kind))
    }

    /// Defines an aggregate function that can be used with OVER.
    ///
    /// Does not block.
    ///
    /// ```
    /// use lithe::{Aggregate, Connection, FunctionContext, FunctionFlags, Result, WindowAggregate};
    /// struct Sum;
    /// impl Aggregate for Sum {
    ///     type State = i64;
    ///     type Output = i64;
    ///     fn init(&self) -> i64 {
    ///         0
    ///     }
    ///     fn step(&self, sum: &mut i64, row: &mut FunctionContext<'_, '_>) -> Result<()> {
    ///         *sum += row.get::<i64>(0)?;
    ///         Ok(())
    ///     }
    ///     fn finish(&self, sum: i64) -> Result<i64> {
    ///         Ok(sum)
    ///     }
    /// }
    /// impl WindowAggregate for Sum {
    ///     fn inverse(&self, sum: &mut i64, row: &mut FunctionContext<'_, '_>) -> Result<()> {
    ///         *sum -= row.get::<i64>(0)?;
    ///         Ok(())
    ///     }
    ///     fn value(&self, sum: &i64) -> Result<i64> {
    ///         Ok(*sum)
    ///     }
    /// }
    /// let connection = Connection::open_in_memory()?;
    /// connection.create_window_function("running", 1, FunctionFlags::DETERMINISTIC, Sum)?;
    /// let sql = "SELECT running(column1) OVER (ROWS 1 PRECEDING) FROM (VALUES (1), (2), (4)) ORDER BY column1 DESC";
    /// assert_eq!(connection.query_row(sql, [], |row| row.get::<i64>(0))?, 6);
    /// # Ok::<(), lithe::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Connection::create_scalar_function`].
    pub fn create_window_function<A: WindowAggregate>(
        &self,
        name: &str,
        args: i32,
        flags: Flags,
        function: A,
    ) -> Result<()> {
        let kind = Kind::CustomAggregate(Arc::new(Windowed(Arc::new(function))));
        self.core.create_function(Function::custom(name, arity(args)?, flags, kind))
    }

    /// Removes a function, which may be a built-in one. Nothing happens if there is none.
    ///
    /// Does not block.
    ///
    /// ```
    /// # let connection = lithe::Connection::open_in_memory()?;
    /// connection.remove_function("lower", 1)?;
    /// assert!(connection.prepare("SELECT lower('A')").is_err());
    /// # Ok::<(), lithe::Error>(())
    /// ```
    ///
    /// # Errors
    /// SQLITE_BUSY while statements run.
    pub fn remove_function(&self, name: &str, args: i32) -> Result<()> {
        self.core.remove_function(name, arity(args)?, Encoding::Utf8)
    }

    /// Defines a collating sequence, in place of one of the same name. It must be a total order.
    ///
    /// Does not block.
    ///
    /// ```
    /// # use lithe::Connection;
    /// let connection = Connection::open_in_memory()?;
    /// connection.create_collation("LENGTH", |a, b| a.len().cmp(&b.len()))?;
    /// let sql = "SELECT group_concat(column1) FROM (SELECT * FROM (VALUES ('ccc'), ('a'), ('bb')) ORDER BY 1 COLLATE length)";
    /// assert_eq!(connection.query_row(sql, [], |row| row.get::<String>(0))?, "a,bb,ccc");
    /// # Ok::<(), lithe::Error>(())
    /// ```
    ///
    /// # Errors
    /// SQLITE_BUSY if it would replace one while statements run.
    pub fn create_collation<F>(&self, name: &str, compare: F) -> Result<()>
    where
        F: Fn(&str, &str) -> Ordering + Send + Sync + 'static,
    {
        let collation = NamedCollation { name: name.to_owned(), compare };
        self.core.set_collation(name, Some(Collation::Custom(Arc::new(collation))))
    }

    /// Removes a collating sequence.
    ///
    /// Does not block.
    ///
    /// ```
    /// # let connection = lithe::Connection::open_in_memory()?;
    /// connection.create_collation("length", |a, b| a.len().cmp(&b.len()))?;
    /// connection.remove_collation("length")?;
    /// assert!(connection.prepare("SELECT 1 ORDER BY 'a' COLLATE length").is_err());
    /// # Ok::<(), lithe::Error>(())
    /// ```
    ///
    /// # Errors
    /// SQLITE_BUSY while statements run.
    pub fn remove_collation(&self, name: &str) -> Result<()> {
        self.core.set_collation(name, None)
    }

    /// Sets the callback for collating sequences that a statement needs and that are not defined: the sequence that it
    /// returns for the name is defined.
    ///
    /// ```
    /// # use lithe::Connection;
    /// let connection = Connection::open_in_memory()?;
    /// connection.set_collation_needed(Some(|name: &str| {
    ///     name.eq_ignore_ascii_case("backwards").then_some(|a: &str, b: &str| b.cmp(a))
    /// }));
    /// assert!(connection.query_row("SELECT 'a' > 'b' COLLATE backwards", [], |row| row.get::<bool>(0))?);
    /// # Ok::<(), lithe::Error>(())
    /// ```
    pub fn set_collation_needed<N, F>(&self, callback: Option<N>)
    where
        N: Fn(&str) -> Option<F> + Send + 'static,
        F: Fn(&str, &str) -> Ordering + Send + Sync + 'static,
    {
        self.core.set_collation_needed(callback.map(|callback| -> engine::CollationNeeded {
            Rc::new(move |name: &str, _| {
                let compare = callback(name)?;
                Some(Collation::Custom(Arc::new(NamedCollation { name: name.to_owned(), compare })))
            })
        }));
    }
}

/// The number of arguments in the form of SQLite's API.
fn arity(args: i32) -> Result<Arity> {
    match u16::try_from(args) {
        Ok(count) => Ok(Arity::Exactly(count)),
        Err(_) if args == -1 => Ok(Arity::AtLeast(0)),
        Err(_) => Err(Error::from_code(ResultCode::MISUSE)),
    }
}

fn failed(error: &Error) -> FunctionError {
    FunctionError::with_code(error.code().0, error.message().to_owned())
}

/// Sets the result of the function.
fn answer(context: &mut Context<'_>, result: Result<impl ToSql>) -> lithe_engine::function::Result {
    let result = result.map_err(|error| failed(&error))?;
    let length_max = context.connection.length_max() as u64;
    let mut is_too_long = false;
    result.with_value(&mut |value| match value {
        BindValue::Value(value) => context.out.set(value),
        BindValue::ZeroBlob(len) if len > length_max => is_too_long = true,
        BindValue::ZeroBlob(len) => context.out.set(ValueRef::Blob(&vec![0; len as usize])),
    });
    if is_too_long { Err(FunctionError::too_big()) } else { Ok(()) }
}

struct Closure<F>(F);

impl<T, F> ScalarFunction for Closure<F>
where
    T: ToSql,
    F: Fn(&mut FunctionContext<'_, '_>) -> Result<T>,
{
    fn call(&self, context: &mut Context<'_>, args: &[ValueRef<'_>]) -> lithe_engine::function::Result {
        let result = (self.0)(&mut FunctionContext { context, args });
        answer(context, result)
    }
}

struct Plain<A>(Arc<A>);

impl<A: Aggregate> AggregateFunction for Plain<A> {
    fn start(&self) -> Box<dyn AggregateState> {
        Box::new(PlainState::new(&self.0))
    }
}

/// The state of one group.
struct PlainState<A: Aggregate> {
    function: Arc<A>,
    /// `None` after the end.
    state: Option<A::State>,
}

impl<A: Aggregate> PlainState<A> {
    fn new(function: &Arc<A>) -> PlainState<A> {
        PlainState { function: Arc::clone(function), state: Some(function.init()) }
    }

    fn state(&mut self) -> &mut A::State {
        self.state.get_or_insert_with(|| self.function.init())
    }
}

impl<A: Aggregate> AggregateState for PlainState<A> {
    fn step(&mut self, context: &mut Context<'_>, args: &[ValueRef<'_>]) -> lithe_engine::function::Result {
        let function = Arc::clone(&self.function);
        let row = &mut FunctionContext { context, args };
        function.step(self.state(), row).map_err(|error| failed(&error))
    }

    fn value(&mut self, context: &mut Context<'_>) -> lithe_engine::function::Result {
        self.finish(context)
    }

    fn finish(&mut self, context: &mut Context<'_>) -> lithe_engine::function::Result {
        let state = self.state.take().unwrap_or_else(|| self.function.init());
        answer(context, self.function.finish(state))
    }
}

struct Windowed<A>(Arc<A>);

impl<A: WindowAggregate> AggregateFunction for Windowed<A> {
    fn start(&self) -> Box<dyn AggregateState> {
        Box::new(WindowState(PlainState::new(&self.0)))
    }

    fn has_inverse(&self) -> bool {
        true
    }
}

/// The state of one window.
struct WindowState<A: Aggregate>(PlainState<A>);

impl<A: WindowAggregate> AggregateState for WindowState<A> {
    fn step(&mut self, context: &mut Context<'_>, args: &[ValueRef<'_>]) -> lithe_engine::function::Result {
        self.0.step(context, args)
    }

    fn inverse(&mut self, context: &mut Context<'_>, args: &[ValueRef<'_>]) -> lithe_engine::function::Result {
        let function = Arc::clone(&self.0.function);
        let row = &mut FunctionContext { context, args };
        function.inverse(self.0.state(), row).map_err(|error| failed(&error))
    }

    fn value(&mut self, context: &mut Context<'_>) -> lithe_engine::function::Result {
        let function = Arc::clone(&self.0.function);
        answer(context, function.value(self.0.state()))
    }

    fn finish(&mut self, context: &mut Context<'_>) -> lithe_engine::function::Result {
        self.0.finish(context)
    }
}

struct NamedCollation<F> {
    name: String,
    compare: F,
}

impl<F: Fn(&str, &str) -> Ordering> CustomCollation for NamedCollation<F> {
    fn name(&self) -> &str {
        &self.name
    }

    fn compare(&self, left: &[u8], right: &[u8]) -> Ordering {
        (self.compare)(&String::from_utf8_lossy(left), &String::from_utf8_lossy(right))
    }
}
