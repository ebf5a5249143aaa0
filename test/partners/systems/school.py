"""A school of music. Pupils subscribe by PIX, and teachers are paid for their lessons.

Payments go through an outbox. A welcome bonus for the teacher comes at night, when cron calls /cron/nightly.

SANDBANK_URL   the bank
PORT           the port of the school
DATABASE       the file of its database
FLAW           a mistake that developers make; empty for none
"""

import hashlib
import hmac
import json
import os
import sqlite3
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid
from datetime import datetime, timezone
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

BANK = os.environ.get("SANDBANK_URL", "http://127.0.0.1:4010")
PORT = int(os.environ.get("PORT", "5011"))
DATABASE = os.environ.get("DATABASE", "school.db")
FLAW = os.environ.get("FLAW", "")
SECRET = os.environ.get("WEBHOOK_SECRET", "acme-webhook-secret").encode()
ACCOUNT = "11111111-1111-4111-8111-111111111111"
ATTEMPTS_MAX = 12
BONUS = 1500

SCHEMA = """
PRAGMA journal_mode = WAL;
CREATE TABLE IF NOT EXISTS lesson (
  no INTEGER PRIMARY KEY, booking TEXT UNIQUE, fee INTEGER, state TEXT, transfer TEXT, booked_at TEXT
);
CREATE TABLE IF NOT EXISTS pupil (contract TEXT PRIMARY KEY, state TEXT, changed TEXT, welcomed INTEGER DEFAULT 0);
CREATE TABLE IF NOT EXISTS invoice (bank_id TEXT PRIMARY KEY, state TEXT, changed TEXT);
CREATE TABLE IF NOT EXISTS seen (fingerprint TEXT PRIMARY KEY, seen_at TEXT);
CREATE TABLE IF NOT EXISTS unmatched (transfer TEXT PRIMARY KEY, state TEXT);
CREATE TABLE IF NOT EXISTS paid_to_teachers (cents INTEGER);
CREATE TABLE IF NOT EXISTS outbox (
  id INTEGER PRIMARY KEY, booking TEXT UNIQUE, request_key TEXT, cents INTEGER,
  attempts INTEGER DEFAULT 0, next_attempt REAL DEFAULT 0, sent INTEGER DEFAULT 0
);
"""

local = threading.local()


def now():
    return datetime.now(timezone.utc).isoformat()


def connection():
    """Each thread has its own connection."""
    if not hasattr(local, "connection"):
        local.connection = sqlite3.connect(DATABASE, timeout=10, isolation_level=None)
        local.connection.row_factory = sqlite3.Row
    return local.connection


class transaction:
    def __enter__(self):
        connection().execute("BEGIN IMMEDIATE")
        return connection()

    def __exit__(self, kind, *_):
        connection().execute("COMMIT" if kind is None else "ROLLBACK")


# The bank.

token = "acme-token"


def renew_token():
    global token
    form = {"grant_type": "client_credentials", "client_id": "acme", "client_secret": "acme-secret"}
    form["scope"] = "api://app-order-prd"
    data = urllib.parse.urlencode(form).encode()
    with urllib.request.urlopen(BANK + "/oauth2/v2.0/token", data, timeout=10) as answer:
        token = json.loads(answer.read())["access_token"]


def transfer(booking, cents, key):
    body = {
        "externalId": booking,
        "accountId": ACCOUNT,
        "paymentMethod": "PIX",
        "paymentData": {"pixKey": "ok@pix.example"},
        "amount": {"currency": "BRL", "value": f"{cents // 100}.{cents % 100:02}"},
        "description": booking,
    }
    url = BANK + "/order/v1/banking/order-payouts"
    request = urllib.request.Request(url, json.dumps(body).encode(), method="POST")
    request.add_header("Authorization", "Bearer " + token)
    request.add_header("Content-Type", "application/json")
    request.add_header("Idempotency-Key", key)
    with urllib.request.urlopen(request, timeout=10) as answer:
        return json.loads(answer.read())


# The outbox. A row is written together with its lesson, and the worker sends it.

memory = []


def enqueue(db, booking, cents):
    key = str(uuid.uuid4())
    if FLAW == "outbox in memory":
        row = {"id": 0, "booking": booking, "request_key": key, "cents": cents}
        memory.append({**row, "attempts": 0, "next_attempt": 0})
        return
    db.execute("INSERT OR IGNORE INTO outbox (booking, request_key, cents) VALUES (?, ?, ?)", (booking, key, cents))


