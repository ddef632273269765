//! The codec of a unit: each value is foretold from four earlier ones by a small tree of static statistics, and coded
//! as a few likely yes/no decisions.
//!
//! Values are numbered densely (*symbols*, in the order of [`Alphabet`]). A [`Model`] is a tree: each node has a *list* of
//! symbols, likeliest first, each with the probability that it is this one if it is none before; a node may have children
//! for certain symbols of the next neighbour. The context of an entry is the deepest node its neighbours lead to. What is in no
//! list is found in the root's, which has every symbol.

use std::collections::HashMap;

use super::coder::{CERTAIN, Decoder, Encoder};
use super::hints::{Ground, HINTS};
use super::units::{NEIGHBOURS, UNIT, Unit};
use crate::board::Board;
use crate::value::Code;

/// What the tree looks at, one after the other: the hint and the neighbours, the first of which is the entry before.
const LEVELS: usize = NEIGHBOURS + 1;

/// The order in which it does.
#[inline]
fn context_of(hint: u8, [a, b, c]: [u8; NEIGHBOURS]) -> [u8; LEVELS] {
    [hint, b, c, a]
}

/// The codes a table uses, in ascending order; a symbol is a number in this list.
#[derive(Clone, Debug)]
pub(super) struct Alphabet {
    codes: Vec<u8>,
    symbols: [u8; 256],
}

/// No symbol: what stands in for an absent neighbour is `codes.len()`, at most 254.
const ABSENT: u8 = 255;

impl Alphabet {
    /// An alphabet of these codes in ascending order, none twice.
    pub(super) fn new(codes: impl IntoIterator<Item = Code>) -> Self {
        let codes: Vec<u8> = codes.into_iter().map(Code::byte).collect();
        let mut symbols = [ABSENT; 256];
        for (symbol, &code) in codes.iter().enumerate() {
            symbols[code as usize] = symbol as u8;
        }
        Self { codes, symbols }
    }

    pub(super) fn len(&self) -> usize {
        self.codes.len()
    }

    /// The first of these codes without a symbol is an error.
    pub(super) fn check(&self, codes: &[u8]) -> Result<(), u8> {
        codes.iter().find(|&&code| self.symbols[code as usize] == ABSENT).map_or(Ok(()), |&code| Err(code))
    }

    /// Stands in for an absent neighbour.
    fn none(&self) -> u8 {
        self.codes.len() as u8
    }
}

/// A node of the tree as it is stored.
#[derive(Clone, Debug, PartialEq, Default)]
struct Node {
    /// Symbols with the probability that it is this one if it is none before, likeliest first.
    list: Vec<(u8, u16)>,
    /// Subtrees for symbols of the next neighbour, ascending.
    children: Vec<(u8, Node)>,
}

/// What a tree compiles to, and codes with.
#[derive(Clone, Debug)]
pub(super) struct Model {
    alphabet: Alphabet,
    ground: Ground,
    own: u8,
    /// Rows of pointers; a pointer is twice the place of the next row, plus one if the neighbour selects in that row.
    rows: Vec<u32>,
    root: u32,
    /// Lists one after the other, the root's first.
    choices: Vec<Choice>,
}

#[derive(Clone, Copy, Debug)]
struct Choice {
    /// Of [`CERTAIN`]; 0 stands for "go on in the root's list", [`CERTAIN`] for the root's last.
    probability: u32,
    symbol: u8,
}

impl Model {
    fn compile(site: Site, root: &Node) -> Self {
        let Site { alphabet, ground, own } = site;
        let mut model = Self { alphabet, ground, own, rows: Vec::new(), root: 0, choices: Vec::new() };
        model.choices.extend(root.list.iter().map(|&(symbol, p)| Choice { probability: u32::from(p), symbol }));
        if let Some(last) = model.choices.last_mut() {
            last.probability = CERTAIN;
        }
        model.root = model.place(root, 0, 0);
        model
    }

