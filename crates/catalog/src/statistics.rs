//! What ANALYZE found: the rows of sqlite_stat1 and sqlite_stat4, as the planner reads them.

use lithe_value::Value;

/// The text of `sqlite_stat1.stat` begins with the number of rows; for an index follow, for 1, 2, ... columns of the
/// key, how many rows have the same values in them on average. Words may follow.
const UNORDERED: &[u8] = b"unordered";
const SIZE: &[u8] = b"sz=";
const NO_SKIP_SCAN: &[u8] = b"noskipscan";

/// The statistics of a table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TableStatistics {
    /// How many rows it has.
    pub rows: u64,
}

/// The statistics of an index.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct IndexStatistics {
    /// How many entries it has.
    pub rows: u64,
    /// `equal_rows[i]`: how many entries have the same values in the first i + 1 columns, on average.
    pub equal_rows: Vec<u64>,
    /// "unordered": only for equality.
    pub unordered: bool,
    /// "noskipscan".
    pub no_skip_scan: bool,
    /// "sz=N": the average size of an entry in bytes.
    pub entry_bytes: Option<u64>,
    /// Samples, in the order of the index (sqlite_stat4).
    pub samples: Vec<Sample>,
}

/// A sample of an index: a row of sqlite_stat4.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sample {
    /// `nEq`: entries equal to the sample in 1, 2, ... columns.
    pub equal: Vec<u64>,
    /// `nLt`: entries less than the sample.
    pub less: Vec<u64>,
    /// `nDLt`: distinct values less than the sample.
    pub distinct_less: Vec<u64>,
    /// The values of the sample's columns, texts in UTF-8.
    pub values: Vec<Value>,
}

impl IndexStatistics {
    /// Reads `sqlite_stat1.stat` of an index. The first word that is no number ends the numbers, as in SQLite.
    pub fn parse(stat: &[u8]) -> IndexStatistics {
        let mut words = stat.split(|&byte| byte == b' ').filter(|word| !word.is_empty()).peekable();
        let mut numbers = Vec::new();
        while let Some(number) = words.peek().and_then(|word| leading_number(word)) {
            numbers.push(number);
            words.next();
        }
        let mut statistics =
            IndexStatistics { rows: numbers.first().copied().unwrap_or(0), ..IndexStatistics::default() };
        statistics.equal_rows = numbers.split_off(numbers.len().min(1));
        for word in words {
            if word.starts_with(UNORDERED) {
                statistics.unordered = true;
            } else if word.starts_with(NO_SKIP_SCAN) {
                statistics.no_skip_scan = true;
            } else if let Some(size) = word.strip_prefix(SIZE) {
                statistics.entry_bytes = leading_number(size).map(|size| size.max(2));
            }
        }
        statistics
    }
}

impl TableStatistics {
    /// Reads `sqlite_stat1.stat` of a table.
    pub fn parse(stat: &[u8]) -> TableStatistics {
        TableStatistics { rows: IndexStatistics::parse(stat).rows }
    }
}

/// The numbers of a column of sqlite_stat4.
pub fn sample_numbers(text: &[u8]) -> Vec<u64> {
    text.split(|&byte| byte == b' ').map_while(leading_number).collect()
}

fn leading_number(word: &[u8]) -> Option<u64> {
    let digits = word.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let number = |n: u64, byte: &u8| n.saturating_mul(10).saturating_add(u64::from(byte - b'0'));
    (digits > 0).then(|| word[..digits].iter().fold(0, number))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stat1() {
        let stat = IndexStatistics::parse(b"100 10 1 unordered sz=20");
        assert_eq!((stat.rows, &stat.equal_rows[..]), (100, &[10, 1][..]));
        assert!(stat.unordered && !stat.no_skip_scan);
        assert_eq!(stat.entry_bytes, Some(20));
        assert_eq!(IndexStatistics::parse(b"").rows, 0);
        assert_eq!(IndexStatistics::parse(b"99999999999999999999999").rows, u64::MAX);
        assert_eq!(TableStatistics::parse(b"7 noskipscan").rows, 7);
        assert_eq!(sample_numbers(b"1 2 3"), [1, 2, 3]);
    }
}
