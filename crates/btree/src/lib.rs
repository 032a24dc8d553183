//! lithe-btree
