//! Instructions of schema changes, of virtual tables that change, and of tracing: a statement runs them a few times at most. They are kept
//! out of the loop, which otherwise prepares for the calls of all of them whenever it begins.

use crate::analyze;
use crate::error::Error;
use crate::host::Host;
use crate::insn::Insn;
use crate::machine::Machine;
use crate::open;
use crate::program::Program;
use crate::scan;
use crate::schema;

/// Runs one of these instructions.
#[inline(never)]
pub fn run(insn: Insn, m: &mut Machine, program: &Program, host: &dyn Host) -> Result<(), Error> {
    match insn {
        Insn::TraceTrigger { text } => host.trace_trigger(program.text(text).unwrap_or_default()),
        Insn::StatementJournal {} => host.open_statement_journal()?,
        Insn::ReadCookie { db, index, dst } => schema::read_cookie(m, host, db, index, dst)?,
        Insn::SetCookie { db, index, value } => host.set_cookie(db, index, value as u32)?,
        Insn::CreateTree { db, kind, dst } => schema::create_tree(m, host, db, kind, dst)?,
        Insn::CheckNoReaders {} => host.check_no_readers()?,
        Insn::CheckMayOpen {} => open::check_may_open(m)?,
        Insn::DropTree { db, root, moved } => schema::drop_tree(m, host, db, root, moved)?,
        Insn::ClearTree { count_changes, cursor } => {
            schema::clear_tree(m, program, host, cursor, count_changes != 0)?;
        }
        Insn::ParseSchema { db, condition } => host.parse_schema(db, program.text(condition))?,
        Insn::LoadStatistics { db } => host.load_statistics(db)?,
        Insn::AnalyzeIndex { is_one_unique, cursor, samples, columns, dst } => {
            let analysis = analyze::IndexAnalysis { columns: usize::from(columns), is_one_unique: is_one_unique != 0 };
            analyze::analyze_index(m, program, host, cursor, samples, analysis, dst)?;
        }
        Insn::DropFromCatalog { db, kind, name } => {
            host.drop_from_catalog(db, kind, &program.texts[name.0 as usize]);
        }
        Insn::VOpen { cursor, table } => scan::open(m, host, cursor, table)?,
        Insn::VBegin { table } => host.begin_virtual(table)?,
        Insn::VUpdate { policy, count, table, start, dst } => {
            scan::update(m, host, table, policy, (start, count), dst)?;
        }
        Insn::VChange { op, db, name, to } => {
            scan::change(m, program, host, op, db, name, to)?;
        }
        other => unreachable!("{} is an instruction of the loop", other.name()),
    }
    Ok(())
}
