# Copyright 2026 The kubectl-sandbox Authors.
# SPDX-License-Identifier: Apache-2.0
"""The programs of the guide, run from top to bottom."""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from fakes.kubernetes import FakeKubernetes

from agent_sandbox_client import AsyncSandboxClient, SandboxClient, SandboxDirectConnectionConfig

GUIDE = Path(__file__).parent.parent.parent.parent / "docs" / "guides" / "python.md"

SAID = """\
42
 0
It is 5050
working
done
stdout b'a\\x00b'
0
[0, 1, 4, 9, 16]
"""


def test_the_programs_of_the_guide_do_what_it_says(
    cluster: FakeKubernetes,
    direct: SandboxDirectConnectionConfig,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
) -> None:
    class Client(SandboxClient):
        def __init__(self, **options: Any) -> None:
            super().__init__(direct, access=cluster.access, **options)

    class AsyncClient(AsyncSandboxClient):
        def __init__(self, **options: Any) -> None:
            super().__init__(direct, access=cluster.access, **options)

    monkeypatch.setattr("agent_sandbox_client.SandboxClient", Client)
    monkeypatch.setattr("agent_sandbox_client.AsyncSandboxClient", AsyncClient)
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    # A thread of its own: asyncio.run forgets the loop that pytest-asyncio has set, and so nobody closes it.
    with ThreadPoolExecutor(1) as thread:
        for program in re.findall(r"^```python\n(.*?)^```$", GUIDE.read_text("utf-8"), re.MULTILINE | re.DOTALL):
            thread.submit(exec, compile(program, str(GUIDE), "exec"), names).result()
    out = capsys.readouterr().out
    assert re.sub(r"http://127.*\n", "", out).replace("done\n\n", "done\n").replace("\n\n", "\n") == SAID
    assert (tmp_path / "copy" / "main.py").read_text() == "print('hello')"
    names["test_it"](names["client"].create_sandbox("runtime-copied"))
    names["client"].delete_all()
    names["client"].close()
    assert cluster.names("sandboxclaims") == []
