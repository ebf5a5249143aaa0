import { afterAll, beforeAll, expect, test } from "vitest";
import { commands } from "../../src/cli/commands.ts";
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

const NOBODY = "http://127.0.0.1:1/";
const REPORTS = ["--reporter", "junit=FOLDER/j.xml", "--reporter", "pretty"];
const CHECK = ["RECEIVER", "--only", "S1", "--seed", "7"];

const COMMANDS: [what: string, code: number, command: string, ...args: string[]][] = [
  ["a failing run with a report", 1, "run", "FOLDER/failing.yaml", ...REPORTS],
  ["a failing run as JSON", 1, "run", "FOLDER/failing.yaml", "--reporter", "json"],
  ["a failing run as TAP", 1, "run", "FOLDER/failing.yaml", "--reporter", "tap", "--seed", "random"],
  ["a scenario with a mistake", 2, "run", "FOLDER/mistaken.yaml"],
  ["a wrong command line", 2, "run", "--sed", "1"],
  ["a passing run", 0, "run", "FOLDER/passing.yaml", "--out", "FOLDER/out.txt"],
  ["a webhook without a receiver", 1, "trigger", "order-payin.paid", "--to", NOBODY],
  ["a list of events", 0, "trigger", "--list"],
  ["a comparison of recorded traffic", 0, "calibrate", "FOLDER/odd.har", "--out", "FOLDER/out.txt"],
  ["traffic without a payment", 0, "check-traffic", "FOLDER/odd.har"],
  ["traffic without a webhook", 2, "replay", "FOLDER/odd.har", "--receiver", "RECEIVER"],
  ["a receiver check that fails", 1, "receiver check", ...CHECK, "--secret", SECRET, ...REPORTS],
  ["a receiver check without an answer", 2, "receiver check", NOBODY],
  ["contracts that do not match", 1, "contracts verify", "FOLDER/mismatch.json", ...REPORTS],
  ["contracts that match", 0, "contracts verify", "FOLDER/match.json", ...REPORTS],
  ["contracts of a receiver that is away", 2, "contracts verify-receiver", NOBODY, "FOLDER/match.json"],
  ["a list of provider states", 0, "contracts states"],
  ["contracts of a scenario", 0, "contracts generate", "FOLDER/passing.yaml", "--out", "FOLDER/pacts"],
  ["contracts without a broker", 2, "contracts publish", "FOLDER"],
  ["a deployment without a broker", 2, "contracts can-i-deploy"],
  ["a deployment to record without a broker", 2, "contracts record-deployment"],
  ["an exploration without a probe", 2, "explore", "FOLDER/passing.yaml", "--receiver", NOBODY],
  ["a doubt without an assumption", 2, "doubt", "--test", "true", "--only", "nothing"],
  ["a certificate of nothing", 2, "certify"],
  ["a new folder", 0, "init", "FOLDER/new"],
  ["an empty folder of fixtures", 2, "fixtures check", "FOLDER"],
  ["a file of the examples", 0, "examples copy", "compose"],
  ["a list of settings", 0, "config"],
  ["the health of no server", 1, "health", "--target", NOBODY],
  ["the secret of no server", 1, "secret", "print", "--target", NOBODY],
  ["a document", 0, "openapi"],
  ["a list of assumptions", 0, "assumptions"],
  ["a schema", 0, "schema", "scenario"],
  ["a server at a wrong port", 2, "serve", "--port", "-1"],
  ["a command with the clock of no server", 2, "with-clock", "--target", NOBODY, "--", "true"],
  ["the changes of no server", 2, "tail", "--target", NOBODY],
  ["the webhooks of no server", 2, "listen", "--target", NOBODY, "--forward", NOBODY],
  ["the tools of no server", 2, "mcp", "--target", NOBODY],
  ["a recording of no platform", 2, "record", "--upstream", "nonsense", "--out", "FOLDER/out.txt"],
];

test("every command is tried", () => {
  const all = commands.flatMap((one) =>
    "commands" in one ? one.commands.map((inner) => `${one.words} ${inner.words}`) : [one.words],
  );
  const tried = new Set(COMMANDS.map(([, , name]) => name));
  expect([...tried].toSorted()).toEqual(all.map((words) => words.replaceAll(/ [<[].*/g, "")).toSorted());
});

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

/** A pact with one interaction, which has this status. */
const pactOf = (status: number): string =>
  JSON.stringify({
    consumer: { name: "shop" },
    provider: { name: "banking-service" },
    interactions: [
      {
        description: "a list of accounts",
        request: {
          method: "GET",
          path: "/order/v1/banking/accounts",
          headers: { authorization: "Bearer acme-token" },
        },
        response: { status },
      },
    ],
    metadata: { pactSpecification: { version: "2.0.0" } },
  });

let receiver: Awaited<ReturnType<typeof buggyReceiver>>;
beforeAll(async () => {
  receiver = await buggyReceiver({ verified: () => "" });
});
afterAll(() => receiver[Symbol.asyncDispose]());

test.for(COMMANDS)(
  "%s ends with the same code and files, whenever its readers leave",
  async ([, code, command, ...args]) => {
    const files = {
      "failing.yaml": FAILING,
      "passing.yaml": PASSING,
      "odd.har": ODD,
      "match.json": pactOf(200),
      "mismatch.json": pactOf(418),
      "mistaken.yaml": "steps: 1",
    };
    const run = async (readersLeaveAfter: number) => {
      using folder = folderWith(files);
      const words = args.map((word) =>
        word.replace("FOLDER", folder.at(".")).replace("RECEIVER", receiver.url),
      );
      const ended = await sandbank(...command.split(" "), ...words, { readersLeaveAfter });
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
      { numRuns: 4 },
    );
  },
);
