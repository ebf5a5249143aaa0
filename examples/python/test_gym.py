"""What a partner's tests look like: the client's calls, what payers and banks do, and the webhooks that come."""

SUBSCRIPTION = {
    "accountId": "11111111-1111-4111-8111-111111111111",
    "type": "AUTHORIZATION_QRCODE",
    "externalId": "gym-1",
    "description": "Gym membership",
    "webhookUrl": "http://receiver.example/webhooks",
    "frequencyType": "MONTHLY",
    "startDate": "2026-11-20",
    "debtor": {"name": "Dora Devedora", "document": {"type": "CPF", "number": "52998224725"}},
}


def subscribe(world, **fields):
    status, answer = world.call("POST", "/order/v1/banking/subscriptions", {**SUBSCRIPTION, **fields})
    assert status == 201, answer
    return answer["id"]


def test_a_payer_accepts(world, webhooks):
    subscription = subscribe(world)
    world.act("subscription.accept", id=subscription)
    world.advance("PT1S")
    assert [event["event"] for event in webhooks.events] == ["SUBSCRIPTION.ACCEPTED"]
    assert webhooks.events[0]["data"]["externalId"] == "gym-1"


def test_a_charge_is_paid_after_the_bank_failed_once(world, webhooks):
    subscription = subscribe(world)
    world.act("subscription.accept", id=subscription)
    plan = {"plan": "scheduled-payment.settlement", "outcomes": ["SETTLEMENT_ERROR", "SETTLED"]}
    world.control("plans", plan)
    charge = {"externalId": "charge-1", "dueDate": "2026-11-25", "amount": {"currency": "BRL", "value": "59.90"}}
    status, answer = world.call("PUT", f"/public/v1/banking/subscriptions/{subscription}/payments", charge)
    assert status == 200, answer
    world.advance("P6D")
    assert webhooks.events[-1]["event"] == "SUBSCRIPTION.SCHEDULED_PAYMENT.COMPLETED"


def test_a_wrong_request_names_every_field(world):
    status, answer = world.call("POST", "/order/v1/banking/subscriptions", {"type": "AUTHORIZATION_QRCODE"})
    assert status == 400
    assert "accountId" in [problem["field"] for problem in answer["details"]]
