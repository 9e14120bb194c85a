# Copyright 2026 The kubectl-sandbox Authors.
# SPDX-License-Identifier: Apache-2.0
"""A tool for LangChain agents that runs Python in a sandbox. It needs the package langchain-core.

    tool = python_tool(sandbox)
    agent = create_react_agent(model, [tool])
"""

from __future__ import annotations

from typing import Any

from code_interpreter import TOOL, run_python

from agent_sandbox_client import Sandbox


def python_tool(sandbox: Sandbox) -> Any:
    """Returns the tool."""
    from langchain_core.tools import StructuredTool

    def run(code: str) -> str:
        return run_python(sandbox, code)

    return StructuredTool.from_function(func=run, name=str(TOOL["name"]), description=str(TOOL["description"]))
