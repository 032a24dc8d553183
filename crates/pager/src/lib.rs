//! lithe-pager
