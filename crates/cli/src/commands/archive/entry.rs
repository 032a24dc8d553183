//! The entries of an archive.

/// A file, a folder or a symbolic link.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The path with slashes, without one at the end.
    pub name: String,
    /// Type and permissions, as in Unix.
    pub mode: u32,
    /// Seconds since 1970.
    pub mtime: i64,
    /// The length of a file; 0 for a folder, -1 for a link.
    pub size: i64,
}

/// The content of an entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Content {
    File(Vec<u8>),
    Folder,
    /// The target of the link.
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
    let (year, month, day) = lithe::date_of_day(seconds.div_euclid(DAY_SECONDS));
    let of_day = seconds.rem_euclid(DAY_SECONDS);
    format!("{year:04}-{month:02}-{day:02} {:02}:{:02}:{:02}", of_day / 3600, of_day / 60 % 60, of_day % 60)
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
}
