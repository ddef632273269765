//! The codec of a unit: a small tree of static statistics predicts each value from features of its position and three
//! earlier values, and the value is coded as a few likely yes/no decisions.
//!
//! Values are represented here by their symbols in the table's [`Alphabet`]. A [`Model`] is a tree: each node has a
//! *list* of symbols, likeliest first, each with the probability that it is this one given that it is none before; a
//! node may have children for certain symbols of the next neighbour. The context of an entry is the deepest node that
//! its neighbours lead to. A symbol that is in no list is found in the root's, which has every symbol.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use super::coder::{CERTAIN, Decoder, Encoder};
use super::features::{BlockFeatures, FEATURES, FeatureBoard};
use super::mismatch::Mismatch;
use super::units::{NEIGHBOURS, UNIT, Unit};
use crate::alphabet::Alphabet;
use crate::space::Space;

/// What the tree looks at in turn: the features and the neighbours, the first of which is the previous entry.
const LEVELS: usize = NEIGHBOURS + 1;

/// The order in which the tree looks at them.
#[inline]
fn context_of(features: u8, [a, b, c]: [u8; NEIGHBOURS]) -> [u8; LEVELS] {
    [features, b, c, a]
}

/// The most bytes a stored model can have, and the most pointers in its selecting rows, so that no file can claim much
/// memory.
const MOST_BYTES: usize = 1 << 19;
const MOST_ROWS: usize = 1 << 21;

/// A node of the tree as stored.
#[derive(Clone, Debug, PartialEq, Default)]
struct Node {
    /// Symbols with the probability that it is this one given that it is none before, likeliest first.
    list: Vec<(u8, u16)>,
    /// Subtrees for symbols of the next neighbour, ascending.
    children: Vec<(u8, Node)>,
}

/// The compiled form of a tree, which encodes and decodes.
#[derive(Clone, Debug)]
pub(super) struct Model {
    domain: Domain,
    /// Rows of pointers. A pointer is 256 times the index of the next row, plus 255 if the next feature or neighbour
    /// selects in that row.
    rows: Vec<u32>,
    root: u32,
    /// Lists one after the other, the root's first.
    choices: Vec<Choice>,
}

/// An entry of a list: 65536 times the probability, plus 256 times the symbol, plus [`LAST`] or [`ESCAPE`].
#[derive(Clone, Copy, Debug)]
struct Choice(u32);

/// The root's last symbol, which is certain.
const LAST: u32 = 1;

/// The end of any other list: symbols that it lacks are in the root's.
const ESCAPE: u32 = 2;

impl Choice {
    fn new((symbol, probability): (u8, u16)) -> Self {
        Self(u32::from(probability) << 16 | u32::from(symbol) << 8)
    }

    const fn probability(self) -> u32 {
        self.0 >> 16
    }

    const fn symbol(self) -> u8 {
        (self.0 >> 8) as u8
    }

    const fn is_plain(self) -> bool {
        self.0 & (LAST | ESCAPE) == 0
    }
}

const SELECTS: u32 = 255;

impl Model {
    fn compile(domain: Domain, root: &Node) -> Self {
        let mut model = Self { domain, rows: Vec::new(), root: 0, choices: Vec::new() };
        model.choices.extend(root.list.iter().map(|&entry| Choice::new(entry)));
        if let Some(last) = model.choices.last_mut() {
            last.0 |= LAST;
        }
        model.root = model.place(root, 0, 0);
        model
    }

    /// Adds the rows that a node at this depth leads to, and returns the pointer to them.
    fn place(&mut self, node: &Node, list: u32, depth: usize) -> u32 {
        if node.children.is_empty() {
            return self.chain(list, depth);
        }
        let (row, width) = (self.rows.len(), self.domain.width(depth));
        self.rows.resize(row + width, 0);
        let default = self.chain(list, depth + 1);
        self.rows[row..row + width].fill(default);
        for (symbol, child) in &node.children {
            let list = self.choices.len() as u32;
            self.choices.extend(child.list.iter().map(|&entry| Choice::new(entry)));
            self.choices.push(Choice(ESCAPE));
            self.rows[row + *symbol as usize] = self.place(child, list, depth + 1);
        }
        (row as u32) << 8 | SELECTS
    }

