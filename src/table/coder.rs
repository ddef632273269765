//! A binary range coder with static probabilities: an [`Encoder`] for one unit and the [`Decoder`] that undoes it.
//!
//! Both keep an interval of 64-bit fractions and shrink it to the part that a decision selects: the lower `p / 65536`
//! of it for "yes", the rest for "no". 32 bits are shifted out whenever its width falls below 2^32. The bytes of a unit
//! are a big-endian fraction, with implied zeros after their end.

/// The probability of certainty, which no decision has: probabilities are in `1..CERTAIN`.
pub(super) const CERTAIN: u32 = 1 << 16;

/// The width below which 32 bits are shifted out.
const SHORT: u64 = 1 << 32;

/// Writes decisions.
pub(super) struct Encoder {
    bytes: Vec<u8>,
    low: u64,
    width: u64,
}

impl Encoder {
    pub(super) const fn new() -> Self {
        Self { bytes: Vec::new(), low: 0, width: u64::MAX }
    }

    /// Starts over with no bytes, keeping the memory.
    pub(super) fn clear(&mut self) {
        self.bytes.clear();
        (self.low, self.width) = (0, u64::MAX);
    }

    /// Writes a decision that is "yes" with this probability out of [`CERTAIN`].
    #[inline]
    pub(super) fn decide(&mut self, probability: u32, yes: bool) {
        debug_assert!(0 < probability && probability < CERTAIN);
        let part = (self.width >> 16) * u64::from(probability);
        if yes {
            self.width = part;
        } else {
            self.add(part);
            self.width -= part;
        }
        if self.width < SHORT {
            self.bytes.extend_from_slice(&((self.low >> 32) as u32).to_be_bytes());
            self.low <<= 32;
            self.width <<= 32;
        }
    }

    fn add(&mut self, part: u64) {
        let (low, carry) = self.low.overflowing_add(part);
        self.low = low;
        if carry {
            self.carry();
        }
    }

    fn carry(&mut self) {
        for byte in self.bytes.iter_mut().rev() {
            *byte = byte.wrapping_add(1);
            if *byte != 0 {
                return;
            }
        }
    }

    /// Ends the unit with the fewest bytes that lie in the interval, and returns all its bytes.
    pub(super) fn finish(&mut self) -> &[u8] {
        // The fraction may end as soon as one followed only by zeros lies in the interval.
        for kept in 0..=8 {
            let zeros = if kept == 8 { 0 } else { u64::MAX >> (8 * kept) };
            let up = zeros - (self.low.wrapping_sub(1) & zeros);
            let up = if self.low & zeros == 0 { 0 } else { up };
            if up < self.width {
                self.add(up);
                self.bytes.extend_from_slice(&self.low.to_be_bytes()[..kept]);
                break;
            }
        }
        while self.bytes.last() == Some(&0) {
            self.bytes.pop();
        }
        &self.bytes
    }
}

/// Reads decisions. Any bytes can be decoded; the caller knows how many decisions there are.
pub(super) struct Decoder<'a> {
    bytes: &'a [u8],
    offset: u64,
    width: u64,
}

impl<'a> Decoder<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        let mut decoder = Self { bytes, offset: 0, width: u64::MAX };
        decoder.offset = u64::from(decoder.next()) << 32;
        decoder.offset |= u64::from(decoder.next());
        decoder
    }

    #[inline]
    fn next(&mut self) -> u32 {
        if let Some((word, rest)) = self.bytes.split_first_chunk() {
            self.bytes = rest;
            return u32::from_be_bytes(*word);
        }
        let mut word = [0; 4];
        word[..self.bytes.len()].copy_from_slice(self.bytes);
        self.bytes = &[];
        u32::from_be_bytes(word)
    }

    /// Reads a decision that was written with this probability.
    #[inline]
    pub(super) fn decide(&mut self, probability: u32) -> bool {
        let part = (self.width >> 16) * u64::from(probability);
        let yes = self.offset < part;
        if yes {
            self.width = part;
        } else {
            self.offset -= part;
            self.width -= part;
        }
        if self.width < SHORT {
            self.offset = self.offset << 32 | u64::from(self.next());
            self.width <<= 32;
        }
        yes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn decisions_come_back(decisions in prop::collection::vec((1..CERTAIN, any::<bool>()), 0..2000)) {
            let mut encoder = Encoder::new();
            for &(probability, yes) in &decisions {
                encoder.decide(probability, yes);
            }
            let bytes = encoder.finish().to_vec();
            let mut decoder = Decoder::new(&bytes);
            for &(probability, yes) in &decisions {
                prop_assert_eq!(decoder.decide(probability), yes);
            }
        }

        #[test]
        fn likely_decisions_carry_far(run in 1usize..5000, at in 0usize..5000) {
            let mut encoder = Encoder::new();
            for i in 0..run {
                encoder.decide(CERTAIN - 1, i != at);
            }
            let bytes = encoder.finish().to_vec();
            let mut decoder = Decoder::new(&bytes);
            for i in 0..run {
                prop_assert_eq!(decoder.decide(CERTAIN - 1), i != at);
            }
            prop_assert!(bytes.len() <= 4);
        }
    }

    #[test]
    fn bytes_come_close_to_the_entropy() {
        let mut encoder = Encoder::new();
        for i in 0..80_000 {
            encoder.decide(CERTAIN / 8, i % 8 == 0);
        }
        let entropy = 80_000.0 * (3.0 / 8.0 + 7.0 / 8.0 * (8.0f64 / 7.0).log2()) / 8.0;
        assert!((encoder.finish().len() as f64) < entropy + 3.0);
    }
}
