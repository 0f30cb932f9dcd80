"""OpenTelemetry spans, where its SDK is installed and the standard environment variables ask for them."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from typing import Any

log = logging.getLogger("diarist.http")
Trace = Callable[[str, str, int, float], None]
"""(method, route, status, seconds) → one ended span. Ids and texts are never told."""


def make_trace(environ: Mapping[str, str]) -> Trace | None:
    """None where no exporter is configured (`OTEL_EXPORTER_OTLP_ENDPOINT`), it is switched off, or the packages are missing."""
    wanted = environ.get("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT") or environ.get("OTEL_EXPORTER_OTLP_ENDPOINT")
    off = environ.get("OTEL_SDK_DISABLED", "").lower() == "true" or environ.get("OTEL_TRACES_EXPORTER", "otlp") == "none"
    if not wanted or off:
        return None
    try:
        from importlib import import_module

        exporting = import_module("opentelemetry.exporter.otlp.proto.http.trace_exporter")
        sdk = import_module("opentelemetry.sdk.trace")
        batching = import_module("opentelemetry.sdk.trace.export")
        resources = import_module("opentelemetry.sdk.resources")
    except ImportError:
        log.warning("traces are asked for, but opentelemetry-sdk and opentelemetry-exporter-otlp-proto-http are not installed")
        return None
    named = resources.Resource.create({"service.name": environ.get("OTEL_SERVICE_NAME", "diarist")})
    provider = sdk.TracerProvider(resource=named)
    provider.add_span_processor(batching.BatchSpanProcessor(exporting.OTLPSpanExporter()))
    return span_maker(provider.get_tracer("diarist"))


def span_maker(tracer: Any) -> Trace:
    """Spans of a tracer, by the HTTP conventions."""

    def trace(method: str, route: str, status: int, seconds: float) -> None:
        import time

        end = time.time_ns()
        facts = {"http.request.method": method, "http.route": route, "http.response.status_code": status}
        span = tracer.start_span(f"{method} {route}", start_time=end - int(seconds * 1e9), attributes=facts)
        span.end(end_time=end)

    return trace
