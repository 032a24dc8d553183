//! Dates and times.
pub(crate) const FUNCTIONS: [crate::function::Scalar; 0] = [];
