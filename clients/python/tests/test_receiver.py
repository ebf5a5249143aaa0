import pytest

from test_client import pay


def test_wait_returns_each_event_once_in_order(world, receiver):
    # Webhooks of one instant leave side by side, and arrive in any order.
    for external_id in ("first", "second"):
        pay(world, external_id)
        world.advance(by="PT1H")
    assert receiver.wait(event="ORDER-PAYOUT.PAID", timeout=5)["code"] == "first"
    assert receiver.wait(event="ORDER-PAYOUT.PAID", timeout=5)["code"] == "second"
    with pytest.raises(TimeoutError, match="ORDER-PAYOUT.PAID, ORDER-PAYOUT.PAID arrived"):
        receiver.wait(event="ORDER-PAYOUT.PAID", timeout=0)


def test_a_wrong_signature_is_not_collected(world, receiver):
    world.fault(on="webhook", effect="bad-signature", times=1)
    pay(world)
    world.advance(by="PT0S")
    world.advance(by="PT10S")
    assert receiver.events == [] and receiver.rejected == ["a wrong signature"]
    world.advance(by="PT1H")
    assert receiver.wait(event="ORDER-PAYOUT.PAID")["status"] == "PAID"


def test_an_answer_that_fails_leads_to_a_retry(world, receiver):
    receiver.status = 503
    pay(world)
    world.advance(by="PT10S")
    receiver.status = 200
    world.advance(by="P1D")
    receiver.wait(event="ORDER-PAYOUT.PAID")
    assert len(world.deliveries(event="ORDER-PAYOUT.PAID")[0]["attempts"]) == 2
