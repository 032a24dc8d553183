//! A hash map whose copies share what they have in common: a copy costs one reference count, a change copies one path.
//!
//! ```text
//!   Branch   16 children by four bits of the hash
//!    ├─ Branch ...
//!    └─ Bucket   up to 8 entries with different hashes; one that has more becomes a branch
//!        └─ Arc<Entry>
//! ```
//!
//! Each statement that changes the schema changes a copy of it (the old one is kept for a rollback, and for statements that run), so that a
//! plain hash map would be copied as a whole: a thousand entries for each CREATE TABLE among a thousand tables.

use std::hash::{BuildHasher, Hash};
use std::sync::Arc;

use hashbrown::{DefaultHashBuilder, Equivalent};

/// Children of a branch, as a power of two.
const BITS: u32 = 4;

/// A bucket with more entries is split.
const BUCKET_LEN: usize = 8;

#[derive(Clone, Debug)]
pub(super) struct PersistentMap<K, V> {
    root: Arc<Node<K, V>>,
    len: usize,
    hashes: DefaultHashBuilder,
}

#[derive(Clone, Debug)]
enum Node<K, V> {
    Branch([Arc<Node<K, V>>; 1 << BITS]),
    Bucket(Bucket<K, V>),
}

type Bucket<K, V> = Vec<Arc<Entry<K, V>>>;

#[derive(Clone, Debug)]
struct Entry<K, V> {
    hash: u64,
    key: K,
    value: V,
}

impl<K, V> Default for Node<K, V> {
    fn default() -> Node<K, V> {
        Node::Bucket(Vec::new())
    }
}

impl<K: Clone + Hash + Eq, V: Clone> PersistentMap<K, V> {
    pub(super) fn new() -> PersistentMap<K, V> {
        PersistentMap { root: Arc::default(), len: 0, hashes: DefaultHashBuilder::default() }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.len == 0
    }

    pub(super) fn get<Q: Hash + Equivalent<K>>(&self, key: &Q) -> Option<&V> {
        if let Node::Bucket(entries) = &*self.root {
            // A few keys are compared at less cost than one is hashed, because most differ in length or in the first
            // bytes.
            return entries.iter().find(|entry| key.equivalent(&entry.key)).map(|entry| &entry.value);
        }
        self.find(self.hashes.hash_one(key), key)
    }

    fn find<Q: Equivalent<K>>(&self, hash: u64, key: &Q) -> Option<&V> {
        let (mut node, mut rest) = (&self.root, hash);
        while let Node::Branch(children) = &**node {
            node = &children[child(rest)];
            rest >>= BITS;
        }
        let Node::Bucket(entries) = &**node else { return None };
        entries.iter().find(|entry| entry.is(hash, key)).map(|entry| &entry.value)
    }

    /// The value, to be changed in this copy of the map alone.
    pub(super) fn get_mut<Q: Hash + Equivalent<K>>(&mut self, key: &Q) -> Option<&mut V> {
        self.get(key)?;
        let hash = self.hashes.hash_one(key);
        let entries = bucket_mut(&mut self.root, hash);
        let entry = entries.iter_mut().find(|entry| entry.is(hash, key))?;
        Some(&mut Arc::make_mut(entry).value)
    }

    pub(super) fn insert(&mut self, key: K, value: V) {
        let hash = self.hashes.hash_one(&key);
        if self.find(hash, &ByRef(&key)).is_some() {
            self.remove(&ByRef(&key));
        }
        add(&mut self.root, Arc::new(Entry { hash, key, value }), 0);
        self.len += 1;
    }

    pub(super) fn remove<Q: Hash + Equivalent<K>>(&mut self, key: &Q) -> Option<V> {
        self.get(key)?;
        let hash = self.hashes.hash_one(key);
        let entries = bucket_mut(&mut self.root, hash);
        let at = entries.iter().position(|entry| entry.is(hash, key))?;
        let entry = entries.swap_remove(at);
        self.len -= 1;
        Some(Arc::unwrap_or_clone(entry).value)
    }

    pub(super) fn keys(&self) -> impl Iterator<Item = &K> {
        self.entries().into_iter().map(|entry| &entry.key)
    }

    pub(super) fn values(&self) -> impl Iterator<Item = &V> {
        self.entries().into_iter().map(|entry| &entry.value)
    }

    fn entries(&self) -> Vec<&Entry<K, V>> {
        let mut all = Vec::with_capacity(self.len);
        let mut nodes = vec![&self.root];
        while let Some(node) = nodes.pop() {
            match &**node {
                Node::Branch(children) => nodes.extend(children),
                Node::Bucket(entries) => all.extend(entries.iter().map(|entry| &**entry)),
            }
        }
        all
    }
}

