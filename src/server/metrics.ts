import type { Hono } from "hono";
import type { OpenedWorlds, StorageCounts } from "./opened-worlds.ts";
import type { Transport } from "../simulator/webhooks/transport.ts";
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import { type Layer, type ReceivedRequest, type ServerEnv, whenAnswered } from "./environment.ts";

/** The names and texts of the counts. */
const TOTALS: Readonly<Record<keyof StorageCounts, readonly [name: string, help: string]>> = {
  entries: ["sandbank_journal_entries_total", "Changes of worlds stored by this server."],
  roundTrips: [
    "sandbank_storage_round_trips_total",
    "Writes to the data file, or statements to the database.",
  ],
  forwarded: ["sandbank_requests_forwarded_total", "Requests passed on to the server that has their world."],
  takeovers: ["sandbank_takeovers_total", "Worlds taken over from a server that is gone."],
};

/** The metrics of a server, in the format of Prometheus. */
export class Metrics {
  readonly #registry = new Registry();
  readonly #requests: Counter<"operation" | "status">;
  readonly #durations: Histogram;
  readonly #attempts: Counter<"outcome">;

  constructor() {
    const registers = [this.#registry];
    collectDefaultMetrics({ register: this.#registry });
    // Prometheus takes a name with this ending for a counter. The same numbers have other names too.
    for (const { name } of this.#registry.getMetricsAsArray())
      if (this.#registry.getSingleMetric(name) instanceof Gauge && name.endsWith("_total"))
        this.#registry.removeSingleMetric(name);
    this.#requests = new Counter({
      name: "sandbank_http_requests_total",
      help: "Requests answered, by operation and status.",
      labelNames: ["operation", "status"],
      registers,
    });
    this.#durations = new Histogram({
      name: "sandbank_http_request_duration_seconds",
      help: "Time from the arrival of a request to its answer.",
      buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
      registers,
    });
    this.#attempts = new Counter({
      name: "sandbank_webhook_attempts_total",
      help: "Webhook attempts made, by outcome: acknowledged, refused (an answer other than 2xx) or failed (no answer).",
      labelNames: ["outcome"],
      registers,
    });
  }

  /** Collects the numbers of worlds and of their stored changes. */
  collectFrom(
    { worlds, servers }: Pick<OpenedWorlds, "worlds" | "servers">,
    counts: () => StorageCounts,
  ): void {
    const registers = [this.#registry];
    const loaded: Gauge<"state"> = new Gauge({
      name: "sandbank_worlds",
      help: "Worlds, by state: awake on this server, asleep in the database.",
      labelNames: ["state"],
      registers,
      async collect(): Promise<void> {
        const all = (await servers.worlds?.().catch(() => undefined)) ?? [];
        loaded.set({ state: "awake" }, worlds.all().length);
        loaded.set({ state: "asleep" }, all.filter(({ server }) => server === null).length);
      },
    });
    for (const [key, [name, help]] of Object.entries(TOTALS) as [keyof StorageCounts, [string, string]][]) {
      const counter = new Counter({
        name,
        help,
        registers,
        collect() {
          counter.reset();
          counter.inc(counts()[key]);
        },
      });
    }
  }

  /** Answers `/metrics`. */
  mount(app: Hono<ServerEnv>): void {
    app.get("/metrics", () => this.answer());
  }

  /** Counts the requests that are answered. */
  counting(): Layer<ReceivedRequest> {
    return (answer) => (received) => {
      const began = performance.now();
      return whenAnswered(
        () => answer(received),
        (response) => {
          if (response === undefined) return;
          const operation = nameOf(received);
          this.#requests.inc({ operation, status: response.status });
          this.#durations.observe((performance.now() - began) / 1000);
        },
      );
    };
  }

  /** Counts the attempts that are made. */
  countingAttempts(transport: Transport): Transport {
    return async (requests) => {
      const results = await transport(requests);
      for (const { status, error } of results)
        this.#attempts.inc({
          outcome: status === null ? "failed" : error === null ? "acknowledged" : "refused",
        });
      return results;
    };
  }

  async answer(): Promise<Response> {
    return new Response(await this.#registry.metrics(), {
      headers: { "content-type": this.#registry.contentType, "cache-control": "no-store" },
    });
  }
}

/** Returns the operation of a request, as the metrics name it. Unknown paths have one name, since anyone can make them. */
function nameOf({ matched, path }: ReceivedRequest): string {
  if (matched === undefined) return path.startsWith("/pay/") ? "/pay" : "other";
  return /^\/sandbox\/[\w-]+/.exec(matched.operation.path)?.[0] ?? matched.id;
}
