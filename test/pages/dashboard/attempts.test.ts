import { expect, test } from "vitest";
import type { DeliveryAttempt } from "../../../src/simulator/api/generated/shapes.ts";
import { changesBetween, healthOf, lastFailure } from "../../../src/pages/dashboard/page/attempts.js";

test("two events are compared field by field, with added and removed fields", () => {
  const before = JSON.stringify({
    event: "A",
    data: { status: "ACCEPTED", id: "1", list: [1, 2] },
    gone: null,
  });
  const after = JSON.stringify({ event: "B", data: { status: "CANCELED", id: "1", list: [1] }, come: {} });
  expect(changesBetween(before, after)).toEqual([
    { path: "event", before: "A", after: "B" },
    { path: "data.status", before: "ACCEPTED", after: "CANCELED" },
    { path: "data.list.1", before: 2, after: undefined },
    { path: "gone", before: null, after: undefined },
    { path: "come", before: undefined, after: "{}" },
  ]);
  expect(changesBetween(before, before)).toEqual([]);
  expect(changesBetween("{", after)).toEqual([]);
});

const attempt = (
  at: string,
  error: DeliveryAttempt["error"],
  durationMs: number | null,
  injected: string[] = [],
) => ({
  at,
  error,
  durationMs,
  injected,
});

test("a failure that a fault of the sandbox made is not one of the endpoint", () => {
  const attempts = [
    attempt("2026-01-01T00:00:00Z", null, 20),
    attempt("2026-01-01T00:01:00Z", "reset", 1, ["reset-after-request"]),
    attempt("2026-01-01T00:02:00Z", null, 20, ["duplicate"]),
    attempt("2026-01-01T00:03:00Z", "non-2xx", 5, ["bad-signature"]),
  ];
  expect(healthOf([{ url: "http://shop", attempts }])).toEqual([
    { url: "http://shop", attempts: 2, acknowledged: 2, failuresInARow: 0, medianMs: 20, p95Ms: 20 },
  ]);
});

test("the health of an endpoint counts all of its attempts, in the order of time", () => {
  const health = healthOf([
    {
      url: "http://shop",
      attempts: [attempt("2026-01-01T00:00:00Z", "refused", 1), attempt("2026-01-01T00:01:00Z", null, 20)],
    },
    { url: "http://gym", attempts: [attempt("2026-01-01T00:00:00Z", null, 5)] },
    {
      url: "http://shop",
      attempts: [
        attempt("2026-01-01T00:02:00Z", "timeout", 10),
        attempt("2026-01-01T00:03:00Z", "non-2xx", null),
      ],
    },
    { url: "http://idle", attempts: [] },
  ]);
  expect(health).toEqual([
    { url: "http://shop", attempts: 4, acknowledged: 1, failuresInARow: 2, medianMs: 10, p95Ms: 20 },
    { url: "http://gym", attempts: 1, acknowledged: 1, failuresInARow: 0, medianMs: 5, p95Ms: 5 },
  ]);
});

test("a failed attempt is a failure of its delivery, and names the fault that failed it", () => {
  const at = "2026-01-01T00:00:00Z";
  const resultOf = (status: number | null, error: DeliveryAttempt["error"], injected: string[] = []) =>
    lastFailure({ status: "retrying", attempts: [{ ...attempt(at, error, 1, injected), status }] })?.result;
  expect(resultOf(200, null, ["duplicate"])).toBeUndefined();
  expect(resultOf(500, "non-2xx")).toBe("500, retrying");
  expect(resultOf(null, "reset", ["reset-after-request"])).toBe(
    "reset by the fault reset-after-request, retrying",
  );
  expect(lastFailure({ status: "scheduled", attempts: [] })).toBeUndefined();
});
