"""A follower of a sandbox's clock in Python: its own timers run at their exact instants. It needs only the standard library."""

import heapq
import json
import os
import sys
import urllib.request
from datetime import datetime, timedelta

SANDBOX = os.environ.get("SANDBANK_URL", "http://127.0.0.1:4010")
FOLLOWERS = SANDBOX + "/sandbox/clock/followers"


def ask(method, url, body=None):
    """Sends a request and returns the answer's JSON."""
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data, {"content-type": "application/json"}, method=method)
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)


def instant(text):
    return datetime.fromisoformat(text.replace("Z", "+00:00"))


class Clock:
    """The time of the sandbox, and what is to run when."""

    def __init__(self, name):
        follower = ask("POST", FOLLOWERS, {"name": name})
        self.url = FOLLOWERS + "/" + follower["id"]
        self.now = instant(follower["now"])
        self.timers = []

    def at(self, when, job):
        heapq.heappush(self.timers, (when, len(self.timers), job))

    def next(self):
        return self.timers[0][0].isoformat() if self.timers else None

    def follow(self):
        """Takes its turns until the sandbox ends."""
        ask("PUT", self.url, {"next": self.next()})
        event = None
        for line in urllib.request.urlopen(self.url + "/turns"):
            field, _, value = line.decode().strip().partition(": ")
            if field == "event":
                event = value
            elif field == "data":
                news = json.loads(value)
                self.now = instant(news["now"])
                if event == "turn":
                    ran = self.run_due()
                    ask("POST", f"{self.url}/turns/{news['turn']}", {"next": self.next(), "ran": ran})

    def run_due(self):
        ran = 0
        while self.timers and self.timers[0][0] <= self.now:
            heapq.heappop(self.timers)[2]()
            ran += 1
        return ran


def reconcile():
    """The nightly job: it looks at the accounts, and arms itself again for the next night."""
    headers = {"authorization": "Bearer acme-token"}
    accounts = urllib.request.Request(SANDBOX + "/order/v1/banking/accounts", headers=headers)
    with urllib.request.urlopen(accounts) as answer:
        print(clock.now.isoformat(), len(json.load(answer)["data"]), "accounts", flush=True)
    clock.at(clock.now + timedelta(days=1), reconcile)


clock = Clock("nightly.py")
clock.at(clock.now.replace(hour=6, minute=0, second=0) + timedelta(days=1), reconcile)
print("following", file=sys.stderr, flush=True)
clock.follow()
