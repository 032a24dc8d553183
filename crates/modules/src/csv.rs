//! `csv`: the rows of a CSV file or text, as a read-only table.
//!
//! ```sql
//! CREATE VIRTUAL TABLE temp.t USING csv(filename='people.csv', header=yes);
//! ```
//!
//! | parameter | meaning |
//! | --- | --- |
//! | `filename=F`, `data=D` | the source of the text; exactly one of the two |
//! | `header[=bool]` | the first row has the names of the columns |
//! | `columns=N` | the number of columns; otherwise the first row has it |
//! | `schema=S` | the CREATE TABLE statement that declares the columns |
//!
//! All values are texts. A row that is too short ends in NULLs, and fields beyond the last column are dropped.

mod reader;

use std::fmt;
use std::sync::Arc;

use lithe_vtab::{
    ColumnContext, ConnectRequest, Connected, FunctionError, IndexInfo, Lossy, Module, Result, Risk, Scan, ScanPlan,
    SqlConnection, ValueRef, Values, VirtualCursor, VirtualTable, code, formatted, lossy,
};

use crate::function::dequoted;
use reader::{Reader, Source};

/// The most columns of a table (the upper limit of SQLITE_MAX_COLUMN).
const COLUMNS_MAX: usize = 32_767;

/// The module.
pub struct Csv;

impl Module for Csv {
    fn connect(&self, connection: &dyn SqlConnection, request: &ConnectRequest<'_>) -> Result<Connected> {
        let mut parameters = Parameters::read(request.arguments)?;
        let source = parameters.source()?;
        let mut first = Vec::new();
        // The file is opened even if no row is read now, so that a missing file fails here.
        let mut reader = Reader::open(&source, connection.length_max())?;
        if parameters.has_header || parameters.columns.is_none() {
            reader.record(&mut first, COLUMNS_MAX)?;
        }
        let column_count = parameters.columns.unwrap_or(first.len());
        let declaration = match parameters.schema {
            Some(schema) => schema,
            None => {
                let names: &[Vec<u8>] = if parameters.has_header { &first } else { &[] };
                formatted(format_args!("{}", Declaration { names, column_count }))?
            }
        };
        let table = CsvTable { source, column_count, has_header: parameters.has_header };
        Ok(Connected { table: Box::new(table), declaration, risk: Risk::DirectOnly })
    }

    fn declaration_error(&self, declaration: &str, error: &str) -> Option<String> {
        Some(format!("bad schema: '{declaration}' - {error}"))
    }
}

/// The statement that declares the columns; those without a name of their own are numbered.
struct Declaration<'n> {
    names: &'n [Vec<u8>],
    column_count: usize,
}

impl fmt::Display for Declaration<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("CREATE TABLE x(")?;
        for at in 0..self.column_count {
            f.write_str(if at > 0 { "," } else { "" })?;
            match self.names.get(at) {
                Some(name) => {
                    // A quote within a name is doubled.
                    f.write_str("\"")?;
                    for (part, piece) in name.split(|byte| *byte == b'"').enumerate() {
                        f.write_str(if part > 0 { "\"\"" } else { "" })?;
                        Lossy(piece).fmt(f)?;
                    }
                    f.write_str("\" TEXT")?;
                }
                None => write!(f, "\"c{at}\" TEXT")?,
            }
        }
        f.write_str(")")
    }
}

/// The arguments of CREATE VIRTUAL TABLE.
#[derive(Default)]
struct Parameters {
    file: Option<String>,
    data: Option<String>,
    schema: Option<String>,
    columns: Option<usize>,
    has_header: bool,
}

