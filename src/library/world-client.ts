import type { EventName } from "../simulator/api/vocabulary.ts";
import type { FollowedClock, FollowedWorld } from "../server/access/followed-clock.ts";
import type {
  FakePerson,
  SandboxCompany,
  SandboxWorld,
  WebhookDelivery,
} from "../server/access/sandbox-interface.ts";
import { assertDefined } from "../simulator/engine/assertion.ts";
import { callInterface } from "./interface-call.ts";
import { seededChance } from "../simulator/engine/random.ts";
import { setTimeout } from "node:timers/promises";
import type { Company, Delivery, FaultRequest } from "../simulator/api/generated/shapes.ts";
import { type ControlClient, EVERY } from "../server/control/client.js";
import { suggestion } from "../simulator/engine/suggestion.ts";

/** The access to a world for its methods. */
interface WorldClientOptions {
  readonly client: ControlClient;
  /** Sends a request to the world, as `fetch` does. */
  readonly fetch: SandboxWorld["fetch"];
  /** The companies as they were at the start. */
  readonly companies: readonly SandboxCompany[];
  /** The seed of the world. */
  readonly seed: () => number;
  readonly digest: SandboxWorld["digest"];
  /** Waits for the webhooks in flight. Undefined if another server has the world. */
  readonly settled?: () => Promise<void> | undefined;
  /** The address of the world, if it is on a server. */
  readonly remote?: FollowedWorld;
  readonly listen: SandboxWorld["listen"];
  readonly close: () => Promise<void>;
}

/** Returns a company with the account that tests use. `active` has the ids of all ACTIVE accounts. */
export function withAccount(
  { webhookUrl: _now, ...company }: Company,
  active: ReadonlySet<string>,
): SandboxCompany {
  const { accounts } = company;
  return { ...company, account: accounts.find((id) => active.has(id)) ?? accounts[0] ?? "" };
}

const WEBHOOK_TIMEOUT_MS = 5_000;
const POLL_MS = 25;

function companyNamed(companies: readonly SandboxCompany[], id: string): SandboxCompany {
  const ids = companies.map((company) => company.id);
  const found = companies.find((company) => company.id === id);
  if (found !== undefined) return found;
  throw new Error(`Failed to find the company "${id}": it does not exist. ${suggestion(id, ids)}`);
}

/** Draws keys and people for a world. The same seed gives the same draws. */
class Draws {
  readonly #seed: () => number;
  #personCount = 0;
  /** The draws of keys. They are made at the first use, because this server may not have the default world. */
  #keys: ReturnType<typeof seededChance> | undefined;

  constructor(seed: () => number) {
    this.#seed = seed;
  }

  key(): string {
    this.#keys ??= seededChance(this.#seed(), "library keys");
    return this.#keys.uuid();
  }

