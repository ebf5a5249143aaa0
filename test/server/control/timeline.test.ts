import type { SandboxObject } from "../../../src/server/access/sandbox-interface.ts";
import { createSandbox } from "../../../src/library/sandbox.ts";
import { ACME_ACCOUNT, createSubscription, openPartner } from "../../partner.ts";
import { expect, test } from "vitest";
import { batchAfter } from "../../../src/server/control/timeline.ts";
import { Journal } from "../../../src/simulator/engine/journal.ts";

const linesOf = ({ body }: { body: SandboxObject }): string[] =>
  (body["data"] as SandboxObject[]).map(({ what, cause }) => `${String(what)} (${String(cause)})`);

/** Reads server-sent events until as many came. */
async function read(
  response: Response,
  count: number,
): Promise<{ id: string; event: string; data: SandboxObject }[]> {
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  const events = () =>
    text
      .split("\n\n")
      .slice(0, -1)
      .filter((block) => block.includes("data: "))
      .map(
        (block) =>
          Object.fromEntries(block.split("\n").map((line) => line.split(/: (.*)/).slice(0, 2))) as Record<
            string,
            string
          >,
      );
  while (events().length < count) {
    const { value, done } = await reader.read();
    if (done) break;
    text += value;
  }
  await reader.cancel();
  return events().map(({ id = "", event = "", data = "{}" }) => ({
    id,
    event,
    data: JSON.parse(data) as SandboxObject,
  }));
}

test("the timeline about an object includes the plan, the act and the call that caused it", async () => {
  await using partner = await openPartner();
  const { id } = await createSubscription(partner);
  await partner.act("subscription.accept", { id });
  const body = { externalId: "c", dueDate: "2026-11-25", amount: { currency: "BRL", value: "5.00" } };
  const charge = await partner.ask("PUT", `/public/v1/banking/subscriptions/${id}/payments`, { body });
  await partner.sandbox.plan({ plan: "scheduled-payment.settlement", outcomes: ["INSUFFICIENT_BALANCE"] });
  await partner.advance("P6D");
  const lines = linesOf(await partner.ask("GET", `/sandbox/timeline?about=${charge.body["id"]}`));
  expect(lines).toContainEqual("plan scheduled-payment.settlement: INSUFFICIENT_BALANCE (control plan)");
  expect(lines.some((line) => line.endsWith("(call createScheduledPayment)"))).toBe(true);
  expect(lines.some((line) => line.startsWith("planned scheduled-payment.settlement"))).toBe(true);
});

test("the timeline about a delivery includes its fault and the cause of its event", async () => {
  await using partner = await openPartner();
  await partner.sandbox.fault({ on: "webhook", effect: "drop", times: 1 });
  const { id } = await createSubscription(partner);
  await partner.act("subscription.accept", { id });
  await partner.advance("PT10M");
  const [delivery] = await partner.sandbox.deliveries();
  const lines = linesOf(await partner.ask("GET", `/sandbox/timeline?about=${delivery?.["id"]}`));
  expect(lines).toEqual([
    "fault drop armed (control fault)",
    "subscription.accept: PENDING_AUTHORIZATION → ACCEPTED (act subscription.accept)",
    "webhook SUBSCRIPTION.ACCEPTED (act subscription.accept)",
    "fault drop applied (delivery SUBSCRIPTION.ACCEPTED)",
    "attempt 1 of SUBSCRIPTION.ACCEPTED failed: timeout (delivery SUBSCRIPTION.ACCEPTED)",
    "attempt 2 of SUBSCRIPTION.ACCEPTED answered 200 (delivery SUBSCRIPTION.ACCEPTED)",
  ]);
});

test("the timeline about an id that nothing has is 404, about an object to which nothing has happened it is empty", async () => {
  await using partner = await openPartner();
  const about = (id: string) => partner.ask("GET", `/sandbox/timeline?about=${id}`);
  expect((await about("no-such-id")).status).toBe(404);
  expect(await about(ACME_ACCOUNT)).toMatchObject({ status: 200, body: { data: [] } });
});

