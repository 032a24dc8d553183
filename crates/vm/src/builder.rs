//! Builds a program: emits instructions, hands out registers, labels, cursors and constants.
//!
//! Code is emitted into two streams. The *prologue* runs once at the start of each run (opening the transaction,
//! constants that loops use); the *body* is everything else. `finish` joins them and turns labels into addresses.

use std::cell::Cell;
use std::fmt;
use std::rc::Rc;
use std::sync::Arc;

use lithe_value::{Affinity, Collation, ValueRef};

use crate::constants::Constants;
use crate::insn::Insn;
use crate::operand::*;
use crate::program::*;

/// Capacities that most programs do not exceed.
const PROLOGUE_LEN: usize = 8;
const BODY_LEN: usize = 32;
const LABEL_COUNT: usize = 16;

/// A builder with a larger capacity than this is not kept.
const SPARE_LEN_MAX: usize = 1024;

/// The memory of a program of more instructions than this is not kept.
const SPARE_PROGRAM_LEN_MAX: usize = 64;

/// A program under construction.
pub struct ProgramBuilder {
    prologue: Vec<Insn>,
    body: Vec<Insn>,
    in_prologue: bool,
    /// The address of each label: an index into the body.
    labels: Vec<Option<u32>>,
    /// The last address in the body that has a label. Instructions before and after it are not merged.
    last_label: usize,
    next_register: u32,
    /// Free temporary registers, single ones only: most temporaries are single.
    free_registers: Vec<Reg>,
    parameter_count: u32,
    cursors: Vec<CursorInfo>,
    constants: Constants,
    texts: Vec<Arc<str>>,
    collations: Vec<Collation>,
    affinities: Vec<Arc<[Affinity]>>,
    calls: Vec<FunctionCall>,
    aggregates: Vec<AggregateCall>,
    subprograms: Vec<Arc<Subprogram>>,
    schema_cookies: Vec<SchemaCheck>,
    measured: Vec<MeasuredPart>,
    /// An empty program with memory.
    spare_program: Option<Arc<Program>>,
}

impl Default for ProgramBuilder {
    fn default() -> ProgramBuilder {
        ProgramBuilder::new()
    }
}

/// Marks the place of a label in the prologue.
const OF_PROLOGUE: u32 = 1 << 31;

impl ProgramBuilder {
    /// An empty program.
    pub fn new() -> ProgramBuilder {
        ProgramBuilder {
            prologue: Vec::with_capacity(PROLOGUE_LEN),
            body: Vec::with_capacity(BODY_LEN),
            in_prologue: false,
            labels: Vec::with_capacity(LABEL_COUNT),
            last_label: 0,
            next_register: 0,
            free_registers: Vec::new(),
            parameter_count: 0,
            cursors: Vec::new(),
            constants: Constants::default(),
            texts: Vec::new(),
            collations: Vec::new(),
            affinities: Vec::new(),
            calls: Vec::new(),
            aggregates: Vec::new(),
            subprograms: Vec::new(),
            schema_cookies: Vec::new(),
            measured: Vec::new(),
            spare_program: None,
        }
    }

    // ---- code ----

    /// Appends an instruction to the current stream.
    #[inline]
    pub fn emit(&mut self, insn: Insn) {
        if self.in_prologue {
            self.prologue.push(insn);
        } else if let Insn::RealAffinity { reg } = insn
            && self.last_label < self.body.len()
            && let Some(last) = self.body.last_mut()
            && let Some(both) = last.with_real_affinity(reg)
        {
            *last = both;
        } else {
            self.body.push(insn);
        }
    }

    /// Runs `f` with everything it emits going to the prologue. Jumps do not leave the prologue.
    pub fn prologue<T>(&mut self, f: impl FnOnce(&mut ProgramBuilder) -> T) -> T {
        let outer = std::mem::replace(&mut self.in_prologue, true);
        let result = f(self);
        self.in_prologue = outer;
        result
    }

    /// Directs code to the prologue from here on, or to the body again; returns the previous setting. For callers that
    /// cannot use the closure of [`ProgramBuilder::prologue`].
    #[inline]
    pub fn set_prologue(&mut self, on: bool) -> bool {
        std::mem::replace(&mut self.in_prologue, on)
    }

