//! lithe-vfs
