import { createServer } from "node:http";
import { execFile } from "node:child_process";
import { expect, onTestFinished, test } from "vitest";
import { join } from "node:path";
import { once } from "node:events";
import { exemptLoopback, isLoopback } from "../../src/base/proxies.ts";
import { createSandbox } from "../../src/index.ts";
import { promisify } from "node:util";

const run = promisify(execFile);

/** A proxy that refuses everything. */
async function openProxy(): Promise<{ url: string; asked: () => number }> {
  let asked = 0;
  const proxy = createServer((_, answer) => {
    asked++;
    answer.writeHead(502).end("no way");
  });
  proxy.on("connect", (_, socket) => {
    asked++;
    socket.end("HTTP/1.1 502 no way\r\n\r\n");
  });
  proxy.listen(0, "127.0.0.1");
  await once(proxy, "listening");
  onTestFinished(() => void proxy.close());
  const { port } = proxy.address() as { port: number };
  return { url: `http://127.0.0.1:${port}`, asked: () => asked };
}

const MAIN = join(import.meta.dirname, "../../src/cli/main.ts");

test("a command reaches a sandbox on this machine without the proxy of the environment", async () => {
  const proxy = await openProxy();
  await using sandbox = await createSandbox();
  const { url } = await sandbox.listen();
  const env = { ...process.env, NODE_USE_ENV_PROXY: "1", http_proxy: proxy.url };
  const { stdout } = await run(process.execPath, [MAIN, "health", "--url", url], { env });
  expect(stdout).toBe(`${url} is healthy\n`);
  expect(proxy.asked()).toBe(0);
});

test("the library reaches a sandbox on this machine without the proxy of the environment", async () => {
  const proxy = await openProxy();
  await using sandbox = await createSandbox();
  const { url } = await sandbox.listen();
  const env = { ...process.env, NODE_USE_ENV_PROXY: "1", http_proxy: proxy.url };
  const library = JSON.stringify(join(import.meta.dirname, "../../src/index.ts"));
  const code = `import { connectSandbox } from ${library}; const world = await connectSandbox(${JSON.stringify(url)}); console.log(world.url); await world.close();`;
  const { stdout } = await run(process.execPath, ["--input-type=module", "--eval", code], { env });
  expect(stdout).toContain(url);
  expect(proxy.asked()).toBe(0);
});

test("the message of a request that a proxy failed names the proxy", async () => {
  const proxy = await openProxy();
  const env = { ...process.env, NODE_USE_ENV_PROXY: "1", http_proxy: proxy.url };
  const failed = run(process.execPath, [MAIN, "health", "--url", "http://sandbox.example:4010"], { env });
  await expect(failed).rejects.toThrow(`through the proxy ${proxy.url.slice("http://".length)} (http_proxy;`);
});

test("this machine is added to the exemptions of an environment with a proxy", () => {
  const of = (environment: NodeJS.ProcessEnv) => {
    exemptLoopback(environment);
    return environment["no_proxy"];
  };
  expect(of({})).toBeUndefined();
  expect(of({ HTTPS_PROXY: "http://proxy:1" })).toBe("localhost,.localhost,127.0.0.1,[::1]");
  expect(of({ http_proxy: "http://proxy:1", NO_PROXY: ".corp" })).toMatch(/^\.corp,localhost,/);
  expect(of({ http_proxy: "http://proxy:1", no_proxy: "*" })).toBe("*");
});

test.each([
  ["http://127.0.0.1:4010", true],
  ["http://127.9.9.9", true],
  ["http://[::1]:4010/x", true],
  ["https://a.localhost", true],
  ["http://localhost.example", false],
  ["http://10.0.0.1", false],
])("%s leads to this machine: %s", (url, expected) => {
  expect(isLoopback(url)).toBe(expected);
});
