//! A function of any kind, built in or of the application.

use std::fmt;
use std::sync::{Arc, OnceLock};

use lithe_value::{Encoding, ValueRef};

use crate::aggregate::{Aggregate, AggregateFunction, BuiltinAggregate};
use crate::context::Context;
use crate::error::{FunctionError, Result, code};
use crate::signature::{Arity, Flags, Scalar, ScalarFn, ScalarFunction, Shortcut};
use crate::window::{Window, WindowFunction};

/// The code of a function.
#[derive(Clone)]
pub enum Kind {
    /// A built-in scalar function.
    Scalar(ScalarFn),
    /// A scalar function of the application.
    CustomScalar(Arc<dyn ScalarFunction + Send + Sync>),
    /// A built-in aggregate. The machine runs it without a box.
    Aggregate(BuiltinAggregate),
    /// An aggregate of the application, perhaps with an inverse for windows.
    CustomAggregate(Arc<dyn AggregateFunction + Send + Sync>),
    /// A built-in function that needs a window.
    Window(WindowFunction),
}

impl fmt::Debug for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Kind::Scalar(_) => f.write_str("Scalar"),
            Kind::CustomScalar(_) => f.write_str("CustomScalar"),
            Kind::Aggregate(kind) => write!(f, "Aggregate({kind:?})"),
            Kind::CustomAggregate(_) => f.write_str("CustomAggregate"),
            Kind::Window(kind) => write!(f, "Window({kind:?})"),
        }
    }
}

/// A function, built in or of the application.
#[derive(Clone, Debug)]
pub struct Function {
    name: Box<str>,
    args: Arity,
    flags: Flags,
    kind: Kind,
    /// Only built-in functions have one.
    shortcut: Option<Shortcut>,
    encoding: Encoding,
    is_builtin: bool,
}

impl Function {
    /// A function of the application. `flags` are those of the public API.
    pub fn custom(name: &str, args: Arity, flags: Flags, kind: Kind) -> Function {
        // A deterministic function has the same result during a statement, too.
        let stable = if flags.contains(Flags::DETERMINISTIC) { Flags::STABLE } else { Flags::default() };
        Function {
            name: name.into(),
            args,
            flags: flags.with(stable),
            kind,
            shortcut: None,
            encoding: Encoding::Utf8,
            is_builtin: false,
        }
    }

    /// The same as a built-in function, which functions of the application with its name hide.
    #[must_use]
    pub fn built_in(self) -> Function {
        Function { is_builtin: true, ..self }
    }