test("the stream sends each entry as it is recorded, and continues after Last-Event-ID", async () => {
  await using sandbox = await createSandbox({ seed: 7, start: "2026-11-20T09:00:00-03:00" });
  const { url } = await sandbox.listen();
  const stream = await fetch(`${url}/sandbox/timeline/stream`);
  expect(stream.headers.get("content-type")).toContain("text/event-stream");
  await sandbox.plan({ plan: "order.payment", outcomes: ["PAID"] });
  await sandbox.plan({ plan: "payout.settlement", outcomes: ["ERROR"] });
  const [first, second] = await read(stream, 2);
  expect(first).toMatchObject({ event: "happened", data: { what: "plan order.payment: PAID" } });
  const resumed = await fetch(`${url}/sandbox/timeline/stream`, {
    headers: { "last-event-id": first?.id ?? "" },
  });
  expect(await read(resumed, 1)).toEqual([second]);
  const whole = await fetch(`${url}/sandbox/timeline/stream?since=1`);
  expect((await read(whole, 3)).map(({ data }) => data["what"])).toEqual([
    "world seeded",
    "plan order.payment: PAID",
    "plan payout.settlement: ERROR",
  ]);
});

test("the stream reports a reset and continues, and ends with its world and with the server", async () => {
  const sandbox = await createSandbox({ seed: 7, start: "2026-11-20T09:00:00-03:00" });
  const { url } = await sandbox.listen();
  const stream = await fetch(`${url}/sandbox/timeline/stream`);
  await sandbox.reset();
  expect((await read(stream, 2)).map(({ event }) => event)).toEqual(["begun", "happened"]);
  const made = (await (
    await fetch(`${url}/sandbox/worlds`, { method: "POST", body: "{}" })
  ).json()) as SandboxObject;
  const [{ token }] = made["companies"] as [{ token: string }];
  const own = await fetch(`${url}/sandbox/timeline/stream`, {
    headers: { authorization: `Bearer ${token}` },
  });
  await fetch(`${url}/sandbox/worlds/${made["id"]}`, { method: "DELETE" });
  expect(await own.text()).toContain("retry:");
  const last = await fetch(`${url}/sandbox/timeline/stream`);
  const ended = last.text();
  await sandbox.close();
  expect(await ended).toContain("retry:");
});

test("a stream that continues from a position before a reset begins with the first entry", async () => {
  await using sandbox = await createSandbox({ seed: 7, start: "2026-11-20T09:00:00-03:00" });
  const { url } = await sandbox.listen();
  const stream = await fetch(`${url}/sandbox/timeline/stream`, { headers: { "last-event-id": "40.1" } });
  expect((await read(stream, 2)).map(({ event, data }) => [event, data["what"]])).toEqual([
    ["begun", undefined],
    ["happened", "world seeded"],
  ]);
});

test("an invalid position is refused", async () => {
  await using partner = await openPartner();
  expect((await partner.ask("GET", "/sandbox/timeline/stream?since=soon")).status).toBe(400);
});

test("a stream over a long journal reads each entry once, whole entries at a time", () => {
  const journal = new Journal({
    journalEntriesMax: 3_000,
    journalNoteCharactersMax: 1_000,
    journalNotesMax: 1,
    journalInputCharactersMax: 1,
  });
  for (let number = 1; number <= 3_500; number++) {
    const entry = { kind: "note", objectId: null, what: `entry ${number}` };
    journal.append({
      number,
      at: 0,
      cause: { by: "control", name: "note" },
      timeline: [entry, entry],
      changes: [],
    });
  }
  let reads = 0;
  const counted = {
    nextNumber: journal.nextNumber,
    since: (number: number) => journal.since(number),
    isTraced: journal.isTraced,
    entry: (number: number) => {
      reads++;
      return journal.entry(number);
    },
  };
  const oldest = journal.since(1)[0]?.number ?? 0;
  const ids: string[] = [];
  for (let position = { entry: 1, line: 1 }, isDone = false; !isDone;) {
    const batch = batchAfter(counted, position);
    ({ position } = batch);
    isDone = batch.text === "";
    ids.push(...Array.from(batch.text.matchAll(/^id: (.+)$/gm), ([, id = ""]) => id));
  }
  const kept = 3_500 - oldest + 1;
  expect(ids).toHaveLength(2 * kept);
  expect(new Set(ids).size).toBe(2 * kept);
  expect([ids[0], ids.at(-1)]).toEqual([`${oldest}.1`, "3500.2"]);
  // Each batch looks at one entry more than it sends, at its start.
  expect(reads).toBeLessThan(kept + 3 * Math.ceil((2 * kept) / 500) + 5);
});
