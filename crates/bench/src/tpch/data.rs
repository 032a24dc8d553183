//! The data: the eight tables that the crate `tpchgen` generates.

use std::fmt::Display;
use std::path::Path;

use tpchgen::generators::{
    CustomerGenerator, LineItemGenerator, NationGenerator, OrderGenerator, PartGenerator, PartSuppGenerator,
    RegionGenerator, SupplierGenerator,
};

use crate::frame::Result;
use crate::frame::progress::Progress;
use crate::sql::{Cell, Connection, Library, Settings, Statement};

const SCHEMA: &str = include_str!("schema.sql");

/// Indexes on the foreign keys.
const INDEXES: &str = include_str!("indexes.sql");

/// The number of rows of `orders` at scale 1; those of the other tables follow from it.
pub const ORDERS: f64 = 1_500_000.0;

/// Creates a database with all tables, at `path` or in memory (":memory:").
pub fn create<L: Library>(path: &Path, scale: f64) -> Result<L::Connection> {
    let progress = Progress::start(&format!("tpch: making {}'s database ({})", L::SIDE.name(), path.display()), 8);
    let connection = L::open(path, &Settings::default())?;
    connection.run(SCHEMA)?;
    connection.run("BEGIN")?;
    fill(&connection, "region", 3, RegionGenerator::new(scale, 1, 1).iter())?;
    progress.step();
    fill(&connection, "nation", 4, NationGenerator::new(scale, 1, 1).iter())?;
    progress.step();
    fill(&connection, "part", 9, PartGenerator::new(scale, 1, 1).iter())?;
    progress.step();
    fill(&connection, "supplier", 7, SupplierGenerator::new(scale, 1, 1).iter())?;
    progress.step();
    fill(&connection, "partsupp", 5, PartSuppGenerator::new(scale, 1, 1).iter())?;
    progress.step();
    fill(&connection, "customer", 8, CustomerGenerator::new(scale, 1, 1).iter())?;
    progress.step();
    fill(&connection, "orders", 9, OrderGenerator::new(scale, 1, 1).iter())?;
    progress.step();
    fill(&connection, "lineitem", 16, LineItemGenerator::new(scale, 1, 1).iter())?;
    progress.step();
    connection.run("COMMIT")?;
    connection.run(INDEXES)?;
    progress.finish();
    Ok(connection)
}

/// Inserts rows in the form "1|2|three|": the affinity of the columns converts texts to numbers.
fn fill(
    connection: &impl Connection,
    table: &str,
    columns: usize,
    rows: impl Iterator<Item = impl Display>,
) -> Result<()> {
    let places = vec!["?"; columns].join(", ");
    let mut insert = connection.prepare(&format!("INSERT INTO {table} VALUES ({places})"))?;
    for row in rows {
        let line = row.to_string();
        let cells: Vec<Cell<'_>> = line.split('|').take(columns).map(Cell::from).collect();
        insert.run(&cells)?;
    }
    Ok(())
}
