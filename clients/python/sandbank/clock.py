"""The clock of a world, for the jobs of a test: they run at their exact instants while the world's clock moves."""

from __future__ import annotations

import heapq
import itertools
import json
import math
import threading
from datetime import datetime, timedelta, timezone
from typing import TYPE_CHECKING, Any, Callable, Optional

if TYPE_CHECKING:
    from .client import World

Job = Callable[[], Any]


def _time_of(text: str) -> datetime:
    return datetime.fromisoformat(text.replace("Z", "+00:00"))


class Clock:
    """Follows the clock of a world. Jobs run in a thread of their own, one after the other, each at its instant.

    >>> with world.clock() as clock:  # doctest: +SKIP
    ...     clock.every_night("02:00", nightly_job)
    ...     clock.nights(3)
    """

    def __init__(self, world: World, name: str) -> None:
        self._world = world
        self._path = "/sandbox/clock/followers"
        made = world._send("POST", self._path, {"name": name})
        self._path += f"/{made['id']}"
        self._now = _time_of(made["now"])
        self._jobs: list[tuple[datetime, int, Job]] = []
        self._order = itertools.count()
        self._failure: Optional[BaseException] = None
        self._lock = threading.RLock()
        self._owner = threading.current_thread()
        self._asleep: dict[threading.Thread, threading.Event] = {}
        self._stream = world._open(f"{self._path}/turns")
        self._thread = threading.Thread(target=self._follow, name=name, daemon=True)
        self._thread.start()

    def now(self) -> datetime:
        """Returns the time of the world."""
        with self._lock:
            return self._now

    def at(self, when: datetime, job: Job) -> None:
        """Runs a job once, at an instant with a time zone. This is the hook for a scheduler of your own."""
        if when.tzinfo is None:
            raise ValueError(f"Failed to plan a job at {when}: it has no time zone. Give tzinfo=timezone.utc.")
        with self._lock:
            heapq.heappush(self._jobs, (when, next(self._order), job))
            self._report()

    def time(self) -> float:
        """Returns the time of the world in seconds, as ``time.time`` does."""
        return self.now().timestamp()

    def sleep(self, seconds: float) -> None:
        """Sleeps on the clock of the world, as ``time.sleep`` does. The standard library's scheduler takes both:
        ``sched.scheduler(clock.time, clock.sleep)``.

        In the thread that made the clock, this moves the clock of the world. In any other thread, this waits until an
        advance has moved the clock so far. The clock then stands still until that thread sleeps again, or ends.
        """
        if seconds <= 0:
            return
        # Instants of the world have milliseconds. An earlier instant would not be due yet.
        when = datetime.fromtimestamp(math.ceil((self.time() + seconds) * 1000) / 1000, timezone.utc)
        thread = threading.current_thread()
        if thread is self._owner:
            self.advance(to=when.isoformat())
            return
        if thread is self._thread:
            raise RuntimeError("Failed to sleep in a job of the clock: time stands still until it ends. Use clock.at.")
        woken = threading.Event()
        self.at(when, lambda: self._wake(thread, woken))
        self._asleep.setdefault(thread, threading.Event()).set()
        woken.wait()

    def _wake(self, thread: threading.Thread, woken: threading.Event) -> None:
        asleep = self._asleep[thread]
        asleep.clear()
        woken.set()
        while thread.is_alive() and not asleep.wait(0.01):
            pass

    def every_night(self, time: str, job: Job) -> None:
        """Runs a job each day at a time of Brasília such as ``"02:00"``, the next one first."""
        hour, minute = (int(part) for part in time.split(":"))
        local = self.now() + _BRASILIA
        first = local.replace(hour=hour, minute=minute, second=0, microsecond=0) - _BRASILIA
        first += timedelta(days=1) if first <= self.now() else timedelta()

        def run(when: datetime) -> None:
            self.at(when + timedelta(days=1), lambda: run(when + timedelta(days=1)))
            job()

        self.at(first, lambda: run(first))

    def nights(self, count: int) -> None:
        """Moves the clock of the world by so many days. Raises what a job raised."""
        for _ in range(count):
            self.advance(by="P1D")

    def advance(self, **target: Any) -> Any:
        """Moves the clock as ``World.advance`` does. Raises what a job raised."""
        happened = self._world.advance(**target)
        with self._lock:
            self._now = max(self._now, _time_of(happened["to"]))
            failure, self._failure = self._failure, None
        if failure is not None:
            raise failure
        return happened

    def close(self) -> None:
        """Stops following. Jobs that are not due yet never run. The thread ends with the world."""
        self._world._drop(self._path)

    def __enter__(self) -> Clock:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _next(self) -> Optional[str]:
        return self._jobs[0][0].isoformat() if self._jobs else None

    def _report(self) -> None:
        # A turn reports its next job at its end.
        if threading.current_thread() is not self._thread:
            self._world._send("PUT", self._path, {"next": self._next()})

    def _follow(self) -> None:
        event = ""
        try:
            with self._stream:
                for line in self._stream:
                    field, _, value = line.decode().rstrip("\r\n").partition(": ")
                    if field == "event":
                        event = value
                    elif field == "data":
                        self._take(event, json.loads(value))
        except (OSError, ValueError):
            return  # The server has gone, or sent nothing for the time-out of the client.

    def _take(self, event: str, news: Any) -> None:
        with self._lock:
            self._now = _time_of(news["now"])
        if event != "turn":
            return
        ran = 0
        while self._jobs and self._jobs[0][0] <= self._now:
            _, _, job = heapq.heappop(self._jobs)
            ran += 1
            try:
                job()
            except Exception as failure:  # noqa: BLE001
                self._failure = self._failure or failure
        self._world._send("POST", f"{self._path}/turns/{news['turn']}", {"next": self._next(), "ran": ran})


_BRASILIA = timedelta(hours=-3)
