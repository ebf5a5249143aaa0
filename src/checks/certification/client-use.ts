import { adviceIn, isFailure, type Certificate, type ProvenPart } from "./certificate.ts";
import { suiteOf, tableOf } from "./proven-part.ts";
import type { Lint, LoggedRequest } from "../../simulator/api/generated/shapes.ts";
import { events } from "../../simulator/api/events.ts";
import { EVERY, controlClient, OWN_AGENT } from "../../server/control/client.js";
import { operations } from "../../simulator/api/operations.ts";
import type { Evidence } from "../../reports/report.ts";
import { type Capability, isPartOf } from "./capabilities.ts";
import type { Counted, MissingPoint } from "./counted.ts";
import { english } from "./english.ts";
import { secretVariable } from "../../server/settings/secret-variable.ts";

/** Reads the request log, the deliveries and the assumptions of a world. */
export async function clientUse(
  target: string,
  world: string,
  capabilities: readonly Capability[] = [],
): Promise<Pick<Certificate, "assumptions"> & { readonly proven: ProvenPart }> {
  const read = await readWorld(target, world);
  const use = useIn(read);
  const { called, received, refused, calls } = use;
  // A client is unproven if each of its calls was refused.
  const isUnproven = calls.length === refused.length;
  const unproven =
    calls.length === 0
      ? `The request log of ${target} is empty. Run your client against it first.`
      : `Every call of the client was refused (${errorsIn(refused)[0]?.error ?? ""}): correct it, and run it again.`;
  const usable = called.filter(({ operation }) => isInScope(operation, capabilities));
  const expected = received.filter(({ event }) => isInScope(event, capabilities));
  const isWrong = use.lost.length > 0 || read.lints.some(isFailure);
  const counted: Counted = {
    of: "client",
    operations: [usable.filter((one) => one.calls > 0).length, usable.length],
    refused: [refused.length, calls.length],
    events: [expected.filter(({ handled }) => handled > 0).length, expected.length],
  };
  const part = {
    name: "client" as const,
    verdict: isWrong ? ("failed" as const) : isUnproven ? ("not-judged" as const) : ("passed" as const),
    summary: english.summary(counted),
    counted,
    reasons: [...(isUnproven ? [unproven] : []), ...reasonsOf(use, read.lints)],
    report: { operations: called, errors: errorsIn(refused), events: received, lints: read.lints },
  };
  const suites = [suiteOf(part, evidenceOf(part.report))];
  return {
    proven: { ...part, found: { title: "client", suites }, missing: missingIn(usable, refused, expected) },
    assumptions: Object.fromEntries(
      read.inForce
        .filter((one) => JSON.stringify(one.value) !== JSON.stringify(one.default))
        .map(({ id, value }) => [id, value]),
    ),
  };
}

function missingIn(
  usable: Use["called"],
  refused: Use["refused"],
  expected: Use["received"],
): readonly MissingPoint[] {
  return [
    ...usable.flatMap(({ operation, calls }) => (calls > 0 ? [] : [{ operation }])),
    ...(refused.length > 0 ? [] : [{ refusal: "none" } as const]),
    ...expected.flatMap(({ event, handled }) => (handled > 0 ? [] : [{ event }])),
  ];
}

type Use = ReturnType<typeof useIn>;

/** Counts the calls of the client and the events for its receiver. */
function useIn({ requests, deliveries }: Awaited<ReturnType<typeof readWorld>>) {
  const calls = requests.filter(
    ({ operationId, requestHeaders }) => operationId !== null && requestHeaders["user-agent"] !== OWN_AGENT,
  );
  const called = Object.keys(operations).map((operation) => {
    const own = calls.filter(({ operationId }) => operationId === operation);
    return {
      operation,
      calls: own.length,
      statuses: counted(own.map(({ status }) => String(status ?? "dropped"))),
    };
  });
  const refused = calls.filter(
    ({ status, carriedOut }) => carriedOut !== true && (status === null || status >= 400),
  );
  const received = Object.keys(events).map((event) => {
    const own = deliveries.filter((delivery) => delivery.event === event);
    return { event, sent: own.length, handled: own.filter(({ status }) => status === "delivered").length };
  });
  // Failures by a fault are not the receiver's.
  const lost = deliveries.filter(
    ({ status, injected, attempts }) =>
      status === "undelivered" && injected.length === 0 && attempts.every((one) => one.injected.length === 0),
  );
  return { calls, called, refused, received, lost };
}

/** Returns the reasons of a failure, and advice. */
function reasonsOf({ received, lost }: Use, lints: readonly Lint[]): string[] {
  const unhandled = received.filter(({ sent, handled }) => sent > 0 && handled < sent);
  const events = lost.length > 0 ? unhandled : [];
  return [
    ...events.map(
      ({ event, sent, handled }) => `${event} was sent ${sent} times and handled ${handled} times.`,
    ),
    ...lints.filter(isFailure).map(({ message, fix }) => `${message} ${fix}`),
    ...adviceIn([{ lints }]),
  ];
}

/** Writes the tables of the operations, the refusals and the events. */
function evidenceOf({
  operations: called,
  errors,
  events: received,
}: {
  readonly operations: Use["called"];
  readonly errors: ReturnType<typeof errorsIn>;
  readonly events: Use["received"];
}): Evidence[] {
  return [
    ...tableOf(
      ["Operation", "Calls", "Answers"],
      called.map(({ operation, calls, statuses }) => [
        operation,
        calls,
        statuses.map((one) => `${one.value} × ${one.count}`).join(", "),
      ]),
    ),
    ...tableOf(
      ["Refusal", "Times"],
      errors.map(({ error, count }) => [error, count]),
    ),
    ...tableOf(
      ["Event", "Sent", "Handled"],
      received.map(({ event, sent, handled }) => [event, sent, handled]),
    ),
  ];
}

/** Returns true if an operation or an event belongs to the subject of the integration. Without capabilities all do. */
function isInScope(name: string, capabilities: readonly Capability[]): boolean {
  const all: Readonly<Record<string, { readonly tag: string }>> = { ...operations, ...events };
  const tag = all[name]?.tag;
  return capabilities.length === 0 || capabilities.some((one) => isPartOf(one, name, tag));
}

async function readWorld(url: string, world: string) {
  const client = controlClient({ url, world, adminToken: secretVariable("SANDBANK_ADMIN_TOKEN") });
  return {
    requests: (await client.ask("GET /sandbox/requests")).data,
    lints: (await client.ask("GET /sandbox/lints")).data,
    deliveries: (await client.ask("GET /sandbox/deliveries", { last: EVERY })).data,
    inForce: (await client.ask("GET /sandbox/assumptions")).data,
  };
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
