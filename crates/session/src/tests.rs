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
fn values_of_unknown_types() {
    // A changeset of a table t(a PRIMARY KEY, b): one change, whose column b has this type.
    let changeset = |operation: u8, kind: u8| {
        let key = [1, 0, 0, 0, 0, 0, 0, 0, 7];
        let records = match operation {
            23 => [&key[..], &key, &[kind], &key].concat(),
            _ => [&key[..], &[kind]].concat(),
        };
        [b"T\x02\x01\x00t\x00".as_slice(), &[operation, 0], &records].concat()
    };
    for (operation, kind) in [9, 18, 23].into_iter().flat_map(|operation| [0, 5, 6, 0xff].map(|kind| (operation, kind)))
    {
        let bytes = changeset(operation, kind);
        let is_known = kind <= 5;
        assert_eq!(operations(&bytes).unwrap().len(), 1);
        assert_eq!(ChangeGroup::new().add(None, Input::whole(&bytes)).is_ok(), is_known, "{operation} {kind}");
        assert_eq!(Rebaser::new().configure(Input::whole(&bytes)).is_ok(), is_known, "{operation} {kind}");
        assert_eq!(
            Rebaser::new().rebase(Input::whole(&bytes), &mut |_| Ok(())).is_ok(),
            is_known,
            "{operation} {kind}"
        );
        assert_eq!(inverted(&bytes).is_ok(), is_known || operation == 23, "{operation} {kind}");
    }
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
