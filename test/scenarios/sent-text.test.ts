import { type IncomingMessage, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { mkdirSync, writeFileSync } from "node:fs";
import { expect, onTestFinished, test } from "vitest";
import fc from "fast-check";
import { once } from "node:events";
import { folderWith } from "../cli/scenario-files.ts";
import { formatMistake } from "../../src/base/yaml-file.ts";
import { openCounterWorld } from "./counter-service.ts";
import { parseScenario } from "../../src/scenarios/parse.ts";
import { runScenario } from "../../src/scenarios/run.ts";
import { scenarioContext } from "../../src/scenarios/context.ts";

/** Starts a server that keeps the requests. */
async function keepingServer() {
  const seen: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    seen.push(request);
    request.resume();
    response.end("{}");
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { seen, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

/** Words that YAML does not read as text, or that numbers are written like. */
const plainWords = fc.oneof(
  fc.stringMatching(/^[0-9]{1,25}$/),
  fc.stringMatching(/^[-+.0-9][0-9a-fxoe_.:+-]{0,12}$/),
  fc.constantFrom(
    "TRUE",
    "True",
    "yes",
    "on",
    "~",
    "null",
    ".inf",
    "-.INF",
    ".nan",
    "0x1F",
    "0o17",
    "2026-11-20",
  ),
);

/** A text as it is written in a file. In quotes it can be any text. */
const written = fc.oneof(
  plainWords.map((text) => ({ text, yaml: text })),
  fc.oneof(fc.string({ unit: "binary" }), fc.string()).map((text) => ({ text, yaml: JSON.stringify(text) })),
);

test("any text in a key, a header, the query or the path arrives unchanged, or the file is refused", async () => {
  const { seen, url } = await keepingServer();
  let arrived = 0;
  await fc.assert(
    fc.asyncProperty(
      written,
      fc.constantFrom("key", "header", "query", "path", "request"),
      async (one, part) => {
        fc.pre(!one.text.includes("${"));
        const step = {
          key: `call: POST /a\n    key: ${one.yaml}`,
          header: `call: POST /a\n    headers: { x-text: ${one.yaml} }`,
          query: `call: GET /a\n    query: { text: ${one.yaml} }`,
          path: `call: GET /a/{text}\n    path: { text: ${one.yaml} }`,
          request: `request: GET ${url}/a\n    headers: { x-text: ${one.yaml} }`,
        }[part];
        const { scenarios } = parseScenario(`name: n\nsteps:\n  - ${step}\n`, "a.yaml", { bodies: {} });
        const [scenario] = scenarios;
        const isUsual =
          /^"(?:[!#-[\]-~](?:[ -!#-[\]-~]*[!#-[\]-~])?)"$/.test(one.yaml) && !/^\.\.?$/.test(one.text);
        expect(isUsual && scenario === undefined).toBe(false);
        if (scenario === undefined) return;
        seen.length = 0;
        await runScenario(scenario, {
          settleMs: 0,
          openWorld: (options) =>
            Promise.resolve({ ...openCounterWorld(options), fetch: (path, init) => fetch(url + path, init) }),
        });
        // A run asks the sandbox about the calls of the system before its first request.
        const request = seen.find(({ url = "" }) => part !== "request" || !url.startsWith("/sandbox/"));
        const asked = new URL(request?.url ?? "/", url);
        const sent = {
          key: request?.headers["idempotency-key"],
          header: request?.headers["x-text"],
          request: request?.headers["x-text"],
          query: asked.searchParams.get("text"),
          path: decodeURIComponent(asked.pathname.replace("/a/", "")),
        }[part];
        // A key of null is no key.
        const isNoKey = part === "key" && /^(?:~|null)$/.test(one.yaml);
        expect(sent).toBe(isNoKey ? undefined : one.text);
        arrived += 1;
      },
    ),
    { numRuns: 400 },
  );
  expect(arrived).toBeGreaterThan(100);
});

test("a text that is known only in the run fails its step if it cannot be sent", async () => {
  const { scenarios } = parseScenario(
    'name: n\nmatrix: { id: [".."] }\nsteps:\n  - call: GET /a/{id}\n    path: { id: "${matrix.id}" }\n',
    "a.yaml",
    { bodies: {} },
  );
  expect(scenarios).toEqual([]);
  const saved =
    'name: n\nsteps:\n  - call: POST /counters\n    body: { name: gym }\n    save: c\n  - call: GET /a\n    headers: { x-a: " ${c.id}" }\n';
  const { scenarios: read } = parseScenario(saved, "a.yaml", { bodies: {} });
  const result = await runScenario(read[0] as never, {
    openWorld: (options) => Promise.resolve(openCounterWorld(options)),
  });
  expect(result.failure?.message).toContain('`x-a` is " gym-');
});

test("a body of the own fixtures that would be sent with another number is refused with its place", () => {
  using folder = folderWith({});
  mkdirSync(folder.at("own"));
  writeFileSync(folder.at("own/bodies.yaml"), "payout:\n  long: { externalId: 12345678901234567890 }\n");
  const text = "name: n\nfixtures: own\nsteps:\n  - call: createPayout\n    body: { $use: payout.pix }\n";
  const { mistakes } = parseScenario(text, folder.at("a.yaml"), scenarioContext());
  expect(mistakes.map(formatMistake)).toEqual([
    expect.stringContaining("bodies.yaml:2:23: `12345678901234567890` would be sent as"),
  ]);
});
