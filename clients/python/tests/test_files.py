# Copyright 2026 The kubectl-sandbox Authors.
# SPDX-License-Identifier: Apache-2.0
"""Reading, writing and copying files."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from fakes.runtime import FakeRuntime

from agent_sandbox_client import (
    FileEntry,
    Sandbox,
    SandboxClient,
    SandboxRequestError,
    SandboxResponseTooLargeError,
)
from agent_sandbox_client._sync import files

NAMES = [
    "a.txt",
    "with space.txt",
    "名前/ü.txt",
    'quote".txt',
    "back\\slash",
    "percent%2Fsign",
    "a+b&c=d?#",
    "-rf",
    "dots...",
]


@pytest.fixture
def sandbox(client: SandboxClient) -> Sandbox:
    return client.create_sandbox("python")


@pytest.mark.parametrize("name", NAMES)
def test_a_file_of_any_name_comes_back(sandbox: Sandbox, runtime: FakeRuntime, name: str) -> None:
    content = bytes(range(256)) + b"\r\n--x"
    sandbox.files.write(name, content)
    assert (runtime.root / name).read_bytes() == content
    assert sandbox.files.read(name) == content
    assert sandbox.files.exists(name)
    entry = sandbox.files.list(str(Path(name).parent))[0]
    assert (entry.name, entry.size, entry.type, entry.mod_time > 1e9) == (
        Path(name).name,
        len(content),
        "file",
        True,
    )


def test_text_is_written_as_utf_8(sandbox: Sandbox) -> None:
    sandbox.files.write("/a.txt", "größe\n")
    assert sandbox.files.read("a.txt") == "größe\n".encode()


def test_a_path_that_leads_elsewhere_is_not_sent(sandbox: Sandbox, runtime: FakeRuntime) -> None:
    runtime.seen.clear()
    for path in ("../x", "a\0b", ""):
        with pytest.raises(ValueError, match="the path"):
            sandbox.files.write(path, b"")
        with pytest.raises(ValueError, match="the path"):
            sandbox.files.read(path)
    assert runtime.seen == []
    with pytest.raises(SandboxRequestError, match="403 outside of the base directory"):
        sandbox.files.read("../x", allow_unsafe_paths=True)
    with pytest.raises(SandboxRequestError, match="403 outside of the base directory"):
        sandbox.files.write("../x", b"", allow_unsafe_paths=True)


def test_what_does_not_exist(sandbox: Sandbox, tmp_path: Path) -> None:
    assert not sandbox.files.exists("none")
    uses: list[Callable[[], object]] = [
        lambda: sandbox.files.read("none"),
        lambda: sandbox.files.list("none"),
        lambda: sandbox.files.download("none", tmp_path / "none"),
    ]
    for use in uses:
        with pytest.raises(SandboxRequestError, match="404 no such file: none") as caught:
            use()
        assert caught.value.status_code == 404
        assert caught.value.response is not None
    assert list(tmp_path.glob("*none*")) == []


def test_reads_and_writes_are_repeated(sandbox: Sandbox, runtime: FakeRuntime, tmp_path: Path) -> None:
    source = tmp_path / "source"
    source.write_bytes(b"x" * 3_000_000)
    runtime.failures = [500, None, 503]
    sandbox.files.write("a", b"hello")
    runtime.failures = [None, 502, None]
    assert sandbox.files.read("a") == b"hello"
    runtime.failures = [None, 504]
    sandbox.files.upload(source, "b")
    runtime.failures = [None, 504]
    sandbox.files.download("b", tmp_path / "target")
    assert (tmp_path / "target").read_bytes() == source.read_bytes()
    runtime.failures = [500] * 6
    with pytest.raises(SandboxRequestError, match="500 a failure"):
        sandbox.files.read("a")
    assert runtime.failures == []


def test_a_file_that_is_too_large_to_read_can_be_downloaded(sandbox: Sandbox, tmp_path: Path) -> None:
    sandbox.files.write("a", b"12345")
    with pytest.raises(SandboxResponseTooLargeError, match="more than 4 bytes"):
        sandbox.files.read("a", max_size=4)
    sandbox.files.download("a", tmp_path / "a")
    assert (tmp_path / "a").read_bytes() == b"12345"


def test_directories_go_there_and_back(sandbox: Sandbox, runtime: FakeRuntime, tmp_path: Path) -> None:
    source = tmp_path / "source"
    (source / "deep" / "er").mkdir(parents=True)
    (source / "empty dir").mkdir()
    (source / "run.sh").write_text("#!/bin/sh\necho ran\n")
    (source / "run.sh").chmod(0o755)
    (source / "deep" / "er" / "ü").write_bytes(b"\0\xff")
    (source / "link").symlink_to("run.sh")
    sandbox.files.upload(source, "there/project")
    assert sandbox.commands.run("./there/project/run.sh").stdout == "ran\n"
    assert (runtime.root / "there" / "project" / "empty dir").is_dir()
    sandbox.files.download("there/project", tmp_path / "back")
    names = sorted(path.relative_to(tmp_path / "back").as_posix() for path in (tmp_path / "back").rglob("*"))
    assert names == ["deep", "deep/er", "deep/er/ü", "empty dir", "link", "run.sh"]
    assert (tmp_path / "back" / "deep" / "er" / "ü").read_bytes() == b"\0\xff"


def test_a_single_file_stays_executable(sandbox: Sandbox, tmp_path: Path) -> None:
    (tmp_path / "run.sh").write_text("#!/bin/sh\necho ran\n")
    (tmp_path / "run.sh").chmod(0o755)
    sandbox.files.upload(tmp_path / "run.sh", "tools/run")
    assert sandbox.commands.run("tools/run").stdout == "ran\n"


def test_what_the_sandbox_cannot_make_is_said(sandbox: Sandbox, tmp_path: Path) -> None:
    (tmp_path / "source" / "empty").mkdir(parents=True)
    sandbox.files.write("taken", b"")
    with pytest.raises(SandboxRequestError, match="mkdir in the sandbox: mkdir: "):
        sandbox.files.upload(tmp_path / "source", "taken")


def test_a_file_that_becomes_shorter_is_not_sent_as_if_it_were_whole(tmp_path: Path) -> None:
    source = tmp_path / "source"
    source.write_bytes(b"abc")
    with source.open("rb") as file, pytest.raises(OSError, match="has become shorter"):
        list(files._parts(b"", file, 5, b""))


def test_a_directory_with_what_cannot_be_copied(sandbox: Sandbox, tmp_path: Path) -> None:
    source = tmp_path / "source"
    source.mkdir()
    (source / "loop").symlink_to(source)
    with pytest.raises(ValueError, match="link to a directory"):
        sandbox.files.upload(source, "x")
    (source / "loop").unlink()
    os.mkfifo(source / "pipe")
    with pytest.raises(ValueError, match="is no file"):
        sandbox.files.upload(source, "x")
    with pytest.raises(FileNotFoundError):
        sandbox.files.upload(tmp_path / "none", "x")


def test_a_sandbox_does_not_choose_where_files_go(
    sandbox: Sandbox, runtime: FakeRuntime, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (runtime.root / "d").mkdir()
    (runtime.root / "d" / "x").touch()
    entry: Any = {"name": "../../evil", "size": 1, "type": "file", "mod_time": 0}
    monkeypatch.setattr(sandbox.files, "list", lambda path, timeout: [FileEntry(**entry)])
    with pytest.raises(ValueError, match="no name"):
        sandbox.files.download("d", tmp_path / "down")
    assert not (tmp_path / "evil").exists()


def test_a_link_that_leads_back_has_an_end(sandbox: Sandbox, runtime: FakeRuntime, tmp_path: Path) -> None:
    (runtime.root / "d").mkdir()
    (runtime.root / "d" / "x").symlink_to(runtime.root / "d")
    with pytest.raises(ValueError, match="more than 64 directories deep"):
        sandbox.files.download("d", tmp_path / "down")


@pytest.mark.parametrize("entry", [{"name": "x"}, 1, {"name": "x", "size": "big", "type": "file", "mod_time": 0}])
def test_a_list_that_is_none(
    sandbox: Sandbox, runtime: FakeRuntime, monkeypatch: pytest.MonkeyPatch, entry: Any
) -> None:
    monkeypatch.setattr("fakes.runtime._Handler._entry", lambda *_: entry)
    (runtime.root / "x").touch()
    with pytest.raises(SandboxRequestError, match="not as the contract says"):
        sandbox.files.list(".")