    /// A new label, to be placed by [`ProgramBuilder::place`].
    #[inline]
    pub fn label(&mut self) -> Addr {
        self.labels.push(None);
        Addr(self.labels.len() as u32 - 1)
    }

    /// Places the label at the next instruction of the current stream.
    #[inline]
    pub fn place(&mut self, label: Addr) {
        let slot = &mut self.labels[label.0 as usize];
        assert!(slot.is_none(), "a label is placed once");
        if self.in_prologue {
            *slot = Some(self.prologue.len() as u32 | OF_PROLOGUE);
            return;
        }
        *slot = Some(self.body.len() as u32);
        self.last_label = self.body.len();
    }

    /// A new label at the next instruction of the body, for loops.
    #[inline]
    pub fn here(&mut self) -> Addr {
        let label = self.label();
        self.place(label);
        label
    }

    /// Number of instructions emitted into the body so far.
    pub fn position(&self) -> usize {
        self.body.len()
    }

    /// Replaces the body instruction at `position` (one that was emitted as a placeholder).
    pub fn patch(&mut self, position: usize, insn: Insn) {
        assert!(position < self.body.len(), "an instruction is replaced that there is none of");
        self.body[position] = insn;
    }

    // ---- registers ----

    /// A new register, never reused.
    #[inline]
    pub fn register(&mut self) -> Reg {
        self.registers(1)
    }

    /// `count` new registers in a row.
    #[inline]
    pub fn registers(&mut self, count: usize) -> Reg {
        let first = Reg(self.next_register);
        self.next_register += count as u32;
        first
    }

    /// A temporary register, to be released by [`ProgramBuilder::free`].
    pub fn temporary(&mut self) -> Reg {
        self.free_registers.pop().unwrap_or_else(|| self.registers(1))
    }

    /// Releases a temporary register.
    pub fn free(&mut self, reg: Reg) {
        debug_assert!(!self.free_registers.contains(&reg), "register freed twice");
        assert!(reg.0 < self.next_register, "a register is freed that nobody has");
        self.free_registers.push(reg);
        self.fuse_column(reg);
    }

    /// From here on temporary registers are new ones, until [`ProgramBuilder::restore_temporaries`]: a subroutine is called where
    /// other temporaries may be in use.
    #[must_use = "the free registers are put back"]
    pub fn reserve_temporaries(&mut self) -> Vec<Reg> {
        std::mem::take(&mut self.free_registers)
    }

    /// Makes exactly those temporary registers free that were free before.
    pub fn restore_temporaries(&mut self, free: Vec<Reg>) {
        self.free_registers = free;
    }

    /// If Column puts a value into a temporary register that only the next, last instruction uses, one instruction replaces the
    /// two.
    fn fuse_column(&mut self, reg: Reg) {
        let (cursor, column, dst, is_real, user) = match self.body[..] {
            [.., Insn::Column { cursor, column, dst }, user] => (cursor, column, dst, false, user),
            [.., Insn::ColumnReal { cursor, column, dst }, user] => (cursor, column, dst, true, user),
            _ => return,
        };
        if dst != reg || self.in_prologue || self.last_label + 2 > self.body.len() {
            return;
        }
        let before = self.body.len() - 2;
        if let Some(fused) = user.with_column(cursor, column, is_real, reg) {
            self.body.truncate(before);
            self.body.push(fused);
        } else if let Insn::Call { call, start, dst } = user
            && (start, is_real) == (reg, false)
            && let Some(extent) = self.calls[usize::from(call.0)].extent()
        {
            self.body.truncate(before);
            self.body.push(Insn::ColumnExtent { extent, cursor, column, dst: reg });
            self.body.push(Insn::CallExtent { extent, call, start, dst });
        }
    }

    // ---- what instructions refer to ----

    /// Adds a cursor.
    #[inline]
    pub fn cursor(&mut self, info: CursorInfo) -> CursorId {
        self.cursors.push(info);
        CursorId((self.cursors.len() - 1) as u16)
    }

