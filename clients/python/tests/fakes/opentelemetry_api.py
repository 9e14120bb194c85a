# Copyright 2026 The kubectl-sandbox Authors.
# SPDX-License-Identifier: Apache-2.0
"""The entry points of opentelemetry-api that the client uses, with a provider that keeps the spans.

Debian has no package of OpenTelemetry for Python. Signatures, the context, which is a context variable, the parents of
spans, what is recorded of errors, and the header traceparent are those of opentelemetry-api 1.20 and its SDK.
"""

from __future__ import annotations

import contextvars
import types
import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

Context = dict[str, Any]
_KEY = "current-span"


@dataclass(frozen=True)
class SpanContext:
    """What identifies a span."""

    trace_id: str = ""
    span_id: str = ""

    @property
    def is_valid(self) -> bool:
        """Whether there is such a span."""
        return bool(self.trace_id and self.span_id)


@dataclass(eq=False)
class Span:
    """A span, as the SDK keeps it."""

    name: str
    context: SpanContext
    parent: Span | None = None
    scope: str = ""
    attributes: dict[str, Any] = field(default_factory=dict)
    errors: list[str] = field(default_factory=list)
    status: str = "UNSET"
    ends: int = 0

    def get_span_context(self) -> SpanContext:
        """Returns what identifies it."""
        return self.context

    def is_recording(self) -> bool:
        """Whether it is open."""
        return self.context.is_valid and self.ends == 0

    def set_attribute(self, key: str, value: Any) -> None:
        """Sets an attribute. Only values that OpenTelemetry takes are permitted."""
        assert isinstance(key, str) and isinstance(value, (str, bool, int, float)), (key, value)  # noqa: PT018
        if self.is_recording():
            self.attributes[key] = value

    def end(self) -> None:
        """Ends it."""
        self.ends += 1


INVALID = Span("", SpanContext())


class OpenTelemetry:
    """The modules, and the spans that were begun.

    Attributes:
        spans: The spans in the order in which they began.
    """

    def __init__(self) -> None:
        self.spans: list[Span] = []
        self._current: contextvars.ContextVar[Context] = contextvars.ContextVar("context")

    def modules(self) -> dict[str, types.ModuleType]:
        """Returns the modules by their names."""
        package, trace, propagate = map(
            types.ModuleType, ("opentelemetry", "opentelemetry.trace", "opentelemetry.propagate")
        )
        package.__dict__.update(trace=trace, propagate=propagate)
        trace.__dict__.update(
            get_tracer=lambda name, *_: _Tracer(self, name),
            get_current_span=self.get_current_span,
            set_span_in_context=lambda span, context=None: {**self.context(context), _KEY: span},
        )
        propagate.__dict__.update(inject=self.inject)
        return {module.__name__: module for module in (package, trace, propagate)}

    def context(self, given: Context | None) -> Context:
        """Returns a context; by default the current one."""
        return self._current.get({}) if given is None else given

    def get_current_span(self, context: Context | None = None) -> Span:
        """Returns the span of a context."""
        span: Span = self.context(context).get(_KEY, INVALID)
        return span

    @contextmanager
    def use(self, span: Span) -> Iterator[Span]:
        """Makes a span the current one. An error is recorded."""
        token = self._current.set({**self.context(None), _KEY: span})
        try:
            yield span
        except Exception as error:
            span.errors.append(f"{type(error).__name__}: {error}")
            span.status = "ERROR"
            raise
        finally:
            self._current.reset(token)

    def inject(self, carrier: dict[str, str], context: Context | None = None) -> None:
        """Writes the header traceparent."""
        identity = self.get_current_span(context).get_span_context()
        if identity.is_valid:
            carrier["traceparent"] = f"00-{identity.trace_id}-{identity.span_id}-01"

    def named(self, name: str) -> list[Span]:
        """Returns the spans of a name."""
        return [span for span in self.spans if span.name == name]


@dataclass
class _Tracer:
    owner: OpenTelemetry
    scope: str

    def start_span(
        self, name: str, context: Context | None = None, kind: Any = None, attributes: Mapping[str, Any] | None = None
    ) -> Span:
        parent: Span | None = self.owner.get_current_span(context)
        if parent is INVALID:
            parent = None
        trace = parent.context.trace_id if parent is not None else uuid.uuid4().hex
        span = Span(name, SpanContext(trace, uuid.uuid4().hex[:16]), parent, self.scope)
        for key, value in (attributes or {}).items():
            span.set_attribute(key, value)
        self.owner.spans.append(span)
        return span

    @contextmanager
    def start_as_current_span(
        self, name: str, context: Context | None = None, kind: Any = None, attributes: Mapping[str, Any] | None = None
    ) -> Iterator[Span]:
        span = self.start_span(name, context, kind, attributes)
        try:
            with self.owner.use(span):
                yield span
        finally:
            span.end()
