//! lithe-bench
