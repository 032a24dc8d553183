//! lithe-vm
