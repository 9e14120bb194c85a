# Copyright 2026 The kubectl-sandbox Authors.
# SPDX-License-Identifier: Apache-2.0
"""A plugin of pytest that knows which public methods and functions of the client the tests call.

A run of all tests fails if one is not called, and writes all of them with the number of their tests to
$ARTIFACTS/python-methods.txt.
"""

from __future__ import annotations

import importlib
import inspect
import os
import pkgutil
import sys
import threading
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import pytest

import agent_sandbox_client

PACKAGE = agent_sandbox_client.__name__
#: What a call of a class or an operator means is public too.
OPERATORS = frozenset({"__init__", "__enter__", "__exit__", "__aenter__", "__aexit__", "__iter__", "__aiter__"})


def public() -> dict[str, CodeType]:
    """Returns the public functions and methods of all modules by their names."""
    found: dict[str, CodeType] = {}
    for info in pkgutil.walk_packages(agent_sandbox_client.__path__, f"{PACKAGE}."):
        module = importlib.import_module(info.name)
        for name, thing in vars(module).items():
            if getattr(thing, "__module__", None) != module.__name__ or name.startswith("_"):
                continue
            if inspect.isclass(thing):
                found.update(_methods(f"{module.__name__}.{name}", thing))
            elif (code := _code(thing)) is not None:
                found[f"{module.__name__}.{name}"] = code
    return found


def _methods(prefix: str, kind: type) -> dict[str, CodeType]:
    """Returns those that the class itself has. Bodies that only name a method do nothing, so nobody calls them."""
    found = {}
    for name, thing in vars(kind).items():
        code = _code(thing)
        if code is None or code.co_name == "<lambda>" or (name.startswith("_") and name not in OPERATORS):
            continue
        abstract = getattr(thing, "__isabstractmethod__", False) or getattr(kind, "_is_protocol", False)
        if Path(code.co_filename).is_file() and not abstract:  # others are made by dataclasses
            found[f"{prefix}.{name}"] = code
    return found


def _code(thing: Any) -> CodeType | None:
    """Returns the code that is in the source, also of properties, fixtures and context managers."""
    if isinstance(thing, property):
        thing = thing.fget
    elif isinstance(thing, (classmethod, staticmethod)):
        thing = thing.__func__
    elif hasattr(thing, "__pytest_wrapped__"):
        thing = thing.__pytest_wrapped__.obj
    thing = inspect.unwrap(thing) if callable(thing) else thing
    return thing.__code__ if inspect.isfunction(thing) else None


class PublicMethods:
    """The plugin."""

    def __init__(self) -> None:
        self.tests: dict[str, set[str]] = {}
        self._codes = public()
        self._called: set[int] = set()

    def pytest_sessionstart(self) -> None:
        """Begins to listen. A function that returns None is told of calls alone, which costs little."""
        sys.settrace(self._note)
        threading.settrace(self._note)

    def _note(self, frame: FrameType, event: str, value: object) -> None:
        self._called.add(id(frame.f_code))

    def pytest_runtest_logfinish(self, nodeid: str) -> None:
        """Notes what a test and its fixtures have called."""
        called, self._called = self._called, set()
        for name, code in self._codes.items():
            if id(code) in called:
                self.tests.setdefault(name, set()).add(nodeid)

    def uncalled(self) -> list[str]:
        """Returns the names of those that no test has called until now."""
        return sorted(self._codes.keys() - self.tests.keys())

    def pytest_collection_modifyitems(self, config: pytest.Config, items: list[pytest.Item]) -> None:
        """Moves the test of this to the end, and takes it out of a run of some of the tests."""
        last = [item for item in items if item.name == "test_every_public_method_is_called"]
        whole = config.args == config.getini("testpaths") and not config.option.keyword
        items[:] = [item for item in items if item not in last] + (last if whole else [])

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """Says how many there are, and writes the list."""
        missing = self.uncalled()
        called, total = len(self._codes) - len(missing), len(self._codes)
        terminalreporter.write_line(
            f"public methods and functions of the client that these tests call: {called} of {total}"
        )
        if artifacts := os.environ.get("ARTIFACTS"):
            lines = [f"{len(self.tests.get(name, ())):4}  {name.removeprefix(PACKAGE + '.')}" for name in self._codes]
            text = f"{called} of {total} are called; the numbers are those of the tests that call one\n"
            Path(artifacts, "python-methods.txt").write_text(text + "\n".join([*lines, ""]))
