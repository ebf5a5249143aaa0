import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { FAILING, folderWith } from "./scenario-files.ts";

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
  const server = start([], "serve", "--port", "0", "--frozen");
  await expect.poll(() => server.first.stdout).toContain("listening on");
  const [, url = ""] = /listening on (\S+)/.exec(server.first.stdout) ?? [];
  const tail = start(["stdout"], "tail", "--target", url);
  await expect.poll(() => tail.first.stderr).toContain("Following");
  let isOver = false;
  void tail.ended.then(() => (isOver = true));
  await expect
    .poll(async () => {
      await fetch(`${url}/order/v1/banking/accounts`, { headers: { authorization: "Bearer acme-token" } });
      return isOver;
    })
    .toBe(true);
  expect(await tail.ended).toEqual([0, null]);
  server.child.kill("SIGTERM");
  await server.ended;
});

test("a recorder continues without the readers of its output and of its log, and completes its file", async () => {
  const platform = start([], "serve", "--port", "0", "--frozen");
  await expect.poll(() => platform.first.stdout).toContain("listening on");
  const [, upstream = ""] = /listening on (\S+)/.exec(platform.first.stdout) ?? [];
  using folder = folderWith({});
  const out = folder.at("session.har");
  const flags = ["--upstream", upstream, "--port", "0", "--out", out];
  const { child, first, ended } = start(["stdout", "stderr"], "record", ...flags);
  await expect.poll(() => first.stdout + first.stderr).toMatch(/http:\/\/127/);
  const [url = ""] =
    /http:\/\/127\.0\.0\.1:(?!0)\d+/.exec((first.stdout + first.stderr).replaceAll(upstream, "")) ?? [];
  const headers = { authorization: "Bearer acme-token" };
  for (let call = 0; call < 10; call++)
    expect((await fetch(`${url}/order/v1/banking/accounts`, { headers })).status).toBe(200);
  child.kill("SIGTERM");
  expect(await ended).toEqual([0, null]);
  const { log } = JSON.parse(readFileSync(out, "utf8")) as { log: { entries: unknown[] } };
  expect(log.entries).toHaveLength(10);
  platform.child.kill("SIGTERM");
  await platform.ended;
});

test("mcp takes the calls of an agent that no longer reads, and ends with 0", async () => {
  const server = start([], "serve", "--port", "0", "--frozen");
  await expect.poll(() => server.first.stdout).toContain("listening on");
  const [, url = ""] = /listening on (\S+)/.exec(server.first.stdout) ?? [];
  const clock = async (): Promise<string> =>
    ((await (await fetch(`${url}/sandbox/clock`)).json()) as { now: string }).now;
  const before = await clock();
  const { child, first, ended } = start(["stdout", "stderr"], "mcp", "--target", url);
  const clientInfo = { name: "test", version: "1" };
  const send = (message: object): void =>
    void child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  send({
    id: 1,
    method: "initialize",
    params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo },
  });
  await expect.poll(() => first.stdout).toContain("sandbank");
  send({ method: "notifications/initialized" });
  for (let id = 2; id < 6; id++)
    send({ id, method: "tools/call", params: { name: "advance", arguments: { by: "P1D" } } });
  child.stdin.end();
  expect(await ended).toEqual([0, null]);
  expect(Date.parse(await clock()) - Date.parse(before)).toBe(4 * 86_400_000);
  server.child.kill("SIGTERM");
  await server.ended;
});
