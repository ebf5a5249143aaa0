import type { Outside } from "./stories/outside.ts";
import type { SandboxObject } from "../../src/server/access/sandbox-interface.ts";
import { beforeAll, expect, test } from "vitest";
import { cp, mkdir, rm, symlink, writeFile } from "node:fs/promises";
import { controlDocument } from "../../src/server/control/openapi.ts";
import { effectNames } from "../../src/simulator/platform/faults/effects.ts";
import { endpoints } from "../../scripts/control.ts";
import { faultWith } from "./fault-with.ts";
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { platformDocument } from "../../src/simulator/api/openapi.ts";
import { outside } from "../outside/consumer.ts";
import { operations } from "../../src/simulator/api/operations.ts";
import { openPartner } from "../partner.ts";
import { promisify } from "node:util";

/**
 * The clients that generators of others make from the OpenAPI documents compile strictly. With each of them one story
 * calls every operation, and another one uses the sandbox's own API. The generators need TypeScript 5, which is in
 * `test/outside` with them.
 */
const here = new URL("./", import.meta.url);
const work = new URL("../../build/clients/", here);
const run = promisify(execFile);

const TSCONFIG = {
  compilerOptions: {
    target: "es2024",
    lib: ["es2024", "dom", "dom.iterable"],
    types: [],
    module: "nodenext",
    strict: true,
    noUncheckedIndexedAccess: true,
    noImplicitOverride: true,
    rootDir: "source",
    outDir: "compiled",
  },
  include: ["source"],
};

const reports: string[] = [];

/** A program that arms a fault of every effect and sets an assumption, by two clients: the compiler checks each field. */
function everyFault(): string {
  const bodies = effectNames().map((effect) => JSON.stringify(faultWith(effect)));
  return `import type { components, paths } from "./sandbox-api-types.js";
import type { FaultRequest } from "./hey-sandbox-api/index.js";
import { addFault, changeSettings } from "./hey-sandbox-api/sdk.gen.js";
import { createClient } from "./hey-sandbox-api/client/index.js";
import createFetch from "openapi-fetch";

const faults: components["schemas"]["FaultRequest"][] = [${bodies.join(",\n")}];
const same: FaultRequest[] = [${bodies.join(",\n")}];

export async function play(baseUrl: string): Promise<number[]> {
  const statuses: number[] = [];
  const sandbox = createFetch<paths>({ baseUrl });
  const client = createClient({ baseUrl });
  const assumptions = { "payout.ted-delay": "PT2M", "payloads.unknown-fields": "strict" } as const;
  statuses.push((await sandbox.PATCH("/sandbox/settings", { body: { assumptions } })).response.status);
  statuses.push((await changeSettings({ client, body: { assumptions } })).response?.status ?? 0);
  for (const body of faults) statuses.push((await sandbox.POST("/sandbox/faults", { body })).response.status);
  for (const body of same) statuses.push((await addFault({ client, body })).response?.status ?? 0);
  return statuses;
}
`;
}

beforeAll(async () => {
  await rm(work, { recursive: true, force: true });
  await mkdir(new URL("source/", work), { recursive: true });
  await cp(new URL("stories/", here), new URL("source/", work), { recursive: true });
  await symlink(outside("."), new URL("node_modules", work));
  const document = fileURLToPath(new URL("openapi.json", work));
  await writeFile(document, JSON.stringify(platformDocument()));
  await writeFile(new URL("package.json", work), '{ "type": "module" }');
  await writeFile(new URL("tsconfig.json", work), JSON.stringify(TSCONFIG));
  await writeFile(new URL("source/every-fault.ts", work), everyFault());
  const ofSandbox = fileURLToPath(new URL("sandbox-openapi.json", work));
  await writeFile(ofSandbox, JSON.stringify(controlDocument(endpoints)));
  const generators = [
    ["openapi-typescript/bin/cli.js", document, "-o", "source/openapi-typescript-types.ts"],
    ["openapi-typescript/bin/cli.js", ofSandbox, "-o", "source/sandbox-api-types.ts"],
    ["@hey-api/openapi-ts/bin/run.js", "-i", document, "-o", "source/hey", "--no-log-file"],
    ["@hey-api/openapi-ts/bin/run.js", "-i", ofSandbox, "-o", "source/hey-sandbox-api", "--no-log-file"],
  ] as const;
  for (const [script, ...words] of generators) {
    const { stdout, stderr } = await run(process.execPath, [outside(script), ...words], { cwd: work });
    reports.push(stdout + stderr);
  }
}, 60_000);

