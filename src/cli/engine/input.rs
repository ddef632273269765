//! Input lines: read in a separate thread, with a limit on the memory for unanswered ones.

use std::io::{self, BufRead};
use std::sync::mpsc::SyncSender;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use super::Message;

/// The most bytes in a line. A game of a hundred thousand turns fits.
pub(super) const LONGEST_LINE: usize = 1 << 20;

/// The most bytes of lines that are not answered yet.
const ROOM: usize = 4 << 20;

/// The overhead of each line in addition to its bytes, so that a thousand short ones use up the room too.
const EACH: usize = 4 << 10;

/// The byte order mark that some programs put before a text.
const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

/// How much room is taken by lines that are not answered yet.
#[derive(Default)]
struct Room {
    taken: Mutex<usize>,
    freed: Condvar,
}

impl Room {
    fn taken(&self) -> MutexGuard<'_, usize> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_full(&self, size: usize) -> bool {
        let taken = *self.taken();
        taken > 0 && taken + size > ROOM
    }

    /// Waits until there is enough room. A line of any length fits if there are no others.
    fn take(self: &Arc<Self>, size: usize) -> Reservation {
        let mut taken = self.taken();
        while *taken > 0 && *taken + size > ROOM {
            taken = self.freed.wait(taken).unwrap_or_else(PoisonError::into_inner);
        }
        *taken += size;
        Reservation { room: Arc::clone(self), size }
    }
}

/// Room that is released when this is dropped.
struct Reservation {
    room: Arc<Room>,
    size: usize,
}

impl Drop for Reservation {
    fn drop(&mut self) {
        *self.room.taken() -= self.size;
        self.room.freed.notify_all();
    }
}

/// An input line.
pub(super) struct Line {
    /// The line as text; invalid bytes are replaced, not refused.
    pub(super) text: String,
    /// Its bytes if they are not valid text: file paths need not be.
    raw: Option<Vec<u8>>,
    _held: Reservation,
}

impl std::fmt::Debug for Line {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:?}", self.text)
    }
}

impl Line {
    fn new(bytes: Vec<u8>, held: Reservation) -> Self {
        match String::from_utf8(bytes) {
            Ok(text) => Self { text, raw: None, _held: held },
            Err(error) => {
                let text = String::from_utf8_lossy(error.as_bytes()).into_owned();
                Self { text, raw: Some(error.into_bytes()), _held: held }
            }
        }
    }

    pub(super) fn bytes(&self) -> &[u8] {
        self.raw.as_deref().unwrap_or(self.text.as_bytes())
    }
}

/// Sends the lines of `input` until it ends or nobody receives them.
pub(super) fn read_lines(input: &mut dyn BufRead, sender: &SyncSender<Message>) {
    let room = Arc::new(Room::default());
    let mut lines = Lines { input, failure: None };
    while let Some(line) = lines.next() {
        let size = EACH + line.as_ref().map_or(0, Vec::len);
        // The lines wait for a search, so when they fill the room it must end.
        if room.is_full(size) && sender.send(Message::Crowded).is_err() {
            return;
        }
        let held = room.take(size);
        let message = line.map_or(Message::TooLong, |bytes| Message::Line(Line::new(bytes, held)));
        if sender.send(message).is_err() {
            return;
        }
    }
    // If nobody receives it the program is ending.
    let _ = sender.send(Message::End(lines.failure));
}

/// A line was longer than [`LONGEST_LINE`].
struct TooLong;

struct Lines<'a> {
    input: &'a mut dyn BufRead,
    /// Why the input ended early.
    failure: Option<io::Error>,
}

impl Lines<'_> {
    /// The next line without its line end and without byte order marks before it; the end of input ends the last line too.
    fn next(&mut self) -> Option<Result<Vec<u8>, TooLong>> {
        let mut line = Vec::new();
        let mut too_long = false;
        loop {
            let chunk = match self.input.fill_buf() {
                Ok(chunk) => chunk,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => {
                    self.failure = Some(error);
                    &[]
                }
            };
            let ended = chunk.is_empty();
            let end = chunk.iter().position(|&byte| byte == b'\n');
            let part = &chunk[..end.unwrap_or(chunk.len())];
            if line.len() + part.len() > LONGEST_LINE {
                too_long = true;
                line = Vec::new();
            } else if !too_long {
                line.extend_from_slice(part);
            }
            let used = part.len() + usize::from(end.is_some());
            self.input.consume(used);
            if ended && line.is_empty() && !too_long {
                return None;
            }
            if ended || end.is_some() {
                break;
            }
        }
        let marks = line.chunks(BYTE_ORDER_MARK.len()).take_while(|bytes| *bytes == BYTE_ORDER_MARK).count();
        line.drain(..marks * BYTE_ORDER_MARK.len());
        Some(if too_long { Err(TooLong) } else { Ok(line) })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::sync_channel;
    use std::thread;
    use std::time::Duration;

    use super::*;

    fn lines(input: &[u8]) -> Vec<String> {
        let (sender, receiver) = sync_channel(1);
        let input = input.to_vec();
        thread::spawn(move || read_lines(&mut &input[..], &sender));
        receiver.iter().map(|message| format!("{message:?}")).collect()
    }

    #[test]
    fn half_a_line_at_the_end_is_a_line_and_bytes_that_are_no_text_do_no_harm() {
        assert_eq!(lines(b""), ["End(None)"]);
        assert_eq!(lines(b"uci\r\nqui"), [r#"Line("uci\r")"#, r#"Line("qui")"#, "End(None)"]);
        assert_eq!(lines(b"\xff\xfe d\n\0\n"), ["Line(\"\u{fffd}\u{fffd} d\")", r#"Line("\0")"#, "End(None)"]);
        assert_eq!(lines(b"\xef\xbb\xbfuci\n"), [r#"Line("uci")"#, "End(None)"]);
        assert_eq!(
            lines(b"\nd\n\xef\xbb\xbf\xef\xbb\xbfgo\n"),
            [r#"Line("")"#, r#"Line("d")"#, r#"Line("go")"#, "End(None)"]
        );
    }

    #[test]
    fn a_line_of_any_length_costs_no_more_than_the_longest_allowed() {
        let mut input = vec![b'x'; 3 * LONGEST_LINE];
        input.extend_from_slice(b"\nd\n");
        assert_eq!(lines(&input), ["TooLong", r#"Line("d")"#, "End(None)"]);
        assert_eq!(lines(&vec![b'x'; LONGEST_LINE + 1]), ["TooLong", "End(None)"]);
    }

    #[test]
    fn lines_that_nobody_answers_fill_the_room_and_no_more() {
        let (sender, receiver) = sync_channel(100);
        let input = [vec![b'x'; LONGEST_LINE - 1], vec![b'\n']].concat().repeat(9);
        thread::spawn(move || read_lines(&mut &input[..], &sender));
        let mut kept = Vec::new();
        while let Ok(message) = receiver.recv_timeout(Duration::from_millis(200)) {
            kept.push(message);
        }
        assert!(matches!(kept.as_slice(), [Message::Line(_), Message::Line(_), Message::Line(_), Message::Crowded]));
        kept.clear();
        assert_eq!(receiver.iter().filter(|message| matches!(message, Message::Line(_))).count(), 6);
    }
}
