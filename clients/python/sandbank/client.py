"""A sandbank server and its worlds, over the sandbox's own API."""

from __future__ import annotations

import json
import re
import urllib.error
import urllib.parse
import urllib.request
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any, Mapping, Optional, Sequence, Union

from .clock import Clock

Json = Any

_LOOPBACK = re.compile(r"(.+\.)?localhost|127(\.\d+){3}|::1")

TIMEOUT_SECONDS = 60.0


def _plain(value: Any) -> str:
    """Amounts are decimal texts: a Decimal is written as its digits, without an exponent."""
    if isinstance(value, Decimal) and value.is_finite():
        return format(value, "f")
    raise TypeError(f"{value!r} is a {type(value).__name__}, which JSON cannot have. Send a str.")


class SandboxRefusal(Exception):
    """The sandbox refused a request. ``str()`` is its sentence: what was found, and what would be right."""

    def __init__(self, status: int, answer: Mapping[str, Any]) -> None:
        self.status = status
        self.error: str = str(answer.get("error", ""))
        self.details: Sequence[Mapping[str, Any]] = answer.get("details") or []
        described = [str(detail["description"]) for detail in self.details if "description" in detail]
        super().__init__(" ".join(described) or str(answer.get("message", f"status {status}")))


@dataclass(frozen=True)
class Answer:
    """An answer to a request of the platform API, a refusal too."""

    status: int
    headers: Mapping[str, str]
    """By name in lower case."""
    text: str

    def json(self) -> Json:
        return json.loads(self.text)


class Company(dict):
    """A company of a world as the API gives it, such as ``company["clientSecret"]``, with names for what tests use.

    The credentials are those of the start: a rotated secret is in the answer to its rotation.
    """

    @property
    def id(self) -> str:
        return self["id"]

    @property
    def token(self) -> str:
        """The Bearer token of its calls."""
        return self["token"]

    @property
    def client_id(self) -> str:
        return self["clientId"]

    @property
    def client_secret(self) -> str:
        return self["clientSecret"]

    @property
    def webhook_secret(self) -> str:
        """What its webhooks are signed with."""
        return self["webhookSecret"]

    @property
    def accounts(self) -> Sequence[str]:
        """The ids of its accounts, an active one first."""
        return self["accounts"]

    @property
    def account(self) -> str:
        return self.accounts[0]


class Sandbox:
    """A running server (``sandbank serve``).

    >>> with Sandbox("http://127.0.0.1:4010").world(seed=7) as world:  # doctest: +SKIP
    ...     world.act("account.deposit", id=world.company().account, amount="10.00")
    ...     world.advance(by="P1D")
    """

    def __init__(
        self, url: str, *, admin_token: Optional[str] = None, timeout: float = TIMEOUT_SECONDS
    ) -> None:
        address = urllib.parse.urlsplit(url)
        if address.scheme not in ("http", "https"):
            raise ValueError(
                f'Failed to use the sandbox at "{url}": it is no http or https address. '
                "Use one such as http://127.0.0.1:4010."
            )
        self.url = url.rstrip("/")
        self.timeout = timeout
        self._admin = {} if admin_token is None else {"x-admin-token": admin_token}
        # A proxy cannot reach a sandbox on this machine.
        direct = _LOOPBACK.fullmatch(address.hostname or "") or urllib.request.proxy_bypass(address.hostname or "")
        proxy = None if direct else urllib.request.getproxies().get(address.scheme)
        handlers = [urllib.request.ProxyHandler({})] if direct else []
        self._opener = urllib.request.build_opener(*handlers)
        self._proxy = "" if proxy is None else f" through the proxy {urllib.parse.urlsplit(proxy).netloc.split('@')[-1]}"

    def world(
        self,
        *,
        seed: Optional[int] = None,
        start: Union[str, datetime, None] = None,
        mode: str = "frozen",
        name: Optional[str] = None,
        assumptions: Optional[Mapping[str, Any]] = None,
        webhook_url: Optional[str] = None,
        keep: bool = False,
    ) -> World:
        """Makes a world of its own; the end of a ``with`` block, or ``close()``, drops it unless ``keep`` is true.

        What is left out comes from the server. The clock is frozen by default: time passes only by ``advance``.
        """
        settings = {
            "seed": seed,
            "start": None if start is None else _instant(start),
            "mode": mode,
            "name": name,
            "assumptions": assumptions,
            "webhookUrl": webhook_url,
        }
        made = self.send("POST", "/sandbox/worlds", {k: v for k, v in settings.items() if v is not None})
        return World(self, made, keep)

    def send(
        self, method: str, path: str, body: Json = None, headers: Optional[Mapping[str, str]] = None
    ) -> Json:
        """A request to the sandbox's own API. Returns the JSON of its answer, or its text where it is no JSON."""
        answer = self.request(method, path, body, {**self._admin, **(headers or {})})
        if answer.status >= 400:
            raise SandboxRefusal(answer.status, _object_of(answer))
        return answer.json() if "json" in answer.headers.get("content-type", "") else answer.text

    def request(
        self, method: str, path: str, body: Json = None, headers: Optional[Mapping[str, str]] = None
    ) -> Answer:
        """Any request to the server. Refusals are answers; a ConnectionError says that nothing answers."""
        data = None if body is None else json.dumps(body, default=_plain).encode()
        sent = {**({} if data is None else {"content-type": "application/json"}), **(headers or {})}
        request = urllib.request.Request(self.url + path, data, sent, method=method)
        try:
            with self._opener.open(request, timeout=self.timeout) as response:
                return _answer(response.status, response)
        except urllib.error.HTTPError as refusal:
            with refusal:
                return _answer(refusal.code, refusal)
        except urllib.error.URLError as failure:
            raise ConnectionError(
                f"Failed to reach the sandbox at {self.url}: nothing answers there{self._proxy} ({failure.reason}). "
                'Start a server with "sandbank serve", or correct the address.'
            ) from failure


