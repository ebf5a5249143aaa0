import { Hono } from "hono";
import { operations } from "../../src/simulator/api/operations.ts";
import type { OpenWorld, ScenarioWorld } from "../../src/scenarios/world.ts";

/** Two events of the platform API: what the service reports must be events that a scenario may name. */
const CREATED = "SUBSCRIPTION.ACCEPTED";
const RAISED = "SUBSCRIPTION.SCHEDULED_PAYMENT.COMPLETED";

interface Counter {
  id: string;
  owner: string;
  value: number;
}

interface Delivery {
  id: string;
  event: string;
  objectId: string;
  status: string;
  body: string;
  attempts: { at: string; status: number | null }[];
}

export interface CounterWorld extends ScenarioWorld {
  readonly requests: { method: string; path: string; key: string | undefined; body: string }[];
  disposed: boolean;
}

/**
 * A whole service of its own, small enough to see through: counters that are made, raised by a deposit and
 * reported by webhook. It speaks just enough of the sandbox's API for scenarios to run against it. Two of its paths are
 * those of operations: one takes an idempotency key, one a form.
 */
export function openCounterWorld(options: Parameters<OpenWorld>[0]): CounterWorld {
  const counters: Counter[] = [];
  const deliveries: Delivery[] = [];
  const entries: { at: string; what: string; objectId: string }[] = [];
  const requests: CounterWorld["requests"] = [];
  let now = Date.parse(options.start ?? "2026-11-20T12:00:00Z");
  const time = (): string => new Date(now).toISOString();

  const record = (event: string, counter: Counter): void => {
    entries.push({ at: time(), what: event, objectId: counter.id });
    const body = JSON.stringify({ event, data: counter });
    const answer = options.receiver.answer({ url: "https://partner.example", headers: {}, body });
    const status = "error" in answer ? null : answer.status;
    deliveries.push({
      id: `d-${deliveries.length + 1}`,
      event,
      objectId: counter.id,
      status: status === 200 ? "delivered" : "retrying",
      body,
      attempts: [{ at: time(), status }],
    });
  };

  const app = new Hono();
  app.use(async (c, next) => {
    const body = await c.req.text();
    requests.push({ method: c.req.method, path: c.req.path, key: c.req.header("idempotency-key"), body });
    await next();
  });
  app.post(operations.issueToken.path, async (c) =>
    c.json({ access_token: (await c.req.parseBody())["client_id"] }),
  );
  app.use("/counters/*", async (c, next) => {
    if (c.req.header("authorization")) return next();
    return c.json({ error: "UNAUTHORIZED", message: "Unauthorized Request", details: [] }, 401);
  });
  app.on("POST", ["/counters", operations.createPayout.path], async (c) => {
    const { name = "x" } = await c.req.json<{ name?: string }>();
    const owner = c.req.header("authorization")?.replace("Bearer ", "") ?? "";
    const counter = { id: `${name}-${counters.length + 1}`, owner, value: 0 };
    counters.push(counter);
    record(CREATED, counter);
    return c.json(counter, 201);
  });
  app.get("/counters", (c) => c.json({ query: c.req.queries(), data: counters }));
  app.get("/counters/:id", (c) => {
    const counter = counters.find(({ id }) => id === c.req.param("id"));
    return counter
      ? c.json(counter, 200, { "X-Kind": "counter" })
      : c.json({ message: "Resource not found" }, 404);
  });
  app.post("/hang-up", () => {
    throw new TypeError("socket hang up");
  });
  app.post("/sandbox/acts/:act", async (c) => {
    const { id, amount } = await c.req.json<{ id: string; amount: string }>();
    const counter = counters.find((one) => one.id === id);
    if (!counter) {
      const details = [{ field: "id", issue: "ILLEGAL_ACT", description: "there is no such counter" }];
      return c.json({ error: "INVALID_REQUEST", message: "Illegal act", details }, 409);
    }
    counter.value += Number(amount);
    record(RAISED, counter);
    return c.json(counter);
  });
  app.post("/sandbox/plans", async (c) => c.json({ id: "plan-1", ...(await c.req.json<object>()) }, 201));
  app.post("/sandbox/faults", async (c) => c.json({ id: "fault-1", ...(await c.req.json<object>()) }, 201));
  app.get("/sandbox/clock", (c) => c.json({ mode: "frozen", now: time() }));
  app.post("/sandbox/clock/advance", async (c) => {
    const from = time();
    const { by, until } = await c.req.json<{ by?: string; until?: string }>();
    now += Number(/PT(\d+)S/.exec(by ?? "")?.[1] ?? 0) * 1000;
    const happened =
      by === "PT0S" ? [] : [{ at: time(), what: "clock.moved", objectId: null, cause: "advance" }];
    return c.json({ from, to: time(), fired: 0, happened, ...(until && { stoppedBy: "timers" }) });
  });
  app.get("/sandbox/deliveries", (c) => c.json({ data: deliveries }));
  app.get("/sandbox/resources/accounts", (c) => c.json({ data: counters }));
  app.get("/sandbox/resources/accounts/:id", (c) => {
    const counter = counters.find(({ id }) => id === c.req.param("id"));
    return counter ? c.json(counter) : c.json({ message: "Resource not found" }, 404);
  });
  app.get("/sandbox/ledger", (c) => c.json({ balanced: counters.every(({ value }) => value < 100) }));
  app.get("/sandbox/timeline", (c) => {
    const about = c.req.query("about");
    return c.json({ data: entries.filter(({ objectId }) => about === undefined || objectId === about) });
  });
  app.onError((error) => {
    throw error;
  });

  const world: CounterWorld = {
    fetch: async (path, init) => app.request(path, init),
    tokens: { acme: "acme-token", globex: "globex-token" },
    receiver: options.receiver,
    requests,
    disposed: false,
    digest: () => `digest of ${entries.length}`,
    [Symbol.asyncDispose]() {
      world.disposed = true;
      return Promise.resolve();
    },
  };
  return world;
}
