import { createServer } from "node:http";
import { cpSync, mkdtempSync } from "node:fs";
import { expect, test } from "vitest";
import type { AddressInfo } from "node:net";
import { createSandbox, openSandbox } from "../src/library/sandbox.ts";
import { comparedSessions, COURSES, FAULTS } from "./equal-sessions.ts";
import { join } from "node:path";
import { once } from "node:events";
import { createSubscription, openPartner, payoutBody } from "./partner.ts";
import { pixKeys } from "../src/simulator/platform/pix-keys/pix-key.ts";
import { SHIPPED_FIXTURES } from "../src/server/access/fixture-files.ts";
import { tmpdir } from "node:os";

const courses = Object.keys(COURSES);

/** Each fault with the courses in turn. determinism.everything.test.ts plays the others. */
const CASES = Object.entries(FAULTS).map(
  ([name, faults], index) => [name, courses[index % courses.length] ?? "", faults] as const,
);

test.each(CASES)(
  "transports, receivers of any speed and readers cause the same answers and journal, which replays: %s, %s",
  async (_name, course, faults) => {
    const { found, expected } = await comparedSessions(faults, [course]);
    expect(found).toEqual(expected);
  },
);

test("a world begins in one way, also after a world with another seed", async () => {
  const begun = async (seed: number, fixtures?: string) => {
    const start = "2026-11-20T09:00:00-03:00";
    const own = fixtures === undefined ? {} : { fixtures };
    const { sandbox, worlds } = await openSandbox({ seed, start, ...own });
    await using _ = sandbox;
    return { keys: Array.from(worlds.default.records.all(pixKeys)), digest: sandbox.digest() };
  };
  const folder = mkdtempSync(join(tmpdir(), "fixtures-"));
  cpSync(SHIPPED_FIXTURES, folder, { recursive: true });
  const [alone, another, after] = [await begun(11, folder), await begun(12), await begun(11)];
  expect(after).toStrictEqual(alone);
  expect(another.keys).not.toEqual(after.keys);
});

test("another seed gives other ids", async () => {
  const made = async (seed: number): Promise<unknown> => {
    await using partner = await openPartner({ seed });
    return (await createSubscription(partner))["id"];
  };
  expect(await made(8)).not.toBe(await made(7));
});

interface Chosen {
  readonly host: string;
  readonly date: string;
  /** The number of a port without a server. */
  readonly closedPort: number;
}

/** Plays a session of a sandbox and a receiver on free ports. Returns its digest. */
async function onFreePorts({ host, date, closedPort }: Chosen): Promise<string> {
  const own = createServer((request, response) => {
    request.resume().on("end", () => response.writeHead(200, { date }).end("{}"));
  });
  own.listen(0, "127.0.0.1");
  await once(own, "listening");
  const webhookUrl = `http://127.0.0.1:${(own.address() as AddressInfo).port}/hook`;
  const refused = `http://localhost:${closedPort}/nobody`;
  await using sandbox = await createSandbox({ seed: 11, start: "2026-11-20T09:00:00-03:00", webhookUrl });
  const { url } = await sandbox.listen();
  let keys = 0;
  const ask = async (method: string, path: string, body: object): Promise<{ id: string }> => {
    const headers = { authorization: "Bearer acme-token", "idempotency-key": `key-${++keys}` };
    const site = url.replace("127.0.0.1", host);
    const answer = await fetch(site + path, { method, headers, body: JSON.stringify(body) });
    if (!answer.ok) throw new Error(`${method} ${path}: ${await answer.text()}`);
    return (await answer.json()) as { id: string };
  };
  const customer = { name: "Maria da Silva", document: { type: "CPF", number: "52998224725" } };
  for (const notificationUrl of [undefined, webhookUrl, refused]) {
    const amount = { currency: "BRL", value: "150.00" };
    const order = { externalId: "shop-1", paymentMethod: "BOLETO", amount };
    const { id } = await ask("PUT", "/order/v2/transparent", {
      customer,
      order: { ...order, ...(notificationUrl !== undefined && { notificationUrl }) },
    });
    await ask("POST", "/sandbox/acts/order.pay", { id });
  }
  await ask("POST", "/order/v1/banking/order-payouts", { ...payoutBody(), webhookUrl: refused });
  await sandbox.advance("P2D");
  own.closeAllConnections();
  own.close();
  return sandbox.digest();
}

test("the digest leaves out ports, the host of requests and the date of answers", async () => {
  const one = { host: "127.0.0.1", date: "Thu, 26 Nov 2026 12:00:00 GMT", closedPort: 1 };
  const other = { host: "localhost", date: "Thu, 26 Nov 2026 12:00:01 GMT", closedPort: 2 };
  expect(await onFreePorts(other)).toBe(await onFreePorts(one));
});