    /// Rows of one pointer each from this depth on, leading to a list.
    fn chain(&mut self, list: u32, depth: usize) -> u32 {
        let mut pointer = list << 8;
        for _ in depth..LEVELS {
            self.rows.push(pointer);
            pointer = (self.rows.len() as u32 - 1) << 8;
        }
        pointer
    }

    /// The list for an entry with this context.
    #[inline]
    fn context(&self, context: [u8; LEVELS]) -> usize {
        let mut pointer = self.root;
        for byte in context {
            pointer = self.rows[((pointer >> 8) + (pointer & u32::from(byte))) as usize];
        }
        (pointer >> 8) as usize
    }

    #[inline]
    fn decode(&self, list: usize, decoder: &mut Decoder) -> u8 {
        let mut at = list;
        loop {
            let choice = self.choices[at];
            if choice.is_plain() {
                if decoder.decide(choice.probability()) {
                    return choice.symbol();
                }
                at += 1;
            } else if choice.0 & LAST != 0 {
                return choice.symbol();
            } else {
                at = 0;
            }
        }
    }

    #[inline]
    fn encode(&self, list: usize, encoder: &mut Encoder, wanted: u8) {
        let mut at = list;
        loop {
            let choice = self.choices[at];
            if choice.is_plain() {
                let yes = choice.symbol() == wanted;
                encoder.decide(choice.probability(), yes);
                if yes {
                    return;
                }
                at += 1;
            } else if choice.0 & LAST != 0 {
                return;
            } else {
                at = 0;
            }
        }
    }

    pub(super) fn alphabet(&self) -> &Alphabet {
        &self.domain.alphabet
    }

    /// Appends a unit's bytes and returns the tag that says how it is stored.
    pub(super) fn encode_unit(
        &self,
        unit: &Unit,
        symbols: &[u8],
        encoder: &mut Encoder,
        cache: &mut BlockCache,
        out: &mut Vec<u8>,
    ) -> u8 {
        if symbols.iter().all(|symbol| symbol == &symbols[0]) && symbols[0] < RAW - CONSTANT {
            return CONSTANT + symbols[0];
        }
        encoder.clear();
        let mut symbols_left = symbols.iter();
        cache.look(&self.domain, unit).visit(unit.len(), |context| {
            let symbol = symbols_left.next().copied().unwrap_or_default();
            self.encode(self.context(context), encoder, symbol);
            symbol
        });
        let bytes = encoder.finish();
        if bytes.len() < CONSTANT as usize {
            out.extend_from_slice(bytes);
            return bytes.len() as u8;
        }
        out.extend_from_slice(symbols);
        out.resize(out.len() + UNIT - symbols.len(), 0);
        RAW
    }

    /// Looks at a unit's block, which requires none of the unit's bytes.
    #[inline]
    pub(super) fn look_at_block<'a>(&'a self, unit: &'a Unit) -> BlockLook<'a> {
        BlockLook { model: self, unit, block: self.domain.features.block(unit.block) }
    }

    /// Decodes all symbols of a unit, if the alphabet has them.
    pub(super) fn decode_unit(
        &self,
        unit: &Unit,
        bytes: &[u8],
        tag: u8,
        cache: &mut BlockCache,
        out: &mut [u8],
    ) -> Option<()> {
        match tag {
            RAW => out.copy_from_slice(bytes.get(..out.len()).filter(|symbols| self.domain.alphabet.has_all(symbols))?),
            CONSTANT.. => out.fill(Some(tag - CONSTANT).filter(|&symbol| self.domain.alphabet.has_all(&[symbol]))?),
            _ => {
                let mut decoder = Decoder::new(bytes);
                let mut out = out.iter_mut();
                cache.look(&self.domain, unit).visit(unit.len(), |context| {
                    let symbol = self.decode(self.context(context), &mut decoder);
                    if let Some(out) = out.next() {
                        *out = symbol;
                    }
                    symbol
                });
            }
        }
        Some(())
    }
}

/// Unit tags below this are the number of bytes of a coded unit; for others all values are the same, and the difference
/// is their symbol.
const CONSTANT: u8 = UNIT as u8;

