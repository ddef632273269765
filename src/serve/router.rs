//! Paths and their handlers, with what all answers have in common.

use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::Router;
use axum::extract::{DefaultBodyLimit, MatchedPath, Request, State};
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE, ETAG, IF_NONE_MATCH, RETRY_AFTER, X_CONTENT_TYPE_OPTIONS};
use axum::http::{HeaderValue, Method};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::{MethodRouter, get};
use tower_http::compression::CompressionLayer;
use tower_http::cors::{Any, CorsLayer};

use super::app::App;
use super::files::PAGE_FILES;
use super::metrics::Now;
use super::{batch, files, openapi, page, questions};

/// All paths.
fn routes() -> [(&'static str, MethodRouter<Arc<App>>); 12] {
    [
        ("/", get(page::index)),
        ("/v1/probe", get(questions::answer).post(batch::probe)),
        ("/v1/line", get(questions::answer)),
        ("/v1/turns", get(questions::answer)),
        ("/v1/show", get(questions::answer)),
        ("/v1/stats/{class}", get(questions::answer)),
        ("/v1/records", get(questions::answer)),
        ("/v1/tables", get(questions::answer)),
        ("/v1/rules", get(questions::answer)),
        ("/v1/openapi.json", get(openapi::document)),
        ("/healthz", get(health)),
        ("/metrics", get(metrics)),
    ]
}

/// The server's answers to everything.
pub(super) fn router(app: &Arc<App>) -> Router {
    let routes = routes().into_iter();
    let router = routes.fold(Router::new(), |router, (path, handlers)| router.route(path, handlers));
    let router = PAGE_FILES
        .into_iter()
        .fold(router, |router, file| router.route(&format!("/{}", file.name), get(files::send).with_state(file)));
    // Layers that are added later are further outside.
    router
        .fallback(questions::no_page)
        .method_not_allowed_fallback(questions::no_method)
        .layer(DefaultBodyLimit::max(app.limits.body))
        .layer(CompressionLayer::new())
        .layer(cors())
        .layer(from_fn_with_state(Arc::clone(app), observe))
        .with_state(Arc::clone(app))
}

/// Pages from any origin may ask: nothing here is secret or changes anything.
fn cors() -> CorsLayer {
    CorsLayer::new()
        .allow_origin(Any)
        .allow_methods([Method::GET, Method::HEAD, Method::POST])
        .allow_headers([CONTENT_TYPE, IF_NONE_MATCH])
        .expose_headers([ETAG, RETRY_AFTER])
        .max_age(Duration::from_secs(86_400))
}

/// Counts a request and its answer.
async fn observe(State(app): State<Arc<App>>, route: Option<MatchedPath>, request: Request, next: Next) -> Response {
    let began = Instant::now();
    let method = request.method().clone();
    let in_flight = app.metrics.request();
    let mut response = next.run(request).await;
    drop(in_flight);
    let route = route.as_ref().map_or("other", MatchedPath::as_str);
    app.metrics.answered(route, &method, response.status(), began.elapsed());
    response.headers_mut().insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    response
}

/// `GET /healthz`: says that the server is running.
async fn health() -> Response {
    let mut response = "ok\n".into_response();
    response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

/// `GET /metrics`.
async fn metrics(State(app): State<Arc<App>>) -> Response {
    let [running, waiting] = app.workers.load();
    let tables = app.sets.all().iter().map(|set| {
        let tables = set.tables();
        (set.rules().name(), tables.classes().count(), tables.faults().count())
    });
    let now = Now { running, waiting, tables: tables.collect() };
    let mut response = app.metrics.text(&now).into_response();
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("text/plain; version=0.0.4; charset=utf-8"));
    response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn the_openapi_document_lists_every_address() {
        let document: serde_json::Value = serde_json::from_str(openapi::TEXT).unwrap();
        let listed: BTreeSet<&str> = document["paths"].as_object().unwrap().keys().map(String::as_str).collect();
        assert_eq!(listed, routes().iter().map(|(path, _)| *path).collect());
    }
}
