import sched
import threading
from datetime import datetime, timedelta, timezone
from decimal import Decimal

import pytest

from sandbank import Sandbox, SandboxRefusal

PAYOUT = {
    "externalId": "payout-1",
    "paymentMethod": "PIX",
    "paymentData": {"pixKey": "ok@pix.example"},
    "amount": {"currency": "BRL", "value": "10.00"},
    "description": "A payout",
}


def pay(world, external_id="payout-1"):
    body = {**PAYOUT, "externalId": external_id, "accountId": world.company().account}
    answer = world.request("POST", "/order/v1/banking/order-payouts", body, idempotency_key=external_id)
    assert answer.status == 201, answer.text
    return answer.json()


def test_worlds_with_one_seed_are_equal_and_separate(sandbank_server):
    with sandbank_server.world(seed=7, start="2026-11-20T09:00:00-03:00") as one:
        with sandbank_server.world(seed=7, start=datetime(2026, 11, 20, 12, tzinfo=timezone.utc)) as other:
            assert one.id != other.id and one.token != other.token
            first, second = pay(one), pay(other)
            assert (first["id"], one.digest()) == (second["id"], other.digest())


def test_a_world_ends_with_its_block(sandbank_server):
    with sandbank_server.world() as world:
        pass
    with pytest.raises(SandboxRefusal, match=world.id):
        world.ledger()


def test_acts_plans_and_time(world):
    account = world.company().account
    assert world.act("account.deposit", id=account, amount="10.00")["id"] == account
    world.plan("payout.settlement", outcomes=["ERROR"])
    payout = pay(world)
    assert world.advance(by="PT1H")["fired"] > 0
    assert world.resource("payouts", payout["id"])["status"] == "ERROR"


def test_an_amount_may_be_a_decimal(world):
    account = world.company().account
    assert world.act("account.deposit", id=account, amount=Decimal("1.10"))["id"] == account
    with pytest.raises(TypeError, match="Send a str"):
        world.act("account.deposit", id=account, amount=Decimal("NaN"))


def test_deliveries_have_parsed_bodies_and_are_filtered(world, receiver):
    world.fault(on="webhook", effect="duplicate", event="ORDER-PAYOUT.PAID")
    payout = pay(world)
    world.advance("PT1H")
    paid = world.deliveries(event="ORDER-PAYOUT.PAID", object=payout["id"])
    assert [delivery["body"]["status"] for delivery in paid] == ["PAID", "PAID"]
    assert [event["event"] for event in receiver.events] == ["ORDER-PAYOUT.PAID"] * 2
    assert world.deliveries(event="ORDER-PAYOUT.ERROR") == []


def test_requests_show_what_was_refused(world):
    answer = world.request("POST", "/order/v1/banking/order-payouts", {})
    assert answer.status == 400
    [refused] = world.requests(operation="createPayout", status="4xx", limit=1)
    assert refused["status"] == 400 and refused["requestBody"] == "{}"


def test_a_refusal_has_the_sentence_of_the_sandbox(world):
    with pytest.raises(SandboxRefusal) as refused:
        world.fault(on="webhook", effect="duplicat")
    assert str(refused.value) == 'There is no effect "duplicat". Did you mean duplicate?'
    assert refused.value.status == 400
    assert refused.value.details[0]["field"] == "effect"


def test_settled_moves_no_time(world):
    now = world.advance(by="P1D")["to"]
    world.settled()
    assert world.advance(by="PT0S")["to"] == now


def test_snapshots_bring_a_state_back(world):
    snapshot = world.snapshot()
    digest = world.digest()
    pay(world)
    world.restore(snapshot)
    assert world.digest() == digest
    assert world.resources("payouts") == []


def test_a_reset_drops_settings_unless_they_are_kept(world):
    world.send_webhooks_to("http://127.0.0.1:9/webhooks")
    assert "webhookUrl" not in world.reset(keep=["settings"]).get("dropped", {})
    assert "webhookUrl" in world.reset()["dropped"]


