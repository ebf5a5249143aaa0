import type { Certificate } from "../../src/checks/certification/certificate.ts";
import { readFileSync, writeFileSync } from "node:fs";
import { certify, folder } from "./certified.ts";
import { expect, onTestFinished, test } from "vitest";
import { buggyReceiver, SECRET } from "../checks/receiver/buggy-receiver.ts";
import { createSandbox } from "../../src/library/sandbox.ts";
import { BankingService } from "../../examples/partner/banking-service.ts";
import { createServer } from "node:http";
import { Gym } from "../../examples/partner/gym.ts";
import { life } from "../checks/explore/zoo.ts";
import { once } from "node:events";
import { receiver } from "../../examples/partner/receiver.ts";
import { spawn } from "node:child_process";
import { stringify } from "yaml";
import type { AddressInfo } from "node:net";
import { freePort } from "../free-port.ts";
import { join, resolve } from "node:path";

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
  async () => {
    const out = folder();
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
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    [Symbol.asyncDispose]: async () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

test.each([
  [{ hasBug: false }, "passed", []],
  [
    { hasBug: true },
    "failed",
    [
      expect.stringMatching(
        /ACCEPTED came twice, the second time after .*: .* differs\. An old event overwrites a newer state/,
      ),
    ],
  ],
])(
  "what was explored is a part of the proof, for a receiver with a secret of its own: %j %s",
  { timeout: TIMEOUT_MS },
  async (bug, verdict, reasons) => {
    const out = folder();
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

test("a receiver that handles duplicates again fails the proof", { timeout: TIMEOUT_MS }, async () => {
  const out = folder();
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
  async () => {
    const out = folder();
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

/** A day of the example for partners on ports of this test, and the flags by which sandbank starts the gym itself. */
async function day(out: string, { keeps = true }: { readonly keeps?: boolean } = {}) {
  const [gymPort, port] = [await freePort(), await freePort()];
  const url = `http://127.0.0.1:${gymPort}`;
  const file = join(out, "day.yaml");
  writeFileSync(
    file,
    readFileSync("examples/partner/day.yaml", "utf8").replaceAll("http://127.0.0.1:4020", url),
  );
  const data = keeps ? `DATA_FILE='${join(out, "gym.data")}' ` : "";
  const program = `'${process.execPath}' '${resolve("examples/partner/main.ts")}'`;
  const command = `PORT=${gymPort} WEBHOOK_SECRET=${SECRET} ${data}${program}`;
  const named = ["--receiver", `${url}/webhooks`, "--probe", `${url}/books`, "--reset", `${url}/reset`];
  return {
    port,
    bankUrl: `http://127.0.0.1:${port}`,
    flags: [...named, ...ABOUT, "--explore", file],
    started: ["--partner", command, "--partner-ready", `${url}/books`],
    command,
  };
}

interface Checked {
  readonly checks: readonly {
    readonly id: string;
    readonly verdict: string;
    readonly cause: { readonly code: string; readonly text: string } | null;
  }[];
}

const keepsAcknowledged = ({ parts }: Certificate) =>
  (parts[0]?.report as Checked | undefined)?.checks.find(({ id }) => id === "T6");

test(
  "a system that sandbank starts is killed, in the checks of its receiver and in explorations",
  { timeout: TIMEOUT_MS },
  async () => {
    const out = folder();
    const { flags, started } = await day(out);
    const more = ["--depth", "1", "--budget", "16", "--scenarios", out];
    const { code, certificate } = await certify(out, ...flags, ...started, ...more);
    expect(keepsAcknowledged(certificate)).toMatchObject({ verdict: "pass" });
    // The budget ends before each single deviation was tried.
    expect(certificate.parts.map(({ name, verdict }) => [name, verdict])).toEqual([
      ["receiver", "passed"],
      ["explore", "not-judged"],
      ["scenarios", "passed"],
      ["books", "passed"],
    ]);
    expect(certificate.parts[1]?.reasons).toEqual([
      expect.stringContaining("because the budget of 16 schedules was used up"),
    ]);
    const { report } = certificate.parts[1] ?? {};
    const { cells } = report as { cells: { kind: string; result: string }[] };
    expect(cells.filter(({ kind, result }) => kind.startsWith("killed") && result === "ok")).not.toEqual([]);
    expect([code, certificate.repeat.join("\n")]).toEqual([
      2,
      expect.stringMatching(/certify .*--partner 'PORT=/),
    ]);
  },
);

test("one that keeps in memory what it has acknowledged fails", { timeout: TIMEOUT_MS }, async () => {
  const out = folder();
  const { flags, started } = await day(out, { keeps: false });
  const { code, certificate } = await certify(out, ...flags, ...started, "--depth", "1", "--budget", "14");
  expect(keepsAcknowledged(certificate)).toMatchObject({
    verdict: "fail",
    cause: {
      code: "T6",
      text: expect.stringMatching(/^The state of your system was only in the memory/) as string,
    },
  });
  const [, explored] = certificate.parts;
  expect([code, explored?.verdict, explored?.reasons.join(" ")]).toEqual([
    1,
    "failed",
    expect.stringMatching(/Your process was killed /),
  ]);
});

test(
  "a system that calls the sandbox is explored within its limits, and not judged where it finds none",
  { timeout: TIMEOUT_MS },
  async () => {
    const out = folder();
    const { flags, command, port, bankUrl } = await day(out);
    const gym = spawn(command, {
      shell: "/bin/bash",
      env: { ...process.env, BANK_URL: bankUrl },
      detached: true,
    });
    onTestFinished(() => void process.kill(-(gym.pid ?? 0)));
    await once(gym.stdout, "data");
    const limits = ["--depth", "1", "--budget", "5", "--time", "PT1M"];
    const reached = await certify(out, ...flags, "--port", String(port), ...limits);
    const [, explored] = reached.certificate.parts;
    expect([explored?.verdict, explored?.summary]).toEqual(["not-judged", "5 schedules tried, 0 diverged."]);
    expect(explored?.report).toMatchObject({ depth: 1, schedules: { tried: 5 } });
    expect(reached.certificate.repeat[0]).toContain(`--port ${port} --depth 1 --budget 5 --time PT1M`);
    // Process kills need --partner: whether it stores first cannot be told.
    expect(keepsAcknowledged(reached.certificate)).toMatchObject({
      verdict: "skipped",
      cause: { text: expect.stringContaining("Only a kill of the process shows") as string },
    });
    const apart = await certify(out, ...flags, ...limits);
    expect([apart.code, apart.certificate.parts[1]?.verdict]).toEqual([2, "not-judged"]);
    expect(apart.err).toMatch(
      /explore \S+ not decided: The baseline, a run without deviations, fails: step 1 /,
    );
  },
);

test(
  "what the tests live on is a part of the proof, and what they do not notice is missing",
  async () => {
    const out = folder();
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
