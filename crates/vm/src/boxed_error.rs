//! An error inside the machine: one word, so that the results of hot functions travel in a register.

use crate::error::Error;

/// A boxed [`Error`].
pub struct BoxedError(Box<Error>);

impl BoxedError {
    /// The error, in its box.
    pub fn into_box(self) -> Box<Error> {
        self.0
    }
}

impl<E: Into<Error>> From<E> for BoxedError {
    #[cold]
    fn from(error: E) -> BoxedError {
        BoxedError(Box::new(error.into()))
    }
}

const _: () = assert!(size_of::<Result<(), BoxedError>>() == size_of::<usize>());
