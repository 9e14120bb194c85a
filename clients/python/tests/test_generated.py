# Copyright 2026 The kubectl-sandbox Authors.
# SPDX-License-Identifier: Apache-2.0
"""Generated files are what their sources say."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

TOOLS = Path(__file__).parent.parent / "tools"


@pytest.mark.parametrize("tool", ["generate.py", "reference.py"])
def test_generated_files_are_what_their_sources_say(tool: str) -> None:
    done = subprocess.run([sys.executable, TOOLS / tool, "--check"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
