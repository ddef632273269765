//! [`Metrics`]: counts for Prometheus, in its text form.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use axum::http::{Method, StatusCode};

/// Upper bounds of the time buckets, in seconds.
const BOUNDS: [f64; 8] = [0.001, 0.005, 0.025, 0.1, 0.5, 2.0, 10.0, 30.0];

/// Counts since the server started.
#[derive(Debug, Default)]
pub(super) struct Metrics {
    requests: Mutex<BTreeMap<Labels, u64>>,
    times: Mutex<BTreeMap<String, Times>>,
    in_flight: AtomicU64,
    connections: AtomicU64,
    refused: AtomicU64,
    positions: AtomicU64,
}

/// The labels of requests: the route, the method and the status.
type Labels = (String, &'static str, u16);

/// Times of one route, by bucket, and their sum.
#[derive(Clone, Copy, Debug, Default)]
struct Times {
    within: [u64; BOUNDS.len()],
    count: u64,
    sum: f64,
}

/// Increments a gauge until it is dropped.
#[derive(Debug)]
pub(super) struct Raised<'a>(&'a AtomicU64);

impl<'a> Raised<'a> {
    fn new(gauge: &'a AtomicU64) -> Self {
        gauge.fetch_add(1, Ordering::Relaxed);
        Self(gauge)
    }
}

impl Drop for Raised<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Other current values to report.
#[derive(Clone, Debug)]
pub(super) struct Now {
    /// Running look-ups.
    pub(super) running: usize,
    /// Waiting requests.
    pub(super) waiting: usize,
    /// The name of each rule set, with the number of tables and of damaged ones.
    pub(super) tables: Vec<(String, usize, usize)>,
}

impl Metrics {
    /// Counts a request as running until the returned value is dropped.
    pub(super) fn request(&self) -> Raised<'_> {
        Raised::new(&self.in_flight)
    }

    /// Counts a connection as open until the returned value is dropped.
    pub(super) fn connection(&self) -> Raised<'_> {
        Raised::new(&self.connections)
    }

    /// Counts a connection beyond the limit.
    pub(super) fn refused(&self) {
        self.refused.fetch_add(1, Ordering::Relaxed);
    }

    /// Counts answered positions of a batch.
    pub(super) fn positions(&self, count: usize) {
        self.positions.fetch_add(count as u64, Ordering::Relaxed);
    }

    /// Counts an answered request to this route. The time ends when the answer begins.
    pub(super) fn answered(&self, route: &str, method: &Method, status: StatusCode, time: Duration) {
        let labels = (route.to_owned(), method_name(method), status.as_u16());
        *self.requests.lock().unwrap_or_else(PoisonError::into_inner).entry(labels).or_default() += 1;
        let mut times = self.times.lock().unwrap_or_else(PoisonError::into_inner);
        let times = times.entry(route.to_owned()).or_default();
        let seconds = time.as_secs_f64();
        for (count, _) in times.within.iter_mut().zip(BOUNDS).filter(|(_, bound)| seconds <= *bound) {
            *count += 1;
        }
        times.count += 1;
        times.sum += seconds;
    }

    /// All metrics.
    pub(super) fn text(&self, now: &Now) -> String {
        let mut page = Page(String::new());
        page.head("requests_total", "counter", "Requests answered.");
        for ((route, method, status), count) in &*self.requests.lock().unwrap_or_else(PoisonError::into_inner) {
            let labels = format!("{{route=\"{route}\",method=\"{method}\",status=\"{status}\"}}");
            page.line("requests_total", &labels, count);
        }
        page.head("request_seconds", "histogram", "Time until an answer begins.");
        for (route, times) in &*self.times.lock().unwrap_or_else(PoisonError::into_inner) {
            let bounds = BOUNDS.iter().map(f64::to_string).zip(times.within);
            for (bound, count) in bounds.chain([("+Inf".to_owned(), times.count)]) {
                page.line("request_seconds_bucket", &format!("{{route=\"{route}\",le=\"{bound}\"}}"), count);
            }
            let labels = format!("{{route=\"{route}\"}}");
            page.line("request_seconds_sum", &labels, times.sum);
            page.line("request_seconds_count", &labels, times.count);
        }
        let read = |number: &AtomicU64| number.load(Ordering::Relaxed);
        page.single("requests_in_flight", "gauge", "Requests whose answer has not begun.", read(&self.in_flight));
        page.single("connections", "gauge", "Open connections.", read(&self.connections));
        page.single("connections_refused_total", "counter", "Connections beyond the limit.", read(&self.refused));
        page.single("batch_positions_total", "counter", "Positions of batches.", read(&self.positions));
        page.single("lookups_running", "gauge", "Look-ups that run.", now.running as u64);
        page.single("lookups_waiting", "gauge", "Requests that wait for a look-up.", now.waiting as u64);
        page.tables(now);
        page.0
    }
}

/// The name of a method; all unusual ones share one name, so that clients cannot create any number of labels.
fn method_name(method: &Method) -> &'static str {
    match *method {
        Method::GET => "GET",
        Method::HEAD => "HEAD",
        Method::POST => "POST",
        Method::OPTIONS => "OPTIONS",
        _ => "other",
    }
}

/// A page in Prometheus's text format.
struct Page(String);

impl Page {
    fn head(&mut self, name: &str, kind: &str, help: &str) {
        // Writing to a string cannot fail.
        let _ = writeln!(self.0, "# HELP morabase_{name} {help}\n# TYPE morabase_{name} {kind}");
    }

    fn line(&mut self, name: &str, labels: &str, value: impl std::fmt::Display) {
        let _ = writeln!(self.0, "morabase_{name}{labels} {value}");
    }

    fn single(&mut self, name: &str, kind: &str, help: &str, value: u64) {
        self.head(name, kind, help);
        self.line(name, "", value);
    }

    fn tables(&mut self, now: &Now) {
        self.head("tables", "gauge", "Tables that are there.");
        for (rules, sound, _) in &now.tables {
            self.line("tables", &format!("{{rules=\"{rules}\"}}"), sound);
        }
        self.head("tables_damaged", "gauge", "Tables whose head cannot be read.");
        for (rules, _, damaged) in &now.tables {
            self.line("tables_damaged", &format!("{{rules=\"{rules}\"}}"), damaged);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buckets_add_up_and_a_gauge_goes_down_again() {
        let metrics = Metrics::default();
        for millis in [1, 20, 40_000] {
            metrics.answered("/x", &Method::GET, StatusCode::OK, Duration::from_millis(millis));
        }
        metrics.answered("/x", &Method::from_bytes(b"ODD").unwrap(), StatusCode::NOT_FOUND, Duration::ZERO);
        drop(metrics.request());
        let text = metrics.text(&Now { running: 1, waiting: 2, tables: vec![("gar".to_owned(), 6, 0)] });
        for line in [
            "morabase_requests_total{route=\"/x\",method=\"GET\",status=\"200\"} 3",
            "morabase_requests_total{route=\"/x\",method=\"other\",status=\"404\"} 1",
            "morabase_request_seconds_bucket{route=\"/x\",le=\"0.001\"} 2",
            "morabase_request_seconds_bucket{route=\"/x\",le=\"0.025\"} 3",
            "morabase_request_seconds_bucket{route=\"/x\",le=\"+Inf\"} 4",
            "morabase_requests_in_flight 0",
            "morabase_lookups_waiting 2",
            "morabase_tables{rules=\"gar\"} 6",
        ] {
            assert!(text.lines().any(|found| found == line), "{line} is not in\n{text}");
        }
    }
}
