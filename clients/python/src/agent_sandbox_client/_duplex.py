# Copyright 2026 The kubectl-sandbox Authors.
# SPDX-License-Identifier: Apache-2.0
"""HTTP requests whose body and response flow at the same time, as standard input and output of a command do.

httpx sends the whole body before it reads. A command that answers while it reads would then block: nobody reads what it
writes, so it reads no more.
"""

from __future__ import annotations

import asyncio
import contextlib
import ssl
import threading
import urllib.parse
from collections.abc import AsyncIterator, Coroutine, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

import h11

T = TypeVar("T")

_CHUNK = 64 * 1024
_CONNECT = 10.0  # seconds


@dataclass(frozen=True)
class Exchange:
    """A POST request.

    Attributes:
        timeout: How long the response may be silent, in seconds. None means for ever.
    """

    url: str
    headers: Mapping[str, str]
    tls: ssl.SSLContext | None
    timeout: float | None


class DuplexError(Exception):
    """The connection broke, or what is on the other side does not speak HTTP."""


class _Protocol:
    """The state of the connection, without its bytes' way."""

    def __init__(self, exchange: Exchange) -> None:
        self.parts = urllib.parse.urlsplit(exchange.url)
        self.connection = h11.Connection(h11.CLIENT)
        self.headers = [("Host", self.parts.netloc), ("Transfer-Encoding", "chunked"), *exchange.headers.items()]

    @property
    def address(self) -> tuple[str, int]:
        return self.parts.hostname or "", self.parts.port or (443 if self.parts.scheme == "https" else 80)

    def head(self) -> bytes:
        path = self.parts.path or "/"
        return self._send(h11.Request(method="POST", target=path, headers=self.headers))

    def data(self, part: bytes) -> bytes:
        return self._send(h11.Data(data=part)) if part else b""

    def end(self) -> bytes:
        return self._send(h11.EndOfMessage())

    def _send(self, event: h11.Request | h11.Data | h11.EndOfMessage) -> bytes:
        return self.connection.send(event) or b""

    def receive(self, data: bytes) -> list[h11.Response | h11.Data | h11.EndOfMessage]:
        """Returns what data completes."""
        events: list[h11.Response | h11.Data | h11.EndOfMessage] = []
        try:
            self.connection.receive_data(data)
            while not isinstance(event := self.connection.next_event(), type(h11.NEED_DATA)):
                if isinstance(event, (h11.Response, h11.Data, h11.EndOfMessage)):
                    events.append(event)
                if event is h11.PAUSED or isinstance(event, (h11.EndOfMessage, h11.ConnectionClosed)):
                    break
        except h11.ProtocolError as error:
            message = f"the response is no HTTP: {error}" if data else "the response broke off"
            raise DuplexError(message) from error
        return events


async def _within(work: Coroutine[Any, Any, T], seconds: float | None) -> T:
    """Awaits work that may take that long; None is for ever.

    asyncio.wait_for of Python 3.11 and earlier forgets a cancellation that comes together with the result.
    """
    task = asyncio.ensure_future(work)
    try:
        done, _ = await asyncio.wait({task}, timeout=seconds)
    except asyncio.CancelledError:
        task.cancel()
        raise
    if not done:
        task.cancel()
        raise asyncio.TimeoutError
    return task.result()


