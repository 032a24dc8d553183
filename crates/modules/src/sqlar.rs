//! `sqlar_compress(X)` and `sqlar_uncompress(X, SIZE)`: the contents of files in a table `sqlar`.

use std::io::{Read, Write};
use std::sync::Arc;

use flate2::Compression;
use flate2::read::ZlibDecoder;
use flate2::write::ZlibEncoder;
use lithe_value::cast::{to_integer, to_text};
use lithe_vtab::{Arity, Context, Function, FunctionError, Result, ValueRef};

use crate::function::{Written, argument, compressor, failed, scalar};

/// The functions.
pub fn functions() -> Vec<Arc<Function>> {
    vec![
        scalar("sqlar_compress", Arity::Exactly(1), compress),
        scalar("sqlar_uncompress", Arity::Exactly(2), uncompress),
    ]
}

/// A BLOB as a zlib stream if the stream is shorter; otherwise the value unchanged, also if it is not a BLOB.
fn compress(context: &mut Context<'_>, args: &[ValueRef<'_>]) -> Result {
    let ValueRef::Blob(bytes) = argument(args, 0) else { return context.answer(argument(args, 0)) };
    let mut encoder = compressor(|| ZlibEncoder::new(Written::default(), Compression::default()))?;
    let stream = encoder.write_all(bytes).and_then(|()| encoder.finish());
    let Written(stream) = stream.map_err(|error| failed(&error, "error in compress()"))?;
    context.answer(if stream.len() < bytes.len() { ValueRef::Blob(&stream) } else { ValueRef::Blob(bytes) })
}

/// The content of a zlib stream. X is one if `SIZE` is positive and differs from the size of X; otherwise X is returned.
fn uncompress(context: &mut Context<'_>, args: &[ValueRef<'_>]) -> Result {
    let size = to_integer(argument(args, 1));
    let bytes = to_text(argument(args, 0));
    if size <= 0 || size as usize == bytes.len() {
        return context.answer(argument(args, 0));
    }
    let size = size as usize;
    context.check_length(size)?;
    let mut content = Vec::new();
    // One byte more than expected shows that the stream is too long.
    let read = ZlibDecoder::new(&*bytes).take(size as u64 + 1).read_to_end(&mut content);
    let message = "error in uncompress()";
    read.map_err(|error| failed(&error, message))?;
    if content.len() > size {
        return Err(FunctionError::new(message));
    }
    context.answer(ValueRef::Blob(&content))
}