def try_later(row, seconds):
    if row["id"] == 0:
        memory.append({**row, "attempts": row["attempts"] + 1, "next_attempt": time.time() + seconds})
        return
    with transaction() as db:
        db.execute(
            "UPDATE outbox SET attempts = attempts + 1, next_attempt = ?, sent = attempts + 1 >= ? WHERE id = ?",
            (time.time() + seconds, ATTEMPTS_MAX, row["id"]),
        )


def give_up(row, state):
    with transaction() as db:
        db.execute("UPDATE outbox SET sent = 1 WHERE id = ?", (row["id"],))
        db.execute("UPDATE lesson SET state = ? WHERE booking = ?", (state, row["booking"]))


def send(row):
    back_off = min(0.25 * 2 ** row["attempts"], 4)
    key = str(uuid.uuid4()) if FLAW == "new key for each try" else row["request_key"]
    try:
        answer = transfer(row["booking"], row["cents"], key)
    except urllib.error.HTTPError as error:
        if FLAW == "gives up after 503" and error.code == 503:
            return give_up(row, "failed")
        if FLAW == "gives up after 429" and error.code == 429:
            return give_up(row, "failed")
        if error.code == 401:
            if FLAW == "never renews its token":
                return give_up(row, "failed")
            renew_token()
        if error.code >= 500 or error.code in (401, 409, 429):
            return try_later(row, max(back_off, float(error.headers.get("Retry-After") or 0)))
        return give_up(row, "refused")
    except OSError:
        if FLAW == "takes a lost answer for a failure":
            return give_up(row, "failed")
        return try_later(row, back_off)
    with transaction() as db:
        db.execute("UPDATE outbox SET sent = 1 WHERE id = ?", (row["id"],))
        db.execute(
            "UPDATE lesson SET transfer = ?, state = 'sent' WHERE booking = ? AND state = 'booked'",
            (answer["id"], row["booking"]),
        )
        early = db.execute("SELECT state FROM unmatched WHERE transfer = ?", (answer["id"],)).fetchone()
        if early is not None:
            db.execute("UPDATE lesson SET state = ? WHERE transfer = ?", (early["state"], answer["id"]))


def work():
    while True:
        current = time.time()
        query = "SELECT * FROM outbox WHERE sent = 0 AND next_attempt <= ? ORDER BY id"
        due = connection().execute(query, (current,)).fetchall()
        for row in due + [one for one in memory if one["next_attempt"] <= current]:
            if row["id"] == 0:
                memory.remove(row)
            try:
                send(row)
            except Exception as error:
                print("outbox:", error, flush=True)
        time.sleep(0.1)


# Webhooks.


def fingerprint(event):
    """Subscriptions have their object below `data`. Other events are the object."""
    data = event.get("data", event)
    cancellation = (data.get("cancellation") or {}).get("id", "")
    parts = [event["event"], data["id"], event.get("refundId"), cancellation, data.get("status"), data.get("updatedAt")]
    return "|".join(str(part or "") for part in parts)


def handle(event):
    mark = fingerprint(event)
    if FLAW == "checks, then inserts":
        if connection().execute("SELECT 1 FROM seen WHERE fingerprint = ?", (mark,)).fetchone() is not None:
            return
        time.sleep(0.02)
        with transaction() as db:
            apply(db, event)
            db.execute("INSERT OR IGNORE INTO seen VALUES (?, ?)", (mark, now()))
        return
    if FLAW == "marks before it works":
        with transaction() as db:
            if db.execute("INSERT OR IGNORE INTO seen VALUES (?, ?)", (mark, now())).rowcount == 0:
                return
        time.sleep(0.15)
        with transaction() as db:
            apply(db, event)
        return
    with transaction() as db:
        is_new = db.execute("INSERT OR IGNORE INTO seen VALUES (?, ?)", (mark, now())).rowcount == 1
        if is_new or FLAW == "handles copies":
            apply(db, event)


FINAL = ("CANCELED", "REJECTED", "ERROR", "COMPLETED", "CANCELED_INSUFFICIENT_BALANCE")


