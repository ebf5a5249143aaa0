import { connect } from "node:net";
import { createSandbox } from "../../../src/library/sandbox.ts";
import { expect, onTestFinished, test } from "vitest";
import { once } from "node:events";
import { definition, exampleOf } from "../../../src/simulator/api/schemas.ts";
import { operations } from "../../../src/simulator/api/operations.ts";
import { text } from "node:stream/consumers";
import { undocumentedIn } from "./documented.ts";
import fc from "fast-check";
import { openPartner } from "../../partner.ts";

/**
 * Every status and every header that the sandbox sends is in the document, whatever it was asked. That those of the
 * shipped scenarios are is tested in `scenarios.test.ts`.
 */
const REQUESTS = 600;

const request = fc.record({
  operation: fc.constantFrom(...Object.values(operations)),
  id: fc.oneof(fc.uuid(), fc.constantFrom("11111111-1111-4111-8111-111111111111", "x")),
  token: fc.constantFrom("acme-token", "acme-token", "globex-token", "acme-token-without-scope", "none", ""),
  key: fc.option(fc.constantFrom("0f0d6b0e-4a1f-4b7e-8f3f-5d1d2a9c8b70", "k", "x".repeat(65))),
  query: fc.constantFrom("", "?limit=1", "?limit=0", "?sort=asc&colour=red", "?cursor=x"),
  change: fc.constantFrom("none", "none", "unknown field", "missing field", "not JSON"),
  secret: fc.constantFrom("acme-secret", "acme-secret", "wrong"),
});

type RandomRequest = typeof request extends fc.Arbitrary<infer Value> ? Value : never;

function bodyOf({ operation, change, secret }: RandomRequest): string | undefined {
  if (operation.request === undefined) return undefined;
  if (change === "not JSON") return "{";
  const example = exampleOf(definition(operation.request).schema) as Record<string, unknown>;
  const fields = change === "missing field" ? Object.entries(example).slice(1) : Object.entries(example);
  if (change === "unknown field") fields.push(["colour", "red"]);
  const body: Record<string, unknown> = Object.fromEntries(fields);
  if (!operation.isForm) return JSON.stringify(body);
  return String(new URLSearchParams({ ...(body as Record<string, string>), client_secret: secret }));
}

test("every answer to random requests over a port is documented, with faults and without", async () => {
  await using sandbox = await createSandbox({ seed: 7, start: "2026-11-20T09:00:00-03:00" });
  const { url } = await sandbox.listen();
  const statuses = new Set<number>();
  const undocumented = new Set<string>();
  const requests = fc.sample(request, { seed: 14, numRuns: REQUESTS });
  for (const [index, sent] of requests.entries()) {
    if (index % 100 === 50) await sandbox.fault({ on: "api", effect: "unavailable", probability: 0.5 });
    if (index % 100 === 75)
      await sandbox.fault({ on: "api", effect: "error", status: 400 + (index % 17) * 11, probability: 0.5 });
    if (index % 100 === 99) await sandbox.fetch("/sandbox/faults", { method: "DELETE" });
    const { operation, id, token, key, query } = sent;
    const body = bodyOf(sent);
    const { isForm } = operation;
    const answer = await fetch(`${url}${operation.path.replaceAll(/\{\w+\}/g, id)}${query}`, {
      method: operation.method,
      headers: {
        ...(token !== "" && !isForm && { authorization: `Bearer ${token}` }),
        ...(key !== null && { "idempotency-key": key }),
        ...(isForm && { "content-type": "application/x-www-form-urlencoded" }),
      },
      ...(body !== undefined && { body }),
    });
    await answer.arrayBuffer();
    statuses.add(answer.status);
    for (const missing of undocumentedIn(operation, answer)) undocumented.add(missing);
  }
  expect([...statuses]).toEqual(expect.arrayContaining([200, 201, 400, 401, 403, 503]));
  expect([...undocumented]).toEqual([]);
}, 60_000);

test.each([
  ["headers that are too large", `x-long: ${"x".repeat(20_000)}\r\n`, 431],
  ["an unknown Expect", "expect: tea\r\n", 417],
  ["a header that is not HTTP", "no header\r\n", 400],
])("the answer to %s is documented", async (_, header, status) => {
  await using sandbox = await createSandbox();
  const { url } = await sandbox.listen();
  const socket = connect(Number(new URL(url).port), "127.0.0.1");
  onTestFinished(() => void socket.destroy());
  await once(socket, "connect");
  socket.write(`GET ${operations.listAccounts.path} HTTP/1.1\r\nhost: 127.0.0.1\r\n${header}\r\n`);
  const [head = ""] = (await text(socket)).split("\r\n\r\n");
  const [first = "", ...lines] = head.split("\r\n");
  expect(first).toContain(` ${status} `);
  const headers = lines.map((line): [string, string] => [line.split(":")[0] ?? "", ""]);
  expect(undocumentedIn(operations.listAccounts, { status, headers })).toEqual([]);
});

/** Found by requests that a program invented: 400 was sent and not documented where an operation takes no input. */
test.each(Object.values(operations))(
  "$operationId documents the 400 that a wrong header or query parameter gets",
  async ({ method, path, errors }) => {
    await using partner = await openPartner({ assumptions: { "payloads.unknown-fields": "strict" } });
    const { status } = await partner.ask(method, `${path.replaceAll(/\{\w+\}/g, "x")}?unknown=1`, {
      headers: { "x-sandbox-plan": "unknown=UNKNOWN", "idempotency-key": "key-1" },
    });
    expect(status).toBe(400);
    expect(errors).toContain("INVALID_REQUEST");
  },
);