test("the generators warn of nothing in the documents", () => {
  expect(reports.filter((report) => /⚠|warn/i.test(report))).toEqual([]);
});

test("the generated clients and their stories compile strictly", async () => {
  const tsc = fileURLToPath(new URL("../../node_modules/typescript/bin/tsc", here));
  const { stdout } = await run(process.execPath, [tsc, "-p", fileURLToPath(work)]).catch(
    (failure: { stdout: string }) => failure,
  );
  expect(stdout).toBe("");
});

interface Story {
  readonly play: (outside: Outside) => Promise<void>;
  readonly summaryOf: (event: SandboxObject) => string;
}

/** The operation that a request is for, by its id. */
function operationIdOf({ method, url }: Request): string {
  const { pathname } = new URL(url);
  const found = Object.values(operations).find(
    (operation) =>
      operation.method === method &&
      new RegExp(`^${operation.path.replaceAll(/\{\w+\}/g, "[^/]+")}$`).test(pathname),
  );
  return found?.operationId ?? `${method} ${pathname}`;
}

test.each(["hey-api", "openapi-typescript"])(
  "with %s one story calls every operation",
  async (client) => {
    const { play, summaryOf } = (await import(new URL(`compiled/${client}.js`, work).href)) as Story;
    await using partner = await openPartner();
    const { url } = await partner.sandbox.listen();
    const called = new Set<string>();
    await play({
      url,
      fetch: (input, init) => {
        const request = new Request(input, init);
        called.add(operationIdOf(request));
        return fetch(request);
      },
      act: (name, fields) => partner.act(name, fields),
      advance: (by) => partner.advance(by),
      lastCode: async () => {
        const { body } = await partner.ask("GET", "/sandbox/inbox");
        return (body["data"] as readonly { readonly code: string }[]).at(-1)?.code ?? "";
      },
    });
    expect(called).toEqual(new Set(Object.keys(operations)));
    const summaries = (await partner.webhooks()).map((event) => summaryOf(event));
    expect(summaries).toEqual(expect.arrayContaining(["story-1", "Meire Saraiva", "ORDER-PAYIN.PAID"]));
  },
  60_000,
);

test("with typed clients a fault of every effect is armed, and an assumption is set", async () => {
  const { play } = (await import(new URL("compiled/every-fault.js", work).href)) as {
    readonly play: (url: string) => Promise<number[]>;
  };
  await using partner = await openPartner();
  const statuses = await play((await partner.sandbox.listen()).url);
  expect(statuses).toEqual([200, 200, ...Array.from({ length: 2 * effectNames().length }, () => 201)]);
  const { body } = await partner.ask("GET", "/sandbox/settings");
  expect(body["assumptions"]).toMatchObject({ "payout.ted-delay": "PT2M" });
});

test("with a client of the sandbox's own API a world is made, changed and dropped", async () => {
  const { play } = (await import(new URL("compiled/sandbox-api.js", work).href)) as {
    readonly play: (url: string) => Promise<void>;
  };
  await using partner = await openPartner({ webhookUrl: undefined });
  await play((await partner.sandbox.listen()).url);
  const { body } = await partner.ask("GET", "/sandbox/worlds");
  expect(body["data"]).toHaveLength(1);
});
