//! The aggregate `zipfile()`, which makes an archive from rows, and `zipfile_cds()`, which shows an entry of a central directory.

use std::sync::Arc;

use lithe_vtab::{
    AggregateFunction, AggregateState, Arity, Context, Flags, Function, FunctionError, FunctionKind, Grow, Result,
    ValueRef,
};

use super::archive::{self, Member};
use super::{POINTER_KIND, member};
use crate::function::scalar;

/// The functions.
pub fn functions() -> Vec<Arc<Function>> {
    let kind = FunctionKind::CustomAggregate(Arc::new(Archives));
    let flags = Flags::DETERMINISTIC.with(Flags::INNOCUOUS);
    vec![
        Arc::new(Function::custom("zipfile", Arity::AtLeast(0), flags, kind)),
        scalar("zipfile_cds", Arity::Exactly(1), central_directory_entry),
    ]
}

struct Archives;

impl AggregateFunction for Archives {
    fn start(&self) -> Box<dyn AggregateState> {
        Box::new(Building::default())
    }
}

/// The archive of a group.
#[derive(Default)]
struct Building {
    members: Vec<Member>,
    /// The bytes of the members, limited to the size of a BLOB.
    bytes: usize,
}

impl AggregateState for Building {
    fn step(&mut self, context: &mut Context<'_>, args: &[ValueRef<'_>]) -> Result {
        let member = member::aggregated(args)?;
        self.bytes =
            self.bytes.saturating_add(member.entry.compressed as usize).saturating_add(member.entry.name.len());
        context.check_length(self.bytes)?;
        self.members.try_push(member)?;
        Ok(())
    }

    fn value(&mut self, context: &mut Context<'_>) -> Result {
        if self.members.is_empty() {
            return context.answer(ValueRef::Null);
        }
        context.answer(ValueRef::Blob(&archive::build(&self.members)?))
    }
}

/// `zipfile_cds(z)`: the entry of the row in the central directory, as JSON.
fn central_directory_entry(context: &mut Context<'_>, _: &[ValueRef<'_>]) -> Result {
    let member = context.arg_pointer(0, POINTER_KIND).and_then(|pointer| pointer.downcast_ref::<Arc<Member>>());
    match member.map(|member| member.entry.json()) {
        Some(json) => context.answer(ValueRef::Text(json.as_bytes())),
        None => Err(FunctionError::new("unable to use function zipfile_cds in the requested context")),
    }
}
