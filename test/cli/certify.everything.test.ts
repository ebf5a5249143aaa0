import { atFreePort } from "../at-free-port.ts";
import { writeFileSync } from "node:fs";
import { certify, folder } from "./certified.ts";
import { expect, test } from "vitest";
import { buggyReceiver, SECRET } from "../partners/buggy-receiver.ts";
import { createSandbox } from "../../src/library/sandbox.ts";
import { BankingService } from "../../examples/partner/banking-service.ts";
import { createServer } from "node:http";
import { Gym } from "../../examples/partner/gym.ts";
import { life } from "../partners/scenarios.ts";
import { receiver } from "../../examples/partner/receiver.ts";
import { stringify } from "yaml";
import { join } from "node:path";

const TIMEOUT_MS = 240_000;

const SCENARIO = `name: A payer accepts
steps:
  - call: createSubscription
    body: { $use: subscription.monthly }
    save: sub
  - act: subscription.accept
    on: \${sub.id}
  - expect: { webhooks: [{ event: SUBSCRIPTION.ACCEPTED }] }
`;

test(
  "a good integration passes, in one page without outside references that says how to repeat it",
  { timeout: TIMEOUT_MS },
  async (context) => {
    const out = folder(context);
    await using receiver = await buggyReceiver();
    await using sandbox = await createSandbox({ assumptions: { "refund.delay": "PT1M" } });
    await sandbox.fetch("/order/v1/banking/accounts", { headers: { authorization: "Bearer acme-token" } });
    await sandbox.fetch("/order/v1/banking/accounts", { headers: { authorization: "Bearer nobody" } });
    const { url } = await sandbox.listen();
    writeFileSync(join(out, "accepted.yaml"), SCENARIO);
    const where = ["--receiver", receiver.url, "--probe", receiver.probeUrl, "--target", url];
    const { code, page, certificate } = await certify(out, ...where, "--scenarios", out, "--seed", "5");
    expect(certificate.parts.map(({ name, verdict }) => `${name} ${verdict}`)).toEqual([
      "receiver passed",
      "scenarios passed",
      "client passed",
    ]);
    expect({ code, verdict: certificate.verdict, seed: certificate.seed }).toEqual({
      code: 0,
      verdict: "passed",
      seed: 5,
    });
    expect(certificate.assumptions).toEqual({ "refund.delay": "PT1M" });
    expect(certificate.missing).toContain("The client never called createPayout.");
    expect(certificate.missing).not.toContain("The client never called listAccounts.");
    expect(certificate.repeat[1]).toBe(
      `sandbank receiver check ${receiver.url} --probe ${receiver.probeUrl} --settle 5 --seed 5`,
    );
    expect(certificate.digest).toMatch(/^[0-9a-f]{64}$/);
    expect(page).toContain("The integration has passed");
    expect(page).toContain(certificate.digest);
    expect(page).not.toMatch(/<script|<link|<img|src=|href=|@import|url\(/);
    expect(page + JSON.stringify(certificate)).not.toContain(SECRET);
  },
);

/** What the gym is about. Each kind of object costs as much again, and a receiver of all kinds is checked above. */
const ABOUT = ["--capabilities", "subscriptions"];

/** The receiver of the example for partners, with a secret of its own; with the bug, the last event to arrive wins. */
async function serveGym({ hasBug }: { readonly hasBug: boolean }) {
  const bank = new BankingService({ baseUrl: "http://127.0.0.1:1", token: "none" });
  const open = (): Gym => new Gym({ bank, accountId: "", webhookUrl: "" });
  const openForgetful = (): Pick<Gym, "hear" | "books"> => {
    const books: Record<string, string> = {};
    return {
      books,
      hear: ({ id, status, name }) => {
        books[id] = `${name} ${status}`;
        return "processed";
      },
    };
  };
  let gym = hasBug ? openForgetful() : open();
  const server = createServer((request, response) => {
    if (request.url === "/books") return void response.end(JSON.stringify(gym.books));
    if (request.url !== "/reset") return receiver(gym as Gym, SECRET)(request, response);
    gym = hasBug ? openForgetful() : open();
    response.end("{}");
  });
  return atFreePort(server);
}

test.for([
  { hasBug: false, verdict: "passed", reasons: [] },
  {
    hasBug: true,
    verdict: "failed",
    reasons: [
      expect.stringMatching(
        /ACCEPTED came twice, the second time after .*: .* differs\. The last arrival wins: an older event/,
      ),
    ],
  },
])(
  "what was explored is a part of the proof, for a receiver with a secret of its own: $verdict",
  { timeout: TIMEOUT_MS },
  async ({ verdict, reasons, ...bug }, context) => {
    const out = folder(context);
    await using gym = await serveGym(bug);
    const file = join(out, "month.yaml");
    const probe = { url: `${gym.url}/books`, settle: "PT0.005S" };
    // Without the cancellation: four events.
    writeFileSync(file, stringify({ ...life, probe, steps: life.steps.slice(0, 4) }));
    const { certificate, page, err } = await certify(
      out,
      "--receiver",
      `${gym.url}/webhooks`,
      "--probe",
      `${gym.url}/books`,
      "--reset",
      `${gym.url}/reset`,
      ...ABOUT,
      "--explore",
      file,
      "--depth",
      "1",
    );
    const explored = certificate.parts.find(({ name }) => name === "explore");
    expect(explored).toMatchObject({ of: file, verdict });
    expect(explored?.reasons.slice(0, 1)).toEqual(reasons);
    expect(page).toContain(explored?.summary);
    expect(err).toContain(`--reset ${gym.url}/reset`);
    expect(certificate.repeat[0]).toContain(`--explore ${file} --reset ${gym.url}/reset`);
  },
);

test("a receiver that handles duplicates again fails the proof", { timeout: TIMEOUT_MS }, async (context) => {
  const out = folder(context);
  await using receiver = await buggyReceiver({ dedup: "none" });
  const { code, certificate, page } = await certify(
    out,
    "--receiver",
    receiver.url,
    "--probe",
    receiver.probeUrl,
  );
  expect({ code, verdict: certificate.verdict }).toEqual({ code: 1, verdict: "failed" });
  expect(certificate.parts[0]?.reasons.join(" ")).toContain("I1 Handles a duplicate once");
  expect(page).toContain("The integration has failed");
  expect(page).toContain("failed for orders, subscriptions, charges, canceled charges, payouts");
  expect(page).toMatch(/<details><summary>\d+ passed<\/summary>/);
});

test(
  "what could not be decided was not judged: exit 2, and passed is said nowhere",
  { timeout: TIMEOUT_MS },
  async (context) => {
    const out = folder(context);
    await using receiver = await buggyReceiver();
    await using sandbox = await createSandbox();
    const { url } = await sandbox.listen();
    const { code, err, certificate, page } = await certify(out, "--receiver", receiver.url, "--target", url);
    expect({ code, verdict: certificate.verdict }).toEqual({ code: 2, verdict: "not-judged" });
    expect(certificate.parts.map(({ verdict }) => verdict)).toEqual(["not-judged", "not-judged"]);
    expect(err).toContain("receiver not decided: S13 A rejected event has no effect: ");
    expect(err).toContain(`client not decided: The request log of ${url} is empty`);
    expect(page).toContain("not been judged");
    expect(page).not.toContain("The integration has passed");
  },
);

test(
  "what the tests live on is a part of the proof, and what they do not notice is missing",
  async (context) => {
    const out = folder(context);
    const suite = join(out, "suite.mjs");
    const library = new URL("../../src/index.ts", import.meta.url).href;
    writeFileSync(
      suite,
      `const { createSandbox } = await import("${library}");
       await using sandbox = await createSandbox({ start: "2026-11-20T09:00:00-03:00" });
       const { data } = await sandbox.call("listAccounts", {}).catch(() => ({ data: [] }));
       if (data.some((account) => "extension" in account)) throw new TypeError("unknown field");`,
    );
    const { code, certificate, page } = await certify(out, "--doubt", `${process.execPath} ${suite}`);
    expect(code).toBe(1);
    expect(certificate.parts).toMatchObject([
      {
        name: "doubt",
        verdict: "failed",
        reasons: ["freedoms.unknown-fields = true instead of false: the tests failed."],
      },
    ]);
    expect(certificate.missing).toContainEqual(
      expect.stringContaining("The tests do not notice: listAccounts always fails with 500."),
    );
    expect(page).toContain("SANDBANK_MUTANT=freedoms.unknown-fields=true");
  },
  TIMEOUT_MS,
);
