//! Imposter tables: tables whose rows are the entries of an index, for tests and for looking into a damaged database.
//!
//! An imposter table is only in the catalog. It is gone when the schema is read again.

use lithe_catalog::{BuildOptions, Catalog, SchemaRow};
use lithe_sql::ast::Name;

use crate::connection::Connection;
use crate::error::{Error, Result};

impl Connection {
    /// Adds a table over the B-tree at page `root`, which is that of an index or of a table WITHOUT ROWID. `create` is its CREATE TABLE
    /// statement, whose columns have to be those of the B-tree's records. Writing to the table makes the index wrong.
    ///
    /// # Errors
    /// SQLITE_ERROR if there is no such database, the database has a table of this name, or the statement is wrong.
    pub fn create_imposter(&self, schema: &str, name: &str, create: &str, root: u32) -> Result<()> {
        self.load_schemas()?;
        let mut catalog = Catalog::clone(&self.catalog());
        let db = catalog.database(Name::new(schema.as_bytes()))?;
        if catalog.schema(db).table(Name::new(name.as_bytes())).is_some() {
            return Err(Error::generic(format!("table \"{name}\" already exists")));
        }
        let row = SchemaRow {
            kind: Some(b"table"),
            name: Some(name.as_bytes()),
            table_name: Some(name.as_bytes()),
            root_page: Some(root.into()),
            sql: Some(create.as_bytes()),
        };
        let limits = self.settings.limits();
        // A page that the database does not have is found malformed when it is read.
        catalog.read_row(db, &row, u32::MAX, &BuildOptions::of_stored(&limits))?;
        self.definitions.set_catalog(std::sync::Arc::new(catalog));
        Ok(())
    }

    /// Forgets the imposter tables: all schemas are read again.
    pub fn forget_imposters(&self) {
        self.reset_schemas();
    }
}
