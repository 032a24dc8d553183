//! Geometries of the application: the right operands of MATCH.
//!
//! ```text
//!   SELECT … FROM r WHERE id MATCH circle(3, 4, 10)
//!                              │
//!         geometry_function ───┘  answers a pointer to a MatchArgument; a scan makes its Geometry from it
//! ```

use std::rc::Rc;
use std::sync::Arc;

use lithe_functions::{Arity, Flags};
use lithe_functions::{Context, Function, Kind, Pointer, ScalarFunction};
use lithe_vtab::{Value, ValueRef};

use crate::error::Result;
use crate::query::Geometry;

/// The kind of the pointers.
pub const POINTER_KIND: &[u8] = b"RtreeMatchArg";

/// A kind of geometry, by the name of its SQL function.
pub trait GeometryKind: Send + Sync {
    /// The geometry of one scan, for the arguments of the function.
    ///
    /// # Errors
    /// Ends the query.
    fn begin(&self, parameters: &[Value]) -> Result<Rc<dyn Geometry>>;
}

/// The value of the function, as a pointer.
pub struct MatchArgument {
    /// The kind.
    pub kind: Arc<dyn GeometryKind>,
    /// The arguments.
    pub parameters: Vec<Value>,
}

struct GeometryFunction(Arc<dyn GeometryKind>);

impl ScalarFunction for GeometryFunction {
    fn call(&self, context: &mut Context<'_>, args: &[ValueRef<'_>]) -> Result {
        let parameters = args.iter().map(|arg| Ok(Value::try_copy(*arg)?)).collect::<Result<Vec<Value>>>()?;
        let argument = MatchArgument { kind: Arc::clone(&self.0), parameters };
        context.pointer = Some(Rc::new(Pointer { kind: POINTER_KIND.into(), value: Box::new(argument), number: None }));
        context.answer(ValueRef::Null)
    }
}

/// The SQL function of a geometry, with any number of arguments.
pub fn geometry_function(name: &str, kind: Arc<dyn GeometryKind>) -> Function {
    Function::custom(name, Arity::AtLeast(0), Flags::default(), Kind::CustomScalar(Arc::new(GeometryFunction(kind))))
}
