# Copyright 2026 The kubectl-sandbox Authors.
# SPDX-License-Identifier: Apache-2.0
"""A sandbox for programs in the cluster: a claim on a pool, and the runtime in the sandbox through the router."""
import json
import os
import shlex
import ssl
import sys
import time
import urllib.request

ACCOUNT = "/var/run/secrets/kubernetes.io/serviceaccount/"
CLAIMS = "https://%s:%s/apis/extensions.agents.x-k8s.io/v1beta1/namespaces/%s/sandboxclaims"


def read(name):
    with open(ACCOUNT + name) as file:
        return file.read()


def send(method, url, body=None, headers=None):
    data = None if body is None else json.dumps(body).encode()
    headers = {"Content-Type": "application/json", "Authorization": "Bearer " + read("token"), **(headers or {})}
    request = urllib.request.Request(url, data, headers, method=method)
    trusted = ssl.create_default_context(cafile=ACCOUNT + "ca.crt") if url.startswith("https:") else None
    with urllib.request.urlopen(request, context=trusted, timeout=300) as answer:
        return json.load(answer)


class Sandbox:
    """with Sandbox(pool) as box: box.execute("python3", "-c", "print(42)")"""

    def __init__(self, pool, seconds=3600):
        # The cluster deletes the sandbox after that time, also if this program was killed.
        end = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + seconds))
        self.claim = {
            "apiVersion": "extensions.agents.x-k8s.io/v1beta1", "kind": "SandboxClaim",
            "metadata": {"generateName": pool + "-"},
            "spec": {"warmPoolRef": {"name": pool}, "lifecycle": {"shutdownTime": end, "shutdownPolicy": "Delete"}},
        }
        self.namespace = read("namespace")
        self.claims = CLAIMS % (
            os.environ["KUBERNETES_SERVICE_HOST"], os.environ["KUBERNETES_SERVICE_PORT"], self.namespace)

    def __enter__(self):
        self.claim = send("POST", self.claims, self.claim)
        self.url = self.claims + "/" + self.claim["metadata"]["name"]
        try:
            self.wait(time.monotonic() + 300)
        except BaseException:
            self.__exit__()
            raise
        return self

    def wait(self, until):
        while True:
            conditions = send("GET", self.url).get("status", {}).get("conditions", [])
            ready = [c for c in conditions if c["type"] == "Ready"]
            if ready and ready[0]["status"] == "True":
                return
            if time.monotonic() > until:
                raise TimeoutError("%s is not ready: %s" % (self.url, ready))
            time.sleep(0.2)

    def execute(self, *command):
        """Runs a command and returns {"stdout": ..., "stderr": ..., "exit_code": ...}."""
        metadata = self.claim["metadata"]
        return send("POST", os.environ["ROUTER"] + "/execute", {"command": shlex.join(command)}, {
            "X-Sandbox-ID": metadata["name"], "X-Sandbox-Namespace": self.namespace, "X-Sandbox-UID": metadata["uid"],
        })

    def __exit__(self, *_):
        send("DELETE", self.url)


if __name__ == "__main__":
    with Sandbox(sys.argv[1]) as box:
        print(json.dumps(box.execute("python3", "-c", "print(6 * 7)")))
