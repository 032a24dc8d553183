//! Changing a tree at a path; merge patches.

use lithe_value::buffer::OutOfMemory;

use super::path::{Failure, Step, damaged_element, damaged_member, first_step, steps};
use super::tree::{Json, Text};
use super::{binary, output, parse};

type Result<T = (), E = Failure> = std::result::Result<T, E>;

/// The change at the end of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Edit {
    /// Replaces an existing value.
    Replace,
    /// Adds a missing value.
    Insert,
    /// Both.
    Set,
    /// Inserts an element before the existing one, or at the end of the array.
    ArrayInsert,
}

/// Edits the value at the end of the path. A path that leads nowhere changes nothing.
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
    open(json)?;
    if path.first() == Some(&b'[') && !matches!(json, Json::Array(_)) {
        return Ok(());
    }
    let (step, behind) = first_step(path)?;
    match (json, &step) {
        (Json::Object(members), Step::Label(label)) => {
            let wanted = label.to_sql()?;
            if let Some((_, found)) = members.iter_mut().find(|(label, _)| label.is(&wanted)) {
                refuse_label_at_end(behind, edit)?;
                return edit_at(found, behind, edit, value);
            }
            refuse_damaged(damaged_member(members))?;
            refuse_other_end(behind, edit)?;
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
                output::reserve_one(items)?;
                items.insert(at, value.try_clone()?);
                return Ok(());
            }
            if let Some(found) = items.get_mut(at) {
                return edit_at(found, behind, edit, value);
            }
            refuse_damaged(damaged_element(items))?;
            if at == items.len()
                && edit != Edit::Replace
                && let Some(new) = built(behind, edit, value)?
            {
                output::push(items, new)?;
            }
        }
        (Json::Damaged(_), _) => return Err(Failure::Malformed),
        _ => {}
    }
    Ok(())
}

/// Makes a value a tree down to its children, which may be changed.
fn open(json: &mut Json<'_>) -> Result {
    binary::open(json).map_err(|failure| match failure {
        parse::Failure::OutOfMemory => Failure::OutOfMemory,
        parse::Failure::Malformed(_) => Failure::Malformed,
    })
}

/// Only elements of an array can be moved by an insertion.
fn refuse_label_at_end(behind: &[u8], edit: Edit) -> Result {
    if edit == Edit::ArrayInsert && behind.is_empty() { Err(Failure::NotAnElement) } else { Ok(()) }
}

/// As in SQLite, the rest of a path to a missing label is an error unless it ends as that of an element does.
fn refuse_other_end(behind: &[u8], edit: Edit) -> Result {
    if edit == Edit::ArrayInsert && behind.last() != Some(&b']') { Err(Failure::NotAnElement) } else { Ok(()) }
}

/// Nothing can be added after damaged content.
fn refuse_damaged<T>(damaged: Option<T>) -> Result {
    damaged.map_or(Ok(()), |_| Err(Failure::Malformed))
}

/// The value within the containers of the rest of a path; `None` if those cannot begin empty.
fn built<'a>(path: &[u8], edit: Edit, value: &Json<'a>) -> Result<Option<Json<'a>>> {
    let mut json = if path.is_empty() {
        return (edit != Edit::ArrayInsert).then(|| value.try_clone()).transpose().map_err(Failure::from);
    } else if path.first() == Some(&b'[') {
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

/// Removes the value at the end of the path; false if that is the whole tree.
pub fn remove(json: &mut Json<'_>, path: &[u8]) -> Result<bool> {
    let mut rest = steps(path)?;
    if rest.is_empty() {
        return Ok(false);
    }
    let mut at = json;
    loop {
        open(at)?;
        if rest.first() == Some(&b'[') && !matches!(at, Json::Array(_)) {
            return Ok(true);
        }
        let (step, behind) = first_step(rest)?;
        let place = match (&*at, &step) {
            (Json::Object(members), Step::Label(label)) => {
                let wanted = label.to_sql()?;
                let place = members.iter().position(|(label, _)| label.is(&wanted));
                refuse_damaged(damaged_member(members).filter(|_| place.is_none()))?;
                place
            }
            (Json::Array(items), step) => {
                let place = step.place(items.len()).filter(|&place| place < items.len());
                refuse_damaged(damaged_element(items).filter(|_| place.is_none()))?;
                place
            }
            (Json::Damaged(_), _) => return Err(Failure::Malformed),
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
            Json::Object(members) => {
                let Some((_, found)) = members.get_mut(place) else { return Ok(true) };
                at = found;
            }
            Json::Array(items) => {
                let Some(found) = items.get_mut(place) else { return Ok(true) };
                at = found;
            }
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
        match (change, place.and_then(|place| members.get_mut(place))) {
            (Json::Null, None) => {}
            (Json::Null, Some(_)) => drop(place.map(|place| members.remove(place))),
            (change, Some((_, member))) => self::patch(member, change)?,
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
