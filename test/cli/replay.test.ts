import type { AddressInfo } from "node:net";
import { createServer } from "node:http";
import { expect, onTestFinished, test } from "vitest";
import { folderWith } from "./scenario-files.ts";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { sandbank } from "./command.ts";
import { signatureOf } from "../../src/simulator/api/signature.ts";
import { text } from "node:stream/consumers";

const SECRET = "its-own-secret";
const MONTH = `name: A month
steps:
  - call: createSubscription
    body: { $use: subscription.monthly, externalId: gym-1 }
    save: sub
  - act: subscription.accept
    on: \${sub.id}
  - call: createPayout
    body: { $use: payout.pix, externalId: payout-1 }
    save: payout
  - advance: PT1M
`;

/** A receiver that refuses payouts where it is told to, and wrong signatures always. */
async function openReceiver({ refuses = "nothing" } = {}) {
  const arrived: { event: string; isSigned: boolean }[] = [];
  const times: number[] = [];
  const server = createServer((request, response) => {
    times.push(performance.now());
    void (async () => {
      const body = await text(request);
      const { event } = JSON.parse(body) as { event: string };
      const isSigned = request.headers["x-signature-sha256"] === signatureOf(SECRET, Buffer.from(body));
      arrived.push({ event, isSigned });
      response.writeHead(event === refuses ? 500 : isSigned ? 200 : 401).end();
    })();
  }).listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await once(server, "listening");
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/webhooks`, arrived, times };
}

async function recording() {
  const folder = folderWith({ "month.yaml": MONTH });
  onTestFinished(() => folder[Symbol.dispose]());
  const har = folder.at("month.har");
  expect(await sandbank("run", folder.at("month.yaml"), "--har", har)).toMatchObject({ code: 0 });
  return { folder, har };
}

const EVENTS = ["SUBSCRIPTION.ACCEPTED", "ORDER-PAYOUT.PAID"];

test("recorded webhooks are signed again and sent in their order, and each answer is reported", async () => {
  const { har } = await recording();
  const { url, arrived } = await openReceiver();
  const { code, out } = await sandbank("replay", har, "--receiver", url, "--secret", SECRET);
  expect(arrived).toEqual(EVENTS.map((event) => ({ event, isSigned: true })));
  expect(code).toBe(0);
  expect(out).toMatch(/^✓ 2026-\S+ {2}SUBSCRIPTION\.ACCEPTED {2}\S{36} {2}200 after \d+ ms$/m);
  expect(out).toContain("2 of 2 acknowledged.\n");
});

test("exit 1 where a webhook is not acknowledged", async () => {
  const { har } = await recording();
  const { url } = await openReceiver({ refuses: "ORDER-PAYOUT.PAID" });
  const { code, out } = await sandbank("replay", har, "--receiver", url, "--secret", SECRET);
  expect(code).toBe(1);
  expect(out).toMatch(/^✗ .* ORDER-PAYOUT\.PAID .* 500 after/m);
  expect(out).toContain("1 of 2 acknowledged.");
});

test("webhooks are chosen by event and by object, and ordered by a seed or by their object", async () => {
  const { har, folder } = await recording();
  const again = folder.at("again.har");
  const later = readFileSync(har, "utf8").replaceAll(
    /("startedDateTime": ?"\d{4}-\d\d-\d\dT\d\d:\d\d:)\d\d/g,
    "$159",
  );
  writeFileSync(again, later);
  const { url, arrived } = await openReceiver();
  const sent = async (...flags: readonly string[]): Promise<string[]> => {
    arrived.splice(0);
    const { code, err } = await sandbank(
      "replay",
      har,
      again,
      "--receiver",
      url,
      "--secret",
      SECRET,
      ...flags,
    );
    expect({ code, err }).toEqual({ code: 0, err: "" });
    return arrived.map(({ event }) => event);
  };
  expect(await sent("--event", "ORDER-*")).toEqual(["ORDER-PAYOUT.PAID", "ORDER-PAYOUT.PAID"]);
  expect(await sent("--order", "by-object")).toEqual(EVENTS.flatMap((event) => [event, event]));
  const orders = new Set<string>();
  for (const seed of ["1", "2", "3", "4", "5"]) {
    const flags = ["--order", "shuffled", "--seed", seed];
    const order = await sent(...flags);
    expect(await sent(...flags)).toEqual(order);
    expect(order.toSorted()).toEqual(EVENTS.flatMap((event) => [event, event]).toSorted());
    orders.add(order.join());
  }
  expect(orders.size).toBeGreaterThan(1);
  const { out } = await sandbank("replay", har, "--receiver", url, "--secret", SECRET);
  const [, id = ""] = /ORDER-PAYOUT\.PAID {2}(\S+)/.exec(out) ?? [];
  expect(await sent("--object", id)).toEqual(["ORDER-PAYOUT.PAID", "ORDER-PAYOUT.PAID"]);
});

test("--gap waits between two webhooks, and before the first one not", async () => {
  const { har } = await recording();
  const { url, times } = await openReceiver();
  const replay = (...flags: readonly string[]) =>
    sandbank("replay", har, "--receiver", url, "--secret", SECRET, ...flags);
  expect(await replay("--gap", "500")).toMatchObject({ code: 0 });
  const [first = 0, second = 0] = times;
  // A timer may end a millisecond early.
  expect(second - first).toBeGreaterThan(490);
  expect(await replay("--gap", "3600000", "--event", "ORDER-*")).toMatchObject({ code: 0 });
  expect(times).toHaveLength(3);
  const { code, err } = await replay("--gap", "soon");
  expect([code, err]).toEqual([2, expect.stringContaining("--gap must be a whole number from 0 to 3600000")]);
});

test("exit 2 where there is nothing to send, or nobody to send it to", async () => {
  const { har, folder } = await recording();
  const { url } = await openReceiver();
  const none = await sandbank("replay", har, "--receiver", url, "--event", "CLAIM.*");
  expect(none).toMatchObject({ code: 2, out: "" });
  expect(none.err).toBe(
    "Failed to replay: no webhook of 2 fits --event CLAIM.*. Choose one of these events: SUBSCRIPTION.ACCEPTED, ORDER-PAYOUT.PAID.\n",
  );
  const unreadable = await sandbank("replay", folder.at("month.yaml"), "--receiver", url);
  expect(unreadable).toMatchObject({ code: 2, out: "" });
  const nobody = await sandbank("replay", har, "--receiver", "http://127.0.0.1:1/webhooks");
  expect(nobody).toMatchObject({ code: 2, out: "" });
  expect(nobody.err).toContain("Failed to reach the receiver");
});

test("the egress guard holds: a metadata address is never called", async () => {
  const { har } = await recording();
  const { code, err } = await sandbank("replay", har, "--receiver", "http://169.254.169.254/webhooks");
  expect(code).toBe(2);
  expect(err).toContain("link-local");
});

test("webhooks in base64 are sent, and those whose bodies are not in the file are counted", async () => {
  const { folder, har } = await recording();
  const { url, arrived } = await openReceiver();
  const text = readFileSync(har, "utf8");
  const { log } = JSON.parse(text) as {
    log: { entries: { request: { postData?: object; bodySize: number } }[] };
  };
  const webhooks = log.entries.filter((entry) => "_direction" in entry);
  for (const [index, { request }] of webhooks.entries()) {
    const { text: body = "", ...rest } = (request.postData ?? {}) as { text?: string };
    const inBase64 = { ...rest, text: Buffer.from(body).toString("base64"), encoding: "base64" };
    if (index === 0) request.postData = inBase64;
    else delete request.postData;
    request.bodySize = -1;
  }
  writeFileSync(folder.at("partly.har"), JSON.stringify({ log }));
  const { code, err } = await sandbank(
    "replay",
    folder.at("partly.har"),
    "--receiver",
    url,
    "--secret",
    SECRET,
  );
  expect([code, err]).toEqual([0, "Left out: 1 webhook without a body in the files.\n"]);
  expect(arrived).toEqual([{ event: EVENTS[0], isSigned: true }]);
});
