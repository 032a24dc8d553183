//! Entries as files on disk.

use std::fs::{self, File, Permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::{Component, Path, PathBuf};
use std::time::{Duration, SystemTime};

use super::entry::{Content, Entry, TYPE_FILE, TYPE_FOLDER, TYPE_LINK, TYPE_MASK};

type Result<T> = std::result::Result<T, String>;

/// Calls `each` with the file of that name and, for a folder, with all its content, sorted by name.
pub fn walk(folder: &str, name: &str, each: &mut dyn FnMut(Entry, &Path) -> Result<()>) -> Result<()> {
    let mut pending = vec![name.to_owned()];
    while let Some(name) = pending.pop() {
        let path = Path::new(folder).join(&name);
        let metadata = fs::symlink_metadata(&path).map_err(|_| format!("cannot stat file: {}", path.display()))?;
        let size = match metadata.mode() & TYPE_MASK {
            TYPE_FILE => metadata.len().cast_signed(),
            TYPE_FOLDER => 0,
            TYPE_LINK => -1,
            _ => continue, // devices and pipes have no content
        };
        if metadata.is_dir() {
            let mut inside = Vec::new();
            for item in fs::read_dir(&path).map_err(|e| format!("cannot read {}: {e}", path.display()))? {
                let item = item.map_err(|e| format!("cannot read {}: {e}", path.display()))?;
                inside.push(format!("{name}/{}", item.file_name().to_string_lossy()));
            }
            inside.sort_unstable_by(|a, b| b.cmp(a));
            pending.extend(inside);
        }
        each(Entry { name, mode: metadata.mode(), mtime: metadata.mtime(), size }, &path)?;
    }
    Ok(())
}

pub fn read(entry: &Entry, path: &Path) -> Result<Content> {
    let failed = |error: std::io::Error| format!("cannot read {}: {error}", path.display());
    if entry.is_folder() {
        return Ok(Content::Folder);
    }
    if entry.is_link() {
        return fs::read_link(path).map(|to| Content::Link(to.to_string_lossy().into_owned())).map_err(failed);
    }
    fs::read(path).map(Content::File).map_err(failed)
}

/// The path of an entry within a folder. `None` for a name that leads out of the folder; the leading slash of an absolute name is dropped.
pub fn path_within(folder: &str, name: &str) -> Option<PathBuf> {
    let mut path = PathBuf::from(folder);
    for component in Path::new(name).components() {
        match component {
            Component::Normal(part) => path.push(part),
            Component::RootDir | Component::CurDir => {}
            Component::ParentDir | Component::Prefix(_) => return None,
        }
    }
    Some(path)
}

/// Writes an entry; creates missing parent folders.
pub fn write(folder: &str, path: &Path, entry: &Entry, content: Content) -> Result<()> {
    check_no_links(folder, path)
        .map_err(|()| format!("failed to write file: {} (a symbolic link leads there)", path.display()))?;
    if let Some(parent) = path.parent() {
        fs::create_dir_all(parent).map_err(|e| format!("failed to create directory: {}: {e}", parent.display()))?;
    }
    let permissions = Permissions::from_mode(entry.mode & 0o7777);
    match content {
        Content::Folder => {
            let made = fs::create_dir_all(path).and_then(|()| fs::set_permissions(path, permissions));
            made.map_err(|e| format!("failed to create directory: {}: {e}", path.display()))
        }
        Content::Link(to) => {
            remove_link(path);
            symlink(to, path).map_err(|e| format!("failed to create symlink: {}: {e}", path.display()))
        }
        Content::File(bytes) => {
            remove_link(path);
            let written = fs::write(path, bytes).and_then(|()| fs::set_permissions(path, permissions));
            written.map_err(|e| format!("failed to write file: {}: {e}", path.display()))?;
            set_time(path, entry.mtime);
            Ok(())
        }
    }
}

/// Fails if a parent folder is a symbolic link, because an archive may contain a link that leads out of the folder.
fn check_no_links(folder: &str, path: &Path) -> std::result::Result<(), ()> {
    let above = path.ancestors().skip(1).take_while(|above| *above != Path::new(folder));
    for above in above.filter(|above| !above.as_os_str().is_empty()) {
        if fs::symlink_metadata(above).is_ok_and(|metadata| metadata.is_symlink()) {
            return Err(());
        }
    }
    Ok(())
}

fn remove_link(path: &Path) {
    if fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_symlink()) {
        // If the link cannot be removed, the creation of the file will fail.
        let _ = fs::remove_file(path);
    }
}

/// Sets the time of the last change. Errors are ignored, because a file system may not support it.
pub fn set_time(path: &Path, seconds: i64) {
    let distance = Duration::from_secs(seconds.unsigned_abs());
    let epoch = SystemTime::UNIX_EPOCH;
    let time = if seconds < 0 { epoch.checked_sub(distance) } else { epoch.checked_add(distance) };
    if let (Some(time), Ok(file)) = (time, File::open(path)) {
        let _ = file.set_modified(time);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stay_within_the_folder() {
        assert_eq!(path_within("out", "a/./b"), Some(PathBuf::from("out/a/b")));
        assert_eq!(path_within("out", "/etc/passwd"), Some(PathBuf::from("out/etc/passwd")));
        assert_eq!(path_within("out", "a/../../b"), None);
    }

    #[test]
    fn no_file_goes_through_a_link() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("in");
        fs::create_dir_all(&root).unwrap();
        symlink(folder.path(), root.join("out")).unwrap();
        let entry = Entry { name: "out/x".to_owned(), mode: 0o100_644, mtime: 0, size: 1 };
        let root = root.to_str().unwrap();
        let path = path_within(root, &entry.name).unwrap();
        assert!(write(root, &path, &entry, Content::File(vec![1])).is_err());
        assert!(!folder.path().join("x").exists());
    }
}
