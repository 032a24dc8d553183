//! Polygons against the answers of SQLite.

use lithe_vtab::ValueRef;

use super::overlap::overlap;
use super::polygon::{Polygon, Shape};

fn polygon(text: &str) -> Option<Polygon> {
    Polygon::of(ValueRef::Text(text.as_bytes())).unwrap()
}

fn text(polygon: &Polygon) -> String {
    String::from_utf8(polygon.json().unwrap()).unwrap()
}

#[test]
fn texts() {
    let triangle = "[[0.0,0.0],[1.0,0.0],[1.0,1.0],[0.0,0.0]]";
    for same in [
        triangle,
        " [ [0,0] , [1,-0.0,7],[10e-1,1],[0,0] ] ",
        "[[0,0],[1,0],[1,1],[0,0],]",
        "[[0,0],[1,0],[1,1],[0,0,]",
        "[[,0],[1,0],[1,1],[0,0]]",
        "[[0,0],[1,0],[1,1],[0,0],[5,]",
        "[[0,0,,[1,0],[1,1],[0,0]]",
    ] {
        let found = polygon(same).map(|polygon| text(&polygon).replace("-0.0", "0.0"));
        assert_eq!(found.as_deref(), Some(triangle), "{same}");
    }
    for wrong in [
        "[[0,0],[1,0],[1,1],[0,0]] x",
        "[[0,0],[1,0],[0,0]]",
        "[[0,0],[01,0],[1,1],[0,0]]",
        "[[0,0],[5.,0],[1,1],[0,0]]",
        "[[0,0],[-.5,0],[1,1],[0,0]]",
        "[[0,0],[1e,0],[1,1],[0,0]]",
        "[[0,0],[1,0],[1,1],[1,0]]",
        "[[ ,0],[1,0],[1,1],[0,0]]",
        "[[0,0,],[1,0],[1,1],[0,0]]",
        "[[0,0],[1,0],[1,1],[0,0],[]]",
        "[",
    ] {
        assert_eq!(Shape::of(ValueRef::Text(wrong.as_bytes())), Ok(Shape::Invalid), "{wrong}");
    }
    assert_eq!(Shape::of(ValueRef::Text(b"text")), Ok(Shape::Other));
    assert_eq!(Shape::of(ValueRef::Blob(&[7; 28])), Ok(Shape::Other));
    assert_eq!(Shape::of(ValueRef::Blob(&[0; 27])), Ok(Shape::Invalid));
}

#[test]
fn blobs() {
    let triangle = polygon("[[0,0],[1,0],[1,1],[0,0]]").unwrap();
    assert_eq!(Polygon::of(ValueRef::Blob(&triangle.blob().unwrap())), Ok(Some(triangle.clone())));
    let mut other_order = triangle.blob().unwrap();
    other_order[0] ^= 1;
    let (numbers, _) = other_order[4..].as_chunks_mut::<4>();
    numbers.iter_mut().for_each(|number| number.reverse());
    assert_eq!(Polygon::of(ValueRef::Blob(&other_order)), Ok(Some(triangle)));
}

#[test]
fn measures() {
    let square = polygon("[[0,0],[0,1],[1,1],[1,0],[0,0]]").unwrap();
    assert_eq!(square.area(), -1.0);
    assert_eq!(square.place_of(0.5, 0.5), 2);
    assert_eq!((square.place_of(0.0, 0.5), square.place_of(1.0, 1.0), square.place_of(1.5, 0.5)), (1, 1, 0));
    let turned = square.transformed([0.0, -1.0, 1.0, 0.0, 1.0, 0.0]).counter_clockwise();
    assert_eq!(text(&turned), "[[1.0,0.0],[1.0,1.0],[0.0,1.0],[0.0,0.0],[1.0,0.0]]");
    let regular = Polygon::regular(0.0, 0.0, 10.0, 3);
    assert_eq!(text(&regular), "[[10.0007,0.0],[-4.99953,8.66088],[-4.99953,-8.66088],[10.0007,0.0]]");
}

#[test]
fn relations() {
    let check = |one: &str, other: &str, expected: i64| {
        let found = overlap(&polygon(one).unwrap(), &polygon(other).unwrap()).unwrap();
        assert_eq!(found as i64, expected, "{one} {other}");
    };
    let square = "[[0,0],[1,0],[1,1],[0,1],[0,0]]";
    let small = "[[0.25,0.25],[0.5,0.25],[0.5,0.5],[0.25,0.5],[0.25,0.25]]";
    check(square, square, 4);
    check(small, square, 2);
    check(square, small, 3);
    check(square, "[[5,5],[6,5],[6,6],[5,5]]", 0);
    check(square, "[[1,0],[2,0],[2,1],[1,1],[1,0]]", 0);
    check(square, "[[0.5,-1],[0.6,-1],[0.6,3],[0.5,3],[0.5,-1]]", 1);
}

#[test]
fn a_text_ends_at_its_first_nul() {
    let triangle = "[[0.0,0.0],[1.0,0.0],[1.0,1.0],[0.0,0.0]]";
    assert_eq!(polygon(&format!("{triangle}\0 x")).as_ref().map(text).as_deref(), Some(triangle));
    assert_eq!(polygon("[[0,0],[1,0]\0,[1,1],[0,0]]"), None);
    assert_eq!(Shape::of(ValueRef::Text(b"\0[[0,0],[1,0],[1,1],[0,0]]")), Ok(Shape::Other));
}

/// What SQLite answers about polygons of which a coordinate is not a number: such a stop of the sweep line ends nothing.
#[test]
fn coordinates_that_are_not_numbers() {
    let square = polygon("[[0,0],[100,0],[100,100],[0,100],[0,0]]").unwrap();
    let bounds = |polygon: &Polygon| polygon.bounds().coordinates().to_vec();
    let first = Polygon { vertices: vec![(0.0, f32::NAN), (0.0, 1.0), (1.0, 0.0)] };
    assert!(bounds(&first)[..2] == [0.0, 1.0] && bounds(&first)[2..].iter().all(|y| y.is_nan()));
    assert_eq!(overlap(&first, &square).unwrap() as u8, 2);
    assert_eq!([first.place_of(0.0, 10.0), first.place_of(0.5, 0.0), first.place_of(10.0, 0.0)], [1, 2, 0]);
    let second = Polygon { vertices: vec![(1.0, 0.0), (f32::NAN, 1.0), (1.0, 0.0)] };
    assert_eq!(bounds(&second), [1.0, 1.0, 0.0, 1.0]);
    let endless = Polygon { vertices: vec![(f32::INFINITY, 0.0), (1.0, 0.0), (1.0, 1.0)] };
    assert_eq!(overlap(&endless, &square).unwrap() as u8, 1);
}
