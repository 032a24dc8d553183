//! What the resolver answers.
