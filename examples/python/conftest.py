"""A world of its own for each test, in a running sandbank. Python's standard library and pytest are enough."""

import json
import os
import threading
import urllib.error
import urllib.request
import uuid
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

SANDBANK_URL = os.environ.get("SANDBANK_URL", "http://127.0.0.1:4010")


def ask(method, path, body=None, token=None, **headers):
    """Sends a request; gives the status and the JSON of the answer, of a refusal too."""
    if token is not None:
        headers["authorization"] = f"Bearer {token}"
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(SANDBANK_URL + path, data, headers, method=method)
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as refusal:
        return refusal.code, json.load(refusal)


class World:
    def __init__(self, made):
        self.id, self.company = made["id"], made["companies"][0]

    def call(self, method, path, body=None):
        """Calls the interface as the first company, as a partner's client does."""
        key = {"idempotency-key": str(uuid.uuid4())}
        return ask(method, path, body, self.company["token"], **key)

    def control(self, path, body):
        """Uses the sandbox's own API: acts, plans, faults, the clock."""
        status, answer = ask("POST", f"/sandbox/{path}", body, self.company["token"])
        assert status < 300, answer
        return answer

    def act(self, act, **fields):
        return self.control(f"acts/{act}", fields)

    def advance(self, by):
        """Lets time pass; the webhooks that are due have been delivered when it returns."""
        return self.control("clock/advance", {"by": by})


@pytest.fixture
def world(webhooks):
    settings = {"mode": "frozen", "start": "2026-11-20T09:00:00-03:00", "webhookUrl": webhooks.url}
    status, made = ask("POST", "/sandbox/worlds", settings)
    assert status == 201, made
    yield World(made)
    ask("DELETE", f"/sandbox/worlds/{made['id']}")


@pytest.fixture
def webhooks():
    """A receiver on a free port, and the events that came."""
    received = []

    class Receiver(BaseHTTPRequestHandler):
        def do_POST(self):
            received.append(json.loads(self.rfile.read(int(self.headers["content-length"]))))
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b'{"returnCode":"OK"}')

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
    server.events, server.url = received, f"http://127.0.0.1:{server.server_port}/webhooks"
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server
    server.shutdown()
    server.server_close()