    /// Places what a node at this depth leads to, and gives the pointer to it.
    fn place(&mut self, node: &Node, list: u32, depth: usize) -> u32 {
        if node.children.is_empty() {
            return self.chain(list, depth);
        }
        let (row, width) = (self.rows.len(), if depth == 0 { HINTS } else { self.alphabet.len() + 1 });
        self.rows.resize(row + width, 0);
        let default = self.chain(list, depth + 1);
        self.rows[row..row + width].fill(default);
        for (symbol, child) in &node.children {
            let list = self.choices.len() as u32;
            let entries = child.list.iter().map(|&(symbol, p)| Choice { probability: u32::from(p), symbol });
            self.choices.extend(entries.chain([Choice { probability: 0, symbol: 0 }]));
            self.rows[row + *symbol as usize] = self.place(child, list, depth + 1);
        }
        row as u32 * 2 + 1
    }

    /// Rows of one pointer from this depth on, to a list.
    fn chain(&mut self, list: u32, depth: usize) -> u32 {
        let mut pointer = list * 2;
        for _ in depth..LEVELS {
            self.rows.push(pointer);
            pointer = (self.rows.len() as u32 - 1) * 2;
        }
        pointer
    }

    /// The list for an entry with these neighbours.
    #[inline]
    fn context(&self, context: [u8; LEVELS]) -> usize {
        let mut pointer = self.root;
        for byte in context {
            let select = (pointer & 1).wrapping_neg() & u32::from(byte);
            pointer = self.rows[(pointer / 2 + select) as usize];
        }
        (pointer / 2) as usize
    }

    #[inline]
    fn decode(&self, list: usize, decoder: &mut Decoder) -> u8 {
        let mut at = list;
        loop {
            let Choice { probability, symbol } = self.choices[at];
            at = if probability == 0 {
                0
            } else if probability == CERTAIN || decoder.decide(probability) {
                return symbol;
            } else {
                at + 1
            };
        }
    }

    #[inline]
    fn encode(&self, list: usize, encoder: &mut Encoder, wanted: u8) {
        let mut at = list;
        loop {
            let Choice { probability, symbol } = self.choices[at];
            if probability == 0 {
                at = 0;
                continue;
            }
            if probability < CERTAIN {
                encoder.decide(probability, symbol == wanted);
            }
            if symbol == wanted || probability == CERTAIN {
                return;
            }
            at += 1;
        }
    }

    pub(super) fn alphabet(&self) -> &Alphabet {
        &self.alphabet
    }

    /// Appends a unit's bytes and gives the byte that tells how it is stored.
    pub(super) fn encode_unit(&self, unit: &Unit, codes: &[u8], encoder: &mut Encoder, out: &mut Vec<u8>) -> u8 {
        let symbol = self.alphabet.symbols[codes[0] as usize];
        if codes.iter().all(|code| code == &codes[0]) && symbol < RAW - CONSTANT {
            return CONSTANT + symbol;
        }
        encoder.clear();
        let mut codes_left = codes.iter();
        visit(&self.ground, self.own, self.alphabet.none(), unit, unit.len(), |context| {
            let code = codes_left.next().copied().unwrap_or_default();
            let symbol = self.alphabet.symbols[code as usize];
            self.encode(self.context(context), encoder, symbol);
            symbol
        });
        let bytes = encoder.finish();
        if bytes.len() < CONSTANT as usize {
            out.extend_from_slice(bytes);
            return bytes.len() as u8;
        }
        out.extend_from_slice(codes);
        out.resize(out.len() + UNIT - codes.len(), 0);
        RAW
    }

    /// The code of a unit's entry, counted within the unit; `bytes` is what [`unit_bytes`] gave.
    #[inline]
    pub(super) fn decode_one(&self, unit: &Unit, bytes: &[u8], tag: u8, entry: usize) -> Option<u8> {
        match tag {
            RAW => bytes.get(entry).copied(),
            CONSTANT.. => self.alphabet.codes.get((tag - CONSTANT) as usize).copied(),
            _ => {
                let mut decoder = Decoder::new(bytes);
                let symbol = visit(&self.ground, self.own, self.alphabet.none(), unit, entry + 1, |context| {
                    self.decode(self.context(context), &mut decoder)
                });
                self.alphabet.codes.get(symbol as usize).copied()
            }
        }
    }