impl<K, V> Entry<K, V> {
    fn is<Q: Equivalent<K>>(&self, hash: u64, key: &Q) -> bool {
        self.hash == hash && key.equivalent(&self.key)
    }
}

/// A key that is looked up by reference.
#[derive(Hash)]
struct ByRef<'k, K>(&'k K);

impl<K: Eq> Equivalent<K> for ByRef<'_, K> {
    fn equivalent(&self, key: &K) -> bool {
        self.0 == key
    }
}

fn child(hash: u64) -> usize {
    (hash & ((1 << BITS) - 1)) as usize
}

/// The bucket for a hash, to be changed. Nodes on the path that other copies of the map share are copied.
fn bucket_mut<K: Clone, V: Clone>(root: &mut Arc<Node<K, V>>, hash: u64) -> &mut Bucket<K, V> {
    let (mut node, mut rest) = (root, hash);
    loop {
        match Arc::make_mut(node) {
            Node::Branch(children) => node = &mut children[child(rest)],
            Node::Bucket(entries) => return entries,
        }
        rest >>= BITS;
    }
}

/// Adds an entry below a node to which `used` bits of its hash lead. A bucket that has too many entries becomes a branch. Nodes on the
/// path that other copies share are copied; the hash bounds the path's length.
fn add<K: Clone, V: Clone>(node: &mut Arc<Node<K, V>>, entry: Arc<Entry<K, V>>, used: u32) {
    let node = Arc::make_mut(node);
    match node {
        Node::Branch(children) => add(&mut children[child(entry.hash >> used)], entry, used + BITS),
        Node::Bucket(entries) => {
            entries.push(entry);
            if entries.len() > BUCKET_LEN && used < u64::BITS {
                *node = Node::Branch(split(std::mem::take(entries), used));
            }
        }
    }
}

/// The entries of a bucket, to which `used` bits lead, by the next bits.
fn split<K, V>(entries: Bucket<K, V>, used: u32) -> [Arc<Node<K, V>>; 1 << BITS] {
    let mut buckets: [Bucket<K, V>; 1 << BITS] = Default::default();
    for entry in entries {
        buckets[child(entry.hash >> used)].push(entry);
    }
    buckets.map(|entries| Arc::new(Node::Bucket(entries)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Hash)]
    struct Borrowed<'a>(&'a str);

    impl Equivalent<String> for Borrowed<'_> {
        fn equivalent(&self, key: &String) -> bool {
            self.0 == key
        }
    }

    /// A key whose hash is the same for all.
    #[derive(Clone, Debug, PartialEq, Eq)]
    struct Colliding(u32);

    impl Hash for Colliding {
        fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
            state.write_u8(1);
        }
    }

    #[test]
    fn like_a_hash_map() {
        let mut map = PersistentMap::new();
        let mut model = std::collections::HashMap::new();
        let mut state = 7_u32;
        let mut random = |below: u32| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 8) % below
        };
        for step in 0..20_000 {
            let key = format!("table {}", random(700));
            match random(4) {
                0 => assert_eq!(map.remove(&Borrowed(&key)), model.remove(&key)),
                1 => {
                    if let Some(value) = map.get_mut(&Borrowed(&key)) {
                        *value += 1;
                        *model.get_mut(&key).unwrap() += 1;
                    }
                }
                _ => {
                    map.insert(key.clone(), step);
                    model.insert(key.clone(), step);
                }
            }
            assert_eq!(map.get(&Borrowed(&key)), model.get(&key));
            assert_eq!(map.is_empty(), model.is_empty());
        }
        let sorted = |mut values: Vec<i32>| {
            values.sort_unstable();
            values
        };
        assert_eq!(sorted(map.values().copied().collect()), sorted(model.values().copied().collect()));
        assert!(map.keys().all(|key| model.contains_key(key)) && map.keys().count() == model.len());
    }

    #[test]
    fn copies_do_not_see_each_other() {
        let mut map = PersistentMap::new();
        (0..100).for_each(|key| map.insert(key, key));
        let old = map.clone();
        (0..100).step_by(2).for_each(|key| assert_eq!(map.remove(&ByRef(&key)), Some(key)));
        *map.get_mut(&ByRef(&1)).unwrap() = -1;
        map.insert(3, -3);
        assert!((0..100).all(|key| old.get(&ByRef(&key)) == Some(&key)));
        assert_eq!([0, 1, 3, 5].map(|key| map.get(&ByRef(&key)).copied()), [None, Some(-1), Some(-3), Some(5)]);
    }

    #[test]
    fn equal_hashes() {
        let mut map = PersistentMap::new();
        (0..40).for_each(|key| map.insert(Colliding(key), key));
        assert!((0..40).all(|key| map.get(&ByRef(&Colliding(key))) == Some(&key)));
        assert_eq!(map.remove(&ByRef(&Colliding(7))), Some(7));
        assert_eq!(map.values().count(), 39);
    }
}
