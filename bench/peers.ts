import type { Program } from "./server.ts";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { randomUUID } from "node:crypto";

/** The answers of every server of the comparison, byte for byte. */
export interface Answers {
  readonly subscription: object;
  readonly created: object;
  readonly accounts: object;
}

export const SUBSCRIPTIONS = "/order/v1/banking/subscriptions";
export const ACCOUNTS = "/order/v1/banking/accounts";
export const HEADERS = { authorization: "Bearer acme-token", "content-type": "application/json" };

const SANDBANK = join(import.meta.dirname, "../dist/cli/main.js");
const START = "2026-11-20T09:00:00-03:00";
const ROUTES = [
  ["GET", `${SUBSCRIPTIONS}/:id`, "subscription", 200],
  ["GET", ACCOUNTS, "accounts", 200],
  ["POST", SUBSCRIPTIONS, "created", 201],
] as const;

export function sandbank(...flags: readonly string[]): Program {
  const args = (port: number): string[] => [
    SANDBANK,
    "serve",
    "--port",
    String(port),
    "--frozen",
    "--start",
    START,
    ...flags,
  ];
  return { args, firstPath: ACCOUNTS, headers: HEADERS };
}

/** Returns the servers for the comparison with sandbank. Each server gets its files in a separate folder. */
export function peers(folder: string, answers: Answers) {
  const kept = (name: string, content: object): string => {
    const path = join(folder, name);
    writeFileSync(path, JSON.stringify(content));
    return path;
  };
  return {
    echo: (): Program => {
      const file = kept("answers.json", answers);
      return {
        args: (port) => [join(import.meta.dirname, "echo.ts"), file, String(port)],
        firstPath: ACCOUNTS,
      };
    },
    Prism: (): Program => {
      const openapi = join(folder, "openapi.json");
      execFileSync(process.execPath, [SANDBANK, "openapi", "--out", openapi]);
      const prism = binaryOf("@stoplight/prism-cli", "prism");
      const args = (port: number): string[] => [
        prism,
        "mock",
        "-v",
        "fatal",
        "-h",
        "127.0.0.1",
        "-p",
        String(port),
        openapi,
      ];
      return { args, firstPath: ACCOUNTS, headers: HEADERS };
    },
    Mockoon: () => mockoon(kept("mockoon.json", mockoonEnvironment(answers))),
    "Mockoon CRUD": () => mockoon(kept("mockoon-crud.json", mockoonStore(answers))),
    WireMock: () => wireMock(join(folder, "wiremock"), answers, {}),
    "WireMock templates": () => wireMock(join(folder, "templates"), templates(answers), TEMPLATED),
    "json-server": (): Program => {
      const { subscription, accounts } = answers;
      const data = kept("json-server.json", { subscriptions: [subscription], accounts });
      const routes = kept("json-server-routes.json", { "/order/v1/banking/*": "/$1" });
      const server = binaryOf("json-server", "json-server");
      const flags = ["--quiet", "--host", "127.0.0.1", "--routes", routes, data];
      return { args: (port) => [server, "--port", String(port), ...flags], firstPath: ACCOUNTS };
    },
  };
}

function mockoon(data: string): Program {
  const command = binaryOf("@mockoon/cli", "mockoon-cli");
  const args = (port: number): string[] => [
    command,
    "start",
    "--disable-log-to-file",
    "--data",
    data,
    "--port",
    String(port),
  ];
  return { args, firstPath: ACCOUNTS };
}

/** The part of a response of WireMock that turns its templates on. */
const TEMPLATED = { transformers: ["response-template"] };

/** Returns the answers with templates for WireMock: the ids and a field of the request. */
function templates({ accounts, created, subscription }: Answers): Answers {
  return {
    accounts,
    subscription: { ...subscription, id: "{{request.pathSegments.[4]}}" },
    created: {
      ...created,
      id: "{{randomValue type='UUID'}}",
      externalId: "{{jsonPath request.body '$.externalId'}}",
    },
  };
}

