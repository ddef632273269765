//! Accepting connections, serving each within the limits, and shutting down cleanly.

use std::convert::Infallible;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::http::Request;
use axum::response::{IntoResponse, Response};
use futures_util::future::{Either, select};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::{HttpService, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, watch};
use tokio::time::{sleep, timeout};

use crate::service::Refusal;

use super::app::App;
use super::limits::Limits;
use super::patient::Patient;

/// Excess connections that are told so at once; further ones are closed without a message.
const TURNED_AWAY: usize = 64;

/// The time limit for one of these.
const SHORT: Duration = Duration::from_secs(2);

/// The smallest buffer that hyper reads into.
const LEAST_BUFFER: usize = 8192;

/// Serves connections until `stop` is done, then completes requests in progress. Returns whether all were completed in
/// time.
pub(super) async fn serve(
    listener: TcpListener,
    app: Arc<App>,
    router: Router,
    stop: impl Future<Output = ()>,
) -> bool {
    let (stopping, stopped) = watch::channel(());
    accept(&listener, &app, &router, &stopped, stop).await;
    drop((listener, stopped));
    // Each remaining connection holds a receiver.
    let _ = stopping.send(());
    timeout(app.limits.time, stopping.closed()).await.is_ok()
}

async fn accept(
    listener: &TcpListener,
    app: &Arc<App>,
    router: &Router,
    stopped: &watch::Receiver<()>,
    stop: impl Future<Output = ()>,
) {
    let places = Arc::new(Semaphore::new(app.limits.connections.clamp(1, Semaphore::MAX_PERMITS)));
    let turned_away = Arc::new(Semaphore::new(TURNED_AWAY));
    let mut stop = pin!(stop);
    loop {
        let stream = match select(stop.as_mut(), pin!(listener.accept())).await {
            Either::Left(_) => return,
            Either::Right((Ok((stream, _)), _)) => stream,
            Either::Right((Err(_), _)) => {
                // The client has already gone, or the system is out of files, which only passes if some are closed.
                sleep(Duration::from_millis(50)).await;
                continue;
            }
        };
        if let Ok(place) = Arc::clone(&places).try_acquire_owned() {
            let (app, service, stopped) = (Arc::clone(app), TowerToHyperService::new(router.clone()), stopped.clone());
            tokio::spawn(async move {
                let open = app.metrics.connection();
                connection(stream, service, &app.limits, stopped).await;
                drop((place, open));
            });
        } else {
            app.metrics.refused();
            let Ok(place) = Arc::clone(&turned_away).try_acquire_owned() else { continue };
            let (limits, stopped) = (app.limits, stopped.clone());
            tokio::spawn(async move {
                let _ = timeout(SHORT, connection(stream, service_fn(turn_away), &limits, stopped)).await;
                drop(place);
            });
        }
    }
}

/// Tells a client that there are too many connections, and to close this one.
async fn turn_away(_: Request<Incoming>) -> Result<Response, Infallible> {
    let error = "too many connections are open: try again in a second";
    let mut response = Refusal::new(503, "busy", error).into_response();
    response.headers_mut().insert(axum::http::header::CONNECTION, axum::http::HeaderValue::from_static("close"));
    Ok(response)
}

/// Serves one connection until it ends or, after a stop, until its current request is complete.
async fn connection<S>(stream: TcpStream, service: S, limits: &Limits, mut stopped: watch::Receiver<()>)
where
    S: HttpService<Incoming, ResBody = Body>,
    S::Error: std::error::Error + Send + Sync + 'static,
{
    // Answers are written in one piece, so waiting for more would only delay them.
    let _ = stream.set_nodelay(true);
    let io = TokioIo::new(Patient::new(stream, limits.time));
    let mut builder = http1::Builder::new();
    builder.timer(TokioTimer::new()).header_read_timeout(limits.time);
    builder.max_header_size(limits.head).max_buf_size(limits.head.saturating_mul(2).max(LEAST_BUFFER));
    let mut served = pin!(builder.serve_connection(io, service));
    // How a connection ends is between the client and its network: there is nobody to report it to.
    if let Either::Right(_) = select(served.as_mut(), pin!(stopped.changed())).await {
        served.as_mut().graceful_shutdown();
        let _ = served.await;
    }
}
