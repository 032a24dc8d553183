//! Which collation an expression has, and which one a comparison uses.

use lithe_catalog::CollationName;
use lithe_sql::ast::Name;
use lithe_value::Collation;

use super::{Call, Case, Expr, InSet, UnaryOp};

/// A collation by name. The name becomes a [`Collation`] when code for a comparison is generated, so that
/// an unknown name is an error only where texts are really compared.
#[derive(Clone, Copy, Debug, Default)]
pub enum Coll<'a> {
    /// BINARY.
    #[default]
    Binary,
    /// NOCASE.
    NoCase,
    /// RTRIM.
    RTrim,
    /// One of the application.
    Named(Name<'a>),
}

impl<'a> Coll<'a> {
    /// The collation of that name.
    pub fn named(name: Name<'a>) -> Coll<'a> {
        Coll::new(name.as_str().and_then(Collation::builtin).as_ref(), name)
    }

    /// The collation of a column of the catalog.
    pub fn of(name: &'a CollationName) -> Coll<'a> {
        Coll::new(name.builtin(), name.name())
    }

    fn new(builtin: Option<&Collation>, name: Name<'a>) -> Coll<'a> {
        match builtin {
            Some(Collation::Binary) => Coll::Binary,
            Some(Collation::NoCase) => Coll::NoCase,
            Some(Collation::RTrim) => Coll::RTrim,
            Some(Collation::Custom(_)) | None => Coll::Named(name),
        }
    }

    /// Its name.
    pub fn name(self) -> Name<'a> {
        match self {
            Coll::Binary => Name::new(b"BINARY"),
            Coll::NoCase => Name::new(b"NOCASE"),
            Coll::RTrim => Name::new(b"RTRIM"),
            Coll::Named(name) => name,
        }
    }
}

impl PartialEq for Coll<'_> {
    fn eq(&self, other: &Coll<'_>) -> bool {
        match (self, other) {
            (Coll::Named(a), Coll::Named(b)) => a == b,
            (Coll::Named(_), _) | (_, Coll::Named(_)) => false,
            _ => std::mem::discriminant(self) == std::mem::discriminant(other),
        }
    }
}

impl Eq for Coll<'_> {}

/// The collation of the expression, if it has one: that of a column, also behind CAST and unary plus, or of a COLLATE
/// operator anywhere in it.
pub fn collation_of<'a>(expr: &Expr<'a>) -> Option<Coll<'a>> {
    match expr {
        // A rowid and a column of `excluded` have no collation, not even BINARY: another operand, or another core of a compound query, may bring one.
        Expr::Column(column) if column.index.is_rowid() || column.is_excluded => None,
        Expr::Column(column) => Some(column.collation),
        Expr::Fixed(fixed) => collation_of(&Expr::Column(fixed.column)),
        Expr::Output(output) => Some(output.collation),
        Expr::Collate(_, collation) => Some(**collation),
        Expr::Cast(operand, _) | Expr::Unary(UnaryOp::Plus | UnaryOp::DropSubtype, operand) => collation_of(operand),
        Expr::Row(items) => items.first().and_then(collation_of),
        Expr::Matched(matched) => collation_of(&matched.value),
        Expr::Function(call) if call.is_merged_column => call.args.first().and_then(collation_of),
        Expr::Subquery(_) | Expr::Exists(_) => None,
        _ if expr.is_leaf() => None,
        _ => {
            let mut found = None;
            for_each_operand(expr, &mut |operand| {
                if found.is_none() && has_explicit_collation(operand) {
                    found = collation_of(operand);
                }
            });
            found
        }
    }
}

/// Whether a COLLATE operator stands anywhere in the expression, nested queries left out.
pub fn has_explicit_collation(expr: &Expr<'_>) -> bool {
    if expr.is_leaf() {
        return false;
    }
    if matches!(expr, Expr::Collate(..)) {
        return true;
    }
    let mut found = false;
    for_each_operand(expr, &mut |operand| found = found || has_explicit_collation(operand));
    found
}

/// The expression below COLLATE operators.
pub fn skip_collate<'a>(mut expr: Expr<'a>) -> Expr<'a> {
    while let Expr::Collate(operand, _) = expr {
        expr = *operand;
    }
    expr
}

/// The operands from which a COLLATE reaches upwards.
fn for_each_operand<'a>(expr: &Expr<'a>, f: &mut dyn FnMut(&Expr<'a>)) {
    match expr {
        Expr::Unary(_, x) | Expr::IsNull(x, _) | Expr::IsTrue(x, _) | Expr::Cast(x, _) | Expr::Collate(x, _) => f(x),
        Expr::Binary(_, x, y) | Expr::And(x, y) | Expr::Or(x, y) => {
            f(x);
            f(y);
        }
        Expr::Matched(matched) => f(&matched.value),
        Expr::Compare(compare) => {
            f(&compare.left);
            f(&compare.right);
        }
        Expr::CompareRows(compare) => {
            f(&compare.left);
            f(&compare.right);
        }
        Expr::Between(between) => {
            f(&between.value);
            f(&between.low);
            f(&between.high);
        }
        Expr::In(set) => {
            f(&set.value);
            if let InSet::List(items) = set.set {
                items.iter().for_each(f);
            }
        }
        Expr::Case(Case { operand, whens, otherwise }) => {
            operand.iter().for_each(&mut *f);
            for when in *whens {
                f(&when.condition);
                f(&when.value);
            }
            otherwise.iter().for_each(f);
        }
        Expr::Function(Call { args, .. }) | Expr::Row(args) => args.iter().for_each(f),
        Expr::Aggregate(call) => call.args.iter().for_each(f),
        Expr::Window(call) => call.args.iter().for_each(f),
        _ => {}
    }
}
