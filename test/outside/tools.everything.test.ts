import type { OperationId } from "../../src/simulator/api/vocabulary.ts";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { effectNames } from "../../src/simulator/platform/faults/effects.ts";
import { createSandbox } from "../../src/library/sandbox.ts";
import { emptyProject, outside, run, start } from "./consumer.ts";
import { faultWith } from "../clients/fault-with.ts";
import { freePort } from "../free-port.ts";
import type { Sandbox } from "../../src/server/access/sandbox-interface.ts";

/** The documents of a running sandbox on its default clock, in the tools of others. */
const DOCUMENTS = { interface: "/openapi.json", sandbox: "/sandbox/openapi.json" } as const;

let folder: string;
let sandbox: Sandbox;
let url: string;

beforeAll(async () => {
  folder = emptyProject();
  sandbox = await createSandbox({ seed: 7, mode: "running" });
  ({ url } = await sandbox.listen());
  for (const [name, path] of Object.entries(DOCUMENTS))
    writeFileSync(join(folder, `${name}.json`), await (await fetch(url + path)).text());
  for (const [name, flags] of [
    ["interface", []],
    ["sandbox", ["--sandbox"]],
  ] as const)
    await run(process.execPath, [
      "src/cli/main.ts",
      "openapi",
      ...flags,
      "--version",
      "3.0",
      "--out",
      join(folder, `${name}-3.0.json`),
    ]);
});

afterAll(async () => {
  await sandbox.close();
  rmSync(folder, { recursive: true });
});

const node = (script: string, ...args: readonly string[]) =>
  start(process.execPath, [outside(script), ...args], { cwd: folder });

test("publint and attw find nothing in the packed package", async () => {
  expect(await node("publint/src/cli.js", inject("tarball"), "--strict")).toMatchObject({ status: 0 });
  const attw = await node("@arethetypeswrong/cli/dist/index.js", inject("tarball"), "--profile", "esm-only");
  expect(attw).toMatchObject({ status: 0 });
});

test.each(["interface", "sandbox", "interface-3.0", "sandbox-3.0"])(
  "swagger-parser validates %s.json",
  async (name) => {
    writeFileSync(
      join(folder, "validate.mjs"),
      `import parser from ${JSON.stringify(outside("@apidevtools/swagger-parser/lib/index.js"))};
const { openapi } = await parser.validate(process.argv[2]);
console.log(openapi);
`,
    );
    const { status, out, err } = await start(process.execPath, ["validate.mjs", `${name}.json`], {
      cwd: folder,
    });
    expect({ status, out, err }).toEqual({
      status: 0,
      out: name.endsWith("3.0") ? "3.0.3\n" : "3.1.0\n",
      err: "",
    });
  },
);

/** Imports a document into Postman and sends every request of the collection with the token that the document names. */
async function runInPostman(name: string): Promise<{ sent: number; statuses: readonly number[] }> {
  writeFileSync(
    join(folder, `${name}.mjs`),
    `import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
const { convert } = createRequire(${JSON.stringify(outside("x.js"))})("openapi-to-postmanv2");
const data = readFileSync("${name}.json", "utf8");
convert({ type: "string", data }, { parametersResolution: "Example", requestParametersResolution: "Example" }, (error, { result, output, reason }) => {
  if (error ?? !result) throw error ?? new Error(reason);
  writeFileSync("${name}.collection.json", JSON.stringify(output[0].data));
});
`,
  );
  await run(process.execPath, [`${name}.mjs`], { cwd: folder });
  const report = join(folder, `${name}.report.json`);
  const flags = [
    "--reporters",
    "json",
    "--reporter-json-export",
    report,
    "--env-var",
    "bearerToken=acme-token",
  ];
  await node("newman/bin/newman.js", "run", `${name}.collection.json`, ...flags, "--timeout-request", "5000");
  const { run: played } = JSON.parse(await run("cat", [report])) as {
    run: { executions: readonly { response?: { code: number } }[] };
  };
  const statuses = played.executions.flatMap(({ response }) => response?.code ?? []);
  return { sent: played.executions.length, statuses };
}

test("Postman reaches every operation of the platform API, and every example without an earlier object succeeds", async () => {
  const { sent, statuses } = await runInPostman("interface");
  expect(sent).toBe(20);
  expect(statuses).toHaveLength(20);
  expect(statuses.filter((status) => status === 401)).toEqual([]);
  expect(statuses.filter((status) => status < 300).length).toBeGreaterThanOrEqual(12);
});

test("orval makes a client that compiles strictly, arms a fault of every effect and sets an assumption", async () => {
  const bodies = effectNames().map((effect) => JSON.stringify(faultWith(effect)));
  mkdirSync(join(folder, "orval"));
  writeFileSync(
    join(folder, "orval.config.mjs"),
    `export default { sandbox: { input: "./sandbox.json", output: { target: "./orval/api.ts", client: "fetch", baseUrl: "${url}" } } };\n`,
  );
  await run(process.execPath, [outside("orval/dist/bin/orval.mjs"), "--config", "orval.config.mjs"], {
    cwd: folder,
  });
  writeFileSync(
    join(folder, "orval/story.ts"),
    `import { addFault, changeSettings, type FaultRequest } from "./api.ts";
const faults: FaultRequest[] = [${bodies.join(",\n")}];
const statuses: number[] = [];
statuses.push((await changeSettings({ assumptions: { "payout.ted-delay": "PT2M" } })).status);
for (const fault of faults) statuses.push((await addFault(fault)).status);
console.log(JSON.stringify(statuses));
`,
  );
  const flags =
    "--noEmit --strict --target es2024 --lib es2024,dom --module nodenext --types --allowImportingTsExtensions".split(
      " ",
    );
  const tsc = resolve("node_modules/typescript/bin/tsc");
  const checked = await start(
    process.execPath,
    [tsc, ...flags.filter((flag) => flag !== "--types"), "orval/story.ts"],
    { cwd: folder },
  );
  expect(checked).toEqual({ status: 0, out: "", err: "" });
  const { out } = await start(process.execPath, ["orval/story.ts"], { cwd: folder });
  expect(JSON.parse(out)).toEqual([200, ...effectNames().map(() => 201)]);
  await sandbox.fetch("/sandbox/faults", { method: "DELETE" });
});

