//! `fsdir(path [, dir])`: a file, or a directory with all its content.

use std::fs::{self, Metadata, ReadDir};
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;

use lithe_value::cast::to_text;
use lithe_vtab::{
    ColumnContext, ConnectRequest, Connected, FunctionError, Grow, IndexInfo, Module, ModuleKind, Result, Risk, Scan,
    ScanPlan, SqlConnection, ValueRef, Values, VirtualCursor, VirtualTable, code, constraint, copied_text, formatted,
    lossy_copy,
};

use crate::fileio;
use crate::function::possible;

const PATH: i32 = 4;
const DIR: i32 = 5;

/// The plan's numbers: the arguments that the scan gets.
const WITH_PATH: i32 = 1;
const WITH_BOTH: i32 = 2;

/// The module.
pub struct FileSystem;

impl Module for FileSystem {
    fn kind(&self) -> ModuleKind {
        ModuleKind::EponymousOnly
    }

    fn connect(&self, _: &dyn SqlConnection, _: &ConnectRequest<'_>) -> Result<Connected> {
        let declaration = "CREATE TABLE x(name, mode, mtime, data, path HIDDEN, dir HIDDEN)".to_owned();
        Ok(Connected { table: Box::new(FileSystem), declaration, risk: Risk::DirectOnly })
    }
}

impl VirtualTable for FileSystem {
    fn has_reusable_plans(&self) -> bool {
        true
    }

    fn best_index(&self, info: &mut IndexInfo) -> Result<bool> {
        let mut at = [None, None];
        for (place, column) in at.iter_mut().zip([PATH, DIR]) {
            let is_it = |of: &lithe_vtab::IndexConstraint| of.column == column && of.op == constraint::EQ;
            *place = info.constraints.iter().position(|of| is_it(of) && of.usable);
            if place.is_none() && info.constraints.iter().any(is_it) {
                return Ok(false); // another join order provides the argument
            }
        }
        info.estimated_cost = 1.0e9;
        if let [Some(path), dir] = at {
            info.pass(path, 1, true);
            (info.plan.number, info.estimated_cost) = (WITH_PATH, 100.0);
            if let Some(dir) = dir {
                info.pass(dir, 2, true);
                (info.plan.number, info.estimated_cost) = (WITH_BOTH, 10.0);
            }
        }
        Ok(true)
    }

    fn open(&self) -> Result<Box<dyn VirtualCursor>> {
        Ok(Box::new(Walk::default()))
    }
}

/// A walk through a directory: each directory comes before its content.
#[derive(Default)]
struct Walk {
    /// The directory that names are relative to.
    base: Option<String>,
    /// The directories being read, from the outermost one inwards, with their names.
    pending: Vec<(String, ReadDir)>,
    entry: Option<(String, Metadata)>,
    row: i64,
}

impl VirtualCursor for Walk {
    fn filter(&mut self, _: &Scan<'_>, plan: &ScanPlan, arguments: &Values<'_>) -> Result {
        *self = Walk::default();
        if plan.number == 0 {
            return Err(FunctionError::new("table function fsdir requires an argument"));
        }
        let text = |value: &ValueRef<'_>| lossy_copy(&to_text(*value));
        let path = arguments.values.first().filter(|path| !path.is_null());
        let path = path.ok_or_else(|| FunctionError::new("table function fsdir requires a non-NULL argument"))?;
        self.base = arguments.values.get(1).filter(|dir| !dir.is_null()).map(text).transpose()?;
        self.visit(text(path)?)
    }

    fn next(&mut self, _: &Scan<'_>) -> Result {
        if let Some((name, metadata)) = self.entry.take()
            && metadata.is_dir()
        {
            let path = self.path(&name)?;
            let unreadable = |_| FunctionError::new(format!("cannot read directory: {}", path.display()));
            let entries = possible(&path).and_then(fs::read_dir).map_err(unreadable)?;
            self.pending.try_push((name, entries))?;
        }
        while let Some((name, entries)) = self.pending.last_mut() {
            if let Some(entry) = entries.next() {
                let entry = entry.map_err(|_| FunctionError::new(format!("cannot read directory: {name}")))?;
                let name = format!("{name}/{}", entry.file_name().to_string_lossy());
                return self.visit(name);
            }
            self.pending.pop();
        }
        Ok(())
    }

    fn eof(&self) -> bool {
        self.entry.is_none()
    }

    fn column(&mut self, _: &Scan<'_>, answer: &mut ColumnContext<'_, '_>, column: usize) -> Result {
        let Some((name, metadata)) = &self.entry else { return Ok(()) };
        match column {
            0 => answer.context.answer(ValueRef::Text(name.as_bytes())),
            1 => answer.context.answer(ValueRef::Integer(i64::from(metadata.mode()))),
            2 => answer.context.answer(ValueRef::Integer(metadata.mtime())),
            3 if metadata.is_dir() => answer.context.answer(ValueRef::Null),
            3 if metadata.is_symlink() => {
                let target = fs::read_link(self.path(name)?).unwrap_or_default();
                answer.context.answer(ValueRef::Text(target.to_string_lossy().as_bytes()))
            }
            3 if metadata.is_file() => fileio::answer_file(answer.context, &self.path(name)?),
            _ => answer.context.answer(ValueRef::Null), // a device has no content; the hidden arguments are NULL
        }
    }

    fn rowid(&mut self) -> Result<i64> {
        Ok(self.row)
    }
}

impl Walk {
    fn path(&self, name: &str) -> Result<PathBuf> {
        let path = match &self.base {
            Some(base) => formatted(format_args!("{base}/{name}")),
            None => copied_text(name),
        };
        Ok(PathBuf::from(path?))
    }

    fn visit(&mut self, name: String) -> Result {
        let path = self.path(&name)?;
        let unknown = |_| FunctionError::quoting(code::ERROR, format_args!("cannot stat file: {}", path.display()));
        let metadata = possible(&path).and_then(fs::symlink_metadata).map_err(unknown)?;
        self.entry = Some((name, metadata));
        self.row += 1;
        Ok(())
    }
}
