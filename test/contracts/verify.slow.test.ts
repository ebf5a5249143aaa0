import { expect, test } from "vitest";
import type { VerificationReport } from "../../src/contracts/verification/report.ts";
import { httpInteraction, jsonBody, messageInteraction, pactFile } from "./pact.ts";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { readPacts } from "../../src/contracts/verification/pact-file.ts";
import { sandbank, serve } from "../cli/command.ts";
import { tmpdir } from "node:os";
import { missingProgram, verifierEnvironment } from "../../src/contracts/verification/run-verifier.ts";

const TIMEOUT_MS = 60_000;

async function verify(...args: readonly string[]) {
  const finished = await sandbank("contracts", "verify", "--reporter", "json", ...args);
  const report = finished.out === "" ? undefined : (JSON.parse(finished.out) as VerificationReport);
  const interactions = report?.pacts.flatMap((pact) => pact.interactions) ?? [];
  const verdicts = Object.fromEntries(interactions.map((one) => [one.description, one.verdict]));
  return { ...finished, report, interactions, verdicts };
}

const BALANCE = {
  method: "GET",
  path: "/order/v1/banking/accounts/00000000-0000-4000-8000-000000000000/balance",
  generators: {
    path: {
      type: "ProviderState",
      dataType: "STRING",
      expression: "/order/v1/banking/accounts/${accountId}/balance",
    },
  },
};

test(
  "pacts that pass: states with params, values that they return, errors, messages",
  async () => {
    const file = pactFile(
      httpInteraction("reads a balance", {
        providerStates: [{ name: "an account has a balance", params: { deposit: "10.00" } }],
        request: BALANCE,
        response: { body: jsonBody({ balance: { currency: "BRL", value: "100010.00" } }) },
      }),
      httpInteraction("starts from the fixtures each time", {
        providerStates: [{ name: "an account has a balance", params: { deposit: "10.00" } }],
        request: BALANCE,
        response: { body: jsonBody({ balance: { currency: "BRL", value: "100010.00" } }) },
      }),
      httpInteraction("is rejected without a token", {
        request: { headers: {} },
        response: { status: 401 },
      }),
      httpInteraction("is rejected with a bad token", {
        request: { headers: { Authorization: ["Bearer nobody"] } },
        response: { status: 401 },
      }),
      messageInteraction(
        "ORDER-PAYOUT.PAID reaches the shop",
        { event: "ORDER-PAYOUT.PAID", code: "mine" },
        { providerStates: [{ name: "a payout was paid", params: { externalId: "mine" } }] },
      ),
      messageInteraction("SUBSCRIPTION.ACCEPTED", { event: "SUBSCRIPTION.ACCEPTED" }),
    );
    const { code, verdicts } = await verify(file);
    expect(verdicts).toEqual({
      "reads a balance": "passed",
      "starts from the fixtures each time": "passed",
      "is rejected without a token": "passed",
      "is rejected with a bad token": "passed",
      "ORDER-PAYOUT.PAID reaches the shop": "passed",
      "SUBSCRIPTION.ACCEPTED": "passed",
    });
    expect(code).toBe(0);
  },
  TIMEOUT_MS,
);

test(
  "pacts that fail, each with what is wrong",
  async () => {
    const file = pactFile(
      httpInteraction("another status", { response: { status: 204 } }),
      httpInteraction("a field that is not there", { response: { body: jsonBody({ total: 3 }) } }),
      httpInteraction("an unknown state", { providerStates: [{ name: "an account has balance" }] }),
      httpInteraction("wrong params", {
        providerStates: [{ name: "a payout was paid", params: { amount: 5 } }],
      }),
      httpInteraction("a state out of reach", {
        providerStates: [{ name: "a payout was paid", params: { amount: "999999.99" } }],
      }),
      httpInteraction("an unknown token", { request: { headers: { Authorization: ["Bearer mine"] } } }),
      httpInteraction("a value that no state returns", {
        providerStates: [{ name: "an account has a balance" }],
        request: {
          ...BALANCE,
          generators: JSON.parse(
            JSON.stringify(BALANCE.generators).replace("accountId", "theAccount"),
          ) as object,
        },
      }),
      httpInteraction("a body of the wrong shape", {
        request: {
          method: "POST",
          path: "/order/v1/banking/order-payouts",
          headers: { ...httpInteraction("", {}).request.headers, "Content-Type": ["application/json"] },
          body: jsonBody({ amount: "10.00" }),
        },
        response: { status: 201 },
      }),
      messageInteraction("SUBSCRIPTION.ACCEPTED of another kind", { event: "SUBSCRIPTION.REJECTED" }),
      messageInteraction("no event at all", {}),
    );
    const { code, verdicts, interactions } = await verify(file);
    expect(code).toBe(1);
    expect(new Set(Object.values(verdicts))).toEqual(new Set(["failed"]));
    const reasons = Object.fromEntries(
      interactions.map((one) => [
        one.description,
        [...one.reasons, ...one.mismatches.map(({ type, mismatch }) => `${type} ${mismatch ?? ""}`)].join(
          " ",
        ),
      ]),
    );
    expect(reasons["another status"]).toContain("StatusMismatch");
    expect(reasons["a field that is not there"]).toContain("total");
    expect(reasons["an unknown state"]).toContain('Did you mean "an account has a balance"');
    expect(reasons["wrong params"]).toContain("`amount` must be a string");
    expect(reasons["a state out of reach"]).toContain("was not reached: step 1");
    expect(reasons["an unknown token"]).toContain("name a good token with --token");
    expect(reasons["a value that no state returns"]).toContain(
      "requires ${theAccount} of its states, which return",
    );
    expect(reasons["a body of the wrong shape"]).toContain("amount must be an object");
    expect(reasons["SUBSCRIPTION.ACCEPTED of another kind"]).toContain("BodyMismatch");
    expect(reasons["no event at all"]).toContain("names no event");
  },
  TIMEOUT_MS,
);

