//! Changing a tree at the end of a path; merge patches.

use lithe_value::buffer::OutOfMemory;

use super::output;
use super::path::{Failure, Step, first_step, steps};
use super::tree::{Json, Text};

type Result<T = (), E = Failure> = std::result::Result<T, E>;

/// What is done at the end of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Edit {
    /// What is there is replaced.
    Replace,
    /// What is not there is added.
    Insert,
    /// Both.
    Set,
    /// An element is put in front of the one that is there, or at the end of the array.
    ArrayInsert,
}

/// Edits the value at the end of the path. Where it leads nowhere, nothing happens.
pub fn edit<'a>(json: &mut Json<'a>, path: &[u8], edit: Edit, value: &Json<'a>) -> Result {
    edit_at(json, steps(path)?, edit, value)
}

fn edit_at<'a>(json: &mut Json<'a>, path: &[u8], edit: Edit, value: &Json<'a>) -> Result {
    if path.is_empty() {
        if matches!(edit, Edit::Replace | Edit::Set) {
            *json = value.try_clone()?;
        }
        return Ok(());
    }
    if path[0] == b'[' && !matches!(json, Json::Array(_)) {
        return Ok(());
    }
    let (step, behind) = first_step(path)?;
    match (json, &step) {
        (Json::Object(members), Step::Label(label)) => {
            let wanted = label.to_sql()?;
            if let Some((_, found)) = members.iter_mut().find(|(label, _)| label.is(&wanted)) {
                return edit_at(found, behind, edit, value);
            }
            if edit != Edit::Replace
                && let Some(new) = built(behind, edit, value)?
            {
                let label = Text { escapes: label.escapes, bytes: output::copy(&label.bytes)?.into() };
                output::push(members, (label, new))?;
            }
        }
        (Json::Array(items), step) => {
            let Some(at) = step.place(items.len()) else { return Ok(()) };
            if edit == Edit::ArrayInsert && behind.is_empty() && at <= items.len() {
                output::make_room(items)?;
                items.insert(at, value.try_clone()?);
            } else if let Some(found) = items.get_mut(at) {
                return edit_at(found, behind, edit, value);
            } else if at == items.len()
                && edit != Edit::Replace
                && let Some(new) = built(behind, edit, value)?
            {
                output::push(items, new)?;
            }
        }
        _ => {}
    }
    Ok(())
}

/// The value with what the rest of a path puts around it; none if that cannot begin with nothing.
fn built<'a>(path: &[u8], edit: Edit, value: &Json<'a>) -> Result<Option<Json<'a>>> {
    let mut json = if path.is_empty() {
        return (edit != Edit::ArrayInsert).then(|| value.try_clone()).transpose().map_err(Failure::from);
    } else if path[0] == b'[' {
        Json::Array(Vec::new())
    } else {
        Json::Object(Vec::new())
    };
    edit_at(&mut json, path, edit, value)?;
    let is_empty = match &json {
        Json::Array(items) => items.is_empty(),
        Json::Object(members) => members.is_empty(),
        _ => true,
    };
    Ok((!is_empty).then_some(json))
}

/// Whether the path ends with a step into an array.
pub fn ends_in_array(path: &[u8]) -> bool {
    path == b"$" || path.ends_with(b"]")
}

/// Removes the value at the end of the path; false if that is the whole.
pub fn remove(json: &mut Json<'_>, path: &[u8]) -> Result<bool> {
    let mut rest = steps(path)?;
    if rest.is_empty() {
        return Ok(false);
    }
    let mut at = json;
    loop {
        if rest[0] == b'[' && !matches!(at, Json::Array(_)) {
            return Ok(true);
        }
        let (step, behind) = first_step(rest)?;
        let place = match (&*at, &step) {
            (Json::Object(members), Step::Label(label)) => {
                let wanted = label.to_sql()?;
                members.iter().position(|(label, _)| label.is(&wanted))
            }
            (Json::Array(items), step) => step.place(items.len()).filter(|&place| place < items.len()),
            _ => None,
        };
        let Some(place) = place else { return Ok(true) };
        match at {
            Json::Object(members) if behind.is_empty() => {
                members.remove(place);
                return Ok(true);
            }
            Json::Array(items) if behind.is_empty() => {
                items.remove(place);
                return Ok(true);
            }
            Json::Object(members) => at = &mut members[place].1,
            Json::Array(items) => at = &mut items[place],
            _ => return Ok(true),
        }
        rest = behind;
    }
}

/// A merge patch (RFC 7396).
pub fn patch<'a>(target: &mut Json<'a>, patch: Json<'a>) -> Result<(), OutOfMemory> {
    let Json::Object(changes) = patch else {
        *target = patch;
        return Ok(());
    };
    if !matches!(target, Json::Object(_)) {
        *target = Json::Object(Vec::new());
    }
    let Json::Object(members) = target else { return Ok(()) };
    for (label, change) in changes {
        let wanted = label.to_sql()?;
        let place = members.iter().position(|(label, _)| label.is(&wanted));
        match (change, place) {
            (Json::Null, Some(place)) => drop(members.remove(place)),
            (Json::Null, None) => {}
            (change, Some(place)) => self::patch(&mut members[place].1, change)?,
            (change, None) => {
                let mut new = Json::Null;
                self::patch(&mut new, change)?;
                drop(wanted);
                output::push(members, (label, new))?;
            }
        }
    }
    Ok(())
}
