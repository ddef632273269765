//! Bit gathering and spreading, by the CPU's own instructions where it has them.
//!
//! Kernels are generic over [`Isa`] and always inlined, so inside a function compiled for AVX2 and BMI2, or for
//! AVX-512, the whole kernel is too. [`run`] picks the instructions. The portable version runs everywhere, and the
//! tests run it too.

#![cfg_attr(target_arch = "x86_64", expect(unsafe_code, reason = "the CPU's own instructions"))]

use std::sync::atomic::AtomicU8;

use crate::space::subset;

use super::control::Instructions;

/// Work that is compiled for each [`Isa`].
pub(super) trait Kernel {
    /// The result of the work.
    type Output;

    /// Does the work. Implementations must be `#[inline(always)]`, or they are not compiled for the caller's
    /// instructions.
    fn run<I: Isa>(self, isa: I) -> Self::Output;
}

/// Runs a kernel with the requested instructions, as far as the CPU has them.
#[inline]
#[cfg_attr(not(target_arch = "x86_64"), expect(unused_variables, reason = "there is no choice of instructions"))]
pub(super) fn run<K: Kernel>(instructions: Instructions, kernel: K) -> K::Output {
    #[cfg(target_arch = "x86_64")]
    if let (Instructions::Best, Some(wide)) = (instructions, Wide::detect()) {
        return wide.run(kernel);
    }
    #[cfg(target_arch = "x86_64")]
    if let (Instructions::Best | Instructions::Avx2, Some(native)) = (instructions, Native::detect()) {
        return native.run(kernel);
    }
    kernel.run(Portable)
}

/// The instructions a kernel may use.
pub(super) trait Isa: Copy {
    /// The bits of `set` at the places of `mask`, packed at the low end.
    fn gather(self, set: u32, mask: u32) -> u32;
    /// The low bits of `bits` spread over the places of `mask`.
    fn spread(self, bits: u32, mask: u32) -> u32;
    /// [`gather`](Self::gather) on 64 bits.
    fn gather64(self, set: u64, mask: u64) -> u64;
    /// [`spread`](Self::spread) on 64 bits.
    fn spread64(self, bits: u64, mask: u64) -> u64;
    /// Which of 64 bytes equal `byte`.
    fn equal(self, bytes: &[u8; 64], byte: u8) -> u64;
    /// Which of 64 bytes are zero or at least `bound` (1..=255).
    fn zero_or_at_least(self, bytes: &[u8; 64], bound: u8) -> u64;
    /// Hints that the byte will be written soon.
    fn will_write(self, _byte: &AtomicU8) {}
}

/// Plain Rust, for every machine.
#[derive(Clone, Copy)]
pub(super) struct Portable;

impl Isa for Portable {
    #[inline(always)]
    fn gather(self, set: u32, mask: u32) -> u32 {
        subset::gather_portably(set, mask)
    }

    #[inline(always)]
    fn spread(self, bits: u32, mask: u32) -> u32 {
        subset::spread(bits, mask)
    }

    #[inline(always)]
    fn gather64(self, set: u64, mask: u64) -> u64 {
        let mut rest = mask;
        let mut gathered = 0;
        let mut place = 0;
        while rest != 0 {
            gathered |= (set >> rest.trailing_zeros() & 1) << place;
            place += 1;
            rest &= rest - 1;
        }
        gathered
    }

    #[inline(always)]
    fn spread64(self, bits: u64, mask: u64) -> u64 {
        let mut rest = mask;
        let mut spread = 0;
        let mut bits = bits;
        while rest != 0 {
            spread |= (bits & 1) << rest.trailing_zeros();
            bits >>= 1;
            rest &= rest - 1;
        }
        spread
    }

    #[inline(always)]
    fn equal(self, bytes: &[u8; 64], byte: u8) -> u64 {
        collect(bytes, |eight| zero_bytes(eight ^ u64::from_le_bytes([byte; 8])))
    }

