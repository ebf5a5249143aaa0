import { type Partner, createSubscription, detail, openPartner } from "../../partner.ts";
import type { SandboxObject } from "../../../src/server/access/sandbox-interface.ts";
import { createHmac } from "node:crypto";
import { expect, test } from "vitest";

async function accept(partner: Partner, externalId: string): Promise<void> {
  const { id } = await createSubscription(partner, { externalId });
  await partner.act("subscription.accept", { id });
  await partner.advance("PT0S");
}

async function log(partner: Partner, query = ""): Promise<SandboxObject[]> {
  return (await partner.ask("GET", `/sandbox/deliveries${query}`)).body["data"] as SandboxObject[];
}

/** Delivered at once; delivered by a retry; dropped by a fault and so retrying. */
async function openLog(): Promise<Partner> {
  const partner = await openPartner();
  await accept(partner, "first");
  partner.receiver.script([500]);
  await accept(partner, "second");
  await partner.advance("PT1M");
  await partner.sandbox.fault({ on: "webhook", effect: "drop", times: 1 });
  await accept(partner, "third");
  return partner;
}

test.each([
  ["?status=delivered", 2],
  ["?status=retrying", 1],
  ["?event=SUBSCRIPTION.*", 3],
  ["?event=*.REJECTED", 0],
  ["?attempts=2", 1],
  ["?attempts=1%2B", 3],
  ["?injected=true", 1],
  ["?injected=false", 2],
  ["?injected=drop", 1],
  ["?since=2026-11-20T09:01:00-03:00", 1],
  ["?until=2026-11-20T09:00:00-03:00", 2],
  ["?status=delivered&attempts=1", 1],
])("the log filtered by %s has %i deliveries", async (query, count) => {
  await using partner = await openLog();
  expect(await log(partner, query)).toHaveLength(count);
});

test.each([
  ["status", "?status=deliverd", "Did you mean delivered?"],
  ["attempts", "?attempts=many", "such as 2+"],
  ["since", "?since=yesterday", "must be a timestamp"],
])("an invalid filter by %s is refused", async (field, query, sentence) => {
  await using partner = await openPartner();
  const refused = await partner.ask("GET", `/sandbox/deliveries${query}`);
  expect(refused.status).toBe(400);
  expect(detail(refused, field)["description"]).toContain(sentence);
});

test("a filter with a word that the platform API does not have is refused with the nearest one", async () => {
  await using partner = await openPartner();
  await expect(partner.sandbox.deliveries({ event: "ORDER-PAYOUT.PAYED" as never })).rejects.toThrow(
    'There is no event "ORDER-PAYOUT.PAYED". Did you mean ORDER-PAYOUT.PAID?',
  );
  const statusOf = async (query: string) => (await partner.ask("GET", `/sandbox/deliveries${query}`)).status;
  for (const query of ["?event=SUBSCRIPTON.*", "?injected=duplicat"]) expect(await statusOf(query)).toBe(400);
  for (const query of ["?event=SUBSCRIPTION.*", "?injected=duplicate"])
    expect(await statusOf(query)).toBe(200);
});

test("progress shows the state of a delivery, and when it continues", async () => {
  await using partner = await openPartner();
  partner.receiver.script([500], { always: true });
  await accept(partner, "first");
  const progress = async (): Promise<string> => (await log(partner))[0]?.["progress"] as string;
  expect(await progress()).toBe("retrying 1/5, next in 1 m 0 s");
  await partner.advance("PT1M48S");
  expect(await progress()).toBe("retrying 2/5, next in 4 m 12 s");
  await partner.advance("PT10M");
  expect(await progress()).toBe("retrying 3/5, next in 24 m 12 s");
  await partner.advance("PT1H");
  expect(await progress()).toBe("retrying 4/5, next in 1 h 24 m");
  await partner.advance("P1D");
  expect(await progress()).toBe("undelivered after 5 attempts");
});

