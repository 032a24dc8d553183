//! Auxiliary functions: what they answer for the row of a cursor.

use std::cell::RefCell;
use std::rc::Rc;

use lithe_vtab::{FunctionError, Overloaded, SqlConnection, Value};

use crate::Result;
use crate::cursor::CursorState;
use crate::rank::Rank;

/// What `rank` is in the row of a cursor.
///
/// # Errors
/// `no such function`, and those of the function.
pub fn rank_value(state: &Rc<RefCell<CursorState>>, connection: &dyn SqlConnection, rank: &Rank) -> Result<Value> {
    let _ = (state, connection, rank);
    Err(FunctionError::new("not supported yet: rank"))
}

/// The auxiliary function of that name.
pub fn find(name: &str) -> Option<Overloaded> {
    let _ = name;
    None
}