def apply(db, event):
    name, data = event["event"], event.get("data", event)
    if name.startswith("ORDER-PAYOUT."):
        state = {"PAID": "paid", "ERROR": "failed", "CANCELED": "failed"}.get(data["status"], "unclear")
        known = db.execute("UPDATE lesson SET state = ? WHERE transfer = ?", (state, data["id"])).rowcount
        if known == 0 and FLAW != "forgets what it does not know":
            db.execute("INSERT OR REPLACE INTO unmatched VALUES (?, ?)", (data["id"], state))
        if state == "paid":
            cents = round(float(data["amount"]["value"]) * 100)
            if FLAW == "books without the bonus" and str(data.get("code", "")).startswith("bonus-"):
                return
            db.execute("UPDATE paid_to_teachers SET cents = cents + ?", (cents,))
    elif name.startswith("SUBSCRIPTION.SCHEDULED_PAYMENT."):
        store(db, "invoice", "bank_id", data)
    elif name.startswith("SUBSCRIPTION."):
        store(db, "pupil", "contract", data)


def store(db, table, column, data):
    """Two changes of one instant: the final state is the later one."""
    changed = data["updatedAt"] + (" 1" if data["status"] in FINAL else " 0")
    newer = "" if FLAW == "last arrival wins" else "WHERE changed < ?3"
    db.execute(
        f"INSERT INTO {table} ({column}, state, changed) VALUES (?1, ?2, ?3) "
        f"ON CONFLICT ({column}) DO UPDATE SET state = ?2, changed = ?3 {newer}",
        (data["id"], data["status"], changed),
    )


def nightly():
    with transaction() as db:
        for pupil in db.execute("SELECT contract FROM pupil WHERE state = 'ACCEPTED' AND welcomed = 0").fetchall():
            enqueue(db, "bonus-" + pupil["contract"], BONUS)
            db.execute("UPDATE pupil SET welcomed = 1 WHERE contract = ?", (pupil["contract"],))


def overview():
    def rows(query):
        return [dict(row) for row in connection().execute(query)]

    paid = connection().execute("SELECT cents FROM paid_to_teachers").fetchone()[0]
    return {
        "lessons": rows("SELECT no, booking, fee, state, booked_at FROM lesson ORDER BY no"),
        "pupils": rows("SELECT contract, state, welcomed FROM pupil ORDER BY contract"),
        "invoices": rows("SELECT bank_id, state FROM invoice ORDER BY bank_id"),
        "paidToTeachers": f"{paid // 100}.{paid % 100:02}",
        "generatedAt": now(),
    }


def empty():
    memory.clear()
    with transaction() as db:
        for table in ("lesson", "pupil", "invoice", "seen", "unmatched", "outbox", "paid_to_teachers"):
            db.execute(f"DELETE FROM {table}")
        db.execute("INSERT INTO paid_to_teachers VALUES (0)")


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = 30

    def do_GET(self):
        if self.path == "/health":
            return self.reply(200, {"ok": True})
        self.reply(200, overview()) if self.path == "/overview" else self.reply(404, {})

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        if self.path == "/hooks/bank":
            return self.webhook(body)
        if self.path == "/lessons":
            booking = json.loads(body)
            with transaction() as db:
                values = (booking["booking"], booking["fee"], now())
                added = db.execute(
                    "INSERT OR IGNORE INTO lesson (booking, fee, state, booked_at) VALUES (?, ?, 'booked', ?)", values
                )
                if added.rowcount == 1:
                    enqueue(db, booking["booking"], booking["fee"])
            return self.reply(202, {"accepted": True})
        if self.path == "/cron/nightly":
            nightly()
            return self.reply(200, {})
        if self.path == "/test/empty":
            empty()
            return self.reply(200, {})
        self.reply(404, {})

    def webhook(self, body):
        signature = "sha256=" + hmac.new(SECRET, body, hashlib.sha256).hexdigest()
        given = self.headers.get("X-Signature-SHA256", "")
        if FLAW != "checks no signature" and not hmac.compare_digest(signature.encode(), given.encode()):
            return self.reply(401, {"error": "signature"})
        try:
            event = json.loads(body)
            fingerprint(event)
        except (ValueError, KeyError, TypeError, AttributeError):
            return self.reply(400, {"error": "body"})
        if FLAW == "answers before it stores":
            self.reply(200, {"returnCode": "SUCCESS"})
            self.wfile.flush()
            time.sleep(0.15)
            return handle(event)
        handle(event)
        self.reply(200, {"returnCode": "SUCCESS"})

    def reply(self, status, value):
        body = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


if __name__ == "__main__":
    with sqlite3.connect(DATABASE) as fresh:
        fresh.executescript(SCHEMA)
        if fresh.execute("SELECT count(*) FROM paid_to_teachers").fetchone()[0] == 0:
            fresh.execute("INSERT INTO paid_to_teachers VALUES (0)")
    threading.Thread(target=work, daemon=True).start()
    ThreadingHTTPServer(("127.0.0.1", PORT), Handler).serve_forever()
