//! Windows: OVER, the WINDOW clause, frames.

use lithe_base::ResultCode;
use lithe_catalog::{CompileError, ErrorKind, Result, fail};
use lithe_functions::Function;
use lithe_sql::ast::{self, FrameExclude, FrameUnit};

use super::terms::{check_term_count, resolve_plain_order};
use super::{find_later_error, resolve_expr, resolve_exprs};
use crate::ir::{Expr, FrameBound, OrderTerm, Window, any, is_constant};
use crate::resolver::Resolver;
use crate::resolver::scope::Scope;

/// The window of a call. Functions that need the whole partition have a fixed frame, whatever is written.
pub(super) fn resolve_window<'a>(
    resolver: &Resolver<'a>,
    scope: &Scope<'_, 'a>,
    over: &ast::Over<'a>,
    function: &Function,
) -> Result<&'a Window<'a>> {
    let parts = match over {
        ast::Over::Name(name) => named_window(resolver, scope, name, scope.windows.len())?,
        ast::Over::Window(window) => window_parts(resolver, scope, window, scope.windows.len())?,
    };
    let written = parts.into_window();
    check_frame(&written)?;
    Ok(resolver.arena.alloc(match fixed_frame(function.name()) {
        Some((unit, start, end)) => Window { unit, start, end, exclude: FrameExclude::Absent, ..written },
        None => written,
    }))
}

/// The window of that name among the first `visible` of the WINDOW clause.
fn named_window<'a>(
    resolver: &Resolver<'a>,
    scope: &Scope<'_, 'a>,
    name: &ast::Ident<'a>,
    visible: usize,
) -> Result<Parts<'a>> {
    match scope.windows[..visible].iter().position(|window| window.name.name == name.name) {
        Some(at) => window_parts(resolver, scope, &scope.windows[at].window, at),
        None => fail(format!("no such window: {}", name.name)),
    }
}

fn window_parts<'a>(
    resolver: &Resolver<'a>,
    scope: &Scope<'_, 'a>,
    window: &ast::Window<'a>,
    visible: usize,
) -> Result<Parts<'a>> {
    check_term_count(resolver, "ORDER", window.partition_by.len())?;
    check_term_count(resolver, "ORDER", window.order_by.len())?;
    let partition_by = resolve_exprs(resolver, scope, window.partition_by).map_err(|mut error| {
        // Of both, SQLite reports the last error.
        let mut terms = window.order_by.iter().map(|term| &term.expr);
        terms.all(|term| find_later_error(resolver, scope, term, &mut error));
        error
    })?;
    let own = Parts {
        partition_by,
        order_by: resolve_plain_order(resolver, scope, window.order_by)?,
        frame: window.frame.as_ref().map(|frame| resolve_frame(resolver, scope, frame)).transpose()?,
    };
    let Some(base_name) = &window.base else { return Ok(own) };
    let base = named_window(resolver, scope, base_name, visible)?;
    let overridden = if !own.partition_by.is_empty() {
        "PARTITION clause"
    } else if !own.order_by.is_empty() && !base.order_by.is_empty() {
        "ORDER BY clause"
    } else if base.frame.is_some() {
        "frame specification"
    } else {
        let order_by = if own.order_by.is_empty() { base.order_by } else { own.order_by };
        return Ok(Parts { order_by, frame: own.frame, ..base });
    };
    fail(format!("cannot override {overridden} of window: {}", base_name.name))
}

/// Resolves the names in a WINDOW clause, whether or not a call uses its windows: as in SQLite, those of the last window first.
pub(super) fn resolve_window_clause<'a>(
    resolver: &Resolver<'a>,
    scope: &Scope<'_, 'a>,
    windows: &[ast::WindowDef<'a>],
) -> Result<()> {
    windows.iter().rev().try_for_each(|definition| {
        resolve_plain_order(resolver, scope, definition.window.order_by)?;
        resolve_exprs(resolver, scope, definition.window.partition_by).map(drop)
    })
}

