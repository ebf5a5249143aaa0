import type { ShapeName } from "../../src/simulator/api/generated/shapes.ts";
import type { OperationId } from "../../src/simulator/api/vocabulary.ts";
import { ACME_ACCOUNT, type Answered, type Partner, openPartner } from "../partner.ts";
import { definition, exampleOf } from "../../src/simulator/api/schemas.ts";
import { expect, test } from "vitest";
import { type Operation, operations } from "../../src/simulator/api/operations.ts";
import { shapeProblems } from "../../src/simulator/api/validation.ts";
import fc from "fast-check";

/**
 * A storm over the whole interface: requests that are right, wrong in one place, or wrong everywhere. Nothing
 * they do is a bug of ours, and every answer has the shape that its operation says.
 */
const names = (Object.keys(operations) as OperationId[]).filter((name) => name !== "issueToken");

/** Values that fields are overwritten with. */
const oddValue = fc.oneof(
  fc.constantFrom(
    null,
    true,
    -1,
    0,
    1e21,
    "",
    " ",
    "0",
    "-0.01",
    "10.50",
    "999999999999.99",
    [],
    {},
    "\u0000",
    "💸",
  ),
  fc.constantFrom(
    "BRL",
    "MXN",
    "PIX",
    "CPF",
    "2026-11-25",
    "2026-02-30",
    "http://receiver.example/x",
    ACME_ACCOUNT,
  ),
  fc.string(),
  fc.jsonValue(),
);

const damage = fc.array(fc.record({ at: fc.nat(), value: oddValue, drop: fc.boolean() }), { maxLength: 3 });

const request = fc.record({
  name: fc.constantFrom(...names),
  damage,
  id: fc.constantFrom(ACME_ACCOUNT, "00000000-0000-4000-8000-000000000000", "x", "%00", "known"),
  key: fc.option(fc.oneof(fc.uuid(), fc.constantFrom("k", "x".repeat(65)))),
  token: fc.constantFrom(
    "acme-token",
    "acme-token",
    "acme-token",
    "globex-token",
    "acme-token-without-scope",
    null,
  ),
});

type Json = { [key: string]: Json } | Json[] | string | number | boolean | null;

/** Every place in a value, so that one can be chosen by number. */
function places(value: Json): { holder: { [key: string]: Json }; key: string }[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.keys(value).flatMap((key) => {
    const holder = value as { [key: string]: Json };
    return [{ holder, key }, ...places(holder[key] ?? null)];
  });
}

function damaged(body: Json, wounds: readonly { at: number; value: unknown; drop: boolean }[]): Json {
  const copy = structuredClone(body);
  for (const { at, value, drop } of wounds) {
    const all = places(copy);
    const place = all[at % Math.max(1, all.length)];
    if (place === undefined) continue;
    if (drop) delete place.holder[place.key];
    else place.holder[place.key] = value as Json;
  }
  return copy;
}

/** The example of the operation's body, under an external id that was not used before. */
function bodyOf(operation: Operation, count: number): Json | undefined {
  if (operation.request === undefined) return undefined;
  const body = exampleOf(definition(operation.request).schema) as { [key: string]: Json };
  return "externalId" in body ? { ...body, externalId: `storm-${count}` } : body;
}

async function knownId(partner: Partner): Promise<string> {
  const { body } = await partner.ask("GET", "/sandbox/resources/subscriptions");
  return (body["data"] as { id: string }[])[0]?.id ?? ACME_ACCOUNT;
}

function errorShape(operation: Operation, status: number): ShapeName {
  return operation.errorForm === "sentences" && status !== 404 ? "ErrorSentences" : "ErrorBody";
}

function check(operation: Operation, { status, body }: Answered): void {
  const shape = status < 300 ? operation.response : errorShape(operation, status);
  expect([operation.successStatus, 400, 401, 403, 404]).toContain(status);
  expect(shapeProblems(shape, body)).toEqual([]);
}

test(
  "two thousand requests of every kind get a valid answer, and never a 5xx",
  { timeout: 120_000 },
  async () => {
    await using partner = await openPartner();
    let count = 0;
    await fc.assert(
      fc.asyncProperty(request, async ({ name, damage: wounds, id, key, token }) => {
        const operation: Operation = operations[name];
        const body = bodyOf(operation, count++);
        const path = operation.path.replaceAll(/\{\w+\}/g, id === "known" ? await knownId(partner) : id);
        const answered = await partner.ask(operation.method, path, {
          token,
          ...(key !== null && { key }),
          ...(body !== undefined && { body: JSON.stringify(damaged(body, wounds)) }),
        });
        check(operation, answered);
        if (answered.status === 200 || answered.status === 201) await partner.advance("PT1M");
      }),
      { numRuns: 2_000, seed: 20_261_120 },
    );
    expect((await partner.sandbox.ledger())["balanced"]).toBe(true);
  },
);