test(
  "--token replaces the tokens of a pact, but not those that must be invalid",
  async () => {
    const file = pactFile(
      httpInteraction("a token of one's own", { request: { headers: { authorization: ["Bearer mine"] } } }),
      httpInteraction("a bad token", {
        request: { headers: { Authorization: ["Bearer nobody"] } },
        response: { status: 401 },
      }),
      httpInteraction("no token", { request: { headers: {} }, response: { status: 401 } }),
    );
    const { code, verdicts } = await verify(file, "--token", "acme-token");
    expect(verdicts).toEqual({
      "a token of one's own": "passed",
      "a bad token": "passed",
      "no token": "passed",
    });
    expect(code).toBe(0);
  },
  TIMEOUT_MS,
);

test(
  "a pending interaction that fails does not count",
  async () => {
    const { code, verdicts } = await verify(
      pactFile(httpInteraction("not built yet", { pending: true, response: { status: 204 } })),
    );
    expect(verdicts).toEqual({ "not built yet": "pending" });
    expect(code).toBe(0);
  },
  TIMEOUT_MS,
);

test(
  "sandbox and platform are compared, with the assumptions that a difference concerns",
  async () => {
    const file = pactFile(
      httpInteraction("reads the webhook", {
        request: { path: "/order/v1/webhook" },
        response: { body: jsonBody({ url: null }) },
      }),
      httpInteraction("lists accounts", {}),
    );
    await using platform = await serve("--frozen", "--webhook-url", "http://elsewhere.example/hooks");
    const { code, report } = await verify(file, "--provider-base-url", platform.url);
    expect(report?.drift).toMatchObject([
      {
        description: "reads the webhook",
        sandbox: "passed",
        platform: "failed",
        assumptions: ["webhook.config"],
      },
      { description: "lists accounts", sandbox: "passed", platform: "passed", assumptions: [] },
    ]);
    expect(code).toBe(1);
  },
  TIMEOUT_MS,
);

test(
  "the text and the JUnit report list each interaction and count them",
  async () => {
    const file = pactFile(
      httpInteraction("lists <accounts>", {}),
      httpInteraction("another status", { response: { status: 204 } }),
    );
    const text = await sandbank("contracts", "verify", file);
    expect(text.out).toContain(`shop → banking-service (${file})`);
    expect(text.out).toContain("✓ lists <accounts>");
    expect(text.out).toContain("✗ another status\n      status: expected 204, was 200");
    expect(text.out).toContain("1 passed, 1 failed.");
    const junit = await sandbank("contracts", "verify", file, "--reporter", "junit");
    expect(junit.out).toContain('tests="2" failures="1"');
    expect(junit.out).toContain('<testcase name="lists &lt;accounts&gt;"');
    expect([text.code, junit.code]).toEqual([1, 1]);
  },
  TIMEOUT_MS,
);

test.each([
  [[], "contracts verify requires pacts"],
  [["nowhere.json"], "Failed to read nowhere.json: there is no such file or folder."],
  [["package.json"], "it has no consumer.name"],
  [["README.md"], "Name a pact file in JSON."],
  [["--broker", "nowhere"], "--broker must be an absolute http or https URL"],
  [["http://127.0.0.1:1/pact.json"], "Failed to verify"],
])(
  "contracts verify %j is not run: exit 2",
  async (args, sentence) => {
    const { code, err, out } = await sandbank("contracts", "verify", ...args);
    expect(err).toContain(sentence);
    expect([code, out]).toEqual([2, ""]);
  },
  TIMEOUT_MS,
);

test.each(["utf8", "utf16le"] as const)(
  "a pact with a byte order mark in %s is verified",
  async (encoding) => {
    const file = pactFile(httpInteraction("lists accounts", {}));
    writeFileSync(file, `\uFEFF${readFileSync(file, "utf8")}`, encoding);
    const { code, out } = await sandbank("contracts", "verify", file);
    expect([code, out]).toEqual([0, expect.stringContaining(file)]);
  },
  TIMEOUT_MS,
);

