"""Fixtures for pytest: ``sandbank_server``, ``world``, ``world_options`` and ``receiver``."""

from __future__ import annotations

import os
import select
import shlex
import signal
import subprocess
import tempfile
import time
from typing import IO, Any, Iterator, Mapping

import pytest

from .client import Sandbox, World
from .receiver import Receiver

START_SECONDS = 60.0


@pytest.fixture(scope="session")
def sandbank_server() -> Iterator[Sandbox]:
    """The server at ``SANDBANK_URL``; without it one that is started for this run and ended with it.

    It is started by ``npx sandbank serve`` of the project in the working folder, or by ``SANDBANK_COMMAND``.
    """
    url = os.environ.get("SANDBANK_URL")
    admin_token = os.environ.get("SANDBANK_ADMIN_TOKEN")
    if url:
        yield Sandbox(url, admin_token=admin_token)
        return
    # Without --no npx would install whatever has this name in a registry.
    command = os.environ.get("SANDBANK_COMMAND", "npx --no -- sandbank")
    with tempfile.TemporaryFile() as log:
        try:
            # A process group of its own: npx has children.
            server = subprocess.Popen(
                [*shlex.split(command), "serve", "--port", "0"],
                stdout=subprocess.PIPE,
                bufsize=0,
                stderr=log,
                start_new_session=True,
            )
        except OSError as error:
            pytest.fail(_not_started(command, str(error)), pytrace=False)
        try:
            yield Sandbox(_address(server, command, log), admin_token=admin_token)
        finally:
            _end(server)


@pytest.fixture
def world_options() -> Mapping[str, Any]:
    """What ``world`` is made with: override it to set ``start``, ``seed``, ``assumptions``, …"""
    return {}


@pytest.fixture
def world(sandbank_server: Sandbox, world_options: Mapping[str, Any]) -> Iterator[World]:
    """A world of its own for each test, on a frozen clock."""
    with sandbank_server.world(**world_options) as made:
        yield made


@pytest.fixture
def receiver(world: World) -> Iterator[Receiver]:
    """A receiver that verifies signatures, to which the world sends all its webhooks."""
    with Receiver(company.webhook_secret for company in world.companies) as made:
        world.send_webhooks_to(made.url)
        yield made


def _address(server: subprocess.Popen[bytes], command: str, log: IO[bytes]) -> str:
    """The address that the server prints once it listens."""
    assert server.stdout is not None
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline and (server.poll() is None or _has_output(server.stdout, 0)):
        if not _has_output(server.stdout, 0.2):
            continue
        line = server.stdout.readline()
        if not line:
            break
        for word in line.decode(errors="replace").split():
            if word.startswith("http://"):
                return word.rstrip("/.")
    _end(server)
    log.seek(0)
    lines = log.read().decode(errors="replace").strip().splitlines()
    pytest.fail(_not_started(command, "\n".join(lines[-20:]) or "it printed no address"), pytrace=False)


def _has_output(stream: IO[bytes], seconds: float) -> bool:
    return bool(select.select([stream], [], [], seconds)[0])


def _end(server: subprocess.Popen[bytes]) -> None:
    """SIGTERM lets it finish; what is left after ten seconds is killed."""
    for sent in (signal.SIGTERM, signal.SIGKILL):
        try:
            os.killpg(server.pid, sent)
            server.wait(10)
            break
        except subprocess.TimeoutExpired:
            continue
        except ProcessLookupError:
            break
    if server.stdout is not None:
        server.stdout.close()


def _not_started(command: str, found: str) -> str:
    fix = "Install that Node" if "this is Node" in found else "Install it with npm i -D sandbank"
    return (
        f'Failed to start the sandbox with "{command} serve": {found}\n'
        f"{fix}, or set SANDBANK_URL to a server that runs."
    )
