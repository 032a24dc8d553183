//! Sessions with names.

use std::cell::RefCell;
use std::rc::Rc;

use lithe::session::Session;

/// A session that `.session open` has begun.
pub struct NamedSession {
    pub name: String,
    pub session: Session<'static>,
    /// Patterns of tables that are not recorded.
    pub rejected: Rc<RefCell<Vec<String>>>,
}