    /// All codes of a unit.
    pub(super) fn decode_unit(&self, unit: &Unit, bytes: &[u8], tag: u8, out: &mut [u8]) -> Option<()> {
        match tag {
            RAW => out.copy_from_slice(bytes.get(..out.len())?),
            CONSTANT.. => out.fill(*self.alphabet.codes.get((tag - CONSTANT) as usize)?),
            _ => {
                let mut decoder = Decoder::new(bytes);
                let mut out = out.iter_mut();
                visit(&self.ground, self.own, self.alphabet.none(), unit, unit.len(), |context| {
                    let symbol = self.decode(self.context(context), &mut decoder);
                    if let Some(out) = out.next() {
                        *out = self.alphabet.codes[symbol as usize];
                    }
                    symbol
                });
            }
        }
        Some(())
    }
}

/// Unit tags below this say how many bytes a coded unit has, the others that it has one value, whose symbol is the difference.
const CONSTANT: u8 = UNIT as u8;

/// The tag of a unit whose codes are stored as they are, with zeros up to [`UNIT`] bytes.
const RAW: u8 = 255;

/// The tag and the bytes of the unit at this place in a frame of `units`, which begins with all tags.
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

/// What a model is about besides its statistics.
#[derive(Clone, Debug)]
pub(super) struct Site {
    alphabet: Alphabet,
    ground: Ground,
    /// Cows of the mover.
    own: u8,
}

impl Site {
    pub(super) fn new(alphabet: Alphabet, board: &Board, own: u8) -> Self {
        Self { alphabet, ground: Ground::new(board), own }
    }
}

/// Calls `next` with the context of each of the first `count` entries of a unit for its symbol; gives the last symbol.
#[inline(always)]
fn visit(
    ground: &Ground,
    own: u8,
    none: u8,
    unit: &Unit,
    count: usize,
    mut next: impl FnMut([u8; LEVELS]) -> u8,
) -> u8 {
    // An absent symbol, and after it those of a list met so far.
    let mut symbols = [none; UNIT + 1];
    let mut hints = [0; UNIT];
    let known = unit.known();
    let mut last = none;
    let mut left = count;
    let mut block = unit.block;
    while left > 0 {
        ground.list(unit, &ground.block(own, block), &mut hints);
        let here = left.min(unit.list);
        last = none;
        for (at, (distances, &hint)) in known.distances[..here].iter().zip(&hints).enumerate() {
            let [first, others @ ..] = *distances;
            // The entry before is at hand, unless it is another list's or no neighbour.
            let before = if first == 1 { last } else { none };
            let [b, c] = others.map(|distance| symbols[at + 1 - distance as usize]);
            last = next(context_of(hint, [before, b, c]));
            symbols[at + 1] = last;
        }
        left -= here;
        block += 1;
    }
    last
}

/// Gathers statistics of sample units and makes a model of them.
pub(super) struct Trainer {
    site: Site,
    /// How often a symbol followed these neighbours: keys are the neighbours and then the symbol, a byte each.
    counts: HashMap<u64, u64>,
    sampled: u64,
}

/// The price of a list entry and of a node in the file, in bits.
const ENTRY_BITS: f64 = 24.0;
const NODE_BITS: f64 = 24.0;

impl Trainer {
    pub(super) fn new(site: Site) -> Self {
        Self { site, counts: HashMap::new(), sampled: 0 }
    }

    /// Adds a unit to the sample; the first code without a symbol is given back as an error.
    pub(super) fn add(&mut self, unit: &Unit, codes: &[u8]) -> Result<(), u8> {
        let Site { alphabet, ground, own } = &self.site;
        alphabet.check(codes)?;
        self.sampled += codes.len() as u64;
        if codes.iter().all(|code| code == &codes[0]) {
            return Ok(());
        }
        let mut codes = codes.iter();
        visit(ground, *own, alphabet.none(), unit, unit.len(), |context| {
            let symbol = alphabet.symbols[codes.next().copied().unwrap_or_default() as usize];
            let key = context.iter().chain([&symbol]).fold(0, |key, &byte| key << 8 | u64::from(byte));
            *self.counts.entry(key).or_default() += 1;
            symbol
        });
        Ok(())
    }

