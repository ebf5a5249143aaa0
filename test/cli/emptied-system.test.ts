import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import type { AddressInfo } from "node:net";
import { type IncomingMessage, createServer } from "node:http";
import { folderWith } from "./scenario-files.ts";
import { json } from "node:stream/consumers";
import { once } from "node:events";
import { sandbank } from "./command.ts";

/** A partner with books that stay until they are emptied, and the names that it was sent. */
let paidOut = 0;
let isBroken = false;
/** How often it books each payout. */
let bookings = 1;
const names: string[] = [];

const server = createServer((request, response) => {
  const answer = (status: number, body: unknown): void => {
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
  };
  if (request.method === "GET") return answer(200, { paidOut: (paidOut / 100).toFixed(2) });
  if (request.url === "/reset") {
    paidOut = 0;
    return answer(isBroken ? 500 : 200, {});
  }
  void handle(request).then(() => answer(200, { returnCode: "OK" }));
});

async function handle(request: IncomingMessage): Promise<void> {
  const body = (await json(request)) as { event?: string; amount?: { value: string }; name?: string };
  if (body.name !== undefined) names.push(body.name);
  if (body.event === "ORDER-PAYOUT.PAID") paidOut += bookings * Math.round(Number(body.amount?.value) * 100);
}

let base = "";

beforeAll(async () => {
  await once(server.listen(0, "127.0.0.1"), "listening");
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.close();
  server.closeAllConnections();
});
beforeEach(() => {
  paidOut = 0;
  isBroken = false;
  names.length = 0;
});

function payouts(value: string): string {
  return `name: A payout of ${value}
start: 2026-11-23T09:00:00-03:00
probe: { url: ${base}/books, settle: PT0.02S, books: { totals: { paidOut: $.paidOut } } }
steps:
  - request: POST ${base}/members
    body: { name: "member-\${run}" }
  - call: createPayout
    body: { $use: payout.pix, amount: { currency: BRL, value: "${value}" } }
  - advance: PT1M
`;
}

function run(folder: { at(name: string): string }, ...flags: readonly string[]) {
  return sandbank("run", folder.at("."), "--receiver", `${base}/webhooks`, ...flags);
}

test("a right system with books passes two files if it is emptied before each", async () => {
  using folder = folderWith({ "a.yaml": payouts("10.00"), "b.yaml": payouts("20.00") });
  const { code, out } = await run(folder, "--reset", `${base}/reset`);
  expect([code, out]).toEqual([0, expect.stringContaining("2 passed")]);
  expect(names).toEqual(["member-r1", "member-r2"]);
});

test("the checks of the configuration file empty it too", async () => {
  using folder = folderWith({ "a.yaml": payouts("10.00"), "b.yaml": payouts("20.00") });
  using configuration = folderWith({ "config.yaml": `checks: { reset: ${base}/reset }` });
  const env = { SANDBANK_CONFIG: configuration.at("config.yaml") };
  const words = ["run", folder.at("."), "--receiver", `${base}/webhooks`];
  expect((await sandbank({ env }, ...words)).code).toBe(0);
});

test("a system that is not empty when a scenario begins is reported as that", async () => {
  using folder = folderWith({ "a.yaml": payouts("10.00") });
  paidOut = 500;
  const { code, out } = await run(folder);
  expect(code).toBe(1);
  expect(out).toContain(
    "Your system was not empty when the scenario began: books.paidOut: your system has 5.00",
  );
  expect(out).toContain("--reset URL");
});

test("a scenario fails if the system cannot be emptied", async () => {
  using folder = folderWith({ "a.yaml": payouts("10.00") });
  isBroken = true;
  const { code, out } = await run(folder, "--reset", `${base}/reset`);
  expect([code, out]).toEqual([1, expect.stringContaining("it was answered with 500")]);
});

test("a difference of the books has a code in JSON", async () => {
  using folder = folderWith({ "a.yaml": payouts("10.00") });
  isBroken = false;
  bookings = 2;
  const { code, out } = await run(folder, "--reset", `${base}/reset`, "--reporter", "json");
  bookings = 1;
  const { scenarios } = JSON.parse(out) as { scenarios: { failure?: { cause?: object } }[] };
  expect([code, scenarios[0]?.failure?.cause]).toEqual([
    1,
    { code: "books-differ", text: expect.stringMatching(/at entry \d+\.$/), evidence: [] },
  ]);
});
