import { expect, test } from "vitest";
import { openPartner } from "../partner.ts";

/** The answer sent people to a document that tells of the interface alone. */
test.each([
  ["PATCH", "/sandbox/clock", "Its methods: GET, PUT."],
  ["GET", "/sandbox/worlds/w1", "Its methods: DELETE."],
  ["GET", "/sandbox/clock/", "Did you mean GET or PUT /sandbox/clock?"],
  ["POST", "/sandbox/snapshot", "Did you mean GET or POST /sandbox/snapshots?"],
  ["POST", "/sandbox/pact/state", "Did you mean GET or POST /sandbox/pact/states?"],
])("%s %s is told what there is instead", async (method, path, instead) => {
  await using partner = await openPartner();
  const { status, body } = await partner.ask(method, path, { token: null });
  expect(status).toBe(404);
  const message = `There is nothing at ${method} ${path}. ${instead}`;
  expect(body).toEqual({ error: "NOT_FOUND", message, details: [] });
});

test("a body that is no object is told what it is", async () => {
  await using partner = await openPartner();
  const { body } = await partner.ask("PUT", "/sandbox/clock", { body: [] });
  expect(body["details"]).toMatchObject([{ description: "The body must be a JSON object; found an array." }]);
});
