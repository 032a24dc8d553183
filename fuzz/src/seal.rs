//! Checksums made right again, so that a change gets past them: who checks sums only finds those that are wrong.

use lithe_format::PageNo;
use lithe_format::journal::{HEADER_LEN as JOURNAL_HEADER_LEN, JournalHeader, record_checksum};
use lithe_format::wal::{FRAME_HEADER_LEN, FrameHeader, HEADER_LEN, SumOrder, WalHeader};

/// A log with the sums of its header and frames made right, and the frames' salts. A header that claims nothing possible
/// stays what it is.
pub fn log(log: &mut [u8]) {
    let Some((header, frames)) = log.split_at_mut_checked(HEADER_LEN) else { return };
    let field = |bytes: &[u8], at: usize| u32::from_be_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]);
    let Some(page_size) = lithe_format::PageSize::new(field(header, 8)) else { return };
    let order = if field(header, 0) & 1 == 0 { SumOrder::Little } else { SumOrder::Big };
    let salts = lithe_format::wal::Salts([field(header, 16), field(header, 20)]);
    let (bytes, mut sum) = WalHeader { order, page_size, sequence: field(header, 12), salts }.write();
    header.copy_from_slice(&bytes);
    for frame in frames.chunks_exact_mut(FRAME_HEADER_LEN + page_size.bytes()) {
        let Some(no) = PageNo::new(field(frame, 0)) else { return };
        let (bytes, after) = FrameHeader { no, db_size: field(frame, 4) }.write(order, salts, sum, &frame[FRAME_HEADER_LEN..]);
        frame[..FRAME_HEADER_LEN].copy_from_slice(&bytes);
        sum = after;
    }
}

/// A journal with the sums of the records of its first segment made right.
pub fn journal(journal: &mut [u8]) {
    let Some(header) = journal.first_chunk::<JOURNAL_HEADER_LEN>().and_then(|bytes| JournalHeader::read(bytes)) else {
        return;
    };
    let Some(records) = journal.get_mut(header.sector_size as usize..) else { return };
    for record in records.chunks_exact_mut(header.record_len() as usize) {
        let end = record.len() - 4;
        let sum = record_checksum(header.nonce, &record[4..end]);
        record[end..].copy_from_slice(&sum.to_be_bytes());
    }
}
