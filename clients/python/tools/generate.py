# Copyright 2026 The kubectl-sandbox Authors.
# SPDX-License-Identifier: Apache-2.0
"""Generates the client without asyncio from the one with it: package _sync from package _async.

    python3 clients/python/tools/generate.py [--check]
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

SOURCE = Path(__file__).resolve().parent.parent / "src" / "agent_sandbox_client"
HEADER = "# Generated from ../_async/{} by tools/generate.py. Do not edit.\n"
OWN = {"__init__.py", "_io.py"}  # written by hand on both sides

WORDS = [
    (r"\bawait _io\.finish\((.*)\)$", r"\1"),
    (r"\basync (def|with|for)\b", r"\1"),
    (r"\bawait (\()?", r"\1"),
    (r"\basynccontextmanager\b", "contextmanager"),
    (r"\bAsyncIterator\b", "Iterator"),
    (r"\bAwaitable\[(.*?)\]", r"\1"),
    (r"\bAsync([A-Z]\w*)", r"\1"),
    (r"__a(enter|exit|iter|next)__", r"__\1__"),
    (r"\b_async\b", "_sync"),
    (r"\baclose\b", "close"),
    (r"\baread\b", "read"),
    (r"\baiter_bytes\b", "iter_bytes"),
]


def without_asyncio(text: str) -> str:
    """Returns the source of a module with the words that the other client has."""
    for pattern, replacement in WORDS:
        text = re.sub(pattern, replacement, text, flags=re.MULTILINE)
    return re.sub(r"^from collections\.abc import (.*)$", _names, text, flags=re.MULTILINE)


def _names(match: re.Match[str]) -> str:
    names = sorted(set(match[1].split(", ")) - {"Awaitable"})
    return f"from collections.abc import {', '.join(names)}"


def generated() -> dict[Path, str]:
    """Returns the files and what is in them."""
    files = {}
    for source in sorted((SOURCE / "_async").glob("*.py")):
        if source.name not in OWN:
            head, _, rest = source.read_text(encoding="utf-8").partition('"""')
            text = HEADER.format(source.name) + without_asyncio('"""' + rest)
            files[SOURCE / "_sync" / source.name] = head + text
    return files


def main() -> int:
    """Writes the files, or with --check says which ones are not as they should be."""
    stale = [
        path for path, text in generated().items() if not path.exists() or path.read_text(encoding="utf-8") != text
    ]
    for path in stale:
        if "--check" in sys.argv:
            print(f"{path} is not what its source says: run 'make generate'", file=sys.stderr)
        else:
            path.write_text(generated()[path], encoding="utf-8")
    return 1 if stale and "--check" in sys.argv else 0


if __name__ == "__main__":
    sys.exit(main())
