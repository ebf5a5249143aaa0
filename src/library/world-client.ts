import type { SandboxObject, SandboxWorld, WebhookDelivery } from "./sandbox-interface.ts";
import type { Company, Delivery } from "../api/generated/shapes.ts";
import { suggestion } from "../engine/suggestion.ts";

/** How the methods of a world reach it. */
interface WorldClientOptions {
  /** Sends a request to the world. A world of this process gives a long answer to `take` as it is. */
  readonly fetch: (
    input: string | URL | Request,
    init?: RequestInit,
    take?: (answer: object) => void,
  ) => Promise<Response>;
  /** The headers that open `/sandbox`. */
  readonly admin: Readonly<Record<string, string>>;
  /** The companies as they were at the start. */
  readonly companies: readonly Company[];
  /** The seed of the world. */
  readonly seed: () => number;
  readonly digest: SandboxWorld["digest"];
  readonly listen: SandboxWorld["listen"];
  readonly close: () => Promise<void>;
}

/** The methods of the library: each is a request to the sandbox's own API, in process or on a server. */
export function worldClient(options: WorldClientOptions): SandboxWorld {
  const { admin, companies } = options;
  let isClosed = false;
  let personCount = 0;

  function requireOpen(): void {
    if (isClosed) throw new Error("Failed to use the sandbox: it is closed. Open another one.");
  }

  async function ask(
    method: string,
    path: string,
    body?: object,
    take?: (answer: object) => void,
  ): Promise<Response> {
    requireOpen();
    const init = {
      method,
      headers: { ...admin, "content-type": "application/json" },
      ...(body && { body: JSON.stringify(body) }),
    };
    const response = await options.fetch(path, init, take);
    if (!response.ok) throw new Error(sentenceOf(await response.json()));
    return response;
  }

  /** The API documents what it answers. */
  async function send<Answer>(method: string, path: string, body?: object): Promise<Answer> {
    return (await ask(method, path, body)).json() as Promise<Answer>;
  }

  /** Of a year with thousands of objects the report of an advance has two megabytes. */
  async function advance<Report>(target: object): Promise<Report> {
    let taken: object | undefined;
    const response = await ask("POST", "/sandbox/clock/advance", target, (answer) => (taken = answer));
    return (taken === undefined ? response.json() : copyOf(taken)) as Promise<Report>;
  }

  async function list<Item>(path: string, filter: Readonly<Record<string, unknown>> = {}): Promise<Item[]> {
    const query = new URLSearchParams();
    for (const [name, value] of Object.entries(filter))
      if (value !== undefined) query.set(name, typeof value === "string" ? value : JSON.stringify(value));
    return (await send<{ data: Item[] }>("GET", query.size === 0 ? path : `${path}?${query.toString()}`))
      .data;
  }

  const world: SandboxWorld = {
    company(id) {
      requireOpen();
      const ids = companies.map((company) => company.id);
      const found = companies.find((company) => company.id === id);
      if (found !== undefined) return found;
      throw new Error(`Failed to find the company "${id}": there is none. ${suggestion(id, ids)}`);
    },
    async fetch(input, init) {
      requireOpen();
      return options.fetch(input, init);
    },
    act: (act, input) => send("POST", `/sandbox/acts/${act}`, { ...input, wait: true }),
    advance: (target) => advance(typeof target === "string" ? { by: target } : target),
    settled: async () => void (await world.advance("PT0S")),
    async fakePerson() {
      requireOpen();
      const use = ++personCount;
      // The names are loaded with the first one.
      const { fakePerson } = await import("../tools/scenarios/fake-person.ts");
      return fakePerson(options.seed(), use);
    },
    plan: (plan) => send("POST", "/sandbox/plans", plan),
    fault: (fault) => send("POST", "/sandbox/faults", fault),
    deliveries: async (filter) =>
      (await list<Delivery>("/sandbox/deliveries", filter)).map(readDelivery) as never,
    resource: (collection, id) => send("GET", `/sandbox/resources/${collection}/${encodeURIComponent(id)}`),
    resources: (collection) => list(`/sandbox/resources/${collection}`),
    requests: (filter) => list("/sandbox/requests", filter),
    ledger: () => send("GET", "/sandbox/ledger"),
    snapshot: () => send("POST", "/sandbox/snapshots"),
    restore: (snapshotId) => send("POST", `/sandbox/snapshots/${encodeURIComponent(snapshotId)}/restore`),
    async removeSnapshot(snapshotId) {
      await send("DELETE", `/sandbox/snapshots/${encodeURIComponent(snapshotId)}`);
    },
    fork: (forkOptions = {}) => send("POST", "/sandbox/fork", forkOptions),
    recording: async () => (await ask("GET", "/sandbox/recording")).text(),
    digest() {
      requireOpen();
      return options.digest();
    },
    async reset() {
      personCount = 0;
      return send("POST", "/sandbox/reset");
    },
    async listen(listenOptions) {
      requireOpen();
      return options.listen(listenOptions);
    },
    async close() {
      if (isClosed) return;
      isClosed = true;
      await options.close();
    },
    [Symbol.asyncDispose]: () => world.close(),
  };
  return world;
}

/** A value as its JSON would give it, with iterators as lists. */
function copyOf(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value) || value instanceof Iterator)
    return Array.from(value as Iterable<unknown>, copyOf);
  const copy: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(value)) if (field !== undefined) copy[name] = copyOf(field);
  return copy;
}

function readDelivery({ body, ...delivery }: Delivery): WebhookDelivery {
  return { ...delivery, body: JSON.parse(body) as unknown } as WebhookDelivery;
}

/** What is wrong, in the words of an error body. */
export function sentenceOf(answer: unknown): string {
  const { details = [], message } = (answer ?? {}) as SandboxObject & {
    readonly details?: readonly { readonly description: string }[];
  };
  return details.length > 0 ? details.map(({ description }) => description).join(" ") : String(message);
}
