import { expect, test } from "vitest";
import { fakeBroker } from "./broker.ts";
import { httpInteraction, pactFile } from "./pact.ts";
import { readFileSync } from "node:fs";
import { sandbank } from "../cli/command.ts";
import { type AddressInfo } from "node:net";
import { createServer } from "node:http";
import { createServer as createSecureServer } from "node:https";
import { FileMistakes } from "../../src/base/failures.ts";
import { folderWith } from "../cli/scenario-files.ts";
import { join } from "node:path";
import { LOCALHOST_CERTIFICATE, LOCALHOST_KEY } from "../simulator/webhooks/localhost-certificate.ts";
import { once } from "node:events";
import { requireAnswer } from "../../src/cli/broker-client.ts";
import { spawn } from "node:child_process";
import { systemWall } from "../../src/base/wall.ts";

const TIMEOUT_MS = 60_000;

test(
  "pacts are published by the official client under the given version and branch",
  async () => {
    await using broker = await fakeBroker();
    const file = pactFile(httpInteraction("lists accounts", {}));
    const args = ["--broker", broker.url, "--token", "t0ken", "--version", "c0ffee", "--branch", "main"];
    const { code, out } = await sandbank("contracts", "publish", file, ...args);
    expect(out).toBe("published shop → banking-service, version c0ffee, branch main\n");
    expect(code).toBe(0);
    const published = broker.requests.find(({ path }) => path === "/contracts/publish");
    expect(published).toMatchObject({
      authorization: "Bearer t0ken",
      body: {
        pacticipantName: "shop",
        pacticipantVersionNumber: "c0ffee",
        branch: "main",
        contracts: [{ consumerName: "shop", providerName: "banking-service", specification: "pact" }],
      },
    });
  },
  TIMEOUT_MS,
);

test.each([
  ["publish", "Failed to reach http://127.0.0.1:1: no server answers there."],
  ["verify", "error sending request"],
])(
  "contracts %s reports that a broker cannot be reached: exit 2",
  async (command, sentence) => {
    const file = pactFile(httpInteraction("lists accounts", {}));
    const args = command === "publish" ? [file, "--version", "1"] : [];
    const { code, err } = await sandbank("contracts", command, ...args, "--broker", "http://127.0.0.1:1");
    expect(err).toContain(sentence);
    expect(code).toBe(2);
  },
  // The official client would try again for minutes; the command does not let it.
  20_000,
);

test.each([
  [401, "401 Unauthorized"],
  [409, "Cannot change the content of the pact"],
])(
  "a broker that refuses to publish with %i is quoted: exit 1",
  async (status, sentence) => {
    const file = pactFile(httpInteraction("lists accounts", {}));
    await using broker = await fakeBroker({}, { status, isOpen: status !== 401 });
    const { code, err } = await sandbank(
      "contracts",
      "publish",
      file,
      "--broker",
      broker.url,
      "--version",
      "1",
    );
    expect(err).toContain(sentence);
    expect(code).toBe(1);
  },
  TIMEOUT_MS,
);

test(
  "a password in the address of a broker goes to the broker only",
  async () => {
    await using broker = await fakeBroker();
    const address = broker.url.replace("http://", "http://ci:s3cret%21@");
    const file = pactFile(httpInteraction("lists accounts", {}));
    const done = await sandbank("contracts", "publish", file, "--broker", address, "--version", "1");
    expect([done.code, done.err]).toEqual([0, ""]);
    const { authorization } = broker.requests.find(({ method }) => method === "POST") ?? {};
    expect(authorization).toBe(`Basic ${Buffer.from("ci:s3cret!").toString("base64")}`);
    await broker[Symbol.asyncDispose]();
    for (const command of [["publish", file, "--version", "1"], ["verify"]]) {
      const failed = await sandbank("contracts", ...command, "--broker", address);
      expect(failed.code).toBe(2);
      expect(failed.out + failed.err).not.toContain("s3cret");
    }
  },
  TIMEOUT_MS,
);

test(
  "verification against a broker that returns no pacts is not run: exit 2, with its reason",
  async () => {
    await using broker = await fakeBroker({}, { status: 401, isOpen: false });
    const { code, err } = await sandbank("contracts", "verify", "--broker", broker.url);
    expect(err).toContain("401 Unauthorized");
    expect(code).toBe(2);
  },
  TIMEOUT_MS,
);