class AsyncDuplex:
    """A request of the asyncio client."""

    def __init__(self, exchange: Exchange) -> None:
        self._exchange, self._protocol = exchange, _Protocol(exchange)
        self._sending: asyncio.Task[None] | None = None
        self._failure: Exception | None = None
        self.status: int = 0

    async def open(self, body: AsyncIterator[bytes]) -> None:
        """Connects, begins to send, and returns when the status of the response is there."""
        host, port = self._protocol.address
        server = host if self._exchange.tls else None
        connecting = asyncio.open_connection(host, port, ssl=self._exchange.tls, server_hostname=server)
        try:
            self._reader, self._writer = await _within(connecting, _CONNECT)
        except (OSError, asyncio.TimeoutError) as error:
            raise DuplexError(f"cannot connect: {str(error) or 'it takes too long'}") from error
        self._sending = asyncio.ensure_future(self._send_or_abort(body))
        self._parts = self._receive()
        self.status = int(await self._parts.__anext__())

    async def parts(self) -> AsyncIterator[bytes]:
        """Yields the body of the response."""
        async for part in self._parts:
            yield part

    async def close(self) -> None:
        """Ends the connection, and with it the command if it still runs."""
        if self._sending is None:
            return
        self._sending.cancel()
        with contextlib.suppress(BaseException):
            await self._sending
        self._writer.transport.abort()  # close() waits until all has been sent, which may be never

    async def _send_or_abort(self, body: AsyncIterator[bytes]) -> None:
        """Sends the request. An error of the caller's input ends the response too, which then raises it."""
        try:
            await self._send(body)
        except OSError:
            pass  # the response says why, if there is one
        except Exception as error:
            self._failure = error
            self._writer.close()

    async def _send(self, body: AsyncIterator[bytes]) -> None:
        self._writer.write(self._protocol.head())
        async for part in body:
            for at in range(0, len(part), _CHUNK):
                self._writer.write(self._protocol.data(part[at : at + _CHUNK]))
                await self._writer.drain()
        self._writer.write(self._protocol.end())
        await self._writer.drain()

    async def _receive(self) -> AsyncIterator[bytes]:
        """Yields the status, as a number in bytes, and then the parts of the body."""
        while True:
            try:
                data = await _within(self._reader.read(_CHUNK), self._exchange.timeout)
            except (OSError, asyncio.TimeoutError) as error:
                raise self._failure or DuplexError(f"the response broke off: {str(error) or 'it is silent'}") from error
            if not data and self._failure is not None:
                raise self._failure
            for event in self._protocol.receive(data):
                if isinstance(event, h11.Response):
                    yield str(event.status_code).encode()
                elif isinstance(event, h11.Data):
                    yield bytes(event.data)
                else:
                    return
            if not data:
                raise DuplexError("the response broke off")


class Duplex:
    """A request of the client without asyncio.

    It is an AsyncDuplex on a loop of its own: two threads must not share a TLS connection.
    """

    def __init__(self, exchange: Exchange) -> None:
        self._duplex = AsyncDuplex(exchange)
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True, name="sandbox-stdin")

    @property
    def status(self) -> int:
        """The status of the response."""
        return self._duplex.status

    def open(self, body: Iterator[bytes]) -> None:
        """Connects, begins to send, and returns when the status of the response is there."""
        self._thread.start()
        self._await(self._duplex.open(self._read(body)))

    def parts(self) -> Iterator[bytes]:
        """Yields the body of the response."""
        parts = self._duplex.parts()
        while (part := self._await(_next(parts))) is not None:
            yield part

    def close(self) -> None:
        """Ends the connection, and with it the command if it still runs."""
        if not self._thread.is_alive():
            self._loop.close()
            return
        self._await(self._duplex.close())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def _await(self, work: Coroutine[Any, Any, T]) -> T:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result()

    async def _read(self, body: Iterator[bytes]) -> AsyncIterator[bytes]:
        """Yields the parts of body, which may block, from a thread that nobody waits for."""
        parts: asyncio.Queue[bytes | Exception | None] = asyncio.Queue()
        room, ended = threading.Semaphore(1), threading.Event()

        def put(part: bytes | Exception | None) -> None:
            room.acquire()
            if ended.is_set():
                room.release()
                raise RuntimeError("nobody takes it")
            self._loop.call_soon_threadsafe(parts.put_nowait, part)

        def read() -> None:
            with contextlib.suppress(RuntimeError):  # nobody takes it, or the loop is closed
                try:
                    for part in body:
                        put(part)
                    put(None)
                except Exception as error:
                    put(error)

        threading.Thread(target=read, daemon=True, name="sandbox-stdin-reader").start()
        try:
            while (part := await parts.get()) is not None:
                room.release()
                if isinstance(part, Exception):
                    raise part
                yield part
        finally:
            ended.set()
            room.release()


async def _next(parts: AsyncIterator[bytes]) -> bytes | None:
    async for part in parts:
        return part
    return None
