//! The resolved tree: what a statement means, after every name has found its table, column or function.
//!
//! All nodes are plain `Copy` data in the statement's arena and need no more look-ups in the catalog. The resolver
//! (`resolve`) makes it, `rewrite` transforms it into other trees of the same kind, `access` plans the joins in it, and
//! `codegen` reads it.
//!
//! ```text
//!   Query ── cores (UNION …) ── Select ── sources ── Table | Derived ── Query …
//!     │                           ├─ terms       conjuncts of WHERE and ON
//!     ├─ order_by                 ├─ group_by, having, aggregates, windows
//!     └─ limit                    └─ columns     Expr …
//! ```
//!
//! A [`SourceId`] is unique in the statement, so a column of an enclosing query has the same form as any other.
//! [`Select::sources`] lists the sources of a SELECT, [`Query::outer`] the sources of enclosing queries that a nested
//! query uses. Sets of sources ([`SourceSet`]) are by position in one FROM clause.

mod affinity;
mod by_source;
mod collation;
mod compared;
mod constant;
mod equal;
mod expr;
mod ids;
mod likelihood;
mod parameter;
mod query;
mod subtype;
mod walk;

pub use affinity::{DataTypes, affinity_of, comparison_affinity, data_types};
pub use by_source::BySource;
pub use collation::{Coll, collation_of, has_explicit_collation, skip_collate};
pub use compared::Compared;
pub use constant::{is_constant, is_deterministic, known_truth, literal_value};
pub use equal::{same, same_aggregate, same_all, same_order, same_window, sorts_alike};
pub use expr::*;
pub use ids::*;
pub use likelihood::{is_builtin, skip_likelihood, without_likelihood};
pub use parameter::{Parameter, PlannedParameters};
pub use query::*;
pub use subtype::{makes_json, may_have_subtype, rows_may_have_subtypes, skip_subtype};
pub use walk::{
    Child, any, for_each_child, for_each_in_query, for_each_in_select, for_each_source, has_correlated_query,
    has_query, sources_of,
};
