import { afterAll, beforeAll, expect, test } from "vitest";
import { buggyReceiver, SECRET } from "../partners/buggy-receiver.ts";
import { FAILING, folderWith } from "./scenario-files.ts";
import { existsSync, readFileSync } from "node:fs";
import fc from "fast-check";
import { sandbank } from "./command.ts";

/** Returns the reports in a folder, without its name, the times that each run measures, and the commands with ids. */
function reportsIn(at: (name: string) => string): (string | undefined)[] {
  return ["j.xml", "out.txt"].map((name) =>
    existsSync(at(name))
      ? readFileSync(at(name), "utf8")
          .replaceAll(at("."), "")
          .replaceAll(/^ *(?:curl|<system-out>Time:) .*/gm, "")
          .replaceAll(/\d+(?:\.\d+)?(?= ms)|[\d.]+(?=")/g, "0")
      : undefined,
  );
}

const COMMANDS: Readonly<Record<string, readonly [code: number, ...args: string[]]>> = {
  "a failing run with a report": [
    1,
    "run",
    "FOLDER/failing.yaml",
    "--reporter",
    "junit=FOLDER/j.xml",
    "--reporter",
    "pretty",
  ],
  "a failing run as JSON": [1, "run", "FOLDER/failing.yaml", "--reporter", "json"],
  "a failing run as TAP": [1, "run", "FOLDER/failing.yaml", "--reporter", "tap", "--seed", "random"],
  "a webhook without a receiver": [1, "trigger", "order-payin.paid", "--to", "http://127.0.0.1:1/"],
  "a comparison of recorded traffic": [0, "calibrate", "FOLDER/odd.har", "--out", "FOLDER/out.txt"],
  "a scenario with a mistake": [2, "run", "FOLDER/mistaken.yaml"],
  "a receiver check that fails": [
    1,
    "receiver",
    "check",
    "RECEIVER",
    "--only",
    "S1",
    "--seed",
    "7",
    "--secret",
    SECRET,
    "--reporter",
    "junit=FOLDER/j.xml",
    "--reporter",
    "pretty",
  ],
  "contracts that do not match": [
    1,
    "contracts",
    "verify",
    "FOLDER/pact.json",
    "--reporter",
    "junit=FOLDER/j.xml",
    "--reporter",
    "pretty",
  ],
  "a wrong command line": [2, "run", "--sed", "1"],
  "a passing run": [0, "run", "FOLDER/passing.yaml", "--out", "FOLDER/out.txt"],
  "a list of settings": [0, "config"],
  "a document": [0, "openapi"],
  "a list of events": [0, "trigger", "--list"],
};

const PASSING = FAILING.replace("ACCEPTED", "PENDING_AUTHORIZATION");

/** Recorded traffic with an answer of another shape. */
const ODD = JSON.stringify({
  log: {
    entries: [
      {
        startedDateTime: "2026-11-20T09:00:00.000Z",
        time: 1,
        request: { method: "GET", url: "http://platform.example/order/v1/banking/accounts", headers: [] },
        response: {
          status: 200,
          headers: [{ name: "content-type", value: "application/json" }],
          content: { mimeType: "application/json", text: '{"data": "none"}' },
        },
      },
    ],
  },
});

/** A pact whose only interaction does not match. */
const PACT = JSON.stringify({
  consumer: { name: "shop" },
  provider: { name: "banking-service" },
  interactions: [
    {
      description: "a list of accounts",
      request: { method: "GET", path: "/order/v1/banking/accounts" },
      response: { status: 418 },
    },
  ],
  metadata: { pactSpecification: { version: "2.0.0" } },
});

let receiver: Awaited<ReturnType<typeof buggyReceiver>>;
beforeAll(async () => {
  receiver = await buggyReceiver({ verified: () => "" });
});
afterAll(() => receiver[Symbol.asyncDispose]());

test.each(Object.entries(COMMANDS))(
  "%s ends with the same code and files, whenever its readers leave",
  async (_, [code, ...args]) => {
    const files = {
      "failing.yaml": FAILING,
      "passing.yaml": PASSING,
      "odd.har": ODD,
      "pact.json": PACT,
      "mistaken.yaml": "steps: 1",
    };
    const run = async (readersLeaveAfter: number) => {
      using folder = folderWith(files);
      const words = args.map((word) =>
        word.replace("FOLDER", folder.at(".")).replace("RECEIVER", receiver.url),
      );
      const ended = await sandbank(...words, { readersLeaveAfter });
      return { ...ended, reports: reportsIn(folder.at) };
    };
    const read = await run(Infinity);
    expect(read.code).toBe(code);
    const length = Math.max(read.out.length, read.err.length);
    const left = fc.constantFrom(0, 1, Math.floor(length / 2), length - 1);
    await fc.assert(
      fc.asyncProperty(fc.oneof(left, fc.nat(length)), async (after) => {
        const { out: _out, err: _err, ...ended } = await run(after);
        expect(ended).toEqual({ code, reports: read.reports });
      }),
      { numRuns: 6 },
    );
  },
);