    /// The model for a table of this many entries.
    pub(super) fn finish(self, entries: u64) -> (Model, Vec<u8>) {
        let mut counts: Vec<(u64, u64)> = self.counts.into_iter().collect();
        counts.sort_unstable();
        let scale = (entries as f64 / self.sampled.max(1) as f64).min(6.0);
        let symbols = self.site.alphabet.len();
        let root_list = full_list(&histogram(&counts, symbols));
        let grower = Grower { symbols, scale, root: list_bits(&root_list, symbols) };
        let (mut root, _) = grower.grow(&counts, 0);
        root.list = root_list;
        let mut bytes = Vec::new();
        write_node(&root, &mut bytes);
        (Model::compile(self.site, &root), bytes)
    }
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

/// A list of the symbols of the histogram that are worth it.
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
    (share * f64::from(CERTAIN)).round().clamp(1.0, f64::from(CERTAIN - 1)) as u16
}

/// What each symbol costs in bits with this list; those it lacks cost what going through it costs.
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
    /// What each symbol costs in the root's list.
    root: Vec<f64>,
}

impl Grower {
    /// The list for this histogram and what each symbol costs with it.
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

    /// The best tree for these counts, which share their first `depth` neighbours, and its price in bits.
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

/// A node's bytes: how many entries its list has, the entries (symbol, probability), how many children, and each with its symbol.
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
    /// Reads a model; an error says what was expected and what was found.
    pub(super) fn read(site: Site, bytes: &[u8]) -> Result<Self, (String, String)> {
        let mut reader = Reader { bytes, alphabet: &site.alphabet };
        let root = reader.node(0)?;
        if root.list.len() != site.alphabet.len() {
            return Err((format!("{} symbols in the root's list", site.alphabet.len()), root.list.len().to_string()));
        }
        if !reader.bytes.is_empty() {
            return Err(("no bytes after the model".to_owned(), format!("{} bytes", reader.bytes.len())));
        }
        Ok(Self::compile(site, &root))
    }
}

struct Reader<'a> {
    bytes: &'a [u8],
    alphabet: &'a Alphabet,
}

impl Reader<'_> {
    fn byte(&mut self) -> Result<u8, (String, String)> {
        let (&byte, rest) =
            self.bytes.split_first().ok_or_else(|| ("a longer model".to_owned(), "its end".to_owned()))?;
        self.bytes = rest;
        Ok(byte)
    }

    fn node(&mut self, depth: usize) -> Result<Node, (String, String)> {
        let mut node = Node::default();
        let mut listed = [false; 256];
        for _ in 0..self.byte()? {
            let symbol = self.byte()?;
            let probability = u16::from_le_bytes([self.byte()?, self.byte()?]);
            if symbol as usize >= self.alphabet.len() || std::mem::replace(&mut listed[symbol as usize], true) {
                return Err((format!("a new symbol below {} in a list", self.alphabet.len()), symbol.to_string()));
            }
            if probability == 0 {
                return Err(("a probability above 0".to_owned(), "0".to_owned()));
            }
            node.list.push((symbol, probability));
        }
        let children = self.byte()?;
        if children > 0 && depth == LEVELS {
            return Err((format!("a tree of {LEVELS} levels"), "more".to_owned()));
        }
        for _ in 0..children {
            let symbol = self.byte()?;
            let limit = if depth == 0 { HINTS } else { self.alphabet.len() + 1 };
            if symbol as usize >= limit || node.children.last().is_some_and(|&(last, _)| last >= symbol) {
                return Err(("children with ascending symbols".to_owned(), symbol.to_string()));
            }
            node.children.push((symbol, self.node(depth + 1)?));
        }
        Ok(node)
    }
}
