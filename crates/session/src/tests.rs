//! The operations on changesets, and errors for damaged ones.

use super::*;

/// Two tables with a change of each kind.
fn changeset() -> Vec<u8> {
    let mut bytes = b"T\x03\x01\x00\x00t\x00".to_vec();
    let integer = |number: u8| [&[1, 0, 0, 0, 0, 0, 0, 0][..], &[number]].concat();
    bytes.extend([&[18, 0][..], &integer(1), b"\x03\x01x", &[5]].concat());
    bytes.extend([&[9, 1][..], &integer(2), b"\x04\x02yz", &[5]].concat());
    bytes.extend([&[23, 0][..], &integer(3), b"\x03\x01x\x00", &[0], b"\x03\x01q\x00"].concat());
    bytes.extend(b"T\x01\x01u\x00");
    bytes.extend([&[18, 0][..], &integer(9)].concat());
    bytes
}

fn inverted(bytes: &[u8]) -> Result<Vec<u8>> {
    let mut out = Vec::new();
    invert(Input::whole(bytes), &mut |piece| {
        out.extend_from_slice(piece);
        Ok(())
    })?;
    Ok(out)
}

fn operations(bytes: &[u8]) -> Result<Vec<(String, i32)>> {
    let mut changes = ChangesetIterator::new(Input::whole(bytes), false);
    let mut seen = Vec::new();
    while changes.advance()? {
        if let (Some(table), Some(operation)) = (changes.table(), changes.operation()) {
            seen.push((table.name().into_owned(), operation as i32));
        }
    }
    Ok(seen)
}

#[test]
fn changes_are_read_in_order() {
    let expected = [("t", 18), ("t", 9), ("t", 23), ("u", 18)].map(|(table, op)| (table.to_owned(), op));
    assert_eq!(operations(&changeset()).unwrap(), expected);
}

#[test]
fn what_is_inverted_twice_is_as_before() {
    let bytes = changeset();
    let once = inverted(&bytes).unwrap();
    assert_ne!(once, bytes);
    assert_eq!(inverted(&once).unwrap(), bytes);
}

#[test]
fn a_changeset_and_what_undoes_it_are_nothing() {
    let mut group = ChangeGroup::new();
    group.add(None, Input::whole(changeset())).unwrap();
    group.add(None, Input::whole(inverted(&changeset()).unwrap())).unwrap();
    assert_eq!(group.changeset().unwrap(), b"");
}

#[test]
fn pieces_are_put_together() {
    let bytes = changeset();
    let mut rest = &bytes[..];
    let input = Input::in_pieces(|buffer| {
        let (piece, left) = rest.split_at(rest.len().min(3));
        buffer.extend_from_slice(piece);
        rest = left;
        Ok(())
    });
    let mut group = ChangeGroup::new();
    group.add(None, input).unwrap();
    assert_eq!(operations(&group.changeset().unwrap()).unwrap().len(), 4);
}

#[test]
fn damaged_bytes_are_errors() {
    let sound = changeset();
    let mut random = fastrand::Rng::with_seed(7);
    for _ in 0..20_000 {
        let mut bytes = sound.clone();
        for _ in 0..random.usize(1..4) {
            let at = random.usize(..bytes.len());
            bytes[at] = random.u8(..);
        }
        bytes.truncate(random.usize(..=bytes.len()));
        let _ = (operations(&bytes), inverted(&bytes));
        let mut group = ChangeGroup::new();
        let _ = (group.add(None, Input::whole(&sound)), group.add(None, Input::whole(&bytes)));
        let _ = operations(&group.changeset().unwrap());
        let mut rebaser = Rebaser::new();
        let _ = rebaser.configure(Input::whole(&bytes));
        let _ = rebaser.rebase(Input::whole(&sound), &mut |_| Ok(()));
    }
}