test(
  "an empty variable with a token counts as not set: the password in the address of a broker is used",
  async () => {
    await using broker = await fakeBroker();
    const address = broker.url.replace("http://", "http://ci:sesame@");
    const file = pactFile(httpInteraction("lists accounts", {}));
    const env = { PACT_BROKER_TOKEN: "" };
    await sandbank({ env }, "contracts", "publish", file, "--broker", address, "--version", "1");
    const { authorization } = broker.requests.find(({ method }) => method === "POST") ?? {};
    expect(authorization).toBe(`Basic ${Buffer.from("ci:sesame").toString("base64")}`);
  },
  TIMEOUT_MS,
);

test.each([
  [["nowhere", "--broker", "http://127.0.0.1:1", "--version", "1"], "there is no such file or folder"],
  [["--broker", "x", "--version", "1"], "--broker must be an absolute http or https URL"],
  [["--version", "1"], "Missing required argument: broker"],
  [["--broker", "http://127.0.0.1:1"], "Missing required argument: version"],
])("contracts publish %j is wrong use: exit 2", async (args, sentence) => {
  const { code, err } = await sandbank("contracts", "publish", ...args);
  expect(err).toContain(sentence);
  expect(code).toBe(2);
});

test(
  "the pacts of a broker are verified; results are published only on request, under the sandbox's name",
  async () => {
    const file = pactFile(httpInteraction("lists accounts", {}));
    await using broker = await fakeBroker(JSON.parse(readFileSync(file, "utf8")) as object);
    const args = ["--broker", broker.url, "--consumer", "shop", "--broker-token", "t0ken"];
    const quiet = await sandbank("contracts", "verify", ...args);
    expect(quiet.out).toContain("✓ lists accounts");
    expect(quiet.code).toBe(0);
    const asked = broker.requests.find(
      ({ method, path }) => method === "POST" && path.endsWith("/for-verification"),
    );
    expect(asked).toMatchObject({
      authorization: "Bearer t0ken",
      body: {
        consumerVersionSelectors: [{ mainBranch: true, consumer: "shop" }, { deployedOrReleased: true }],
      },
    });
    expect(broker.requests.map(({ path }) => path)).not.toContain("/pacts/1/results");
    const published = await sandbank(
      "contracts",
      "verify",
      ...args,
      "--publish-results",
      "--provider-version",
      "0.2.0",
    );
    expect(published.code).toBe(0);
    const result = broker.requests.find(({ path }) => path === "/pacts/1/results");
    expect(result?.body).toMatchObject({ success: true, providerApplicationVersion: "sandbox-0.2.0" });
    expect(broker.requests.map(({ path }) => path)).toContain(
      "/pacticipants/banking-service/branches/sandbox/versions/sandbox-0.2.0",
    );
  },
  TIMEOUT_MS,
);

const SHOP = ["--pacticipant", "shop", "--version"] as const;

test(
  "can-i-deploy and record-deployment send what the official client sends, and end by its answer",
  async () => {
    await using broker = await fakeBroker();
    const client = join("node_modules", "@pact-foundation", "pact-cli", "bin", "pact-broker.js");
    const official = async (...words: string[]): Promise<readonly unknown[]> => {
      const url = `--broker-base-url=${broker.url}`;
      const child = spawn(process.execPath, [client, ...words, url, "--broker-token=t0ken"], {
        stdio: "ignore",
      });
      await once(child, "close");
      return broker.requests.splice(0);
    };
    const own = async (...words: string[]) => {
      const { code } = await sandbank("contracts", ...words, "--broker", broker.url, "--token", "t0ken");
      return { code, requests: broker.requests.splice(0) };
    };
    const asked = await official("can-i-deploy", ...SHOP, "1.0.0", "--to-environment", "production");
    expect(asked).not.toEqual([]);
    expect(await own("can-i-deploy", ...SHOP, "1.0.0", "--to-environment", "production")).toEqual({
      code: 0,
      requests: asked,
    });
    expect((await own("can-i-deploy", ...SHOP, "2.0.0", "--to-environment", "production")).code).toBe(1);
    const recorded = await official("record-deployment", ...SHOP, "1.0.0", "--environment", "production");
    expect(recorded).toHaveLength(2);
    expect(await own("record-deployment", ...SHOP, "1.0.0", "--environment", "production")).toEqual({
      code: 0,
      requests: recorded,
    });
    const nobody = ["--broker", "http://127.0.0.1:1", "--to-environment", "production"];
    const unreached = await sandbank("contracts", "can-i-deploy", ...SHOP, "1.0.0", ...nobody);
    expect(unreached.code).toBe(2);
  },
  TIMEOUT_MS,
);

