# Copyright 2026 The kubectl-sandbox Authors.
# SPDX-License-Identifier: Apache-2.0
"""Spans of OpenTelemetry, if they are asked for."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from .models import SandboxTracerConfig


class Span:
    """A span, or nothing."""

    def __init__(self, span: Any = None) -> None:
        self._span = span

    def set(self, name: str, value: str | int) -> None:
        """Sets an attribute."""
        if self._span is not None:
            self._span.set_attribute(name, value)


class Tracer:
    """Makes spans with OpenTelemetry's global provider, or none."""

    def __init__(self, config: SandboxTracerConfig | None = None) -> None:
        self._service = config.trace_service_name if config is not None else ""
        self._trace: Any = None
        self._lifecycle: Any = None
        if config is not None and config.enable_tracing:
            try:
                from opentelemetry import propagate, trace
            except ImportError as error:
                raise ImportError("tracing needs OpenTelemetry: pip install 'agent-sandbox-client[tracing]'") from error
            self._trace, self._propagate = trace, propagate
            self._tracer = trace.get_tracer(self._service.replace("-", "_"))

    def lifecycle(self) -> Tracer:
        """Begins the span `lifecycle`, and returns a tracer whose spans belong to it where the program has none."""
        if self._trace is None:
            return self
        tracer = Tracer(SandboxTracerConfig(True, self._service))
        tracer._lifecycle = self._tracer.start_span(f"{self._service}.lifecycle")
        return tracer

    def end(self) -> None:
        """Ends the span `lifecycle`."""
        if self._lifecycle is not None and self._lifecycle.is_recording():
            self._lifecycle.end()

    @contextmanager
    def span(self, name: str, attributes: Mapping[str, str | int] | None = None) -> Iterator[Span]:
        """Makes a span around the body. An error that the body raises is recorded."""
        if self._trace is None:
            yield Span()
            return
        context = None
        if self._lifecycle is not None and not self._trace.get_current_span().get_span_context().is_valid:
            context = self._trace.set_span_in_context(self._lifecycle)
        with self._tracer.start_as_current_span(
            f"{self._service}.{name}", context=context, attributes=dict(attributes or {})
        ) as span:
            yield Span(span)

    def headers(self) -> dict[str, str]:
        """Returns the headers with which a router and a runtime continue the trace."""
        carrier: dict[str, str] = {}
        if self._trace is not None:
            self._propagate.inject(carrier)
        return carrier

    def context(self) -> str | None:
        """Returns the current trace context as the annotation of a claim has it, or None."""
        carrier = self.headers()
        return json.dumps(carrier) if carrier else None
