//! Tracing: the statements that a connection runs, and their rows.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::time::{Duration, Instant};

use lithe_engine as engine;

/// The argument of the trace hook.
#[derive(Debug)]
pub enum TraceEvent<'a> {
    /// A statement begins to run.
    Statement(TracedStatement<'a>),
    /// A trigger, or a statement of a trigger, begins to run: the text is an SQL comment that names it.
    Trigger(&'a str),
    /// A statement has returned a row.
    Row(TracedStatement<'a>),
    /// A run of a statement has ended, at its end, by an error or by a reset, and has taken this time.
    Profile(TracedStatement<'a>, Duration),
    /// The connection closes.
    Close,
}

/// A statement that is traced.
pub struct TracedStatement<'a>(pub(crate) &'a engine::Statement);

impl TracedStatement<'_> {
    /// The text of the statement.
    ///
    /// ```
    /// use lithe::{Connection, TraceEvent};
    /// let connection = Connection::open_in_memory()?;
    /// connection.set_trace_hook(Some(|event: TraceEvent<'_>| {
    ///     if let TraceEvent::Statement(statement) = event {
    ///         println!("{}", statement.sql());
    ///     }
    /// }));
    /// # Ok::<(), lithe::Error>(())
    /// ```
    pub fn sql(&self) -> &str {
        self.0.sql()
    }

    /// The text of the statement with the bound values in place of its parameters.
    ///
    /// ```
    /// use lithe::{Connection, TraceEvent};
    /// let connection = Connection::open_in_memory()?;
    /// connection.set_trace_hook(Some(|event: TraceEvent<'_>| {
    ///     if let TraceEvent::Statement(statement) = event {
    ///         println!("{}", statement.expanded_sql());
    ///     }
    /// }));
    /// # Ok::<(), lithe::Error>(())
    /// ```
    pub fn expanded_sql(&self) -> String {
        String::from_utf8_lossy(&self.0.expanded_sql()).into_owned()
    }
}

impl std::fmt::Debug for TracedStatement<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:?}", self.sql())
    }
}

pub(crate) type Hook = Rc<RefCell<dyn FnMut(TraceEvent<'_>)>>;

/// The trace hook of a connection.
#[derive(Default)]
pub(crate) struct Tracer {
    is_on: Cell<bool>,
    hook: RefCell<Option<Hook>>,
}

impl Tracer {
    pub(crate) fn is_on(&self) -> bool {
        self.is_on.get()
    }

    pub(crate) fn set(&self, hook: Option<Hook>) {
        self.is_on.set(hook.is_some());
        // The old hook is dropped after the borrow has ended, because its destructor may call this.
        let _old = self.hook.replace(hook);
    }

    /// Calls the hook. A nested call, for a statement that the hook itself runs, is skipped.
    pub(crate) fn tell(&self, event: TraceEvent<'_>) {
        let hook = self.hook.borrow().clone();
        if let Some(hook) = hook {
            call(&hook, event);
        }
    }

    /// The time at which a run begins, if the hook is set.
    pub(crate) fn begin(&self, statement: &engine::Statement) -> Option<Instant> {
        self.is_on().then(|| {
            self.tell(TraceEvent::Statement(TracedStatement(statement)));
            Instant::now()
        })
    }
}

impl Drop for Tracer {
    fn drop(&mut self) {
        self.tell(TraceEvent::Close);
    }
}

pub(crate) fn call(hook: &Hook, event: TraceEvent<'_>) {
    if let Ok(mut hook) = hook.try_borrow_mut() {
        hook(event);
    }
}
