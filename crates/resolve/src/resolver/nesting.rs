//! How deep queries and views are nested.

use std::cell::{Cell, RefCell};

use bumpalo::Bump;
use bumpalo::collections::Vec;
use lithe_base::ResultCode;
use lithe_catalog::{CompileError, ErrorKind, Result, Table};

/// The deepest nesting of queries, views included. The parser bounds what one text can nest; views multiply it.
const QUERY_DEPTH_MAX: u32 = 200;

/// The queries and views that are being resolved.
pub(super) struct Nesting<'a> {
    /// How deep queries are nested at the moment.
    depth: Cell<u32>,
    /// Whether there is any query inside of another.
    has_nested: Cell<bool>,
    /// The views that are being expanded, from the outermost.
    views: RefCell<Vec<'a, &'a Table>>,
    /// How many of the nested views are sources; the view that a statement changes is not one.
    source_views: Cell<u32>,
    /// The views that have been resolved on behalf of an error, each with what is wrong with it, if anything is.
    known: RefCell<Vec<'a, (&'a Table, Option<&'a str>)>>,
}

impl<'a> Nesting<'a> {
    pub fn new(arena: &'a Bump) -> Nesting<'a> {
        Nesting {
            depth: Cell::new(0),
            has_nested: Cell::new(false),
            views: RefCell::new(Vec::new_in(arena)),
            source_views: Cell::new(0),
            known: RefCell::new(Vec::new_in(arena)),
        }
    }

    /// There is a query inside of another.
    pub fn note_nested(&self) {
        self.has_nested.set(true);
    }

    pub fn has_nested(&self) -> bool {
        self.has_nested.get()
    }

    /// Runs `f` one level of nested queries further down.
    pub fn nested<T>(&self, f: impl FnOnce() -> Result<T>) -> Result<T> {
        if self.depth.get() >= QUERY_DEPTH_MAX {
            return Err(CompileError::new("parser stack overflow").of_kind(ErrorKind::Recursion));
        }
        self.depth.set(self.depth.get() + 1);
        self.has_nested.set(self.has_nested.get() || self.depth.get() > 1);
        let result = f();
        self.depth.set(self.depth.get() - 1);
        result
    }

    /// Whether the view is being expanded: another use of it is circular.
    pub fn is_open(&self, view: &Table) -> bool {
        self.views.borrow().iter().any(|open| std::ptr::eq(*open, view))
    }

    /// Runs `f`, which expands the view.
    pub fn in_view<T>(&self, view: &'a Table, f: impl FnOnce() -> T) -> T {
        self.views.borrow_mut().push(view);
        self.has_nested.set(true);
        let result = f();
        self.views.borrow_mut().pop();
        result
    }

    /// Whether the text of a view is being resolved.
    pub fn is_in_view(&self) -> bool {
        !self.views.borrow().is_empty()
    }

    /// Runs `f`, which expands a view that is a source.
    pub fn in_source_view<T>(&self, f: impl FnOnce() -> T) -> T {
        self.source_views.set(self.source_views.get() + 1);
        let result = f();
        self.source_views.set(self.source_views.get() - 1);
        result
    }

    /// Runs `f`, which resolves a part of a view that SQLite does not look at when it expands the view, as if the view were no source.
    pub fn outside_source_view<T>(&self, f: impl FnOnce() -> T) -> T {
        let before = self.source_views.replace(0);
        let result = f();
        self.source_views.set(before);
        result
    }

    /// The query of a view has been resolved in vain. Errors that depend on where the view stands, and those that are no errors of the
    /// statement, are not kept.
    pub fn note_failed(&self, view: &'a Table, error: &CompileError) {
        if error.code == ResultCode::ERROR && !matches!(error.kind, ErrorKind::Unconnected(_) | ErrorKind::Recursion) {
            let message = self.known.borrow().bump().alloc_str(&error.message);
            self.known.borrow_mut().push((view, Some(message)));
        }
    }

    /// The query of a view has been resolved.
    pub fn note_resolved(&self, view: &'a Table) {
        self.known.borrow_mut().push((view, None));
    }

    /// What is wrong with the query of a view, if that has been found out before.
    pub fn known(&self, view: &Table) -> Option<Option<&'a str>> {
        self.known.borrow().iter().find(|(known, _)| std::ptr::eq(*known, view)).map(|(_, message)| *message)
    }

    /// Whether the text of a view that is a source is being resolved.
    pub fn is_in_source_view(&self) -> bool {
        self.source_views.get() > 0
    }
}
