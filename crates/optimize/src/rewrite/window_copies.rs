//! Expressions with calls of window functions of their own.

use lithe_resolve::Resolver;
use lithe_resolve::ir::{Column, Expr, WindowCall, WindowId};

use super::map::{Change, Map};

/// Copies of the calls of a SELECT: each call is copied once.
pub(crate) struct WindowCopies<'a> {
    resolver: &'a Resolver<'a>,
    calls: &'a [&'a WindowCall<'a>],
    made: Vec<(WindowId, &'a WindowCall<'a>)>,
}

impl<'a> WindowCopies<'a> {
    /// No copy yet of the calls.
    pub(crate) fn new(resolver: &'a Resolver<'a>, calls: &'a [&'a WindowCall<'a>]) -> WindowCopies<'a> {
        WindowCopies { resolver, calls, made: Vec::new() }
    }

    /// The expression with copies instead of the calls. Without calls it stays as it was.
    pub(crate) fn copy(&mut self, expr: &Expr<'a>) -> Expr<'a> {
        let arena = self.resolver.arena;
        Map { arena, change: self }.expr(expr)
    }

    /// The copies, in the order in which they were needed.
    pub(crate) fn into_calls(self) -> Vec<&'a WindowCall<'a>> {
        self.made.into_iter().map(|(_, call)| call).collect()
    }
}

impl<'a> Change<'a> for WindowCopies<'a> {
    fn column(&mut self, _column: &'a Column<'a>) -> Option<Expr<'a>> {
        None
    }

    fn window_call(&mut self, call: &'a WindowCall<'a>) -> Option<&'a WindowCall<'a>> {
        if !self.calls.iter().any(|own| own.id == call.id) {
            return None;
        }
        if let Some((_, copy)) = self.made.iter().find(|(id, _)| *id == call.id) {
            return Some(copy);
        }
        let copy: &'a WindowCall<'a> =
            self.resolver.arena.alloc(WindowCall { id: self.resolver.new_window(), ..*call });
        self.made.push((call.id, copy));
        Some(copy)
    }
}