/// The tag of a unit whose symbols are stored uncompressed, padded with zeros to [`UNIT`] bytes.
const RAW: u8 = 255;

/// The tag and the bytes of the unit with this index in a frame of `units`, which begins with all tags.
#[inline]
pub(super) fn unit_bytes(frame: &[u8], units: usize, unit: usize) -> Option<(u8, &[u8])> {
    let (tags, bytes) = frame.split_at_checked(units)?;
    let start = tags.get(..unit)?.iter().map(|&tag| stored(tag)).sum::<u32>() as usize;
    let tag = *tags.get(unit)?;
    Some((tag, bytes.get(start..start + stored(tag) as usize)?))
}

/// How many bytes a unit with this tag has.
#[inline]
fn stored(tag: u8) -> u32 {
    u32::from(tag) * u32::from(tag < CONSTANT) + UNIT as u32 * u32::from(tag == RAW)
}

/// What a model refers to besides its statistics: the possible values, and the positions that have them.
#[derive(Clone, Debug)]
pub(super) struct Domain {
    alphabet: Alphabet,
    features: FeatureBoard,
}

impl Domain {
    pub(super) fn new(alphabet: Alphabet, space: Space) -> Self {
        Self { alphabet, features: FeatureBoard::new(space) }
    }

    /// How many different values the tree can see at this depth.
    fn width(&self, depth: usize) -> usize {
        if depth == 0 { FEATURES } else { self.alphabet.len() + 1 }
    }
}

/// A unit whose block has been looked at. With a [`ListLook`] after it, a probe looks at the board in two steps, one
/// for each time that it waits for memory.
pub(super) struct BlockLook<'a> {
    model: &'a Model,
    unit: &'a Unit,
    block: BlockFeatures,
}

impl<'a> BlockLook<'a> {
    /// Looks at the unit's first list.
    #[inline]
    pub(super) fn look_at_list(self) -> ListLook<'a> {
        let Self { model, unit, block } = self;
        ListLook { model, features: UnitFeatures::new(&model.domain, unit, &block) }
    }
}

/// A unit that has been looked at, ready for decoding its bytes.
pub(super) struct ListLook<'a> {
    model: &'a Model,
    features: UnitFeatures<'a>,
}

impl ListLook<'_> {
    /// The symbol of the unit's entry, counted within the unit; `bytes` is what [`unit_bytes`] returned. A broken file
    /// may have a symbol that the alphabet lacks.
    #[inline]
    pub(super) fn decode_one(self, bytes: &[u8], tag: u8, entry: usize) -> Option<u8> {
        match tag {
            RAW => bytes.get(entry).copied(),
            CONSTANT.. => Some(tag - CONSTANT),
            _ => {
                let mut decoder = Decoder::new(bytes);
                let model = self.model;
                Some(self.features.visit(entry + 1, |context| model.decode(model.context(context), &mut decoder)))
            }
        }
    }
}

/// The features of the last block looked at, as the next unit is often in the same one.
#[derive(Default)]
pub(super) struct BlockCache(Option<(u32, BlockFeatures)>);

impl BlockCache {
    #[inline]
    fn look<'a>(&mut self, domain: &'a Domain, unit: &'a Unit) -> UnitFeatures<'a> {
        let block = match self.0 {
            Some((last, block)) if last == unit.block => block,
            _ => self.0.insert((unit.block, domain.features.block(unit.block))).1,
        };
        UnitFeatures::new(domain, unit, &block)
    }
}

/// The features of a unit's entries, a list at a time.
struct UnitFeatures<'a> {
    domain: &'a Domain,
    unit: &'a Unit,
    /// The features of the first list, until the unit is visited.
    list: [u8; UNIT],
}

impl<'a> UnitFeatures<'a> {
    #[inline]
    fn new(domain: &'a Domain, unit: &'a Unit, block: &BlockFeatures) -> Self {
        let mut list = [0; UNIT];
        domain.features.list(unit, block, &mut list);
        Self { domain, unit, list }
    }

