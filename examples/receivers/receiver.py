"""A receiver of webhooks with Python's standard library. It stores each event in SQLite before it answers.

HOST                          its address; default: 127.0.0.1. For a sandbox in a container: 0.0.0.0
PORT                          its port; default: 4011
SANDBANK_WEBHOOK_SECRET       what webhooks are signed with
SANDBANK_WEBHOOK_SECRET_OLD   the previous secret during a rotation; otherwise empty
RECEIVER_FILE                 the database; default: in memory
"""

import hashlib
import hmac
import json
import os
import sqlite3
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

HOST = os.environ.get("HOST") or "127.0.0.1"
PORT = int(os.environ.get("PORT", "4011"))
SECRETS = [
    secret
    for name in ("SANDBANK_WEBHOOK_SECRET", "SANDBANK_WEBHOOK_SECRET_OLD")
    if (secret := os.environ.get(name, ""))
]
BODY_MAX_BYTES = 4_000_000
OPEN = {"INITIAL", "PENDING", "PENDING_AUTHORIZATION", "CREATED", "SCHEDULED", "ACCEPTED"}

database = sqlite3.connect(os.environ.get("RECEIVER_FILE", ":memory:"), check_same_thread=False)
database.execute("CREATE TABLE IF NOT EXISTS events (key TEXT PRIMARY KEY, body TEXT NOT NULL)")
database.execute("CREATE TABLE IF NOT EXISTS objects (id TEXT PRIMARY KEY, status TEXT, at TEXT, rank TEXT)")
lock = threading.Lock()


def is_signed(body, header):
    """Compares the digest of the received bytes in constant time. An empty secret is refused: anyone could sign with it."""
    given = (header or "").encode("utf-8", "surrogateescape")
    expected = [b"sha256=" + hmac.new(s.encode(), body, hashlib.sha256).hexdigest().encode() for s in SECRETS]
    return any([hmac.compare_digest(one, given) for one in expected])


def facts(event):
    """The content of an event: the status of an object at a time. A refund and a cancellation are separate objects."""
    data = event.get("data", event)
    at = event.get("occurredAt") or event.get("updatedAt")
    if event.get("type") == "REFUND":
        yield event["refundId"], event["status"], at
        return
    yield data["id"], data["status"], data.get("updatedAt") or at
    if "cancellation" in data:
        yield data["cancellation"]["id"], data["cancellation"]["status"], at


def store(text):
    """Stores an event once, and its status unless a newer status is known. Returns the status of the answer."""
    try:
        event = json.loads(text)
        name, found = event["event"], list(facts(event))
    except (ValueError, TypeError, AttributeError):
        return 400
    except KeyError:
        return 200  # An unknown event: after a refusal it would only come again.
    key = " ".join([name, *(f"{id} {status} {at}" for id, status, at in found)])
    with lock, database:
        if database.execute("INSERT OR IGNORE INTO events VALUES (?, ?)", (key, text)).rowcount == 0:
            return 200
        for id, status, at in found:
            # If two events have the same time, the final status is the later one.
            rank = f"{at} {'0' if status in OPEN else '1'} {name}"
            database.execute(
                "INSERT INTO objects VALUES (?1, ?2, ?3, ?4) ON CONFLICT (id) DO UPDATE SET "
                "status = ?2, at = ?3, rank = ?4 WHERE rank < ?4",
                (id, status, at, rank),
            )
    return 200


def state():
    with lock:
        rows = database.execute("SELECT id, status, at FROM objects ORDER BY id").fetchall()
    return {"objects": {id: {"status": status, "at": at} for id, status, at in rows}}


def reset():
    with lock, database:
        database.execute("DELETE FROM events")
        database.execute("DELETE FROM objects")


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = 30

    def do_GET(self):
        if self.path == "/state":
            return self.answer(200, state())
        return self.answer(405 if self.path == "/webhooks" else 404, {})

    def do_HEAD(self):
        self.answer(405, {})

    def do_POST(self):
        if self.path == "/reset":
            self.body()
            reset()
            return self.answer(200, {})
        if self.path != "/webhooks":
            return self.answer(404, {})
        body = self.body()
        if body is None:
            return self.answer(413, {})
        if not is_signed(body, self.headers.get("x-signature-sha256")):
            return self.answer(401, {})
        status = store(body.decode("utf-8", "replace"))
        return self.answer(status, {"returnCode": "SUCCESS"} if status == 200 else {})

    def body(self):
        """The bytes of the body, also of a body in chunks. None if it is too large."""
        if "chunked" not in self.headers.get("transfer-encoding", ""):
            length = int(self.headers.get("content-length") or 0)
            if length > BODY_MAX_BYTES:
                self.close_connection = True
                return None
            return self.rfile.read(length)
        body = b""
        while size := int(self.rfile.readline().split(b";")[0], 16):
            body += self.rfile.read(size)
            self.rfile.readline()
            if len(body) > BODY_MAX_BYTES:
                self.close_connection = True
                return None
        while self.rfile.readline().strip():
            pass
        return body

    def answer(self, status, value):
        body = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


if __name__ == "__main__":
    server = ThreadingHTTPServer((HOST, PORT), Handler)
    server.daemon_threads = True
    print(f"receiver listening on http://{HOST}:{server.server_port}/webhooks", flush=True)
    server.serve_forever()
