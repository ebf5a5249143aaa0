import { type ChildProcess, spawn } from "node:child_process";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { once } from "node:events";
import { cpSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { freePort } from "../free-port.ts";
import { join } from "node:path";
import { buggyReceiver, SECRET } from "../partners/buggy-receiver.ts";
import { NODES, emptyProject, installWithNpm, outside, pathWith, start } from "./consumer.ts";

const SCENARIOS = "node_modules/sandbank/scenarios";
const SCENARIO = `${SCENARIOS}/subscriptions/accepted.yaml`;

let folder: string;
let receiver: Awaited<ReturnType<typeof buggyReceiver>>;

beforeAll(async () => {
  folder = emptyProject();
  await installWithNpm(folder);
  receiver = await buggyReceiver();
}, 240_000);

afterAll(async () => {
  await receiver[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

/** Copies the example partner, because Node strips no types in `node_modules`. Returns the port of its scenario. */
async function copyGym(): Promise<number> {
  const port = await freePort();
  cpSync(join(folder, "node_modules/sandbank/examples/partner"), join(folder, "gym"), { recursive: true });
  const day = join(folder, "gym/day.yaml");
  writeFileSync(day, readFileSync(day, "utf8").replaceAll("4020", String(port)));
  return port;
}

describe.each(NODES)("the packed package on %s", (name) => {
  const node = outside(`${name}/bin/node`);
  const sandbank = (...args: readonly string[]) =>
    start(node, ["node_modules/sandbank/dist/cli/main.js", ...args], {
      cwd: folder,
      env: { ...pathWith(node), SANDBANK_WEBHOOK_SECRET: SECRET },
    });
  let server: ChildProcess;
  let url: string;

  beforeAll(async () => {
    const args = ["node_modules/sandbank/dist/cli/main.js", "serve", "--port", "0", "--frozen"];
    server = spawn(node, args, { cwd: folder, stdio: ["ignore", "pipe", "inherit"] });
    const [line] = (await once(server.stdout!, "data")) as [Buffer];
    url = /http:\/\/\S+/.exec(line.toString())?.[0] ?? "";
  });
  afterAll(() => server.kill("SIGKILL"));

  test("runs every shipped scenario", async () => {
    const { status, out } = await sandbank("run", SCENARIOS);
    expect({ status, last: out.trim().split("\n").at(-1) }).toEqual({
      status: 0,
      last: expect.stringMatching(/^\d{3} passed\.$/) as string,
    });
  });

  test("runs every command", { timeout: 300_000 }, async () => {
    const probe = ["--probe", receiver.probeUrl];
    const gym = `http://127.0.0.1:${await copyGym()}`;
    const partner = [
      "--partner",
      `WEBHOOK_SECRET=${SECRET} PORT=${new URL(gym).port} node gym/main.ts`,
      "--partner-ready",
      `${gym}/books`,
    ];
    const explore = ["--only", "twice", "--depth", "1", "--reset", `${gym}/reset`, ...partner];
    // A client has called the sandbox: `certify` looks at its calls.
    const headers = { authorization: "Bearer acme-token" };
    await fetch(`${url}/order/v1/banking/accounts`, { headers });
    const commands: readonly (readonly string[])[] = [
      ["--version"],
      ["init", "first"],
      ["config"],
      ["assumptions"],
      ["openapi", "--out", "openapi.json"],
      ["schema", "scenario"],
      ["completion", "bash"],
      ["health", "--url", url],
      ["secret", "print", "--url", url],
      ["with-clock", "--target", url, "--", "node", "-e", "new Date()"],
      ["trigger", "ORDER-PAYOUT.PAID", "--to", receiver.url],
      ["run", SCENARIO, "--receiver", receiver.url, "--har", "session.har"],
      ["replay", "session.har", "--receiver", receiver.url],
      ["calibrate", "session.har"],
      ["explore", "gym/day.yaml", "--receiver", `${gym}/webhooks`, ...explore],
      ["receiver", "check", receiver.url, "--only", "S1,I1", ...probe],
      ["contracts", "states"],
      ["contracts", "generate", SCENARIO, "--out", "pacts"],
      ["contracts", "verify", "pacts/partner-banking-service.json"],
      ["contracts", "verify-receiver", receiver.url],
      ["certify", "--target", url, "--out", "certificate.html"],
    ];
    for (const command of commands) {
      const { status, out, err } = await sandbank(...command);
      expect(status, `${command.join(" ")}\n${out}${err}`).toBe(0);
    }
  });

  test("says why a scenario cannot be explored", async () => {
    const gone = ["--receiver", "http://127.0.0.1:9/webhooks", "--probe", "http://127.0.0.1:9/state"];
    const { status, out, err } = await sandbank("explore", SCENARIO, ...gone);
    expect({ status, text: out + err }).toEqual({
      status: 2,
      text: expect.stringContaining("127.0.0.1:9") as string,
    });
  });

  test("serves tools to agents", async () => {
    const hello = {
      jsonrpc: "2.0",
      id: 1,
      method: "initialize",
      params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "test", version: "1" } },
    };
    const args = ["node_modules/sandbank/dist/cli/main.js", "mcp"];
    const { out } = await start(node, args, { cwd: folder, input: `${JSON.stringify(hello)}\n` });
    expect(JSON.parse(out.split("\n")[0] ?? "")).toMatchObject({ id: 1, result: { serverInfo: {} } });
  });

  test("explores from the library", { timeout: 120_000 }, async () => {
    writeFileSync(
      join(folder, "exploration.mjs"),
      `import { explore } from "sandbank";
const events = new Set();
const result = await explore({
  scenario: ${JSON.stringify(SCENARIO)},
  receiver: async (request) => {
    events.add(await request.text());
    return Response.json({});
  },
  probe: () => events.size,
  reset: () => events.clear(),
});
console.log(result.verdict);
`,
    );
    const library = await start(node, ["exploration.mjs"], { cwd: folder });
    expect(library).toEqual({ status: 0, out: "converges\n", err: "" });
  });
});

test("an older Node gets a sentence from the command, with exit code 2, and from the library", async () => {
  const node = outside("node-old/bin/node");
  const sentence =
    /^Failed to start sandbank: this is Node 20\.[\d.]+\. Install Node 22\.19\.0 or later, for example with nvm install 24\.\n$/;
  for (const command of ["--version", "run", "serve"])
    expect(await start(node, ["node_modules/sandbank/dist/cli/main.js", command], { cwd: folder })).toEqual({
      status: 2,
      out: "",
      err: expect.stringMatching(sentence) as string,
    });
  const library = 'import("sandbank").catch(({ message }) => process.stderr.write(`${message}\\n`))';
  expect((await start(node, ["-e", library], { cwd: folder })).err).toMatch(sentence);
});
