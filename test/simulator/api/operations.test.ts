import { expect, test } from "vitest";
import { operations } from "../../../src/simulator/api/operations.ts";

const all = Object.entries(operations);

test("every operation is listed under its own id", () => {
  expect(all.map(([, { operationId }]) => operationId)).toEqual(all.map(([id]) => id));
});

test("no two operations share a method and a path", () => {
  const places = all.map(([, { method, path }]) => `${method} ${path.replaceAll(/\{\w+\}/g, "{}")}`);
  expect(new Set(places).size).toBe(places.length);
});

test("the parameters of an operation are those of its path", () => {
  for (const [, { path, parameters }] of all) {
    expect(Object.keys(parameters)).toEqual([...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name));
  }
});

test("an idempotency key is required where the platform API requires it, and on orders", () => {
  const keyed = all.flatMap(([id, { idempotencyKey }]) => (idempotencyKey ? [[id, idempotencyKey]] : []));
  expect(Object.fromEntries(keyed)).toEqual({
    resendClaimCode: "uuid",
    cancelClaim: "uuid",
    refundOrder: "uuid",
    createPayout: "text",
    createTransparentOrder: "text",
    createTransparentOrderV3: "text",
  });
});

test("every operation except the token endpoint can answer 401 and 403", () => {
  for (const [id, { errors }] of all) {
    if (id === "issueToken") continue;
    expect(errors).toEqual(expect.arrayContaining(["UNAUTHORIZED", "FORBIDDEN_ERROR", "INTERNAL_ERROR"]));
  }
});

test("an error is assumed only where the platform API does not name it", () => {
  const assumed = all.flatMap(([id, { assumption, assumedErrors }]) =>
    assumption === undefined && assumedErrors.length > 0 ? [[id, assumedErrors]] : [],
  );
  expect(Object.fromEntries(assumed)).toEqual({
    resendClaimCode: ["FORBIDDEN_ERROR"],
    cancelClaim: ["FORBIDDEN_ERROR"],
    refundOrder: ["FORBIDDEN_ERROR"],
    createPayout: ["UNAUTHORIZED"],
    createTransparentOrder: ["FORBIDDEN_ERROR"],
  });
});
