# Copyright 2026 The kubectl-sandbox Authors.
# SPDX-License-Identifier: Apache-2.0
"""Directories of this machine."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path


@dataclass
class Tree:
    """What is in a directory, as paths below it with slashes.

    Attributes:
        empty: The directories without entries.
        executable: Those of the files that can be executed.
    """

    files: list[str] = field(default_factory=list)
    empty: list[str] = field(default_factory=list)
    executable: list[str] = field(default_factory=list)


def scan(root: Path) -> Tree:
    """Lists a directory. Raises ValueError for what cannot be copied."""
    tree = Tree()
    for directory, directories, files in os.walk(root, onerror=_fail):
        here = Path(directory)
        for name in directories:
            if (here / name).is_symlink():
                raise ValueError(f"{here / name} is a link to a directory: copy what it leads to instead")
        if not directories and not files:
            tree.empty.append(here.relative_to(root).as_posix())
        for name in sorted(files):
            path = here / name
            if not path.is_file():
                raise ValueError(f"{path} is no file: only files and directories can be copied")
            inner = path.relative_to(root).as_posix()
            tree.files.append(inner)
            if os.access(path, os.X_OK):
                tree.executable.append(inner)
    return tree


def _fail(error: OSError) -> None:
    raise error