test(
  "a broker that accepts a connection and does not answer ends with 2, for each command",
  async () => {
    const silent = createServer(() => undefined);
    silent.listen(0, "127.0.0.1");
    await once(silent, "listening");
    const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
    const limits = ["--broker", url, "--timeout", "1"];
    const deploy = await sandbank(
      "contracts",
      "can-i-deploy",
      ...SHOP,
      "1",
      "--to-environment",
      "p",
      ...limits,
    );
    expect([deploy.code, deploy.err]).toEqual([2, expect.stringContaining("did not finish within 1 s")]);
    await expect(requireAnswer(url, { wall: systemWall, ms: 100 })).rejects.toThrow(FileMistakes);
    silent.close();
    silent.closeAllConnections();
  },
  TIMEOUT_MS,
);

test(
  "the flags of verify choose the pacts of a broker",
  async () => {
    const file = pactFile(httpInteraction("lists accounts", {}));
    await using broker = await fakeBroker(JSON.parse(readFileSync(file, "utf8")) as object);
    const chosen = ["--branch", "main", "--branch", "next", "--tag", "prod", "--deployed", "--released"];
    const pending = ["--pending", "--wip", "2026-01-31"];
    const { code } = await sandbank("contracts", "verify", "--broker", broker.url, ...chosen, ...pending);
    expect(code).toBe(0);
    const asked = broker.requests.find(
      ({ method, path }) => method === "POST" && path.endsWith("/for-verification"),
    );
    expect(asked?.body).toMatchObject({
      consumerVersionSelectors: [
        { branch: "main" },
        { branch: "next" },
        { tag: "prod", latest: true },
        { deployed: true },
        { released: true },
      ],
      includePendingStatus: true,
      includeWipPactsSince: "2026-01-31",
      providerVersionBranch: "sandbox",
    });
  },
  TIMEOUT_MS,
);

test(
  "a platform that asks for a certificate is verified with --client-cert, --client-key and --ca",
  async () => {
    using folder = folderWith({ "cert.pem": LOCALHOST_CERTIFICATE, "key.pem": LOCALHOST_KEY });
    const server = createSecureServer(
      {
        cert: LOCALHOST_CERTIFICATE,
        key: LOCALHOST_KEY,
        ca: LOCALHOST_CERTIFICATE,
        requestCert: true,
        rejectUnauthorized: true,
      },
      (_, response) => response.writeHead(200, { "content-type": "application/json" }).end('{"data":[]}'),
    );
    server.listen(0, "localhost");
    await once(server, "listening");
    const file = pactFile(httpInteraction("lists accounts", {}));
    const platform = `https://localhost:${(server.address() as AddressInfo).port}`;
    const args = ["contracts", "verify", file, "--provider-base-url", platform];
    const certificate = ["--client-cert", folder.at("cert.pem"), "--client-key", folder.at("key.pem")];
    const known = await sandbank(...args, ...certificate, "--ca", folder.at("cert.pem"));
    expect(known.out).toMatch(/lists accounts +passed +passed/);
    const stranger = await sandbank(...args, "--ca", folder.at("cert.pem"));
    expect(stranger.out).not.toMatch(/lists accounts +passed +passed/);
    const missing = await sandbank(...args, "--client-cert", "nowhere.pem", "--client-key", "nowhere.pem");
    expect([missing.code, missing.err]).toEqual([2, expect.stringContaining("--client-cert")]);
    server.close();
    server.closeAllConnections();
  },
  TIMEOUT_MS,
);