fn resolve_frame<'a>(resolver: &Resolver<'a>, scope: &Scope<'_, 'a>, frame: &ast::Frame<'a>) -> Result<Frame<'a>> {
    Ok(Frame {
        unit: frame.unit,
        start: frame_bound(resolver, scope, &frame.start)?,
        end: frame_bound(resolver, scope, &frame.end)?,
        exclude: frame.exclude,
    })
}

fn frame_bound<'a>(
    resolver: &Resolver<'a>,
    scope: &Scope<'_, 'a>,
    bound: &ast::FrameBound<'a>,
) -> Result<FrameBound<'a>> {
    Ok(match bound {
        ast::FrameBound::UnboundedPreceding | ast::FrameBound::UnboundedFollowing => FrameBound::Unbounded,
        ast::FrameBound::CurrentRow => FrameBound::CurrentRow,
        ast::FrameBound::Preceding(offset) => FrameBound::Preceding(frame_offset(resolver, scope, offset)?),
        ast::FrameBound::Following(offset) => FrameBound::Following(frame_offset(resolver, scope, offset)?),
    })
}

/// An offset of a frame. Only literals, parameters and operators of them count as constant here: anything else is
/// NULL, as in SQLite, and NULL is no valid offset when the statement runs. That includes names that do not exist.
fn frame_offset<'a>(resolver: &Resolver<'a>, scope: &Scope<'_, 'a>, offset: &ast::Expr<'a>) -> Result<Expr<'a>> {
    if resolver.only_names {
        return Ok(Expr::Null);
    }
    let offset = match resolve_expr(resolver, scope, offset) {
        Err(error) if error.code == ResultCode::ERROR && !matches!(error.kind, ErrorKind::Unconnected(_)) => Expr::Null,
        offset => offset?,
    };
    let calls = any(&offset, &mut |expr| matches!(expr, Expr::Function(_)));
    Ok(if is_constant(&offset) && !calls { offset } else { Expr::Null })
}

/// A window while its pieces are put together.
struct Parts<'a> {
    partition_by: &'a [Expr<'a>],
    order_by: &'a [OrderTerm<'a>],
    frame: Option<Frame<'a>>,
}

struct Frame<'a> {
    unit: FrameUnit,
    start: FrameBound<'a>,
    end: FrameBound<'a>,
    exclude: FrameExclude,
}

impl<'a> Parts<'a> {
    fn into_window(self) -> Window<'a> {
        let frame = self.frame.unwrap_or(Frame {
            unit: FrameUnit::Range,
            start: FrameBound::Unbounded,
            end: FrameBound::CurrentRow,
            exclude: FrameExclude::Absent,
        });
        let Frame { unit, start, end, exclude } = frame;
        Window { partition_by: self.partition_by, order_by: self.order_by, unit, start, end, exclude }
    }
}

/// The fixed frames of functions that ignore the written frame.
fn fixed_frame<'a>(function: &str) -> Option<(FrameUnit, FrameBound<'a>, FrameBound<'a>)> {
    use FrameBound::{CurrentRow, Following, Unbounded};
    Some(match function {
        "row_number" | "lag" => (FrameUnit::Rows, Unbounded, CurrentRow),
        "rank" | "dense_rank" => (FrameUnit::Range, Unbounded, CurrentRow),
        "percent_rank" => (FrameUnit::Groups, CurrentRow, Unbounded),
        "cume_dist" => (FrameUnit::Groups, Following(Expr::Integer(1)), Unbounded),
        "ntile" => (FrameUnit::Rows, CurrentRow, Unbounded),
        "lead" => (FrameUnit::Rows, Unbounded, Unbounded),
        _ => return None,
    })
}

fn check_frame(window: &Window<'_>) -> Result<()> {
    let has_offset = |bound: &FrameBound<'_>| matches!(bound, FrameBound::Preceding(_) | FrameBound::Following(_));
    if window.unit == FrameUnit::Range
        && (has_offset(&window.start) || has_offset(&window.end))
        && window.order_by.len() != 1
    {
        return Err(CompileError::new("RANGE with offset PRECEDING/FOLLOWING requires one ORDER BY expression"));
    }
    Ok(())
}
