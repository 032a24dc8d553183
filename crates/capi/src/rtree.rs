//! Geometries of R-Trees in C: functions to the right of MATCH that decide which boxes a query finds.
//!
//! ```text
//!   sqlite3_rtree_geometry_callback   xGeom: is this box within?                  no scores
//!   sqlite3_rtree_query_callback      xQuery: how much of it, and with what score?
//! ```

use std::cell::RefCell;
use std::ffi::{c_char, c_int, c_uint, c_void};
use std::ptr::null_mut;
use std::rc::Rc;
use std::sync::Arc;

use lithe_engine::ResultCode;
use lithe_engine::function::FunctionError;
use lithe_engine::value::{Value, cast};
use lithe_rtree::geometry::{GeometryKind, geometry_function};
use lithe_rtree::query::{Candidate, Geometry, Rating, Within};

use crate::code;
use crate::connection::{live, sqlite3};
use crate::ffi_guard::api;
use crate::memory::{self, Destructor};
use crate::text;
use crate::value::sqlite3_value;

/// The arguments of a geometry callback: the beginning of [`sqlite3_rtree_query_info`].
#[repr(C)]
#[allow(non_camel_case_types)]
pub struct sqlite3_rtree_geometry {
    context: *mut c_void,
    parameter_count: c_int,
    parameters: *mut f64,
    user: *mut c_void,
    delete_user: Destructor,
}

/// The arguments and results of a query callback.
#[repr(C)]
#[allow(non_camel_case_types)]
pub struct sqlite3_rtree_query_info {
    geometry: sqlite3_rtree_geometry,
    coordinates: *mut f64,
    queued: *mut c_uint,
    coordinate_count: c_int,
    level: c_int,
    level_max: c_int,
    rowid: i64,
    parent_score: f64,
    parent_within: c_int,
    /// A result: how much of the entry is found.
    within: c_int,
    /// A result: the score.
    score: f64,
    sql_parameters: *mut *mut sqlite3_value,
}

type GeometryFn = unsafe extern "C" fn(*mut sqlite3_rtree_geometry, c_int, *mut f64, *mut c_int) -> c_int;
type QueryFn = unsafe extern "C" fn(*mut sqlite3_rtree_query_info) -> c_int;

#[derive(Clone, Copy)]
enum Callback {
    Geometry(Option<GeometryFn>),
    Query(Option<QueryFn>),
}

/// A geometry as the application registered it.
struct CGeometry {
    callback: Callback,
    context: *mut c_void,
    destructor: Destructor,
}

// SAFETY: only its connection calls it, and only one thread at a time uses that: its mutex, or the application, makes
// sure.
unsafe impl Send for CGeometry {}
// SAFETY: as above.
unsafe impl Sync for CGeometry {}

impl Drop for CGeometry {
    fn drop(&mut self) {
        // SAFETY: the application gave both for this.
        unsafe { memory::destroy(self.destructor, self.context) };
    }
}

impl GeometryKind for CGeometry {
    fn begin(&self, parameters: &[Value]) -> Result<Rc<dyn Geometry>, FunctionError> {
        let mut values: Vec<_> = parameters.iter().cloned().map(sqlite3_value::owned).collect();
        let start = values.as_mut_ptr();
        // SAFETY: each is within the vector, whose memory is not moved.
        let pointers = (0..values.len()).map(|index| unsafe { start.add(index) }).collect();
        let numbers = parameters.iter().map(|value| cast::to_real(value.as_ref())).collect();
        let query = Query {
            callback: self.callback,
            context: self.context,
            state: RefCell::new(State { numbers, pointers, user: null_mut(), delete_user: None }),
            _values: values,
        };
        Ok(Rc::new(query))
    }
}

/// A geometry in a query.
struct Query {
    callback: Callback,
    context: *mut c_void,
    state: RefCell<State>,
    /// The values to which the pointers of the state point.
    _values: Vec<sqlite3_value>,
}

/// The state that is kept from call to call.
struct State {
    numbers: Vec<f64>,
    pointers: Vec<*mut sqlite3_value>,
    user: *mut c_void,
    delete_user: Destructor,
}