def test_a_nightly_job_runs_at_its_instants(world):
    seen = []
    with world.clock() as clock:
        start = clock.now()
        clock.every_night("02:00", lambda: seen.append(clock.now()))
        clock.nights(3)
        assert clock.now() == start + timedelta(days=3)
    assert [moment.strftime("%H:%M") for moment in seen] == ["05:00"] * 3
    assert [later - moment for moment, later in zip(seen, seen[1:])] == [timedelta(days=1)] * 2


def test_a_job_sees_the_state_of_its_instant_and_its_failure_is_raised(world):
    def reconcile():
        assert world.resources("payouts") == [], "a payout is open"

    with world.clock() as clock:
        clock.at(clock.now() + timedelta(hours=1), reconcile)
        clock.advance(by="PT1H")
        pay(world)
        clock.at(clock.now() + timedelta(hours=1), reconcile)
        with pytest.raises(AssertionError, match="a payout is open"):
            clock.advance(by="PT2H")
        with pytest.raises(ValueError, match="it has no time zone"):
            clock.at(datetime(2026, 11, 21), reconcile)


def test_a_scheduler_of_the_standard_library_moves_the_clock(world):
    pay(world)
    seen = []
    with world.clock() as clock:
        begun = clock.now()
        scheduler = sched.scheduler(clock.time, clock.sleep)

        def nightly(night):
            seen.append((clock.now() - begun, [one["status"] for one in world.resources("payouts")]))
            if night < 3:
                scheduler.enter(86_400, 1, nightly, (night + 1,))

        nightly(0)
        scheduler.run()
        assert clock.now() - begun == timedelta(days=3)
    statuses = [["PENDING"], ["PAID"], ["PAID"], ["PAID"]]
    assert seen == [(timedelta(days=day), found) for day, found in enumerate(statuses)]


def test_a_scheduler_in_its_own_thread_runs_each_job_before_the_clock_moves_on(world):
    seen = []
    with world.clock() as clock:
        begun = clock.now()
        scheduler = sched.scheduler(clock.time, clock.sleep)

        def job(name):
            before = clock.now()
            world.company()  # a request, as a job makes it
            seen.append((name, clock.now() - begun, clock.now() - before))

        scheduler.enterabs((begun + timedelta(days=1)).timestamp(), 1, job, ("first",))
        scheduler.enterabs((begun + timedelta(days=2, seconds=0.5)).timestamp(), 1, job, ("second",))
        service = threading.Thread(target=scheduler.run, daemon=True)
        service.start()
        while not clock._jobs:
            service.join(0.01)
        clock.nights(1)
        assert seen == [("first", timedelta(days=1), timedelta())]
        clock.nights(2)
        assert seen[1:] == [("second", timedelta(days=2, seconds=0.5), timedelta())]
        service.join(5)
        assert not service.is_alive()


@pytest.mark.parametrize("target", [{}, {"by": "P1D", "until": "idle"}])
def test_an_advance_has_one_target(world, target):
    with pytest.raises(ValueError, match="Pass one of by, to and until"):
        world.advance(**target)


def test_an_instant_has_a_time_zone(sandbank_server):
    with pytest.raises(ValueError, match="it has no time zone"):
        sandbank_server.world(start=datetime(2026, 11, 20))


def test_an_unknown_company_names_those_that_there_are(world):
    with pytest.raises(KeyError, match="Companies: acme"):
        world.company("acne")


def test_an_address_where_nothing_answers_is_an_error_with_a_sentence():
    with pytest.raises(ConnectionError, match="nothing answers there"):
        Sandbox("http://127.0.0.1:1").world()


def test_an_address_of_another_kind_is_refused():
    with pytest.raises(ValueError, match="no http or https address"):
        Sandbox("127.0.0.1:4010")


def test_a_sandbox_on_this_machine_is_reached_without_a_proxy(sandbank_server, monkeypatch):
    monkeypatch.setenv("http_proxy", "http://user:secret@127.0.0.1:9")
    assert Sandbox(sandbank_server.url).send("GET", "/sandbox/health")
    with pytest.raises(ConnectionError, match=r"through the proxy 127\.0\.0\.1:9 \("):
        Sandbox("http://sandbox.example:4010").send("GET", "/sandbox/health")