impl Parameters {
    fn read(arguments: &[&[u8]]) -> Result<Parameters> {
        let mut all = Parameters::default();
        let mut has_header = None;
        for argument in arguments {
            let argument = lossy(argument)?;
            let bad = || FunctionError::quoting(code::ERROR, format_args!("bad parameter: '{}'", argument.trim()));
            let (key, value) = match argument.split_once('=') {
                Some((key, value)) => (key.trim(), Some(dequoted(value.trim())?)),
                None => (argument.trim(), None),
            };
            match (key, value) {
                ("filename", Some(value)) => once(&mut all.file, key, value)?,
                ("data", Some(value)) => once(&mut all.data, key, value)?,
                ("schema", Some(value)) => once(&mut all.schema, key, value)?,
                ("header", value) => {
                    let is_on = value.map_or(Some(true), |value| boolean(&value)).ok_or_else(bad)?;
                    once(&mut has_header, key, is_on)?;
                }
                ("columns", Some(value)) => {
                    let count = value.parse::<usize>().ok().filter(|count| *count > 0);
                    let count = count.ok_or_else(|| FunctionError::new("column= value must be positive"))?;
                    once(&mut all.columns, key, count.min(COLUMNS_MAX))?;
                }
                _ => return Err(bad()),
            }
        }
        all.has_header = has_header == Some(true);
        Ok(all)
    }

    fn source(&mut self) -> Result<Source> {
        match (self.file.take(), self.data.take()) {
            (Some(file), None) => Ok(Source::File(file)),
            (None, Some(data)) => Ok(Source::Data(Arc::new(data))),
            _ => Err(FunctionError::new("must specify either filename= or data= but not both")),
        }
    }
}

fn once<T>(place: &mut Option<T>, key: &str, value: T) -> Result {
    match place.replace(value) {
        None => Ok(()),
        Some(_) => Err(FunctionError::new(format!("more than one '{key}' parameter"))),
    }
}

fn boolean(text: &str) -> Option<bool> {
    match text.to_ascii_lowercase().as_str() {
        "yes" | "on" | "true" | "1" => Some(true),
        "no" | "off" | "false" | "0" => Some(false),
        _ => None,
    }
}

struct CsvTable {
    source: Source,
    column_count: usize,
    has_header: bool,
}

impl VirtualTable for CsvTable {
    fn has_reusable_plans(&self) -> bool {
        true
    }

    fn best_index(&self, info: &mut IndexInfo) -> Result<bool> {
        info.estimated_cost = 1.0e6;
        Ok(true)
    }

    fn open(&self) -> Result<Box<dyn VirtualCursor>> {
        Ok(Box::new(CsvCursor::default()))
    }
}

#[derive(Default)]
struct CsvCursor {
    reader: Option<Reader>,
    /// The fields of the row, at most one for each column.
    fields: Vec<Vec<u8>>,
    /// The number of the row, counted from 1; 0 at the end.
    row: i64,
}

impl VirtualCursor for CsvCursor {
    fn filter(&mut self, scan: &Scan<'_>, _: &ScanPlan, _: &Values<'_>) -> Result {
        let table = scan.table::<CsvTable>()?;
        let mut reader = Reader::open(&table.source, scan.connection.length_max())?;
        if table.has_header {
            reader.record(&mut self.fields, 0)?;
        }
        (self.reader, self.row) = (Some(reader), 0);
        self.next(scan)
    }

    fn next(&mut self, scan: &Scan<'_>) -> Result {
        let columns = scan.table::<CsvTable>()?.column_count;
        let has_row = match &mut self.reader {
            Some(reader) => reader.record(&mut self.fields, columns)?,
            None => false,
        };
        self.row = if has_row { self.row + 1 } else { 0 };
        Ok(())
    }

    fn eof(&self) -> bool {
        self.row == 0
    }

    fn column(&mut self, _: &Scan<'_>, answer: &mut ColumnContext<'_, '_>, column: usize) -> Result {
        let field = self.fields.get(column).map_or(ValueRef::Null, |field| ValueRef::Text(field));
        answer.context.answer(field)
    }

    fn rowid(&mut self) -> Result<i64> {
        Ok(self.row)
    }
}