    /// A function that can only be called if a virtual table overloads it.
    pub fn unusable(name: &str, args: Arity) -> Function {
        let own_name = name.to_owned();
        let call = move |_: &mut Context<'_>, _: &[ValueRef<'_>]| -> Result { Err(FunctionError::unusable(&own_name)) };
        Function::custom(name, args, Flags::default(), Kind::CustomScalar(Arc::new(call)))
    }

    /// What stands for an unknown function that a stored expression calls, as one that the application has not defined yet. The first argument of such a call is the message of the error, which is reported where the value is needed.
    pub fn uncallable() -> &'static Arc<Function> {
        static UNCALLABLE: OnceLock<Arc<Function>> = OnceLock::new();
        UNCALLABLE.get_or_init(|| {
            let flags = Flags::DETERMINISTIC.with(Flags::INNOCUOUS);
            let kind = Kind::Scalar(|_, _| Err(FunctionError::unusable("")));
            Arc::new(Function::custom("", Arity::AtLeast(1), flags, kind).built_in())
        })
    }

    /// Tells a function of the application that its connection has removed it.
    pub fn removed(&self) {
        match &self.kind {
            Kind::CustomScalar(function) => function.removed(),
            Kind::CustomAggregate(function) => function.removed(),
            _ => {}
        }
    }

    /// Whether this is [`Function::uncallable`].
    pub fn is_uncallable(&self) -> bool {
        self.is_builtin && self.name.is_empty()
    }

    /// The same, preferred for texts in that encoding: of several functions that match a call, the one for the database's
    /// encoding is used. All functions get their texts in UTF-8; a function of the application in UTF-16 is wrapped in one that
    /// converts.
    #[must_use]
    pub fn with_encoding(self, encoding: Encoding) -> Function {
        Function { encoding, ..self }
    }

    /// The name as it was defined.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The number of arguments that it takes.
    pub fn args(&self) -> Arity {
        self.args
    }

    /// The number of arguments as PRAGMA function_list shows it.
    pub fn argument_count(&self) -> i32 {
        self.args.narg()
    }

    /// Its properties.
    pub fn flags(&self) -> Flags {
        self.flags
    }

    /// The flags as PRAGMA function_list shows them.
    pub fn public_flags(&self) -> u32 {
        self.flags.0 & Flags::PUBLIC.0
    }

    /// The encoding that it prefers.
    pub fn encoding(&self) -> Encoding {
        self.encoding
    }

    /// Its code.
    pub fn kind(&self) -> &Kind {
        &self.kind
    }

    /// Whether it is built in.
    pub fn is_builtin(&self) -> bool {
        self.is_builtin
    }

    /// Its code, if it is a built-in scalar function.
    #[inline]
    pub fn builtin_scalar(&self) -> Option<ScalarFn> {
        match self.kind {
            Kind::Scalar(eval) if self.is_builtin => Some(eval),
            _ => None,
        }
    }

    /// Its shortcut, if it has one.
    #[inline]
    pub fn shortcut(&self) -> Option<Shortcut> {
        self.shortcut
    }

    /// Whether it computes one value from many rows.
    pub fn is_aggregate(&self) -> bool {
        matches!(self.kind, Kind::Aggregate(_) | Kind::CustomAggregate(_))
    }

    /// Whether OVER may follow.
    pub fn can_be_window(&self) -> bool {
        match &self.kind {
            Kind::Aggregate(_) | Kind::Window(_) => true,
            Kind::CustomAggregate(aggregate) => aggregate.has_inverse(),
            Kind::Scalar(_) | Kind::CustomScalar(_) => false,
        }
    }

    /// Whether OVER must follow.
    pub fn is_window_only(&self) -> bool {
        matches!(self.kind, Kind::Window(_))
    }

    /// Whether the same arguments always give the same result. The date functions count as deterministic; they fail when they are
    /// called with `now` in a context that requires it.
    pub fn is_deterministic(&self) -> bool {
        self.flags.contains(Flags::DETERMINISTIC)
    }

    /// Whether it hides built-in functions: it is the application's, or a pragma has defined it.
    pub fn hides_builtin(&self) -> bool {
        !self.is_builtin || self.is_defined_by_pragma()
    }

    /// Whether this is LIKE as PRAGMA case_sensitive_like has defined it.
    pub fn is_defined_by_pragma(&self) -> bool {
        self.flags.contains(Flags::DEFINED_BY_PRAGMA)
    }

    /// Whether a call with constant arguments is constant while one statement runs.
    pub fn is_constant_in_statement(&self) -> bool {
        self.flags.contains(Flags::STABLE)
    }

    /// Whether SQLite's planner calls it with constant arguments, to look the result up in samples. It does not call functions for which
    /// it has code of its own, those that compare their arguments, and those that parse JSON.
    pub fn is_called_by_planner(&self) -> bool {
        let is_json = self.name.starts_with("json") || self.name.starts_with("->");
        let builds_json =
            || matches!(&*self.name, "json_array" | "json_object" | "json_quote" | "jsonb_array" | "jsonb_object");
        let is_left_out = matches!(&*self.name, "min" | "max" | "nullif") || is_json && !builds_json();
        let is_scalar = matches!(self.kind, Kind::Scalar(_) | Kind::CustomScalar(_));
        is_scalar
            && !self.is_uncallable()
            && self.is_constant_in_statement()
            && !self.flags.contains(Flags::INLINE)
            && !(self.is_builtin && is_left_out)
    }

    /// Whether it may not be called from a schema.
    pub fn is_direct_only(&self) -> bool {
        self.flags.contains(Flags::DIRECT_ONLY)
    }

    /// Whether it may be called from a schema that is not trusted.
    pub fn is_innocuous(&self) -> bool {
        self.flags.contains(Flags::INNOCUOUS)
    }

    /// The type in PRAGMA function_list: scalar, aggregate, or window.
    pub fn kind_letter(&self) -> &'static str {
        match &self.kind {
            Kind::Scalar(_) | Kind::CustomScalar(_) => "s",
            Kind::CustomAggregate(aggregate) if !aggregate.has_inverse() => "a",
            Kind::Aggregate(_) | Kind::CustomAggregate(_) | Kind::Window(_) => "w",
        }
    }

    /// Whether a built-in function reads a BLOB in argument number `at` as text: in a database of UTF-16, as text of that
    /// encoding.
    pub fn reads_as_text(&self, at: usize, args: &[ValueRef<'_>]) -> bool {
        let is_blob = |at: usize| matches!(args.get(at), Some(ValueRef::Blob(_)));
        let is_jsonb = || matches!(args.get(at), Some(ValueRef::Blob(blob)) if crate::json::is_jsonb(blob));
        match &*self.name {
            "typeof" | "length" | "octet_length" | "hex" | "quote" | "coalesce" | "ifnull" | "iif" | "if" | "min"
            | "max" | "nullif" | "likely" | "unlikely" | "likelihood" | "subtype" | "count" | "json_array"
            | "json_object" | "json_quote" | "jsonb_array" | "jsonb_object" | "json_group_array"
            | "jsonb_group_array" | "unistr_quote" | "sqlite_log" => false,
            "substr" | "substring" => at > 0,
            "json_group_object" | "jsonb_group_object" => at == 0,
            "instr" => !(is_blob(0) && is_blob(1)),
            "json_patch" | "jsonb_patch" => !is_jsonb(),
            "json_set" | "json_insert" | "json_replace" | "json_array_insert" | "jsonb_set" | "jsonb_insert"
            | "jsonb_replace" | "jsonb_array_insert" => at % 2 == 1 || at == 0 && !is_jsonb(),
            name if name.starts_with("json") || name.starts_with("->") => at > 0 || !is_jsonb(),
            "log" => at == 1,
            // They make NULL of a BLOB.
            "sign" | "acos" | "acosh" | "asin" | "asinh" | "atan" | "atan2" | "atanh" | "ceil" | "ceiling" | "cos"
            | "cosh" | "degrees" | "exp" | "floor" | "ln" | "log10" | "log2" | "mod" | "pow" | "power" | "radians"
            | "sin" | "sinh" | "sqrt" | "tan" | "tanh" | "trunc" => false,
            "ntile" => true,
            _ => matches!(self.kind, Kind::Scalar(_) | Kind::Aggregate(_)),
        }
    }

    /// Whether this is sum(), total() or avg().
    pub fn is_sum(&self) -> bool {
        matches!(self.kind, Kind::Aggregate(BuiltinAggregate::Sum | BuiltinAggregate::Total | BuiltinAggregate::Avg))
    }

    /// Calls a scalar function.
    ///
    /// # Errors
    /// Those of the function; SQLITE_INTERNAL if it is not scalar: aggregates and window functions run in other ways.
    #[inline]
    pub fn call(&self, context: &mut Context<'_>, args: &[ValueRef<'_>]) -> Result {
        match &self.kind {
            Kind::Scalar(eval) => eval(context, args),
            Kind::CustomScalar(function) => function.call(context, args),
            Kind::Aggregate(_) | Kind::CustomAggregate(_) | Kind::Window(_) => {
                Err(FunctionError::with_code(code::INTERNAL, format!("{}() is not a scalar function", self.name)))
            }
        }
    }
}

