# Copyright 2026 The kubectl-sandbox Authors.
# SPDX-License-Identifier: Apache-2.0
"""Uses a sandbox as a foreign SDK does: over the API of Kubernetes, and over HTTP through the router.

It needs the standard library alone and shares nothing with the Go code, so that a change of the contract shows. It runs
in a Pod and reads the environment: ROUTER (http://host:port), TEMPLATE, WARMPOOL (none, or default), LAUNCH (cold or
warm), STRANGER (a token of another tenant). It prints a line for each check, and its exit code is 1 if one failed.
"""

import base64
import contextlib
import hashlib
import http.client
import json
import os
import socket
import ssl
import struct
import sys
import time
import urllib.parse
import uuid

ACCOUNT = "/var/run/secrets/kubernetes.io/serviceaccount/"
CLAIMS = "/apis/extensions.agents.x-k8s.io/v1beta1/namespaces/{}/sandboxclaims"
SANDBOXES = "/apis/agents.x-k8s.io/v1beta1/namespaces/{}/sandboxes"
PATIENCE = 120  # seconds

failed = 0


def check(what, got, want=True):
    """Prints whether got is what is wanted. A set means one of it."""
    global failed
    if got == want or isinstance(want, set) and got in want:
        print("ok      " + what, flush=True)
        return
    failed += 1
    print("FAILED  {}: got {!r}, want {!r}".format(what, got, want), flush=True)


def read(name):
    with open(ACCOUNT + name, encoding="utf-8") as file:
        return file.read()


class Answer:
    """The answer to an HTTP request, completely read."""

    def __init__(self, response):
        self.status, self.headers, self.body = response.status, response.headers, response.read()

    def json(self):
        try:
            return json.loads(self.body)
        except ValueError:
            return self.body


class Kubernetes:
    """The API server, as the ServiceAccount of the Pod."""

    def __init__(self):
        self.namespace, self.token = read("namespace"), read("token")
        self.tls = ssl.create_default_context(cafile=ACCOUNT + "ca.crt")

    def connect(self):
        host, port = os.environ["KUBERNETES_SERVICE_HOST"], os.environ["KUBERNETES_SERVICE_PORT"]
        return http.client.HTTPSConnection(host, int(port), context=self.tls, timeout=PATIENCE)

    def send(self, connection, method, path, body=None, kind="application/json"):
        headers = {"Authorization": "Bearer " + self.token, "Content-Type": kind, "Accept": "application/json"}
        connection.request(method, path.format(self.namespace), json.dumps(body) if body else None, headers)
        return connection.getresponse()

    def ask(self, *request):
        with contextlib.closing(self.connect()) as connection:
            return Answer(self.send(connection, *request))

    def watch(self, path, name, enough):
        """Returns the first state of an object that is enough. A watch that ends is started again."""
        deadline = time.monotonic() + PATIENCE
        query = "?watch=true&timeoutSeconds=30&fieldSelector=metadata.name%3D" + name
        while time.monotonic() < deadline:
            with contextlib.closing(self.connect()) as connection:
                for line in self.send(connection, "GET", path + query):
                    event = json.loads(line)
                    if enough(event["type"], event["object"]):
                        return event["object"]
        raise TimeoutError("nothing that was waited for happened to " + name)


def condition(thing, kind):
    found = [c for c in thing.get("status", {}).get("conditions", []) if c["type"] == kind]
    return (found[0]["status"], found[0]["reason"]) if found else (None, None)


def ready(event, thing):
    if event == "DELETED":
        raise RuntimeError("it was deleted")
    return condition(thing, "Ready")[0] == "True"


class Router:
    """The router, with the headers that choose a sandbox."""

    def __init__(self, token, **headers):
        url = urllib.parse.urlsplit(os.environ["ROUTER"])
        self.address = (url.hostname, url.port)
        self.headers = {"Authorization": "Bearer " + token} if token else {}
        self.headers.update(("X-Sandbox-" + name.replace("_", "-"), str(value)) for name, value in headers.items())

    def open(self, method, path, body=None, headers=None):
        connection = http.client.HTTPConnection(*self.address, timeout=PATIENCE)
        connection.request(method, path, body, {**self.headers, **(headers or {})})
        return connection, connection.getresponse()

    def ask(self, *request):
        connection, response = self.open(*request)
        with contextlib.closing(connection):
            return Answer(response)

    def execute(self, command):
        return self.ask("POST", "/execute", json.dumps({"command": command}), {"Content-Type": "application/json"})

    def upload(self, name, content):
        boundary = uuid.uuid4().hex
        body = ('--{0}\r\nContent-Disposition: form-data; name="file"; filename="{1}"\r\n'
                'Content-Type: application/octet-stream\r\n\r\n').format(boundary, name).encode()
        body += content + "\r\n--{}--\r\n".format(boundary).encode()
        return self.ask("POST", "/upload", body, {"Content-Type": "multipart/form-data; boundary=" + boundary})

    def at(self, path, name):
        """GET of a path that is one escaped segment, as SDKs send it."""
        return self.ask("GET", "/" + path + "/" + urllib.parse.quote(name, safe=""))


