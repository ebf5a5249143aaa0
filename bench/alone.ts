import { createSandbox } from "../dist/index.js";
import { subscriptionBody } from "./bodies.ts";

type Sandbox = Awaited<ReturnType<typeof createSandbox>>;

const START = "2026-11-20T09:00:00-03:00";
const PATH = "/order/v1/banking/subscriptions";
const headers = { authorization: "Bearer acme-token" };

/** What the engine does by itself, in process: milliseconds, unless the name says otherwise. */
export async function measureAlone(): Promise<Record<string, number>> {
  const figures: Record<string, number> = {};
  for (const objects of [1_000, 10_000]) {
    await using sandbox = await createSandbox({ start: START });
    await create(sandbox, objects);
    figures[`GET with ${objects} objects, µs`] = await perRequest(sandbox, 2_000, { headers });
    const first = await timed(() => create(sandbox, 500, "more"));
    figures[`POST with ${objects} objects, µs`] = Math.round((first * 1_000) / 500);
    if (objects !== 10_000) continue;
    figures["snapshot"] = await timed(() => sandbox.snapshot());
    figures["fork"] = await timed(() => sandbox.fork());
    figures["reset"] = await timed(() => sandbox.reset());
  }
  await using sandbox = await createSandbox({ start: START, transport: unheard });
  const ids = await create(sandbox, 1_000);
  for (const id of ids) await sandbox.act("subscription.accept", { id });
  figures["a year of a thousand subscriptions"] = await timed(() => year(sandbox, ids));
  return figures;
}

/** A charge for each subscription and month, as a partner would order it, with the clock moved on between. */
async function year(sandbox: Sandbox, ids: readonly string[]): Promise<void> {
  for (let month = 0; month < 12; month++) {
    const { now } = (await (await sandbox.fetch("/sandbox/clock")).json()) as { now: string };
    const due = new Date(Date.parse(now) + 5 * 86_400_000).toISOString().slice(0, 10);
    for (const [index, id] of ids.entries()) {
      const body = {
        externalId: `charge-${month}-${index}`,
        dueDate: due,
        amount: { currency: "BRL", value: "59.90" },
      };
      const path = `/public/v1/banking/subscriptions/${id}/payments`;
      const answer = await sandbox.fetch(path, { method: "PUT", headers, body: JSON.stringify(body) });
      if (!answer.ok) throw new Error(`no charge was made: ${await answer.text()}`);
    }
    await sandbox.advance("P1M");
  }
}

/** A receiver that costs nothing. */
const unheard = async () => ({
  status: 200,
  error: null,
  message: "ok",
  responseHeaders: {},
  responseBody: "",
  responseTruncated: false,
  durationMs: 0,
});

async function create(sandbox: Sandbox, count: number, name = "subscription"): Promise<string[]> {
  const ids: string[] = [];
  for (let number = 0; number < count; number++) {
    const body = subscriptionBody(`${name}-${number}`);
    const answer = await sandbox.fetch(PATH, { method: "POST", headers, body });
    ids.push(((await answer.json()) as { id: string }).id);
  }
  return ids;
}

async function perRequest(sandbox: Sandbox, count: number, init: RequestInit): Promise<number> {
  const took = await timed(async () => {
    for (let number = 0; number < count; number++) {
      await (await sandbox.fetch("/order/v1/banking/accounts", init)).text();
    }
  });
  return Math.round((took * 1_000) / count);
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return Math.round((performance.now() - began) * 10) / 10;
}
