import { expect, test } from "vitest";
import { LazyBody } from "../../src/server/request-body.ts";
import { worldOfRequest } from "../../src/server/cluster/request-world.ts";

test.each([
  ["acme-token.w2", "w1", "w2"],
  ["acme-token.w2", null, "w2"],
  ["acme-token", "w1", "w1"],
  ["acme-token", null, "default"],
  [null, "w1", "w1"],
])(
  "a request with the token %s and x-sandbox-world: %s is about the world %s",
  async (token, named, world) => {
    const request = new Request("http://sandbox.example/order/v1/banking/accounts", {
      headers: {
        ...(token !== null && { authorization: `Bearer ${token}` }),
        ...(named !== null && { "x-sandbox-world": named }),
      },
    });
    expect(await worldOfRequest({ request, body: new LazyBody(request) })).toBe(world);
  },
);
