import type { AddressInfo } from "node:net";
import { createHmac } from "node:crypto";
import { createServer } from "node:http";
import { execFile } from "node:child_process";
import { expect, test } from "vitest";
import { once } from "node:events";
import { promisify } from "node:util";
import { BankingService } from "./banking-service.ts";
import { Gym } from "./gym.ts";
import { isSigned } from "./signature.ts";
import { receiver } from "./receiver.ts";

const SECRET = "acme-webhook-secret";
const TIMEOUT_MS = 120_000;

/** The command `npx sandbank` of a project. */
const SANDBANK = process.env["SANDBANK"]?.split(" ") ?? [process.execPath, "src/cli/main.ts"];

async function openReceiver() {
  const gym = new Gym({
    bank: new BankingService({ baseUrl: "http://unused.example", token: "" }),
    accountId: "",
    webhookUrl: "",
  });
  const webhooks = receiver(gym, SECRET);
  const server = createServer((request, response) => {
    if (request.url === "/books") response.end(JSON.stringify(gym.books));
    else webhooks(request, response);
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    origin,
    [Symbol.asyncDispose]: async () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

test(
  "the receiver passes every check of sandbank",
  async () => {
    await using opened = await openReceiver();
    const [node = "", ...script] = SANDBANK;
    const check = ["receiver", "check", `${opened.origin}/webhooks`, "--secret", SECRET, "--level", "should"];
    const { stdout } = await promisify(execFile)(node, [
      ...script,
      ...check,
      "--probe",
      `${opened.origin}/books`,
    ]);
    expect(stdout).toMatch(/\d+ pass/);
    expect(stdout).not.toMatch(/\d+ (fail|warn)/);
  },
  TIMEOUT_MS,
);

test("only the signature of these bytes with this secret is accepted", () => {
  const body = Buffer.from('{"event":"ORDER-PAYOUT.PAID"}');
  const header = `sha256=${createHmac("sha256", SECRET).update(body).digest("hex")}`;
  expect(isSigned(body, header, SECRET)).toBe(true);
  expect(isSigned(Buffer.from(`${body.toString()} `), header, SECRET)).toBe(false);
  expect(isSigned(body, header, "another-secret")).toBe(false);
  for (const wrong of [
    undefined,
    "",
    "sha256=",
    header.slice(0, -1),
    header.slice("sha256=".length),
    `${header}0`,
  ])
    expect(isSigned(body, wrong, SECRET)).toBe(false);
  const empty = `sha256=${createHmac("sha256", "").update(body).digest("hex")}`;
  expect(isSigned(body, empty, "")).toBe(false);
});