    /// How many cursors there are (the caller checks the limit of 65,535).
    #[inline]
    pub fn cursor_count(&self) -> usize {
        self.cursors.len()
    }

    /// The info of a cursor, to complete it.
    #[inline]
    pub fn cursor_info(&mut self, cursor: CursorId) -> &mut CursorInfo {
        &mut self.cursors[usize::from(cursor.0)]
    }

    /// Adds a constant.
    pub fn constant(&mut self, value: ValueRef<'_>) -> ConstId {
        self.constants.push(value)
    }

    /// Adds a text.
    pub fn text(&mut self, text: impl Into<Arc<str>>) -> TextId {
        self.texts.push(text.into());
        TextId((self.texts.len() - 1) as u32)
    }

    /// The id of a collation, added if it is new. (Custom collations are compared by identity.)
    pub fn collation(&mut self, collation: &Collation) -> CollationId {
        if collation.is_binary() {
            return CollationId::BINARY;
        }
        let found = self.collations.iter().position(|c| c == collation);
        let at = found.unwrap_or_else(|| {
            self.collations.push(collation.clone());
            self.collations.len() - 1
        });
        CollationId((at + 1) as u16)
    }

    /// The id of a list of affinities, added if it is new.
    pub fn affinity_list(&mut self, list: &[Affinity]) -> AffinityListId {
        let found = self.affinities.iter().position(|l| &**l == list);
        let at = found.unwrap_or_else(|| {
            self.affinities.push(list.into());
            self.affinities.len() - 1
        });
        AffinityListId(at as u16)
    }

    /// As [`ProgramBuilder::affinity_list`], for a list that programs share.
    pub fn shared_affinity_list(&mut self, list: &Arc<[Affinity]>) -> AffinityListId {
        if self.affinities.is_empty() {
            self.affinities.push(Arc::clone(list));
            return AffinityListId(0);
        }
        self.affinity_list(list)
    }

    /// Adds a function call.
    pub fn call(&mut self, call: FunctionCall) -> CallId {
        self.calls.push(call);
        CallId((self.calls.len() - 1) as u16)
    }

    /// Adds an aggregate call.
    pub fn aggregate(&mut self, call: AggregateCall) -> AggregateId {
        self.aggregates.push(call);
        AggregateId((self.aggregates.len() - 1) as u16)
    }

    /// Adds a subprogram.
    pub fn subprogram(&mut self, subprogram: Arc<Subprogram>) -> SubprogramId {
        self.subprograms.push(subprogram);
        SubprogramId((self.subprograms.len() - 1) as u16)
    }

    /// Records the schema cookie that `Transaction` on this database must find. Only the first one for a database
    /// counts.
    pub fn check_schema(&mut self, check: SchemaCheck) -> bool {
        let is_new = self.schema_cookies.iter().all(|c| c.db != check.db);
        if is_new {
            self.schema_cookies.push(check);
        }
        is_new
    }

    /// A label on a Noop, whose executions are counted.
    pub fn counted(&mut self) -> Addr {
        let label = self.here();
        self.emit(Insn::Noop {});
        label
    }

    /// Counts the runs and rows of a part of the plan, at labels of [`ProgramBuilder::counted`].
    pub fn measure(&mut self, measured: MeasuredPart) {
        self.measured.push(measured);
    }

    /// Records that parameter `number` is used.
    #[inline]
    pub fn uses_parameter(&mut self, number: u32) {
        self.parameter_count = self.parameter_count.max(number);
    }

    /// The finished program; the caller fills in the result columns, flags and query plan. The builder is then empty
    /// and keeps its memory.
    pub fn finish(&mut self) -> Program {
        let mut program = Program::default();
        self.finish_in(&mut program);
        program
    }

    /// As [`ProgramBuilder::finish`], in the memory of an earlier program if there is any.
    pub fn finish_shared(&mut self) -> Arc<Program> {
        let mut program = self.spare_program.take().unwrap_or_default();
        self.finish_in(Arc::get_mut(&mut program).expect("a spare program has one owner"));
        program
    }

