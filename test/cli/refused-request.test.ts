import { afterAll, beforeAll, expect, test } from "vitest";
import type { AddressInfo } from "node:net";
import { createServer } from "node:http";
import { folderWith } from "./scenario-files.ts";
import { freePort } from "../free-port.ts";
import { once } from "node:events";
import { sandbank } from "./command.ts";

const CHARGE = { externalId: "charge-1", dueDate: "2020-01-01", amount: { currency: "BRL", value: "1" } };

let port = 0;
/** A partner that passes a refusal of the platform on as a failure of its own. */
const server = createServer((request, response) => {
  const id = request.url?.split("/").at(-1) ?? "";
  fetch(`http://127.0.0.1:${port}/public/v1/banking/subscriptions/${id}/payments`, {
    method: "PUT",
    headers: { authorization: "Bearer acme-token", "content-type": "application/json" },
    body: JSON.stringify(CHARGE),
  }).then(
    ({ status }) => response.writeHead(status < 400 ? 200 : 502).end("{}"),
    () => response.writeHead(500).end("{}"),
  );
});
let base = "";

beforeAll(async () => {
  port = await freePort();
  await once(server.listen(0, "127.0.0.1"), "listening");
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.close();
  server.closeAllConnections();
});

function scenario(start: string): string {
  return `name: A charge
start: ${start}
steps:
  - call: createSubscription
    body: { $use: subscription.monthly }
    save: sub
  - act: subscription.accept
    on: \${sub.id}
  - request: POST ${base}/charges/\${sub.id}
`;
}

async function run(start: string, ...flags: readonly string[]) {
  using folder = folderWith({ "charge.yaml": scenario(start) });
  return await sandbank("run", folder.at("charge.yaml"), "--port", String(port), ...flags);
}

test("a failed request shows the whole refusals of the calls that the partner made", async () => {
  const { code, out } = await run("2026-11-23T09:00:00-03:00");
  expect(code).toBe(1);
  expect(out).toContain("The platform refused calls of your system:");
  expect(out).toMatch(/PUT \/public\/v1\/banking\/subscriptions\/[\w-]+\/payments was answered with 400:/);
  expect(out).toContain('"field": "dueDate"');
  const json = await run("2026-11-23T09:00:00-03:00", "--reporter", "json");
  const { scenarios } = JSON.parse(json.out) as {
    scenarios: { failure: { refused: { status: number }[] } }[];
  };
  expect(scenarios[0]?.failure.refused).toMatchObject([
    { status: 400, answer: { error: "INVALID_REQUEST" } },
  ]);
});

test("a refusal of dates says that the system lives on another day than the sandbox", async () => {
  const { out } = await run("2016-11-23T09:00:00-03:00");
  expect(out).toMatch(
    /The sandbox's date is 2016-11-23, and the date of this machine is 20\d\d-\d\d-\d\d\. Write `start: now`/,
  );
  expect((await run("now")).out).not.toContain("the date of this machine");
});
