import { expect, test } from "vitest";
import { openPartner } from "../partner.ts";

test.each([
  ["PATCH", "/sandbox/clock", "This path has only GET and PUT."],
  ["GET", "/sandbox/worlds/w1", "This path has only DELETE."],
  ["GET", "/sandbox/reset", "This path has only POST."],
  ["POST", "/order/v2/refund", "This path has only PUT."],
  ["GET", "/order/v1/banking/order-payouts", "This path has only POST."],
  ["DELETE", "/order/v1/banking/subscriptions/1", "This path has only GET."],
])("%s %s, a path with other methods, is answered with these", async (method, path, advice) => {
  expect(await messageAt(method, path)).toBe(`There is nothing at ${method} ${path}. ${advice}`);
});

test.each([
  ["GET", "/sandbox/clock/", "Did you mean GET /sandbox/clock?"],
  ["POST", "/sandbox/snapshot", "Did you mean POST /sandbox/snapshots?"],
  ["POST", "/sandbox/snapshots/s1/restor", "Did you mean POST /sandbox/snapshots/{id}/restore?"],
  ["POST", "/sandbox/pact/state", "Did you mean POST /sandbox/pact/states?"],
  ["PUT", "/order/v2/refunds", "Did you mean PUT /order/v2/refund?"],
  ["GET", "/order/v1/banking/subscription/1", "Did you mean GET /order/v1/banking/subscriptions/{id}?"],
  [
    "POST",
    "//order/v1/banking/order-payouts",
    "Did you mean POST /order/v1/banking/order-payouts? The path has // in place of /.",
  ],
  ["PUT", "/base//order/v2/refund", "Did you mean PUT /order/v2/refund?"],
  ["POST", "/public/v1/banking/order-payouts", "Did you mean POST /order/v1/banking/order-payouts?"],
  ["GET", "/v1/banking/subscriptions/1", "Did you mean GET /order/v1/banking/subscriptions/{id}?"],
])("%s %s, a misspelt path, is answered with the nearest one of the method", async (method, path, advice) => {
  expect(await messageAt(method, path)).toBe(`There is nothing at ${method} ${path}. ${advice}`);
});

/** A read that resembled one was answered with `POST /sandbox/reset`. */
test.each([
  ["GET", "/sandbox/resets"],
  ["GET", "/sandbox/rest"],
  ["POST", "/sandbox/requestz"],
  ["GET", "/sandbox/fork/"],
  ["GET", "/sandbox/world/w1"],
])("%s %s is never answered with a change that it did not name", async (method, path) => {
  const [, advice = ""] = String(await messageAt(method, path)).split(`${path}. `);
  expect(advice).not.toMatch(/POST|PUT|DELETE/);
});

test("a path that resembles no other is answered with a link to the list of paths", async () => {
  expect(await messageAt("GET", "/no/such/path")).toContain("See /openapi.json for the paths.");
  expect(await messageAt("GET", "/sandbox/xyzxyzxyz")).toMatch(
    /There are these paths and some below them: \/sandbox\/acts, \/sandbox\/assumptions, .*\/sandbox\/worlds\.$/,
  );
});

async function messageAt(method: string, path: string): Promise<unknown> {
  await using partner = await openPartner();
  const { status, body } = await partner.ask(method, path, { token: null });
  expect([status, body["error"], body["details"]]).toEqual([404, "NOT_FOUND", []]);
  return body["message"];
}
