"""The fixtures `world` and `receiver` come with the package `sandbank` (clients/python)."""

import pytest


@pytest.fixture
def world_options():
    return {"start": "2026-11-20T09:00:00-03:00"}
