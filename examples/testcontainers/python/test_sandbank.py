"""pytest, testcontainers and the client in clients/python. It has the same shape as the tested example for Node, and is not tested here."""

import pytest
from sandbank import Sandbox
from testcontainers.core.container import DockerContainer
from testcontainers.core.waiting_utils import wait_for_logs


@pytest.fixture(scope="session")
def sandbox():
    """One server for all tests. Each test has its own world."""
    container = DockerContainer("sandbank").with_exposed_ports(4010).with_command("serve --frozen")
    with container:
        wait_for_logs(container, "sandbank listening on")
        yield Sandbox(f"http://{container.get_container_host_ip()}:{container.get_exposed_port(4010)}")


def test_a_payout_is_paid_within_a_minute(sandbox):
    with sandbox.world(start="2026-11-20T09:00:00-03:00") as world:
        body = {
            "externalId": "payout-1",
            "accountId": world.company().account,
            "paymentMethod": "PIX",
            "paymentData": {"pixKey": "ok@pix.example"},
            "amount": {"currency": "BRL", "value": "10.00"},
            "description": "A first payout",
        }
        answer = world.request("POST", "/order/v1/banking/order-payouts", body, idempotency_key="payout-1")
        assert answer.status == 201, answer.text
        world.advance(by="PT1M")
        assert world.resource("payouts", answer.json()["id"])["status"] == "PAID"
