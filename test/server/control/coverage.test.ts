import { createSubscription, openPartner } from "../../partner.ts";
import { expect, test } from "vitest";
import { events } from "../../../src/simulator/api/events.ts";
import { lifecycles } from "../../../src/simulator/platform/catalog.ts";

interface Area {
  readonly covered: number;
  readonly total: number;
  readonly percent: number;
  readonly rows: readonly { readonly name: string; readonly count: number }[];
}

type Report = Area & { readonly areas: Readonly<Record<string, Area>> };

test("coverage names every row of every lifecycle, and counts what was taken", async () => {
  await using partner = await openPartner();
  const { id } = await createSubscription(partner);
  await partner.act("subscription.accept", { id });
  await partner.ask("GET", "/order/v1/banking/subscriptions/unknown");
  await partner.ask("GET", "/order/v1/banking/accounts", { token: null });
  await partner.sandbox.fault({ on: "webhook", effect: "duplicate" });
  await partner.act("subscription.request-cancellation", { id, reason: "PAYER_DECEASED" });
  await partner.advance("PT1M");
  const { areas, percent } = (await partner.ask("GET", "/sandbox/coverage")).body as Report;
  const count = (area: string, name: string) => areas[area]?.rows.find((row) => row.name === name)?.count;
  const rows = lifecycles
    .filter((lifecycle) => lifecycle.isLogged !== false)
    .flatMap(({ transitions }) => transitions.flatMap(({ from }) => from));
  expect(areas["transitions"]?.total).toBe(rows.length);
  expect(areas["events"]?.total).toBe(Object.keys(events).length);
  expect(count("transitions", "subscription.accept: PENDING_AUTHORIZATION → ACCEPTED")).toBe(1);
  expect(count("transitions", "subscription.reject: PENDING_AUTHORIZATION → REJECTED")).toBe(0);
  expect(count("events", "SUBSCRIPTION.ACCEPTED")).toBe(1);
  expect(count("errors", "INVALID_REQUEST")).toBe(1);
  expect(count("errors", "UNAUTHORIZED")).toBe(1);
  expect(count("faults", "duplicate")).toBeGreaterThan(0);
  expect(count("assumptions", "cancellation.delay")).toBeGreaterThan(0);
  expect(percent).toBeGreaterThan(0);
});

test("a reset sets the counts back to zero", async () => {
  await using partner = await openPartner();
  await createSubscription(partner);
  await partner.sandbox.reset();
  const { areas } = (await partner.ask("GET", "/sandbox/coverage")).body as Report;
  expect(areas["transitions"]?.covered).toBe(0);
});
