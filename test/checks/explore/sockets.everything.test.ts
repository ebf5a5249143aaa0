import type { CauseCode } from "../../../src/checks/cause-texts.ts";
import { expect, test } from "vitest";
import type { AddressInfo } from "node:net";
import { BankingService } from "../../../examples/partner/banking-service.ts";
import { createServer } from "node:http";
import type { ExplorationResult } from "../../../src/checks/explore/exploration.ts";
import { type DeviationKind, nameOf } from "../../../src/checks/explore/deviations.ts";
import { explore } from "../../../src/library/explore.ts";
import { Gym } from "../../../examples/partner/gym.ts";
import type { Design } from "../../partners/choices.ts";
import { life } from "../../partners/scenarios.ts";
import { receiver as partnerReceiver } from "../../partners/receiver.ts";
import { serve } from "../../partners/served.ts";
import { once } from "node:events";
import { receiver } from "../../../examples/partner/receiver.ts";
import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";

async function tried(design: Design, options: object = {}): Promise<ExplorationResult> {
  await using system = await serve(partnerReceiver(design));
  return await explore({
    scenario: life,
    receiver: `${system.url}/webhooks`,
    probe: `${system.url}/state`,
    reset: () => fetch(`${system.url}/reset`, { method: "POST" }),
    settleMs: 10,
    depth: 1,
    repeat: 1,
    beyondRetries: true,
    ...options,
  });
}

test.concurrent.each<[Design, DeviationKind, CauseCode]>([
  [{ recognition: "none" }, "twice", "handled-twice"],
  [{ concurrency: "none" }, "twice-at-once", "race-of-copies"],
  [{ copies: "never answered" }, "answer-lost", "no-answer"],
])(
  "over a socket, a receiver with %o is found by %s of its first event",
  async (design, kind, cause) => {
    // Each attempt waits for its time-out, so one event is enough.
    const isOneEvent = design.copies === "never answered";
    const { divergences } = await tried(design, {
      only: [kind],
      ...(isOneEvent && { scenario: { ...life, steps: life.steps.slice(0, 2) } }),
    });
    const [first] = divergences;
    expect([nameOf(first?.deviations ?? []), first?.cause.code]).toEqual([`${kind}-1`, cause]);
  },
  120_000,
);

test.concurrent.each<[Design, string[]]>([
  [{}, []],
  [{ speed: "50 ms" }, []],
  [{ records: "times of arrivals" }, ["$.log"]],
])(
  "over a socket, a receiver with %o converges",
  async (design, ignore) => {
    const result = await tried(design, { ignore });
    expect(result.report).toMatch(/^✓/);
    expect(result.schedules.tried).toBe(result.schedules.total);
  },
  120_000,
);

test.concurrent.each([
  ["works on a copy for a moment after its answer", 100, "converges"],
  ["never ends its work on a copy", 60_000, "diverges"],
] as const)(
  "one that has done its work at its answer is waited for less, and longer where it %s",
  async (_, workMs, verdict) => {
    const handled = new Set<string>();
    let open = 0;
    const server = createServer((request, response) => {
      if (request.method === "GET") return void response.end(JSON.stringify({ handled: handled.size, open }));
      void (async () => {
        const body = await text(request);
        if (handled.has(body)) {
          open += 1;
          setTimeout(() => (open -= 1), workMs).unref();
        }
        handled.add(body);
        response.end("{}");
      })().catch(() => response.destroy());
    });
    await once(server.listen(0, "127.0.0.1"), "listening");
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const explored = await explore({
      scenario: life,
      receiver: url,
      probe: url,
      reset: () => {
        handled.clear();
        open = 0;
      },
      depth: 1,
      only: ["late", "twice"],
      beyondRetries: true,
    });
    server.close();
    server.closeAllConnections();
    expect([explored.reason, explored.verdict]).toEqual([undefined, verdict]);
  },
  120_000,
);

test("a receiver whose process ends is reported, and nothing else is tried", async () => {
  const program = `
    const seen = new Set();
    require("node:http").createServer((request, response) => {
      let text = "";
      request.on("data", (chunk) => (text += chunk)).on("end", () => {
        if (request.url === "/state") return response.end(JSON.stringify({ up: true }));
        if (seen.has(text)) process.exit(1);
        seen.add(text);
        response.end("{}");
      });
    }).listen(0, "127.0.0.1", function () { console.log(this.address().port); });`;
  const child = spawn(process.execPath, ["-e", program], { stdio: ["ignore", "pipe", "inherit"] });
  const [port] = (await once(child.stdout, "data")) as [Buffer];
  const url = `http://127.0.0.1:${String(port).trim()}`;
  const result = await explore({
    scenario: life,
    receiver: `${url}/webhooks`,
    probe: `${url}/state`,
    settleMs: 10,
    depth: 1,
    only: ["twice"],
  });
  expect(result.divergences[0]?.differences[0]).toMatchObject({ path: "receiver" });
  expect(result.divergences[0]?.cause.code).toBe("process-ended");
  expect(result.schedules.tried).toBe(1);
  expect(result.notes.join(" ")).toMatch(/gone after twice-1, so the other schedules were not tried/);
}, 60_000);

test.concurrent(
  "the receiver of the example for partners converges over a depth of 2",
  async () => {
    const bank = new BankingService({ baseUrl: "http://127.0.0.1:1", token: "none" });
    const made = (): Gym =>
      new Gym({ bank, accountId: "11111111-1111-4111-8111-111111111111", webhookUrl: "http://127.0.0.1:1" });
    let gym = made();
    const server = createServer((request, response) =>
      receiver(gym, "acme-webhook-secret")(request, response),
    );
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const result = await explore({
      scenario: "scenarios/explore/subscription-life.yaml",
      receiver: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
      probe: () => gym.books,
      reset: () => {
        gym = made();
      },
      settleMs: 1,
      budget: 150,
      // It handles an event in one turn of the event loop.
      repeat: 1,
    });
    server.close();
    server.closeAllConnections();
    expect(result.divergences.map(({ title, differences }) => [title, differences])).toEqual([]);
    expect(result.verdict).toBe("converges");
  },
  300_000,
);
