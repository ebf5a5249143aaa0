import { afterEach, expect, test, vi } from "vitest";
import { freePort } from "../free-port.ts";
import { localWorlds } from "../../src/scenarios/world.ts";
import { openSandbox } from "../../src/library/sandbox.ts";
import { ScriptedReceiver } from "../../src/scenarios/receiver.ts";
import { reachable } from "../../src/base/own-address.ts";

afterEach(() => void vi.unstubAllEnvs());

test.each([
  ["http://0.0.0.0:4010", "http://127.0.0.1:4010"],
  ["http://[::]:4010", "http://127.0.0.1:4010"],
  ["http://127.0.0.1:4010", "http://127.0.0.1:4010"],
  ["http://192.0.2.1:80", "http://192.0.2.1:80"],
])("a server at %s is shown at %s", (url, shown) => {
  expect(reachable(url)).toBe(shown);
});

test.runIf(process.platform === "linux")(
  "a sandbox for a system in a container listens at the address of SANDBANK_HOST",
  async () => {
    const port = await freePort();
    const urls: string[] = [];
    const partner = {
      listening: (url: string) => void urls.push(url),
      start: async () => undefined,
      kill: async () => undefined,
    };
    const status = async (): Promise<number> => {
      await using _ = await localWorlds(openSandbox, { port, partner })({ receiver: new ScriptedReceiver() });
      return await fetch(`http://127.0.0.2:${port}/sandbox/health`).then(
        (answer) => answer.status,
        () => 0,
      );
    };
    expect(await status()).toBe(0);
    vi.stubEnv("SANDBANK_HOST", "0.0.0.0");
    expect(await status()).toBe(200);
    expect(urls).toEqual([`http://127.0.0.1:${port}`, `http://127.0.0.1:${port}`]);
  },
);