class World:
    """One world of a server: a sandbox of its own, with its own clock, companies and objects."""

    def __init__(self, sandbox: Sandbox, made: Mapping[str, Any], keep: bool = False) -> None:
        self.sandbox = sandbox
        self.id: str = made["id"]
        self.seed: int = made["seed"]
        self.companies: Sequence[Company] = [Company(company) for company in made["companies"]]
        self._keep = keep

    @property
    def url(self) -> str:
        """The address of the platform API, for the client under test."""
        return self.sandbox.url

    @property
    def token(self) -> str:
        """The Bearer token of the first company."""
        return self.company().token

    @property
    def dashboard(self) -> str:
        return f"{self.sandbox.url}/?world={self.id}"

    def company(self, id: Optional[str] = None) -> Company:
        """A company by its id; the first one by default."""
        for company in self.companies:
            if id is None or company.id == id:
                return company
        known = ", ".join(company.id for company in self.companies)
        raise KeyError(f'Failed to find the company "{id}": there is none. Companies: {known}.')

    def request(
        self,
        method: str,
        path: str,
        body: Json = None,
        *,
        company: Optional[str] = None,
        idempotency_key: Optional[str] = None,
        headers: Optional[Mapping[str, str]] = None,
    ) -> Answer:
        """A call of the platform API as a company; the first one by default. A refusal is an answer too."""
        key = {} if idempotency_key is None else {"idempotency-key": idempotency_key}
        token = {"authorization": f"Bearer {self.company(company).token}"}
        return self.sandbox.request(method, path, body, {**token, **key, **(headers or {})})

    def advance(
        self,
        by: Optional[str] = None,
        *,
        to: Union[str, datetime, None] = None,
        until: Optional[str] = None,
    ) -> Json:
        """Moves the clock by an ISO duration, to an instant, or until ``"next"`` or ``"idle"``.

        Everything due happens at its own time, and its webhooks are attempted. Returns what happened, in order.
        """
        target = {"by": by, "to": None if to is None else _instant(to), "until": until}
        given = {name: value for name, value in target.items() if value is not None}
        if len(given) != 1:
            raise ValueError(
                f"Failed to advance: {', '.join(given) or 'nothing'} is given. Pass one of by, to and until."
            )
        return self._send("POST", "/sandbox/clock/advance", given)

    def settled(self) -> None:
        """Waits until every webhook in flight was answered; no time passes."""
        self.advance(by="PT0S")

    def act(self, name: str, **fields: Any) -> Json:
        """Does what a payer or an institution would do, waits for the webhooks of it, and returns the object."""
        return self._send("POST", f"/sandbox/acts/{_quoted(name)}", {**fields, "wait": True})

    def plan(self, name: str, outcomes: Sequence[str], **fields: Any) -> Json:
        """Sets what the next steps come to; ``on`` names an object, by default the next one that takes the step."""
        return self._send("POST", "/sandbox/plans", {"plan": name, "outcomes": list(outcomes), **fields})

    def fault(self, **fields: Any) -> Json:
        """Arms a fault, such as ``fault(on="webhook", effect="duplicate", event="ORDER-PAYOUT.*")``."""
        return self._send("POST", "/sandbox/faults", fields)

    def deliveries(self, **filters: Any) -> Sequence[Json]:
        """The webhooks so far, newest last, with their attempts; ``body`` is parsed, and None if it is not sent.

        Filters: ``event``, ``object``, ``status`` and what else ``GET /sandbox/deliveries`` takes.
        """
        found = self._list("/sandbox/deliveries", {"last": _EVERY, **filters})
        return [{**delivery, "body": json.loads(delivery["body"] or "null")} for delivery in found]

    def resource(self, collection: str, id: str) -> Json:
        """An object as it is now, in the shape of the platform API."""
        return self._send("GET", f"/sandbox/resources/{_quoted(collection)}/{_quoted(id)}")

    def resources(self, collection: str, **filters: Any) -> Sequence[Json]:
        """The objects of a collection, newest last."""
        return self._list(f"/sandbox/resources/{_quoted(collection)}", filters)

    def requests(self, **filters: Any) -> Sequence[Json]:
        """The last calls of the platform API, newest last, refused ones too: ``operation``, ``status``, ``limit``."""
        return self._list("/sandbox/requests", filters)

    def ledger(self) -> Json:
        return self._send("GET", f"/sandbox/ledger?last={_EVERY}")

    def snapshot(self) -> str:
        """Takes a snapshot and returns its id."""
        return self._send("POST", "/sandbox/snapshots")["id"]

    def restore(self, snapshot: str) -> None:
        self._send("POST", f"/sandbox/snapshots/{_quoted(snapshot)}/restore")

    def reset(self, *, keep: Sequence[str] = ()) -> Json:
        """Restores the exact initial state. ``keep=["settings"]`` keeps assumptions and webhook URLs.

        Returns the answer: ``dropped`` has the settings that the reset dropped.
        """
        return self._send("POST", "/sandbox/reset", {"keep": list(keep)} if keep else None)

    def clock(self, name: str = "python") -> Clock:
        """Follows the clock of the world, so that your jobs run at their instants: see ``Clock``."""
        return Clock(self, name)

    def recording(self) -> str:
        """Everything so far, as a scenario file."""
        return self._send("GET", "/sandbox/recording")

    def digest(self) -> str:
        """The SHA-256 of the journal: the same seed and the same inputs give the same digest."""
        return self._send("GET", "/sandbox/digest")["digest"]

    def send_webhooks_to(self, url: Optional[str]) -> None:
        """Sends the webhooks of all companies to this URL; None: to the URL of each object or company."""
        self._send("PATCH", "/sandbox/settings", {"webhookUrl": url})

    def close(self) -> None:
        """Drops the world. A server that has stopped has none to drop."""
        if self._keep:
            return
        self._drop(f"/sandbox/worlds/{_quoted(self.id)}")

    def __enter__(self) -> World:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<World {self.id} of {self.sandbox.url}>"

    def _send(self, method: str, path: str, body: Json = None) -> Json:
        return self.sandbox.send(method, path, body, {"x-sandbox-world": self.id})

    def _drop(self, path: str) -> None:
        """Deletes what may be gone already, with its world or its server."""
        try:
            self._send("DELETE", path)
        except (ConnectionError, SandboxRefusal):
            pass

    def _open(self, path: str) -> Any:
        """Opens a stream of server-sent events. The caller closes it."""
        headers = {**self.sandbox._admin, "x-sandbox-world": self.id, "accept": "text/event-stream"}
        request = urllib.request.Request(self.url + path, headers=headers)
        return self.sandbox._opener.open(request, timeout=self.sandbox.timeout)

    def _list(self, path: str, filters: Mapping[str, Any]) -> Sequence[Json]:
        query = {
            name: value if isinstance(value, str) else json.dumps(value)
            for name, value in filters.items()
            if value is not None
        }
        return self._send("GET", path + ("?" + urllib.parse.urlencode(query) if query else ""))["data"]


# The value of ``last`` for all entries of a list.
_EVERY = 999_999_999


def _quoted(part: str) -> str:
    return urllib.parse.quote(part, safe="")


def _instant(instant: Union[str, datetime]) -> str:
    if isinstance(instant, str):
        return instant
    if instant.tzinfo is None:
        raise ValueError(
            f"Failed to read the instant {instant}: it has no time zone. Pass one, such as timezone.utc."
        )
    return instant.isoformat()


def _answer(status: int, response: Any) -> Answer:
    headers = {name.lower(): value for name, value in response.headers.items()}
    return Answer(status, headers, response.read().decode("utf-8", "replace"))


def _object_of(answer: Answer) -> Mapping[str, Any]:
    """The error body; an answer that is none says so."""
    try:
        found = answer.json()
    except ValueError:
        found = None
    return found if isinstance(found, dict) else {"message": f"What answered is no sandbox: {answer.text[:200]}"}
