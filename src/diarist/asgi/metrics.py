"""Counts of requests in Prometheus' text form."""

from __future__ import annotations

import threading
from collections.abc import Mapping

BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
"""Seconds."""
CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"


class Metrics:
    """Requests by route and status, and how long they took. Routes are templates, so that ids never become labels."""

    def __init__(self) -> None:
        self._turn = threading.Lock()
        self._requests: dict[tuple[str, str, int], int] = {}
        self._seconds: dict[str, list[float]] = {}
        self._running = 0

    def begin(self) -> None:
        """A request came in."""
        with self._turn:
            self._running += 1

    def end(self, method: str, route: str, status: int, seconds: float) -> None:
        """It was answered."""
        with self._turn:
            self._running -= 1
            key = (method, route, status)
            self._requests[key] = self._requests.get(key, 0) + 1
            counts = self._seconds.setdefault(route, [0.0] * (len(BUCKETS) + 2))
            for place, bound in enumerate(BUCKETS):
                counts[place] += seconds <= bound
            counts[-2] += 1
            counts[-1] += seconds

    def render(self, gauges: Mapping[str, float]) -> str:
        """All of it as text; `gauges`: further values by name."""
        lines = ["# HELP diarist_requests_total Requests answered.", "# TYPE diarist_requests_total counter"]
        with self._turn:
            for (method, route, status), count in sorted(self._requests.items()):
                lines.append(f'diarist_requests_total{{method="{method}",route="{route}",status="{status}"}} {count}')
            lines += ["# HELP diarist_request_seconds Time to answer.", "# TYPE diarist_request_seconds histogram"]
            for route, counts in sorted(self._seconds.items()):
                for bound, below in zip((*BUCKETS, "+Inf"), counts[:-1], strict=True):
                    lines.append(f'diarist_request_seconds_bucket{{route="{route}",le="{bound}"}} {below:g}')
                lines.append(f'diarist_request_seconds_count{{route="{route}"}} {counts[-2]:g}')
                lines.append(f'diarist_request_seconds_sum{{route="{route}"}} {counts[-1]:.6f}')
            lines += ["# TYPE diarist_requests_running gauge", f"diarist_requests_running {self._running}"]
        for name, value in sorted(gauges.items()):
            lines += [f"# TYPE diarist_{name} gauge", f"diarist_{name} {value:g}"]
        return "\n".join(lines) + "\n"