test("oazapfts makes clients that compile strictly, and calls the sandbox with one", async () => {
  const project = join(folder, "oazapfts");
  mkdirSync(project);
  symlinkSync(outside("."), join(project, "node_modules"));
  for (const name of Object.keys(DOCUMENTS))
    await run(process.execPath, [outside("oazapfts/dist/cli.js"), `${name}.json`, `oazapfts/${name}.ts`], {
      cwd: folder,
    });
  writeFileSync(
    join(project, "story.ts"),
    `import * as platform from "./interface.ts";
import * as control from "./sandbox.ts";
const accounts = await platform.listAccounts({}, { headers: { authorization: "Bearer acme-token" } });
console.log(JSON.stringify([accounts.status, (await control.showClock()).status]));
`,
  );
  const flags =
    "--noEmit --strict --skipLibCheck --target es2024 --lib es2024,dom --module nodenext --allowImportingTsExtensions";
  const tsc = [resolve("node_modules/typescript/bin/tsc"), ...flags.split(" "), "story.ts"];
  expect(await start(process.execPath, tsc, { cwd: project })).toEqual({ status: 0, out: "", err: "" });
  const { out } = await start(process.execPath, ["story.ts"], { cwd: project });
  expect(JSON.parse(out)).toEqual([200, 200]);
});

/** Starts Prism as a proxy that answers with an error where an answer is not as the document says. */
async function openPrism(name: string): Promise<{ proxy: string; child: ChildProcess }> {
  const port = await freePort();
  const args = ["proxy", `${name}.json`, url, "--port", String(port), "--errors"];
  const child = spawn(process.execPath, [outside("@stoplight/prism-cli/dist/index.js"), ...args], {
    cwd: folder,
  });
  await new Promise<void>((done, fail) => {
    child.stdout.on("data", (text: Buffer) => text.toString().includes("is listening") && done());
    child.once("exit", () => fail(new Error("Prism ended")));
  });
  return { proxy: `http://127.0.0.1:${port}`, child };
}

interface Body {
  readonly examples: Readonly<Record<string, { readonly value: Readonly<Record<string, string>> }>>;
}

interface Described {
  readonly operationId: OperationId;
  readonly requestBody?: { readonly content: Readonly<Record<string, Body>> };
  readonly parameters: readonly { readonly name?: string; readonly example?: string }[];
}

/** The first example of each operation as a request. */
async function exampleRequests(): Promise<readonly { id: OperationId; path: string; init: RequestInit }[]> {
  const { paths } = (await (await fetch(`${url}/openapi.json`)).json()) as {
    paths: Readonly<Record<string, Readonly<Record<string, Described>>>>;
  };
  return Object.entries(paths).flatMap(([at, item]) =>
    Object.entries(item).map(([method, { operationId: id, requestBody, parameters }]) => {
      const [type = "", content] = Object.entries(requestBody?.content ?? {})[0] ?? [];
      const value = Object.values(content?.examples ?? {})[0]?.value;
      const path = parameters.reduce(
        (text, { name = "", example = "" }) => text.replace(`{${name}}`, example),
        at,
      );
      const headers = {
        authorization: "Bearer acme-token",
        "idempotency-key": "0f0d6b0e-4a1f-4b7e-8f3f-5d1d2a9c8b70",
        ...(value !== undefined && { "content-type": type }),
      };
      const body = type.endsWith("json") ? JSON.stringify(value) : new URLSearchParams(value).toString();
      return {
        id,
        path,
        init: { method: method.toUpperCase(), headers, ...(value !== undefined && { body }) },
      };
    }),
  );
}

/** Sends a request through Prism, and returns what Prism says against it. */
async function violationsOf(
  proxy: string,
  path: string,
  init: RequestInit,
  expected?: number,
): Promise<string[]> {
  const answer = await fetch(proxy + path, init);
  const header = answer.headers.get("sl-violations");
  const found = header === null ? [] : (JSON.parse(header) as { message: string }[]);
  const isOther = expected !== undefined && answer.status !== expected;
  return [
    ...found.map(({ message }) => message),
    ...(isOther ? [`answered ${answer.status} ${await answer.text()}`] : []),
  ];
}

test(
  "Prism accepts every answer of every operation, in each status that a fault gives",
  { timeout: 300_000 },
  async () => {
    const { proxy, child } = await openPrism("interface");
    const violations: string[] = [];
    try {
      const requests = await exampleRequests();
      expect(requests).toHaveLength(20);
      for (const status of [undefined, 400, 401, 403, 404, 408, 417, 418, 422, 429, 431, 500, 502, 503])
        for (const { id, path, init } of requests) {
          await sandbox.fetch("/sandbox/faults", { method: "DELETE" });
          if (status !== undefined)
            await sandbox.fault({ on: "api", effect: "error", status, operation: id });
          const found = await violationsOf(proxy, path, init, status);
          violations.push(...found.map((message) => `${id} ${status ?? "without a fault"}: ${message}`));
        }
    } finally {
      child.kill("SIGKILL");
      await sandbox.fetch("/sandbox/faults", { method: "DELETE" });
    }
    expect(violations).toEqual([]);
  },
);
