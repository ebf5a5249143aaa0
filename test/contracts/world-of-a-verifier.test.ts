import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Sandbox } from "../../src/server/access/sandbox-interface.ts";
import { createSandbox } from "../../src/library/sandbox.ts";

const ACCOUNTS = "/order/v1/banking/accounts";
const FIXTURE = { authorization: "Bearer acme-token" };

let sandbox: Sandbox;
let url: string;

beforeAll(async () => {
  sandbox = await createSandbox({ seed: 7 });
  ({ url } = await sandbox.listen());
});

afterAll(() => sandbox.close());

async function makeWorld() {
  const response = await fetch(`${url}/sandbox/worlds`, { method: "POST", body: "{}" });
  const { id, companies } = (await response.json()) as {
    readonly id: string;
    readonly companies: readonly { readonly token: string }[];
  };
  return { id, token: companies[0]?.token ?? "" };
}

/** Sends a state request as a verifier with a custom header does. */
function changeState(headers: Record<string, string>, action = "setup", state = ""): Promise<Response> {
  const body = JSON.stringify({ action, state });
  return fetch(`${url}/sandbox/pact/states`, { method: "POST", headers, body });
}

async function worldIn(response: Response): Promise<string> {
  const body = (await response.json()) as { access_token?: string };
  return (body.access_token ?? "").split(".")[1] ?? "default";
}

function requestToken(headers: Record<string, string> = {}, form = FORM): Promise<Response> {
  const type = { "content-type": "application/x-www-form-urlencoded" };
  return fetch(`${url}/oauth2/v2.0/token`, {
    method: "POST",
    headers: { ...type, ...headers },
    body: form,
  });
}

const FORM =
  "grant_type=client_credentials&client_id=acme&client_secret=acme-secret&scope=api%3A%2F%2Fapp-order-prd%2F.default";

/** Lists accounts; the world that the sandbox led the request to, or null. */
async function listAccounts(headers: Record<string, string> = FIXTURE) {
  const { status, headers: answered } = await fetch(url + ACCOUNTS, { headers });
  return { status, led: answered.get("x-sandbox-world") };
}

describe("the world of a verifier", () => {
  test("the header names the world of states, calls and token requests", async () => {
    const { id, token } = await makeWorld();
    const named = { "x-sandbox-world": id };
    expect((await changeState(named, "setup", "an account has a balance")).status).toBe(200);
    const timeline = await fetch(`${url}/sandbox/timeline`, {
      headers: { authorization: `Bearer ${token}` },
    });
    expect(await timeline.text()).toContain("deposit");
    expect((await listAccounts({ ...FIXTURE, ...named })).status).toBe(200);
    expect(await worldIn(await requestToken(named))).toBe(id);
    const basic = `Basic ${Buffer.from("acme:acme-secret").toString("base64")}`;
    const form = "grant_type=client_credentials&scope=api%3A%2F%2Fapp-order-prd%2F.default";
    expect(await worldIn(await requestToken({ ...named, authorization: basic }, form))).toBe(id);
  });

  test("the header adds no token to a call without one, and an unknown world is refused", async () => {
    const { id } = await makeWorld();
    expect((await listAccounts({ "x-sandbox-world": id })).status).toBe(401);
    expect((await listAccounts({ ...FIXTURE, "x-sandbox-world": "w999" })).status).toBe(400);
  });

  test("a state in another world changes nothing for requests without the header", async () => {
    const { token } = await makeWorld();
    await changeState({ authorization: `Bearer ${token}` }, "setup", "an account has a balance");
    expect(await listAccounts()).toEqual({ status: 200, led: null });
    expect(await worldIn(await requestToken())).toBe("default");
  });

  test("the calls of a state are made in its world, those for a token too", async () => {
    const { id, token } = await makeWorld();
    const name =
      "A caller without a valid token is refused, and a caller with another company's token finds nothing";
    const response = await fetch(`${url}/sandbox/pact/states`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}` },
      body: JSON.stringify({ action: "setup", state: name, params: { beforeStep: 5 } }),
    });
    expect(JSON.stringify(await response.json())).toMatch(new RegExp(`sbk_\\w+\\.${id}"`));
    await changeState({ authorization: `Bearer ${token}` }, "teardown");
  });

  test("JSON that a client sends as the form of a token request is refused", async () => {
    const { id } = await makeWorld();
    const json = JSON.stringify(Object.fromEntries(new URLSearchParams(FORM)));
    expect((await requestToken({ "x-sandbox-world": id }, json)).status).toBe(400);
    expect((await requestToken({}, json)).status).toBe(400);
  });
});