    #[inline(always)]
    fn zero_or_at_least(self, bytes: &[u8; 64], bound: u8) -> u64 {
        let low = u64::from_le_bytes([bound & 0x7f; 8]);
        let top_is_set = bound >= 0x80;
        collect(bytes, |eight| {
            // With the top bits lent, what remains of them says whether the other seven bits are at least those of the
            // bound.
            let low_suffices = (eight | TOPS).wrapping_sub(low);
            let suffices = if top_is_set { eight & low_suffices } else { eight | low_suffices };
            (zero_bytes(eight) | suffices) & TOPS
        })
    }
}

const TOPS: u64 = u64::from_le_bytes([0x80; 8]);

/// The top bit of each byte that is zero.
#[inline(always)]
fn zero_bytes(eight: u64) -> u64 {
    !((eight & !TOPS).wrapping_add(!TOPS) | eight) & TOPS
}

/// The top bits that `flag` leaves in each byte, one bit per byte.
#[inline(always)]
fn collect(bytes: &[u8; 64], flag: impl Fn(u64) -> u64) -> u64 {
    let mut mask = 0;
    for (i, eight) in bytes.as_chunks::<8>().0.iter().enumerate() {
        // The product brings the eight top bits together in the top byte.
        let bits = (flag(u64::from_le_bytes(*eight)) >> 7).wrapping_mul(0x0102_0408_1020_4080) >> 56;
        mask |= bits << (8 * i);
    }
    mask
}

#[cfg(target_arch = "x86_64")]
pub(super) use native::{Native, Wide};

#[cfg(target_arch = "x86_64")]
mod native {
    use std::arch::x86_64::{
        __m256i, __m512i, _MM_HINT_ET0, _mm_prefetch, _mm256_cmpeq_epi8, _mm256_loadu_si256, _mm256_max_epu8,
        _mm256_movemask_epi8, _mm256_or_si256, _mm256_set1_epi8, _mm256_setzero_si256, _mm512_cmpeq_epi8_mask,
        _mm512_cmpge_epu8_mask, _mm512_loadu_si512, _mm512_set1_epi8, _mm512_testn_epi8_mask, _pdep_u32, _pdep_u64,
        _pext_u32, _pext_u64,
    };
    use std::sync::atomic::AtomicU8;

    use super::{Isa, Kernel};

    /// BMI2, with AVX2 for whatever the compiler vectorises. A value proves that the CPU has both.
    #[derive(Clone, Copy)]
    pub(in super::super) struct Native(());

    impl Native {
        /// Proof that the CPU has the instructions, if it does.
        #[inline]
        pub(in super::super) fn detect() -> Option<Self> {
            let has = is_x86_feature_detected!("avx2")
                && is_x86_feature_detected!("bmi1")
                && is_x86_feature_detected!("bmi2")
                && is_x86_feature_detected!("lzcnt")
                && is_x86_feature_detected!("popcnt");
            has.then_some(Self(()))
        }

        /// Runs a kernel that is compiled for these instructions.
        pub(in super::super) fn run<K: Kernel>(self, kernel: K) -> K::Output {
            // SAFETY: a `Native` exists only where `detect` has seen all features of `with_features`.
            unsafe { self.with_features(kernel) }
        }

        #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
        fn with_features<K: Kernel>(self, kernel: K) -> K::Output {
            kernel.run(self)
        }
    }

    /// The two halves of 64 bytes.
    #[inline(always)]
    fn halves(_proof: Native, bytes: &[u8; 64]) -> [__m256i; 2] {
        let (low, high) = bytes.split_at(32);
        // SAFETY: both unaligned loads stay inside the 64 bytes, and a `Native` proves AVX2.
        unsafe { [_mm256_loadu_si256(unaligned(low)), _mm256_loadu_si256(unaligned(high))] }
    }

