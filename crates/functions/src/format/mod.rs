//! `format()`.
pub(crate) const FUNCTIONS: [crate::function::Scalar; 0] = [];