    /// Calls `next` with the context of each of the first `count` entries to get its symbol; returns the last symbol.
    #[inline]
    fn visit(mut self, count: usize, mut next: impl FnMut([u8; LEVELS]) -> u8) -> u8 {
        let Self { domain, unit, .. } = self;
        // What replaces an absent neighbour is not a symbol.
        let none = domain.alphabet.len() as u8;
        // A placeholder for an absent symbol, then the symbols of a list seen so far.
        let mut symbols = [none; UNIT + 1];
        let known = unit.known();
        let mut last = none;
        let mut left = count;
        let mut block = unit.block;
        while left > 0 {
            let here = left.min(unit.list);
            last = none;
            for (at, (distances, &features)) in known.distances[..here].iter().zip(&self.list).enumerate() {
                let [first, others @ ..] = *distances;
                // The previous entry's symbol is at hand, unless it is not a neighbour.
                let before = if first == 1 { last } else { none };
                let [b, c] = others.map(|distance| symbols[at + 1 - distance as usize]);
                last = next(context_of(features, [before, b, c]));
                symbols[at + 1] = last;
            }
            left -= here;
            if left > 0 {
                block += 1;
                domain.features.list(unit, &domain.features.block(block), &mut self.list);
            }
        }
        last
    }
}

/// Gathers statistics of sample units and builds a model from them.
pub(super) struct Trainer {
    domain: Domain,
    /// How often a symbol followed these neighbours: keys are the neighbours and then the symbol, one byte each.
    counts: HashMap<u64, u64, BuildHasherDefault<Mixer>>,
    sampled: u64,
}

/// Hashes the keys of the statistics; the default hasher would take most of the training's time.
#[derive(Default)]
struct Mixer(u64);

impl Hasher for Mixer {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.write_u64(u64::from(byte));
        }
    }

    fn write_u64(&mut self, key: u64) {
        let mixed = (self.0 ^ key).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.0 = mixed ^ mixed >> 32;
    }
}

/// The price of a list entry and of a node in the file, in bits.
const ENTRY_BITS: f64 = 24.0;
const NODE_BITS: f64 = 24.0;

impl Trainer {
    pub(super) fn new(domain: Domain) -> Self {
        Self { domain, counts: HashMap::default(), sampled: 0 }
    }

    /// Adds a unit to the sample.
    pub(super) fn add(&mut self, unit: &Unit, symbols: &[u8]) {
        self.sampled += symbols.len() as u64;
        if symbols.iter().all(|symbol| symbol == &symbols[0]) {
            return;
        }
        let mut symbols = symbols.iter();
        BlockCache::default().look(&self.domain, unit).visit(unit.len(), |context| {
            let symbol = symbols.next().copied().unwrap_or_default();
            let key = context.iter().chain([&symbol]).fold(0, |key, &byte| key << 8 | u64::from(byte));
            *self.counts.entry(key).or_default() += 1;
            symbol
        });
    }

    /// The two samples combined.
    pub(super) fn merge(self, other: Self) -> Self {
        let (mut all, more) = if self.counts.len() < other.counts.len() { (other, self) } else { (self, other) };
        all.sampled += more.sampled;
        for (key, count) in more.counts {
            *all.counts.entry(key).or_default() += count;
        }
        all
    }

    /// Builds the model for a table with this many entries.
    pub(super) fn finish(self, entries: u64) -> (Model, Vec<u8>) {
        let mut counts: Vec<(u64, u64)> = self.counts.into_iter().collect();
        counts.sort_unstable();
        let scale = (entries as f64 / self.sampled.max(1) as f64).min(6.0);
        let symbols = self.domain.alphabet.len();
        let root_list = full_list(&histogram(&counts, symbols));
        let grower = Grower { symbols, scale, root: list_bits(&root_list, symbols) };
        let (mut root, _) = grower.grow(&counts, 0);
        root.list = root_list;
        let mut bytes = Vec::new();
        write_node(&root, &mut bytes);
        // No reasonable table has such a tree; noise with many values might.
        if bytes.len() > MOST_BYTES || rows(&root, 0, &self.domain) > MOST_ROWS {
            root.children.clear();
            bytes.clear();
            write_node(&root, &mut bytes);
        }
        (Model::compile(self.domain, &root), bytes)
    }
}

/// How many pointers the selecting rows need for this node and all below.
fn rows(node: &Node, depth: usize, domain: &Domain) -> usize {
    if node.children.is_empty() {
        return 0;
    }
    domain.width(depth) + node.children.iter().map(|(_, child)| rows(child, depth + 1, domain)).sum::<usize>()
}