def refused(what, answer, *statuses):
    check(what, answer.status, set(statuses))
    body = answer.json()
    check(what + ", as JSON with a detail", isinstance(body, dict) and list(body) == ["detail"] and
          isinstance(body["detail"], str) and answer.headers.get_content_type() == "application/json" or answer.body)


def claim(kubernetes, name):
    """Creates a claim and returns the name of its sandbox when it is ready."""
    spec = {"sandboxTemplateRef": {"name": os.environ["TEMPLATE"]}, "warmpool": os.environ["WARMPOOL"]}
    body = {"apiVersion": "extensions.agents.x-k8s.io/v1beta1", "kind": "SandboxClaim",
            "metadata": {"name": name, "labels": {"created-by": "foreign-sdk"}}, "spec": spec}
    check("a claim is created", kubernetes.ask("POST", CLAIMS, body).status, 201)
    check("a second one of that name is refused", kubernetes.ask("POST", CLAIMS, body).status, 409)
    resolved = kubernetes.watch(CLAIMS, name, lambda _, it: it.get("status", {}).get("sandbox", {}).get("name"))
    sandbox = resolved["status"]["sandbox"]["name"]
    bound = kubernetes.watch(CLAIMS, name, ready)
    check("the claim keeps its sandbox", bound["status"]["sandbox"]["name"], sandbox)
    check("the sandbox of a cold claim has its name, that of a warm one another",
          sandbox == name, os.environ["LAUNCH"] == "cold")
    it = kubernetes.watch(SANDBOXES, sandbox, ready)
    check("the sandbox has an address", bool(it["status"]["podIPs"][0]))
    check("the claim has it too", bound["status"]["sandbox"]["podIPs"], it["status"]["podIPs"])
    check("the sandbox names its Pod", bool(it["metadata"]["annotations"]["agents.x-k8s.io/pod-name"]))
    check("its selector is the hash of its name", it["status"]["selector"].partition("=")[0],
          "agents.x-k8s.io/sandbox-name-hash")
    check("how it was launched", it["metadata"]["labels"]["agents.x-k8s.io/launch-type"], os.environ["LAUNCH"])
    older = kubernetes.ask("GET", CLAIMS.replace("v1beta1", "v1alpha1") + "/" + name).json()
    check("older clients see the same claim", older["spec"], bound["spec"])
    found = kubernetes.ask("GET", CLAIMS + "?labelSelector=created-by%3Dforeign-sdk").json()["items"]
    check("the claim is listed by its label", name in [item["metadata"]["name"] for item in found])
    return sandbox


def commands(router):
    got = router.ask("GET", "/")
    check("the runtime answers", (got.status, got.json()), (200, {"status": "ok"}))
    got = router.execute("python3 -c 'import sys; print(6 * 7); print(\"oh\", file=sys.stderr); sys.exit(3)'")
    check("a command runs", (got.status, got.json()), (200, {"stdout": "42\n", "stderr": "oh\n", "exit_code": 3}))
    check("no shell expands it", router.execute("echo $HOME '*'").json().get("stdout"), "$HOME *\n")
    got = router.execute("no-such-program").json()
    check("one that does not start has code 1", (got["exit_code"], bool(got["stderr"])), (1, True))
    refused("a body that is no JSON", router.ask("POST", "/execute", "{"), 400, 422)


def files(router):
    content = os.urandom(1 << 20)
    got = router.upload("data/blob.bin", content)
    check("a file is uploaded", got.status, 200)
    got = router.at("download", "data/blob.bin")
    check("it comes back", (got.status, got.body == content), (200, True))
    check("as bytes", got.headers.get_content_type(), "application/octet-stream")
    got = router.at("list", "data")
    entry = got.json()[0] if got.status == 200 else {}
    check("it is listed", {**entry, "mod_time": entry.get("mod_time", 0) > 1e9},
          {"name": "blob.bin", "size": 1 << 20, "type": "file", "mod_time": True})
    entries = [(entry["name"], entry["type"]) for entry in router.at("list", ".").json()]
    check("so is its directory", ("data", "directory") in entries)
    check("it exists", router.at("exists", "data/blob.bin").json(), {"path": "data/blob.bin", "exists": True})
    check("another does not", router.at("exists", "data/other").json(), {"path": "data/other", "exists": False})
    refused("what does not exist is not found", router.at("download", "data/other"), 404)
    refused("nothing outside is read", router.at("download", "../../etc/passwd"), 403)
    refused("nothing outside is written", router.upload("../../etc/passwd", b"x"), 403)