function wireMock(root: string, answers: Answers, options: object): Program {
  mkdirSync(join(root, "mappings"), { recursive: true });
  for (const [method, path, answer, status] of ROUTES) {
    const mapping = {
      request: { method, urlPathPattern: path.replace(":id", "[^/]+") },
      response: {
        status,
        body: JSON.stringify(answers[answer]),
        headers: { "Content-Type": "application/json" },
        ...options,
      },
    };
    writeFileSync(join(root, `mappings/${method}-${answer}.json`), JSON.stringify(mapping));
  }
  const build = join(dirname(createRequire(import.meta.url).resolve("wiremock/package.json")), "build");
  const jar = readdirSync(build).find((name) => name.endsWith(".jar"));
  if (jar === undefined) throw new Error("the package wiremock has no jar");
  const quiet = ["--disable-banner", "--no-request-journal", "--async-response-enabled", "true"];
  const args = (port: number): string[] => [
    "-jar",
    join(build, jar),
    "--port",
    String(port),
    "--bind-address",
    "127.0.0.1",
    "--root-dir",
    root,
    ...quiet,
  ];
  return { command: "java", args, firstPath: ACCOUNTS };
}

function binaryOf(name: string, command: string): string {
  const manifest = createRequire(import.meta.url).resolve(`${name}/package.json`);
  const { bin } = createRequire(import.meta.url)(manifest) as { bin: string | Record<string, string> };
  return join(dirname(manifest), typeof bin === "string" ? bin : (bin[command] ?? ""));
}

/** Returns an environment of Mockoon that answers each request with constant bytes. */
function mockoonEnvironment(answers: Answers): object {
  const routes = ROUTES.map(([method, path, answer, statusCode]) =>
    mockoonRoute(
      { type: "http", method: method.toLowerCase(), endpoint: path.slice(1) },
      { statusCode, bodyType: "INLINE", body: JSON.stringify(answers[answer]) },
    ),
  );
  return { ...MOCKOON, routes, rootChildren: routes.map(({ uuid }) => ({ type: "route", uuid })) };
}

/** Returns an environment of Mockoon that stores each posted subscription. */
function mockoonStore({ accounts, subscription }: Answers): object {
  const routes = [
    mockoonRoute(
      { type: "http", method: "get", endpoint: ACCOUNTS.slice(1) },
      { statusCode: 200, bodyType: "INLINE", body: JSON.stringify(accounts) },
    ),
    mockoonRoute(
      { type: "crud", method: "", endpoint: SUBSCRIPTIONS.slice(1) },
      { statusCode: 200, bodyType: "DATABUCKET", databucketID: "subs" },
    ),
  ];
  const bucket = {
    uuid: randomUUID(),
    id: "subs",
    name: "subscriptions",
    documentation: "",
    value: JSON.stringify([subscription]),
  };
  const rootChildren = routes.map(({ uuid }) => ({ type: "route", uuid }));
  return { ...MOCKOON, routes, rootChildren, data: [bucket] };
}

function mockoonRoute(route: object, response: object): { readonly uuid: string } {
  return {
    uuid: randomUUID(),
    documentation: "",
    responses: [
      {
        uuid: randomUUID(),
        body: "",
        latency: 0,
        label: "",
        headers: [{ key: "Content-Type", value: "application/json" }],
        filePath: "",
        databucketID: "",
        sendFileAsBody: false,
        rules: [],
        rulesOperator: "OR",
        disableTemplating: true,
        fallbackTo404: false,
        default: true,
        crudKey: "id",
        callbacks: [],
        ...response,
      },
    ],
    responseMode: null,
    streamingMode: null,
    streamingInterval: 0,
    ...route,
  };
}

/** An environment of Mockoon without routes. */
const MOCKOON = {
  uuid: "00000000-0000-4000-8000-000000000099",
  lastMigration: 33,
  name: "bench",
  endpointPrefix: "",
  latency: 0,
  port: 3000,
  hostname: "127.0.0.1",
  folders: [],
  proxyMode: false,
  proxyHost: "",
  proxyRemovePrefix: false,
  tlsOptions: {
    enabled: false,
    type: "CERT",
    pfxPath: "",
    certPath: "",
    keyPath: "",
    caPath: "",
    passphrase: "",
  },
  cors: false,
  headers: [],
  proxyReqHeaders: [],
  proxyResHeaders: [],
  data: [],
  callbacks: [],
};
