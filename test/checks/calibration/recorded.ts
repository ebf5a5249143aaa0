import type { HarEntry } from "../../../src/traffic/har.ts";
import type { Scenario } from "../../../src/scenarios/scenario.ts";
import type { ScenarioResult } from "../../../src/scenarios/result.ts";
import { durationMs } from "../../../src/simulator/engine/instant.ts";
import { buffer } from "node:stream/consumers";
import { createSandbox } from "../../../src/library/sandbox.ts";
import { createServer } from "node:http";
import { expect } from "vitest";
import { join } from "node:path";
import { loadFixtures } from "../../../src/server/access/fixture-files.ts";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { once } from "node:events";
import { openRecording } from "../../../src/checks/calibration/recording.ts";
import { runScenario } from "../../../src/scenarios/run.ts";
import { setTimeout as pause } from "node:timers/promises";
import { tmpdir } from "node:os";
import { type OpenWorld, tokensOf } from "../../../src/scenarios/world.ts";

/**
 * Runs a story against a sandbox on a socket, behind a recorder in both directions, as a partner would. The clock of
 * the platform runs and is never moved: where the story advances it, that time passes.
 */
export async function recordedTrafficOf(
  scenario: Scenario,
  assumptions: Readonly<Record<string, unknown>>,
): Promise<{ readonly result: ScenarioResult; readonly entries: readonly HarEntry[] }> {
  const folder = mkdtempSync(join(tmpdir(), "sandbank-recorded-"));
  const out = join(folder, "session.har");
  const { start: _start, ...story } = scenario;
  const result = await runScenario(
    { ...story, assumptions: { ...story.assumptions, ...assumptions } },
    { openWorld: recordedWorld(out) },
  );
  const { log } = JSON.parse(readFileSync(out, "utf8")) as { log: { entries: HarEntry[] } };
  rmSync(folder, { recursive: true });
  return { result, entries: log.entries };
}

const recordedWorld =
  (out: string): OpenWorld =>
  async ({ receiver, seed, assumptions }) => {
    const server = createServer((request, response) => {
      void (async () => {
        const body = String(await buffer(request));
        const answer = await receiver.receive({ url: request.url ?? "/", headers: {}, body });
        if (!("error" in answer)) response.writeHead(answer.status, answer.headers).end(answer.body);
        // A timeout is no answer: the platform gives up waiting.
        else if (answer.error !== "timeout") request.socket.destroy();
      })();
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as { port: number };
    const sandbox = await createSandbox({
      mode: "running",
      ...(seed !== undefined && { seed }),
      ...(assumptions && { assumptions }),
    });
    const { companies } = loadFixtures();
    const { url: upstream } = await sandbox.listen({ port: 0 });
    const recording = await openRecording({
      upstream,
      port: 0,
      webhooksTo: `http://127.0.0.1:${port}`,
      webhookPort: 0,
      out,
      isRedacted: true,
      secrets: companies.map(({ webhook }) => webhook.secret),
      version: "1",
      onWriteFailure: (error) => expect.unreachable(error.message),
    });
    const control = (path: string, init?: RequestInit): Promise<Response> => fetch(upstream + path, init);
    await control("/sandbox/settings", {
      method: "PATCH",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ webhookUrl: `${recording.webhookUrl}/webhooks` }),
    });
    return {
      fetch: async (path, init) => {
        if (!path.startsWith("/sandbox/")) return fetch(recording.url + path, init);
        if (path !== "/sandbox/clock/advance") return control(path, init);
        const { by = "PT0S" } = JSON.parse(init?.body as string) as { by?: string };
        await pause(durationMs(by));
        return control(path, { ...init, body: '{"by":"PT0S"}' });
      },
      tokens: tokensOf(companies),
      receiver,
      [Symbol.asyncDispose]: async () => {
        await recording.close();
        await sandbox.close();
        server.close();
        server.closeAllConnections();
      },
    };
  };
