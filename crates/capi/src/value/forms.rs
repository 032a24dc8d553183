//! The forms in which C asks for a value: UTF-8, UTF-16 of both byte orders, and the bytes of the form it has.

use std::ffi::c_void;
use std::ptr::null;

use lithe_engine::value::{Buffer, Encoding, NumberText, ValueRef, cast};

use super::{Raw, Wide, sqlite3_value};
use crate::text;

/// Longer blobs are given to the application where they lie, without a NUL behind them.
const TERMINATED_MAX: usize = 8 * 1024;

impl sqlite3_value {
    /// The text with its NUL; null for NULL.
    #[inline]
    pub(crate) fn text(&mut self) -> *const u8 {
        self.present = Encoding::Utf8;
        if self.text.is_made {
            return self.text.memory.as_ptr();
        }
        match self.get() {
            ValueRef::Null => null(),
            // SAFETY: the bytes are not in the memory to which they are copied.
            ValueRef::Text(text) => unsafe { self.make_text(std::ptr::from_ref(text)) },
            ValueRef::Blob(bytes) if self.stored != Encoding::Utf8 => {
                let mut decoded = Buffer::new();
                self.stored.decode(bytes, &mut decoded);
                self.is_converted = true;
                // SAFETY: as above.
                unsafe { self.make_text(decoded.as_slice()) }
            }
            value => {
                let mut scratch = NumberText::default();
                let bytes = std::ptr::from_ref(cast::to_bytes(value, &mut scratch));
                self.is_converted |= !matches!(self.raw, Raw::Blob(..));
                // SAFETY: as above.
                unsafe { self.make_text(bytes) }
            }
        }
    }

    /// Copies the text, and puts a NUL behind it.
    ///
    /// # Safety
    /// `text` can be read, and is not in the memory of this form.
    #[inline]
    unsafe fn make_text(&mut self, text: *const [u8]) -> *const u8 {
        let memory = &mut self.text.memory;
        memory.clear();
        memory.reserve(text.len() + 1);
        // SAFETY: our caller's promise.
        memory.extend_from_slice(unsafe { &*text });
        memory.push(0);
        self.text.is_made = true;
        memory.as_ptr()
    }

    /// The text in UTF-16 with a double NUL; null for NULL.
    pub(crate) fn wide(&mut self, encoding: Encoding) -> *const c_void {
        if matches!(self.raw, Raw::Null) {
            return null();
        }
        if !self.wide.is_made || self.wide_encoding != encoding {
            self.wide.memory = self.made_wide(encoding);
            self.wide.is_made = true;
            self.wide_encoding = encoding;
        }
        if !(self.is_bytes() && self.stored == encoding) {
            self.is_converted = true;
        }
        self.present = encoding;
        self.wide.memory.units.as_ptr().cast()
    }

    fn made_wide(&self, encoding: Encoding) -> Wide {
        if let (Raw::Blob(..), true, ValueRef::Blob(bytes)) = (self.raw, self.stored != Encoding::Utf8, self.get()) {
            if !self.text.is_made {
                return Wide::of_bytes(bytes, self.stored != encoding);
            }
            let text = self.text.memory.strip_suffix(&[0]).unwrap_or_default();
            return Wide::of_text(text, encoding);
        }
        let mut scratch = NumberText::default();
        Wide::of_text(cast::to_bytes(self.get(), &mut scratch), encoding)
    }

    /// The address of the bytes of the present form; null if there are none.
    pub(crate) fn blob(&mut self) -> *const c_void {
        match self.raw {
            Raw::Null | Raw::Blob(_, 0) => null(),
            Raw::Text(_, 0) => {
                self.is_shown = true;
                null()
            }
            Raw::Blob(start, len) if self.is_bytes() => match len > TERMINATED_MAX || self.stored != Encoding::Utf8 {
                true => start.cast(),
                // Some programs store texts in blobs, and expect the NUL that SQLite happens to leave behind them.
                false => self.text().cast(),
            },
            Raw::Text(..) | Raw::Integer(_) | Raw::Real(_) | Raw::Blob(..) => {
                // A number is not shown before it has been asked for its text.
                self.is_shown |= matches!(self.raw, Raw::Text(..)) || self.is_converted;
                match self.form() {
                    Encoding::Utf8 => self.text().cast(),
                    wide => self.wide(wide),
                }
            }
        }
    }

    /// How many bytes a blob has, or a text, which becomes UTF-8 unless its form was asked for as a blob.
    pub(crate) fn len(&mut self) -> usize {
        match self.raw {
            Raw::Null => 0,
            Raw::Blob(_, len) if self.is_bytes() => len,
            _ if self.form() != Encoding::Utf8 && self.has_own_len() => self.wide.memory.len,
            Raw::Text(_, len) => {
                self.present = Encoding::Utf8;
                len
            }
            _ => {
                self.text();
                self.text.memory.len() - 1
            }
        }
    }

    /// How many bytes the text has, which becomes UTF-16 unless its form was asked for as a blob; a blob has its own length.
    pub(crate) fn wide_len(&mut self) -> usize {
        match self.raw {
            Raw::Null => return 0,
            Raw::Blob(_, len) if self.is_bytes() => return len,
            _ => (),
        }
        match self.form() {
            Encoding::Utf8 if self.has_own_len() => return self.len(),
            Encoding::Utf8 => self.wide(Encoding::UTF16_NATIVE),
            form => self.wide(form),
        };
        self.wide.memory.len
    }

    /// The value is a blob that was not asked for its text.
    #[inline]
    fn is_bytes(&self) -> bool {
        matches!(self.raw, Raw::Blob(..)) && !self.is_converted
    }

    /// The length is that of the present form, whichever is asked for.
    fn has_own_len(&self) -> bool {
        self.is_shown || matches!(self.raw, Raw::Blob(..))
    }

    /// The form that the text has now. The text of a number is made in UTF-8.
    #[inline]
    fn form(&self) -> Encoding {
        match self.raw {
            Raw::Text(..) => self.present,
            _ if self.is_converted => self.present,
            _ => Encoding::Utf8,
        }
    }
}

impl Wide {
    /// UTF-8 in UTF-16.
    fn of_text(text: &[u8], encoding: Encoding) -> Wide {
        let units = text::to_utf16(text, encoding);
        Wide { len: 2 * (units.len() - 1), units }
    }

    /// Bytes that are UTF-16, whose byte order is changed if that `is_swapped`; the last byte of an odd number stays.
    fn of_bytes(bytes: &[u8], is_swapped: bool) -> Wide {
        let (pairs, rest) = bytes.as_chunks::<2>();
        let unit = |pair: &[u8; 2]| u16::from_ne_bytes(*pair);
        let mut units: Vec<u16> =
            pairs.iter().map(|pair| if is_swapped { unit(pair).swap_bytes() } else { unit(pair) }).collect();
        units.extend(rest.iter().map(|&byte| u16::from_ne_bytes([byte, 0])));
        units.extend([0, 0]);
        Wide { units, len: bytes.len() }
    }
}
