import type { AddressInfo } from "node:net";
import { createHmac } from "node:crypto";
import { createSandbox } from "../../src/index.ts";
import { createServer } from "node:http";
import { eventKinds, events } from "../../src/simulator/api/events.ts";
import { expect, onTestFinished, test } from "vitest";
import { once } from "node:events";
import { sandbank } from "./command.ts";

interface Arrived {
  readonly body: string;
  readonly signature: string | undefined;
}

/** A receiver that acknowledges what is signed with its secret. */
async function openReceiver(secret = "acme-webhook-secret"): Promise<{ url: string; arrived: Arrived[] }> {
  const arrived: Arrived[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const body = Buffer.concat(chunks).toString();
      const signature = request.headers["x-signature-sha256"] as string | undefined;
      arrived.push({ body, signature });
      const isSigned = signature === `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`;
      response
        .writeHead(isSigned ? 200 : 401, { "content-type": "text/plain" })
        .end(isSigned ? "thanks" : "no");
    });
  }).listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await once(server, "listening");
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/webhooks`, arrived };
}

test.each(Object.keys(events))("%s is sent once, signed and real, and acknowledged", async (event) => {
  const { url, arrived } = await openReceiver();
  const { code, out, err } = await sandbank("trigger", event, "--to", url, "--seed", "7");
  expect([code, err]).toEqual([0, ""]);
  expect(arrived).toHaveLength(1);
  const [{ body, signature } = { body: "{}" }] = arrived;
  expect(JSON.parse(body)).toMatchObject({ event });
  expect(out).toContain(`POST ${url}\n`);
  expect(out).toContain(`x-signature-sha256: ${signature}`);
  expect(out).toMatch(
    /\n\n200 after \d+ ms\ncontent-type: text\/plain\n\nthanks\n\nThe receiver answered 200\.\n$/,
  );
});

test("an event with two bodies takes its type; --list shows both", async () => {
  const { url, arrived } = await openReceiver();
  for (const type of ["REFUND", "PAY-IN"])
    await sandbank("trigger", `order-payin.error (${type})`, "--to", url);
  expect(arrived.map(({ body }) => (JSON.parse(body) as { type: string }).type)).toEqual([
    "REFUND",
    "PAY-IN",
  ]);
  const { code, out } = await sandbank("trigger", "--list");
  expect(code).toBe(0);
  expect(out.trimEnd().split("\n")).toHaveLength(eventKinds.length);
  expect(out).toMatch(/^ORDER-PAYIN\.ERROR \(REFUND\) +The refund/m);
});

test("--set changes fields before the body is signed, and every run has ids of its own", async () => {
  const { url, arrived } = await openReceiver();
  const set = ["--set", "data.externalId=gym=1", "--set", "data.allowChargeAfterDueDate=false"];
  for (let run = 0; run < 2; run++) {
    const { code, err } = await sandbank("trigger", "SUBSCRIPTION.ACCEPTED", "--to", url, ...set);
    expect(code).toBe(0);
    expect(err).toMatch(/^The same ids again: --seed \d+\n$/);
  }
  const bodies = arrived.map(({ body }) => JSON.parse(body) as { data: { id: string } });
  for (const body of bodies)
    expect(body).toMatchObject({ data: { externalId: "gym=1", allowChargeAfterDueDate: false } });
  expect(bodies[0]?.data.id).not.toBe(bodies[1]?.data.id);
});

test("a webhook that is not acknowledged, or does not arrive, is exit code 1", async () => {
  const { url } = await openReceiver("another secret");
  const refused = await sandbank("trigger", "ORDER-PAYOUT.PAID", "--to", url);
  expect([refused.code, refused.out]).toEqual([1, expect.stringContaining("the receiver answered 401")]);
  const signed = await sandbank("trigger", "ORDER-PAYOUT.PAID", "--to", url, "--secret", "another secret");
  expect(signed.code).toBe(0);
  const env = { SANDBANK_WEBHOOK_SECRET: "another secret", SANDBANK_WEBHOOK_URL: url };
  expect((await sandbank({ env }, "trigger", "ORDER-PAYOUT.PAID")).code).toBe(0);
  const nowhere = await sandbank("trigger", "ORDER-PAYOUT.PAID", "--to", "http://127.0.0.1:1/");
  expect([nowhere.code, nowhere.out]).toEqual([1, expect.stringContaining("refuses connections")]);
});

test.each([
  [["ORDER-PAYOUT.PAYED", "--to", "http://127.0.0.1:1"], "Did you mean ORDER-PAYOUT.PAID"],
  [["--to", "http://127.0.0.1:1"], "<event> is missing. sandbank trigger --list shows the events."],
  [["ORDER-PAYOUT.PAID"], "--to is missing: the URL of your receiver."],
  [["ORDER-PAYOUT.PAID", "--to", "127.0.0.1:1"], "--to must be"],
  [["ORDER-PAYOUT.PAID", "--to", "http://127.0.0.1:1", "--set", "status"], "--set must be PATH=VALUE"],
  [
    ["ORDER-PAYOUT.PAID", "--to", "http://127.0.0.1:1", "--set", "amount.valu=1"],
    "There is no field amount.valu in the body. Did you mean amount.value?",
  ],
  [["ORDER-PAYOUT.PAID", "--target", "http://127.0.0.1:1"], "nothing answers there"],
])("%j is wrong use: exit code 2", async (args, sentence) => {
  const { code, out, err } = await sandbank("trigger", ...args);
  expect([code, out]).toEqual([2, ""]);
  expect(err).toContain(sentence);
});

test("with --target it happens in a world of its own there, and goes to the company's URL with its secret", async () => {
  const { url, arrived } = await openReceiver();
  await using server = await createSandbox();
  const { url: target } = await server.listen();
  const none = await sandbank("trigger", "ORDER-PAYOUT.PAID", "--target", target);
  expect([none.code, none.err]).toEqual([2, expect.stringContaining("the company acme at")]);
  await server.act("webhook.set-url", { url });
  const { code, err } = await sandbank("trigger", "ORDER-PAYOUT.PAID", "--target", target);
  expect(code).toBe(0);
  expect(err).toContain(`Its objects are in the world w2: ${target}/?world=w2\n`);
  const { id } = JSON.parse(arrived[0]?.body ?? "{}") as { id: string };
  const headers = { authorization: "Bearer acme-token.w2" };
  expect((await server.fetch(`/sandbox/resources/payouts/${id}`, { headers })).status).toBe(200);
  expect(await server.resources("payouts")).toEqual([]);
});