test("an attempt can be copied as a shell command, whatever its body contains", async () => {
  await using partner = await openPartner();
  await accept(partner, "it's");
  const [delivery] = await log(partner);
  const [attempt] = (delivery?.["attempts"] ?? []) as SandboxObject[];
  const curl = String(attempt?.["curl"]);
  const signature = String(attempt?.["requestHeaders"]["x-signature-sha256"]);
  expect(curl).toContain(
    "curl -X POST 'http://receiver.example/webhooks' -H 'content-type: application/json'",
  );
  expect(curl).toContain(`-H 'x-signature-sha256: ${signature}'`);
  expect(curl).toContain(String.raw`"externalId":"it'\''s"`);
});

test("many deliveries are resent together, by default those that are undelivered", async () => {
  await using partner = await openPartner();
  partner.receiver.script([500], { always: true });
  await accept(partner, "first");
  await accept(partner, "second");
  await partner.advance("PT5H");
  partner.receiver.script([200]);
  await accept(partner, "third");
  const resend = (body: object) => partner.ask("POST", "/sandbox/deliveries/resend", { body });
  expect((await resend({ event: "ORDER-*" })).body).toEqual({ resent: 0, data: [] });
  expect((await resend({ since: "2026-11-21T00:00:00-03:00" })).body["resent"]).toBe(0);
  const resent = (await resend({})).body;
  expect(resent).toMatchObject({ resent: 2, data: [{ status: "delivered" }, { status: "delivered" }] });
  expect((await resend({})).body["resent"]).toBe(0);
  expect((await resend({ status: "delivered" })).body["resent"]).toBe(3);
  expect(detail(await resend({ statu: "x" }), "statu")["description"]).toContain("Did you mean status?");
  expect(detail(await resend({ event: 1 }), "event")["description"]).toContain("must be a string");
});

const sign = (secret: string, body: string): string =>
  `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`;

test("a signature verifies, or the answer explains why it does not", async () => {
  await using partner = await openPartner();
  await accept(partner, "first");
  const [delivery] = await log(partner);
  const sent = delivery?.["body"] as string;
  const path = `/sandbox/deliveries/${delivery?.["id"]}/verify`;
  const causes = async (body: object): Promise<string[]> => {
    const answered = await partner.ask("POST", path, { body });
    expect(answered.status).toBe(200);
    return (answered.body["findings"] as SandboxObject[]).map(({ cause }) => cause as string);
  };
  expect(await causes({})).toEqual(["matches"]);
  expect(await causes({ secret: "acme-webhook-secret" })).toEqual(["matches"]);
  expect(await causes({ secret: "acme-webhook-secret\n" })).toEqual(["padded-secret"]);
  expect(await causes({ secret: "" })).toEqual(["empty-secret"]);
  expect(await causes({ secret: "somebody-else" })).toEqual(["other-secret"]);
  expect(await causes({ body: `${sent}\n` })).toEqual(["trailing-newline"]);
  expect(await causes({ body: JSON.stringify(JSON.parse(sent), null, 2) })).toEqual(["reserialized-json"]);
  expect(await causes({ header: null })).toEqual(["missing-header"]);
  expect(await causes({ header: sign("acme-webhook-secret", sent).slice(7) })).toEqual(["missing-prefix"]);
  expect(await causes({ header: sign("globex-webhook-secret", sent) })).toEqual(["other-secret"]);
});

test("an attempt that a fault changed is recognised", async () => {
  await using partner = await openPartner();
  await partner.sandbox.fault({ on: "webhook", effect: "bad-signature", form: "short" });
  await accept(partner, "first");
  const [delivery] = await log(partner);
  const answered = await partner.ask("POST", `/sandbox/deliveries/${delivery?.["id"]}/verify`, { body: {} });
  expect(answered.body).toMatchObject({
    verifies: false,
    findings: [{ cause: "malformed-digest" }],
    sent: { injected: ["bad-signature"] },
  });
});

test.each([
  ["body", { body: 1 }],
  ["secret", { secret: {} }],
  ["header", { header: [] }],
  ["attempt", { attempt: 9 }],
  ["attempt", { attempt: "first" }],
  ["sekret", { sekret: "x" }],
])("a signature check with a wrong %s is refused", async (field, body) => {
  await using partner = await openPartner();
  await accept(partner, "first");
  const [delivery] = await log(partner);
  const refused = await partner.ask("POST", `/sandbox/deliveries/${delivery?.["id"]}/verify`, { body });
  expect(refused.status).toBe(400);
  expect(detail(refused, field)["description"]).not.toBe("");
});
