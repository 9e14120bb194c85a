# Copyright 2026 The kubectl-sandbox Authors.
# SPDX-License-Identifier: Apache-2.0
"""Generated files are what their sources say."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

TOOLS = Path(__file__).parent.parent / "tools"


def test_the_client_without_asyncio_is_the_one_with_it() -> None:
    done = subprocess.run(
        [sys.executable, TOOLS / "generate.py", "--check"], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
