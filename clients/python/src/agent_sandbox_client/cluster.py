# Copyright 2026 The kubectl-sandbox Authors.
# SPDX-License-Identifier: Apache-2.0
"""Where the API server is, and how this program authenticates to it."""

from __future__ import annotations

import os
import ssl
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from .exceptions import SandboxClusterError
from .proxies import proxy_for
from .text import printable


@dataclass(frozen=True)
class ClusterAccess:
    """How to reach an API server.

    Attributes:
        host: Its URL.
        tls: The certificates that it needs and gets; None for HTTP.
        authorization: Returns the Authorization header, or None. A token that expires is renewed.
        proxy: The URL of the proxy, or None.
    """

    host: str
    tls: ssl.SSLContext | None = None
    authorization: Callable[[], str | None] = field(default=lambda: None)
    proxy: str | None = None

    def token(self) -> str | None:
        """Returns the bearer token, or None if the program authenticates in another way."""
        kind, _, token = (self.authorization() or "").partition(" ")
        return token if kind.lower() == "bearer" and token else None


def load(kubeconfig: str | None = None, context: str | None = None) -> ClusterAccess:
    """Reads the credentials of a Pod or, elsewhere, of a kubeconfig, as kubectl does."""
    from kubernetes import client, config  # takes half a second

    configuration = client.Configuration()
    configuration.proxy = None  # newer ones take it from the environment, without regard to NO_PROXY
    kubeconfig = kubeconfig or os.environ.get("KUBECONFIG") or None  # the package knows only the one of its import
    try:
        if kubeconfig is None and context is None and _in_cluster(config.incluster_config.SERVICE_TOKEN_FILENAME):
            config.load_incluster_config(client_configuration=configuration)
        else:
            config.load_kube_config(config_file=kubeconfig, context=context, client_configuration=configuration)
    except (config.ConfigException, OSError, ValueError) as error:
        raise _unsent(
            f"there is no cluster: {printable(error)}. Set KUBECONFIG, or run the program in a Pod"
        ) from error
    return access(configuration)


def _in_cluster(token_file: str) -> bool:
    """Returns whether this is a Pod with a ServiceAccount."""
    return bool(os.environ.get("KUBERNETES_SERVICE_HOST")) and os.path.isfile(token_file)


def _unsent(message: str) -> SandboxClusterError:
    error = SandboxClusterError(message)
    error.unsent = True
    return error


def access(configuration: Any) -> ClusterAccess:
    """Returns the access that a Configuration of the kubernetes package describes."""
    host = str(configuration.host).rstrip("/")
    proxy = configuration.proxy or proxy_for(host, os.environ)

    def authorization() -> str | None:
        try:
            header = configuration.get_api_key_with_prefix("authorization") or _basic(configuration)
        except (
            Exception
        ) as problem:  # a token file or a program of a kubeconfig that is gone, and whatever that one says
            raise _unsent(f"the credentials for {host} cannot be read: {printable(problem)}") from problem
        return header.strip() if header else None

    return ClusterAccess(host, _tls(configuration, host), authorization, proxy)


def _basic(configuration: Any) -> str | None:
    return configuration.get_basic_auth_token() if configuration.username else None


def _tls(configuration: Any, host: str) -> ssl.SSLContext | None:
    if not host.startswith("https://"):
        return None
    context = ssl.create_default_context(cafile=configuration.ssl_ca_cert)
    if not configuration.verify_ssl:
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    if configuration.cert_file:
        context.load_cert_chain(configuration.cert_file, configuration.key_file)
    return context
