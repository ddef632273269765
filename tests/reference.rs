//! Holds the reference solver to the published facts.

use morabase::reference::{Counts, Reference, perft, turns};
use morabase::{Class, Position, Preset};

fn counts(preset: Preset, own: u8, opponent: u8) -> Counts {
    let class = Class::moving(own, opponent).unwrap();
    Reference::solve(&preset.rules(), class).unwrap().counts(class).unwrap()
}

#[test]
fn plain_three_against_three_has_the_published_histogram() {
    let counts = counts(Preset::Plain, 3, 3);
    assert_eq!((counts.won, counts.drawn, counts.lost), (2_240_880, 0, 451_040));
    let won = [1_250_352, 632_376, 205_164, 79_824, 58_488, 11_040, 1_800, 1_836];
    let lost = [92_076, 150_456, 119_376, 66_660, 15_024, 5_888, 1_536, 24];
    for count in &counts.dtc {
        let half = usize::from(count.plies - 1) / 2;
        let expected = if count.plies % 2 == 1 { (won[half], 0) } else { (0, lost[half]) };
        assert_eq!((count.won, count.lost), expected, "{} plies", count.plies);
    }
    assert_eq!((counts.dtc.len(), counts.max_dtc()), (16, 16));
}

#[test]
fn nine_mens_morris_three_against_three_has_the_published_counts() {
    let counts = counts(Preset::NineMensMorris, 3, 3);
    assert_eq!((counts.won, counts.drawn, counts.lost, counts.max_dtc()), (2_232_160, 4_112, 455_648, 26));
}