/// Built-in functions are innocuous. The result of a scalar one is the same for the same arguments during a statement, unless its
/// entry says otherwise.
impl From<&Scalar> for Function {
    fn from(entry: &Scalar) -> Self {
        Function {
            name: entry.name.into(),
            args: entry.args,
            flags: entry.flags,
            kind: Kind::Scalar(entry.eval),
            shortcut: entry.shortcut,
            encoding: Encoding::Utf8,
            is_builtin: true,
        }
    }
}

impl From<&Aggregate> for Function {
    fn from(entry: &Aggregate) -> Self {
        Function {
            name: entry.name.into(),
            args: entry.args,
            flags: Flags::INNOCUOUS,
            kind: Kind::Aggregate(entry.kind),
            shortcut: None,
            encoding: Encoding::Utf8,
            is_builtin: true,
        }
    }
}

impl From<&Window> for Function {
    fn from(entry: &Window) -> Self {
        Function {
            name: entry.name.into(),
            args: entry.args,
            flags: Flags::INNOCUOUS,
            kind: Kind::Window(entry.kind),
            shortcut: None,
            encoding: Encoding::Utf8,
            is_builtin: true,
        }
    }
}

impl From<&crate::json::Group> for Function {
    fn from(entry: &crate::json::Group) -> Self {
        Function {
            name: entry.name.into(),
            args: Arity::Exactly(entry.args()),
            flags: Flags::INNOCUOUS.with(Flags::SUBTYPE).with(Flags::RESULT_SUBTYPE).with(Flags::DETERMINISTIC),
            kind: Kind::CustomAggregate(Arc::new(*entry)),
            shortcut: None,
            encoding: Encoding::Utf8,
            is_builtin: true,
        }
    }
}
