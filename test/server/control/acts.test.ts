import { makeOrder, orderBody } from "../../simulator/platform/orders/asking.ts";
import { expect, test } from "vitest";
import { openPartner } from "../../partner.ts";

test("the acts of an object are those that would be accepted now, and trying them changes nothing", async () => {
  await using partner = await openPartner();
  const { id } = await makeOrder(partner, orderBody("DEPOSIT"));
  const possible = async (): Promise<string[]> => {
    const { body } = await partner.ask("GET", `/sandbox/acts?object=${String(id)}`);
    return (body["data"] as { act: string }[]).map(({ act }) => act);
  };
  const before = await partner.ask("GET", "/sandbox/timeline");
  const open = await possible();
  expect(open).toContain("order.pay");
  // It is in a state from which a card order could pass its challenge.
  expect(open).not.toContain("order.pass-challenge");
  expect((await partner.ask("GET", "/sandbox/timeline")).body).toEqual(before.body);
  await partner.act("order.pay", { id });
  const paid = await possible();
  expect(paid).toContain("order.dispute");
  expect(paid).not.toContain("order.dispute-won");
});

test("an unknown object has no acts", async () => {
  await using partner = await openPartner();
  expect((await partner.ask("GET", "/sandbox/acts?object=none")).body).toEqual({ data: [] });
});
