import { expect, test } from "vitest";
import { once } from "node:events";
import { spawn } from "node:child_process";

/** Tells on standard error of every package that is loaded, once it was asked to. */
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

/** What is heavy to load and not needed until somebody asks for what it does. */
const HEAVY = new Set([
  "yaml",
  "ajv",
  "ajv-formats",
  "undici",
  "pino",
  "lowdb",
  "@pact-foundation/pact-core",
]);

test("a start and a first list load nothing that they can do without", async () => {
  const args = ["--import", `data:text/javascript,${encodeURIComponent(WATCH)}`, "src/cli/main.ts", "serve"];
  const child = spawn(process.execPath, [...args, "--port", "0"], { stdio: ["ignore", "pipe", "pipe"] });
  let told = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (told += text));
  const [said] = (await once(child.stdout.setEncoding("utf8"), "data")) as [string];
  const headers = { authorization: "Bearer acme-token" };
  const [url = ""] = /http:\S+/.exec(said) ?? [];
  expect((await fetch(`${url}/order/v1/banking/accounts`, { headers })).status).toBe(200);
  child.kill("SIGTERM");
  await once(child, "close");
  const packages = JSON.parse(told) as string[];
  expect(packages).toContain("hono");
  expect(packages.filter((name) => HEAVY.has(name))).toEqual([]);
});