test("a pact without interactions is reported with its file", async () => {
  const file = join(mkdtempSync(join(tmpdir(), "pact-")), "empty.json");
  writeFileSync(file, JSON.stringify({ consumer: { name: "a" }, provider: { name: "b" }, interactions: [] }));
  expect((await sandbank("contracts", "verify", file)).err).toContain(`${file}: it has no interactions`);
});

test("in a folder, a pact without interactions is left out with a note", () => {
  const file = pactFile(httpInteraction("lists accounts", {}));
  const empty = join(dirname(file), "empty.json");
  writeFileSync(
    empty,
    JSON.stringify({ consumer: { name: "a" }, provider: { name: "b" }, interactions: [] }),
  );
  const notes: string[] = [];
  expect(readPacts([dirname(file)], (text) => notes.push(text)).map((pact) => pact.file)).toEqual([file]);
  expect(notes).toEqual([`Left out ${empty}: it has no interactions.\n`]);
});

test(
  "a long pact is one in the report, in its own order, and each interaction has its own reasons",
  async () => {
    const numbers = Array.from({ length: 45 }, (_, index) => `interaction ${index}`);
    const failing = { request: { path: "/order/v1/banking/order-payouts/none" } };
    const file = pactFile(
      ...numbers.map((name, index) => httpInteraction(name, index % 22 === 21 ? failing : {})),
    );
    const { code, report, interactions } = await verify(file);
    expect(report?.pacts).toHaveLength(1);
    expect(interactions.map(({ description }) => description)).toEqual(numbers);
    expect(interactions.filter(({ verdict }) => verdict === "failed")).toMatchObject([
      { description: "interaction 21", reasons: [expect.stringContaining("The provider says:")] },
      { description: "interaction 43", reasons: [expect.stringContaining("The provider says:")] },
    ]);
    expect(code).toBe(1);
  },
  TIMEOUT_MS,
);

test("a missing program of Pact is named, with the way to install it", async () => {
  // As after an installation with --omit=optional.
  const env = { PACT_PREBUILD_PACKAGE_LOCATION: join(tmpdir(), "nowhere") };
  const { code, err } = await sandbank({ env }, "contracts", "verify", pactFile(httpInteraction("one", {})));
  expect([code, err]).toEqual([
    2,
    expect.stringMatching(
      /^Failed to run the Pact verifier: \S+ is not installed\. Install sandbank without --omit=optional\.\n/,
    ),
  ]);
  const client =
    "Couldn't find application binary for linux-x64: check if @pact-foundation/pact-cli-linux-x64 has";
  expect(missingProgram(client)).toMatch(/^@pact-foundation\/pact-cli-linux-x64 is not installed\. /);
});

test("the verifier's process has no telemetry, and no proxy between it and this machine", () => {
  const env = { HTTP_PROXY: "http://proxy:3128", https_proxy: "http://proxy:3128", PATH: "/bin" };
  expect(verifierEnvironment(env, false)).toEqual({
    PATH: "/bin",
    PACT_DO_NOT_TRACK: "true",
    SCARF_ANALYTICS: "false",
  });
  expect(verifierEnvironment(env, true)).toMatchObject({ NO_PROXY: "127.0.0.1,localhost,::1", ...env });
});

test("the provider states are listed with params and what they return", async () => {
  const { code, out } = await sandbank("contracts", "states");
  expect(code).toBe(0);
  expect(out).toContain(
    'a subscription waits for authorization\n    Journey 2. The payer has not read the QR code yet.\n    params: externalId = "state-subscription-waits-for-authorization", frequency = "MONTHLY"',
  );
  const json = JSON.parse((await sandbank("contracts", "states", "--json")).out) as { name: string }[];
  expect(json.map(({ name }) => name)).toContain("a payout was paid");
});

test("a pact with another provider is refused with exit code 2, unless its provider is named", async () => {
  const file = pactFile(httpInteraction("accounts", {}));
  writeFileSync(file, readFileSync(file, "utf8").replace('"banking-service"', '"card-service"'));
  const refused = await sandbank("contracts", "verify", file);
  expect(refused.err).toContain('it is a pact with the provider "card-service", not "banking-service"');
  expect(refused.code).toBe(2);
  expect((await sandbank("contracts", "verify", file, "--provider", "card-service")).code).toBe(0);
}, 60_000);

test("a pact that expects a charset of JSON fails with the reason and the way out", async () => {
  const file = pactFile(httpInteraction("accounts", {}));
  const interaction = {
    description: "lists accounts",
    providerState: "the platform is available",
    request: {
      method: "GET",
      path: "/order/v1/banking/accounts",
      headers: { Authorization: "Bearer acme-token" },
    },
    response: { status: 200, headers: { "Content-Type": "application/json; charset=utf-8" } },
  };
  const pact = {
    consumer: { name: "shop" },
    provider: { name: "banking-service" },
    interactions: [interaction],
  };
  writeFileSync(file, JSON.stringify({ ...pact, metadata: { pactSpecification: { version: "2.0.0" } } }));
  const { code, out } = await sandbank("contracts", "verify", file);
  expect(code).toBe(1);
  expect(out).toContain("The platform answers with application/json, without a charset");
}, 60_000);
