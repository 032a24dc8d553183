//! Why a dot command fails.

use std::fmt;

/// Why a dot command fails.
#[derive(Debug)]
pub enum Failure {
    /// Its arguments are invalid: how it is used.
    Usage(String),
    /// Another reason, as a message.
    Message(String),
}

impl From<String> for Failure {
    fn from(message: String) -> Failure {
        Failure::Message(message)
    }
}

impl From<&str> for Failure {
    fn from(message: &str) -> Failure {
        Failure::Message(message.to_owned())
    }
}

/// The failure as the shell reports it.
impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Usage(usage) => write!(f, "Usage: {usage}"),
            Failure::Message(message) => write!(f, "Error: {message}"),
        }
    }
}
