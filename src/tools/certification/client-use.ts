import type { ClientUse } from "./certificate.ts";
import type { LoggedRequest } from "../../api/generated/shapes.ts";
import { events } from "../../api/events.ts";
import { FileMistakes } from "../../library/failures.ts";
import { openTarget } from "../scenarios/world.ts";
import { operations } from "../../api/operations.ts";
import { variableOf } from "../../library/settings.ts";

interface Delivery {
  readonly event: string;
  readonly status: string;
  /** The effects of the faults that touched it. */
  readonly injected: readonly string[];
  readonly attempts: readonly { readonly injected: readonly string[] }[];
}

interface AssumptionInForce {
  readonly id: string;
  readonly value: unknown;
  readonly default: unknown;
}

/** Reads the request log, the deliveries and the assumptions of a world. */
export async function clientUse(target: string, world: string): Promise<ClientUse> {
  const [requests, deliveries, inForce] = await readWorld(target, world);
  const calls = requests.filter(({ operationId }) => operationId !== null);
  const called = Object.keys(operations).map((operation) => {
    const own = calls.filter(({ operationId }) => operationId === operation);
    return {
      operation,
      calls: own.length,
      statuses: counted(own.map(({ status }) => String(status ?? "dropped"))),
    };
  });
  const refused = calls.filter(({ status }) => status === null || status >= 400);
  const received = Object.keys(events).map((event) => {
    const own = deliveries.filter((delivery) => delivery.event === event);
    return { event, sent: own.length, handled: own.filter(({ status }) => status === "delivered").length };
  });
  const unhandled = received.filter(({ sent, handled }) => sent > 0 && handled < sent);
  // What a fault caused is not the receiver's.
  const lost = deliveries.filter(
    ({ status, injected, attempts }) =>
      status === "undelivered" && injected.length === 0 && attempts.every((one) => one.injected.length === 0),
  );
  const isUnused = calls.length === 0;
  return {
    part: {
      name: "client",
      verdict: isUnused ? "not-judged" : lost.length > 0 ? "failed" : "passed",
      summary: `${calls.length} calls of ${called.filter((one) => one.calls > 0).length} of ${called.length} operations, ${refused.length} of them refused; ${received.filter(({ handled }) => handled > 0).length} of ${received.length} events handled.`,
      reasons: [
        ...(isUnused ? [`The request log of ${target} is empty: run your client against it first.`] : []),
        ...(lost.length > 0
          ? unhandled.map(
              ({ event, sent, handled }) => `${event} was sent ${sent} times and handled ${handled} times.`,
            )
          : []),
      ],
      report: { operations: called, errors: errorsIn(refused), events: received },
    },
    missing: [
      ...called.flatMap(({ operation, calls: count }) =>
        count > 0 ? [] : [`The client never called ${operation}.`],
      ),
      ...(refused.length > 0 ? [] : ["The client never met a refusal."]),
      ...received.flatMap(({ event, handled }) =>
        handled > 0 ? [] : [`The receiver never handled ${event}.`],
      ),
    ],
    assumptions: Object.fromEntries(
      inForce
        .filter((one) => JSON.stringify(one.value) !== JSON.stringify(one.default))
        .map(({ id, value }) => [id, value]),
    ),
  };
}

async function readWorld(
  target: string,
  world: string,
): Promise<[readonly LoggedRequest[], readonly Delivery[], readonly AssumptionInForce[]]> {
  const token = process.env[variableOf("admin-token")];
  try {
    await using opened = await openTarget(target, world, token ? { adminToken: token } : {});
    const [company = ""] = Object.values(opened.tokens);
    const read = async <One>(path: string): Promise<readonly One[]> => {
      const response = await opened.fetch(path, { headers: { authorization: `Bearer ${company}` } });
      const { data, message } = (await response.json()) as { data?: readonly One[]; message?: string };
      if (data === undefined)
        throw new Error(`Failed to read ${path} of ${target}: ${message ?? response.status}`);
      return data;
    };
    return [
      await read<LoggedRequest>("/sandbox/requests"),
      await read<Delivery>("/sandbox/deliveries"),
      await read<AssumptionInForce>("/sandbox/assumptions"),
    ];
  } catch (error) {
    throw new FileMistakes((error as Error).message);
  }
}

/** Refusals by operation, status and code. */
function errorsIn(refused: readonly LoggedRequest[]): { readonly error: string; readonly count: number }[] {
  return counted(
    refused.map(({ operationId, status, responseBody }) => {
      const code = /"error"\s*:\s*"([^"]*)"/.exec(responseBody ?? "")?.[1];
      return [operationId, status ?? "dropped", code].filter((part) => part !== undefined).join(" ");
    }),
  ).map(({ value, count }) => ({ error: value, count }));
}

function counted(values: readonly string[]): { readonly value: string; readonly count: number }[] {
  return Array.from(
    Map.groupBy(values, (value) => value),
    ([value, same]) => ({ value, count: same.length }),
  ).toSorted((one, other) => (one.value < other.value ? -1 : 1));
}