    /// The top bits of 64 bytes.
    #[inline(always)]
    fn tops(_proof: Native, [low, high]: [__m256i; 2]) -> u64 {
        // SAFETY: a `Native` proves AVX2.
        let (low, high) = unsafe { (_mm256_movemask_epi8(low), _mm256_movemask_epi8(high)) };
        u64::from(low.cast_unsigned()) | u64::from(high.cast_unsigned()) << 32
    }

    /// The address of 32 bytes for an unaligned load.
    #[inline(always)]
    const fn unaligned(bytes: &[u8]) -> *const __m256i {
        bytes.as_ptr().cast()
    }

    impl Isa for Native {
        #[inline(always)]
        fn gather(self, set: u32, mask: u32) -> u32 {
            // SAFETY: `self` proves BMI2.
            unsafe { _pext_u32(set, mask) }
        }

        #[inline(always)]
        fn spread(self, bits: u32, mask: u32) -> u32 {
            // SAFETY: `self` proves BMI2.
            unsafe { _pdep_u32(bits, mask) }
        }

        #[inline(always)]
        fn gather64(self, set: u64, mask: u64) -> u64 {
            // SAFETY: `self` proves BMI2.
            unsafe { _pext_u64(set, mask) }
        }

        #[inline(always)]
        fn spread64(self, bits: u64, mask: u64) -> u64 {
            // SAFETY: `self` proves BMI2.
            unsafe { _pdep_u64(bits, mask) }
        }

        #[inline(always)]
        fn equal(self, bytes: &[u8; 64], byte: u8) -> u64 {
            let [low, high] = halves(self, bytes);
            // SAFETY: `self` proves AVX2.
            let matching = unsafe {
                let byte = _mm256_set1_epi8(byte.cast_signed());
                [_mm256_cmpeq_epi8(low, byte), _mm256_cmpeq_epi8(high, byte)]
            };
            tops(self, matching)
        }

        #[inline(always)]
        fn zero_or_at_least(self, bytes: &[u8; 64], bound: u8) -> u64 {
            let [low, high] = halves(self, bytes);
            // SAFETY: `self` proves AVX2.
            let matching = unsafe {
                let (zero, bound) = (_mm256_setzero_si256(), _mm256_set1_epi8(bound.cast_signed()));
                let low_is_beyond = _mm256_cmpeq_epi8(_mm256_max_epu8(low, bound), low);
                let high_is_beyond = _mm256_cmpeq_epi8(_mm256_max_epu8(high, bound), high);
                [
                    _mm256_or_si256(low_is_beyond, _mm256_cmpeq_epi8(low, zero)),
                    _mm256_or_si256(high_is_beyond, _mm256_cmpeq_epi8(high, zero)),
                ]
            };
            tops(self, matching)
        }

        #[inline(always)]
        fn will_write(self, byte: &AtomicU8) {
            // SAFETY: a prefetch of a valid reference has no effect on memory.
            unsafe { _mm_prefetch::<_MM_HINT_ET0>(std::ptr::from_ref(byte).cast()) }
        }
    }

    /// AVX-512 as well. A value proves that the CPU has it and all that a [`Native`] proves.
    #[derive(Clone, Copy)]
    pub(in super::super) struct Wide(Native);

    impl Wide {
        /// Proof that the CPU has the instructions, if it does.
        #[inline]
        pub(in super::super) fn detect() -> Option<Self> {
            let has = is_x86_feature_detected!("avx512f")
                && is_x86_feature_detected!("avx512bw")
                && is_x86_feature_detected!("avx512dq")
                && is_x86_feature_detected!("avx512vl");
            Native::detect().filter(|_| has).map(Self)
        }

        /// Runs a kernel that is compiled for these instructions.
        pub(in super::super) fn run<K: Kernel>(self, kernel: K) -> K::Output {
            // SAFETY: a `Wide` exists only where `detect` has seen all features of `with_features`.
            unsafe { self.with_features(kernel) }
        }

        #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,bmi1,bmi2,lzcnt,popcnt")]
        fn with_features<K: Kernel>(self, kernel: K) -> K::Output {
            kernel.run(self)
        }
    }

