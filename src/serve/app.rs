//! [`App`]: the data from which every request is answered.

use super::limits::Limits;
use super::metrics::Metrics;
use super::sets::TableSets;
use super::workers::Workers;

/// The data from which every request is answered.
#[derive(Debug)]
pub(super) struct App {
    pub(super) sets: TableSets,
    pub(super) workers: Workers,
    pub(super) metrics: Metrics,
    pub(super) limits: Limits,
}

impl App {
    pub(super) fn new(sets: TableSets, limits: Limits) -> Self {
        let workers = Workers::new(&limits);
        Self { sets, workers, metrics: Metrics::default(), limits }
    }
}
