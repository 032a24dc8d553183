//! Builds `docs/` as a book: `docs/build.sh`.
//!
//! ```text
//!   docs/*.md ──► Leaving: links that leave docs/ lead to the repository ──► mdBook ──► target/book/index.html
//! ```
//!
//! On the repository's own pages a link such as `../crates/pager/src/lib.rs` leads to the file. In the book it would lead nowhere.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use mdbook_driver::MDBook;
use mdbook_preprocessor::book::{Book, BookItem};
use mdbook_preprocessor::errors::Result;
use mdbook_preprocessor::{Preprocessor, PreprocessorContext};

fn main() -> ExitCode {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs");
    match build(&docs) {
        Ok(page) => {
            println!("{}", page.display());
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("{error:#}");
            ExitCode::FAILURE
        }
    }
}

fn build(docs: &Path) -> Result<PathBuf> {
    let mut book = MDBook::load(docs)?;
    book.with_preprocessor(Leaving { repository: repository(docs)? });
    book.build()?;
    Ok(book.build_dir_for("html").join("index.html").canonicalize()?)
}

/// The address of the repository, from the manifest of the workspace.
fn repository(docs: &Path) -> Result<String> {
    let manifest = std::fs::read_to_string(docs.join("../Cargo.toml"))?;
    let line = manifest.lines().find_map(|line| line.strip_prefix("repository = ")).unwrap_or_default();
    Ok(line.trim_matches('"').to_owned())
}

struct Leaving {
    repository: String,
}

impl Preprocessor for Leaving {
    fn name(&self) -> &str {
        "leaving"
    }

    fn run(&self, _: &PreprocessorContext, mut book: Book) -> Result<Book> {
        book.for_each_mut(|item| {
            if let BookItem::Chapter(chapter) = item
                && let Some(path) = chapter.source_path.clone()
            {
                chapter.content = self.rewrite(&chapter.content, path.parent().unwrap_or(Path::new("")));
            }
        });
        Ok(book)
    }
}

impl Leaving {
    /// The text of a page in `folder` (relative to `docs/`), with each link that leaves `docs/` made absolute.
    fn rewrite(&self, text: &str, folder: &Path) -> String {
        let mut parts = text.split("](");
        let mut result = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            let (target, rest) = part.split_once(')').unwrap_or((part, ""));
            let target = self.outside(target, folder).unwrap_or_else(|| target.to_owned());
            result += &format!("]({target}){rest}");
        }
        result
    }

    fn outside(&self, target: &str, folder: &Path) -> Option<String> {
        let mut inside: Vec<String> = folder.iter().map(|part| part.to_string_lossy().into_owned()).collect();
        let mut left = false;
        if target.contains("://") || target.starts_with('#') {
            return None;
        }
        for part in target.split('/') {
            match part {
                ".." => left |= inside.pop().is_none(),
                "." => {}
                _ => inside.push(part.to_owned()),
            }
        }
        left.then(|| format!("{}/blob/main/{}", self.repository, inside.join("/")))
    }
}
