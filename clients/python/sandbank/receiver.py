"""A receiver of webhooks on a free port of this machine."""

from __future__ import annotations

import json
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Iterable

from .signature import verify_signature


class Receiver:
    """Collects the webhooks that arrive and verifies each: a wrong signature is answered with 401 and not collected.

    ``secrets`` can be changed at any time: during a rotation it has the old secret and the new one. ``events`` are the
    bodies in the order of their arrival, a repeated delivery once more. ``status`` is what is answered, 200 by default.
    """

    def __init__(self, secrets: Iterable[str]) -> None:
        self.secrets = list(secrets)
        self.events: list[Any] = []
        self.rejected: list[str] = []
        """What was wrong with each webhook that was not collected."""
        self.status = 200
        self._taken: set[int] = set()
        self._arrival = threading.Condition()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_port}/webhooks"
        threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()

    def wait(self, event: str, timeout: float = 5.0) -> Any:
        """The body of the next event of this name: one that no earlier ``wait`` returned, also if it is already here.

        Raises TimeoutError with what arrived instead after ``timeout`` seconds of real time.
        """
        deadline = time.monotonic() + timeout
        with self._arrival:
            while True:
                for position, body in enumerate(self.events):
                    if position not in self._taken and body.get("event") == event:
                        self._taken.add(position)
                        return body
                left = deadline - time.monotonic()
                if left <= 0:
                    arrived = ", ".join(str(body.get("event")) for body in self.events) or "nothing"
                    rejected = f"; rejected: {', '.join(self.rejected)}" if self.rejected else ""
                    raise TimeoutError(
                        f"Failed to receive {event} within {timeout:g} s: {arrived} arrived{rejected}. "
                        "Advance the clock of the world so that it is sent."
                    )
                self._arrival.wait(left)

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()

    def __enter__(self) -> Receiver:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _take(self, body: bytes, signature: str | None) -> int:
        with self._arrival:
            if not any(verify_signature(secret, body, signature) for secret in self.secrets):
                self.rejected.append("no signature" if signature is None else "a wrong signature")
                return 401
            if self.status >= 300:
                return self.status
            self.events.append(json.loads(body))
            self._arrival.notify_all()
            return self.status

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers.get("content-length") or 0))
                try:
                    status = receiver._take(body, self.headers.get("x-signature-sha256"))
                except ValueError:
                    status = 400
                answer = b'{"returnCode":"OK"}' if status < 300 else b"{}"
                self.send_response(status)
                self.send_header("content-type", "application/json")
                self.send_header("content-length", str(len(answer)))
                self.end_headers()
                self.wfile.write(answer)

            def log_message(self, format: str, *args: Any) -> None:
                pass

        return Handler
