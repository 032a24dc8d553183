//! An error inside the machine: one word, so that the results of hot functions travel in a register.

use crate::error::Error;

/// A boxed [`Error`].
pub struct Fault(Box<Error>);

impl Fault {
    /// The error.
    pub fn into_error(self) -> Error {
        *self.0
    }
}

impl<E: Into<Error>> From<E> for Fault {
    #[cold]
    fn from(error: E) -> Fault {
        Fault(Box::new(error.into()))
    }
}

const _: () = assert!(size_of::<Result<(), Fault>>() == size_of::<usize>());
