"""Schemathesis against the hub: whatever its OpenAPI allows or forbids, no fault of ours, and answers as it says."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, settings
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from diarist.http_api.openapi import describe
from diarist.http_api.table import ROUTES
from diarist.serving import Options
from hubs import FREE, fill, make_key, open_hub

schema = schemathesis.openapi.from_dict(describe(ROUTES))
CHECKS = (not_a_server_error, content_type_conformance, response_schema_conformance, status_code_conformance)
EXAMPLES = 12


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Any, str]]:
    folder: Path = tmp_path_factory.mktemp("schema")
    fill(folder)
    key = make_key(folder)
    with open_hub(folder, Options(limits=FREE)) as hub:
        yield _requests_only(hub.app), key


def _requests_only(app: Any) -> Any:
    """Without its lifespan, which the tool would begin anew for each request."""

    async def requests(scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "http":
            await app(scope, receive, send)
            return
        for step in ("startup", "shutdown"):
            await receive()
            await send({"type": f"lifespan.{step}.complete"})

    return requests


@schema.parametrize()
@settings(max_examples=EXAMPLES, phases=[Phase.generate], suppress_health_check=list(HealthCheck))
def test_every_operation_answers_as_openapi_says(case: Any, server: tuple[Any, str]) -> None:
    app, key = server
    headers = {**(case.headers or {}), "x-api-key": key, "host": "127.0.0.1"}
    response = case.call(app=app, headers=headers)
    case.validate_response(response, checks=CHECKS)
