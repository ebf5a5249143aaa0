import { createServer } from "node:http";
import { spawn } from "node:child_process";
import { expect, onTestFinished, test } from "vitest";
import { mkdtempSync, rmSync } from "node:fs";
import { once } from "node:events";
import { join } from "node:path";
import { assertDefined } from "../../../src/simulator/engine/assertion.ts";
import { subscriptionBody } from "../../partner.ts";
import { tmpdir } from "node:os";
import { text } from "node:stream/consumers";
import type { AddressInfo } from "node:net";

const KILLS = 2;
const SUBSCRIPTIONS = "/order/v1/banking/subscriptions";

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), "sandbank-kill-"));
  onTestFinished(() => rmSync(made, { recursive: true, force: true }));
  return made;
}

/** Starts `sandbank serve` on a data file, through a shell so that its limits can be set first. */
async function start(data: string, { limits = "", flags = [] as readonly string[] } = {}) {
  const command = `${limits} exec "$0" src/cli/main.ts serve --port 0 --frozen --start 2026-11-20T09:00:00-03:00 --data "$@"`;
  const child = spawn("sh", ["-c", command, process.execPath, data, ...flags], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  child.stderr.resume();
  child.stdout.setEncoding("utf8");
  const [line] = (await once(child.stdout, "data")) as [string];
  const url = /http:\S+/.exec(line)?.[0] ?? "";
  async function end(signal: NodeJS.Signals): Promise<number | null> {
    const exit = once(child, "exit");
    child.kill(signal);
    await exit;
    return child.exitCode;
  }
  onTestFinished(() => void child.kill("SIGKILL"));
  return { url, end };
}

function ask(url: string, method: string, path: string, body?: object): Promise<Response> {
  return fetch(`${url}${path}`, {
    method,
    headers: { authorization: "Bearer acme-token" },
    ...(body && { body: JSON.stringify(body) }),
  });
}

async function list(url: string, collection: string): Promise<Record<string, unknown>[]> {
  const response = await ask(url, "GET", `/sandbox/resources/${collection}`);
  return ((await response.json()) as { data: Record<string, unknown>[] }).data;
}

test(`a server that is killed ${KILLS} times under load loses nothing that it has acknowledged`, async () => {
  const data = join(folder(), "sandbank.json");
  const answered: string[] = [];
  let number = 0;
  for (let kill = 0; kill < KILLS; kill++) {
    const { url, end } = await start(data);
    const kept = new Set((await list(url, "subscriptions")).map(({ externalId }) => externalId as string));
    expect(answered.filter((externalId) => !kept.has(externalId))).toEqual([]);
    const load = new AbortController();
    const killAt = answered.length + 1 + 14 * kill;
    const isTime = Promise.withResolvers<void>();
    const partners = Array.from({ length: 8 }, async () => {
      while (!load.signal.aborted) {
        const externalId = `subscription-${number++}`;
        try {
          const response = await ask(url, "POST", SUBSCRIPTIONS, subscriptionBody({ externalId }));
          if (response.status === 201) answered.push(externalId);
          if (answered.length >= killAt) isTime.resolve();
        } catch {
          return;
        }
      }
    });
    await isTime.promise;
    await end("SIGKILL");
    load.abort();
    await Promise.all(partners);
  }
  expect(answered.length).toBeGreaterThan(KILLS);
}, 120_000);

test("after a kill, pending timers fire and a webhook that was in flight is sent again", async () => {
  const data = join(folder(), "sandbank.json");
  const received: { event: string }[] = [];
  let isSilent = true;
  const receiver = createServer((request, response) => {
    let text = "";
    request.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
    request.on("end", () => {
      received.push(JSON.parse(text) as { event: string });
      if (!isSilent) response.end("ok");
    });
  }).listen(0, "127.0.0.1");
  await once(receiver, "listening");
  onTestFinished(() => {
    receiver.closeAllConnections();
    receiver.close();
  });
  const webhookUrl = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`;
  let id: unknown;
  {
    const { url, end } = await start(data, { flags: ["--webhook-url", webhookUrl] });
    const created = await ask(url, "POST", SUBSCRIPTIONS, subscriptionBody());
    ({ id } = (await created.json()) as { id: string });
    await ask(url, "POST", "/sandbox/acts/subscription.accept", { id });
    await ask(url, "POST", "/sandbox/acts/subscription.request-cancellation", {
      id,
      reason: "REQUESTED_BY_PAYER",
    });
    await expect.poll(() => received.length).toBeGreaterThan(0);
    await end("SIGKILL");
  }
  isSilent = false;
  received.length = 0;
  const { url, end } = await start(data);
  await expect.poll(() => received.map(({ event }) => event)).toContain("SUBSCRIPTION.ACCEPTED");
  await ask(url, "POST", "/sandbox/clock/advance", { by: "PT5S" });
  expect(received.map(({ event }) => event)).toContain("SUBSCRIPTION.CANCELLATION.ACCEPTED");
  const [subscription] = await list(url, "subscriptions");
  expect(subscription).toMatchObject({ id, status: "CANCELED" });
  expect(await end("SIGTERM")).toBe(0);
}, 60_000);

const canLimit = process.platform !== "win32";

test.runIf(canLimit)(
  "on a full disk writes are answered with 500 and have no effect",
  async () => {
    const data = join(folder(), "sandbank.json");
    const kept: string[] = [];
    {
      const { url, end } = await start(data, { limits: "ulimit -f 400;" });
      let refused: Response | undefined;
      for (let number = 0; number < 500 && refused === undefined; number++) {
        const externalId = `subscription-${number}`;
        const response = await ask(url, "POST", SUBSCRIPTIONS, subscriptionBody({ externalId }));
        if (response.status === 201) kept.push(externalId);
        else refused = response;
      }
      expect(refused?.status).toBe(500);
      const { error, message } = (await assertDefined(refused, "a refused request").json()) as {
        error: string;
        message: string;
      };
      expect(error).toBe("INTERNAL_ERROR");
      expect(message).toContain("Failed to save the change");
      expect((await list(url, "subscriptions")).map(({ externalId }) => externalId)).toEqual(kept);
      const again = await ask(url, "POST", SUBSCRIPTIONS, subscriptionBody({ externalId: "once more" }));
      expect(again.status).toBe(500);
      expect((await fetch(`${url}/sandbox/ready`)).status).toBe(503);
      const refund = await ask(url, "PUT", "/order/v2/refund", {});
      expect(refund.status, "a request that changes nothing is answered as usual").toBe(400);
      expect(await end("SIGTERM")).toBe(0);
    }
    const { url } = await start(data);
    expect((await list(url, "subscriptions")).map(({ externalId }) => externalId)).toEqual(kept);
    const again = await ask(url, "POST", SUBSCRIPTIONS, subscriptionBody({ externalId: "once more" }));
    expect(again.status).toBe(201);
  },
  60_000,
);

test.runIf(canLimit)("a start on a full disk reports it and exits with 1", async () => {
  const data = join(folder(), "sandbank.json");
  const finished = spawn("sh", [
    "-c",
    `ulimit -f 20; exec "$0" src/cli/main.ts serve --port 0 --data "$1"`,
    process.execPath,
    data,
  ]);
  const [err] = await Promise.all([text(finished.stderr), once(finished, "close")]);
  expect(err).toContain("Failed to save the change: the file has reached the largest size allowed.");
  expect(err).not.toContain("    at ");
  expect(finished.exitCode).toBe(1);
});