fn histogram(counts: &[(u64, u64)], symbols: usize) -> Vec<f64> {
    let mut out = vec![0.0; symbols];
    for &(key, count) in counts {
        out[(key & 0xff) as usize] += count as f64;
    }
    out
}

/// A list of all symbols.
fn full_list(histogram: &[f64]) -> Vec<(u8, u16)> {
    list_of(histogram, |_| true)
}

/// A list of the symbols of the histogram that are worth including.
fn list_of(histogram: &[f64], worth: impl Fn(f64) -> bool) -> Vec<(u8, u16)> {
    let mut order: Vec<usize> = (0..histogram.len()).collect();
    order.sort_by(|&a, &b| histogram[b].total_cmp(&histogram[a]).then(a.cmp(&b)));
    let mut rest: f64 = histogram.iter().sum();
    let mut out = Vec::new();
    for symbol in order {
        let count = histogram[symbol];
        if !out.is_empty() && !worth(count) {
            break;
        }
        out.push((symbol as u8, probability(count, rest)));
        rest -= count;
    }
    out
}

fn probability(count: f64, of: f64) -> u16 {
    let share = (count + 0.4) / (of + 0.8);
    let scaled = (share * f64::from(CERTAIN)).round().clamp(1.0, f64::from(CERTAIN - 1));
    // Between 1 and 65535 by the line before.
    #[expect(clippy::cast_sign_loss)]
    let probability = scaled as u16;
    probability
}

/// The cost of each symbol in bits with this list; symbols it lacks cost as much as going through it.
fn list_bits(list: &[(u8, u16)], symbols: usize) -> Vec<f64> {
    let mut passed = 0.0;
    let mut out = vec![f64::NAN; symbols];
    for &(symbol, p) in list {
        let p = f64::from(p) / f64::from(CERTAIN);
        out[symbol as usize] = passed - p.log2();
        passed -= (1.0 - p).log2();
    }
    for bits in &mut out {
        if bits.is_nan() {
            *bits = passed;
        }
    }
    out
}

struct Grower {
    symbols: usize,
    /// Entries in the table for each sampled one.
    scale: f64,
    /// The cost of each symbol in the root's list.
    root: Vec<f64>,
}

impl Grower {
    /// The list for this histogram and the cost of each symbol with it.
    fn list(&self, histogram: &[f64]) -> (Vec<(u8, u16)>, Vec<f64>) {
        let list = list_of(histogram, |count| count * self.scale * 6.0 > ENTRY_BITS);
        let mut bits = list_bits(&list, self.symbols);
        for (symbol, bits) in bits.iter_mut().enumerate() {
            if list.iter().all(|&(listed, _)| listed as usize != symbol) {
                *bits += self.root[symbol];
            }
        }
        (list, bits)
    }

    fn price(&self, histogram: &[f64], bits: &[f64]) -> f64 {
        histogram.iter().zip(bits).map(|(count, bits)| count * bits).sum::<f64>() * self.scale
    }

    /// The best tree for these counts, which share their first `depth` neighbours, and its cost in bits.
    fn grow(&self, counts: &[(u64, u64)], depth: usize) -> (Node, f64) {
        let whole = histogram(counts, self.symbols);
        let (list, bits) = self.list(&whole);
        let price = self.price(&whole, &bits) + ENTRY_BITS * list.len() as f64 + NODE_BITS;
        let leaf = Node { list, children: Vec::new() };
        if depth == LEVELS {
            return (leaf, price);
        }
        let select = |&(key, _): &(u64, u64)| (key >> (8 * (LEVELS - depth))) as u8;
        let mut node = Node::default();
        let mut rest = vec![0.0; self.symbols];
        let mut split_price = NODE_BITS;
        for group in counts.chunk_by(|a, b| select(a) == select(b)) {
            let (child, child_price) = self.grow(group, depth + 1);
            let part = histogram(group, self.symbols);
            if child_price < self.price(&part, &bits) {
                node.children.push((select(&group[0]), child));
                split_price += child_price;
            } else {
                rest.iter_mut().zip(part).for_each(|(rest, part)| *rest += part);
            }
        }
        if node.children.is_empty() {
            return (leaf, price);
        }
        let (list, bits) = self.list(if rest.iter().any(|&count| count > 0.0) { &rest } else { &whole });
        split_price += self.price(&rest, &bits) + ENTRY_BITS * list.len() as f64;
        node.list = list;
        if split_price < price { (node, split_price) } else { (leaf, price) }
    }
}

