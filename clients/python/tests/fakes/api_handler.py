# Copyright 2026 The kubectl-sandbox Authors.
# SPDX-License-Identifier: Apache-2.0
"""The requests that the fake API server answers."""

from __future__ import annotations

import copy
import functools
import json
import urllib.parse
from typing import TYPE_CHECKING, Any

from .objects import Object
from .portforward import serve
from .server import Handler

if TYPE_CHECKING:
    from .kubernetes import FakeKubernetes


class ApiHandler(Handler):
    """Answers the requests of one connection."""

    fake: FakeKubernetes

    def _parse(self) -> tuple[str, str, str, dict[str, str]]:
        parts = urllib.parse.urlsplit(self.path)
        words = parts.path.strip("/").split("/")
        query = {name: values[0] for name, values in urllib.parse.parse_qs(parts.query).items()}
        namespace = words[words.index("namespaces") + 1]
        rest = words[words.index("namespaces") + 2 :]
        return namespace, rest[0], rest[1] if len(rest) > 1 else "", query

    def _refused(self, verb: str, plural: str, name: str) -> bool:
        fake = self.fake
        fake.calls.append((verb, plural, name))
        if fake.accepted is not None and self.headers.get("Authorization", "") not in fake.accepted:
            self.answer(401, {"kind": "Status", "message": "Unauthorized"})
            return True
        for index, (what, kind, status) in enumerate(fake.failing):
            if (what, kind) == (verb, plural):
                del fake.failing[index]
                self.answer(status, {"message": "the server is busy"}, {"Retry-After": "0"})
                return True
        if plural in fake.unserved:
            self.answer_bytes(404, b"404 page not found\n", {"Content-Type": "text/plain"})
            return True
        if fake.hanging.get((verb, plural)) is False:
            fake.ended.wait()
            self.hang_up()
            return True
        if (verb, plural) not in fake.forbidden:
            return False
        message = f'{plural} is forbidden: User "agent" cannot {verb} resource "{plural}"'
        self.answer(403, {"kind": "Status", "message": message})
        return True

    def _reply(self, verb: str, plural: str, status: int, value: Any) -> None:
        if (verb, plural) in self.fake.hanging:
            self.fake.ended.wait()
        if (verb, plural) in self.fake.broken:
            self.fake.broken.remove((verb, plural))
            self.hang_up()
            return
        self.answer(status, value)

    def _discover(self) -> None:
        """Answers GET /apis/GROUP and /apis/GROUP/VERSION."""
        group, _, version = self.path.removeprefix("/apis/").partition("/")
        if self._refused("get", group, version):
            return
        versions = [one for name, one in self.fake.groups if name == group]
        if versions and not version:
            self.answer(200, {"kind": "APIGroup", "preferredVersion": {"version": versions[0]}})
        elif (group, version) in self.fake.groups:
            kinds = [{"name": name} for name in self.fake.groups[(group, version)]]
            self.answer(200, {"kind": "APIResourceList", "resources": kinds})
        else:
            self.answer_bytes(404, b"404 page not found\n", {"Content-Type": "text/plain"})

    def do_GET(self) -> None:
        if "/namespaces/" not in self.path:
            self._discover()
            return
        namespace, plural, name, query = self._parse()
        if self.path.split("?")[0].endswith("/portforward"):
            self.close_connection = True
            serve(self, self.fake, name, int(query["ports"]))
            return
        verb = "watch" if "watch" in query else "get" if name else "list"
        if self._refused(verb, plural, name):
            return
        if verb == "watch":
            self._watch(plural, namespace, query["fieldSelector"].partition("=")[2], float(query["timeoutSeconds"]))
        elif verb == "list":
            self._list(plural, namespace, query)
        else:
            thing = self.fake.objects.get((plural, namespace, name))
            missing = {"kind": "Status", "message": f'{plural} "{name}" not found'}
            self._reply(verb, plural, 404 if thing is None else 200, missing if thing is None else thing)

    def _list(self, plural: str, namespace: str, query: dict[str, str]) -> None:
        wanted = dict(part.split("=") for part in query.get("labelSelector", "").split(",") if part)
        items = [
            thing
            for (kind, space, _), thing in self.fake.objects.items()
            if (kind, space) == (plural, namespace) and wanted.items() <= thing["metadata"].get("labels", {}).items()
        ]
        start, size = int(query.get("continue", 0)), 2  # a part is small, so that clients need more than one
        more = {"continue": str(start + size)} if start + size < len(items) else {}
        self._reply("list", plural, 200, {"metadata": more, "items": items[start : start + size]})

    def _watch(self, plural: str, namespace: str, name: str, seconds: float) -> None:
        fake = self.fake
        with fake.changed:
            thing, seen, cuts = fake.objects.get((plural, namespace, name)), len(fake.events), fake.cuts
        self.begin_chunks("application/json")
        if thing is not None:
            self.chunk(json.dumps({"type": "ADDED", "object": thing}).encode() + b"\n")
        if ("watch", plural) in fake.broken:
            fake.broken.remove(("watch", plural))
            self.hang_up()
            return
        while True:
            with fake.changed:
                if not fake.changed.wait_for(functools.partial(fake.has_more, seen, cuts), min(seconds, 1)):
                    break
                new, seen = fake.events[seen:], len(fake.events)
            if fake.cuts != cuts:
                self.hang_up()
                return
            for kind, event, changed in new:
                if kind == plural and changed["metadata"]["name"] == name:
                    line = json.dumps({"type": event, "object": changed}).encode() + b"\n"
                    self.chunk(line[:20])  # lines do not come in one piece
                    self.chunk(line[20:])
        self.chunk(b"")

    def do_POST(self) -> None:
        namespace, plural, _, query = self._parse()
        thing = json.loads(self.body())
        name = thing["metadata"]["name"]
        if self._refused("create", plural, name):
            return
        unknown = self._unknown(thing["spec"], query)
        if unknown:
            self.answer(400, {"message": f'strict decoding error: unknown field "spec.{unknown[0]}"'})
        elif (plural, namespace, name) in self.fake.objects:
            self.answer(409, {"message": f'{plural} "{name}" already exists'})
        else:
            made = self.fake.put(plural, thing, "ADDED")
            self._reply("create", plural, 201, made)
            self.fake.operator(self.fake, made)

    def _unknown(self, spec: Object, query: dict[str, str]) -> list[str]:
        """Returns the fields that are errors. By default, an API server drops them."""
        return [field for field in spec if field in self.fake.strict and query.get("fieldValidation") == "Strict"]

    def do_PATCH(self) -> None:
        namespace, plural, name, query = self._parse()
        patch = json.loads(self.body())
        if self._refused("patch", plural, name):
            return
        unknown = self._unknown(patch["spec"], query)
        found = self.fake.objects.get((plural, namespace, name))
        if unknown:
            self.answer(400, {"message": f'strict decoding error: unknown field "spec.{unknown[0]}"'})
        elif found is None:
            self.answer(404, {"message": f'{plural} "{name}" not found'})
        elif any(found["metadata"][key] != value for key, value in patch.get("metadata", {}).items()):
            self.answer(409, {"message": f"{plural} {name}: Precondition failed"})
        else:
            changed = self.fake.put(plural, _merged(found, patch))
            self._reply("patch", plural, 200, changed)
            if plural == "sandboxes":
                self.fake.react(changed)

    def do_DELETE(self) -> None:
        namespace, plural, name, _ = self._parse()
        if self._refused("delete", plural, name):
            return
        removed = self.fake.remove(plural, namespace, name)
        self._reply("delete", plural, 200 if removed else 404, {"message": f'{plural} "{name}" not found'})


def _merged(thing: Object, patch: Object) -> Object:
    merged = copy.deepcopy(thing)
    for key, value in patch.items():
        merged[key] = _merged(merged.get(key, {}), value) if isinstance(value, dict) else value
    return merged
