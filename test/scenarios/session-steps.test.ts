import { expect, test } from "vitest";
import type { SessionItem } from "../../src/server/control/recorded-session.ts";
import { sessionStepsOf } from "../../src/scenarios/recording/session-steps.ts";

test("a session whose webhooks are in flight all the time can be interrupted at each of its items", () => {
  const request = { method: "GET", path: "/", origin: "", headers: {}, text: undefined, status: 200 };
  const attempts = [{ name: "a", reaches: true, waits: true }];
  const items = [
    { kind: "opened", at: 0, attempts },
    ...Array.from({ length: 50 }, () => ({ kind: "request", at: 0, request })),
  ] as unknown as SessionItem[];
  const steps = Array.from(sessionStepsOf(items, { start: 0, now: 0 }));
  expect(steps.findIndex((step) => step !== undefined)).toBeGreaterThanOrEqual(items.length);
  expect(steps.filter((step) => step?.kind === "request")).toHaveLength(50);
});
