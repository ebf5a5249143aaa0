import { expect, onTestFinished, test } from "vitest";
import { once } from "node:events";
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { tmpdir } from "node:os";
import { spawn, spawnSync } from "node:child_process";

/** Prints every package that was loaded. */
const WATCH = `
import { registerHooks } from "node:module";
const packages = new Set();
registerHooks({
  load(url, context, next) {
    const name = /node_modules\\/((?:@[^/]+\\/)?[^/]+)/.exec(url)?.[1];
    if (name !== undefined) packages.add(name);
    return next(url, context);
  },
});
process.on("exit", () => process.stderr.write(JSON.stringify([...packages])));
`;

/** Packages that take long to load and that a start does not need. */
const HEAVY = new Set([
  "yaml",
  "ajv",
  "ajv-formats",
  "undici",
  "pino",
  "lowdb",
  "@pact-foundation/pact",
  "@pact-foundation/pact-core",
]);

test("a start and a first list load none of the heavy packages", async () => {
  const args = ["--import", `data:text/javascript,${encodeURIComponent(WATCH)}`, "src/cli/main.ts", "serve"];
  const child = spawn(process.execPath, [...args, "--port", "0"], { stdio: ["ignore", "pipe", "pipe"] });
  let loaded = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (loaded += text));
  const [line] = (await once(child.stdout.setEncoding("utf8"), "data")) as [string];
  const headers = { authorization: "Bearer acme-token" };
  const [url = ""] = /http:\S+/.exec(line) ?? [];
  expect((await fetch(`${url}/order/v1/banking/accounts`, { headers })).status).toBe(200);
  child.kill("SIGTERM");
  await once(child, "close");
  const packages = JSON.parse(loaded) as string[];
  expect(packages).toContain("hono");
  expect(packages.filter((name) => HEAVY.has(name))).toEqual([]);
});

test("a Node that is too old is refused with a sentence, and nothing else is loaded", () => {
  const old = `Object.defineProperty(process, "versions", { value: { ...process.versions, node: "22.18.0" } })`;
  const args = ["--import", `data:text/javascript,${encodeURIComponent(WATCH + old)}`, "src/cli/main.ts"];
  const { status, stderr } = spawnSync(process.execPath, [...args, "--version"], { encoding: "utf8" });
  const sentence =
    "Failed to start sandbank: this is Node 22.18.0. Install Node 22.19.0 or later, for example with nvm install 24.";
  expect({ status, stderr }).toEqual({ status: 2, stderr: `${sentence}\n[]` });
});

interface Package {
  readonly engines?: { readonly node?: string };
}

function packageAt(folder: string): Package {
  return JSON.parse(readFileSync(`${folder}package.json`, "utf8")) as Package;
}

/** Whether a version satisfies one of the alternatives of a range, each of the form `>=20` or `^22.12.0`. */
function satisfies(version: string, range: string): boolean {
  return range.split("||").some((alternative) => {
    const [, operator, least = ""] = /^\s*(>=|\^)\s*([\d.]+)\s*$/.exec(alternative) ?? [];
    const isSameMajor = version.split(".")[0] === least.split(".")[0];
    const order = version.localeCompare(least, "en", { numeric: true });
    return operator !== undefined && order >= 0 && (operator === ">=" || isSameMajor);
  });
}

test("the oldest Node that the package accepts is new enough for every package that it uses", () => {
  const oldest = packageAt("").engines?.node?.replace(">=", "") ?? "";
  const imported = globSync("src/**/*.ts").flatMap((file) =>
    Array.from(
      readFileSync(file, "utf8").matchAll(/(?:from |import\(|\()"((?:@[\w-]+\/)?[\w.-]+)[^"]*"/g),
      ([, name]) => name ?? "",
    ),
  );
  const names = new Set(imported.filter((name) => existsSync(`node_modules/${name}/package.json`)));
  expect(names).toContain("hono");
  const ranges = Array.from(names, (name) => [name, packageAt(`node_modules/${name}/`).engines?.node]);
  expect(ranges.filter(([, range]) => range !== undefined && !satisfies(oldest, range))).toEqual([]);
});

test("a temporary folder that cannot be made is reported in a sentence", () => {
  const folder = mkdtempSync(join(tmpdir(), "sandbank-pact-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const pact = join(folder, "pact.json");
  const interaction = {
    description: "one",
    request: { method: "GET", path: "/" },
    response: { status: 200 },
  };
  const names = { consumer: { name: "a" }, provider: { name: "b" } };
  writeFileSync(pact, JSON.stringify({ ...names, interactions: [interaction] }));
  const flags = ["--broker", "http://127.0.0.1:9", "--version", "1"];
  const env = { ...process.env, TMPDIR: "/no-such-folder" };
  const args = ["src/cli/main.ts", "contracts", "publish", pact, ...flags];
  const { status, stderr } = spawnSync(process.execPath, args, { encoding: "utf8", env });
  expect([status, stderr]).toEqual([
    2,
    expect.stringMatching(
      /^Failed to make a temporary folder: .*\/no-such-folder.*Set TMPDIR to a folder/,
    ) as string,
  ]);
});
