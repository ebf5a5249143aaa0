import { expect, test } from "vitest";
import { openPartner } from "../partner.ts";

const GRANT = { grant_type: "client_credentials", scope: "api://app-order-prd" };
const FORM = { "content-type": "application/x-www-form-urlencoded" };
const BASIC = { ...FORM, authorization: `Basic ${btoa("acme:acme-secret")}` };

async function askToken(body: string, headers: Readonly<Record<string, string>>) {
  await using partner = await openPartner();
  return partner.ask("POST", "/oauth2/v2.0/token", { body, headers, token: null });
}

const formOf = (form: Record<string, string>): string => new URLSearchParams(form).toString();

test("a client that authenticates by HTTP Basic may send its id in the form too", async () => {
  const named = await askToken(formOf({ ...GRANT, client_id: "acme" }), BASIC);
  expect(named.status).toBe(200);
  const twice = await askToken(formOf({ ...GRANT, client_id: "acme", client_secret: "acme-secret" }), BASIC);
  expect(twice.status).toBe(200);
});

test.each([
  ["another client", { client_id: "globex" }],
  ["another secret", { client_id: "acme", client_secret: "globex-secret" }],
])("HTTP Basic and a form of %s contradict each other", async (_title, client) => {
  const answered = await askToken(formOf({ ...GRANT, ...client }), BASIC);
  expect(answered.status).toBe(400);
  expect(answered.body["error"]).toBe("invalid_request");
});

test("an unreadable Basic header is an unknown client", async () => {
  const answered = await askToken(formOf({ ...GRANT, client_id: "acme", client_secret: "acme-secret" }), {
    ...FORM,
    authorization: "Basic !!!",
  });
  expect(answered.status).toBe(401);
  expect(answered.body["error"]).toBe("invalid_client");
  expect(answered.headers.get("www-authenticate")).toContain("Basic");
});

test.each(["grant_type", "client_id", "client_secret", "scope"])("%s must be sent once", async (name) => {
  const form = formOf({ ...GRANT, client_id: "acme", client_secret: "acme-secret" });
  const answered = await askToken(`${form}&${name}=x`, FORM);
  expect(answered.status).toBe(400);
  expect(answered.body).toEqual({
    error: "invalid_request",
    error_description: `The field "${name}" is repeated. Send it once.`,
  });
});