/// Writes a node: the length of its list, the entries (symbol, probability), the number of children, and each child
/// with its symbol.
fn write_node(node: &Node, out: &mut Vec<u8>) {
    out.push(node.list.len() as u8);
    for &(symbol, probability) in &node.list {
        out.push(symbol);
        out.extend_from_slice(&probability.to_le_bytes());
    }
    out.push(node.children.len() as u8);
    for (symbol, child) in &node.children {
        out.push(*symbol);
        write_node(child, out);
    }
}

impl Model {
    /// Reads a model, unless its bytes are invalid.
    pub(super) fn read(domain: Domain, bytes: &[u8]) -> Result<Self, Mismatch> {
        if bytes.len() > MOST_BYTES {
            return Err(Mismatch::new("length", format!("at most {MOST_BYTES} bytes"), bytes.len()));
        }
        let mut reader = Reader { bytes, domain: &domain, rows: 0 };
        let root = reader.node(0)?;
        if root.list.len() != domain.alphabet.len() {
            let expected = format!("{} symbols", domain.alphabet.len());
            return Err(Mismatch::new("the root's list", expected, root.list.len()));
        }
        if !reader.bytes.is_empty() {
            return Err(Mismatch::new("end", "no bytes after the tree", format!("{} bytes", reader.bytes.len())));
        }
        Ok(Self::compile(domain, &root))
    }
}

struct Reader<'a> {
    bytes: &'a [u8],
    domain: &'a Domain,
    /// Pointers that the selecting rows need so far.
    rows: usize,
}

impl Reader<'_> {
    fn byte(&mut self) -> Result<u8, Mismatch> {
        let short = || Mismatch::new("length", "more bytes", "the end");
        let (&byte, rest) = self.bytes.split_first().ok_or_else(short)?;
        self.bytes = rest;
        Ok(byte)
    }

    fn node(&mut self, depth: usize) -> Result<Node, Mismatch> {
        let list = self.list()?;
        let count = self.byte()?;
        if count > 0 {
            self.claim_row(depth)?;
        }
        let mut children: Vec<(u8, Node)> = Vec::new();
        for _ in 0..count {
            let symbol = self.byte()?;
            let ascends = children.last().is_none_or(|&(last, _)| last < symbol);
            if usize::from(symbol) >= self.domain.width(depth) || !ascends {
                let expected = format!("ascending numbers below {}", self.domain.width(depth));
                return Err(Mismatch::new("children of a node", expected, symbol));
            }
            children.push((symbol, self.node(depth + 1)?));
        }
        Ok(Node { list, children })
    }

    fn list(&mut self) -> Result<Vec<(u8, u16)>, Mismatch> {
        let mut list = Vec::new();
        let mut listed = [false; 256];
        for _ in 0..self.byte()? {
            let symbol = self.byte()?;
            let probability = u16::from_le_bytes([self.byte()?, self.byte()?]);
            let symbols = self.domain.alphabet.len();
            if usize::from(symbol) >= symbols || std::mem::replace(&mut listed[usize::from(symbol)], true) {
                return Err(Mismatch::new("list of a node", format!("a new symbol below {symbols}"), symbol));
            }
            if probability == 0 {
                return Err(Mismatch::new("list of a node", "a probability above 0", probability));
            }
            list.push((symbol, probability));
        }
        Ok(list)
    }

    /// Counts the row of a node with children.
    fn claim_row(&mut self, depth: usize) -> Result<(), Mismatch> {
        if depth == LEVELS {
            return Err(Mismatch::new("tree", format!("{LEVELS} levels"), "more"));
        }
        self.rows += self.domain.width(depth);
        if self.rows > MOST_ROWS {
            return Err(Mismatch::new("tree", format!("rows of at most {MOST_ROWS} pointers"), "more"));
        }
        Ok(())
    }
}
