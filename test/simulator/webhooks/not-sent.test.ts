import { expect, test } from "vitest";
import { openPartner, payoutBody, RECEIVER_URL } from "../../partner.ts";
import { createSandbox } from "../../../src/library/sandbox.ts";
import { SILENCE } from "../../../src/base/log.ts";

const HOW =
  "no webhook URL is set. Set one: --webhook-url, the option webhookUrl, or the act webhook.set-url";

/** A sandbox without a webhook URL in which a payout was paid. */
async function openPaidPayout() {
  const partner = await openPartner({ webhookUrl: undefined });
  const { body } = await partner.ask("POST", "/order/v1/banking/order-payouts", {
    body: payoutBody(),
    key: "k1",
  });
  const { happened } = await partner.advance("PT1M");
  return { partner, id: body["id"], happened: happened as unknown as Record<string, unknown>[] };
}

test("an event without a URL is a webhook that is not sent, with the way to set one", async () => {
  const { id, happened, ...opened } = await openPaidPayout();
  await using partner = opened.partner;
  const [unsent] = await partner.sandbox.deliveries();
  expect(unsent).toMatchObject({
    event: "ORDER-PAYOUT.PAID",
    objectId: id,
    status: "not-sent",
    progress: `not sent: ${HOW}`,
    url: "",
    body: null,
    attempts: [],
  });
  expect(happened).toContainEqual(
    expect.objectContaining({ what: `webhook ORDER-PAYOUT.PAID not sent: ${HOW}`, delivery: unsent?.["id"] }),
  );
  const path = `/sandbox/deliveries/${String(unsent?.["id"])}`;
  expect((await partner.ask("GET", path)).body).toMatchObject({ status: "not-sent" });
  const resent = await partner.ask("POST", `${path}/resend`);
  expect(resent.status).toBe(400);
  expect(JSON.stringify(resent.body)).toContain(HOW);
  expect((await partner.ask("GET", `/sandbox/timeline?about=${String(unsent?.["id"])}`)).body).toMatchObject({
    data: expect.arrayContaining([expect.objectContaining({ delivery: unsent?.["id"] })]),
  });
  expect((await partner.ask("POST", "/sandbox/deliveries/resend", { body: {} })).body).toEqual({
    resent: 0,
    data: [],
  });
});

test("the time of an event without a URL selects it", async () => {
  await using partner = (await openPaidPayout()).partner;
  const [unsent] = await partner.sandbox.deliveries();
  const at = Date.parse(String(unsent?.createdAt));
  const since = async (ms: number): Promise<unknown> =>
    (await partner.ask("GET", `/sandbox/deliveries?since=${new Date(ms).toISOString()}`)).body["data"];
  for (const ms of [at - 1, at]) expect(await since(ms)).toHaveLength(1);
  expect(await since(at + 1)).toEqual([]);
});

test("what is not sent is not undelivered, and its events go to a URL that is set later", async () => {
  await using partner = (await openPaidPayout()).partner;
  const undelivered = await partner.ask("GET", "/order/v1/webhook/events");
  expect(undelivered.body).toMatchObject({ data: [] });
  expect((await partner.ask("GET", "/sandbox/deliveries?status=undelivered")).body).toEqual({ data: [] });
  await partner.act("webhook.set-url", { url: RECEIVER_URL });
  await partner.ask("POST", "/order/v1/banking/order-payouts", {
    body: payoutBody({ externalId: "payout-2" }),
    key: "k2",
  });
  await partner.advance("PT1M");
  const statuses = (await partner.sandbox.deliveries()).map(({ status }) => status);
  expect(statuses).toEqual(["not-sent", "delivered"]);
  const events = async (query: string): Promise<unknown[]> =>
    (await partner.ask("GET", `/sandbox/deliveries?${query}`)).body["data"] as unknown[];
  expect(await events("status=not-sent")).toHaveLength(1);
  expect(await events("attempts=0")).toHaveLength(1);
  expect(await events("event=ORDER-PAYIN.*")).toHaveLength(0);
});

test("the log says once for each company that its webhooks are not sent", async () => {
  const warned: string[] = [];
  const log = { ...SILENCE, warn: (_fields: object, sentence: string) => void warned.push(sentence) };
  await using sandbox = await createSandbox({ log, mode: "frozen" });
  for (const [index, company] of ["acme", "acme", "globex"].entries()) {
    const { account: accountId } = sandbox.company(company);
    const body = payoutBody({ accountId, externalId: `payout-${index}` });
    await sandbox.call("createPayout", body as never, { company });
  }
  await sandbox.advance("PT1M");
  expect(warned).toEqual(
    ["acme", "globex"].map((company) => `The webhooks of the company ${company} are not sent: ${HOW}.`),
  );
});

test("worlds are listed with where the webhooks of each company go now", async () => {
  await using partner = await openPartner({ webhookUrl: undefined });
  const urls = async (): Promise<unknown[]> => {
    const { body } = await partner.ask("GET", "/sandbox/worlds");
    const [world] = body["data"] as { companies: { id: string; webhookUrl: unknown }[] }[];
    return (world?.companies ?? []).slice(0, 2).map(({ webhookUrl }) => webhookUrl);
  };
  expect(await urls()).toEqual([null, null]);
  await partner.act("webhook.set-url", { url: RECEIVER_URL });
  expect(await urls()).toEqual([RECEIVER_URL, null]);
  await partner.ask("PATCH", "/sandbox/settings", { body: { webhookUrl: "http://all.example/" } });
  expect(await urls()).toEqual(["http://all.example/", "http://all.example/"]);
});
