import { createPayout, TED } from "../simulator/platform/payouts/payout-requests.ts";
import { createSandbox } from "../../src/index.ts";
import { createSubscription, openPartner } from "../partner.ts";
import { expect, test } from "vitest";
import { makeOrder, orderBody } from "../simulator/platform/orders/asking.ts";

/** At the ends of the calendar a date was made that has no place in it, and the answer was a bug of the sandbox. */
test("a clock that starts outside the years 1 to 9899 is refused", async () => {
  await using partner = await openPartner();
  for (const start of ["0000-01-01T00:00:00Z", "9999-12-31T23:59:59Z"]) {
    await expect(createSandbox({ start })).rejects.toThrow(
      `The start must be in the years 1 to 9899; found "${start}".`,
    );
    const { body } = await partner.ask("POST", "/sandbox/worlds", { body: { start } });
    expect(body["details"]).toMatchObject([
      { field: "start", description: expect.stringContaining("in the years 1 to 9899") as string },
    ]);
  }
});

test.each(["0001-01-02T00:00:00Z", "1970-01-01T00:00:00Z", "9899-12-31T23:59:59.999Z"])(
  "whatever is made at %s has its dates",
  async (start) => {
    await using partner = await openPartner({ start });
    await createSubscription(partner, { startDate: "9899-12-31" });
    await createPayout(partner, TED);
    for (const method of ["BOLETO", "PIX", "DEPOSIT"]) await makeOrder(partner, orderBody(method));
    const { to } = await partner.advance({ until: "idle" });
    expect(to).toMatch(/^\d{4}-/);
  },
);

test("a clock stops at the year 9899", async () => {
  await using partner = await openPartner();
  await expect(partner.advance("P9000Y")).rejects.toThrow(
    "by must not lead past the year 9899; found P9000Y.",
  );
  await expect(partner.advance({ to: "9900-01-01T00:00:00Z" })).rejects.toThrow(
    "to must not lie past the year 9899; found 9900-01-01T00:00:00Z.",
  );
  await partner.advance({ to: "9899-12-31T23:59:59Z" });
  await partner.advance("PT0S");
});

test("a duration longer than the calendar is refused, and a fault lasts at most a hundred years", async () => {
  await using partner = await openPartner();
  await expect(partner.advance("P300000Y")).rejects.toThrow("by must be an ISO 8601 duration");
  await expect(createSandbox({ worldIdle: "P300000Y" })).rejects.toThrow(
    "must be an ISO 8601 duration up to P20D",
  );
  await expect(partner.sandbox.fault({ on: "webhook", effect: "delay", by: "P101Y" })).rejects.toThrow(
    'by must be an ISO 8601 duration of at most a hundred years, such as PT5M or P1D; found "P101Y".',
  );
});
