import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Sandbox, createSandbox } from "../../../src/library/sandbox.ts";
import { httpInteraction, jsonBody, pactFile } from "./pact.ts";

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
  test("a state leads the next request with a token of the fixtures to its world, and only that one", async () => {
    const { id, token } = await makeWorld();
    await changeState({ authorization: `Bearer ${token}` });
    expect(await listAccounts()).toEqual({ status: 200, led: id });
    expect(await listAccounts()).toEqual({ status: 200, led: null });
  });

  test("a teardown ends it, and so does a state that is refused", async () => {
    const { token } = await makeWorld();
    await changeState({ authorization: `Bearer ${token}` });
    await changeState({ authorization: `Bearer ${token}` }, "teardown");
    expect((await listAccounts()).led).toBeNull();
    await changeState({ authorization: `Bearer ${token}` });
    await changeState({ authorization: `Bearer ${token}` }, "setup", "no such state");
    expect((await listAccounts()).led).toBeNull();
  });

  test("a client of another kind keeps its world, and so does a token of another one", async () => {
    const [one, other] = [await makeWorld(), await makeWorld()];
    await changeState({
      authorization: `Bearer ${one.token}`,
      "user-agent": "verifier",
      connection: "close",
    });
    expect((await listAccounts()).led).toBeNull();
    expect(await listAccounts({ authorization: `Bearer ${other.token}` })).toEqual({
      status: 200,
      led: null,
    });
    await changeState({ authorization: `Bearer ${one.token}` }, "teardown");
  });

  test("a wrong token is refused in that world", async () => {
    const { id, token } = await makeWorld();
    await changeState({ authorization: `Bearer ${token}` });
    expect(await listAccounts({ authorization: "Bearer wrong" })).toEqual({ status: 401, led: id });
  });

  test("a token request is sent to that world too, and its token belongs there", async () => {
    const { id, token } = await makeWorld();
    await changeState({ authorization: `Bearer ${token}` });
    expect(await worldIn(await requestToken())).toBe(id);
    const basic = `Basic ${Buffer.from("acme:acme-secret").toString("base64")}`;
    const form = "grant_type=client_credentials&scope=api%3A%2F%2Fapp-order-prd%2F.default";
    expect(await worldIn(await requestToken({ authorization: basic }, form))).toBe(id);
    await changeState({ authorization: `Bearer ${token}` }, "teardown");
    expect(await worldIn(await requestToken())).toBe("default");
  });

  test("a request that two verifiers may have sent is refused, and the header tells them apart", async () => {
    const [one, other] = [await makeWorld(), await makeWorld()];
    const closing = { connection: "close" };
    for (const { token } of [one, other]) await changeState({ ...closing, authorization: `Bearer ${token}` });
    const refused = await sandbox.fetch(ACCOUNTS, { headers: { ...FIXTURE, "user-agent": "node" } });
    expect(refused.status).toBe(400);
    expect(await refused.text()).toContain("x-sandbox-world");
    expect(await worldIn(await requestToken({ "x-sandbox-world": other.id }))).toBe(other.id);
    for (const { token } of [one, other]) await changeState({ authorization: `Bearer ${token}` }, "teardown");
  });

  test("the header names the world of a state too, and adds no token to a call without one", async () => {
    const { id, token } = await makeWorld();
    const named = { "x-sandbox-world": id };
    expect((await changeState(named, "setup", "an account has a balance")).status).toBe(200);
    const timeline = await fetch(`${url}/sandbox/timeline`, {
      headers: { authorization: `Bearer ${token}` },
    });
    expect(await timeline.text()).toContain("deposit");
    expect((await listAccounts(named)).status).toBe(401);
    await changeState(named, "teardown");
    expect((await listAccounts({ "x-sandbox-world": "w999" })).status).toBe(400);
  });

  test("the calls of a state are made in its world, those for a token too", async () => {
    const { id, token } = await makeWorld();
    const name =
      "Who asks without a good token gets nothing, and who asks for another company's things finds none";
    const response = await fetch(`${url}/sandbox/pact/states`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}` },
      body: JSON.stringify({ action: "setup", state: name, params: { beforeStep: 5 } }),
    });
    expect(JSON.stringify(await response.json())).toMatch(new RegExp(`sbk_\\w+\\.${id}"`));
    await changeState({ authorization: `Bearer ${token}` }, "teardown");
  });
});

describe("the Verifier of pact-js", () => {
  const tokenInteraction = (description: string, form: string, status: number) =>
    httpInteraction(description, {
      request: {
        method: "POST",
        path: "/oauth2/v2.0/token",
        headers: { "content-type": ["application/x-www-form-urlencoded"] },
        body: { content: form, contentType: "application/x-www-form-urlencoded", encoded: false },
      },
      response: { status },
    });

  test("passes with token requests, whose forms its proxy cuts off", { timeout: 60_000 }, async () => {
    const { id } = await makeWorld();
    const secretLast = FORM.replace(/&client_secret=[^&]+/, "").concat("&client_secret=acme-secret");
    const file = pactFile(
      tokenInteraction("a token", FORM, 200),
      tokenInteraction("a token, the secret last", secretLast, 200),
      tokenInteraction("a wrong secret", FORM.replace("acme-secret", "guessed"), 401),
      tokenInteraction("a wrong grant", FORM.replace("client_credentials", "password"), 400),
      httpInteraction("accounts", { response: { body: jsonBody({ nextCursor: null }) } }),
    );
    const options = {
      provider: "banking-service",
      providerBaseUrl: url,
      pactUrls: [file],
      providerStatesSetupUrl: `${url}/sandbox/pact/states`,
      customProviderHeaders: { "x-sandbox-world": id },
      logLevel: "error",
    };
    // In a process of its own, as a partner runs it: its native part keeps the first proxy settings that it finds.
    const program = `import { Verifier } from "@pact-foundation/pact";      await new Verifier(${JSON.stringify(options)}).verifyProvider();`;
    const { HTTP_PROXY: _, http_proxy: __, ...env } = process.env;
    const verified = promisify(execFile)(process.execPath, ["--input-type=module", "--eval", program], {
      env,
    });
    await expect(verified).resolves.toBeTruthy();
  });

  test("JSON that another client sends as a form is refused as before", async () => {
    const json = JSON.stringify(Object.fromEntries(new URLSearchParams(FORM)));
    expect((await requestToken({}, json)).status).toBe(400);
  });
});
