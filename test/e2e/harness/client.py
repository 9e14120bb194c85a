# Copyright 2026 The kubectl-sandbox Authors.
# SPDX-License-Identifier: Apache-2.0
#
# A client of a router, for a sandbox with Python. Its argument is JSON: address, headers, method, path, body. It prints the
# status and the body of the answer. With "until", the name of a file, it sends requests from several threads until the file
# exists, half of them over connections of their own, and prints how many were sent and what failed. After the first ones it
# creates the file with ".soon" after its name.
import http.client
import json
import os
import sys
import threading
import time

want = json.loads(sys.argv[1])
sent, failed = [], []


def send(connection):
    body = want.get("body")
    connection.request(want.get("method", "GET"), want.get("path", "/"), body, want["headers"])
    response = connection.getresponse()
    return response.status, response.read().decode(errors="replace")


def connect():
    return http.client.HTTPConnection(want["address"], timeout=60)


def load(keep):
    connection = connect()
    while not os.path.exists(want["until"]):
        try:
            status, text = send(connection)
            if status != 200:
                failed.append(f"{status} {text}")
        except Exception as error:  # whatever it is, the request failed
            failed.append(repr(error))
            connection.close()
        sent.append(1)
        if len(sent) == 50:
            open(want["until"] + ".soon", "w").close()
        if not keep:
            connection.close()
        time.sleep(0.02)


if "until" in want:
    threads = [threading.Thread(target=load, args=(i % 2 == 0,)) for i in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    print(json.dumps({"sent": len(sent), "failed": failed[:20]}))
else:
    status, text = send(connect())
    print(json.dumps({"status": status, "body": text}))
