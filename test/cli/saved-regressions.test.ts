import { type IncomingMessage, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { readFileSync } from "node:fs";
import { expect, onTestFinished, test } from "vitest";
import { once } from "node:events";
import { folderWith } from "./scenario-files.ts";
import { freePort } from "../free-port.ts";
import { sandbank } from "./command.ts";

/** A system that orders a charge once, and stores whether the platform took it. */
async function impatientSystem(platform: string): Promise<string> {
  let state: Record<string, unknown> = {};
  const body = async (request: IncomingMessage): Promise<string> => String(await buffer(request));
  const server = createServer((request, response) => {
    void (async () => {
      if (request.method === "GET") return response.end(JSON.stringify(state));
      const id = await body(request);
      state = {};
      if (request.url === "/reset") return response.end("{}");
      const answer = await fetch(`${platform}/public/v1/banking/subscriptions/${id}/payments`, {
        method: "PUT",
        headers: { authorization: "Bearer acme-token" },
        body: JSON.stringify({
          externalId: "c-1",
          dueDate: "2026-11-23",
          amount: { currency: "BRL", value: "59.90" },
        }),
      });
      await answer.text();
      state = { ordered: answer.ok };
      return response.end("{}");
    })();
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function regression(system: string, deviation: string): string {
  return `name: A charge is ordered once
start: 2026-11-20T09:00:00-03:00
probe: { url: "${system}/state", settle: PT0.05S }
deviations:
  - ${deviation}
steps:
  - request: POST ${system}/reset
  - call: createSubscription
    body: { $use: subscription.monthly }
    save: sub
  - act: subscription.accept
    on: "\${sub.id}"
  - request: POST ${system}/charge
    body: "\${sub.id}"
`;
}

test("run plays deviations of calls without a receiver, and they fail", async () => {
  const port = await freePort();
  const system = await impatientSystem(`http://127.0.0.1:${port}`);
  using folder = folderWith({ "saved.yaml": regression(system, "{ call: 2, kind: call-refused }") });
  const har = folder.at("traffic.har");
  const flags = ["--port", String(port), "--har", har];
  const { code, out } = await sandbank("run", folder.at("saved.yaml"), ...flags);
  expect(out).toContain("createScheduledPayment (call 2) was answered with 503");
  expect(out).toContain("1 failed.");
  expect(code).toBe(1);
  const { log } = JSON.parse(readFileSync(har, "utf8")) as { log: { entries: { _world: string }[] } };
  const worlds = new Set(log.entries.map(({ _world }) => _world.replace(/^.*\(/, "(")));
  expect(Array.from(worlds).slice(0, 1)).toEqual(["(run 1, without deviations)"]);
  expect(Array.from(worlds)).toContainEqual(expect.stringMatching(/^\(run \d, call-refused-2\)$/));
});

test("a run that judged nothing ends with 2 and its reasons", async () => {
  using folder = folderWith({
    "saved.yaml": regression("http://127.0.0.1:1", "{ event: 1, kind: twice }"),
    "good.yaml": "name: n\nsteps:\n  - call: listAccounts\n",
  });
  const skipped = await sandbank("run", folder.at("saved.yaml"));
  expect(skipped.out).toContain("1 skipped.");
  expect(skipped.err).toContain(
    "Nothing was judged.\nA charge is ordered once skipped: It has deviations of webhooks. Name your receiver with --receiver.\n",
  );
  expect(skipped.code).toBe(2);
  expect((await sandbank("run", folder.at("saved.yaml"), folder.at("good.yaml"))).code).toBe(0);
});
