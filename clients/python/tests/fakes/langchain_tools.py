# Copyright 2026 The kubectl-sandbox Authors.
# SPDX-License-Identifier: Apache-2.0
"""What an agent of LangChain does with a tool, in place of langchain_core.tools.

Debian has no package of LangChain. Signatures, the schema that comes from the annotations of the function, what
`invoke` takes (text for the only argument, arguments by name, or the call of a model, which gets a message) and what it
refuses are those of langchain-core 0.3, whose schemas are pydantic's.
"""

from __future__ import annotations

import asyncio
import inspect
import types
import typing
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

_KINDS = {str: "string", int: "integer", float: "number", bool: "boolean"}


class ValidationError(ValueError):
    """The arguments do not fit the schema."""


@dataclass(frozen=True)
class ToolMessage:
    """What a model reads of a call."""

    content: str
    name: str
    tool_call_id: str
    status: str = "success"


@dataclass(frozen=True)
class ArgsSchema:
    """The schema of the arguments of a function."""

    name: str
    fields: dict[str, type]
    required: list[str]

    @classmethod
    def of(cls, name: str, function: Callable[..., Any]) -> ArgsSchema:
        """Reads it from the annotations."""
        hints = typing.get_type_hints(function)
        parameters = inspect.signature(function).parameters
        required = [one.name for one in parameters.values() if one.default is inspect.Parameter.empty]
        return cls(name, {one: hints[one] for one in parameters}, required)

    def model_json_schema(self) -> dict[str, Any]:
        """Returns it as JSON Schema."""
        properties = {
            name: {"title": name.replace("_", " ").title(), "type": _KINDS[kind]} for name, kind in self.fields.items()
        }
        return {"title": self.name, "type": "object", "properties": properties, "required": self.required}

    def validate(self, arguments: dict[str, Any]) -> dict[str, Any]:
        """Returns the arguments that it has. Others are left out, as pydantic does."""
        for name in self.required:
            if name not in arguments:
                raise ValidationError(f"{name}: Field required")
        known = {name: value for name, value in arguments.items() if name in self.fields}
        for name, value in known.items():
            if not isinstance(value, self.fields[name]):
                raise ValidationError(f"{name}: Input should be a valid {_KINDS[self.fields[name]]}")
        return known


class StructuredTool:
    """A tool of a function."""

    def __init__(
        self,
        *,
        name: str,
        description: str,
        args_schema: ArgsSchema,
        func: Callable[..., Any] | None = None,
        coroutine: Callable[..., Awaitable[Any]] | None = None,
    ) -> None:
        self.name, self.description, self.args_schema = name, description, args_schema
        self.func, self.coroutine = func, coroutine

    @classmethod
    def from_function(
        cls,
        func: Callable[..., Any] | None = None,
        coroutine: Callable[..., Awaitable[Any]] | None = None,
        name: str | None = None,
        description: str | None = None,
        return_direct: bool = False,
        args_schema: ArgsSchema | None = None,
        infer_schema: bool = True,
    ) -> StructuredTool:
        """Makes one."""
        source = func or coroutine
        if source is None:
            raise ValueError("Function and/or coroutine must be provided")
        name = name or source.__name__
        description = description or inspect.getdoc(source)
        if description is None:
            raise ValueError("Function must have a docstring if description not provided.")
        schema = args_schema or ArgsSchema.of(name, source)
        return cls(name=name, description=description, args_schema=schema, func=func, coroutine=coroutine)

    @property
    def args(self) -> dict[str, Any]:
        """The properties of the schema."""
        properties: dict[str, Any] = self.args_schema.model_json_schema()["properties"]
        return properties

    def invoke(self, input: str | dict[str, Any], config: Any = None) -> Any:
        """Calls the function."""
        if self.func is None:
            raise NotImplementedError("StructuredTool does not support sync invocation.")
        arguments, call = self._parsed(input)
        return self._formatted(self.func(**arguments), call)

    async def ainvoke(self, input: str | dict[str, Any], config: Any = None) -> Any:
        """Awaits the coroutine or, without one, calls the function in a thread."""
        if self.coroutine is None:
            return await asyncio.get_running_loop().run_in_executor(None, self.invoke, input, config)
        arguments, call = self._parsed(input)
        return self._formatted(await self.coroutine(**arguments), call)

    def _parsed(self, given: str | dict[str, Any]) -> tuple[dict[str, Any], str | None]:
        call = None
        if isinstance(given, dict) and given.get("type") == "tool_call":
            call, given = str(given["id"]), dict(given["args"])
        if isinstance(given, str):
            if len(self.args_schema.fields) != 1:
                raise ValidationError("text is for tools of one argument")
            given = {next(iter(self.args_schema.fields)): given}
        return self.args_schema.validate(given), call

    def _formatted(self, content: Any, call: str | None) -> Any:
        return content if call is None else ToolMessage(str(content), self.name, call)


def modules() -> dict[str, types.ModuleType]:
    """Returns the modules by their names."""
    package, tools = types.ModuleType("langchain_core"), types.ModuleType("langchain_core.tools")
    tools.__dict__.update(StructuredTool=StructuredTool, BaseTool=StructuredTool)
    package.__dict__.update(tools=tools)
    return {module.__name__: module for module in (package, tools)}
