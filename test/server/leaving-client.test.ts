import { connect } from "node:net";
import type { SandboxObject } from "../../src/server/access/sandbox-interface.ts";
import { expect, test, vi } from "vitest";
import { openPartner, type Partner, subscriptionBody } from "../partner.ts";
import { once } from "node:events";
import type { Log } from "../../src/base/log.ts";

const BODY = JSON.stringify(subscriptionBody());

/** A subscription call up to its last byte. */
const WHOLE = [
  "POST /order/v1/banking/subscriptions HTTP/1.1",
  "host: localhost",
  "authorization: Bearer acme-token",
  "content-type: application/json",
  "idempotency-key: 0f0d6b0e-4a1f-4b7e-8f3f-5d1d2a9c8b70",
  "x-request-id: r1",
  `content-length: ${BODY.length}`,
  "",
  BODY,
].join("\r\n");

const IN_THE_BODY = WHOLE.slice(0, -10);
const UNREAD = {
  status: 400,
  requestBody: null,
  responseBody: expect.stringContaining("The body ended before"),
};
const DONE = {
  status: 201,
  requestBody: BODY,
  responseBody: expect.stringContaining('"PENDING_AUTHORIZATION"'),
};

const COMMON = { id: "r1", operationId: "createSubscription", company: "acme" };

interface Phase {
  readonly phase: string;
  readonly fault?: object;
  /** The bytes that the client sends before it leaves. */
  readonly sent: string;
  /** The event that the client waits for. Without it, the client leaves at once. */
  readonly leavesAfter?: "the fault" | "the answer";
  /** The row in the request log. Undefined if there is none. */
  readonly row?: object;
  readonly subscriptions: number;
}

const LATE = { on: "api", effect: "latency", by: "PT0.05S", times: 1 };

const PHASES: readonly Phase[] = [
  { phase: "in the head", sent: WHOLE.slice(0, 60), subscriptions: 0 },
  { phase: "in the body", sent: IN_THE_BODY, row: { ...UNREAD, injected: [] }, subscriptions: 0 },
  {
    phase: "in the body of a call that a fault refuses",
    fault: { on: "api", effect: "unavailable", times: 1 },
    sent: IN_THE_BODY,
    row: { status: 503, requestBody: null, injected: ["unavailable"] },
    subscriptions: 0,
  },
  {
    phase: "in the body of a call about a numbered object",
    fault: { on: "api", effect: "unavailable", objectNumber: 1, times: 1 },
    sent: IN_THE_BODY,
    row: { status: 503, requestBody: null, injected: ["unavailable"] },
    subscriptions: 0,
  },
  {
    phase: "in the body of a token request",
    sent: IN_THE_BODY.replace("/order/v1/banking/subscriptions", "/oauth2/v2.0/token"),
    row: { ...UNREAD, operationId: "issueToken", injected: [] },
    subscriptions: 0,
  },
  {
    phase: "in the body of a call without an operation",
    sent: IN_THE_BODY.replace("banking", "bank"),
    row: { operationId: null, status: 404, requestBody: null, injected: [] },
    subscriptions: 0,
  },
  {
    phase: "while a fault holds the call",
    fault: LATE,
    sent: WHOLE,
    leavesAfter: "the fault",
    row: { ...DONE, injected: ["latency"] },
    subscriptions: 1,
  },
  {
    phase: "while a fault holds the answer",
    fault: { ...LATE, after: true },
    sent: WHOLE,
    leavesAfter: "the fault",
    row: { ...DONE, injected: ["latency"] },
    subscriptions: 1,
  },
  {
    phase: "when a fault resets its connection",
    fault: { on: "api", effect: "reset", times: 1 },
    sent: WHOLE,
    leavesAfter: "the answer",
    row: { status: null, requestBody: BODY, responseBody: null, injected: ["reset"], carriedOut: true },
    subscriptions: 1,
  },
  { phase: "after its answer", sent: WHOLE, leavesAfter: "the answer", row: DONE, subscriptions: 1 },
];

test.each(PHASES)("a client that leaves $phase: the log has what happened to its call", async (phase) => {
  await using partner = await openPartner();
  const { sent, fault, leavesAfter, row, subscriptions } = phase;
  if (fault !== undefined) await partner.sandbox.fault(fault);
  const { url } = await partner.sandbox.listen();
  const socket = connect(Number(new URL(url).port), "127.0.0.1");
  const hasAnswer = new Promise((answered) => socket.once("data", answered).once("close", answered));
  await new Promise<unknown>((written) => socket.on("error", written).write(sent, written));
  if (leavesAfter === "the fault") await vi.waitFor(() => isHit(partner));
  if (leavesAfter === "the answer") await hasAnswer;
  socket.destroy();
  const rows = row === undefined ? [] : [{ ...COMMON, ...row }];
  await vi.waitFor(async () => expect(await listed(partner, "/sandbox/requests")).toMatchObject(rows));
  expect(await listed(partner, "/sandbox/resources/subscriptions")).toHaveLength(subscriptions);
});

test("a caller that disconnects in the middle of a body is not logged as a bug", async () => {
  const logged: string[] = [];
  let answered = (): void => undefined;
  const done = new Promise<void>((resolve) => (answered = resolve));
  const log: Log = {
    debug: () => answered(),
    info: () => undefined,
    warn: () => undefined,
    error: (_fields, message) => void logged.push(message),
  };
  await using partner = await openPartner({ log });
  const { url } = await partner.sandbox.listen();
  const socket = connect(Number(new URL(url).port), "127.0.0.1");
  await once(socket, "connect");
  socket.on("error", () => undefined);
  const head = WHOLE.split("\r\n", 4).join("\r\n");
  socket.write(`${head}\r\ntransfer-encoding: chunked\r\n\r\n5\r\n{"a":\r\n`);
  socket.write("zz\r\n");
  await done;
  socket.destroy();
  expect(logged).toEqual([]);
});

/** Rejects until the fault has been hit. */
async function isHit(partner: Partner): Promise<void> {
  const [fault] = await listed(partner, "/sandbox/faults");
  if (fault?.["hits"] !== 1) throw new Error("The fault was not hit.");
}

async function listed(partner: Partner, path: string): Promise<SandboxObject[]> {
  return (await partner.ask("GET", path)).body["data"] as SandboxObject[];
}
