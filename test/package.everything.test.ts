import { execFileSync, spawn, spawnSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { action, actionRunner } from "./action.ts";
import { afterAll, beforeAll, expect, inject, onTestFinished, test } from "vitest";
import { blocksOf } from "./documentation/page.ts";
import { freePort } from "./free-port.ts";
import { join, resolve } from "node:path";
import { once } from "node:events";
import { tmpdir } from "node:os";

/** The packages that are installed with the project, and the types of Node. */
function installedPackages(): string[] {
  const { packages } = JSON.parse(readFileSync("package-lock.json", "utf8")) as {
    packages: Readonly<Record<string, { dev?: boolean; devOptional?: boolean }>>;
  };
  const names = Object.keys(packages)
    .filter((path) => packages[path]?.dev !== true && packages[path]?.devOptional !== true)
    .flatMap((path) => /^node_modules\/((?:@[^/]+\/)?[^/]+)$/.exec(path)?.[1] ?? []);
  return [...names, "@types/node", "undici-types"].filter((name) => existsSync(join("node_modules", name)));
}

/** Installs the packed package in another project, with its dependencies and the types of Node. */
function openConsumer() {
  const folder = mkdtempSync(join(tmpdir(), "sandbank-package-"));
  const quiet = { stdio: "pipe", encoding: "utf8" } as const;
  const files = execFileSync("tar", ["-xzvf", inject("tarball"), "-C", folder], quiet)
    .trim()
    .split("\n")
    .map((path) => path.replace(/^package\//, ""));
  const modules = join(folder, "node_modules");
  mkdirSync(modules);
  for (const name of installedPackages()) {
    mkdirSync(join(modules, name, ".."), { recursive: true });
    symlinkSync(resolve("node_modules", name), join(modules, name));
  }
  // Not as a link: an installed package resolves its dependencies next to itself.
  renameSync(join(folder, "package"), join(modules, "sandbank"));
  writeFileSync(join(folder, "package.json"), JSON.stringify({ type: "module" }));
  return {
    folder,
    files,
    at: (path: string) => join(modules, "sandbank", path),
    [Symbol.dispose]: () => rmSync(folder, { recursive: true }),
  };
}

let consumer: ReturnType<typeof openConsumer>;
beforeAll(() => {
  consumer = openConsumer();
}, 120_000);
afterAll(() => consumer[Symbol.dispose]());

/** The example of the README with this file name. */
function exampleOf(title: string): string {
  return blocksOf("README.md").find((block) => block.title === title)?.text ?? "";
}

function node(...args: readonly string[]) {
  return spawnSync(process.execPath, args, { cwd: consumer.folder, encoding: "utf8", timeout: 60_000 });
}

/** Starts a server, which prints its URL first, until the test ends. */
async function start(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const child = spawn(process.execPath, args, {
    cwd: consumer.folder,
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "inherit"],
  });
  // A server that outlives a failed test would keep the test runner from ending.
  onTestFinished(() => void child.kill("SIGKILL"));
  const signal = AbortSignal.timeout(30_000);
  const [line] = (await once(child.stdout, "data", { signal })) as [Buffer];
  return { child, url: /http:\/\/\S+/.exec(line.toString())?.[0] ?? "" };
}

test("the packed package contains what it needs and nothing else", () => {
  const { files } = consumer;
  for (const path of [
    "dist/index.js",
    "dist/index.d.ts",
    "dist/sbom.cdx.json",
    "LICENSE",
    "README.md",
    "docs/scenarios.md",
    "examples/receiver.mjs",
    "examples/partner/gym.ts",
    "examples/python/conftest.py",
    "clients/python/sandbank/client.py",
    "dist/pages/dashboard/page/index.html",
    "dist/pages/reference/page/reference.css",
  ])
    expect(files).toContain(path);
  expect(files.filter((path) => /^(src|test|scripts)\/|__pycache__|\/pacts\//.test(path))).toEqual([]);
});

test("an older Node gets a sentence, because nothing that it could not load comes before the check", () => {
  const imported = new Map<string, string[]>();
  const visit = (file: string): void => {
    const code = readFileSync(consumer.at(`dist/cli/${file}`), "utf8");
    const names = [...code.matchAll(/^import\b[^(]*?"([^"]+)";$/gm)].map(([, name]) => name ?? "");
    imported.set(file, names);
    for (const name of names) if (name.startsWith("./") && !imported.has(name.slice(2))) visit(name.slice(2));
  };
  visit("main.js");
  const packages = [...imported.values()].flat().filter((name) => !name.startsWith("./"));
  expect(packages.toSorted()).toEqual(["node:fs", "node:path"]);

  const older = "data:text/javascript,Object.defineProperty(process.versions,'node',{value:'20.20.2'})";
  const { status, stderr } = node("--import", older, consumer.at("dist/cli/main.js"), "--version");
  expect(stderr).toMatch(/^Failed to start sandbank: this is Node 20\.20\.2\. Install Node [\d.]+ or later/);
  expect(status).toBe(2);
});

test("the bill of materials lists what the package runs on, and no tool", () => {
  const { dependencies, devDependencies } = JSON.parse(readFileSync("package.json", "utf8")) as Readonly<
    Record<string, Readonly<Record<string, string>>>
  >;
  const bill = JSON.parse(readFileSync(consumer.at("dist/sbom.cdx.json"), "utf8")) as {
    readonly components: readonly { readonly name: string; readonly version: string }[];
  };
  // A package may be listed in several versions.
  const listed = bill.components.map(({ name, version }) => `${name}@${version}`);
  const needed = Object.entries(dependencies ?? {}).map(([name, version]) => `${name}@${version}`);
  expect(listed).toEqual(expect.arrayContaining(needed));
  const names = new Set(bill.components.map(({ name }) => name));
  expect(names).toContain("yargs-parser");
  expect(Object.keys(devDependencies ?? {}).filter((name) => names.has(name))).toEqual([]);
});

test("the links of the README and of the pages of the packed package lead into the package", () => {
  // What CONTRIBUTING links to is in the repository.
  const pages = consumer.files.filter((path) => /^(README|(docs|examples)\/.*)\.md$/.test(path));
  const broken = pages.flatMap((page) =>
    Array.from(readFileSync(consumer.at(page), "utf8").matchAll(/\]\((?!https?:)([^)#]+)[^)]*\)/g))
      .map(([, to = ""]) => join(page, "..", to))
      .filter((path) => !existsSync(consumer.at(path)))
      .map((path) => `${page} → ${path}`),
  );
  expect(broken).toEqual([]);
});

test(
  "the examples run from the packed package: the receiver in place, the partner as a copy",
  { timeout: 120_000 },
  async () => {
    const { at, folder } = consumer;
    const { url } = await start([at("examples/receiver.mjs")], { PORT: "0" });
    const only = ["--only", "S1,I1,E1", "--secret", "acme-webhook-secret"];
    const probe = ["--probe", url.replace("/webhooks", "/state")];
    const check = spawnSync(
      process.execPath,
      [at("dist/cli/main.js"), "receiver", "check", url, ...only, ...probe],
      {
        cwd: folder,
        encoding: "utf8",
      },
    );
    expect(check).toMatchObject({ status: 0, stdout: expect.stringContaining("3 pass.") as string });
    cpSync(at("examples/partner"), join(folder, "partner"), { recursive: true });
    const imported = node(
      "--input-type=module",
      "-e",
      'import { Gym } from "./partner/gym.ts"; console.log(typeof Gym)',
    );
    expect(imported.stdout).toBe("function\n");
  },
);

test("the packed package serves and runs the shipped scenarios", { timeout: 60_000 }, async () => {
  const { at } = consumer;
  const { child, url } = await start([at("dist/cli/main.js"), "serve", "--port", "0"]);
  expect(await (await fetch(`${url}/sandbox/health`)).json()).toMatchObject({ status: "ok" });
  expect((await fetch(`${url}/dashboard/main.js`)).status).toBe(200);
  expect((await fetch(`${url}/docs`)).status).toBe(200);
  child.kill("SIGTERM");
  const [code] = (await once(child, "exit")) as [number];
  expect(code).toBe(0);
  expect(node(at("dist/cli/main.js"), "run", at("scenarios/subscriptions/accepted.yaml")).stdout).toContain(
    "1 passed",
  );
});

test("a copy of a shipped scenario runs under its own name, and a changed one is checked", () => {
  const text = readFileSync("scenarios/subscriptions/accepted.yaml", "utf8");
  const copy = join(consumer.folder, "copy.yaml");
  writeFileSync(copy, text);
  expect(node(consumer.at("dist/cli/main.js"), "run", "copy.yaml").stdout).toContain("copy.yaml");
  writeFileSync(copy, text.replace("steps:", "stepz:"));
  expect(node(consumer.at("dist/cli/main.js"), "run", "copy.yaml")).toMatchObject({
    status: 2,
    stderr: expect.stringContaining("`stepz` is not known here") as string,
  });
});

test("the library of the packed package serves the dashboard and the reference page", () => {
  const script = `import { createSandbox } from "sandbank";
    await using sandbox = await createSandbox();
    for (const path of ["/dashboard/main.js", "/html/preact.js", "/docs/reference.css"])
      process.stdout.write(\`\${(await sandbox.fetch(path)).status} \`);`;
  writeFileSync(join(consumer.folder, "pages.mjs"), script);
  expect(node("pages.mjs").stdout).toBe("200 200 200 ");
});

test("sandbank prints its version in every working directory", () => {
  const { version } = JSON.parse(readFileSync("package.json", "utf8")) as { version: string };
  expect(node(consumer.at("dist/cli/main.js"), "--version").stdout).toBe(`${version}\n`);
});

test(
  "the example of the README runs in a project that has the package installed",
  { timeout: 60_000 },
  () => {
    writeFileSync(join(consumer.folder, "payout.test.ts"), exampleOf("payout.test.ts"));
    const { status, stdout } = node("--test", "payout.test.ts");
    expect({ status, stdout }).toMatchObject({
      status: 0,
      stdout: expect.stringContaining("pass 1") as string,
    });
  },
);

test("what init writes runs at once in an empty folder with the package", { timeout: 60_000 }, () => {
  expect(node(consumer.at("dist/cli/main.js"), "init").status).toBe(0);
  const run = node(consumer.at("dist/cli/main.js"), "run", "scenarios");
  expect({ ...run, status: run.status }).toMatchObject({
    status: 0,
    stdout: expect.stringContaining("1 passed.") as string,
  });
  const tested = node("--test", "test/sandbank.test.mjs");
  expect(tested).toMatchObject({ status: 0, stdout: expect.stringContaining("pass 1") as string });
});

test("what init writes into a new folder runs with the vitest of the project", { timeout: 60_000 }, () => {
  const { folder, at } = consumer;
  const project = join(folder, "project");
  mkdirSync(project);
  writeFileSync(join(project, "package.json"), JSON.stringify({ devDependencies: { vitest: "*" } }));
  symlinkSync(join(folder, "node_modules"), join(project, "node_modules"));
  const vitest = resolve("node_modules/vitest/vitest.mjs");
  if (!existsSync(join(folder, "node_modules/vitest")))
    symlinkSync(resolve("node_modules/vitest"), join(folder, "node_modules/vitest"));
  const run = (file: string, ...args: readonly string[]) =>
    spawnSync(process.execPath, [file, ...args], { cwd: project, encoding: "utf8", timeout: 60_000 });
  expect(run(at("dist/cli/main.js"), "init", "gym").stdout).toContain(
    "npx vitest run test/sandbank.test.mjs",
  );
  expect(run(vitest, "run")).toMatchObject({
    status: 0,
    stdout: expect.stringContaining("gym/test/sandbank.test.mjs") as string,
  });
});

test.each([
  ["nodenext", "nodenext"],
  ["esnext", "bundler"],
])(
  "its types compile in a project with module %s and resolution %s",
  { timeout: 60_000 },
  (module, resolution) => {
    writeFileSync(join(consumer.folder, "consumer.ts"), `${exampleOf("payout.test.ts")}${CONSUMER}`);
    const tsc = resolve("node_modules/typescript/bin/tsc");
    const flags =
      "--noEmit --strict --target es2024 --lib es2024,esnext.disposable --types node --skipLibCheck false";
    const kind = ["--module", module, "--moduleResolution", resolution];
    const { stdout } = node(tsc, ...flags.split(" "), ...kind, "consumer.ts");
    expect(stdout).toBe("");
  },
);

test(
  "the action starts the package it is in, runs commands against it, and keeps what failed",
  { timeout: 300_000 },
  async () => {
    const folder = mkdtempSync(join(tmpdir(), "sandbank-action-"));
    // The sandbox writes its data once more as it ends.
    onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }));
    const port = String(await freePort());
    const failing = join(folder, "failing.yaml");
    writeFileSync(failing, "name: Fails\nsteps:\n  - expect: { webhooks: [{ event: ORDER-PAYIN.PAID }] }\n");
    // The settings of the project count, and paths are relative to it.
    writeFileSync(join(folder, "sandbank.config.yaml"), "frozen: true\nseed: 99\n");
    const steps = actionRunner(folder, {
      checkout: consumer.at("."),
      workspace: folder,
      port,
      args: "--data kept.json",
      run: `sandbank run ${failing} --target "$SANDBANK_URL"`,
    });
    expect(steps.run("install")).toMatchObject({ status: 0, stderr: "" });
    const started = steps.run("start");
    const pid = Number(readFileSync(join(folder, "sandbank", "sandbank.pid"), "utf8"));
    try {
      expect(started).toMatchObject({ status: 0, stdout: "" });
      const url = `http://127.0.0.1:${port}`;
      const log = join(folder, "sandbank", "sandbank.log");
      expect(steps.output()).toBe(`url=${url}\nlog=${log}\n`);
      expect(steps.env()).toBe(`SANDBANK_REPORTER=pretty,github\nSANDBANK_URL=${url}\n`);
      expect(await (await fetch(`${url}/sandbox/clock`)).json()).toMatchObject({ mode: "frozen" });
      expect(await (await fetch(`${url}/sandbox/worlds`)).json()).toMatchObject({ data: [{ seed: 99 }] });
      expect(existsSync(join(folder, "kept.json"))).toBe(true);
      expect(action.outputs["url"]?.value).toBe("${{ steps.start.outputs.url }}");
      const run = steps.run("run");
      expect(run.status).toBe(1);
      expect(run.stdout).toMatch(/^::error file=\S*failing\.yaml,line=3,col=5,title=/m);
      expect(readFileSync(join(folder, "summary.md"), "utf8")).toContain("## sandbank: 1 failed");
      expect(steps.run("keep")).toMatchObject({ status: 0 });
      const kept = readdirSync(join(folder, "sandbank", "kept"));
      expect(kept).toEqual(
        expect.arrayContaining(["sandbank.log", "default.yaml", expect.stringMatching(/^w.*\.yaml$/)]),
      );
      const again = steps.run("start");
      expect(again.status).toBe(1);
      expect(again.stdout).toContain("Failed to start sandbank");
    } finally {
      process.kill(pid);
    }
  },
);

test("the action says why it cannot start, and keeps the log without an error of its own", async () => {
  const folder = mkdtempSync(join(tmpdir(), "sandbank-action-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const job = { checkout: consumer.at("."), workspace: folder, port: String(await freePort()) };
  const old = join(folder, "bin", "node");
  mkdirSync(join(folder, "bin"));
  const pretends = "data:text/javascript,Object.defineProperty(process.versions,'node',{value:'20.20.2'})";
  writeFileSync(old, `#!/bin/sh\nexec "${process.execPath}" --import "${pretends}" "$@"\n`, { mode: 0o755 });

  const onOldNode = actionRunner(folder, { ...job, node: old });
  const { status, stdout, stderr } = onOldNode.run("install");
  expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
  expect(stderr).toMatch(/^Failed to start sandbank: this is Node 20\.20\.2\. .*\n$/);
  expect(onOldNode.run("keep")).toMatchObject({ status: 0, stdout: "", stderr: "" });

  const steps = actionRunner(folder, { ...job, args: "--frozn" });
  steps.run("install");
  expect(steps.run("start")).toMatchObject({
    status: 1,
    stdout: expect.stringContaining("frozn") as string,
  });
  expect(steps.run("keep")).toMatchObject({ status: 0, stdout: "", stderr: "" });
  expect(readdirSync(join(folder, "sandbank", "kept"))).toEqual(["sandbank.log"]);
});

/** What the types accept and refuse. */
const CONSUMER = `
import { OptionMistake, type Sandbox, type SandboxOptions, type WebhookDelivery, type WebhookEvents } from "sandbank";

export const options: SandboxOptions = { assumptions: { "refund.delay": "PT1S" }, mode: "running" };
export async function use(sandbox: Sandbox): Promise<WebhookDelivery[]> {
  // @ts-expect-error -- a plan has outcomes
  await sandbox.plan({ plan: "order.payment" });
  // @ts-expect-error -- a fault is on the webhook or on the api
  await sandbox.fault({ on: "moon", effect: "latency" });
  return sandbox.deliveries();
}
// @ts-expect-error -- no event has this name
export type Wrong = WebhookEvents["SUBSCRIPTION.ACEPTED"];
export const statusOf = (event: WebhookEvents["SUBSCRIPTION.ACCEPTED"]): string => event.data.status;
export const isMistake = (error: unknown): boolean => error instanceof OptionMistake;
`;
