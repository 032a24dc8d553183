//! What an archive holds.

/// A file, a folder or a symbolic link.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The path, with slashes, none at the end.
    pub name: String,
    /// Type and permissions, as Unix has them.
    pub mode: u32,
    /// Seconds since 1970.
    pub mtime: i64,
    /// Bytes of a file; 0 for a folder, -1 for a link.
    pub size: i64,
}

/// What is in an entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Content {
    File(Vec<u8>),
    Folder,
    /// Where the link leads.
    Link(String),
}

pub const TYPE_MASK: u32 = 0o170_000;
pub const TYPE_FILE: u32 = 0o100_000;
pub const TYPE_FOLDER: u32 = 0o040_000;
pub const TYPE_LINK: u32 = 0o120_000;

impl Entry {
    pub fn is_folder(&self) -> bool {
        self.mode & TYPE_MASK == TYPE_FOLDER
    }

    pub fn is_link(&self) -> bool {
        self.mode & TYPE_MASK == TYPE_LINK
    }

    /// Mode, size, time and name.
    pub fn long_line(&self) -> String {
        format!("{} {:>10}  {}  {}\n", mode_text(self.mode), self.size, time_text(self.mtime), self.name)
    }
}

/// `-rw-r--r--`
fn mode_text(mode: u32) -> String {
    let kind = match mode & TYPE_MASK {
        TYPE_FILE => '-',
        TYPE_FOLDER => 'd',
        TYPE_LINK => 'l',
        _ => '?',
    };
    let bit = |shift: u32| if mode >> shift & 1 == 1 { ['x', 'w', 'r'][(shift % 3) as usize] } else { '-' };
    std::iter::once(kind).chain((0..9).rev().map(bit)).collect()
}

const DAY_SECONDS: i64 = 86_400;

/// `2024-01-02 03:04:05`, in UTC.
pub fn time_text(seconds: i64) -> String {
    let (year, month, day) = date_of(seconds.div_euclid(DAY_SECONDS));
    let of_day = seconds.rem_euclid(DAY_SECONDS);
    format!("{year:04}-{month:02}-{day:02} {:02}:{:02}:{:02}", of_day / 3600, of_day / 60 % 60, of_day % 60)
}

/// Year, month and day of a day that is counted from 1970-01-01, in the Gregorian calendar.
pub fn date_of(day: i64) -> (i64, u32, u32) {
    // Years that begin in March have their leap day at the end; eras of 400 years are all equally long.
    let day = day.clamp(-1_000_000_000, 1_000_000_000) + 719_468;
    let (era, of_era) = (day.div_euclid(146_097), day.rem_euclid(146_097));
    let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    (year + era * 400 + i64::from(month <= 2), month as u32, day as u32)
}

/// The day, counted from 1970-01-01, of a date.
pub fn day_of(year: i64, month: u32, day: u32) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let (era, of_era) = (year.div_euclid(400), year.rem_euclid(400));
    let month = i64::from(if month > 2 { month - 3 } else { month + 9 });
    let of_year = (153 * month + 2) / 5 + i64::from(day) - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_as_ls_has_them() {
        let entry = Entry { name: "a".to_owned(), mode: 0o100_644, mtime: 1_704_164_645, size: 6 };
        assert_eq!(entry.long_line(), "-rw-r--r--          6  2024-01-02 03:04:05  a\n");
        assert_eq!(mode_text(0o041_755), "drwxr-xr-x");
        assert_eq!(time_text(-1), "1969-12-31 23:59:59");
    }

    #[test]
    fn dates_and_days() {
        for (day, date) in [(0, (1970, 1, 1)), (19_782, (2024, 2, 29)), (-719_468, (0, 3, 1)), (47_541, (2100, 3, 1))] {
            assert_eq!(date_of(day), date);
            assert_eq!(day_of(date.0, date.1, date.2), day);
        }
    }
}