def access(kubernetes, sandbox):
    got = Router("").ask("GET", "/healthz")
    check("the router is well", (got.status, got.json()), (200, {"status": "ok"}))
    own, here = kubernetes.token, kubernetes.namespace
    refused("no sandbox is named", Router(own).ask("GET", "/"), 400)
    refused("no token", Router("", ID=sandbox, Namespace=here).ask("GET", "/"), 401)
    refused("a token that somebody made up", Router("x.y.z", ID=sandbox, Namespace=here).ask("GET", "/"), 401)
    stranger = Router(os.environ["STRANGER"], ID=sandbox, Namespace=here)
    refused("another tenant's token", stranger.execute("true"), 403)
    refused("a sandbox of another namespace", Router(own, ID=sandbox, Namespace="kube-system").ask("GET", "/"), 403)
    refused("a sandbox of the default namespace", Router(own, ID=sandbox).ask("GET", "/"), 403)
    refused("a sandbox that does not exist", Router(own, ID="nobody", Namespace=here).ask("GET", "/"), 404)
    for port in ("0", "70000", "http"):
        refused("port " + port, Router(own, ID=sandbox, Namespace=here, Port=port).ask("GET", "/"), 400)
    for name in ("..", "a.b/c", "[::1]", "x" * 300):
        refused("the name " + name[:9], Router(own, ID=name, Namespace=here).ask("GET", "/"), 400)
    refused("a namespace that is a host", Router(own, ID=sandbox, Namespace="a.example").ask("GET", "/"), 400)
    refused("nobody listens", Router(own, ID=sandbox, Namespace=here, Port=9).ask("GET", "/"), 502)
    slow = Router(own, ID=sandbox, Namespace=here, Timeout=0.5)
    refused("the answer takes longer than the client waits", slow.execute("sleep 30"), 504)
    wrong = Router(own, ID=sandbox, Namespace=here, Pod_IP="192.0.2.1").ask("GET", "/")
    check("an address that is not the sandbox's is ignored", wrong.status, 200)
    uid = kubernetes.ask("GET", SANDBOXES + "/" + sandbox).json()["metadata"]["uid"]
    check("the UID is right", Router(own, ID=sandbox, Namespace=here, UID=uid).ask("GET", "/").status, 200)
    refused("the UID is another one's", Router(own, ID=sandbox, Namespace=here, UID=uuid.uuid4()).ask("GET", "/"), 404)


def serve(router, web):
    """Starts server.py in the sandbox."""
    with open(os.path.join(os.path.dirname(__file__), "server.py"), "rb") as file:
        check("a program is uploaded", router.upload("server.py", file.read()).status, 200)
    router.execute("sh -c 'python3 server.py 9000 >/dev/null 2>&1 &'")
    deadline = time.monotonic() + PATIENCE
    while web.ask("GET", "/").status != 200 and time.monotonic() < deadline:
        time.sleep(0.2)


def streams(web):
    got = web.ask("GET", "/a%2Fb//c%20?x=%2F", None, {"Traceparent": "00-" + "1" * 32 + "-" + "2" * 16 + "-00"}).json()
    check("the path arrives byte for byte", got["path"], "/a%2Fb//c%20?x=%2F")
    check("the token does not", got["headers"].get("authorization"), None)
    check("the trace does", got["headers"].get("traceparent", "")[:36], "00-" + "1" * 32 + "-")
    got = web.ask("POST", "/agent", json.dumps({"query": "hello"}), {"Content-Type": "application/json"})
    check("an agent is asked", (got.status, got.json()), (200, {"stdout": "hello", "stderr": "", "exit_code": 0}))
    connection, events = web.open("GET", "/events", None, {"Accept": "text/event-stream"})
    with contextlib.closing(connection):
        check("events are a stream", events.headers.get_content_type(), "text/event-stream")
        first = events.readline() + events.readline()
        check("the first event comes before the second is sent", first, b"data: first\n\n")
        check("the second is asked for", web.ask("POST", "/go", b"").status, 200)
        check("the second event comes, and the end", events.read(), b"data: second\n\n")