impl Drop for State {
    fn drop(&mut self) {
        if !self.user.is_null() {
            // SAFETY: the callback has set both for this.
            unsafe { memory::destroy(self.delete_user, self.user) };
        }
    }
}

impl Query {
    /// The arguments of the callback for an entry. The coordinates and counts are copies, which the callback may
    /// overwrite.
    fn question(
        &self,
        state: &mut State,
        candidate: &Candidate<'_>,
        coordinates: &mut [f64],
        queued: &mut [c_uint],
    ) -> sqlite3_rtree_query_info {
        sqlite3_rtree_query_info {
            geometry: sqlite3_rtree_geometry {
                context: self.context,
                parameter_count: state.numbers.len() as c_int,
                parameters: state.numbers.as_mut_ptr(),
                user: state.user,
                delete_user: state.delete_user,
            },
            coordinates: coordinates.as_mut_ptr(),
            queued: queued.as_mut_ptr(),
            coordinate_count: coordinates.len() as c_int,
            level: candidate.level as c_int,
            level_max: candidate.level_max as c_int,
            rowid: candidate.rowid,
            parent_score: candidate.parent.score,
            parent_within: candidate.parent.within as c_int,
            within: candidate.parent.within as c_int,
            score: candidate.parent.score,
            sql_parameters: state.pointers.as_mut_ptr(),
        }
    }
}

impl Geometry for Query {
    fn rate(&self, candidate: &Candidate<'_>) -> Result<Rating, FunctionError> {
        // A callback that runs the query for which it is called finds the state in use.
        let mut state = self.state.try_borrow_mut().map_err(|_| FunctionError::of_code(code::MISUSE))?;
        let (mut coordinates, mut queued) = (candidate.coordinates.to_vec(), candidate.queued.to_vec());
        let mut info = self.question(&mut state, candidate, &mut coordinates, &mut queued);
        let mut is_within = 0;
        // SAFETY: the application's function, called as documented: its arguments are valid during the call.
        let answer = unsafe {
            match self.callback {
                Callback::Geometry(Some(call)) => {
                    call(&mut info.geometry, info.coordinate_count, info.coordinates, &mut is_within)
                }
                Callback::Query(Some(call)) => call(&mut info),
                Callback::Geometry(None) | Callback::Query(None) => code::MISUSE,
            }
        };
        (state.user, state.delete_user) = (info.geometry.user, info.geometry.delete_user);
        if answer != code::OK {
            return Err(FunctionError::with_code(answer, ResultCode(answer).text()));
        }
        Ok(match self.callback {
            Callback::Geometry(_) if is_within == 0 => Rating { within: Within::Not, score: 0.0 },
            Callback::Geometry(_) => Rating { within: Within::Fully, score: 0.0 },
            Callback::Query(_) => Rating { within: within(info.within), score: info.score },
        })
    }
}

fn within(number: c_int) -> Within {
    match number {
        0 => Within::Not,
        1 => Within::Partly,
        _ => Within::Fully,
    }
}

/// # Safety
/// As the C functions document it.
unsafe fn register(db: *mut sqlite3, name: *const c_char, geometry: CGeometry) -> c_int {
    // SAFETY: our caller's promise.
    let (db, name) = match unsafe { (live(db), text::name(name)) } {
        (Ok(db), Some(name)) => (db, name),
        (Ok(_), None) => return code::MISUSE,
        (Err(code), _) => return code,
    };
    match db.core().create_function(geometry_function(&name, Arc::new(geometry))) {
        Ok(()) => db.ok(),
        Err(error) => db.fail(&error),
    }
}

api! {
    fn sqlite3_rtree_geometry_callback(
        db: *mut sqlite3, name: *const c_char, call: Option<GeometryFn>, context: *mut c_void,
    ) -> c_int {
        register(db, name, CGeometry { callback: Callback::Geometry(call), context, destructor: None })
    }

    fn sqlite3_rtree_query_callback(
        db: *mut sqlite3, name: *const c_char, call: Option<QueryFn>, context: *mut c_void, destructor: Destructor,
    ) -> c_int {
        register(db, name, CGeometry { callback: Callback::Query(call), context, destructor })
    }
}
