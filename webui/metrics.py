"""Figures about the server for Prometheus, https://prometheus.io/docs/instrumenting/exposition_formats/."""

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
        self._registry = CollectorRegistry()
        ProcessCollector(registry=self._registry)
        PlatformCollector(registry=self._registry)
        self._requests = Counter(
            "citescout_requests", "Requests answered", ["route", "method", "status"], registry=self._registry
        )
        self._seconds = Histogram(
            "citescout_request_seconds",
            "From a request to its answer",
            ["route"],
            registry=self._registry,
            buckets=_BUCKETS,
        )
        self._stages = Histogram(
            "citescout_stage_seconds",
            "Stages of answering a question, and its wait in the queue",
            ["stage"],
            registry=self._registry,
            buckets=_BUCKETS,
        )
        self._refusals = Counter(
            "citescout_refusals", "Requests refused although they were well formed", ["reason"], registry=self._registry
        )
        self.running = Gauge("citescout_questions_running", "Questions being answered", registry=self._registry)
        self.waiting = Gauge("citescout_questions_waiting", "Questions in the queue", registry=self._registry)
        self.papers = Gauge("citescout_index_papers", "Papers in the index that is served", registry=self._registry)

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