def frame(connection, kind, data):
    """Sends a WebSocket frame of less than 64 KiB, masked, and returns the kind and the data of the next one."""
    mask = os.urandom(4)
    size = bytes([0x80 | len(data)]) if len(data) < 126 else b"\xfe" + struct.pack("!H", len(data))
    connection.write(bytes([0x80 | kind]) + size + mask + bytes(byte ^ mask[i % 4] for i, byte in enumerate(data)))
    connection.flush()
    first, length = connection.read(2)
    if length == 126:
        (length,) = struct.unpack("!H", connection.read(2))
    return first & 0x0F, connection.read(length)


def websocket(web):
    key = base64.b64encode(os.urandom(16)).decode()
    lines = ["GET /socket HTTP/1.1", "Host: sandbox", "Upgrade: websocket", "Connection: Upgrade",
             "Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: " + key]
    lines += [name + ": " + value for name, value in web.headers.items()]
    with socket.create_connection(web.address, PATIENCE) as raw, raw.makefile("rwb") as connection:
        connection.write("\r\n".join(lines + ["", ""]).encode())
        connection.flush()
        status = connection.readline().split()[1]
        headers = http.client.parse_headers(connection)
        check("a WebSocket opens", status, b"101")
        accept = hashlib.sha1(key.encode() + b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11").digest()
        check("its key is accepted", headers.get("Sec-WebSocket-Accept"), base64.b64encode(accept).decode())
        for data in (b"hello", b"x" * 4000):
            check("a message of {} bytes comes back".format(len(data)), frame(connection, 1, data), (1, data))
        check("the end comes back", frame(connection, 8, b"\x03\xe8"), (8, b"\x03\xe8"))
        check("then the connection ends", connection.read(), b"")


def suspend_and_resume(router, kubernetes, sandbox):
    merge = "application/merge-patch+json"
    path = SANDBOXES + "/" + sandbox
    check("it is suspended", kubernetes.ask("PATCH", path, {"spec": {"replicas": 0}}, merge).status, 200)
    kubernetes.watch(SANDBOXES, sandbox, lambda _, it: condition(it, "Suspended") == ("True", "PodTerminated"))
    got = router.ask("GET", "/")
    refused("a suspended sandbox does not answer", got, 503)
    check("the client is told when to try again", int(got.headers.get("Retry-After", 0)) > 0)
    check("it is resumed", kubernetes.ask("PATCH", path, {"spec": {"replicas": 1}}, merge).status, 200)
    kubernetes.watch(SANDBOXES, sandbox, ready)
    deadline = time.monotonic() + PATIENCE
    while router.ask("GET", "/").status == 503 and time.monotonic() < deadline:
        time.sleep(0.2)
    check("it runs commands again", router.execute("echo again").json().get("stdout"), "again\n")
    check("its temporary files are gone", router.at("exists", "data/blob.bin").json().get("exists"), False)


def delete(router, kubernetes, name, sandbox):
    check("the claim is deleted", kubernetes.ask("DELETE", CLAIMS + "/" + name).status, 200)
    deadline = time.monotonic() + PATIENCE
    while kubernetes.ask("GET", SANDBOXES + "/" + sandbox).status != 404 and time.monotonic() < deadline:
        time.sleep(0.2)
    check("its sandbox is gone", kubernetes.ask("GET", SANDBOXES + "/" + sandbox).status, 404)
    while (got := router.ask("GET", "/")).status != 404 and time.monotonic() < deadline:
        time.sleep(0.2)
    refused("the router does not find it any more", got, 404)


def main():
    kubernetes = Kubernetes()
    name = "sandbox-claim-" + uuid.uuid4().hex[:8]
    sandbox = claim(kubernetes, name)
    by_sandbox = Router(kubernetes.token, ID=sandbox, Namespace=kubernetes.namespace, Port=8888)
    by_claim = Router(kubernetes.token, ID=name, Namespace=kubernetes.namespace)
    web = Router(kubernetes.token, ID=sandbox, Namespace=kubernetes.namespace, Port=9000)
    commands(by_sandbox)
    files(by_sandbox)
    check("the name of the claim leads to it too", by_claim.at("exists", "data/blob.bin").json().get("exists"))
    access(kubernetes, sandbox)
    serve(by_sandbox, web)
    streams(web)
    websocket(web)
    suspend_and_resume(by_sandbox, kubernetes, sandbox)
    delete(by_claim, kubernetes, name, sandbox)
    print("{} checks failed".format(failed) if failed else "all is as agreed", flush=True)
    return 1 if failed else 0


sys.exit(main())
