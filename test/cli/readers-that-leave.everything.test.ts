import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { FAILING, folderWith } from "./scenario-files.ts";
import { freePort } from "../free-port.ts";
import { buggyReceiver, SECRET } from "../partners/buggy-receiver.ts";

type Stream = "stdout" | "stderr";

/** Starts `sandbank` with readers of both streams. The named ones leave after their first piece of text. */
function start(leaving: readonly Stream[], ...args: readonly string[]) {
  const child = spawn(process.execPath, ["src/cli/main.ts", ...args], { stdio: ["pipe", "pipe", "pipe"] });
  const first = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const)
    child[name].setEncoding("utf8").on("data", (text: string) => {
      first[name] += text;
      if (leaving.includes(name)) child[name].destroy();
    });
  return { child, first, ended: once(child, "exit") as Promise<[number | null, string | null]> };
}

/** Starts a server for other commands. It ends with `using`. */
async function platform() {
  const { child, first, ended } = start([], "serve", "--port", "0", "--frozen");
  await expect.poll(() => first.stdout).toContain("listening on");
  const [, url = ""] = /listening on (\S+)/.exec(first.stdout) ?? [];
  return {
    url,
    [Symbol.asyncDispose]: async () => {
      child.kill("SIGTERM");
      await ended;
    },
  };
}

/** Starts `sandbank` without a reader of either stream. */
function unread(...args: readonly string[]) {
  const started = start([], ...args);
  started.child.stdout.destroy();
  started.child.stderr.destroy();
  return started;
}

test.each([["stdout"], ["stderr"], ["stdout", "stderr"]] as Stream[][])(
  "a failing run whose readers leave writes its report and ends with 1 (%s)",
  async (...leaving) => {
    const files = Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`${index}.yaml`, FAILING]));
    using folder = folderWith(files);
    const report = folder.at("report.xml");
    const reporters = ["--reporter", `junit=${report}`, "--reporter", "pretty"];
    const { ended } = start(leaving, "run", folder.at("."), ...reporters);
    expect(await ended).toEqual([1, null]);
    expect(existsSync(report)).toBe(true);
  },
);

test("a server continues without the readers of its output and of its log, and closes its data file", async () => {
  using folder = folderWith({});
  const data = folder.at("d.json");
  const flags = ["--port", "0", "--data", data, "--log-level", "debug"];
  const { child, first, ended } = start(["stdout", "stderr"], "serve", ...flags);
  await expect.poll(() => first.stdout).toContain("listening on");
  const [, url = ""] = /listening on (\S+)/.exec(first.stdout) ?? [];
  const headers = { authorization: "Bearer acme-token" };
  for (let call = 0; call < 10; call++)
    expect((await fetch(`${url}/order/v1/banking/accounts`, { headers })).status).toBe(200);
  child.kill("SIGTERM");
  expect(await ended).toEqual([0, null]);
  expect(existsSync(`${data}.sandbank-end`)).toBe(true);
});

test("tail ends with 0 when its reader has left", async () => {
  await using sandbox = await platform();
  const tail = start(["stdout"], "tail", "--target", sandbox.url);
  await expect.poll(() => tail.first.stderr).toContain("Following");
  let isOver = false;
  void tail.ended.then(() => (isOver = true));
  await expect
    .poll(async () => {
      const headers = { authorization: "Bearer acme-token" };
      await fetch(`${sandbox.url}/order/v1/banking/accounts`, { headers });
      return isOver;
    })
    .toBe(true);
  expect(await tail.ended).toEqual([0, null]);
});

test("a recorder continues without the readers of its output and of its log, and completes its file", async () => {
  await using upstream = await platform();
  using folder = folderWith({});
  const out = folder.at("session.har");
  const port = await freePort();
  const { child, ended } = unread("record", "--upstream", upstream.url, "--port", String(port), "--out", out);
  const headers = { authorization: "Bearer acme-token" };
  const call = async (): Promise<number | undefined> =>
    (await fetch(`http://127.0.0.1:${port}/order/v1/banking/accounts`, { headers }).catch(() => undefined))
      ?.status;
  await expect.poll(call).toBe(200);
  for (let count = 1; count < 10; count++) expect(await call()).toBe(200);
  child.kill("SIGTERM");
  expect(await ended).toEqual([0, null]);
  const { log } = JSON.parse(readFileSync(out, "utf8")) as { log: { entries: unknown[] } };
  expect(log.entries).toHaveLength(10);
});

test("mcp takes the calls of an agent that reads nothing, and ends with 0", async () => {
  await using sandbox = await platform();
  const clock = async (): Promise<string> =>
    ((await (await fetch(`${sandbox.url}/sandbox/clock`)).json()) as { now: string }).now;
  const before = await clock();
  const { child, ended } = unread("mcp", "--target", sandbox.url);
  const clientInfo = { name: "test", version: "1" };
  const send = (message: object): void =>
    void child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  const params = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo };
  send({ id: 1, method: "initialize", params });
  send({ method: "notifications/initialized" });
  // A message of no kind is an error in the log.
  child.stdin.write("{}\n");
  for (let id = 2; id < 6; id++)
    send({ id, method: "tools/call", params: { name: "advance", arguments: { by: "P1D" } } });
  child.stdin.end();
  expect(await ended).toEqual([0, null]);
  expect(Date.parse(await clock()) - Date.parse(before)).toBe(4 * 86_400_000);
});

test("a command with the clock of a world keeps its exit code without readers", async () => {
  await using sandbox = await platform();
  const script = 'console.log("out"); console.error("err"); process.exitCode = 3';
  const { ended } = unread("with-clock", "--target", sandbox.url, "--", process.execPath, "-e", script);
  expect(await ended).toEqual([3, null]);
});

test("a receiver check without readers writes its report and ends with 0", async () => {
  await using receiver = await buggyReceiver({});
  using folder = folderWith({});
  const reporters = ["--reporter", `junit=${folder.at("j.xml")}`, "--reporter", "pretty"];
  const { ended } = unread(
    "receiver",
    "check",
    receiver.url,
    "--only",
    "S1",
    "--secret",
    SECRET,
    ...reporters,
  );
  expect(await ended).toEqual([0, null]);
  expect(existsSync(folder.at("j.xml"))).toBe(true);
});

test("contracts that match write their report without readers, and end with 0", async () => {
  const request = {
    method: "GET",
    path: "/order/v1/banking/accounts",
    headers: { authorization: "Bearer acme-token" },
  };
  const pact = {
    consumer: { name: "shop" },
    provider: { name: "banking-service" },
    interactions: [{ description: "a list of accounts", request, response: { status: 200 } }],
    metadata: { pactSpecification: { version: "2.0.0" } },
  };
  using folder = folderWith({ "pact.json": JSON.stringify(pact) });
  const reporters = ["--reporter", `junit=${folder.at("j.xml")}`, "--reporter", "pretty"];
  const { ended } = unread("contracts", "verify", folder.at("pact.json"), ...reporters);
  expect(await ended).toEqual([0, null]);
  expect(existsSync(folder.at("j.xml"))).toBe(true);
});
