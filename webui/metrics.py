"""Figures about the server for Prometheus, https://prometheus.io/docs/instrumenting/exposition_formats/."""

from functools import partial

from prometheus_client import (
    CONTENT_TYPE_LATEST,
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    PlatformCollector,
    ProcessCollector,
    generate_latest,
)

# Seconds; the last bounds are those of a cross-encoder on a slow machine.
_BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.2, 0.3, 0.5, 0.75, 1.0, 1.5, 2.5, 5.0, 10.0, 30.0)


class Metrics:
    """The figures of one application; they hold no text of any question."""

    content_type = CONTENT_TYPE_LATEST

    def __init__(self) -> None:
        self._registry = registry = CollectorRegistry()
        ProcessCollector(registry=registry)
        PlatformCollector(registry=registry)
        counter, gauge = partial(Counter, registry=registry), partial(Gauge, registry=registry)
        histogram = partial(Histogram, registry=registry, buckets=_BUCKETS)
        self._requests = counter("citescout_requests", "Requests answered", ["route", "method", "status"])
        self._seconds = histogram("citescout_request_seconds", "From a request to its answer", ["route"])
        about = "Stages of answering a question, and its wait in the queue"
        self._stages = histogram("citescout_stage_seconds", about, ["stage"])
        about = "Requests refused although they were well formed"
        self._refusals = counter("citescout_refusals", about, ["reason"])
        self.running = gauge("citescout_questions_running", "Questions being answered")
        self.waiting = gauge("citescout_questions_waiting", "Questions in the queue")
        self.papers = gauge("citescout_index_papers", "Papers in the index that is served")

    def request(self, route: str, method: str, status: int, seconds: float) -> None:
        """Count one request; `route` is the rule of the address, so that there are few."""
        self._requests.labels(route, method, str(status)).inc()
        self._seconds.labels(route).observe(seconds)

    def stage(self, name: str, seconds: float) -> None:
        """Note how long a stage took."""
        self._stages.labels(name).observe(seconds)

    def refusal(self, reason: str) -> None:
        """Count one refusal."""
        self._refusals.labels(reason).inc()

    def text(self) -> bytes:
        """All figures in the text format."""
        return generate_latest(self._registry)
