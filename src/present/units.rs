//! Numbers in human-readable form.

use std::time::Duration;

/// A number with its digits in groups of three: `17,048,389,791`.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() * 4 / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A number of bytes in the largest binary unit that it reaches: `900 bytes`, `1.5 GiB`.
pub fn bytes_text(number: u64) -> String {
    let units = ["KiB", "MiB", "GiB", "TiB"];
    let mut size = number as f64 / 1024.0;
    if number < 1024 {
        return format!("{number} bytes");
    }
    for unit in units {
        if size < 1024.0 {
            return format!("{size:.1} {unit}");
        }
        size /= 1024.0;
    }
    format!("{size:.1} PiB")
}

/// A time in the largest of seconds, minutes and hours that it reaches: `7.5 s`, `2:05 min`, `1:02:03 h`.
pub fn duration_text(time: Duration) -> String {
    match time.as_secs() {
        0..60 => format!("{:.1} s", time.as_secs_f64()),
        seconds @ 60..3600 => format!("{}:{:02} min", seconds / 60, seconds % 60),
        seconds => format!("{}:{:02}:{:02} h", seconds / 3600, seconds / 60 % 60, seconds % 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_grouped_by_thousands() {
        assert_eq!(grouped(0), "0");
        assert_eq!(grouped(999), "999");
        assert_eq!(grouped(17_048_389_791), "17,048,389,791");
    }

    #[test]
    fn sizes_and_times_take_the_largest_unit_they_reach() {
        let sizes = [0, 1023, 1024, 1 << 20, 3 << 29, 1 << 40, u64::MAX].map(bytes_text);
        assert_eq!(sizes, ["0 bytes", "1023 bytes", "1.0 KiB", "1.0 MiB", "1.5 GiB", "1.0 TiB", "16384.0 PiB"]);
        let times =
            [0.05, 59.9, 60.0, 3599.0, 3600.0, 90_061.0].map(|seconds| duration_text(Duration::from_secs_f64(seconds)));
        assert_eq!(times, ["0.1 s", "59.9 s", "1:00 min", "59:59 min", "1:00:00 h", "25:01:01 h"]);
    }
}
