//! BLOBs: written and read in pieces, without the whole value in memory.
//!
//! ```sh
//! cargo run --release -p lithedb --example photos
//! ```

use std::io::{Read, Seek, SeekFrom, Write};

use lithe::{Connection, params};

const PHOTO_LEN: usize = 5_000_000;
const CHUNK_LEN: usize = 64 * 1024;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let connection = Connection::open_in_memory()?;
    connection.execute("CREATE TABLE photo(id INTEGER PRIMARY KEY, name TEXT, pixels BLOB)", [])?;

    // A row with as many bytes as the pixels take, which are then written piece by piece.
    connection
        .execute("INSERT INTO photo(name, pixels) VALUES (?1, zeroblob(?2))", params!["dawn", PHOTO_LEN as i64])?;
    let id = connection.last_insert_rowid();
    let mut blob = connection.blob_open("main", "photo", "pixels", id, false)?;
    let chunk: Vec<u8> = (0..CHUNK_LEN).map(|i| i as u8).collect();
    let mut left = PHOTO_LEN;
    while left > 0 {
        left -= blob.write(&chunk[..left.min(CHUNK_LEN)])?;
    }

    // A thumbnail's worth from the middle.
    blob.seek(SeekFrom::Start(PHOTO_LEN as u64 / 2))?;
    let mut piece = [0; 8];
    blob.read_exact(&mut piece)?;
    println!("{piece:?} from the middle of {PHOTO_LEN} bytes");
    Ok(())
}
