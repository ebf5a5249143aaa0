"""The tests of a partner: calls of the client, acts of payers and banks, and webhooks."""

SUBSCRIPTION = {
    "accountId": "11111111-1111-4111-8111-111111111111",
    "type": "AUTHORIZATION_QRCODE",
    "externalId": "gym-1",
    "description": "Gym membership",
    "webhookUrl": "http://receiver.example/webhooks",
    "frequencyType": "MONTHLY",
    "debtor": {"name": "Dora Devedora", "document": {"type": "CPF", "number": "52998224725"}},
}


def subscribe(world):
    body = {**SUBSCRIPTION, "startDate": "2026-11-20"}
    answer = world.request("POST", "/order/v1/banking/subscriptions", body)
    assert answer.status == 201, answer.text
    return answer.json()["id"]


def test_a_payer_accepts(world, receiver):
    world.act("subscription.accept", id=subscribe(world))
    event = receiver.wait(event="SUBSCRIPTION.ACCEPTED")
    assert event["data"]["externalId"] == "gym-1"


def test_a_charge_is_paid_after_the_bank_failed_once(world, receiver):
    subscription = subscribe(world)
    world.act("subscription.accept", id=subscription)
    world.plan("scheduled-payment.settlement", outcomes=["SETTLEMENT_ERROR", "SETTLED"])
    charge = {"externalId": "charge-1", "dueDate": "2026-11-25", "amount": {"currency": "BRL", "value": "59.90"}}
    answer = world.request("PUT", f"/public/v1/banking/subscriptions/{subscription}/payments", charge)
    assert answer.status == 200, answer.text
    world.advance(by="P6D")
    receiver.wait(event="SUBSCRIPTION.SCHEDULED_PAYMENT.COMPLETED")


def test_a_wrong_request_names_every_field(world):
    answer = world.request("POST", "/order/v1/banking/subscriptions", {"type": "AUTHORIZATION_QRCODE"})
    assert answer.status == 400
    assert "accountId" in [problem["field"] for problem in answer.json()["details"]]
