use super::*;

#[test]
fn values_come_back() {
    let long = [b'x'; 100];
    for value in [
        ValueRef::Null,
        ValueRef::Integer(-5),
        ValueRef::Real(2.5),
        ValueRef::Text(b""),
        ValueRef::Text(b"abc"),
        ValueRef::Blob(&long[..INLINE_MAX]),
        ValueRef::Text(&long[..INLINE_MAX + 1]),
        ValueRef::Blob(&long),
    ] {
        let mut register = Register::Integer(7);
        register.set(value);
        assert_eq!(register.as_ref(), value);
        let mut copy = Register::Null;
        copy.copy_from(&register);
        assert_eq!(copy.as_ref(), value);
        register.clear();
        assert!(register.is_null());
    }
}

#[test]
fn memory_survives_a_reset() {
    let mut register = Register::Null;
    register.set(ValueRef::Blob(&[1; 1000]));
    let address = register.as_ref().bytes().unwrap().as_ptr();
    register.clear();
    assert!(register.is_null());
    register.set(ValueRef::Text(&[b'a'; 900]));
    assert_eq!(register.as_ref(), ValueRef::Text(&[b'a'; 900]));
    assert_eq!(register.as_ref().bytes().unwrap().as_ptr(), address);
}

#[test]
fn zeros_take_no_memory_until_read() {
    let mut register = Register::Null;
    register.set_zeros(1 << 30);
    assert_eq!(register.untouched_zeros(), Some(1 << 30));
    register.set_zeros(5);
    assert_eq!(register.as_ref(), ValueRef::Blob(&[0; 5]));
    assert_eq!(register.untouched_zeros(), None);
}

#[test]
fn a_nul_behind_a_text_where_it_fits() {
    let longest = [b'x'; INLINE_MAX];
    for (text, has_space) in [(&b""[..], true), (b"short", true), (&longest[1..], true), (&longest, false)] {
        let mut register = Register::Null;
        register.set(ValueRef::Text(text));
        let expected = has_space.then(|| [text, b"\0"].concat());
        assert_eq!(register.text_with_nul(), expected.as_deref());
        assert_eq!(register.as_ref(), ValueRef::Text(text));
    }
    let mut buffer = Buffer::new();
    buffer.reserve(100);
    buffer.extend(&[b'y'; 50]);
    let mut register = Register::Null;
    register.set_buffer(BytesKind::Text, buffer);
    assert_eq!(register.text_with_nul(), Some(&[&[b'y'; 50][..], b"\0"].concat()[..]));
    assert_eq!(Register::Integer(5).text_with_nul(), None);
}