    /// Fills in an empty program.
    fn finish_in(&mut self, program: &mut Program) {
        assert!(!self.in_prologue, "the prologue ends before the program");
        debug_assert!(program.insns.is_empty(), "a program is built where there is one");
        let shift = self.prologue.len() as u32;
        let body_len = self.body.len();
        program.insns.reserve_exact(self.prologue.len() + self.body.len());
        program.insns.append(&mut self.prologue);
        program.insns.append(&mut self.body);
        let labels = &self.labels;
        for insn in &mut program.insns {
            insn.for_each_target(|target| {
                if *target != Addr::NONE {
                    let at = labels[target.0 as usize].expect("every label used is placed");
                    if at & OF_PROLOGUE != 0 {
                        *target = Addr(at & !OF_PROLOGUE);
                        return;
                    }
                    assert!(at as usize <= body_len, "a jump behind the end of the program");
                    *target = Addr(at + shift);
                }
            });
        }
        if !self.measured.is_empty() {
            for place in self.measured.iter_mut().flat_map(MeasuredPart::places) {
                let at = labels[place.0 as usize].expect("every label used is placed");
                *place = Addr(at + shift);
            }
            program.measured = Some(std::mem::take(&mut self.measured).into());
        }
        self.labels.clear();
        self.free_registers.clear();
        self.last_label = 0;
        program.inverted_aggregates = inverted_aggregates(&program.insns, self.aggregates.is_empty());
        program.register_count = std::mem::take(&mut self.next_register);
        program.parameter_count = std::mem::take(&mut self.parameter_count);
        give(&mut self.cursors, &mut program.cursors);
        self.constants.give(&mut program.constants);
        give(&mut self.texts, &mut program.texts);
        give(&mut self.collations, &mut program.collations);
        give(&mut self.affinities, &mut program.affinities);
        give(&mut self.calls, &mut program.calls);
        give(&mut self.aggregates, &mut program.aggregates);
        give(&mut self.subprograms, &mut program.subprograms);
        give(&mut self.schema_cookies, &mut program.schema_cookies);
        program.is_read_only = true;
        program.counts_changes = false;
        program.planned_parameters = 0;
        program.has_compared_parameters = false;
        program.uses_sizes = false;
    }
}

/// The aggregates that remove rows.
fn inverted_aggregates(insns: &[Insn], has_none: bool) -> Box<[AggregateId]> {
    if has_none {
        return Box::default();
    }
    let inverted = insns.iter().filter_map(|insn| match insn {
        Insn::AggInverse { aggregate, .. } => Some(*aggregate),
        _ => None,
    });
    inverted.collect()
}

/// Gives the elements of a list to an empty one, whose memory the list has then.
fn give<T>(list: &mut Vec<T>, program: &mut Vec<T>) {
    if !list.is_empty() {
        std::mem::swap(list, program);
    }
}

/// An idle builder, whose memory the next program reuses.
#[derive(Clone, Default)]
pub struct SpareBuilder(Rc<Cell<Option<Box<ProgramBuilder>>>>);

impl SpareBuilder {
    /// An empty builder, with the memory of an earlier one if there is one.
    pub fn take(&self) -> Box<ProgramBuilder> {
        self.0.take().unwrap_or_else(|| Box::new(ProgramBuilder::new()))
    }

    /// Keeps an idle builder, unless its memory is so large that it is better released.
    pub fn put(&self, builder: Box<ProgramBuilder>) {
        if builder.body.capacity() <= SPARE_LEN_MAX {
            self.0.set(Some(builder));
        }
    }

    /// Takes a program that is not used any more: the next one has its memory, unless that is large, because the next one may be
    /// short and live long.
    pub fn reuse(&self, mut program: Arc<Program>) {
        let Some(unused) =
            Arc::get_mut(&mut program).filter(|program| program.insns.capacity() <= SPARE_PROGRAM_LEN_MAX)
        else {
            return;
        };
        // What is dropped may call the application, and the application this connection.
        unused.clear();
        if let Some(mut builder) = self.0.take() {
            builder.spare_program = Some(program);
            self.0.set(Some(builder));
        }
    }
}

impl fmt::Debug for SpareBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SpareBuilder")
    }
}
