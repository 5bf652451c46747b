"""The OpenAPI 3.1 document of the API (https://spec.openapis.org/oas/v3.1.0), generated from its views and records."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any, Literal, TypeVar

from flask import Flask
from pydantic import TypeAdapter
from werkzeug.routing import Rule

from webui.api_types import ErrorAnswer

View = TypeVar("View", bound=Callable[..., Any])

PREFIX = "/api/v1"
_REF = "#/components/schemas/{model}"
_ALWAYS = (400, 401, 431, 500, 501, 503)
_OF_CHANGES = (403, 413, 415, 429)
_LATER = {"Retry-After": {"description": "Seconds to wait.", "schema": {"type": "integer", "minimum": 1}}}
_ID = {"X-Request-ID": {"description": "Of this request, as in the log.", "schema": {"type": "string"}}}


@dataclass(frozen=True, slots=True)
class Operation:
    """Decorator: what the document says of a view beside its address, its method and its docstring."""

    answer: type | None  # a record of `webui.api_types`; None where the answer is no JSON
    request: type | None = None  # record of the body; None for none
    status: HTTPStatus = HTTPStatus.OK
    media_types: tuple[str, ...] = ("application/json",)  # of the answer; none for an empty one
    errors: tuple[int, ...] = ()  # beside those of every view
    parameters: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)  # JSON schema by name, of the address
    headers: Mapping[str, str] = field(default_factory=dict)  # description by name, of required request headers
    gives: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)  # the answer's own headers, as there, by name

    def __call__(self, view: View) -> View:
        """Put a view into the document."""
        _described[view] = self
        return view


_described: dict[Callable[..., Any], Operation] = {}


def document(app: Flask, version: str) -> dict[str, Any]:
    """The document of all described views of an application under `PREFIX`, and of its health."""
    paths: dict[str, dict[str, Any]] = {}
    records: set[type] = {ErrorAnswer}
    for rule in sorted(app.url_map.iter_rules(), key=lambda rule: rule.rule):
        operation = _described.get(app.view_functions[rule.endpoint])
        if operation is None or not rule.rule.startswith((PREFIX, "/health")):
            continue
        records |= {record for record in (operation.request, operation.answer) if record}
        for method in sorted((rule.methods or set()) - {"HEAD", "OPTIONS"}):
            view = app.view_functions[rule.endpoint]
            address = re.sub(r"<(?:[a-z]+:)?(\w+)>", r"{\1}", rule.rule)
            paths.setdefault(address, {})[method.lower()] = _described_method(rule, method, operation, view)
    adapters: list[tuple[str, Literal["validation"], TypeAdapter[Any]]] = [
        (record.__name__, "validation", TypeAdapter(record)) for record in sorted(records, key=str)
    ]
    _, schemas = TypeAdapter.json_schemas(adapters, ref_template=_REF)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "citescout",
            "version": version,
            "summary": "Papers to cite, from the title and abstract of a paper in progress",
        },
        "servers": [{"url": "/"}],
        "paths": paths,
        "components": {
            "schemas": schemas["$defs"],
            "securitySchemes": {
                "key": {"type": "http", "scheme": "bearer", "description": "Only where the server asks for keys."}
            },
        },
        "security": [{}, {"key": []}],
    }


def _described_method(rule: Rule, method: str, operation: Operation, view: Callable[..., Any]) -> dict[str, Any]:
    text = " ".join((view.__doc__ or "").split())
    summary, _, description = text.partition(". ")
    described: dict[str, Any] = {
        # By the address: functions of generated clients are called so, such as delete_queries.
        "operationId": f"{method.lower()}_{rule.rule.removeprefix(PREFIX).split('/')[1]}",
        "summary": summary.rstrip("."),
        "responses": _responses(method, operation),
    }
    if description:
        described["description"] = description
    parameters = [
        {"name": name, "in": "path", "required": True, "schema": operation.parameters.get(name, {"type": "string"})}
        for name in sorted(rule.arguments)
    ] + [
        {"name": name, "in": "header", "required": True, "description": text, "schema": {"type": "string"}}
        for name, text in operation.headers.items()
    ]
    if parameters:
        described["parameters"] = parameters
    if operation.request:
        described["requestBody"] = {"required": True, "content": {"application/json": _schema(operation.request)}}
    return described


def _responses(method: str, operation: Operation) -> dict[str, Any]:
    content = {
        media_type: _schema(operation.answer)
        if operation.answer
        else {"schema": {} if media_type.endswith(("/json", "+json")) else {"type": "string"}}
        for media_type in operation.media_types
    }
    done: dict[str, Any] = {"description": operation.status.phrase, "headers": {**_ID, **operation.gives}}
    if content:
        done["content"] = content
    responses = {str(operation.status.value): done}
    for code in sorted({*_ALWAYS, *operation.errors, *(_OF_CHANGES if method != "GET" else ())}):
        responses[str(code)] = {
            "description": HTTPStatus(code).phrase,
            "headers": {**_ID, **(_LATER if code in {429, 503} else {})},
            "content": {"application/json": _schema(ErrorAnswer)},
        }
    return responses


def _schema(record: type) -> dict[str, Any]:
    return {"schema": {"$ref": _REF.format(model=record.__name__)}}
