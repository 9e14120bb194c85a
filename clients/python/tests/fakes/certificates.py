# Copyright 2026 The kubectl-sandbox Authors.
# SPDX-License-Identifier: Apache-2.0
"""Certificates of servers on this machine."""

from __future__ import annotations

import subprocess
from pathlib import Path


def make(directory: Path) -> Path:
    """Makes a key and a certificate for 127.0.0.1, signed by itself, and returns the file with both."""
    key, certificate, both = directory / "key.pem", directory / "certificate.pem", directory / "tls.pem"
    command = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
    command += ["-subj", "/CN=x", "-days", "1", "-addext", "subjectAltName=IP:127.0.0.1"]
    subprocess.run([*command, "-keyout", str(key), "-out", str(certificate)], check=True, capture_output=True)
    both.write_text(key.read_text() + certificate.read_text())
    return both