  async person(): Promise<FakePerson> {
    const use = ++this.#personCount;
    // The names are loaded with the first person.
    const { fakePerson } = await import("../scenarios/fake-person.ts");
    return fakePerson(this.#seed(), use);
  }

  reset(): void {
    this.#personCount = 0;
    this.#keys = undefined;
  }
}

/** Returns the methods of the library. Each is a call of the sandbox's own API, in process or on a server. */
export function worldClient({ client, companies, ...options }: WorldClientOptions): SandboxWorld {
  let isClosed = false;
  const draws = new Draws(options.seed);
  const followed = new Set<FollowedClock>();
  const requireOpen = (): void => {
    if (isClosed) throw new Error("Failed to use the sandbox: it is closed. Open another one.");
  };
  const asked = {
    ...askedMethods(client.ask),
    async call(operation, input, { company, ...sent } = {}) {
      const first = assertDefined(companies[0], "the first company");
      const { token } = company === undefined ? first : companyNamed(companies, company);
      const caller = { fetch: options.fetch, token, drawKey: () => draws.key() };
      return callInterface(caller, operation, input, sent);
    },
    fetch: options.fetch,
    async followClock(followOptions = {}) {
      const { followWith } = await import("../partner/clock/follow-clock.ts");
      const clock = await followWith(client, followOptions, options.remote);
      followed.add(clock);
      return clock;
    },
    fakePerson: () => draws.person(),
    recording: async () => (await client.open("GET /sandbox/recording")).text(),
    listen: options.listen,
  } satisfies Partial<SandboxWorld>;
  const world: SandboxWorld = {
    ...checkedFirst(asked, requireOpen),
    company(id) {
      requireOpen();
      return companyNamed(companies, id);
    },
    digest() {
      requireOpen();
      return options.digest();
    },
    webhook: (event, { object, timeoutMs = WEBHOOK_TIMEOUT_MS } = {}) =>
      awaitWebhook(world, { event, object, timeoutMs }) as never,
    settled: async () => void (await ((isClosed ? undefined : options.settled?.()) ?? world.advance("PT0S"))),
    async reset(given = {}) {
      draws.reset();
      requireOpen();
      return client.ask("POST /sandbox/reset", given);
    },
    async close() {
      if (isClosed) return;
      isClosed = true;
      for (const clock of followed) await clock.stop();
      await options.close();
    },
    [Symbol.asyncDispose]: () => world.close(),
  };
  return world;
}

/** Returns the methods, each of which first calls `check`. They reject if it throws. */
function checkedFirst<Methods extends object>(methods: Methods, check: () => void): Methods {
  const checked = Object.entries(methods as Record<string, (...given: unknown[]) => Promise<unknown>>).map(
    ([name, method]) => [
      name,
      async (...given: unknown[]) => {
        check();
        return method(...given);
      },
    ],
  );
  return Object.fromEntries(checked) as Methods;
}

/** Returns the methods that are one call of the sandbox's own API each. */
function askedMethods(ask: ControlClient["ask"]) {
  return {
    async sendWebhooksTo(url) {
      await ask("PATCH /sandbox/settings", { webhookUrl: url });
    },
    act: async (act, input) =>
      (await ask("POST /sandbox/acts/{act}", { act, ...input, wait: true })) as never,
    advance: (target) =>
      ask("POST /sandbox/clock/advance", typeof target === "string" ? { by: target } : target),
    now: async () => (await ask("GET /sandbox/clock")).now,
    plan: async (plan) => (await ask("POST /sandbox/plans", plan)) as never,
    fault: (fault) => ask("POST /sandbox/faults", fault as FaultRequest),
    async removeFaults(id) {
      await (id === undefined ? ask("DELETE /sandbox/faults") : ask("DELETE /sandbox/faults/{id}", { id }));
    },
    deliveries: async (filter) =>
      (await ask("GET /sandbox/deliveries", { last: EVERY, ...filter })).data.map(readDelivery) as never,
    resource: async (collection, id) =>
      (await ask("GET /sandbox/resources/{collection}/{id}", { collection, id })) as never,
    resources: async (collection) =>
      (await ask("GET /sandbox/resources/{collection}", { collection })).data as never,
    requests: async ({ status, ...filter } = {}) => [
      ...(await ask("GET /sandbox/requests", { ...filter, ...(status && { status: String(status) }) })).data,
    ],
    ledger: () => ask("GET /sandbox/ledger", { last: EVERY }),
    snapshot: () => ask("POST /sandbox/snapshots"),
    restore: (id) => ask("POST /sandbox/snapshots/{id}/restore", { id }),
    async removeSnapshot(id) {
      await ask("DELETE /sandbox/snapshots/{id}", { id });
    },
    fork: (forkOptions) => ask("POST /sandbox/fork", forkOptions),
  } satisfies Partial<SandboxWorld>;
}

interface AwaitedWebhook {
  readonly event: EventName;
  readonly object: string | undefined;
  readonly timeoutMs: number;
}

/** Waits until a webhook was attempted. Rejects if that takes too long. */
async function awaitWebhook(world: SandboxWorld, awaited: AwaitedWebhook): Promise<WebhookDelivery> {
  const { event, object, timeoutMs } = awaited;
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const found = await world.deliveries({ event, ...(object !== undefined && { object }) });
    const attempted = found.findLast(({ attempts }) => attempts.length > 0);
    if (attempted !== undefined) return attempted;
    if (performance.now() >= deadline) throw new Error(noWebhook(await world.deliveries(), awaited));
    await setTimeout(POLL_MS);
  }
}

/** Returns why no webhook was found, from all deliveries of the world. */
function noWebhook(all: readonly WebhookDelivery[], { event, object, timeoutMs }: AwaitedWebhook): string {
  const unsent = all.findLast((delivery) => delivery.event === event && delivery.status === "not-sent");
  const names = new Set(all.filter(({ status }) => status !== "not-sent").map((one) => one.event));
  const sent = names.size === 0 ? "none was sent" : `the sent webhooks are ${[...names].join(", ")}`;
  const about = object === undefined ? "" : ` about ${object}`;
  const found = unsent ? `it was ${unsent.progress}` : `${sent}. If it is due later, advance the clock`;
  return `Failed to find a webhook ${event}${about} within ${timeoutMs} ms: ${found}.`;
}

function readDelivery({ body, ...delivery }: Delivery): WebhookDelivery {
  return { ...delivery, body: body === "" ? null : (JSON.parse(body) as unknown) } as WebhookDelivery;
}