    /// 64 bytes as a vector.
    #[inline(always)]
    fn load(_proof: Wide, bytes: &[u8; 64]) -> __m512i {
        // SAFETY: the unaligned load stays inside the 64 bytes, and a `Wide` proves AVX-512.
        unsafe { _mm512_loadu_si512(bytes.as_ptr().cast()) }
    }

    impl Isa for Wide {
        #[inline(always)]
        fn gather(self, set: u32, mask: u32) -> u32 {
            self.0.gather(set, mask)
        }

        #[inline(always)]
        fn spread(self, bits: u32, mask: u32) -> u32 {
            self.0.spread(bits, mask)
        }

        #[inline(always)]
        fn gather64(self, set: u64, mask: u64) -> u64 {
            self.0.gather64(set, mask)
        }

        #[inline(always)]
        fn spread64(self, bits: u64, mask: u64) -> u64 {
            self.0.spread64(bits, mask)
        }

        #[inline(always)]
        fn equal(self, bytes: &[u8; 64], byte: u8) -> u64 {
            let bytes = load(self, bytes);
            // SAFETY: `self` proves AVX-512 with byte masks.
            unsafe { _mm512_cmpeq_epi8_mask(bytes, _mm512_set1_epi8(byte.cast_signed())) }
        }

        #[inline(always)]
        fn zero_or_at_least(self, bytes: &[u8; 64], bound: u8) -> u64 {
            let bytes = load(self, bytes);
            // SAFETY: `self` proves AVX-512 with byte masks.
            unsafe {
                let bound = _mm512_set1_epi8(bound.cast_signed());
                _mm512_cmpge_epu8_mask(bytes, bound) | _mm512_testn_epi8_mask(bytes, bytes)
            }
        }

        #[inline(always)]
        fn will_write(self, byte: &AtomicU8) {
            self.0.will_write(byte);
        }
    }
}

#[cfg(all(test, target_arch = "x86_64"))]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn native_and_portable_instructions_agree(bits in any::<u64>(), mask in any::<u64>(), bytes in any::<[u8; 32]>(), byte in 0u8..4) {
            let Some(native) = Native::detect() else { return Ok(()) };
            let wide = Wide::detect();
            let (low, low_mask) = (bits as u32 & 0xff_ffff, mask as u32 & 0xff_ffff);
            prop_assert_eq!(native.gather(low, low_mask), Portable.gather(low, low_mask));
            prop_assert_eq!(native.spread(low, low_mask), Portable.spread(low, low_mask));
            prop_assert_eq!(native.gather64(bits, mask), Portable.gather64(bits, mask));
            prop_assert_eq!(native.spread64(bits, mask), Portable.spread64(bits, mask));
            let mut codes = [byte; 64];
            for (code, any) in codes.iter_mut().zip(bytes) {
                *code = [0, 1, 2, 3, 126, 127, 128, 129, 199, 200, 254, 255][any as usize % 12];
            }
            for code in [0, 1, 2, 126, 127, 128, 254, 255] {
                let expected = codes.iter().rev().fold(0, |mask: u64, &at| mask << 1 | u64::from(at == code));
                prop_assert_eq!(native.equal(&codes, code), expected);
                prop_assert!(wide.is_none_or(|wide| wide.equal(&codes, code) == expected));
                prop_assert_eq!(Portable.equal(&codes, code), expected);
            }
            for bound in [1, 2, 3, 126, 127, 128, 129, 200, 254, 255] {
                let suffices = |at: u8| at == 0 || at >= bound;
                let expected = codes.iter().rev().fold(0, |mask: u64, &at| mask << 1 | u64::from(suffices(at)));
                prop_assert_eq!(native.zero_or_at_least(&codes, bound), expected);
                prop_assert!(wide.is_none_or(|wide| wide.zero_or_at_least(&codes, bound) == expected));
                prop_assert_eq!(Portable.zero_or_at_least(&codes, bound), expected);
            }
        }
    }
}
